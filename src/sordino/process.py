"""Signals that stop a command, and programs of others that end with it.

Nobody else sets a handler. A signal that this process was told to ignore stays ignored, as shells expect of what runs
behind them; of a library that takes a signal for itself it is taken back.

Programs that this process starts end with it, however it ends. A keeper, started before them, holds the reading end of
a pipe of which nobody but this process has the other end. When the system closes that end, at an exit as after a kill,
the keeper ends all processes of its group: politely, so that they take away their own files, and after some seconds at
once.
"""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Any, Self

STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that stop a command: Ctrl-C, a polite end, and a terminal that closes, which Windows does not have."""

AGAIN = 1.0
"""Seconds within which a further signal is the same wish: `timeout` sends two, and an end that is under way is not
interrupted in its middle. One that comes later counts, since a library can swallow the first."""

Handler = Callable[[int, FrameType | None], object] | signal.Handlers
"""What a signal runs."""

_came: list[float] = []
"""When each signal came since a command began."""


def is_asked() -> bool:
    """Whether somebody asked the command to stop: what a library reports from then on is no mistake."""
    return bool(_came)


def listen(handler: Handler) -> None:
    """Have a handler run at a signal that stops, for good; one that is ignored stays so."""
    for number in STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


@contextmanager
def listen_within(handler: Handler) -> Iterator[None]:
    """Have a handler run at a signal that stops, and the one before it afterwards."""
    with put_back():
        listen(handler)
        yield


@contextmanager
def put_back() -> Iterator[None]:
    """Whatever handlers a library sets in the block, have those before it afterwards."""
    before = {number: signal.getsignal(number) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            # None: of a handler that was not set from Python, which nobody here can set again.
            if handler is not None:
                signal.signal(number, handler)


@contextmanager
def interrupt_at_stops() -> Iterator[None]:
    """Have a signal raise KeyboardInterrupt, and note it: a library may report an interrupt in words of its own."""
    _came.clear()
    try:
        with listen_within(_interrupt):
            yield
    finally:
        _came.clear()


def _interrupt(_: int, __: FrameType | None) -> None:
    now = monotonic()
    again = bool(_came) and now - _came[-1] < AGAIN
    _came.append(now)
    if not again:
        raise KeyboardInterrupt


@contextmanager
def postpone(*numbers: signal.Signals) -> Iterator[None]:
    """Have signals wait until the block has ended; a process that it starts never hears of them."""
    if not hasattr(signal, "pthread_sigmask"):
        # Windows hands no mask to processes that it starts.
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


SECONDS = 5
"""Seconds that a program has to end politely."""

KEEPER = f"trap '' TERM; read -r _; kill -TERM 0; sleep {SECONDS}; kill -KILL 0"
"""What the keeper does, for any POSIX shell; what it waits in is not told to end."""


class ChildGroup:
    """A process group of programs that end with this process."""

    def __init__(self, keeper: "subprocess.Popen[bytes]") -> None:
        self._keeper = keeper

    @classmethod
    def open(cls) -> Self:
        """A new group, in which only its keeper runs.

        Raises:
            OSError: the system starts no process.
        """
        quiet = subprocess.DEVNULL
        words = ["/bin/sh", "-c", KEEPER]
        return cls(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, process_group=0))  # noqa: S603 - none of the words is given

    @property
    def settings(self) -> dict[str, Any]:
        """Arguments of `subprocess.Popen` for a program in this group, which gets no output of this process."""
        quiet = subprocess.DEVNULL
        return {"process_group": self._keeper.pid, "stdout": quiet, "stderr": quiet}
