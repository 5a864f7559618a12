"""Options of `sordino serve` from a file and from the environment; where its first token and its addresses go."""

import signal
import stat

from commands import run_here
from reports_sent import Client, served
from sordino.cli.commands import serve_command as serve

PLANNED = "must hold options of serve"


def test_options_come_from_a_file_unless_they_are_given(tmp_path, plan):
    config = tmp_path / "collector.toml"
    config.write_text('public_url = "https://file.example/collect/"\nmetrics_port = 0\n')
    # The client takes the port from the plan's address.
    with served(tmp_path, plan, "--config", config, "--public-url", "http://127.0.0.1:1/") as (client, said):
        assert (client.port, client.metrics > 0) == (1, True)
    assert said[2] == 0


def test_who_reads_the_address_may_end_it_at_once(tmp_path, plan, monkeypatch):
    def read(line):
        said.append(line)
        if line.endswith(plan.hash):
            signal.raise_signal(signal.SIGTERM)

    said = []
    monkeypatch.setattr(serve, "say", read)
    plan.save(tmp_path / "plan.json")
    code, *_ = run_here("serve", tmp_path / "plan.json", "--store", tmp_path / "store", "--port", 0)
    assert (code, said[-1]) == (0, "stopped; all that was acknowledged is in the store")


def test_a_token_file_holds_the_first_token_and_the_environment_counts(tmp_path, plan, monkeypatch):
    monkeypatch.setenv("SORDINO_SERVE_LEAST_PEOPLE", "2")
    token = tmp_path / "token"
    with served(tmp_path, plan, "--token-file", token) as (client, _):
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        assert client.token is None
        client.upload([0])
        asking = Client(plan, client.port, token.read_text().strip())
        assert asking.as_analyst("GET", "/estimates").status == 409
        client.upload([1], first=1)
        assert asking.as_analyst("GET", "/estimates").status == 200


def test_options_that_are_none_are_refused(tmp_path, plan):
    plan.save(tmp_path / "plan.json")
    (tmp_path / "collector.toml").write_text('colour = "red"\n')
    words = ["serve", tmp_path / "plan.json", "--config", tmp_path / "collector.toml", "--store", tmp_path / "s"]
    code, _, err = run_here(*words)
    assert (code, PLANNED in err, "colour" in err) == (2, True, True)
    code, _, err = run_here(*words[:2], "--store", tmp_path / "s", "--public-url", "collector.example")
    assert (code, "--public-url must be an address" in err) == (2, True)
    (tmp_path / "taken").write_text("mine")
    code, _, err = run_here(*words[:2], "--store", tmp_path / "s", "--port", 0, "--token-file", tmp_path / "taken")
    assert (code, (tmp_path / "taken").read_text()) == (2, "mine")
