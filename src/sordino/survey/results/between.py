"""What one value's share has more than another's of the same question, with an interval of the difference itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.intervals.possible import possible_limits
from sordino.exact.messages.brief import shown
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.shares import HistogramResult
from sordino.survey.results.result import Result

Asked = tuple[str, str, str]
"""A question about shares, a value's label, and that of the value whose share is taken off."""


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
    return [_difference(*each, coverage, len(asked)) for each in wanted]


def _question(found: Sequence[Result], name: str) -> HistogramResult:
    told = {shares.question.name: shares for result in found if (shares := result.shares) is not None}
    if name not in told:
        found_name = repr(name) + nearest([name], list(told))
        raise SordinoError(
            "a difference is of two shares of a question that is estimated",
            found=found_name,
            step="name a histogram's or a table's question, as its rows do",
        )
    return told[name]


def _places(result: HistogramResult, first: str, second: str) -> tuple[int, int]:
    """Of two values, by their labels."""
    labels = [result.label(place) for place in range(result.count)]
    name = result.question.name
    mistakes = [
        SordinoError(
            f"a difference must be of values of {name!r}",
            found=shown(label) + nearest([label], labels),
            step="write them as the rows of the estimates do",
        )
        for label in dict.fromkeys((first, second))
        if label not in labels
    ]
    if mistakes:
        raise SordinoErrors("a difference", mistakes)
    if first == second:
        raise SordinoError(
            f"a difference must be of two values of {name!r}",
            found=f"{shown(first)} twice",
            step="name another value to subtract",
        )
    return labels.index(first), labels.index(second)


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
