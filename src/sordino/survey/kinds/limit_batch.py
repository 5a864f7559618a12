"""Limits of quotients that likelihood widens, of all questions of an estimate: looked for together.

Each limit takes some forty looks at its codes, and of one question these are few numbers a look: most of the time would
go into calls. So when the first question needs its limits, those of all are found.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.quotient import QuotientRows, likely_limits, likely_limits_of
from sordino.survey.kinds.coverage import Coverage

Limits: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

RowsOf: TypeAlias = Callable[[Coverage], QuotientRows | None]
"""Of a question what its limits are made of; None where there is nothing to widen. May raise SordinoError."""

MOST_TOGETHER = 1 << 18
"""Numbers of codes that are looked at together: of few questions with many codes memory matters more than calls."""


class LimitBatch:
    """The limits of all questions that are estimated together.

    Attributes:
        coverage: what these intervals hold against; others are looked for by themselves.
    """

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self._asked: dict[int, tuple[object, RowsOf]] = {}
        self._found: dict[int, Limits | None] = {}

    def add(self, question: object, estimate: object, rows: RowsOf) -> None:
        """A question whose limits may be needed; of two estimates of one the last.

        Args:
            question: that is estimated, known by its identity.
            estimate: of it.
            rows: of these.
        """
        known = self._asked.get(id(question))
        if known is None or known[0] is not estimate:
            self._asked[id(question)] = estimate, rows
            self._found.pop(id(question), None)

    def limits(self, question: object, coverage: Coverage) -> Limits | None:
        """The limits of a question that was added; None where there is nothing to widen.

        Raises:
            SordinoError: its tally does not say what they are made of.
        """
        _, rows_of = self._asked[id(question)]
        if coverage != self.coverage:
            rows = rows_of(coverage)
            return None if rows is None else likely_limits(*rows)
        if id(question) not in self._found:
            self._find_others()
        found = self._found[id(question)]
        if found is None:
            # There is nothing to widen, or it says what is wrong.
            _ = rows_of(coverage)
        return found

    def _find_others(self) -> None:
        asked: dict[int, QuotientRows] = {}
        size = 0
        for key, (_, rows_of) in self._asked.items():
            if key in self._found:
                continue
            try:
                rows = rows_of(self.coverage)
            except SordinoError:
                rows = None
            if rows is None:
                self._found[key] = None
                continue
            asked[key], size = rows, size + rows.parts.size
            if size > MOST_TOGETHER:
                self._keep(asked)
                asked, size = {}, 0
        self._keep(asked)

    def _keep(self, asked: dict[int, QuotientRows]) -> None:
        self._found |= zip(asked, likely_limits_of([*asked.values()]), strict=True)
