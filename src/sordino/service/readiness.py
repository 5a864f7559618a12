"""Whether a collector lives, and whether it can take reports.

*Alive* is the process with its writer: one that is not is started again. *Ready* is a collector whose store answers,
in the version of this program, with room, and whose last commit succeeded. The public answer is one word; which check
failed stands at the port of the metrics, and why in the log.
"""

import asyncio
from asyncio import Future
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from sordino.errors import SordinoError
from sordino.service.writer import UploadWriter

LEAST_ROOM = 1 << 26
"""Bytes free beside a SQLite store; a database server watches its own disk."""

PROBE_SECONDS = 2.0
"""Seconds in which the store must answer."""

AGAIN_SECONDS = 1.0
"""Seconds in which one probe serves all who ask."""


@dataclass(frozen=True)
class Readiness:
    """What was found.

    Attributes:
        checks: of each check whether it passed.
    """

    checks: Mapping[str, bool]

    @property
    def is_ready(self) -> bool:
        """Whether reports can be taken."""
        return all(self.checks.values())

    @property
    def status(self) -> int:
        """Of the answer over HTTP."""
        return 200 if self.is_ready else 503

    @property
    def word(self) -> dict[str, str]:
        """What is said of it in public."""
        return {"status": "ready" if self.is_ready else "not ready"}


class Health:
    """Probes a store through its writer. Ask it on the writer's loop."""

    def __init__(self, writer: UploadWriter) -> None:
        self._writer, self._probe = writer, Future[int | None](loop=writer.loop)
        self._probe.set_result(None)
        self._found, self._until = Readiness({}), 0.0
        self._turn = asyncio.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether somebody writes what waits."""
        return self._writer.works

    async def readiness(self) -> Readiness:
        """What a probe finds, at most a second old."""
        async with self._turn:
            if monotonic() >= self._until:
                self._found = await self._look()
                self._until = monotonic() + AGAIN_SECONDS
            return self._found

    async def _look(self) -> Readiness:
        answers, room = True, None
        try:
            # At most one probe waits, however slow the store is.
            if self._probe.done():
                self._probe = self._writer.probe()
            room = await asyncio.wait_for(asyncio.shield(self._probe), PROBE_SECONDS)
        except (TimeoutError, SordinoError):
            answers = False
        return Readiness(
            {
                "writer": self._writer.works,
                "store": answers,
                "commit": self._writer.trouble is None,
                "room": room is None or room >= LEAST_ROOM,
            }
        )
