"""The periods of a series that were closed by hand, for ever: of these a collector takes no reports any more.

They are read whenever a report comes: whoever may open a database closes one also while a collector serves it. Reports
that are there may still be taken back.
"""

import json
from collections.abc import Callable
from datetime import date

import numpy as np

from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.service.storage.database import Database, today
from sordino.survey.planning.plan import Plan

NAME = "closed periods"
"""Before a plan's number, the name of a setting: their first days as JSON."""

SET = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"


class ClosedPeriods:
    """Those of one plan in a store; none of a plan without a series."""

    def __init__(self, plan: Plan, number: int, database: Database) -> None:
        self._plan, self._name, self._database = plan, f"{NAME} {number}", database

    @property
    def labels(self) -> list[str]:
        """Their first days, in their order."""
        if self._plan.series is None:
            return []
        rows = self._database.rows("SELECT value FROM setting WHERE name = ?", self._name)
        return list(json.loads(rows[0][0])) if rows else []

    @property
    def places(self) -> frozenset[int]:
        """Their places in the series."""
        closed = {*self.labels}
        series = self._plan.series if closed else None
        # One walk: it is done whenever a report comes.
        return (
            frozenset() if series is None else frozenset(i for i in range(series.periods) if series.label(i) in closed)
        )

    def require_begun(self, label: str) -> None:
        """Refuse what is no period of the series, and one that has not begun: nobody could open it again.

        Raises:
            SordinoError: a plan without a series, or another text.
            RefusedError: one that has not begun.
        """
        series = self._plan.series
        if series is None:
            step = "close the plan: POST .../close"
            raise SordinoError("a period must be one of a series", found="a plan without a series", step=step)
        if label not in series.labels:
            step = f"name its first day: {series.label(0)}, {series.label(1)}, ..."
            raise SordinoError("a period must be one of the plan's", found=shown(label), step=step)
        if label > today():
            rule, found = "a period can be closed once it has begun", f"one that begins on {label}"
            raise RefusedError(rule, found=found, step="wait until then")

    def close(self, label: str, note: Callable[[], object]) -> None:
        """Close one, in one commit with the note of it.

        Raises:
            SordinoError, RefusedError: as of `require_begun`.
        """
        self.require_begun(label)
        with self._database.transaction():
            note()
            self._database.rows(SET, self._name, json.dumps(sorted({*self.labels, label}, key=date.fromisoformat)))

    def require_unchanged(self, before: Aggregate, after: Aggregate) -> None:
        """Refuse tallies of others that change what a closed period holds.

        Args:
            before: what others' tallies hold together.
            after: what they would hold.

        Raises:
            RefusedError: of some closed period another number.
        """
        closed, series = self.places, self._plan.series
        nothing = np.zeros_like(after.counts)
        for cell in {*before.cells, *after.cells} if closed and series is not None else ():
            is_same = np.array_equal(before.cells.get(cell, nothing), after.cells.get(cell, nothing))
            if series is not None and cell % series.periods in closed and not is_same:
                step = "add it to this one's by `sordino aggregate`; close a period at each collector on the same day"
                found = f"others of {series.label(cell % series.periods)}"
                raise RefusedError("a closed period takes no reports", found=found, step=step)
