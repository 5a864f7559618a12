"""What one value's share has more than another's of the same question, with an interval of the difference itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import BETWEEN, QuantityTable
from sordino.document.schema.nearest import named_label, nearest_labels
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.intervals.possible import possible_limits
from sordino.exact.messages import shown
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.results.result import Result
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource, table_row

Asked = tuple[str, str, str]
"""A question about shares, a value's label, and that of the value whose share is taken off."""


IN_POINTS = "Differences of shares are in percentage points."

DIFFERENCE_NUMBERS = ("estimate", "stderr", "low", "high", "moved")


@dataclass(frozen=True, eq=False)
class ShareDifferences(View):
    """What some values' shares have more than others'.

    Attributes:
        each: a row for each, as of `share_differences`.
        titles: of each the question, and its two values, as people read them.
        coverage: what intervals hold against.
    """

    name: ClassVar[str] = "differences"
    settings: ClassVar[frozenset[str]] = frozenset({"differences"})
    places: ClassVar[Places] = Places(page=None, terminal=1, notebook=None, rows=1, json=6, live=None)
    each: tuple[dict[str, Any], ...]
    titles: tuple[tuple[str, str], ...]
    coverage: Coverage

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        asked = source.request.differences
        if not asked:
            return NotApplicable("no difference is asked for")
        wanted = _results_asked(source.results, asked)
        titles = tuple((one.question.title, _title(one, *places)) for one, *places in wanted)
        rows = tuple(_difference(*each, source.coverage, len(asked)) for each in wanted)
        return cls(rows, titles, source.coverage)

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        return (table_row(BETWEEN, row, row["attribute"]) for row in self.each)

    def json(self) -> dict[str, Any]:
        return {"between": list(self.each)}

    def parts(self) -> Iterator[ViewPart]:
        tables = (_table(*each, self.coverage) for each in zip(self.each, self.titles, strict=True))
        yield ViewPart(self.name, list(tables))


def _title(result: HistogramResult, one: int, other: int) -> str:
    return " minus ".join(map(result.question.value_title, (one, other)))


def _table(row: Mapping[str, Any], titles: tuple[str, str], coverage: Coverage) -> QuantityTable:
    question, values = titles
    numbers = {name: np.array([row[name]]) for name in DIFFERENCE_NUMBERS if name in row}
    return QuantityTable(
        question=row["attribute"],
        about=question,
        columns=numbers,
        label=lambda _: f"{row['value']} minus {row['minus']}",
        readable_label=lambda _: values,
        asked=question,
        kind=lambda _: BETWEEN,
        key=lambda _: {name: row[name] for name in ("attribute", "value", "minus")},
        confidence=coverage.confidence,
        noun="difference",
        are_shares=False,
        in_points=lambda _: True,
        sentences=(Sentence(IN_POINTS, Purpose.COLUMNS), coverage.sentence("difference")),
    )


def share_differences(found: Sequence[Result], asked: Sequence[Asked], coverage: Coverage) -> list[dict[str, Any]]:
    """A row for each difference: `attribute`, `value`, `minus`, and its numbers.

    Args:
        found: what reports say of each question.
        asked: the differences; simultaneous intervals are of all of them together.
        coverage: what intervals hold against.

    Raises:
        SordinoError: no such question, or no such value; one value twice; a tally that does not tell how shares
            go together.
        SordinoErrors: several of these.
    """
    return [_difference(*each, coverage, len(asked)) for each in _results_asked(found, asked)]


def _results_asked(found: Sequence[Result], asked: Sequence[Asked]) -> list[tuple[HistogramResult, int, int]]:
    """The question and the places of the two values of each difference; raises as `share_differences`."""
    wanted: list[tuple[HistogramResult, int, int]] = []
    mistakes: list[SordinoError] = []
    for name, first, second in asked:
        try:
            result = _question(found, name)
            wanted.append((result, *_places(result, first, second)))
        except SordinoErrors as errors:
            mistakes += errors.errors
        except SordinoError as error:
            mistakes.append(error)
    if mistakes:
        raise mistakes[0] if len(mistakes) == 1 else SordinoErrors("what is to be subtracted", mistakes)
    return wanted


def _question(found: Sequence[Result], name: str) -> HistogramResult:
    told = {shares.question.name: shares for result in found if (shares := result.shares) is not None}
    named = named_label(name, list(told))
    if named is None:
        found_name = repr(name) + nearest_labels(name, list(told))
        raise SordinoError(
            "a difference is of two shares of a question that is estimated",
            found=found_name,
            step="name a histogram's or a table's question, as its rows do",
        )
    return told[named]


def _places(result: HistogramResult, first: str, second: str) -> tuple[int, int]:
    labels = [result.label(place) for place in range(result.count)]
    name = result.question.name
    named = [named_label(label, labels) for label in (first, second)]
    mistakes = [
        SordinoError(
            f"a difference must be of values of {name!r}",
            found=shown(label) + nearest_labels(label, labels),
            step="write them as the rows of the estimates do",
        )
        for label, meant in dict(zip((first, second), named, strict=True)).items()
        if meant is None
    ]
    if mistakes:
        raise SordinoErrors("a difference", mistakes)
    one, other = (labels.index(label) for label in named if label is not None)
    if one == other:
        raise SordinoError(
            f"a difference must be of two values of {name!r}",
            found=f"{shown(first)} twice",
            step="name another value to subtract",
        )
    return one, other


def _difference(result: HistogramResult, one: int, other: int, coverage: Coverage, count: int) -> dict[str, Any]:
    estimate, each, n = result.estimate, coverage.each(count), result.n
    difference = estimate.difference(one, other)
    moved = np.array(estimate.moved_difference(one, other, coverage.forged))
    limits = coverage.limits(
        difference.interval(each),
        difference.value,
        difference.stderr,
        each=each,
        n=n,
        expected=result.question.people,
        moved=moved,
        part=coverage.forged / n,
    )
    numbers = {"estimate": difference.value, "stderr": difference.stderr}
    low, high = possible_limits(difference.value, limits, (-1, 1))
    numbers |= {"low": low, "high": high}
    numbers |= {"moved": moved} if coverage.forged else {}
    head = {"attribute": result.question.name, "value": result.label(one), "minus": result.label(other)}
    return {**head, **{name: float(number) for name, number in numbers.items()}}
