"""Where the process begins: it listens to Ctrl-C before anything large is loaded, and knows whether there is memory."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

LEAST_MEMORY = 640 << 20
"""Bytes of address space. With less some library can hang or abort where another only fails to load."""

STOPPED = "sordino: stopped; nothing half-written was left"


def main() -> None:
    """Run a command; its exit code is the process's."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    _require_memory()
    try:
        from sordino.cli.main import main as run
    except (ImportError, MemoryError) as error:
        found = str(error) or "too little memory"
        _end(f"sordino: its libraries must be possible to load; found {found}: allow more memory, or install it again.")
    try:
        run()
    except MemoryError:
        _end("sordino: there must be memory for the work; found too little: allow more.")


def _leave(_: int, __: FrameType | None) -> None:
    """End at once while libraries load, which could take an exception for a failure of their own; nothing is open."""
    os.write(2, f"{STOPPED}\n".encode())
    os._exit(130)


def _require_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_MEMORY:
        _end(
            f"sordino: a process must be allowed {LEAST_MEMORY >> 20} MiB of address space; "
            f"found {allowed >> 20} MiB: raise the limit (ulimit -v)."
        )


def _end(message: str) -> NoReturn:
    print(message, file=sys.stderr)  # noqa: T201 - click is not loaded
    sys.exit(2)
