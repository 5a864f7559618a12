"""What a device and a collector say to each other: tries that end, nobody else who hears, no answer in a message."""

import json
import socket
import ssl
from threading import Thread

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from certificates import self_signed
from sordino import RefusedError, SordinoError
from sordino.errors import DamagedError, UnavailableError
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.agent.exchange import FIRST_PAUSE, LONGEST_PAUSE, Waiting, fetch_plan, send_report
from waits import joined

HASH = "sha256:" + "0" * 64
BODY = b'{"reports": [{"id": "00", "code": "914173"}]}'
ECHO = b'{"detail": "the code 914173 came late"}'


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self, jitter=1.0):
        self.now, self.slept, self.jitter = 0.0, [], jitter

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def waiting(self, patience=60.0):
        return Waiting(patience, self.sleep, lambda: self.now, lambda: self.jitter)


@pytest.fixture
def address(script):
    return CollectorAddress.of(script.address(HASH))


def test_trouble_that_passes_is_waited_for_and_the_same_bytes_come_again(script, address):
    kept = {"accepted": 0, "repeated": 1, "failed": []}
    script.says(429, ECHO, Retry_After="7")
    script.says(503, Retry_After="0")
    script.says(None)
    script.says(200, json.dumps(kept).encode(), cut=3)
    script.says(200, b"<html>log in first</html>")
    script.says(200, b'{"accepted": 0, "repeated": 0, "failed": []}')
    # True is 1 to Python, and so is 1.0.
    script.says(200, b'{"accepted": true, "repeated": 0, "failed": []}')
    script.says(200, b'{"accepted": 1.0, "repeated": 0, "failed": []}')
    script.says(200, b'{"accepted": 1, "repeated": 0, "failed": {}}')
    script.says(200, b'{"accepted": 2, "repeated": -1, "failed": []}')
    script.says(200, json.dumps(kept).encode())
    clock = Clock()
    send_report(address, BODY, clock.waiting(600.0))
    assert script.heard == [("POST", f"/plans/{HASH}/reports", BODY)] * 11
    assert clock.slept == [7.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0, 30.0]


def test_tries_end(script, address):
    for jitter in (0.0, 1.0):
        clock = Clock(jitter)
        for _ in range(1000):
            script.says(503, ECHO)
        with pytest.raises(UnavailableError, match=r"status 503: try again later: the answer stays") as caught:
            send_report(address, BODY, clock.waiting(200.0))
        assert "914173" not in str(caught.value)
        assert clock.slept[0] == FIRST_PAUSE * (1 + jitter) / 2
        assert max(clock.slept) <= LONGEST_PAUSE
        assert 200 - LONGEST_PAUSE <= clock.now <= 200
        assert len(script.heard) == len(clock.slept) + 1
        script.heard.clear()
        script.answers.clear()
    script.says(503, Retry_After="86400")
    clock = Clock()
    with pytest.raises(UnavailableError, match="status 503"):
        send_report(address, BODY, clock.waiting())
    assert clock.slept == []
    script.server_close()
    with pytest.raises(UnavailableError, match=r"no connection|broke off"):
        send_report(address, BODY, clock.waiting(0.0))


def test_refusals_are_told_at_once_in_words_without_the_answer(script, address):
    failed = json.dumps({"accepted": 0, "repeated": 0, "failed": [{"id": "914173", "rule": "914173"}]}).encode()
    for status, body, kind, words in (
        (409, ECHO, RefusedError, "found one that is closed"),
        (404, ECHO, SordinoError, "must be served at the address"),
        (410, ECHO, SordinoError, "must be served at the address"),
        (400, ECHO, RefusedError, "found status 400"),
        (401, ECHO, RefusedError, "found status 401"),
        (403, ECHO, RefusedError, "must know the invitation; found one that it refuses, or none"),
        (200, failed, RefusedError, "found a refusal of this report"),
    ):
        script.says(status, body)
        with pytest.raises(kind, match=words) as caught:
            send_report(address, BODY, Clock().waiting())
        assert "914173" not in str(caught.value)
    assert len(script.heard) == 7


def test_no_redirection_is_followed(script, address):
    for status in (301, 302, 303, 307, 308):
        for place in (f"http://127.0.0.1:{script.server_port}/other", "https://other.example/", "file:///etc/hostname"):
            script.says(status, Location=place)
            with pytest.raises(SordinoError, match="found a redirection"):
                send_report(address, BODY, Clock().waiting())
            script.says(status, Location=place)
            with pytest.raises(SordinoError, match="found a redirection"):
                fetch_plan(address)
    assert {path.removesuffix("/reports") for _, path, _ in script.heard} == {f"/plans/{HASH}"}


