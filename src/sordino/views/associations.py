"""Which attributes go together: for each two attributes of tables a test of independence and Cramér's V.

Guarantee: where two attributes are independent, p is at most .05 in about 5 % of collections, or there is no p. With
`p_adjusted` at most a level, the probability that any independent pair of the plan is among those listed is at most
that level, however many pairs are looked at (Holm). Tests are for one look: none is made while reports are watched, nor
where some may be forged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import AssociationChart
from sordino.blocks.digits import round_row
from sordino.blocks.finding import Finding, Topic, in_brackets
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.estimation.cramers_v import Strength, cramers_v
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.tests import IndependenceTest, adjust_p_values
from sordino.printable import join_label
from sordino.views.table_results import TableResult, table_results
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource, table_row

TITLE = "Which attributes go together"

STRONGEST = 10
"""Pairs that people read of many; files and JSON have all."""

SMALLEST_P = 1e-4
"""What is smaller is not told apart."""

NUMBERS = ("estimate", "low", "high")
"""Of Cramér's V."""

STRENGTH = (
    "Cramér's V is 0 where two attributes are independent and 1 where one determines the other; it is corrected for"
    " what noise adds, and 'from' is 0 where the reports do not rule out independence."
)

TESTED = "p is the probability of cells as far from independence as these, or farther, if the two were independent."

CORRECTED = "'p of {count}' is corrected for looking at all {count} pairs that are tested (Holm)."

CORRECTED_FOR_ALL = "corrected for looking at all of them"

