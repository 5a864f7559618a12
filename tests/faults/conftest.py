"""Faults at random, for as many minutes as are given: what was tried, and what of it held.

`make test-faults`, MINUTES=3 for a look. What fails names its seed: SORDINO_FAULT_SEED=... tries the same again.
"""

import os
import random
import secrets
import signal
import subprocess
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice

import pytest

from commands import PROGRAM
from sordino.process import STOPS
from waits import ASK_AGAIN

MINUTES = float(os.environ.get("SORDINO_FAULT_MINUTES") or 1)
SEED = os.environ.get("SORDINO_FAULT_SEED") or secrets.token_hex(4)
LATE = 120
"""Seconds after which a command that was asked to end hangs, however busy the machine is."""

TOGETHER = 8
"""Commands that mostly wait, and so run side by side."""

COUNTS = pytest.StashKey()


class Tries:
    """Tries of one kind of fault.

    Attributes:
        tried: how many.
        wrong: what did not hold, in words.
    """

    def __init__(self):
        self.tried, self.wrong = 0, []

    @contextmanager
    def one(self, what):
        """A try, which holds if it raises nothing."""
        self.tried += 1
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are tried too
            self.wrong.append("".join([f"{what}: ", *traceback.format_exception(error)[-4:]]))


@pytest.fixture(scope="session")
def counts(request):
    return request.config.stash.setdefault(COUNTS, {})


@pytest.fixture
def tries(counts):
    """A function of a kind's name to its tries; the test fails at its end with all that did not hold."""
    own = {}

    def of(name):
        return counts.setdefault(name, own.setdefault(name, Tries()))

    yield of
    wrong = [f"{name}, seed {SEED}: {what}" for name, each in own.items() for what in each.wrong]
    assert not wrong, "\n\n".join(wrong)


@pytest.fixture(scope="session")
def leave_out(counts):
    """A function of a kind's name and why it is not tried here: the table says it."""
    return counts.setdefault


@pytest.fixture(scope="session")
def side_by_side():
    """A function that gives jobs to another one, some at a time."""

    def run(work, jobs):
        jobs = iter(jobs)
        with ThreadPoolExecutor(TOGETHER) as pool:
            while some := [*islice(jobs, TOGETHER)]:
                for _ in pool.map(work, some):
                    pass

    return run


@pytest.fixture
def dice(request):
    """A function of a test's share of the minutes to new dice for each try, until they are over.

    So many tries as are the least are made however few the minutes.
    """

    def every(share, least=1):
        deadline, number = time.monotonic() + 60 * MINUTES * share, 0
        while number < least or time.monotonic() < deadline:
            yield random.Random(f"{SEED} {request.node.name} {number}")
            number += 1

    return every


@pytest.fixture(scope="session")
def begin():
    """Start a command, which prints its stacks if it is aborted; whoever runs behind a shell hears Ctrl-C too."""

    def start(*words, program=PROGRAM, **options):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
        environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
        return subprocess.Popen([*program, *map(str, words)], **{**pipes, "env": environment, **options})

    return start


@pytest.fixture(scope="session")
def finish():
    """Wait for a command, after a signal if there is one, which it may miss once: what it printed."""

    def end(process, number=None, late=LATE):
        deadline = time.monotonic() + late
        while True:
            if number is not None:
                process.send_signal(number)
            try:
                return process.communicate(timeout=ASK_AGAIN if number in STOPS else late)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
                process.send_signal(signal.SIGABRT)
                time.sleep(1)
                process.kill()
                raise AssertionError(f"hangs\n{process.communicate()[1]}") from None

    return end


def pytest_terminal_summary(terminalreporter, config):
    found = config.stash.get(COUNTS, {})
    if found:
        terminalreporter.section(f"faults, seed {SEED}, {MINUTES:g} minutes")
        width = max(map(len, found))
        terminalreporter.write_line(f"{'':{width}} {'tried':>8} {'held':>8}")
        for name, each in found.items():
            if isinstance(each, str):
                terminalreporter.write_line(f"{name:{width}}  not run: {each}")
                continue
            terminalreporter.write_line(f"{name:{width}} {each.tried:8} {each.tried - len(each.wrong):8}")
