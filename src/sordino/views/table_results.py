"""What an analyst reads off tables: margins, shares within a value of another attribute, and differences of these.

"Smokers among the old", and "smokers among the old minus among the young": rows like those of the cells, each with the
interval that holds by itself, and with what the fitted distribution says of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from math import isnan, prod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.digits import in_percent
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.document.schema.nearest import nearest
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError
from sordino.estimation.intervals.nearest_limits import NearestLimits
from sordino.estimation.joint.table_cells import LARGEST_TABLE, Cells, TableShares, Within, sums_over
from sordino.estimation.share_estimate import Estimate
from sordino.exact.messages import shown
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.fitted_limits import FITTED_LIMITS
from sordino.survey.kinds.question import SharesQuestion
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.results.result import Result
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource, table_row

TableRow: TypeAlias = dict[str, Any]
"""`attributes` and their `value`; `given`, the values that a share is within; `minus`, those of what is subtracted;
`estimate`, `stderr`, `low`, `high`, and `fitted`. Where reports are too few to say anything, estimate and standard
error are None, and `why` says so."""

TOO_FEW = "too few reports"
"""Why a share within others has no estimate: its interval would exclude nothing that is possible."""

TOO_FEW_IN_WORDS = "Where it says 'too few reports' every share from 0 % to 100 % is possible."
"""What a table with such a share says of it."""

TABLE_KINDS = {"margins": "margin", "conditional": "conditional", "differences": "difference"}
"""Lists of a document, and the kind of their rows in frames and files."""

WITHIN = "Each row adds up to 100 %: the share of each value among the people in the row, unbiased or nearly so."
MORE = "Files and JSON have the other conditional shares, differences and margins."

MOST_ROWS = 10_000
"""Differences of one table that are listed of themselves; single ones can be asked of any."""

MOST_ACROSS, MOST_DOWN = 6, 40
"""Values of a table of rows that people read."""

Names: TypeAlias = str | Sequence[str]
"""One name, or several."""


@dataclass(frozen=True, eq=False)
class RowShares:
    """Row percentages, as a table that people read.

    Attributes:
        of: the attribute whose values stand across.
        given: the attribute whose values stand down.
        lines: for each value of the latter the shares of all values of the former.
    """

    of: Attribute
    given: Attribute
    lines: tuple[tuple[TableRow, ...], ...]

    @property
    def header(self) -> tuple[str, ...]:
        """What stands above the columns."""
        said = self.of.phrasing.value
        return (f"among {self.given.title}", *(f"{self.of.title}: {said(row['value'][0])}" for row in self.lines[0]))

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Each row's name, and its percentages with their intervals."""
        said = self.given.phrasing.value
        return tuple((said(line[0]["given"][self.given.name]), *map(_percentages, line)) for line in self.lines)

    @property
    def has_unknown(self) -> bool:
        """Whether of some share too few reports say anything."""
        return any(row["estimate"] is None for line in self.lines for row in line)


