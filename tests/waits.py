"""Waits that end: each has a deadline, at which the stacks of whoever waits are printed and the test fails.

A command that waits in a system call can miss one signal: Python looks for signals before the call, and one that
comes between the look and the call is seen when the call is over. Whoever stops a command here therefore asks again.
"""

import faulthandler
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from threading import Timer

import psutil

from commands import PATIENCE

SOON = 90
"""The same of what takes a moment: well before the watchdog of pytest ends all."""

ASK_AGAIN = 5
"""Seconds between two signals that ask a command to stop."""


def give_up(what):
    """Fail, with the stacks of all threads on the error output that the test began with."""
    print(f"\nwaited in vain for {what}", file=sys.__stderr__, flush=True)
    faulthandler.dump_traceback(sys.__stderr__)
    raise AssertionError(f"waited in vain for {what}")


def has_ended(process):
    """Whether a process of psutil is gone, or waits for its parent: it may go between two questions."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_for(condition, what, seconds=SOON, process=None):
    """What a function gives once it is true; a process that it is about must not end before."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert process is None or process.poll() is None, f"ended before {what}"
        if time.monotonic() > deadline:
            give_up(what)
        time.sleep(0.005)
    return found


def ended(child, seconds=SOON):
    """The status of a forked child; one that does not end prints its stacks, and is killed."""
    deadline = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        if time.monotonic() > deadline:
            # It inherited pytest's handler of failures, which prints the stacks of its threads.
            os.kill(child, signal.SIGABRT)
            time.sleep(1)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            give_up(f"child {child}")
        time.sleep(0.001)


def kill_after(child, pause):
    """How a process ended that is killed after a while; by itself where there is no pause."""
    if pause is not None:
        time.sleep(pause)
        os.kill(child, signal.SIGKILL)
    return ended(child)


def joined(*threads, seconds=SOON):
    """Wait until threads have ended."""
    for thread in threads:
        thread.join(seconds)
        if thread.is_alive():
            give_up(f"thread {thread.name}")


@contextmanager
def no_longer_than(process, what, seconds=SOON):
    """Kill a process after so long, so that whoever reads from it comes to an end."""
    late = []

    def end():
        late.append(what)
        process.kill()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if late:
        give_up(what)


def line_of(process, seconds=SOON):
    """The next line that a process prints."""
    with no_longer_than(process, "a line", seconds):
        return process.stdout.readline()


def writer_of(pipe, process):
    """A named pipe, opened for writing once a process reads it."""

    def opened():
        try:
            return os.fdopen(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "w")
        except OSError:
            return None

    return wait_for(opened, f"a reader of {pipe.name}", process=process)


def stop(process, number=signal.SIGINT, seconds=PATIENCE):
    """Ask a process to stop, until it does: what it printed."""
    deadline = time.monotonic() + seconds
    while True:
        process.send_signal(number)
        try:
            return process.communicate(timeout=ASK_AGAIN)
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                process.kill()
                give_up("a process that was asked to stop")
