"""The quantities that a plan's results tell, each under a key that does not depend on how the plan asked for it.

The share of a cell is the same whatever the order of its attributes; a mean is one of a number, whichever others were
asked with it. Two plans tell the same quantity where keys are equal and its values are the same ones.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, TypeAlias

from sordino.domain.attribute import Attribute
from sordino.domain.bins import plain
from sordino.domain.calendar import iso_date
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.estimation.intervals.independent_difference import WithInterval
from sordino.printable import join_label

MEAN, DEVIATION = "mean", "standard deviation"
"""What the rows of a distribution's moments say that they are."""

Ends: TypeAlias = tuple[float, float]

Head: TypeAlias = Mapping[str, Any]
"""What a row says it is about."""


@dataclass(frozen=True)
class Range:
    """The numbers that an attribute can have.

    Attributes:
        edges: its lowest and highest, and those of its bins where it is asked by bins.
        clip: whether a number beyond them counts as the nearest.
        missing: whether some may lack the number, and what is told is of those who have it.
    """

    edges: tuple[float, ...]
    clip: bool
    missing: bool = False


Values: TypeAlias = Mapping[str, Grid | frozenset[str] | Range]
"""By attribute the values that it can have."""


@dataclass(frozen=True)
class MeasuredNumber:
    """One number with its interval.

    Attributes:
        about: what it is, as a row says it.
        number: what the reports tell of it.
        scale: where 0 and 1 are on a scale for numbers of several units: of a share the share itself; of a mean and a
            quantile the ends of the number's range; of a covariance 0 and the largest that two ranges allow; of a
            coefficient 0 and what makes the feature's whole range the target's; NaN of an intercept.
        is_share: whether it is a share of people.
        is_date: whether it is about a date, in days since 1970-01-01: itself, or of a share the ends of its range.
        readable: of its row, as people read it; empty where the label is that.
    """

    about: Head
    number: WithInterval
    scale: Ends = (0.0, 1.0)
    is_share: bool = True
    is_date: bool = False
    readable: str = ""

    @property
    def title(self) -> str:
        """Of its row, as people read it."""
        return self.readable or self.label

    @property
    def label(self) -> str:
        """Of its row."""
        return label_of(self.about, is_date=self.is_date)


Measured: TypeAlias = Mapping[Hashable, MeasuredNumber]
"""Numbers under their keys."""


@dataclass(frozen=True)
class Quantities:
    """What one question tells, or a part of it that may be told elsewhere by itself.

    Attributes:
        question: that tells it.
        name: of it.
        key: what it is about.
        values: what values it is about: the same in both, or the two are not comparable.
        measured: each number under its key, with what a row says that it is about.
        shown: the same of what people are shown in place of numbers that are too many and too fine; else nothing.
    """

    question: str
    name: str
    key: Hashable
    values: Values
    measured: Measured
    shown: Measured = field(default_factory=dict)


def values_of(attribute: Attribute) -> frozenset[str] | Range:
    """The values of an attribute of a question about numbers; of one that may be missing, of those who have it."""
    if isinstance(attribute.domain, Interval):
        return Range((attribute.interval.low, attribute.interval.high), attribute.clip, attribute.optional)
    domain = attribute.finite
    return frozenset(map(domain.label, range(domain.k)))


def moment_scale(ranges: Sequence[Interval]) -> Ends:
    """Of a mean, or a covariance of two numbers in such ranges: the latter's largest is by Popoviciu's bound."""
    first, *others = ranges
    return (0.0, first.width * others[0].width / 4) if others else (first.low, first.high)


def measured_ranges(
    rows: Iterable[tuple[Mapping[str, Any], str]], edges: tuple[float, ...], *, is_date: bool
) -> Measured:
    """Shares of ranges, differences of two of them, and quantiles and means, which lie between the outer edges.

    Args:
        rows: each with what people read as its label.
        edges: of the bins.
        is_date: whether they are dates.
    """
    measured: dict[Hashable, MeasuredNumber] = {}
    for row, readable in rows:
        head, ends = head_of(row), (edges[0], edges[-1])
        is_number, spread = "quantile" in row or row.get("value") == MEAN, row.get("value") == DEVIATION
        scale = ends if is_number else (0.0, (ends[1] - ends[0]) / 2) if spread else (0.0, 1.0)
        least = -1.0 if "minus" in row else scale[0]
        number, dated = limits_of(row, least, scale[1]), is_date and not spread
        measured[tuple(head.values())] = MeasuredNumber(head, number, scale, not (is_number or spread), dated, readable)
    return measured


def label_of(about: Head, *, is_date: bool) -> str:
    """What a row is called.

    Args:
        about: what it is about.
        is_date: whether the ends of its range are dates.
    """
    if "quantile" in about:
        return f"quantile {about['quantile']}"
    if "from" in about:
        written = iso_date if is_date else plain
        return f"{written(float(about['from']))} to {written(float(about['to']))}"
    value = about["value"]
    if "minus" in about:
        return f"{value} minus {about['minus']}"
    return value if isinstance(value, str) else join_label(value)


def head_of(row: Mapping[str, Any]) -> Head:
    """What a row is about."""
    about = ("attribute", "attributes", "value", "minus", "from", "to", "quantile")
    return {name: row[name] for name in about if name in row}


def limits_of(row: Mapping[str, Any], least: float = -inf, most: float = inf) -> WithInterval:
    """The number of a row with its limits, between what it can be."""
    return WithInterval(row["estimate"], row.get("stderr", nan), row["low"], row["high"], least, most)
