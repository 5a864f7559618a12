"""What changed between two collections: the difference of each number that both tell, with an interval of its own.

The collections are taken for independent: other people, or at least other noise. Where the same people answered both,
and answer alike, differences are surer than is said. Of many numbers the largest changes are those with the most noise:
what is shown first are changes that all intervals of their question together still tell from 0.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import Any, TypeAlias

from sordino.errors import SordinoError
from sordino.estimation.intervals.independent_difference import WithInterval, difference
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.estimates.quantities import Ends, Head, Measured, Quantities, label_of
from sordino.survey.estimates.rows import IN_ORDER, LARGEST
from sordino.survey.results.comparable import why_apart
from sordino.survey.results.result import Result, Untold

ChangeRow: TypeAlias = dict[str, Any]
"""What changed, and `before`, `after`, `change`, its `stderr` (None of a quantile), `low`, `high`, and `sure`."""


@dataclass(frozen=True)
class ChangedRow:
    """One number that both collections tell.

    Attributes:
        about: what it is, as a row of the later estimates says it.
        before, after: it in both.
        change: the difference.
        together: the same, with limits that hold together with those of all numbers of its question.
        scale: on which numbers of several units are drawn (`MeasuredNumber`).
        is_share: whether it is a share of people.
        is_date: whether it is about a date, in days since 1970-01-01: itself, or of a share the ends of its range.
    """

    about: Head
    before: WithInterval
    after: WithInterval
    change: WithInterval
    together: WithInterval
    scale: Ends
    is_share: bool
    is_date: bool = False

    @property
    def label(self) -> str:
        """Of the row in a table."""
        return label_of(self.about, is_date=self.is_date)

    @property
    def has_dates(self) -> bool:
        """Whether both sides are dates, and changes days."""
        return self.is_date and not self.is_share

    @property
    def sure(self) -> bool:
        """Whether noise alone would seldom make any number of the question seem to change so far."""
        return self.together.low > 0 or self.together.high < 0

    @property
    def sure_alone(self) -> bool:
        """Whether it is beyond noise by its own interval, and not among all numbers of the question."""
        return not self.sure and (self.change.low > 0 or self.change.high < 0)

    @property
    def size(self) -> float:
        """How large the change is: of a share itself; of other numbers, whose units differ, in its own errors."""
        reach = self.together.high - self.together.low
        return abs(self.change.value) / (1 if self.is_share or not reach else reach)

    def json(self) -> ChangeRow:
        """For programs."""
        found = self.change
        numbers = {"before": self.before.value, "after": self.after.value, "change": found.value}
        stderr = None if isnan(found.stderr) else found.stderr
        limits = {"stderr": stderr, "low": found.low, "high": found.high}
        return {**self.about, **numbers, **limits, "sure": self.sure}


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

    @cached_property
    def readable(self) -> tuple[ChangedRow, ...]:
        """What people can read of it, in the question's order."""
        return self.shown or self.rows

    @cached_property
    def sure(self) -> int:
        """How many of these have changed beyond noise."""
        return sum(row.sure for row in self.readable)

    def first(self, most: int = LARGEST) -> tuple[ChangedRow, ...]:
        """All that people can read, or of many so many: changes beyond noise, by size, then the largest shares.

        By what both tell together: whoever picks the largest changes of many finds noise.
        """
        if len(self.readable) <= IN_ORDER:
            return self.readable
        return tuple(sorted(self.readable, key=_rank)[:most])


def _rank(row: ChangedRow) -> tuple[float, ...]:
    """Where a row stands among many; of numbers that are no shares none is larger than another."""
    if row.sure:
        return 0, -row.size
    return 1, -(row.before.value + row.after.value) if row.is_share else 0


