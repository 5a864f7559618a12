"""Metrics of the process, the store and each plan, as Prometheus' own checker wants them."""

import shutil
import subprocess

import pytest

from reports_sent import served

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


def test_metrics_are_in_the_form_that_is_asked_for_at_this_machine_alone(tmp_path, plan):
    with served(tmp_path, plan, "--metrics-port", 0) as (client, _):
        client.upload([0, 1, 1])
        plain = client.ask("GET", "/metrics", port=client.metrics, Accept="text/plain")
        assert plain.headers["content-type"].startswith("text/plain")
        found = set(plain.body.decode().splitlines())
        assert {
            f'sordino_plan_reports{{plan="{plan.hash}"}} 3.0',
            f'sordino_plan_closed{{plan="{plan.hash}"}} 0.0',
            "sordino_store_trouble 0.0",
        } <= found
        assert any(line.startswith("process_resident_memory_bytes ") for line in found)
        open_metrics = client.ask("GET", "/metrics", port=client.metrics, Accept=OPEN_METRICS)
        assert open_metrics.headers["content-type"].startswith("application/openmetrics-text")
        client.as_analyst("POST", "/close")
        told = client.ask("GET", "/metrics", port=client.metrics).body.decode()
        assert f'sordino_plan_closed{{plan="{plan.hash}"}} 1.0' in told


@pytest.mark.live
def test_promtool_has_nothing_to_complain_of(tmp_path, plan):
    with served(tmp_path, plan, "--metrics-port", 0) as (client, _):
        client.upload([0, 1, 1])
        text = client.ask("GET", "/metrics", port=client.metrics).body
    done = subprocess.run(
        [shutil.which("promtool"), "check", "metrics"], input=text, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
