"""Programs of others that this process starts, and that end with it, however it ends.

A keeper, started before them, holds the reading end of a pipe of which nobody but this process has the other end. When
the system closes that end, at an exit as after a kill, the keeper ends all processes of its group: politely, so that
they take away their own files, and after some seconds at once.
"""

import subprocess
from typing import Any, Self

SECONDS = 5
"""That a program has to end politely."""

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
