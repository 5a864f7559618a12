"""Collectors that keep a device waiting: every exchange ends, and what is left of it sends nothing."""

import json
import socket
from threading import Event, active_count
from threading import enumerate as threads

import pytest

from commands import run_here
from hostile_sockets import ENDLESS_ANSWERS, PIECE, lying, silence
from sordino.errors import UnavailableError
from sordino.once.agent import exchange
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.agent.exchange import Waiting, fetch_plan, send_report

HASH = "sha256:" + "0" * 64
BODY = b'{"reports": [{"id": "00", "code": "914173"}]}'


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """A deadline that a test can wait for; of single waits it says nothing."""
    monkeypatch.setattr(exchange, "LONGEST_EXCHANGE", 0.3)


def address_of(port, scheme="http"):
    return CollectorAddress.of(f"{scheme}://127.0.0.1:{port}/plans/{HASH}")


def require_no_thread_left():
    for thread in threads():
        if thread.name == "exchange":
            thread.join(30)
            assert not thread.is_alive()


@pytest.mark.parametrize("script", ENDLESS_ANSWERS.values(), ids=ENDLESS_ANSWERS)
def test_an_answer_without_an_end_is_given_up(script):
    with lying(script) as (port, _):
        for ask in (fetch_plan, lambda address: send_report(address, BODY, Waiting(0.0))):
            with pytest.raises(UnavailableError, match=r"no whole answer in time|broke off") as caught:
                ask(address_of(port))
            assert "914173" not in str(caught.value)
        # The connections are shut down: nobody reads on while the server goes on.
        require_no_thread_left()


def test_a_handshake_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(exchange, "QUIET", 2.0)
    with lying(silence) as (port, _), pytest.raises(UnavailableError, match="no whole answer in time"):
        send_report(address_of(port, "https"), BODY, Waiting(0.0))
    require_no_thread_left()


def test_a_name_that_is_looked_up_for_ever_is_given_up_and_nothing_is_sent_later(monkeypatch):
    found, heard = Event(), []

    def script(connection, _):
        heard.append(connection.recv(PIECE))

    own = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **more: found.wait() and own(*given, **more))
    with lying(script) as (port, _):
        with pytest.raises(UnavailableError, match="no whole answer in time"):
            send_report(address_of(port), BODY, Waiting(0.0))
        found.set()
        require_no_thread_left()
    assert b"".join(heard) == b""


@pytest.mark.parametrize("words", ["100 Continue without an end", "a byte of a header now and then"])
def test_answering_ends_with_its_patience(tmp_path, record, words):
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in record["record"].items())
    (tmp_path / "me.toml").write_text(f"version = 1\n[record]\n{lines}")
    before = active_count()
    with lying(ENDLESS_ANSWERS[words]) as (port, came):
        url = f"http://127.0.0.1:{port}/plans/{HASH}"
        code, out, err = run_here(
            "answer", "--yes", url, "me.toml", "--store", "s.sqlite", "--patience", 1, folder=tmp_path
        )
        assert (code, out) == (5, "")
        assert "no whole answer in time" in err
        assert len(came) == 1
        require_no_thread_left()
    assert active_count() <= before
