"""`sordino answer` against collectors that lie, wait and pour: it ends, says one sentence, and sends no second body."""

import re
import signal

import pytest

from hostile_sockets import ENDLESS_ANSWERS, GOOD, PIECE, again_and_again, lying
from waits import PATIENCE

pytestmark = pytest.mark.faults

MEMORY = 500 << 20
"""Bytes of the largest memory that a device may have held."""


def says(*words):
    """A script: some words, and the end of the connection."""

    def script(connection, over):
        del over
        connection.recv(PIECE)
        connection.sendall(b"".join(words))

    return script


def sized(body, head=GOOD):
    return head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def moved(to):
    return b"HTTP/1.1 307 Moved\r\nLocation: " + to + b"\r\nContent-Length: 0\r\n\r\n"


SHORT_ANSWERS = {
    "nothing": says(),
    "garbage": says(bytes(range(256)) * 9),
    "half a plan": says(GOOD + b"Content-Length: 5000\r\n\r\n{"),
    "another object": says(sized(b'{"plan": {}}')),
    "an acknowledgement in place of a plan": says(sized(b'{"accepted": 1, "repeated": 0, "failed": []}')),
    "deep JSON": says(sized(b"[" * 100_000)),
    "a huge number": says(sized(b"9" * 100_000)),
    "a redirect to another host": says(moved(b"http://127.0.0.2:9/")),
    "a redirect to a file": says(moved(b"file:///etc/passwd")),
    "a redirect to itself": says(moved(b"/")),
    "an error with control characters": says(sized(b'{"detail": "\x1b[31m\\u001b[2J"}', b"HTTP/1.1 400 No\r\n")),
    "too many": says(b"HTTP/1.1 429 Wait\r\nRetry-After: 999999999\r\nContent-Length: 0\r\n\r\n"),
    "unavailable": says(b"HTTP/1.1 503 Later\r\nRetry-After: never\r\nContent-Length: 0\r\n\r\n"),
    "a terabyte": says(GOOD + b"Content-Length: 1000000000000\r\n\r\n"),
    "a negative length": says(GOOD + b"Content-Length: -1\r\n\r\n"),
    "many headers": says(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"),
}
ENDLESS_BODIES = {
    "a body that pours": again_and_again(b"x" * PIECE, 0.0, GOOD + b"\r\n"),
    "chunks that pour": again_and_again(
        b"10000\r\n" + b"x" * 65536 + b"\r\n", 0.0, GOOD + b"Transfer-Encoding: chunked\r\n\r\n"
    ),
    "a header that pours": again_and_again(b"x" * PIECE, 0.0, GOOD + b"X: "),
    "a status line that pours": again_and_again(b"x" * PIECE, 0.0),
}
SCRIPTS = {**SHORT_ANSWERS, **ENDLESS_BODIES, **ENDLESS_ANSWERS}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "me.toml").write_text("version = 1\n[record]\nword = 73\n")
    return tmp_path


def largest(process):
    """A watch of a process's memory: the most that it held, in bytes."""
    import psutil

    watched = psutil.Process(process.pid)

    def look():
        try:
            return watched.memory_info().rss
        except psutil.NoSuchProcess:
            return 0

    return look


def test_an_answer_ends_whatever_a_collector_does(folder, tries, dice, begin, finish):
    turn = [*SCRIPTS]
    for number, draw in enumerate(dice(0.3)):
        name = turn[number] if number < len(turn) else draw.choice(turn)
        with tries(f"answer: {name}").one("a lie"), lying(SCRIPTS[name]) as (port, _):
            address = f"http://127.0.0.1:{port}/plans/sha256:{'0' * 64}"
            words = "answer", address, "me.toml", "--store", f"answers{number}.sqlite", "--patience", "3"
            process = begin(*words, cwd=folder)
            look = largest(process)
            if draw.random() < 0.2:
                # One of them is stopped while it waits.
                wait = draw.uniform(0, 4)
                try:
                    process.wait(wait)
                except Exception:  # noqa: BLE001 - it waits still
                    process.send_signal(signal.SIGTERM)
            held = look()
            _, errors = finish(process, late=PATIENCE)
            assert process.returncode in (2, 3, 4, 5, 130, -signal.SIGTERM), f"{process.returncode}: {errors}"
            assert "Traceback" not in errors, errors
            assert not re.search(r"[\x00-\x09\x0b-\x1f]", errors), repr(errors)
            assert held < MEMORY
