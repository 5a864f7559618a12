"""`sordino answer` against collectors that lie, wait and pour: it ends, says one sentence, and sends no second body."""

import json
import os
import re
import signal
import sys
import time

import psutil
import pytest

from commands import PROGRAM
from hostile_sockets import ENDLESS_ANSWERS, GOOD, PIECE, again_and_again, lying
from reports_sent import make_plan
from sordino import Ledger
from sordino.process import STOPS

pytestmark = pytest.mark.faults

TERMS = {"version": 1, "epsilon": "1", "attribute": {"x": {"categories": 4}}}
"""Of a ledger that accepts the plan."""

MEMORY = 500 << 20
"""Bytes of the largest memory that a device may have held."""

LONGEST = 240
"""Seconds after which an answer hangs: its patience, and one exchange of at most a minute, on a busy machine."""

IMPATIENT = [
    sys.executable,
    "-c",
    f"from sordino.once.agent import exchange; exchange.LONGEST_EXCHANGE = 2.0; {PROGRAM[-1]}",
]
"""The command with a shorter deadline for an exchange, which is the same code: a minute each would try few lies."""

BODY = re.compile(rb'\{"reports": \[\{"code": "[0-9]+", "id": "[0-9a-f]{32}"\}\]\}')
"""Of one answer."""


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


def receipt(**changed):
    return sized(json.dumps({"accepted": 1, "repeated": 0, "failed": [], **changed}).encode())


KEPT = says(receipt())
HONEST = {
    "two answers, one after the other": says(receipt(), receipt()),
    "a count that stands twice": says(sized(b'{"accepted": 0, "accepted": 1, "repeated": 0, "failed": []}')),
    "a body without a length": says(GOOD + b"\r\n", receipt().rpartition(b"\r\n")[2]),
}
"""Odd acknowledgements, which are some."""

UPLOAD_LIES = {
    **HONEST,
    "status 500": says(sized(b"no", b"HTTP/1.1 500 No\r\n")),
    "half an acknowledgement": says(receipt()[:-9]),
    "half an acknowledgement, then nothing": again_and_again(b"", 0.2, receipt()[:-9]),
    "accepted: true": says(receipt(accepted=True)),
    "repeated: true": says(receipt(accepted=0, repeated=True)),
    "accepted twice": says(receipt(repeated=1)),
    "accepted: 1.0": says(receipt(accepted=1.0)),
    "accepted: NaN": says(sized(b'{"accepted": NaN, "repeated": 0, "failed": []}')),
    "a list": says(sized(b"[1, 0, []]")),
    "a refusal of the report": says(receipt(accepted=0, failed=[{"index": 0}])),
    "an error whose body drips": again_and_again(b" ", 0.2, b"HTTP/1.1 500 No\r\nContent-Length: 9999\r\n\r\n"),
    "a closed plan": says(sized(b"{}", b"HTTP/1.1 409 Closed\r\n")),
    **{name: script for name, script in SHORT_ANSWERS.items() if "acknowledgement" not in name},
    **ENDLESS_BODIES,
    **ENDLESS_ANSWERS,
}
"""What a collector says to an upload, after it has served the plan."""


class Heard:
    """A connection whose request has been read: a script that wants to read it first goes on."""

    def __init__(self, connection):
        self.sendall = connection.sendall

    def recv(self, _):
        return b""


class Collector:
    """Serves a plan, says to each upload what its script says, and notes all that it heard.

    Attributes:
        script: may be changed meanwhile.
        heard: bodies, of which a device that was killed may have sent a beginning.
    """

    def __init__(self, plan, script):
        self.plan, self.script, self.heard = plan, script, []

    def __call__(self, connection, over):
        connection.settimeout(60)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(PIECE)
            if not piece:
                return
            head += piece
        head, _, body = head.partition(b"\r\n\r\n")
        if head.startswith(b"GET"):
            connection.sendall(sized(self.plan.bytes))
            return
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        while len(body) < length and (piece := connection.recv(PIECE)):
            body += piece
        self.heard.append(body)
        if len(body) == length:
            self.script(Heard(connection), over)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "me.toml").write_text("version = 1\n[record]\nx = 2\n")
    return tmp_path


