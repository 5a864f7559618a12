"""What stands in deploy/ is what the collector and its docs know; nginx's lines are run by `test_proxy_live`."""

import re
import tomllib
from pathlib import Path

import click
import pytest

from reports_sent import make_plan, served
from sordino.cli.commands.serve import serve

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


def test_nginx_has_the_lines_that_are_tested():
    (tested,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "collecting.md").read_text(), re.DOTALL)
    assert (DEPLOY / "nginx.conf").read_text().partition("\n")[2] == tested


def test_proxies_bound_bodies_as_the_collector_does_and_pass_no_address_on():
    caddy = (DEPLOY / "Caddyfile").read_text()
    assert "max_size 16MB" in caddy
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
            assert client.ask("GET", "/livez", port=client.metrics).status == 200
        assert said[2] == 0
        assert token.exists()
