"""Programs that end with who started them: at its exit, when it is killed, and whatever they do about it."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from commands import started
from sordino.process import SECONDS, STOPS
from waits import has_ended, line_of, wait_for

OWNER = """
import os, subprocess, sys
from sordino.process import ChildGroup
child = subprocess.Popen(sys.argv[1:], **ChildGroup.open().settings)
print(child.pid, flush=True)
sys.stdin.read()
os._exit(0)
"""
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


@pytest.mark.parametrize("end", ["exit", signal.SIGKILL, *STOPS])
def test_a_program_ends_with_who_started_it(end):
    with started([sys.executable, "-c", OWNER, "sleep", "600"], stdin=subprocess.PIPE) as owner:
        child = psutil.Process(int(line_of(owner)))
        assert os.getpgid(child.pid) != os.getpgid(owner.pid)
        if end == "exit":
            owner.stdin.close()
        else:
            owner.send_signal(end)
        # Whoever reads what the owner prints comes to its end, whether the program has ended or not.
        assert owner.stdout.read() == ""
        wait_for(lambda: has_ended(child), "the program to end")


def test_a_program_that_does_not_hear_is_killed():
    begun = time.monotonic()
    with started([sys.executable, "-c", OWNER, sys.executable, "-c", STUBBORN], stdin=subprocess.PIPE) as owner:
        child = psutil.Process(int(line_of(owner)))
        # So that it does not hear.
        wait_for(lambda: child.num_threads() and "sleep" in "".join(child.cmdline()), "the program to start")
        time.sleep(1)
        owner.kill()
        wait_for(lambda: has_ended(child), "the program to end")
    assert time.monotonic() - begun > SECONDS / 2
