"""What stands in deploy/ is what the collector and its docs know; nginx's lines are run by `test_proxy_live`."""

import re
import tomllib
from pathlib import Path
from time import sleep

import click
import pytest
import yaml

from reports_sent import make_plan, served
from sordino.cli.commands.serve_command import serve
from sordino.service.budget import MOST_BYTES
from sordino.service.server import MOST_HEAD

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
OPTIONS = {parameter.name for parameter in serve.params}


def test_the_configuration_has_options_of_serve():
    assert tomllib.loads((DEPLOY / "collector.toml").read_text()).keys() <= OPTIONS


@pytest.mark.parametrize("name", ["compose.yaml", "sordino-collector.service"])
def test_variables_of_the_environment_are_options_of_serve(name):
    found = re.findall(r"SORDINO_SERVE_(\w+)", (DEPLOY / name).read_text())
    assert {variable.lower() for variable in found} <= OPTIONS
    assert found
    # Each is read by that name.
    context = click.Context(serve, info_name="serve", auto_envvar_prefix=serve.context_settings["auto_envvar_prefix"])
    named = {one.name: one.resolve_envvar_value(context) for one in serve.params}
    assert set(named.values()) == {None}


def test_compose_names_what_there_is():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert compose.keys() == {"services", "networks", "volumes", "secrets"}
    services = compose["services"]
    files = {"Caddyfile", "collector.toml", *(p.name for p in DEPLOY.iterdir())}
    # These are the operator's own: the first line says so.
    own = {"plan.json", "db-password", "pgpass"}
    assert all(name in (DEPLOY / "compose.yaml").read_text().partition("\n")[0] for name in own)
    for service in services.values():
        assert ("image" in service) != ("build" in service)
        assert set(service.get("networks", ())) <= compose["networks"].keys()
        assert set(service.get("secrets", ())) <= compose["secrets"].keys()
        assert set(service.get("depends_on", {})) <= services.keys()
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert Path(source).name in files | own if source.startswith("./") else source in compose["volumes"]
        for name, secret in ((name, f"/run/secrets/{name}") for name in service.get("secrets", ())):
            assert secret in service["environment"].values(), name
    assert {Path(secret["file"]).name for secret in compose["secrets"].values()} <= own
    assert (DEPLOY / services["collector"]["build"]["context"] / services["collector"]["build"]["dockerfile"]).is_file()
    # The proxy reaches the collector by its name, on a network that both are in; nothing but the proxy has a port.
    host, _, port = services["proxy"]["environment"]["COLLECTOR"].partition(":")
    assert port == str(tomllib.loads((DEPLOY / "collector.toml").read_text())["port"])
    assert set(services["proxy"]["networks"]) & set(services[host]["networks"])
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services[services["collector"]["environment"]["SORDINO_SERVE_STORE"].split("@")[1].partition("/")[0]]


def test_alerts_are_about_metrics_that_there_are():
    from sordino.service.metrics import Metrics

    shown = {sample.name for family in Metrics().registry.collect() for sample in family.samples}
    shown |= {f"sordino_{family}_total" for family in ("answers", "reports")}
    named = set(re.findall(r"sordino_\w+", (DEPLOY / "alerts.yaml").read_text()))
    assert named <= shown
    assert len(named) == 3


def test_prometheus_reaches_the_metrics_and_nobody_else_does():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    scraped = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    collector, prometheus = compose["services"]["collector"], compose["services"]["prometheus"]
    (job,) = scraped["scrape_configs"]
    ((target,),) = [each["targets"] for each in job["static_configs"]]
    port = tomllib.loads((DEPLOY / "collector.toml").read_text())["metrics_port"]
    assert (target, job["job_name"]) == (f"collector:{port}", "sordino")
    assert 'job="sordino"' in (DEPLOY / "alerts.yaml").read_text()
    # Within the container 127.0.0.1 is the container's own.
    assert collector["environment"]["SORDINO_SERVE_METRICS_HOST"] == "0.0.0.0"  # noqa: S104 - of its networks
    (shared,) = set(collector["networks"]) & set(prometheus["networks"])
    assert compose["networks"][shared] == {"internal": True}
    assert not any("ports" in service for service in (collector, prometheus))
    assert all(file in " ".join(prometheus["volumes"]) for file in ("prometheus.yml:", *scraped["rule_files"]))
    assert f":{port}" not in (DEPLOY / "Caddyfile").read_text()


