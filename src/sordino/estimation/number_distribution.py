"""A number's distribution from the tally of its bins: shares, the distribution function, ranges and quantiles.

Two answers stand side by side. The unbiased one is right on average for the share of every bin and for every value of
the distribution function; standard errors and intervals are about it. The fitted one is a distribution, smoothed over
neighbouring bins, and far nearer to the truth where that is smooth; quantiles are read off it.

The band around the distribution function holds all of it together, as often as the confidence says: its width is a
number of standard errors, the same everywhere, that the noise at all edges exceeds so rarely. A distribution function
never falls, so a limit that falls is raised to what holds before it, or lowered to what holds after: nothing that the
band held is lost, and it becomes narrower than intervals that each hold by themselves. Where the function is nearer to
0 or 1 than the band reaches it is missed to one side alone, so that the band holds somewhat more often than it says.

The interval of a quantile inverts intervals of the distribution function: it goes from the last edge that surely lies
below it to the first that surely does not. How many standard errors make that sure is what the noise of all edges
around the quantile asks for, if the function rises there as the fitted one does; as many as for one edge at least.
Where bins are wide it holds more often than promised, since it ends at edges. Of spikes a quantile is itself an edge,
at which its bin begins: nothing says where in a bin people are but that many of them are at one number.

Of a number that may be missing all of this is about those who have it (`Subpopulation`), beside the share of those who
lack it.
Sources: bands by the supremum of the estimate's own Gaussian noise (Montiel Olea and Plagborg-Moller 2019); quantiles
by inversion (Woodruff 1952).

The distribution function nearest to an estimate: the isotonic fit; of bits about thresholds also the likeliest.

The reports about one threshold tell what part of the people lies below it, each with noise of its own size; a
distribution function never falls. The least squares fit among all that do not, each threshold weighing as many reports
as it has, cut to 0..1, is also the likeliest: so it is for any binomial shares under an order (Barlow and Brunk 1972).
A threshold without reports has the value of a straight line between its neighbours. Cost: linear in the thresholds.

Shares of neighbouring bins by likelihood, smoothed after each step: what a square wave's reports are fitted by.

An EM step takes each bin's share up where the reports ask for more of it; alone it ends in a few spikes, which fit the
noise. So after each step a part of what lies in a bin moves to its neighbours, and no more than evenly spread people
would exchange where bins are not equally wide, so that what is evenly spread stays. Nothing moves beyond the ends, and
nothing is lost. Who has no number is no bin's neighbour.

A quarter to either side, whatever the bins, widens what is told by as many bins: where they are few and wide that is
a large part of the range, and more reports do not make it less. The part is such that each step adds 1 / (24 n) to the
variance of where people are, in parts of the range squared: as much however many bins there are, and the less the more
reports there are, as the noise. Of more bins than a quarter can do that for, it stays a quarter.
Source: Li et al. 2020 (EMS, with a quarter of any number of bins), whose rule also says when to stop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.domain.bins import Bins
from sordino.errors import SordinoError
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import chance_beyond, errors_to_either_side
from sordino.estimation.intervals.simultaneous import bonferroni, count_draws, standard_draws
from sordino.estimation.range_shares import RangeShares, inside_ranges, net_functional, scaled_functional
from sordino.estimation.share_estimate import Estimate, Method, estimate
from sordino.estimation.simplex import project
from sordino.estimation.subpopulation import Subpopulation, below_edges, variances
from sordino.exact.coin import WORD
from sordino.exact.floats import Floats
from sordino.exact.messages import Brief
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.window import WindowResponse

FEWEST_SMOOTHED = 32
"""Bins: of fewer each is told well enough by itself."""

NORMAL = 50
"""Reports of each code from which on their counts are as good as normal."""

FAR = 1e9
"""Standard errors that are as good as infinitely many, and can be squared."""

Limits = tuple[Floats, Floats]


class BinnedMoment(NamedTuple):
    """The mean of what bins count.

    Attributes:
        share: of the way from one end to the other, shape (1,).
        ends: the least and the most that a bin counts, in the unit of the number, or its square.
        offset: the standard deviation of how far it is off because nothing says where numbers lie within their bins.
    """

    share: RangeShares
    ends: tuple[float, float]
    offset: float

    @property
    def farthest(self) -> float:
        """How far it is off where all numbers lie at an end of their bins."""
        return sqrt(3) * self.offset


@dataclass(frozen=True, eq=False, repr=False)
class DistributionEstimate(Brief):
    """What reports say about the distribution of a number in the population that the people were drawn from.

    Attributes:
        shares: of all that is read, unbiased: of the bins, and last of none where the number may be missing.
        fitted: of the bins, shape (k,), a distribution near them; None where none was asked for.
        spikes: whether many people are thought to have equal numbers: nothing is interpolated within a bin.
    """

    bins: Bins
    shares: Estimate
    fitted: Floats | None
    method: str
    spikes: bool = False

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        aggregate: Aggregate,
        bins: Bins,
        level: float,
        method: Method | None = None,
        *,
        spikes: bool = False,
    ) -> "DistributionEstimate":
        """From the tally of a mechanism over the bins.

        Args:
            mechanism: made the reports; over the bins, and one value more where the number may be missing.
            aggregate: their tally, which says how often each code was sent.
            level: of the mechanism in nats, by which smoothing knows when to stop.
            method: how a distribution is fitted; by default by smoothed likelihood, of few bins by likelihood alone,
                which of bits about thresholds is the isotonic fit.
            spikes: whether many people are thought to have equal numbers: nothing is smoothed, unless it is asked for.
        """
        bits = _of_bits(mechanism)
        if method is None and spikes and bits is None:
            shares = estimate(mechanism, aggregate, "unbiased")
            function = Subpopulation(mechanism, shares.law, bins.k).contributions(below_edges(bins.k)) @ shares.law
            return cls(bins, shares, nearest_function(function, np.ones(bins.k - 1)), "isotonic", spikes)
        if method is None and (spikes or bins.k < FEWEST_SMOOTHED):
            method = "likelihood"
        if method == "likelihood" and bits is not None:
            shares = estimate(mechanism, aggregate, "unbiased")
            return cls(bins, shares, isotonic_shares(bits, aggregate.counts, bins.widths), "isotonic", spikes)
        shares = estimate(mechanism, aggregate, method or "unbiased")
        if method is not None:
            return cls(bins, shares, None if shares.fitted is None else _among(shares.fitted, bins), method, spikes)
        if not mechanism.counts_codes:
            rule = "smoothing needs to know how often each code was sent"
            found = "a tally of supported values"
            raise SordinoError(rule, found=found, step="ask through a mechanism that counts its codes")
        fitted = smoothed_shares(mechanism, aggregate.counts, bins.widths, level)
        return cls(bins, shares, _among(fitted, bins), "smoothed likelihood", spikes)

    @property
    def n(self) -> int:
        return self.shares.n

    @cached_property
    def subpopulation(self) -> Subpopulation:
        """What the codes say of those who have the number."""
        return Subpopulation(self._mechanism, self._law, self.bins.k)

    @cached_property
    def of_bins(self) -> RangeShares:
        return self._inside(np.eye(self.bins.k))

    @cached_property
    def below(self) -> RangeShares:
        """The share below each edge between two bins: the distribution function."""
        return self._inside(below_edges(self.bins.k))

    def range_shares(self, ranges: Sequence[tuple[int, int]]) -> RangeShares:
        """The share of each range, by the edges where it begins and ends."""
        return self._inside(inside_ranges(ranges, self.bins.k))

    def net_share(self, upper: tuple[int, int], lower: tuple[int, int]) -> RangeShares:
        """Half of one more than the share of one range minus that of another (`net_functional`)."""
        return self._inside(net_functional(upper, lower, self.bins.k))

    def _inside(self, inside: Floats) -> RangeShares:
        return RangeShares(self.subpopulation, self.shares.law, self.n, inside)

    @cached_property
    def mean(self) -> "BinnedMoment":
        """The mean, with numbers in the middle of their bins."""
        return self._moment(self.bins.middles, self.bins.offset_of_mean(self._likely_bins))

    def square(self, center: float) -> "BinnedMoment":
        """The mean square of how far numbers are from a center, with numbers spread evenly within their bins."""
        squares = (self.bins.middles - center) ** 2 + self.bins.within_bins
        return self._moment(squares, self.bins.offset_of_square(self._likely_bins, center))

    def _moment(self, counted: Floats, offset: float) -> "BinnedMoment":
        ends = float(counted.min()), float(counted.max())
        return BinnedMoment(self._inside(scaled_functional(counted)), ends, offset)

    @property
    def _likely_bins(self) -> Floats:
        """The shares of the bins as they are likely, shape (k,), none below 0."""
        return project(self.of_bins.value) if self.fitted is None else self.fitted

    @property
    def missing_share(self) -> tuple[float, float] | None:
        """The share of the people who lack the number, and its standard error; None where everybody has it."""
        return (
            (self.subpopulation.missing_share, self.subpopulation.share_stderr(self.n))
            if self.subpopulation.optional
            else None
        )

    def missing_limits(self, errors: float) -> Limits:
        """Limits of this share, shape (1,) each, so many standard errors away and no closer than likelihood allows."""
        told = self.shares.law, self.n, chance_beyond(errors)
        return self.subpopulation.missing_limits(errors, told)

    @property
    def function(self) -> Floats:
        """The share of people below each edge between two bins, unbiased, shape (k - 1,); may fall, and leave 0..1."""
        return self.below.value

    @property
    def stderr(self) -> Floats:
        """Of each of them, shape (k - 1,); never zero, also where all reports say the same."""
        return self.below.stderr

    @cached_property
    def fitted_function(self) -> Floats:
        """The curve that quantiles are read off, at all k + 1 edges: 0 at the first, 1 at the last, never falling.

        Without a fit it is the unbiased one, each value raised to the largest before it and cut to 0..1.
        """
        inner = np.maximum.accumulate(self.function) if self.fitted is None else np.cumsum(self.fitted)[:-1]
        return np.concatenate([[0.0], np.clip(inner, 0, 1), [1.0]])

    def band(self, confidence: float, reach: Floats | None = None) -> Limits:
        """Limits of the distribution function at all k + 1 edges; all hold together with this confidence.

        Args:
            reach: how far they are from each estimate, shape (k - 1,); by default as far as the noise of all asks for.
        """
        reach = self.critical(confidence) * self.stderr if reach is None else reach
        low, high = self.function - reach, self.function + reach
        if self.subpopulation.optional:
            least, most = self.below.within(self.critical(confidence))
        else:
            least, most = self.below.farthest(reach / self.stderr)
        # Where nobody may have the number likelihood says nothing.
        low, high = np.fmin(low, least), np.fmax(high, most)
        low, high = possible_limits(self.function, (low, high))
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        # Where they cross, no distribution function is within reach everywhere: as rarely as the band fails.
        low, high = np.minimum(low, high), np.maximum(low, high)
        return np.concatenate([[0.0], low, [1.0]]), np.concatenate([[0.0], high, [1.0]])

    def critical(self, confidence: float) -> float:
        """Standard errors that the noise at no edge exceeds, as often as this: by seeded draws of that noise."""
        drawn = float(np.quantile(np.abs(self._noise).max(axis=1), confidence))
        # Reports that all say the same show no noise to draw.
        return drawn if drawn > 0 else errors_to_either_side(bonferroni(confidence, self.bins.k - 1))

    def quantile(self, part: float, confidence: float, away: Floats | None = None) -> tuple[float, float, float]:
        """Where the curve reaches a part of the people, and between which edges the quantile lies with this confidence.

        The quantile is the least number that this part of the people do not exceed. The curve is straight within a bin,
        but for spikes: then it is the edge where the quantile's bin begins, where the numbers that are equal are taken
        to lie. Where the curve leaves the interval the nearest number there is taken.

        Args:
            part: of the people, in (0, 1).
            away: beyond which distance from the part an edge surely lies on its side, shape (k - 1,); by default as
                many standard errors as `reach` says.
        """
        edges, curve = np.array(self.bins.edges), self.fitted_function
        away = self.reach(part, confidence) * self.errors_at(part) if away is None else away
        low = np.concatenate([[0.0], self.function - away, [1.0]])
        high = np.concatenate([[0.0], self.function + away, [1.0]])
        ends = edges[high < part].max(initial=edges[0]), edges[low >= part].min(initial=edges[-1])
        first, last = float(min(ends)), float(max(ends))
        # The bin that the curve reaches the part in, and the last one that the interval holds.
        at = min(int(np.searchsorted(curve, part, side="left")), self.bins.k) - 1
        if self.spikes:
            return float(np.clip(edges[at], first, max(first, edges[edges < last].max(initial=first)))), first, last
        rise = curve[at + 1] - curve[at]
        value = edges[at] + (edges[at + 1] - edges[at]) * ((part - curve[at]) / rise if rise > 0 else 1.0)
        return float(np.clip(value, first, last)), first, last

    def errors_at(self, part: float) -> Floats:
        """Standard errors by which the function at each edge is told from a part of the people, shape (k - 1,)."""
        if not self.subpopulation.optional:
            return self.below.errors_at(part)
        return self.subpopulation.errors_at(below_edges(self.bins.k), part, self.n)

    def reach(self, part: float, confidence: float) -> float:
        """Standard errors beyond which an edge surely lies on its side of a quantile.

        An edge is taken for one on the other side if its noise exceeds these and its own distance from the part, which
        the fitted function tells with noise of its own: that of the unbiased one adds a standard error to the distance,
        squared, which is taken off.
        """
        curve = self.fitted_function[1:-1]
        seen = np.minimum(np.abs(curve - part) / np.maximum(self.stderr, np.finfo(np.float64).tiny), FAR)
        apart = np.sqrt(np.maximum(seen**2 - 1, 0))
        mistaken = self._noise * np.where(curve < part, 1.0, -1.0) - apart
        enough = np.quantile(mistaken.max(axis=1), confidence)
        return max(float(enough), errors_to_either_side(confidence))

    @cached_property
    def _noise(self) -> Floats:
        """Draws of the noise at each edge, in standard errors, shape (DRAWS, k - 1); none where there is none."""
        law, contributions = self._law, self.below.contributions
        scale = np.sqrt(variances(contributions, law))
        # What a report contributes beyond the mean, in its own standard deviations.
        beyond = (contributions - (contributions @ law)[:, None]) * np.sqrt(law)
        relative = np.divide(beyond, scale[:, None], out=np.zeros_like(beyond), where=scale[:, None] > 0)
        # Of few reports about each threshold counts are not normal, and the largest of many of them least of all.
        few = self._bits is not None and self.n * law.min() < NORMAL
        draws = count_draws(self.n * law) if few else standard_draws(len(law))
        return draws @ relative.T

    @property
    def _bits(self) -> WindowResponse | None:
        return _of_bits(self._mechanism)

    @property
    def _mechanism(self) -> Mechanism:
        return self.shares.mechanism

    @cached_property
    def _law(self) -> Floats:
        """How often each code is sent, as far as reports and channel tell it together: the noise is that of this."""
        return self._mechanism.known_distribution(self.shares.law)


def _of_bits(mechanism: Mechanism) -> WindowResponse | None:
    """The mechanism, if each of its codes is a bit about a threshold."""
    return mechanism if isinstance(mechanism, WindowResponse) and mechanism.cuts else None


def function_contributions(mechanism: Mechanism) -> Floats:
    """What each code counts as in the distribution function at each edge between two bins, shape (k - 1, outputs)."""
    return np.stack([mechanism.code_values(inside) for inside in below_edges(mechanism.k)])


def function_leverage(mechanism: Mechanism) -> float:
    """How many people one forged report can weigh at most in a value of the distribution function."""
    contributions = function_contributions(mechanism)
    return float((contributions.max(axis=1) - contributions.min(axis=1)).max())


def _among(fitted: Floats, bins: Bins) -> Floats:
    """A distribution of all that is read, among those who have the number: evenly spread if it leaves nobody there."""
    own = fitted[: bins.k]
    if len(own) == len(fitted):
        return fitted
    own = own if own.sum() > 0 else bins.widths
    among: Floats = own / own.sum()
    return among


def isotonic_shares(mechanism: WindowResponse, counts: NDArray[np.integer], widths: Floats) -> Floats:
    """The fitted share of each bin, shape (k,): nonnegative, adding up to 1.

    Args:
        mechanism: a window of k - 1 codes over the k bins, so that each code is a bit about a threshold.

    Example:
        >>> mechanism = WindowResponse(3, "ln 3", 2)
        >>> isotonic_shares(mechanism, np.array([50, 40, 50, 60]), np.ones(3)).round(3).tolist()
        [0.4, 0.0, 0.6]
    """
    below, above = counts.reshape(2, mechanism.k - 1)
    drawn = below + above
    seen = drawn > 0
    truth = mechanism.threshold / WORD
    shares = (below[seen] / drawn[seen] - (1 - truth)) / (2 * truth - 1)
    fitted = np.cumsum(nearest_function(shares, drawn[seen]))
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    known = np.concatenate([[True], seen, [True]])
    return np.diff(np.interp(edges, edges[known], np.concatenate([[0.0], fitted])))


def nearest_function(function: Floats, weights: NDArray[np.integer | np.floating]) -> Floats:
    """The distribution function that is nearest in weighted squares, as the shares between its edges, shape (k,).

    Args:
        function: an estimate at the edges between k bins, shape (k - 1,); may fall, and leave 0..1.
        weights: of each, shape (k - 1,).

    Example:
        >>> nearest_function(np.array([0.2, 0.6, 0.4, 1.1]), np.ones(4)).round(6).tolist()
        [0.2, 0.3, 0.0, 0.5, 0.0]
    """
    # SciPy is large, and not every estimate needs it.
    from scipy.optimize import isotonic_regression

    inner = np.clip(isotonic_regression(function, weights=weights).x, 0, 1)
    return np.diff(np.concatenate([[0.0], inner, [1.0]]))


GAIN = 1e-3
"""A step that gains fewer nats, times e^epsilon, is the last one: later ones fit noise."""

MOST_STEPS = 10_000
"""Largest number of steps; a few hundred are usual."""

REPORTS = 12
"""A quarter of each of k bins moves to either side at k^2 / 12 reports and fewer, and of more in proportion less.

