"""Where the process begins: it listens to Ctrl-C before anything large is loaded, and knows whether there is memory."""

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from sordino.process import listen

if TYPE_CHECKING:
    from sordino.errors import UnavailableError

LEAST_MEMORY = 640 << 20
"""Bytes of address space. With less some library can hang or abort where another only fails to load."""


def main() -> None:
    """Run a command; its exit code is the process's."""
    # A collector's framework would look for plugins of other packages in all that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # What says how a command stops is loaded itself, while signals are kept.
    kept: list[int] = []
    listen(lambda signalled, _: kept.append(signalled))
    from sordino.cli.exits import leave

    listen(leave)
    if kept:
        leave(kept[0], None)
    _require_memory()
    ended: list[int] = []
    # First of all that is asked for the end, and so done last.
    atexit.register(_end_at_once, ended)
    try:
        from sordino.cli.main import main as run

        run()
    except SystemExit as end:
        # What was asked for is done: to stop it is too late.
        listen(signal.SIG_IGN)
        if isinstance(end.code, int):
            ended.append(end.code)
        raise
    except ImportError as error:
        # Some are loaded by the commands that need them.
        from sordino.errors import UnavailableError
        from sordino.extras import missing_extra

        rule, step = "its libraries must be possible to load", "allow more memory, or install it again"
        _end(missing_extra(error, _extra_of_command()) or UnavailableError(rule, found=str(error), step=step))
    except MemoryError:
        from sordino.errors import UnavailableError

        _end(UnavailableError("there must be memory for the work", found="too little", step="allow more"))


def _end_at_once(ended: list[int]) -> None:
    """Leave what libraries hold to the system: to take it apart is a fifth of what a short command costs.

    All threads have ended by then, and what was asked for the end since this process began here is done.

    Args:
        ended: the exit code, once a command has one.
    """
    if ended:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended[0])


def _require_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_MEMORY:
        from sordino.errors import UnavailableError

        rule = f"a process must be allowed {LEAST_MEMORY >> 20} MiB of address space"
        _end(UnavailableError(rule, found=f"{allowed >> 20} MiB", step="raise the limit (ulimit -v)"))


def _extra_of_command() -> str:
    from sordino.cli.main import COMMANDS

    named = next((COMMANDS[word] for word in sys.argv[1:] if word in COMMANDS), None)
    return named.extra if named else ""


def _end(error: "UnavailableError") -> NoReturn:
    from sordino.cli.exits import EXIT_CODES, error_json, json_is_asked

    print(f"sordino: {error}", file=sys.stderr)  # noqa: T201 - click is not loaded
    if json_is_asked():
        print(error_json(error.problem()))  # noqa: T201
    sys.exit(EXIT_CODES[error.code])
