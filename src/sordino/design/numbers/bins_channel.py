"""The channel for a number's bins that tells best what is asked of them: ranges, quantiles, or the curve.

Of ranges the share is shown, unbiased, with its standard error: its exact variance counts, each range as much. A
quantile is where the distribution function reaches a part of the people, and its interval inverts that function's;
where it will lie nobody knows, so the mean variance over all edges between two bins counts, once for each quantile, and
no density is asked for. If neither is asked the curve is all that is shown. Without smoothing it is a fit to the
unbiased distribution function, whose mean variance then counts. A smoothed curve is told best by neighbouring codes,
whose noise smoothing removes: it is asked by a square wave, or by bits about thresholds where these may be asked at a
larger level and tell the function with less noise.

Candidates are that square wave, bits about thresholds, and hierarchies over the bins with several fan-outs; where the
number may be missing the spliced square wave (`optional_wave`), and hierarchies over the bins and none. All is of
evenly spread people: a plan is the same whatever is expected of those who answer.

Guarantee: none here; the mechanism is certified.
Measured (1-Wasserstein distance of smoothed curves, 256 bins, 10,000 and 100,000 people): at epsilon 1 the square wave
.008 to .017 and .007 to .008, the hierarchy of fan-out 4 .018 to .030 and .007 to .010; at 4 both .004 to .006 and
.0013 to .0016. The standard error of the distribution function is .11 against .04, and .017 against .007.

The channel for a number's distribution: a square wave over its bins, in whole numbers.

The near codes of a bin have the weight e^epsilon and the far ones 1: `WindowResponse` over the bins, with as many near
codes as the square wave's width among numbers has bins. That width, 2 b of the unit range, is the one at which the
entropy of an even report exceeds most that of the report of one number: a bound on the information that reports keep.
Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li 2020, estimating numerical distributions under LDP, (5).
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import expm1, floor
from typing import Self

import numpy as np

from sordino.design.coarse import coarse_number, exponential
from sordino.design.integer_channel import counting_channel
from sordino.domain.bins import Bins
from sordino.errors import SordinoError
from sordino.estimation.number_distribution import FEWEST_SMOOTHED
from sordino.estimation.range_shares import errors_of, functional_variances, inside_ranges
from sordino.estimation.subpopulation import Subpopulation, below_edges
from sordino.exact.coin import WORD
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.hierarchy import LARGEST_FAN, HierarchyResponse, level_sizes
from sordino.mechanism.window import OptionalWindow, WindowResponse, common

FANS = (2, 3, 4, 5, 8, 10, 16)
"""Nodes within a node, that are tried: round ranges begin and end at nodes of some. Few bins also as one level."""

BETTER = 1 - 1e-6
"""A later candidate must be better by more than rounding, so that the same survey gives the same plan everywhere."""

FAN = 4
"""Nodes within a node."""

MOST_CODES = 4
"""For each node of a level: many more are hardly better, and all are worked with."""

PARTS = (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)
"""Of the largest probability of "missing" of whoever has a number, that are tried."""

FEW = 16
"""Bins by which the part is chosen."""


@dataclass(frozen=True)
class BinsAsked:
    """What will be shown of the bins of a number.

    Attributes:
        ranges: whose shares are asked, by the edges where each begins and ends.
        missing: the share of the people that is expected to lack the number; None where everybody has it.
    """

    widths: tuple[float, ...]
    ranges: tuple[tuple[int, int], ...]
    quantiles: int
    smoothed: bool
    missing: float | None = None

    @classmethod
    def of(cls, bins: Bins, ranges: Sequence[Sequence[float]], quantiles: int, *, spikes: bool, missing: float) -> Self:
        """Of bins, ranges from edge to edge of them, and a share that is 0 where everybody has the number."""
        edge = bins.edges.index
        places = tuple((edge(low), edge(high)) for low, high in ranges)
        smoothed = not spikes and bins.k >= FEWEST_SMOOTHED
        return cls(tuple(bins.widths.tolist()), places, quantiles, smoothed, missing or None)

    @property
    def k(self) -> int:
        return len(self.widths)

    @property
    def curve_alone(self) -> bool:
        return not self.ranges and not self.quantiles

    @property
    def shares(self) -> Floats:
        bins = np.array(self.widths) / sum(self.widths)
        return bins if self.missing is None else np.append(bins * (1 - self.missing), self.missing)

    def noise(self, mechanism: Mechanism) -> float:
        """The summed variances of what is shown, times the number of people; infinite if reports reveal nothing.

        Where the number may be missing the share of the people who lack it is shown too.
        """
        edges = below_edges(self.k)
        functionals = np.concatenate([inside_ranges(self.ranges, self.k), edges])
        weights = np.ones(len(functionals))
        weights[len(self.ranges) :] = (self.quantiles or self.curve_alone) / len(edges)
        asked = weights > 0
        try:
            variances = errors_of(mechanism, functionals[asked], self.shares, 1) ** 2
            lacking = 0.0 if self.missing is None else self._missing_variance(mechanism)
        except SordinoError:
            return np.inf
        return coarse_number(float(weights[asked] @ variances) + lacking)

    def _missing_variance(self, mechanism: Mechanism) -> float:
        """The variance of the share of those who lack the number, times the number of people."""
        return float(functional_variances(mechanism, np.eye(mechanism.k)[self.k :], self.shares)[0])


@dataclass(frozen=True)
class BinLevels:
    """The levels of LDP at which bins may be asked, by how often a code's probability turns from bin to bin.

    Attributes:
        whatever: of any channel.
        window: of codes whose probability rises and falls once.
        bit: of codes whose probability rises or falls.
    """

    whatever: Nats
    window: Nats
    bit: Nats

    @classmethod
    def uniform(cls, level: Nats) -> Self:
        return cls(level, level, level)


@lru_cache(maxsize=1 << 6)
def bins_channel(asked: BinsAsked, levels: BinLevels) -> tuple[Nats, Mechanism]:
    """The level and the channel at which what is asked has the least noise; of equal ones the first.

    Example:
        >>> halves = BinsAsked((1.0,) * 64, ((0, 32), (32, 64)), 0, smoothed=True)
        >>> level, mechanism = bins_channel(halves, BinLevels.uniform(Nats.of(1)))
        >>> mechanism.name, mechanism.fan
        ('hierarchy', 2)
    """
    ways = list(_ways(asked, levels))
    best = ways[0]
    if len(ways) > 1:
        least = asked.noise(best[1])
        for way in ways[1:]:
            if (noise := asked.noise(way[1])) < least * BETTER:
                best, least = way, noise
    return best[0], best[1].without_cache


def _ways(asked: BinsAsked, levels: BinLevels) -> Iterator[tuple[Nats, Mechanism]]:
    smooth, k = asked.smoothed and asked.curve_alone, asked.k
    if asked.missing is not None:
        yield levels.whatever, optional_wave(k, levels.whatever, asked.missing)
        k += 1
    else:
        yield levels.window, square_wave(k, levels.window)
        if levels.bit > levels.window or not smooth:
            yield levels.bit, threshold_bits(k, levels.bit)
    if not smooth:
        fans = [fan for fan in FANS if fan < k] + [k] * (k <= LARGEST_FAN)
        for fan in fans:
            # At the smallest epsilons a level's mechanism may have no threshold.
            with suppress(SordinoError):
                yield levels.whatever, hierarchy(k, levels.whatever, fan)


def hierarchy(k: int, level: Nats, fan: int = FAN) -> HierarchyResponse:
    """The hierarchy over k bins that keeps a level of LDP, by the least variance of each level's shares.

    Fan-out 4 is near the best for any ranges under LDP (Cormode, Kulkarni and Srivastava 2019); where it is known which
    ranges are asked, another may serve them better.

    Example:
        >>> hierarchy(20, Nats.of(2)).outputs
        27
    """
    return HierarchyResponse(
        k, fan, [counting_channel(nodes, level, MOST_CODES * nodes) for nodes in level_sizes(k, fan)]
    )


def optional_wave(k: int, level: Nats, missing: float) -> OptionalWindow:
    """The channel over k bins, and no number, that keeps a level of LDP: a square wave, spliced with a value more.

    `OptionalWindow` over the bins: windows as wide as those of the square wave (`square_wave`), and whoever has a
    number says "missing" with some part of the largest probability that is of use. At a small epsilon a small one tells
    the distribution better, and who has a number at all much worse. Of some parts the one is taken at which the exact
    variances of both, at the declared share, have the least sum: of the share, and of the distribution function among
    those who have the number, the mean over the edges, for evenly spread numbers (`Subpopulation`).

    The part is chosen on few bins. A finer cut makes the function at each of its edges noisier, as many times as there
    are bins, and nothing that is coarser: what is read of many bins are ranges, quantiles and a smoothed curve.

    Args:
        level: the loss allowed, above 0.
        missing: the share of the people that is expected to lack the number, above 0 and below 1.

    Example:
        >>> channel = optional_wave(64, Nats.of(1), 0.1)
        >>> channel.k, channel.outputs, round(channel.present / 2**64, 3), round(channel.absent / 2**64, 3)
        (65, 97, 0.151, 0.411)
    """
    return _splice(k, level, _best_part(min(k, FEW), level, missing))


@lru_cache(maxsize=1 << 8)
def _best_part(k: int, level: Nats, missing: float) -> float:
    return min(PARTS, key=lambda part: coarse_number(variance(_splice(k, level, part), missing)))


def _splice(k: int, level: Nats, part: float) -> OptionalWindow:
    bins = square_wave(k, level)
    growth, least = Fraction(float(exponential(np.array([level.floor()]))[0])), common(bins)
    present = floor(WORD * Fraction(part) * (1 - least) / (growth - least))
    return OptionalWindow(bins, level, min(max(present, 1), WORD - 1))


def variance(channel: OptionalWindow, missing: float) -> float:
    """The variance, times n, of the share of people who lack the number, and that of the function: see above."""
    k = channel.bins.k
    having = Subpopulation(channel, channel.forward(np.append(np.full(k, (1 - missing) / k), missing)), k)
    below = having.contributions(below_edges(k))
    errors = below**2 @ having.law - (below @ having.law) ** 2
    return float(errors.mean()) + having.share_variance(having.law)


SMALL = 1e-3
"""An epsilon below which half the width is a half, to more digits than are needed."""


def square_wave(k: int, level: Nats) -> WindowResponse:
    """The square wave over k bins that keeps a level of LDP.

    Example:
        >>> square_wave(256, Nats.of(1)).window, square_wave(256, Nats.of(4)).window
        (131, 16)
    """
    window = round(coarse_number(2 * half_width(level.floor()) * k))
    return WindowResponse(k, level, min(max(window, 1), k))


def threshold_bits(k: int, level: Nats) -> WindowResponse:
    """One bit about a random threshold between two of k bins, which keeps a level of LDP.

    Example:
        >>> threshold_bits(3, Nats.of("ln 4")).probabilities().round(3).tolist()
        [[0.4, 0.4, 0.1, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.1, 0.4, 0.4]]
    """
    return WindowResponse(k, level, k - 1)


def half_width(epsilon: float) -> float:
    """Half the width of a square wave over the numbers from 0 to 1.

    Example:
        >>> round(half_width(1.0), 6)
        0.256083
    """
    if epsilon < SMALL:
        return 0.5
    # (eps e^eps - e^eps + 1) / (2 e^eps (e^eps - 1 - eps)), with e^-eps in place of a factor that could overflow.
    growth, decay = expm1(epsilon), -expm1(-epsilon)
    return (epsilon - decay) / (2 * (growth - epsilon))