It is near the best for one peak, for two narrow ones and for spikes, by 100 to 1,000,000 reports of 32 to 256 bins.
"""


def smoothed_shares(mechanism: Mechanism, counts: NDArray[np.integer], widths: Floats, epsilon: float) -> Floats:
    """The fitted share of each value that is read, shape (k,): nonnegative, adding up to 1.

    Args:
        mechanism: over the bins, or over these and one value more; its counters are counts of codes.
        epsilon: its level, which says when to stop.

    Example:
        >>> from sordino.mechanism.window import WindowResponse
        >>> channel = WindowResponse(4, "2", 2)
        >>> smoothed_shares(channel, np.array([100, 100, 20, 20, 20]), np.ones(4), 2.0).round(2).tolist()
        [0.88, 0.06, 0.01, 0.05]
    """
    channel = mechanism.probabilities()
    up, down = _exchange(widths, int(counts.sum()))
    bins, others = len(widths), mechanism.k - len(widths)
    shares = np.append(widths / widths.sum(), np.ones(others)) / (1 + others)
    before, least = -np.inf, GAIN * exp(min(epsilon, 50.0))
    seen = counts > 0
    for _ in range(MOST_STEPS):
        law = shares @ channel
        now = float(counts[seen] @ np.log(law[seen]))
        if now - before < least:
            break
        before = now
        shares = shares * (channel @ np.divide(counts, law, out=np.zeros_like(law), where=seen))
        shares /= shares.sum()
        moved = up * shares[: bins - 1] - down * shares[1:bins]
        shares[: bins - 1] -= moved
        shares[1:bins] += moved
    total: Floats = shares / shares.sum()
    return total


def _exchange(widths: Floats, n: int) -> tuple[Floats, Floats]:
    """The part of each bin that moves to the next one, and of that one back, shape (k - 1,) each."""
    first, second = widths[:-1], widths[1:]
    # It moves by 1 / k: its square is 2 part / k^2 on average.
    part = min(1.0, len(widths) ** 2 / (REPORTS * n)) / 4
    return part * np.minimum(1.0, second / first), part * np.minimum(1.0, first / second)
