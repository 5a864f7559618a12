r"""How much attributes tell about one another, from a public sample, with a stated confidence.

For values a and b of attribute i with n_a and n_b records, and a statistic s, a true distance D(a, b) exceeds

    U = seen(a, b) + sqrt((1/n_a + 1/n_b) ln(M'/beta) / 2)

with probability at most beta/M': all of them hold at once with confidence 1 - beta. M is the number of (i, s, {a, b}),
fixed before the sample is seen.

- Histograms: D is the total variation between the laws of s given a and b, P_a(S) - P_b(S) for one fixed set S. The
  shares of S among the records differ by at most what is seen, and their difference is a sum of independent terms in
  ranges of length 1/n_a (n_a times) and 1/n_b: Hoeffding's inequality gives exp(-2 t^2 / (1/n_a + 1/n_b)). M' = M.
- Tables of several categories: the same of the law of their combination, which is counted as one value. No bounds for
  its parts enter.
- A category with the sign of a number x in [-1, 1], which is + with probability (1 + x)/2: S is a set of pairs of them,
  and what a record adds to it, its probability to be read in S, lies in [0, 1]: the same inequality. What is seen is
  the distance of the mean laws, 1/2 sum_v max(|p_v - p'_v|, |m_v - m'_v|) (`definition.bounded_dependence`). M' = M.
- Bits about thresholds of a number: D is the largest difference of the distribution functions, at one fixed threshold;
  the shares on one side of it differ by at most the largest difference seen. The same inequality, M' = M.
- One bit about s in [-1, 1]: D is half the gap of the conditional means; ranges are 2/n_a and 2/n_b, halved again with
  the gap, so that the same exponent stands. M' = 2 M counts both signs of the gap.
- With a Lipschitz constant L of the conditional mean m(x) of s given the number x itself, scaled to [-1, 1], and bins
  of widths h: the mean of a bin averages m over points at most h from x, so |m(x) - mean_a| <= L h_a, and D for any x
  in a and y in b is at most U + L (h_a + h_b)/2; also at most L |x - y|/2, which alone serves within a bin and for bins
  of few records. A product of x itself and another number has the constant L + 1, since |x| and |m| are at most 1.

The bound q_i(s) is the largest over all pairs; a value without records makes it 1. If the conditional laws of those who
answer differ from the sample's by at most tau in total variation, q + 2 tau holds for them (a mean in [-1, 1] moves by
2 tau at most, and half a gap by 2 tau). The joint law of all other attributes cannot be told so: `of_rest` is 1.

Sources: Hoeffding 1963, Theorem 2; BCDP paper, Assumption 1, read per statistic. Rounded up to nine decimals.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.design.sample_questions import (
    SIGNS,
    CategorySignDistribution,
    Compared,
    DistributionFunction,
    SampleNumber,
    SampleQuestions,
    cells_of,
    places_of,
)
from sordino.design.stated_dependence import Bound, Statement, read_confidence, read_plain
from sordino.domain.attribute import Attribute
from sordino.domain.bins import Bins
from sordino.domain.moment import Moments
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import shown

MOST_RECORDS = 2**31
"""Sums of fixed-point numbers and products of counts stay within 64 bits."""

UNIT = 2**32
"""Numbers in [-1, 1] are summed as whole multiples of 1/UNIT, so that no order of rows changes a bound."""

ROUNDING = 1e-12
"""More than the floating-point error of a bound that is at most about 1."""

DECIMALS = 10**9
"""Bounds are rounded up to multiples of 1/DECIMALS."""

MOST_NUMBERS = 1 << 22
"""Of an array that several statistics share."""


@dataclass(frozen=True)
class SampleTally:
    """Counts and sums of a sample by the values of each attribute; tallies of parts of a sample add.

    Attributes:
        cells: for each attribute the records of each value or bin, shape (k_i,).
        tables: for each compared (i, s) a histogram's or bins' counts, shape (k_i, k_s), or sums in units of
            1/UNIT: of numbers, (k_i,), of the probabilities of a category with a sign, (k_i, k_s).
    """

    n: int
    cells: tuple[NDArray[np.int64], ...]
    tables: Mapping[tuple[int, Compared], NDArray[np.int64]]

    def __post_init__(self) -> None:
        if self.n >= MOST_RECORDS:
            raise SordinoError("a sample must have fewer than 2^31 records", found=shown(self.n))

    def __add__(self, other: "SampleTally") -> "SampleTally":
        """The tally of both parts."""
        cells = tuple(mine + theirs for mine, theirs in zip(self.cells, other.cells, strict=True))
        return SampleTally(
            self.n + other.n, cells, {key: table + other.tables[key] for key, table in self.tables.items()}
        )


def tally_sample(asked: SampleQuestions, columns: Sequence[NDArray[Any]]) -> SampleTally:
    """Count some records of a sample.

    Args:
        columns: for each attribute the records' values, shape (n,): indices of categories, or numbers of the range.
    """
    lengths = {len(column) for column in columns}
    if len(columns) != asked.d or len(lengths) != 1:
        raise SordinoError(f"a sample must have {asked.d} columns of one length", found=f"{len(columns)} columns")
    (n,) = lengths
    cells, numbers, binned = [], np.zeros((n, asked.d)), {}
    for place, (attribute, column) in enumerate(zip(asked.attributes, columns, strict=True)):
        _require_inside(attribute, np.asarray(column))
        if isinstance(attribute, SampleNumber):
            values = np.clip(np.asarray(column, dtype=np.float64), attribute.interval.low, attribute.interval.high)
            numbers[:, place] = attribute.statistic_values(values)
            cells.append(attribute.cell(values))
            if attribute.asked:
                binned[DistributionFunction(place)] = Bins(attribute.asked).locate(values)
        else:
            cells.append(np.asarray(column, dtype=np.intp))
    tables = _sums(asked, cells, numbers)
    for statistic, attributes in asked.compared_by.items():
        if not asked.is_histogram(statistic):
            continue
        # Worked out once for all attributes: each record's value, and the chance of its sign.
        answers, own, chances = asked.answers(statistic), _own(asked, statistic, cells, binned), None
        if isinstance(statistic, CategorySignDistribution):
            answers //= SIGNS
            chances = np.rint((1 + numbers[:, statistic.number]) / 2 * UNIT).astype(np.int64)
        for i in attributes:
            k = cells_of(asked.attributes[i])
            if chances is None:
                pairs = np.bincount(cells[i] * answers + own, minlength=k * answers)
            else:
                pairs = _distributions(cells[i] * answers + own, chances, k * answers)
            tables[i, statistic] = pairs.reshape(k, -1)
    counts = (np.bincount(own, minlength=max(1, cells_of(a))) for own, a in zip(cells, asked.attributes, strict=True))
    return SampleTally(n, tuple(counts), tables)


def state_dependence(
    asked: SampleQuestions,
    sample: SampleTally,
    confidence: float | str | Fraction,
    *,
    shift: float | str | Fraction = 0,
    population: str = "",
    date: str | None = None,
) -> Statement:
    """Bounds on dependence from a tallied sample.

    Args:
        asked: as the sample was tallied.
        sample: independent records of the population of those who will answer, none of them one who will.
        confidence: that all bounds hold at once, in (0, 1); fixed before the sample was seen.
        shift: how far the conditional laws of those who answer may be from the population's, in total variation.
        date: when, as YYYY-MM-DD, for the statement.

    Example:
        >>> from sordino.domain.categories import Categories
        >>> from sordino.domain.attribute import Attribute
        >>> yes_no = Categories(["yes", "no"])
        >>> asked = SampleQuestions((Attribute("smoker", yes_no), Attribute("vegan", yes_no)), ((1,),))
        >>> half, quarter = np.arange(100_000) % 2, np.arange(100_000) // 2 % 2
        >>> statement = state_dependence(asked, tally_sample(asked, [half, quarter]), "0.99")
        >>> float(statement.dependence.of(0, (1,)))
        0.009597052
    """
    sure, tau = read_confidence(confidence), read_plain(shift)
    if tau is None:
        raise SordinoError("a shift must lie in [0, 1]", found=shown(shift), step='write it as "0.01"')
    if sample.n == 0:
        raise SordinoError("a sample must have records", found="0 records", step="give a table with rows")
    # ln(1/beta), of whole numbers of any size.
    odds = math.log(sure.denominator) - math.log(sure.denominator - sure.numerator)
    bounds = []
    for i in range(asked.d):
        found = _largest_of_each(asked, sample, i, odds)
        for statistic in asked.statistics:
            why = asked.why(i, statistic)
            if why != "sample":
                bounds.append(Bound(i, statistic, Fraction(1), why))
                continue
            largest, seen = found[statistic]
            bound = min(Fraction(1), _upward(Fraction(largest) + 2 * tau))
            bounds.append(
                Bound(i, statistic, bound, why, min(_upward(Fraction(seen)), bound), int(sample.cells[i].min()))
            )
    return Statement(asked, tuple(bounds), sample.n, sure, tau, population, date)


def _sums(
    asked: SampleQuestions, cells: Sequence[NDArray[np.intp]], numbers: Floats
) -> dict[tuple[int, Compared], NDArray[np.int64]]:
    """For each attribute and moment that are compared the moment's sums by the attribute's values, in units of 1/UNIT.

    Args:
        cells: for each attribute its values, shape (n,).
        numbers: what the moments are of, shape (n, d).
    """
    n = len(numbers)
    moments = [one for one in asked.compared_by if isinstance(one, tuple) and not asked.is_histogram(one)]
    if not moments:
        return {}
    # Loaded only where numbers are compared.
    from scipy.sparse import csc_array

    attributes = sorted({i for one in moments for i in asked.compared_by[one]})
    first = np.cumsum([0, *(cells_of(asked.attributes[i]) for i in attributes)])
    columns = np.stack([cells[i] + start for i, start in zip(attributes, first, strict=False)], axis=1)
    ones, ends = np.ones(columns.size, dtype=np.int64), np.arange(0, columns.size + 1, len(attributes))
    # Which cells a record lies in, shape (cells, n): its product with whole numbers is one of whole numbers.
    members = csc_array((ones, columns.ravel(), ends), shape=(int(first[-1]), n))
    found: dict[tuple[int, Compared], NDArray[np.int64]] = {}
    block = max(1, MOST_NUMBERS // max(1, n))
    for some in (moments[start : start + block] for start in range(0, len(moments), block)):
        values = Moments(asked.d, tuple(some)).values(numbers)
        sums = members @ np.rint(values * UNIT).astype(np.int64)
        for column, statistic in enumerate(some):
            for i in asked.compared_by[statistic]:
                start = attributes.index(i)
                found[i, statistic] = sums[first[start] : first[start + 1], column]
    return found


def _own(
    asked: SampleQuestions,
    statistic: Compared,
    cells: Sequence[NDArray[np.intp]],
    binned: Mapping[DistributionFunction, NDArray[np.intp]],
) -> NDArray[np.intp]:
    """Each record's value of a statistic that is counted, shape (n,); without the sign that is read with a category."""
    if isinstance(statistic, DistributionFunction):
        return binned[statistic]
    places = statistic if isinstance(statistic, tuple) else (statistic.category,)
    sizes = [cells_of(asked.attributes[place]) for place in places]
    return np.ravel_multi_index([cells[place] for place in places], sizes).astype(np.intp, copy=False)


