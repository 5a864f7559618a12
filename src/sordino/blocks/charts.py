"""What a figure shows, as numbers: who draws it chooses lines and colours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.digits import in_percent, round_dates, round_row
from sordino.domain.grid import Grid

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shares:
    """Some values' shares, arrays of shape (k,).

    Attributes:
        estimate: what the reports say, with nothing changed.
        low, high: the ends of its interval.
        fitted: a distribution near it; None where nothing was fitted.
        truth: where it is known.
        stderr: of the estimates, by which they have their digits; by default the intervals say it.
    """

    estimate: Floats
    low: Floats
    high: Floats
    fitted: Floats | None = None
    truth: Floats | None = None
    stderr: Floats | None = None

    @property
    def columns(self) -> list[Floats]:
        """All that there is."""
        known = (column for column in (self.fitted, self.truth) if column is not None)
        return [self.estimate, self.low, self.high, *known]

    @property
    def best_known(self) -> Floats:
        """The fitted shares, or the estimates where nothing was fitted: what is the largest goes by them."""
        return self.estimate if self.fitted is None else self.fitted

    def of(self, values: NDArray[np.intp]) -> "Shares":
        """Those of some values."""
        more = (None if column is None else column[values] for column in (self.fitted, self.truth, self.stderr))
        return Shares(self.estimate[values], self.low[values], self.high[values], *more)

    def first(self, count: int) -> "Shares":
        """Those of the first values."""
        return self.of(np.arange(count))

    def percentages(self) -> list[dict[str, str]]:
        """Each with its limits, as people read them."""
        names = ("estimate", "low", "high", *(() if self.stderr is None else ("stderr",)))
        return [in_percent({name: float(getattr(self, name)[at]) for name in names}) for at in range(len(self.low))]


@dataclass(frozen=True, eq=False)
class BarChart:
    """Shares with their intervals, one bar each.

    Attributes:
        shares: as many.
    """

    labels: tuple[str, ...]
    shares: Shares


@dataclass(frozen=True, eq=False)
class ColumnChart:
    """Shares of numbers or of runs of numbers, in their order.

    Attributes:
        name: of the attribute.
        shares: as many.
        at: where each stands, ascending.
    """

    name: str
    labels: tuple[str, ...]
    shares: Shares
    at: Floats


@dataclass(frozen=True, eq=False)
class DensityChart:
    """A histogram of bins, whose areas are shares.

    Attributes:
        edges: of the bins, shape (k + 1,).
        shares: of the bins, shape (k,).
        densest: the label of the bin with the most people in its width.
        note: how the shares were made.
        is_date: whether the number is a date, in days since 1970-01-01.
    """

    name: str
    edges: Floats
    shares: Floats
    densest: str
    note: str
    is_date: bool = False


@dataclass(frozen=True, eq=False)
class FunctionChart:
    """A distribution function within a band that holds everywhere at once.

    Attributes:
        edges: shape (k + 1,).
        function: the share of people below each edge, shape (k + 1,).
        band: its lower and upper limits, shape (k + 1,) each.
        quantiles: that are drawn: the part of the people, the number and its limits.
        described: those that words name.
        has_steps: whether it rises at once where a bin begins.
        note: what the band holds against.
        is_date: whether the number is a date, in days since 1970-01-01.
    """

    name: str
    edges: Floats
    function: Floats
    band: tuple[Floats, Floats]
    quantiles: tuple[tuple[float, float, float, float], ...]
    described: tuple[tuple[float, float, float, float], ...]
    has_steps: bool
    note: str
    is_date: bool = False


@dataclass(frozen=True, eq=False)
class MapChart:
    """Shares of the cells of a map, on one map or several beside each other.

    Attributes:
        grid: the cells.
        panels: what each map shows, and the shares, shape (k,).
        least: the share of one person.
        has_titles: whether what a map shows stands above it.
    """

    grid: Grid
    panels: tuple[tuple[str, Floats], ...]
    least: float
    has_titles: bool


@dataclass(frozen=True, eq=False)
class PointChart:
    """Numbers with their intervals, a row for each.

    Attributes:
        labels: of the rows.
        drawn: where each point and the ends of its interval are, shape (m,) each.
        own: the same numbers in their own units, with their standard errors.
        unit: of the axis.
        scales: the ends of each row's own scale; none where all share one.
        has_zero: whether 0 is marked: where nothing is explained.
        note: what a point is.
        dates: which rows are of dates, in days since 1970-01-01; none where it is empty.
    """

    what: str
    labels: tuple[str, ...]
    drawn: tuple[Floats, Floats, Floats]
    own: tuple[Mapping[str, float], ...]
    unit: str
    scales: Sequence[tuple[float, float]]
    has_zero: bool
    note: str
    dates: tuple[bool, ...] = ()

    def texts(self) -> list[dict[str, str]]:
        """The numbers of each row as people read them."""
        dates = self.dates or (False,) * len(self.own)
        return [(round_dates if is_date else round_row)(row) for row, is_date in zip(self.own, dates, strict=True)]


@dataclass(frozen=True, eq=False)
class CorrelationChart:
    """Correlations of numbers.

    Attributes:
        covariance: of which they are, shape (d, d), without negative eigenvalues.
        note: how it was made.
    """

    names: tuple[str, ...]
    covariance: Floats
    note: str


@dataclass(frozen=True, eq=False)
class AssociationChart:
    """How strongly each two attributes go together.

    Attributes:
        names: of the attributes.
        strengths: Cramér's V, shape (d, d), symmetric; not a number where there is no test.
        sure: whether independence is ruled out, all pairs being looked at, shape (d, d).
    """

    names: tuple[str, ...]
    strengths: Floats
    sure: NDArray[np.bool_]


WithLimits: TypeAlias = tuple[Floats, Floats, Floats]
"""Values and their lower and upper limits, shape (k,) each."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Some numbers of one scale before and after, arrays of shape (k,).

    Attributes:
        before, after: in both collections.
        change: the difference.
        together: its lower and upper limits that hold together with those of all numbers of the question.
        sure: whether the limits that hold together exclude 0.
    """

    before: WithLimits
    after: WithLimits
    change: WithLimits
    together: tuple[Floats, Floats]
    sure: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ChangeChart:
    """Numbers before and after, and how they changed, a row for each.

    Attributes:
        labels: of the rows.
        texts: each change with its sign.
        has_zero: whether the scale of the numbers has to hold 0.
        has_numbers: whether the axes say numbers, which rows of several scales have not in common.
    """

    labels: tuple[str, ...]
    texts: tuple[str, ...]
    sides: Sides
    units: tuple[str, str]
    has_zero: bool
    has_numbers: bool


@dataclass(frozen=True, eq=False)
class SeriesChart:
    """A number over the periods of a series.

    Attributes:
        name: what the number is.
        every: how long a period is: a day, a week.
        periods: the first day of each, in their order.
        estimates: the number in each and the ends of its interval, shape (T,) each; NaN in a gap.
        curve: through them, shape (T,), NaN where it does not reach; None where there is none.
        band: its lower and upper limits, shape (T,) each.
        since: the place of the period since which the number is otherwise beyond noise, if it is.
        is_share: whether it is a share of people.
        is_date: whether it is a date, in days since 1970-01-01.
    """

    name: str
    every: str
    periods: tuple[str, ...]
    estimates: WithLimits
    curve: Floats | None
    band: tuple[Floats, Floats] | None
    since: int | None
    is_share: bool
    is_date: bool = False


@dataclass(frozen=True, eq=False)
class LossChart:
    """The most that a report can reveal beside its bound, a row for each thing that is protected.

    Attributes:
        labels: attributes, the whole record, or two values of a question.
        texts: the loss and the bound of each row as people read them.
        losses: in nats, rounded up, shape (m,); infinite where a report decides.
        bounds: in nats, shape (m,).
    """

    labels: tuple[str, ...]
    texts: tuple[str, ...]
    losses: Floats
    bounds: Floats


Chart: TypeAlias = (
    AssociationChart
    | BarChart
    | ChangeChart
    | ColumnChart
    | DensityChart
    | FunctionChart
    | LossChart
    | MapChart
    | PointChart
    | SeriesChart
    | CorrelationChart
)