def test_what_an_operator_puts_beside_compose_is_in_no_image_commit_or_package():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    own = {f"deploy/{Path(secret['file']).name}" for secret in compose["secrets"].values()} | {"deploy/plan.json"}
    assert len(own) == 3
    for name in (".dockerignore", ".gitignore"):
        assert own <= set((ROOT / name).read_text().splitlines()), name
    (left_out,) = re.findall(r"^exclude (.*)$", (ROOT / "MANIFEST.in").read_text(), re.MULTILINE)
    assert own <= set(left_out.split())


def test_the_unit_allows_what_a_collector_does_and_no_more():
    lines = (DEPLOY / "sordino-collector.service").read_text().splitlines()
    for line in (
        "UMask=0077",
        "CapabilityBoundingSet=",
        "SystemCallFilter=@system-service",
        "SystemCallFilter=~@privileged",
        "SystemCallArchitectures=native",
        # With it a system call that is not allowed fails, and ends no collector.
        "SystemCallErrorNumber=EPERM",
        "MemoryDenyWriteExecute=yes",
        *(f"Protect{name}=yes" for name in ("Clock", "Hostname", "KernelLogs", "KernelModules", "KernelTunables")),
    ):
        assert line in lines
    assert not any(line.startswith("ProcSubset=") for line in lines)


def test_nginx_has_the_lines_that_are_tested():
    (tested,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "collecting.md").read_text(), re.DOTALL)
    assert (DEPLOY / "nginx.conf").read_text().partition("\n")[2] == tested


def test_proxies_bound_bodies_as_the_collector_does_and_pass_no_address_on():

    caddy, nginx = ((DEPLOY / name).read_text() for name in ("Caddyfile", "nginx.conf"))
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "k": 1 << 10, "m": 1 << 20}
    figures = re.findall(r"(max_header_size|max_size|request_buffers|max_buffer_size) (\d+)([A-Za-z]+)", caddy)
    sizes = {name: int(size) * units[unit] for name, size, unit in figures}
    assert sizes == {"max_header_size": MOST_HEAD} | dict.fromkeys(
        ("max_size", "request_buffers", "max_buffer_size"), MOST_BYTES
    )
    (body,) = re.findall(r"client_max_body_size (\d+)([km]);", nginx)
    assert int(body[0]) * units[body[1]] == MOST_BYTES
    ((count, size, unit),) = re.findall(r"large_client_header_buffers (\d+) (\d+)([km]);", nginx)
    assert int(count) * int(size) * units[unit] == MOST_HEAD
    assert "header_up -X-Forwarded-For" in caddy
    assert "output discard" in caddy


def test_a_collector_starts_twice_by_the_configuration(tmp_path, monkeypatch):
    plan, text = make_plan(4), (DEPLOY / "collector.toml").read_text()
    text = text.replace("/var/lib/sordino", str(tmp_path)).replace("https://collector.example", "http://127.0.0.1:1")
    (tmp_path / "collector.toml").write_text(text)
    monkeypatch.setenv("SORDINO_SERVE_METRICS_PORT", "0")
    token = tmp_path / "first-token"
    for _ in range(2):
        with served(tmp_path, plan, "--config", tmp_path / "collector.toml") as (client, said):
            # Once it is ready, and not a moment earlier, a signal ends it in order.
            while client.ask("GET", "/readyz", port=client.metrics).status != 200:
                sleep(0.05)
            assert client.ask("GET", "/livez", port=client.metrics).status == 200
        assert said[2] == 0
        assert token.exists()
