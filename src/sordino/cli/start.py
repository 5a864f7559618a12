"""Where the process begins: it listens to Ctrl-C before anything large is loaded, and knows whether there is memory."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from sordino.cli.exits import EXIT_CODES, STOP, STOPPED, error_json, json_is_asked
from sordino.errors import UnavailableError

LEAST_MEMORY = 640 << 20
"""Bytes of address space. With less some library can hang or abort where another only fails to load."""


def main() -> None:
    """Run a command; its exit code is the process's."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    _require_memory()
    try:
        from sordino.cli.main import main as run
    except (ImportError, MemoryError) as error:
        found = str(error) or "too little memory"
        step = "allow more memory, or install it again"
        _end(UnavailableError("its libraries must be possible to load", found=found, step=step))
    try:
        run()
    except MemoryError:
        _end(UnavailableError("there must be memory for the work", found="too little", step="allow more"))


def _leave(_: int, __: FrameType | None) -> None:
    """End at once while libraries load, which could take an exception for a failure of their own; nothing is open."""
    os.write(2, f"sordino: {STOP['rule']}\n".encode())
    if json_is_asked():
        os.write(1, f"{error_json(STOP)}\n".encode())
    os._exit(STOPPED)


def _require_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_MEMORY:
        rule = f"a process must be allowed {LEAST_MEMORY >> 20} MiB of address space"
        _end(UnavailableError(rule, found=f"{allowed >> 20} MiB", step="raise the limit (ulimit -v)"))


def _end(error: UnavailableError) -> NoReturn:
    print(f"sordino: {error}", file=sys.stderr)  # noqa: T201 - click is not loaded
    if json_is_asked():
        print(error_json(error.facts()))  # noqa: T201
    sys.exit(EXIT_CODES[error.code])
