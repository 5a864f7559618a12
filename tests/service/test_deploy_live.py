"""What stands in deploy/, run as far as a machine without containers can: proxies, a database, rules, a unit."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from commands import PATIENCE, PROGRAM
from hostile_sockets import header_lines, upload_head
from proxies import SOURCE, Proxied, behind_caddy, behind_nginx
from reports_sent import NOTED, STARTED, STOPPED, log_events, serving
from waits import stop

pytestmark = pytest.mark.live

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.mark.parametrize("proxy", [behind_nginx, behind_caddy])
def test_a_proxy_and_a_database_take_answers_and_write_no_address(tmp_path, plan, empty_postgres, proxy):
    (tmp_path / "proxy").mkdir()
    plan.save(tmp_path / "plan.json")
    with (
        serving(empty_postgres.address, tmp_path / "plan.json", plan) as (client, process),
        proxy(tmp_path / "proxy", client.port) as port,
    ):
        proxied = Proxied(tmp_path / "proxy", port, plan, client)
        answer = proxied.upload([0, 1, 1], 0)
        assert b" 200 " in answer
        assert b'"accepted":3,' in answer
        # Large ones are held back until they are whole, and longer ones are refused.
        assert b'"accepted":100000,' in proxied.upload([1] * 100_000, 1 << 80)
        assert b" 413 " in proxied.told(upload_head(plan.hash, (16 << 20) + 1) + bytes(17 << 20))
        request = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        assert b" 200 " in proxied.told(request + b"\r\n")
        refused = proxied.told(request + header_lines(1 << 20) + b"\r\n")
        assert b" 200 " not in refused
        # Half a body is given up by the proxy, and never acknowledged; Caddy 2.6 says an empty 200.
        assert b"accepted" not in proxied.told(upload_head(plan.hash, 1000) + bytes(100))
        assert client.of_plan("GET", "/progress").json["reports"] == 100_003
        out, err = stop(process)
    assert log_events(err) == [NOTED, STARTED, STOPPED]
    written = (out + err).encode() + b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    assert SOURCE.encode() not in written


def test_the_unit_of_systemd_is_right(tmp_path):
    program = tmp_path / "sordino"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    text = (DEPLOY / "sordino-collector.service").read_text()
    assert text.count("/opt/sordino/bin/sordino") == 1
    unit = tmp_path / "sordino-collector.service"
    unit.write_text(text.replace("/opt/sordino/bin/sordino", str(program)))
    words = [shutil.which("systemd-analyze"), "verify", "--man=no", str(unit)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "sordino" in line]
    assert (done.returncode, said) == (0, [])
    unit.write_text(text.replace("ProtectHome=", "ProtectHomes="))
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "ProtectHomes" in done.stderr


def test_the_rules_of_prometheus_fire_on_what_the_collector_shows(tmp_path):
    rules = DEPLOY / "alerts.yaml"
    promtool = shutil.which("promtool")
    subprocess.run([promtool, "check", "rules", str(rules)], check=True, capture_output=True, timeout=PATIENCE)
    own = 'instance="here"'
    series = {
        f'up{{job="sordino",{own}}}': "0+0x20",
        f"sordino_store_trouble{{{own}}}": "1+0x20",
        f"sordino_waiting{{{own}}}": "200+0x20",
        f'sordino_answers_total{{{own},status="503"}}': "0+9x20",
        f'sordino_answers_total{{{own},status="200"}}': "0+90x20",
    }
    (group,) = yaml.safe_load(rules.read_text())["groups"]
    known = {rule["alert"]: rule["annotations"] for rule in group["rules"]}
    labels = {name: {"instance": "here"} | ({"job": "sordino"} if name == "CollectorGone" else {}) for name in known}
    told = {name: [{"exp_labels": labels[name], "exp_annotations": known[name]}] for name in known}
    fires = [{"alertname": name, "eval_time": "15m", "exp_alerts": told[name]} for name in known]
    quiet = [{"alertname": name, "eval_time": "15m", "exp_alerts": []} for name in known]
    well = [name.replace("503", "404") for name in series]
    in_trouble = [{"series": name, "values": values} for name, values in series.items()]
    in_order = [{"series": name, "values": "1+0x20" if name.startswith("up") else "0+0x20"} for name in well]
    tests = [
        {"interval": "1m", "input_series": in_trouble, "alert_rule_test": fires},
        {"interval": "1m", "input_series": in_order, "alert_rule_test": quiet},
    ]
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump({"rule_files": [str(rules)], "tests": tests}))
    words = [promtool, "test", "rules", str(tmp_path / "tests.yaml")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
