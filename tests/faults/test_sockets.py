"""`sordino serve` among hostile clients: its memory has a bound, and whoever is honest is answered meanwhile."""

import random
import signal
import time
from contextlib import suppress

import psutil
import pytest

from hostile_sockets import PIECE, connected, header_lines, heard, poured, upload_head
from killed_collector import stored_codes
from reports_sent import make_plan, serving
from waits import stop

pytestmark = pytest.mark.faults

MEMORY = 700 << 20
"""Bytes that the collector's process may hold in all: some 200 of it are libraries."""

MOST_HELD = 80
"""Sockets that are held at once."""

BODY = 15 << 20

LATENCY = 30.0
"""Seconds in which an honest client has an answer of some kind."""

REFUSED = 90.0
"""Seconds after which whoever is honest, and comes again when asked to, has been accepted: a half body lives for 30."""


class Peers:
    """Sockets that are held open, of which the oldest are let go."""

    def __init__(self, port, plan_hash, draw):
        self.port, self.plan_hash, self.draw, self.sockets = port, plan_hash, draw, []

    def held(self, said):
        try:
            connection = connected(self.port)
            self.sockets.append(connection)
            connection.settimeout(5)
            connection.sendall(said)
        except OSError:
            # Refused, or hung up on: that is what a bound does.
            return
        finally:
            while len(self.sockets) > MOST_HELD:
                self.sockets.pop(0).close()

    def half_head(self):
        self.held(b"POST /plans/" + self.draw.randbytes(20).hex().encode())

    def half_body(self):
        self.held(upload_head(self.plan_hash, 16 << 20) + bytes(BODY))

    def half_chunk(self):
        self.held(upload_head(self.plan_hash) + b"ffffff\r\n" + bytes(self.draw.randrange(1 << 20)))

    def poured_head(self):
        poured(self.port, b"GET / HTTP/1.1\r\nHost: x\r\n", header_lines(PIECE), 64 << 20)

    def poured_address(self):
        poured(self.port, b"GET /", b"a" * PIECE, 64 << 20)

    def poured_chunks(self):
        poured(self.port, upload_head(self.plan_hash), b"10000\r\n" + bytes(65536) + b"\r\n", 64 << 20)

    def garbage(self):
        with connected(self.port) as connection:
            connection.settimeout(30)
            connection.sendall(self.draw.randbytes(self.draw.randrange(1, 5000)) + b"\r\n\r\n")
            assert b" 5" not in heard(connection)[:14]

    def wrong_body(self):
        body = self.draw.randbytes(self.draw.randrange(1, 5000))
        with connected(self.port) as connection:
            connection.settimeout(30)
            head = upload_head(self.plan_hash, len(body), more="Connection: close\r\n")
            connection.sendall(head + body)
            # By chance it holds reports, of which some fail.
            assert heard(connection)[9:10] in (b"2", b"4")


def accepted(upload):
    """Seconds until an honest upload is accepted, and of the slowest answer; one that is refused is sent again."""
    begun, slowest = time.monotonic(), 0.0
    while True:
        asked = time.monotonic()
        answer = upload()
        now = time.monotonic()
        slowest = max(slowest, now - asked)
        assert slowest < LATENCY, f"an answer after {slowest:.1f} seconds"
        if answer.status == 200:
            return now - begun, slowest
        # Too many at once are told to come again.
        assert answer.status in (429, 503), answer.body
        assert now - begun < REFUSED, f"refused for {now - begun:.0f} seconds: {answer.body}"
        time.sleep(min(float(answer.headers.get("retry-after", 1)), 5))


ATTACKS = {
    "half a head": Peers.half_head,
    "half a body": Peers.half_body,
    "half a chunk": Peers.half_chunk,
    "a head that pours": Peers.poured_head,
    "an address that pours": Peers.poured_address,
    "chunks that pour": Peers.poured_chunks,
    "garbage": Peers.garbage,
    "a body of garbage": Peers.wrong_body,
}


def test_hostile_clients_hold_no_memory_and_no_others(tmp_path, tries, dice):
    plan, sent, latest, slowest = make_plan(4), 0, 0.0, 0.0
    plan.save(tmp_path / "plan.json")
    with serving(tmp_path / "reports.sqlite", tmp_path / "plan.json", plan) as (client, process):
        peers = Peers(client.port, plan.hash, random.Random())
        watched, peak = psutil.Process(process.pid), 0
        turn = [*ATTACKS]
        for number, peers.draw in enumerate(dice(0.1, len(turn))):
            name = turn[number] if number < len(turn) else peers.draw.choice(turn)
            with tries(f"serve: {name}").one("an attack"):
                # The collector may hang up first.
                with suppress(ConnectionError, TimeoutError):
                    ATTACKS[name](peers)
                peak = max(peak, watched.memory_info().rss)
                assert peak < MEMORY, f"{peak >> 20} MiB"
            with tries("serve: an honest upload meanwhile").one(f"beside {name}"):
                until, answer = accepted(lambda: client.upload([sent % 4], first=sent))  # noqa: B023 - called at once
                latest, slowest, sent = max(latest, until), max(slowest, answer), sent + 1
        for connection in peers.sockets:
            connection.close()
        with tries("serve: its end").one("asked to stop"):
            _, errors = stop(process, peers.draw.choice([signal.SIGTERM, signal.SIGHUP]))
            assert (process.returncode, "Traceback" in errors) == (0, False), errors
    with tries("serve: what was accepted is stored").one("the store"):
        found = stored_codes(tmp_path / "reports.sqlite")
        assert len(found) >= sent, f"{len(found)} of {sent}"
    tries(
        f"serve: at most {LATENCY:g} seconds an answer, {slowest:.1f}; {REFUSED:g} to be accepted, {latest:.1f}"
    ).tried += 1
    tries(f"serve: at most {MEMORY >> 20} MiB, {peak >> 20} at its peak").tried += 1