def test_no_proxy_hears_what_stays_on_this_machine(script, address, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    send_report(address, BODY, Clock().waiting(0.0))
    assert len(script.heard) == 1


def test_a_plan_is_the_one_that_the_address_names(script, plan, address):
    own = CollectorAddress.of(script.address(plan.hash))
    script.says(200, plan.bytes)
    assert fetch_plan(own) == plan
    for content, kind, words in (
        (plan.bytes, DamagedError, "must have the hash in its address"),
        (plan.bytes.replace(b'"people":1000', b'"people":1001'), DamagedError, "must be as it was frozen"),
        (b"\xff", DamagedError, "must be a plan; found bytes that are no UTF-8 text"),
        (b"<html>", DamagedError, "must be a JSON file"),
        (b"{}", SordinoError, "found a different format"),
    ):
        script.says(200, content)
        with pytest.raises(kind, match=words):
            fetch_plan(address)


def test_a_plan_is_signed_by_the_key_that_is_asked_for_or_nothing_is_drawn(script, plan):
    own, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    key = own.public_key().public_bytes_raw().hex()
    address = CollectorAddress.of(script.address(plan.hash))
    right = {"key": key, "signature": own.sign(plan.bytes).hex()}
    # Whatever key the collector names, the one that is asked for counts.
    for told in (right, right | {"key": "00" * 32}):
        script.says(200, plan.bytes)
        script.says(200, json.dumps(told).encode())
        assert fetch_plan(address, key) == plan
    theirs = other.public_key().public_bytes_raw().hex()
    for status, told, words in (
        (200, {"key": theirs, "signature": other.sign(plan.bytes).hex()}, "found a signature that does not fit"),
        (200, {"key": key, "signature": own.sign(plan.bytes + b" ").hex()}, "found a signature that does not fit"),
        (200, {"signature": "914173"}, "found a signature that does not fit"),
        (200, {"signature": 914173}, "found a signature that does not fit"),
        (200, {"key": key}, "found no signature"),
        (200, [], "found no signature"),
        (404, {}, "found no signature"),
    ):
        script.says(200, plan.bytes)
        script.says(status, json.dumps(told).encode())
        with pytest.raises(RefusedError, match=f"signed by the key that is asked for; {words}") as caught:
            fetch_plan(address, key)
        assert "914173" not in str(caught.value)
    assert {path for _, path, _ in script.heard} == {f"/plans/{plan.hash}", f"/plans/{plan.hash}/signature"}


def test_whoever_has_no_certificate_hears_nothing(tmp_path):
    """A server on this machine with a certificate that it signed itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path / "own.pem"))
    heard = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            try:
                with context.wrap_socket(connection, server_side=True) as inner:
                    heard.append(inner.recv(1000))
            except OSError:
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=(listener,))
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/plans/{HASH}"
        with pytest.raises(RefusedError, match="by a certificate who it is"):
            send_report(CollectorAddress.of(url), BODY, Clock().waiting(0.0))
        joined(thread)
    assert heard == []


def test_a_key_that_the_one_that_is_asked_for_names_signs_as_well(script, plan):
    old, new, third = (Ed25519PrivateKey.generate() for _ in range(3))
    digits = lambda key: key.public_key().public_bytes_raw().hex()

    def link(first, second):
        words = f"sordino key 1\n{digits(first)}\n{digits(second)}\n".encode()
        return {"old": digits(first), "new": digits(second), "signature": first.sign(words).hex()}

    address = CollectorAddress.of(script.address(plan.hash))
    told = {"key": digits(new), "signature": new.sign(plan.bytes).hex(), "chain": [link(old, new)]}
    script.says(200, plan.bytes)
    script.says(200, json.dumps(told).encode())
    assert fetch_plan(address, digits(old)) == plan
    for wrong in (
        {"chain": []},
        {"chain": [link(third, new)]},
        {"chain": [{**link(old, new), "signature": link(third, new)["signature"]}]},
        {"chain": [link(old, new), link(old, third)]},
        {"chain": [link(old, new), link(new, old)]},
        {"key": digits(third)},
        {"key": digits(third), "chain": [link(old, third)]},
        {"signature": third.sign(plan.bytes).hex()},
        {"key": None},
    ):
        script.says(200, plan.bytes)
        script.says(200, json.dumps(told | wrong).encode())
        with pytest.raises(RefusedError, match="found a signature that does not fit"):
            fetch_plan(address, digits(old))
