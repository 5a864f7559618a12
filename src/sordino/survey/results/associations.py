"""Which attributes go together: for each two attributes of tables a test of independence and Cramér's V.

Guarantee: where two attributes are independent, p is at most .05 in about 5 % of collections, or there is no p. With
`p_adjusted` at most a level, the probability that any independent pair of the plan is among those listed is at most
that level, however many pairs are looked at (Holm). Tests are for one look: none is made while reports are watched, nor
where some may be forged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.associations.cramers_v import Strength, cramers_v
from sordino.estimation.associations.holm import adjust_p_values
from sordino.estimation.associations.independence import IndependenceTest
from sordino.estimation.joint.cells import sums_over
from sordino.survey.results.result import Result
from sordino.survey.results.table import TableResult, table_results

Floats = NDArray[np.float64]

TOO_FEW_TO_TEST = "too few reports to test"
"""Why two attributes have no test: it would not keep its level."""

TOO_MANY_CELLS = "too many cells to test"

MOST_CELLS = 400
"""Of the two attributes, and of the table, that are tested: some seconds."""


@dataclass(frozen=True, eq=False)
class Association:
    """How two attributes of a table go together.

    Attributes:
        table: that is about both.
        names: of the attributes, in the table's order.
        each: the confidence of the strength's interval.
    """

    table: TableResult
    names: tuple[str, str]
    each: float

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.table.estimate.n

    @property
    def why(self) -> str:
        """Why there is no test; empty if there is one."""
        if self.table.question.domain.k > MOST_CELLS:
            return TOO_MANY_CELLS
        return "" if self._independence.has_level else TOO_FEW_TO_TEST

    @property
    def p_value(self) -> float | None:
        """How probable cells as far from independence are if the attributes are independent; None without a test."""
        return None if self.why else self._independence.test.p_value

    @cached_property
    def strength(self) -> Strength | None:
        """Cramer's V with its interval; None without a test."""
        return None if self.why else cramers_v(self._independence, self.each)

    @cached_property
    def _independence(self) -> IndependenceTest:
        question, estimate = self.table.question, self.table.estimate
        axes = [question.attribute_names.index(name) for name in self.names]
        sums = sums_over(question.shape, axes)
        spread = sums.T / (question.domain.k / len(sums))

        def covariance(shares: Floats) -> Floats:
            # What else the table is about is taken to be spread evenly.
            return estimate.covariance_among(sums, spread @ shares)

        low, high = estimate.mechanism.contribution_range
        cells = (sums @ estimate.value).reshape([question.shape[axis] for axis in axes])
        return IndependenceTest.of(cells, covariance, estimate.n, sums @ (high - low))


@dataclass(frozen=True, eq=False)
class Associations:
    """Of all pairs of attributes that tables are about.

    Attributes:
        pairs: each once, in the order of the tables.
    """

    pairs: tuple[Association, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in the order in which tables name them."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair.names))

    @cached_property
    def adjusted(self) -> tuple[float | None, ...]:
        """The p-values, corrected for looking at all that are tested."""
        tested = {place: one for place, pair in enumerate(self.pairs) if (one := pair.p_value) is not None}
        found: list[float | None] = [None] * len(self.pairs)
        for place, adjusted in zip(tested, adjust_p_values(list(tested.values())), strict=True):
            found[place] = float(adjusted)
        return tuple(found)

    @cached_property
    def strongest(self) -> tuple[int, ...]:
        """The places of the pairs: those with the largest lower limit of their strength first, then by the strength."""

        def rank(place: int) -> tuple[float, float]:
            strength = self.pairs[place].strength
            return (0.0, 1.0) if strength is None else (-strength.low, -strength.value)

        return tuple(sorted(range(len(self.pairs)), key=rank))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Of each pair, the strongest first: `estimate`, `low` and `high` of V, `p` and `p_adjusted`; or `why`."""
        for place in self.strongest:
            pair, strength = self.pairs[place], self.pairs[place].strength
            numbers = (None, None, None) if strength is None else (strength.value, strength.low, strength.high)
            row = {"attributes": list(pair.names), "table": pair.table.attributes, "value": "Cramér's V", "n": pair.n}
            row |= dict(zip(("estimate", "low", "high"), numbers, strict=True))
            row |= {"p": pair.p_value, "p_adjusted": self.adjusted[place]}
            yield row | ({"why": pair.why} if pair.why else {})


def associations(results: Sequence[Result]) -> Associations:
    """Of all pairs of attributes that tables are about, each by the table of fewest attributes that is about both."""
    found: dict[frozenset[str], tuple[TableResult, tuple[str, str]]] = {}
    tables = [table for table in table_results(results) if not table.coverage.watched]
    for table in sorted(tables, key=lambda table: len(table.attributes)):
        for first, second in combinations(table.attributes, 2):
            found.setdefault(frozenset((first, second)), (table, (first, second)))
    told = [pair for pair in found.values() if all(_size(pair[0], name) > 1 for name in pair[1])]
    return Associations(tuple(Association(table, names, table.coverage.each(len(told))) for table, names in told))


def _size(table: TableResult, name: str) -> int:
    return prod(table.question.shape[axis] for axis, own in enumerate(table.attributes) if own == name)
