"""What changed between two collections: the difference of each number that both tell, with an interval of its own.

The collections are taken for independent: other people, or at least other noise. Where the same people answered both,
and answer alike, differences are surer than is said.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, TypeAlias

from sordino.domain.bins import plain
from sordino.estimation.intervals.apart import WithInterval, difference
from sordino.survey.results.coverage import Coverage
from sordino.survey.results.quantities import Head, Measured, Quantities, quantities_of
from sordino.survey.results.result import Result, Untold

ChangeRow: TypeAlias = dict[str, Any]
"""What changed, and `before`, `after`, `change`, its `stderr` (None of a quantile), `low` and `high`."""


@dataclass(frozen=True)
class ChangedRow:
    """One number that both collections tell.

    Attributes:
        about: what it is, as a row of the later estimates says it.
        before, after: it in both.
        change: the difference.
    """

    about: Head
    before: float
    after: float
    change: WithInterval

    @property
    def label(self) -> str:
        """Of the row in a table."""
        about = self.about
        if "quantile" in about:
            return f"quantile {about['quantile']}"
        if "from" in about:
            return f"{plain(float(about['from']))} to {plain(float(about['to']))}"
        value = about["value"]
        return value if isinstance(value, str) else ", ".join(value)

    def json(self) -> ChangeRow:
        """For programs."""
        found = self.change
        numbers = {"before": self.before, "after": self.after, "change": found.value}
        stderr = None if isnan(found.stderr) else found.stderr
        return {**self.about, **numbers, "stderr": stderr, "low": found.low, "high": found.high}


@dataclass(frozen=True)
class Changed:
    """What one question tells of both collections.

    Attributes:
        name: of the later question.
        each: the confidence of each interval.
        rows: all numbers that both tell, in the later question's order.
        shown: what people are shown in place of rows that are too many and too fine; else none.
    """

    name: str
    each: float
    rows: tuple[ChangedRow, ...]
    shown: tuple[ChangedRow, ...]


def changes(
    before: Sequence[Result], after: Sequence[Result], coverage: Coverage
) -> tuple[tuple[Changed, ...], dict[str, str]]:
    """The differences of all that both tell, and why others cannot be compared, by name.

    Args:
        before: what the earlier collection tells.
        after: the later one.
        coverage: how sure each interval is, or all of a question together; neither watched nor against forged reports.
    """
    first, second = _told(before, coverage.confidence), _told(after, coverage.confidence)
    apart = {result.question.name: str(result.why) for result in (*before, *after) if isinstance(result, Untold)}
    both: dict[str, list[Hashable]] = {}
    for key, own in second.items():
        if key not in first:
            apart.setdefault(own.name, "only the later collection tells it")
        elif first[key].values != own.values:
            apart[own.name] = "its values, or its range, are not the same in both"
        else:
            both.setdefault(own.question, []).append(key)
    for key, own in first.items():
        if key not in second:
            apart.setdefault(own.name, "only the earlier collection tells it")
    found = []
    for name, keys in both.items():
        each = coverage.each(sum(_count_in_both(first[key], second[key]) for key in keys))
        sides = (first, second) if each == coverage.confidence else (_told(before, each), _told(after, each))
        pairs = [(sides[0][key], sides[1][key]) for key in keys]
        rows = (row for early, late in pairs for row in _changed(early.measured, late.measured, each))
        shown = (row for early, late in pairs for row in _changed(early.shown, late.shown, each))
        found.append(Changed(name, each, tuple(rows), tuple(shown)))
    return tuple(found), apart


def _told(results: Sequence[Result], each: float) -> dict[Hashable, Quantities]:
    """All that some results tell, each number with this confidence."""
    answered = (replace(result, coverage=Coverage(each)) for result in results if not isinstance(result, Untold))
    return {told.key: told for result in answered for told in quantities_of(result)}


def _count_in_both(before: Quantities, after: Quantities) -> int:
    """How many numbers are compared, those that are shown among them."""
    first, second = (told.measured.keys() | told.shown.keys() for told in (before, after))
    return len(first & second)


def _changed(before: Measured, after: Measured, each: float) -> Iterator[ChangedRow]:
    for key, (about, later) in after.items():
        if key in before:
            earlier = before[key][1]
            yield ChangedRow(about, earlier.value, later.value, difference(earlier, later, each))
