"""Exit codes and how a command says that it fails. Loads nothing large: libraries may not be there yet.

| exit code | code | what it means |
|---|---|---|
| 2 | `invalid` | something must be given otherwise |
| 3 | `refused` | it would break a promise; nothing has changed |
| 4 | `damaged` | a file is not whole, or not as it was written |
| 5 | `unavailable` | the system does not allow it now |
| 130 | `stopped` | somebody stopped it |
"""

import json
import os
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from sordino.errors import Code
from sordino.printable import escaped_json

EXIT_CODES: Mapping[Code, int] = {"invalid": 2, "refused": 3, "damaged": 4, "unavailable": 5}

STOPPED = 130
"""Exit code of shells after Ctrl-C."""

LEFT = "stopped; nothing half-written was left"

STOP = {
    "type": "urn:sordino:error:stopped",
    "title": LEFT,
    "detail": f"{LEFT}.",
    "code": "stopped",
    "rule": LEFT,
    "found": "",
    "step": "",
}
"""What programs are told of a stop."""

EXIT_HELP = f"Exit codes: 0, {', '.join(f'{number} {code}' for code, number in EXIT_CODES.items())}, {STOPPED} stopped."
"""Below the help of every command."""


def json_is_asked() -> bool:
    """Whether the words of the command ask for an object; they may be no command."""
    return "--json" in sys.argv[1:]


def error_json(problem: Mapping[str, Any]) -> str:
    """What a command that fails prints for programs: problem details (RFC 9457) with the error's facts."""
    return escaped_json(json.dumps({"error": problem}, ensure_ascii=False))


def leave(_: int, __: FrameType | None) -> None:
    """End at once while libraries load, which could take an exception for a failure of their own; nothing is open.

    What else was started ends with the process, or never heard of the signal (`sordino.process`).
    """
    os.write(2, f"sordino: {STOP['rule']}\n".encode())
    if json_is_asked():
        os.write(1, f"{error_json(STOP)}\n".encode())
    os._exit(STOPPED)