def changes(
    before: Sequence[Result], after: Sequence[Result], coverage: Coverage
) -> tuple[tuple[Changed, ...], dict[str, SordinoError]]:
    """The differences of all that both tell, and why others cannot be compared, by name.

    Args:
        before: what the earlier collection tells.
        after: the later one.
        coverage: how sure each interval is, or all of a question together; neither watched nor against forged reports.
    """
    first, second = _quantities(before, coverage.confidence), _quantities(after, coverage.confidence)
    apart = {result.question.name: result.why for result in (*before, *after) if isinstance(result, Untold)}
    both: dict[str, list[Hashable]] = {}
    for key, own in second.items():
        if key not in first:
            apart.setdefault(own.name, _error_of_one_side(own, "later"))
        elif first[key].values != own.values:
            apart[own.name] = why_apart(own.name, first[key].values, own.values)
        else:
            both.setdefault(own.question, []).append(key)
    for key, own in first.items():
        if key not in second:
            apart.setdefault(own.name, _error_of_one_side(own, "earlier"))
    found = []
    for name, keys in both.items():
        count = sum(_count_in_both(first[key], second[key]) for key in keys)
        all_at_once = bonferroni(coverage.confidence, count)
        together = _told_of(first, keys, before, all_at_once), _told_of(second, keys, after, all_at_once)
        each = all_at_once if coverage.simultaneous else coverage.confidence
        sides = together if coverage.simultaneous else (first, second)
        rows, shown = (
            tuple(row for key in keys for row in _changed_rows(part, key, (sides, each), (together, all_at_once)))
            for part in ("measured", "shown")
        )
        found.append(Changed(name, each, rows, shown))
    return tuple(found), apart


def _error_of_one_side(own: Quantities, side: str) -> SordinoError:
    return SordinoError(
        f"{own.name} must be estimated in both collections", found=f"in the {side} one alone", step="ask for it in both"
    )


Sides: TypeAlias = tuple[tuple[Mapping[Hashable, Quantities], Mapping[Hashable, Quantities]], float]
"""All that both collections tell, and the confidence of its limits."""


def _quantities(results: Sequence[Result], each: float) -> dict[Hashable, Quantities]:
    """All that some results tell, each number with this confidence."""
    own = Coverage(each)
    return {told.key: told for result in results for told in result.with_coverage(own).quantities()}


def _told_of(
    known: Mapping[Hashable, Quantities], keys: Sequence[Hashable], results: Sequence[Result], each: float
) -> dict[Hashable, Quantities]:
    """Some of it with another confidence; what is not told with that, as what nobody may have, has no limits."""
    questions = {known[key].question for key in keys}
    told = _quantities([result for result in results if result.question.name in questions], each)
    return {key: told[key] if key in told else _without_limits(known[key]) for key in keys}


def _without_limits(own: Quantities) -> Quantities:
    measured, shown = (
        {key: replace(one, number=replace(one.number, low=nan, high=nan)) for key, one in part.items()}
        for part in (own.measured, own.shown)
    )
    return replace(own, measured=measured, shown=shown)


def _count_in_both(before: Quantities, after: Quantities) -> int:
    """How many numbers are compared, those that are shown among them."""
    first, second = (told.measured.keys() | told.shown.keys() for told in (before, after))
    return len(first & second)


def _changed_rows(part: str, key: Hashable, own: Sides, together: Sides) -> Iterator[ChangedRow]:
    """The rows of one quantity, `measured` or `shown`, with the limits that are asked for and those of all."""
    (before, after), (before_together, after_together) = (
        (_part(first[key], part), _part(second[key], part)) for (first, second), _ in (own, together)
    )
    for each, later in after.items():
        if each in before:
            sides = before[each].number, later.number
            change = difference(*sides, own[1])
            all_at_once = difference(before_together[each].number, after_together[each].number, together[1])
            first, last = (side.possible for side in sides)
            yield ChangedRow(later.about, first, last, change, all_at_once, later.scale, later.is_share, later.is_date)


def _part(told: Quantities, part: str) -> Measured:
    return told.measured if part == "measured" else told.shown