@dataclass(frozen=True, eq=False)
class TableResult:
    """What a plan's reports say about the attributes of a table together.

    Attributes:
        question: that they answer.
        shares: of the cells; their intervals hold not against forged reports.
    """

    question: SharesQuestion
    shares: HistogramResult

    @property
    def estimate(self) -> Estimate:
        """Of the cells."""
        return self.shares.estimate

    @property
    def coverage(self) -> Coverage:
        """What intervals hold against."""
        return self.shares.coverage

    @property
    def cells(self) -> Cells:
        """The cells with their covariance."""
        return self.shares.cells

    @property
    def attributes(self) -> list[str]:
        """The attributes, in the order of the cells."""
        return self.question.attribute_names

    @property
    def too_large(self) -> bool:
        """Whether the covariance of the cells is not worked out."""
        return self.question.domain.k > LARGEST_TABLE

    def margin(self, of: Names) -> list[TableRow]:
        """The shares of the combinations of some of its attributes' values.

        Raises:
            SordinoError: attributes that are none of the table's, or one twice.
        """
        names = self._names(of)
        told = self.cells.margin(self._axes(names), self.coverage.each(self._size(names)))
        rows = list(self.label_rows(told, names))
        if self.coverage.fitted and len(rows) > 1 and NearestLimits.applies_to(self.estimate):
            inside = sums_over(self.question.shape, self._axes(names))
            limits = NearestLimits(self.estimate, self.coverage.confidence).limits(inside)
            for row, ends in zip(rows, np.transpose(limits).tolist(), strict=True):
                row.update(zip(FITTED_LIMITS, ends, strict=True))
        return rows

    def label_rows(self, told: TableShares, names: Sequence[str]) -> Iterator[TableRow]:
        """Rows about the combinations of some attributes' values, in their order."""
        heads = [{"attributes": list(names), "value": list(labels)} for labels in self._labels(names)]
        return self._rows(told, heads)

    def conditional(self, of: Names, given: Names) -> list[TableRow]:
        """The shares of some attributes' values among the people who have each combination of others' values.

        Raises:
            SordinoError: attributes that are none of the table's, or one twice.
        """
        names, others = self._apart(of, given)
        each = self.coverage.each(self._size([*names, *others]))
        told = self.cells.within(self._axes(names), self._axes(others), each).table_shares
        heads = [
            {"attributes": names, "value": list(labels), "given": dict(zip(others, within, strict=True))}
            for within, labels in product(self._labels(others), self._labels(names))
        ]
        return list(self._rows(told, heads))

    def difference(self, of: Names, given: Names, first: Names, second: Names) -> list[TableRow]:
        """The shares of some attributes' values among the people who have the first values, minus among the second.

        Args:
            of: the attributes.
            given: the others.
            first: values of these, one for each: within which shares are taken.
            second: within which they are subtracted.

        Raises:
            SordinoError: attributes that are none of the table's, values that are none of theirs, or the same twice.

        Example:
            `found.table("age", "smoker").difference("smoker", given="age", first="old", second="young")`
        """
        names, others = self._apart(of, given)
        places = [self._place(others, values) for values in (first, second)]
        if places[0] == places[1]:
            raise SordinoError(
                "a difference must be between two values", found="the same value twice", step="name another value"
            )
        return list(self._difference(self._within(names, others), names, others, *places))

    def rows(self) -> Iterator[tuple[str, TableRow]]:
        """All of it for each two attributes: `margins`, `conditional` and `differences`, each row with its kind.

        Rows name their `table` too, since two tables can have two attributes in common. A table that is too large has
        none.
        """
        if not self.too_large:
            yield from ((kind, {"table": self.attributes, **row}) for kind, row in self._all())

    def read_across(self) -> "RowShares | None":
        """Of a table of two attributes the shares of one within each value of the other; None of a larger one."""
        if len(self.attributes) != 2 or self.too_large:
            return None
        given, of = self.attributes
        if self._size([of]) > MOST_ACROSS:
            given, of = of, given
        across = self._size([of])
        if across > MOST_ACROSS or self._size([given]) > MOST_DOWN:
            return None
        rows = self.conditional(of, given)
        lines = tuple(tuple(rows[first : first + across]) for first in range(0, len(rows), across))
        own = self.question.attributes
        across_of, down = (own[self.attributes.index(name)] for name in (of, given))
        return RowShares(across_of, down, lines)

    def blocks(self) -> Iterator[Block]:
        """Row percentages, where they are few enough to be read, and reports say something of one."""
        shares = self.read_across()
        if shares is not None and any(row["estimate"] is not None for line in shares.lines for row in line):
            texts = [WITHIN, *([TOO_FEW_IN_WORDS] if shares.has_unknown else [])]
            said = tuple(Sentence(text, Purpose.COLUMNS) for text in (*texts, MORE))
            title = f"Shares of {shares.of.title} within {shares.given.title}"
            cells = TextTable(title, shares.header, shares.cells, (self.coverage.sentence("share"), *said))
            yield BlockGroup(title, (cells,))

    def _all(self) -> Iterator[tuple[str, TableRow]]:
        for name in self.attributes:
            yield from (("margins", row) for row in self.margin(name))
        for of, given in permutations(self.attributes, 2):
            yield from (("conditional", row) for row in self.conditional(of, given))
        for of, given in permutations(self.attributes, 2):
            pairs = list(combinations(range(self._size([given])), 2))
            if len(pairs) * self._size([of]) <= MOST_ROWS:
                within = self._within([of], [given])
                for first, second in pairs:
                    found = self._difference(within, [of], [given], first, second)
                    yield from (("differences", row) for row in found)

    def _within(self, names: list[str], others: list[str]) -> Within:
        return self.cells.within(self._axes(names), self._axes(others), self.coverage.each(self._size(names)))

    def _difference(
        self, shares: Within, names: list[str], others: list[str], first: int, second: int
    ) -> Iterator[TableRow]:
        told = shares.difference(first, second)
        within, minus = (dict(zip(others, self._labels(others)[place], strict=True)) for place in (first, second))
        heads = [
            {"attributes": names, "value": list(labels), "given": within, "minus": minus}
            for labels in self._labels(names)
        ]
        return self._rows(told, heads)

    def _names(self, given: Names) -> list[str]:
        names = [given] if isinstance(given, str) else list(given)
        for name in names:
            if name not in self.attributes:
                found = repr(name) + nearest([str(name)], self.attributes)
                raise SordinoError(
                    f"attributes must be of the table of {self.question.name}",
                    found=found,
                    step="name some of the table's own",
                )
        if len(set(names)) < len(names) or not names:
            raise SordinoError(
                "attributes must be named once each",
                found=", ".join(names) or "none",
                step="name one, or a list of different ones",
            )
        return names

    def _apart(self, of: Names, given: Names) -> tuple[list[str], list[str]]:
        names, others = self._names(of), self._names(given)
        if set(names) & set(others):
            found = f"{min(set(names) & set(others))!r} on both sides"
            raise SordinoError(
                "a share must be of other attributes than it is within", found=found, step="name it on one side only"
            )
        return names, others

    def _axes(self, names: Sequence[str]) -> list[int]:
        return [self.attributes.index(name) for name in names]

    def _size(self, names: Sequence[str]) -> int:
        return prod(self.question.shape[axis] for axis in self._axes(names))

    def _labels(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        domains = [self.question.attributes[axis].table_domain for axis in self._axes(names)]
        return list(product(*([domain.label(value) for value in range(domain.k)] for domain in domains)))

    def _place(self, names: list[str], values: Names) -> int:
        labels = (values,) if isinstance(values, str) else tuple(map(str, values))
        known = self._labels(names)
        if labels not in known:
            found = shown(" and ".join(labels))
            raise SordinoError(
                f"values must be of {' and '.join(map(repr, names))}, one each",
                found=found,
                step="write a value of each, in the order of the attributes",
            )
        return known.index(labels)

    def _rows(self, told: TableShares, heads: Sequence[TableRow]) -> Iterator[TableRow]:
        """Each with its names; limits as the coverage asks, within those that are possible."""
        least, known, nothing = (-1 if "minus" in heads[0] else 0), ~np.isnan(told.value), np.zeros_like(told.value)
        asked = self.coverage.limits(
            (told.low, told.high),
            told.value,
            told.stderr,
            each=self.coverage.each(len(heads)),
            n=self.estimate.n,
            expected=self.question.people,
            moved=nothing,
            part=0.0,
        )
        # Of what nothing is known the limits are those of a share.
        low, high = (
            np.where(known, np.clip(new, least, 1), old) for new, old in zip(asked, (told.low, told.high), strict=True)
        )
        within = "given" in heads[0]
        # Nor is what is fitted shown of what the reports say nothing of.
        unknown = (low <= least) & (high >= 1) if within else np.zeros(len(low), dtype=np.bool_)
        unknown |= np.isnan(told.value)
        value, stderr = np.where(unknown, np.nan, told.value), np.where(unknown, np.nan, told.stderr)
        columns = {"estimate": value, "stderr": stderr, "low": low, "high": high}
        columns |= {} if told.fitted is None else {"fitted": np.where(unknown, np.nan, told.fitted)}
        numbers = np.stack(list(columns.values()), axis=1).tolist()
        for head, row in zip(heads, numbers, strict=True):
            plain = [None if isnan(number) else number for number in row]
            why = {"why": TOO_FEW} if within and plain[0] is None else {}
            yield head | dict(zip(columns, plain, strict=True)) | why


def table_results(results: Sequence[Result]) -> list[TableResult]:
    """Of the tables that are told; none where reports may be forged, since no bound on quotients is known then."""
    return [
        TableResult(shares.question, shares)
        for one in results
        if (shares := one.shares) is not None and shares.question.is_table and not shares.coverage.forged
    ]


def _percentages(row: TableRow) -> str:
    if row["estimate"] is None:
        return TOO_FEW
    texts = in_percent(row)
    return f"{texts['estimate']} ({texts['low']} to {texts['high']})"


@dataclass(frozen=True, eq=False)
class TableResults(View):
    """All tables that are estimated.

    Attributes:
        each: in the order of the survey.
    """

    name: ClassVar[str] = "tables"
    places: ClassVar[Places] = Places(page=None, terminal=3, notebook=None, rows=3, json=2, live=None)
    about_all: ClassVar[bool] = True
    each: tuple[TableResult, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        each = table_results(source.results)
        return cls(tuple(each)) if each else NotApplicable("no table is estimated from honest reports")

    def rows(self, *, derived: bool = True) -> Iterator[TableRow]:
        return table_rows(self.each) if derived else iter(())

    def json(self) -> dict[str, Any]:
        found: dict[str, list[TableRow]] = {kind: [] for kind in TABLE_KINDS}
        for table in self.each:
            for kind, row in table.rows():
                found[kind].append(row)
        return found

    def parts(self) -> Iterator[ViewPart]:
        yield ViewPart(self.name, tuple(block for table in self.each for block in table.blocks()))

    def question_blocks(self, result: Result) -> Iterator[Block]:
        return chain.from_iterable(table.blocks() for table in table_results([result]))


def table_rows(tables: Iterable[TableResult]) -> Iterator[TableRow]:
    """The margins, conditional shares and differences of tables, as rows of frames and files."""
    for table in tables:
        yield from (table_row(TABLE_KINDS[kind], row, table.question.name) for kind, row in table.rows())


def require_honest(coverage: Coverage) -> None:
    """Refuse intervals against forged reports.

    Raises:
        SordinoError: they hold against some.
    """
    if coverage.forged:
        rule, step = (
            "shares within others are estimated only without forged reports",
            "estimate again without forged ones",
        )
        raise SordinoError(rule, found="intervals against forged ones", step=step)