def _distributions(groups: NDArray[np.intp], chances: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Sums of the chances of both signs, - before +, in units of 1/UNIT, of the records of k groups, shape (k, 2)."""
    plus = np.zeros(k, dtype=np.int64)
    np.add.at(plus, groups, chances)
    return np.stack((np.bincount(groups, minlength=k) * UNIT - plus, plus), axis=1)


def _largest_of_each(
    asked: SampleQuestions, sample: SampleTally, i: int, odds: float
) -> dict[Compared, tuple[float, float]]:
    """For each statistic that the attribute is compared by, the largest bound and the largest distance seen."""
    alike: dict[tuple[type, bool, tuple[int, ...]], list[Compared]] = {}
    for statistic in asked.compared_with[i]:
        shape = sample.tables[i, statistic].shape
        alike.setdefault((type(statistic), asked.is_histogram(statistic), shape), []).append(statistic)
    found: dict[Compared, tuple[float, float]] = {}
    for (*_, shape), statistics in alike.items():
        block = max(1, MOST_NUMBERS // max(1, math.prod(shape)))
        for some in (statistics[start : start + block] for start in range(0, len(statistics), block)):
            largest, seen = _largest(asked, sample, i, some, odds)
            found.update(zip(some, zip(largest.tolist(), seen.tolist(), strict=True), strict=True))
    return found


def _largest(
    asked: SampleQuestions, sample: SampleTally, i: int, statistics: Sequence[Compared], odds: float
) -> tuple[Floats, Floats]:
    """The largest bound over all pairs of values, and the largest distance seen, of each of some statistics.

    Args:
        odds: ln(1/beta).
    """
    first, histogram = statistics[0], asked.is_histogram(statistics[0])
    # By value, then by statistic, then by answer: counts stand beside all statistics.
    counts = sample.cells[i][:, None]
    table = np.stack([sample.tables[i, statistic] for statistic in statistics], axis=1)
    if asked.comparisons:
        odds += math.log(asked.comparisons * (1 if histogram else 2))
    smooth = _smooth(asked.attributes[i], i, statistics)
    largest, most_seen = np.zeros(len(statistics)), np.zeros(len(statistics))
    for a in range(len(counts)):
        with np.errstate(divide="ignore", invalid="ignore"):
            if isinstance(first, CategorySignDistribution):
                # Each probability is off by half of 1/UNIT at most when it becomes a multiple of it.
                laws = table[: a + 1] / counts[: a + 1, :, None]
                seen = np.abs(laws[:a] - laws[a]).sum(axis=-1) / (2 * UNIT) + 1 / UNIT
            elif histogram:
                # Exact in 64 bits: each sum is at most twice the product of two counts of one sample.
                apart = table[:a] * counts[a] - table[a] * counts[:a, :, None]
                if isinstance(first, DistributionFunction):
                    seen = np.abs(apart.cumsum(axis=-1)).max(axis=-1) / (counts[:a] * counts[a])
                else:
                    seen = np.abs(apart).sum(axis=-1) / (2 * (counts[:a] * counts[a]))
            else:
                # No mean moves by more than 1/UNIT when numbers become multiples of it.
                seen = np.abs(table[:a] / counts[:a] - table[a] / counts[a]) / (2 * UNIT) + 1 / UNIT
            bounds = seen + np.sqrt((1 / counts[:a] + 1 / counts[a]) * (odds / 2)) + ROUNDING
        known = (counts[:a] > 0) & (counts[a] > 0)
        bounds = np.where(known, np.minimum(bounds, 1), 1)
        if smooth is not None:
            slope, edges = smooth
            widths = np.diff(edges, axis=0)
            finer = bounds + slope * (widths[:a] + widths[a]) / 2
            bounds = np.minimum(finer, slope * (edges[a + 1] - edges[:a]) / 2 + ROUNDING)
            largest = np.maximum(largest, slope * widths[a] / 2 + ROUNDING)
        largest = np.maximum(largest, bounds.max(axis=0, initial=0))
        most_seen = np.maximum(most_seen, np.where(known, seen, 0).max(axis=0, initial=0))
    return np.minimum(largest, 1), most_seen


def _smooth(attribute: Attribute, i: int, statistics: Sequence[Compared]) -> tuple[Floats, Floats] | None:
    """The Lipschitz constant of each statistic's mean given a number, where one is declared, and the scaled bins.

    Their shapes are (statistics,) and (bins + 1, 1).
    """
    if not isinstance(attribute, SampleNumber) or attribute.lipschitz is None:
        return None
    whole = attribute.interval
    slope = float(attribute.lipschitz) * whole.width / 2
    edges = whole.scale(attribute.edges or (whole.low, whole.high))[:, None]
    return np.array([slope + (1 if i in places_of(statistic) else 0) for statistic in statistics]), edges


def _require_inside(attribute: Attribute, column: NDArray[Any]) -> None:
    if not isinstance(attribute, SampleNumber):
        kinds, low, high = "iu", 0.0, attribute.finite.k - 1.0
    else:
        kinds, low, high = "iuf", attribute.interval.low, attribute.interval.high
        if attribute.clip:
            low, high = -sys.float_info.max, sys.float_info.max
    if column.ndim != 1 or column.dtype.kind not in kinds:
        found = f"type {column.dtype}, shape {column.shape}"
        raise SordinoError(f"a sample's column {attribute.name!r} must be a row of numbers", found=found)
    if not np.all((column >= low) & (column <= high)):
        raise SordinoError(
            f"values of {attribute.name!r} must lie in its domain", found="a value outside it, or a missing one"
        )


def _upward(bound: Fraction) -> Fraction:
    return Fraction(math.ceil(bound * DECIMALS), DECIMALS)