@pytest.fixture
def play(begin, finish):
    """Run a command, stopped by a signal after some seconds if it runs still: its exit code and errors.

    It must end, say what is wrong in words and hold little memory; after a signal it may have ended by it.
    """

    def run(*words, number=None, wait=LONGEST, program=IMPATIENT, **options):
        process = begin(*words, program=program, **options)
        watched, peak, sent, begun = psutil.Process(process.pid), 0, False, time.monotonic()
        while process.poll() is None and time.monotonic() - begun < LONGEST:
            try:
                peak = max(peak, watched.memory_info().rss)
            except psutil.NoSuchProcess:
                break
            if number is not None and not sent and time.monotonic() - begun > wait:
                process.send_signal(number)
                sent = True
            time.sleep(0.05)
        _, errors = finish(process, late=5)
        ends = (0, 2, 3, 4, 5) + ((130, 1, -number) if sent else ())
        assert process.returncode in ends, f"{process.returncode}: {errors}"
        # Before Sordino's first line Python itself ends.
        assert "Traceback" not in errors or (sent and "in main" not in errors), errors
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", errors), repr(errors)
        assert peak < MEMORY, f"{peak >> 20} MiB"
        return process.returncode, errors, sent

    return run


def in_turn(scripts, jobs):
    """Each script once, then any: its name and the dice, with the number of the try."""
    turn = [*scripts]
    for number, draw in enumerate(jobs):
        yield number, turn[number] if number < len(turn) else draw.choice(turn), draw


def test_an_answer_ends_whatever_a_collector_does(folder, tries, dice, side_by_side, play):
    def lie(job):
        number, name, draw = job
        with tries(f"answer, the plan: {name}").one("a lie"), lying(SCRIPTS[name]) as (port, _):
            address = f"http://127.0.0.1:{port}/plans/sha256:{'0' * 64}"
            words = "answer", "--yes", address, "me.toml", "--store", f"plans{number}.sqlite", "--patience", "2"
            # Of those that come again few wait as long as anybody would; some are stopped while they wait.
            patient = number >= len(SCRIPTS) and draw.random() < 0.03
            program = PROGRAM if patient else IMPATIENT
            signalled = draw.choice(STOPS) if draw.random() < 0.2 else None
            code, errors, _ = play(*words, number=signalled, wait=draw.uniform(0, 8), program=program, cwd=folder)
            assert code != 0, errors

    side_by_side(lie, in_turn(SCRIPTS, dice(0.15, len(SCRIPTS))))


def test_one_answer_alone_is_sent_whatever_is_said_to_it_and_whenever_it_is_killed(
    folder, tries, dice, side_by_side, play
):
    plan = make_plan(4)

    def journal(number, draw):
        """A store of answers, or a ledger beside one: the option that names it, and where all its files are."""
        own = {"env": {**os.environ, "XDG_DATA_HOME": str(folder / f"data{number}")}, "cwd": folder}
        if draw.random() < 0.5:
            return ("--store", f"uploads{number}.sqlite"), own
        Ledger.make(folder / f"me{number}.ledger", TERMS)
        return ("--ledger", f"me{number}.ledger"), own

    def lie(job):
        number, name, draw = job
        collector = Collector(plan, UPLOAD_LIES[name])
        with tries(f"answer, its upload: {name}").one("a lie"), lying(collector) as (port, _):
            address = f"http://127.0.0.1:{port}/plans/{plan.hash}"
            option, own = journal(number, draw)
            words = "answer", "--yes", address, "me.toml", *option, "--patience", "2"
            for _ in range(draw.choice([1, 2, 3])):
                signalled = draw.choice([signal.SIGKILL, signal.SIGKILL, *STOPS, None, None, None])
                code, errors, sent = play(*words, number=signalled, wait=draw.uniform(0.2, 6), **own)
                assert sent or (code == 0) == (name in HONEST), f"{code}: {errors}"
            collector.script = KEPT
            code, errors, _ = play(*words, **own)
            assert code == 0, errors
            whole = max(collector.heard, key=len)
            assert BODY.fullmatch(whole), "no whole answer"
            assert all(whole.startswith(body) for body in collector.heard), "two answers"
            count = len(collector.heard)
            code, errors, _ = play(*words, **own)
            assert (code, len(collector.heard)) == (0, count), "an answer that was acknowledged is sent again"

    side_by_side(lie, in_turn(UPLOAD_LIES, dice(0.15, len(UPLOAD_LIES))))