UNTESTED = "Where it says 'too few reports to test' a test would not err as often as it says."

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
    def titles(self) -> tuple[str, str]:
        """What people read as the attributes' names."""
        first, second = (self.table.question.attributes[self.table.attributes.index(name)] for name in self.names)
        return first.title, second.title

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
class Associations(View):
    """How attributes of tables go together: of each two a test of independence and Cramér's V.

    None where intervals are watched or hold against forged reports: a test holds for one look at honest reports.

    Attributes:
        pairs: each once, in the order of the tables.
    """

    name: ClassVar[str] = "associations"
    places: ClassVar[Places] = Places(page=-2, terminal=4, notebook=5, rows=4, json=7, live=None)
    absent_json: ClassVar[Mapping[str, Any]] = {"associations": []}
    pairs: tuple[Association, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        found: dict[frozenset[str], tuple[TableResult, tuple[str, str]]] = {}
        tables = [table for table in table_results(source.results) if not table.coverage.watched]
        for table in sorted(tables, key=lambda table: len(table.attributes)):
            for first, second in combinations(table.attributes, 2):
                found.setdefault(frozenset((first, second)), (table, (first, second)))
        pairs = [pair for pair in found.values() if all(_size(pair[0], name) > 1 for name in pair[1])]
        if not pairs:
            return NotApplicable("no table of two attributes is estimated for one look at honest reports")
        return cls(tuple(Association(table, names, table.coverage.each(len(pairs))) for table, names in pairs))

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

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        """Of each pair, the strongest first: `estimate`, `low` and `high` of V, `p` and `p_adjusted`; or `why`."""
        for row in self._pair_rows() if derived else ():
            yield table_row("association", row, join_label(row["table"]))

    def json(self) -> dict[str, Any]:
        return {"associations": list(self._pair_rows())}

    def parts(self) -> Iterator[ViewPart]:
        if len(self.pairs) == 1:
            text = association_in_words(self.pairs[0], self.adjusted[0])
            blocks: tuple[Block, ...] = (Sentence(text, Purpose.METHOD), Sentence(STRENGTH, Purpose.COLUMNS))
        else:
            blocks = (Plot(AssociationChart, self.chart), _table(self))
        yield ViewPart(self.name, (BlockGroup(TITLE, blocks),))

    def findings(self) -> Iterator[Finding]:
        error = 1 - self.pairs[0].table.coverage.confidence
        is_sure = any(adjusted is not None and adjusted <= error for adjusted in self.adjusted)
        yield Finding(Topic.ASSOCIATION, associations_in_words(self), is_sure)

    def chart(self) -> AssociationChart:
        """The strengths as a matrix."""
        names = self.names
        said = {name: title for pair in self.pairs for name, title in zip(pair.names, pair.titles, strict=True)}
        values = np.full((len(names), len(names)), np.nan)
        sure = np.zeros(values.shape, dtype=np.bool_)
        for pair, adjusted in zip(self.pairs, self.adjusted, strict=True):
            row, column = map(names.index, pair.names)
            if pair.strength is not None and adjusted is not None:
                values[row, column] = values[column, row] = pair.strength.value
                sure[row, column] = sure[column, row] = adjusted <= 1 - pair.table.coverage.confidence
        return AssociationChart(tuple(said[name] for name in names), values, sure)

    def _pair_rows(self) -> Iterator[dict[str, Any]]:
        for place in self.strongest:
            pair, strength = self.pairs[place], self.pairs[place].strength
            numbers = (None, None, None) if strength is None else (strength.value, strength.low, strength.high)
            row = {"attributes": list(pair.names), "table": pair.table.attributes, "value": "Cramér's V", "n": pair.n}
            row |= dict(zip(("estimate", "low", "high"), numbers, strict=True))
            row |= {"p": pair.p_value, "p_adjusted": self.adjusted[place]}
            yield row | ({"why": pair.why} if pair.why else {})


def associations_in_words(found: Associations) -> str:
    """Of one pair whether it is related; of several the strongest whose interval, which holds for all, excludes 0."""
    if len(found.pairs) == 1:
        return association_in_words(found.pairs[0], found.adjusted[0])
    tested = sum(adjusted is not None for adjusted in found.adjusted)
    if not tested:
        return "No pair of attributes is tested: the reports are too few, or the cells too many."
    confidence, pairs = found.pairs[0].table.coverage.confidence, f"all {tested:,} pairs"
    enough = (1 - confidence) / tested
    place = next((at for at in found.strongest if (p := found.pairs[at].p_value) is not None and p <= enough), None)
    if place is None:
        return f"None of the {tested:,} tested pairs of attributes is related beyond noise, {CORRECTED_FOR_ALL}."
    pair = replace(found.pairs[place], each=bonferroni(confidence, tested))
    texts = in_brackets(dict(zip(NUMBERS, _strength(pair), strict=True)), confidence, pairs)
    related = sum(one is not None and one <= 1 - confidence for one in found.adjusted)
    first, second = pair.titles
    of_all = f" Of {pairs} {related:,} {'is' if related == 1 else 'are'} related, {CORRECTED_FOR_ALL}."
    return f"{first} and {second} are related: Cramér's V is {texts}.{of_all}"


def association_in_words(pair: Association, adjusted: float | None) -> str:
    """Whether two attributes are related, how surely and how strongly."""
    first, second = pair.titles
    if pair.strength is None or adjusted is None:
        return f"{first} and {second}: {pair.why}."
    limits, error = _strength(pair), 1 - pair.table.coverage.confidence
    if adjusted <= error:
        value, low, high = limits
        return f"{first} and {second} are related ({_probability(adjusted)}): Cramér's V is {value} ({low} to {high})."
    return f"{first} and {second} may be independent ({_probability(adjusted)}): Cramér's V is at most {limits[-1]}."


def _table(found: Associations) -> TextTable:
    tested = sum(adjusted is not None for adjusted in found.adjusted)
    header = ("attributes", "Cramér's V", "from", "to", "p", f"p of {tested}")
    rows = tuple(_row(found.pairs[place], found.adjusted[place]) for place in found.strongest[:STRONGEST])
    said = [Sentence(STRENGTH, Purpose.COLUMNS), Sentence(TESTED, Purpose.COLUMNS)]
    said.append(Sentence(CORRECTED.format(count=tested), Purpose.COLUMNS))
    if tested < len(found.pairs):
        said.append(Sentence(UNTESTED, Purpose.COLUMNS))
    count = len(found.pairs)
    title = f"All {count} pairs" if count <= STRONGEST else f"The strongest {STRONGEST} of {count} pairs"
    return TextTable(f"{TITLE}: {title.lower()}", header, rows, (found.pairs[0].table.coverage.sentence("pair"), *said))


def _row(pair: Association, adjusted: float | None) -> tuple[str, ...]:
    name = " and ".join(pair.titles)
    if pair.strength is None or adjusted is None or pair.p_value is None:
        return (name, pair.why, "", "", "", "")
    return (
        name,
        *_strength(pair),
        *(_probability(number).removeprefix("p = ").removeprefix("p ") for number in (pair.p_value, adjusted)),
    )


def _strength(pair: Association) -> tuple[str, ...]:
    """Cramér's V and its limits; nothing without a test."""
    found = pair.strength
    numbers = () if found is None else (found.value, found.low, found.high)
    return tuple(round_row(dict(zip(NUMBERS, numbers, strict=True))).values()) if numbers else ()


def _probability(number: float) -> str:
    return f"p = {number:.4f}" if number >= SMALLEST_P else f"p < {SMALLEST_P:.4f}"


Floats = NDArray[np.float64]


def _size(table: TableResult, name: str) -> int:
    return prod(table.question.shape[axis] for axis, own in enumerate(table.attributes) if own == name)
