"""What is known of dependence from a sample: bounds, and all that they rest on, fixed before the sample was seen."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date as day
from fractions import Fraction

from sordino.definition.bounded_dependence import Dependence
from sordino.design.sample_questions import (
    MOST_DENOMINATOR,
    CategorySignDistribution,
    Compared,
    DistributionFunction,
    SampleQuestions,
    Why,
)
from sordino.domain.moment import Moment
from sordino.errors import SordinoError
from sordino.exact.messages import read_rational, shown

PLAIN = re.compile(r"[0-9]{0,30}\.?[0-9]{1,30}(/[0-9]{1,30})?", re.ASCII)
"""A number between 0 and 1 as everybody reads it; no exponent that would take an hour to write out."""


@dataclass(frozen=True)
class Bound:
    """What is known of one statistic given one attribute.

    Attributes:
        attribute: its place.
        bound: q, rounded up.
        seen: the largest distance in the sample itself, rounded up; below the truth in about every third case.
        least: records of the rarest value of the attribute.
    """

    attribute: int
    statistic: Compared
    bound: Fraction
    why: Why
    seen: Fraction | None = None
    least: int | None = None


@dataclass(frozen=True)
class Statement:
    """Bounds from a sample, and all that they rest on.

    Attributes:
        asked: attributes and statistics, fixed before the sample was seen.
        records: N, in the sample.
        confidence: that all bounds hold at once.
        shift: tau, how far the conditional laws of those who answer may be from the sample's, in total variation.
        date: when, as YYYY-MM-DD.
    """

    asked: SampleQuestions
    bounds: tuple[Bound, ...]
    records: int
    confidence: Fraction
    shift: Fraction = Fraction(0)
    population: str = ""
    date: str | None = None
    dependence: Dependence = field(init=False)

    def __post_init__(self) -> None:
        read_confidence(self.confidence)
        if not 0 <= self.shift <= 1:
            rule = "a shift must lie in [0, 1]"
            raise SordinoError(rule, found=shown(self.shift), step="give a total variation, as 0.02")
        if self.date is not None:
            _require_date(self.date)
        known = {(bound.attribute, bound.statistic): bound.bound for bound in self.bounds}
        if len(known) < len(self.bounds) or len(known) != self.asked.d * len(self.asked.statistics):
            raise SordinoError("there must be one bound for each attribute and statistic", found=str(len(self.bounds)))
        for bound in self.bounds:
            why = self.asked.why(bound.attribute, bound.statistic)
            if bound.why != why or (why != "sample" and bound.bound != 1):
                found = f"{bound.bound} by {bound.why!r} for {self.asked.label(bound.statistic)}"
                raise SordinoError(f"what a sample cannot bound must have the bound 1 ({why})", found=found)
        object.__setattr__(self, "dependence", dependence_of_bounds(self.asked, known))

    @property
    def comparisons(self) -> int:
        """M, over which the chance to be wrong is divided."""
        return self.asked.comparisons

    @property
    def least(self) -> int | None:
        """Records of the rarest value that was compared; None where none was."""
        return min((bound.least for bound in self.bounds if bound.least is not None), default=None)


def dependence_of_bounds(asked: SampleQuestions, known: Mapping[tuple[int, Compared], Fraction]) -> Dependence:
    """Bounds for (attribute, statistic) as those that plans take: nothing is known of all others together."""
    single: dict[tuple[int, Moment], Fraction] = {}
    tables: dict[tuple[int, Moment], Fraction] = {}
    thresholds: dict[tuple[int, int], Fraction] = {}
    signs: dict[tuple[int, tuple[int, int]], Fraction] = {}
    for (i, statistic), bound in known.items():
        if isinstance(statistic, DistributionFunction):
            thresholds[i, statistic.number] = bound
        elif isinstance(statistic, CategorySignDistribution):
            signs[i, (statistic.category, statistic.number)] = bound
        else:
            (tables if asked.is_table(statistic) else single)[i, statistic] = bound
    return Dependence((Fraction(1),) * asked.d, single, tables, thresholds, signs)


def read_confidence(confidence: float | str | Fraction) -> Fraction:
    """A confidence as it is written."""
    sure = read_plain(confidence)
    if sure is None or not 0 < sure < 1:
        rule = "confidence must lie between 0 and 1, without the ends"
        raise SordinoError(rule, found=shown(confidence), step='write it as "0.99"')
    return sure


def read_plain(number: float | str | Fraction) -> Fraction | None:
    """A number as it is written, with at most 30 digits; None for anything else."""
    if isinstance(number, str) and not PLAIN.fullmatch(number):
        return None
    try:
        value = read_rational(number)
    except SordinoError:
        return None
    return value if value.denominator <= MOST_DENOMINATOR else None


def _require_date(date: str) -> None:
    try:
        same = day.fromisoformat(date).isoformat() == date
    except ValueError:
        same = False
    if not same:
        raise SordinoError("a date must read YYYY-MM-DD", found=shown(date), step="write it as 2024-05-01")
