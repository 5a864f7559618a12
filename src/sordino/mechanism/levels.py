"""One number in [-1, 1] by one of several levels: less noise than a bit where epsilon is above about 1.

Guarantee: epsilon-LDP, exactly. The number is rounded to one of g equally spaced levels, up or down without bias; its
level k has a window of w neighbouring codes k..k+w-1 of the g + w - 1, and one coin decides: with probability T / 2^64
the code is uniform in the window, else uniform among the g - 1 others. T is the largest threshold with
(g - 1) T <= e^epsilon w (2^64 - T). The mean code is linear in the level, so a code counts as its distance from the
middle over the slope: no table, and no bias. g = 2, w = 1 is `OneBit`; many levels with w / (g + w - 1) kept are the
piecewise mechanism. The best pair has a largest variance below that of the piecewise and the hybrid mechanism from
epsilon = 2 on, at 4 by a quarter, at 6 by a half. Cost: three words a number.
Not a one-bit answer: how much it tells about an attribute on which the number only depends takes a bound on total
variation; half the gap of the conditional means, which is enough for a bit, is not enough here. So its answer is
declared as one about the number and its square, for which only bounds on all other attributes together serve.
The noise depends on the number x: E[g^2 | x] = A + q(x) / (D w), q the chords of x^2 between levels, D the difference
of the two probabilities of a code.
Source: k-ary randomized response and the piecewise mechanism (Wang et al. 2019, collecting multidimensional data under
LDP) with finitely many codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.sampling import Answer, AnswerType
from sordino.domain.scaled import Scaled
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.entries import Entries
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.select import whole
from sordino.exact.source import Stream, Words, uniform_below_either
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.number import NumberChannel

LARGEST_LEVELS = 1 << 16
"""Levels, and codes of a window, at most."""

SEARCHED = 64
"""Levels, and codes of a window, that `best` looks at; more gain less than 1 % up to epsilon 6."""


@checked_class
@dataclass(frozen=True, init=False)
class LevelResponse(NumberChannel):
    """A number in [-1, 1] to one of several codes.

    Attributes:
        levels: g, from -1 to 1.
        window: w, the codes of a level.
        threshold: the coin's T.

    Example:
        >>> mechanism = LevelResponse.best("4")
        >>> mechanism.levels, mechanism.window, round(mechanism.worst_variance, 4)
        (10, 3, 0.1592)
    """

    name: ClassVar[str] = "levels"
    words: ClassVar[str] = "the number by one of several levels"

    levels: int
    window: int
    threshold: int

    def __init__(self, levels: int, epsilon: NatsLike, window: int = 1) -> None:
        self._set_levels(levels, window)
        self._set_threshold(largest_threshold(read_epsilon(epsilon), levels - 1, window))

    @classmethod
    @checked
    def from_threshold(cls, levels: int, threshold: int, window: int = 1) -> Self:
        """The channel of a frozen plan, with its own integers; `level` tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_levels(levels, window)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def best(cls, epsilon: NatsLike, goal: Literal["worst", "average"] = "worst", share: float = 1.0) -> Self:
        """The numbers of levels and codes with the least variance: the largest of all x, or the average over [-1, 1].

        Args:
            epsilon: the loss allowed.
            goal: which variance; "worst" bounds everybody's.
            share: of the people who are asked about this number, for the worst variance of their mean. If few are, it
                is largest at -1 and 1, and few levels are best.
        """
        bound = read_epsilon(epsilon)
        factor = float(np.exp(min(float(bound), 40.0)))
        sizes = [(g, w) for g in range(2, SEARCHED + 1) for w in range(1, SEARCHED + 1)]
        told = [_Moments.of(g, w, factor * w / (factor * w + g - 1)) for g, w in sizes]
        if goal == "average":
            average = min(told, key=lambda each: each.average_variance)
            return cls(average.levels, bound, average.window)
        # At 1 the variance is quickly told, and the largest one is not below it.
        told.sort(key=lambda each: each.at_end(share))
        best, least = told[0], told[0].worst_variance(share)
        for each in told[1:]:
            if each.at_end(share) > least:
                break
            if each.worst_variance(share) < least:
                best, least = each, each.worst_variance(share)
        return cls(best.levels, bound, best.window)

    @property
    def record(self) -> dict[str, Any]:
        """The arguments of `from_threshold`."""
        return {"levels": self.levels, "window": self.window, "threshold": str(self.threshold)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        """All stands in the record."""
        del promise
        return cls.from_threshold(entries.whole("levels"), entries.integer("threshold"), entries.whole("window"))

    def _set_levels(self, levels: int, window: int) -> None:
        for name, value, least in (("levels", levels, 2), ("window", window, 1)):
            if type(value) is not int or not least <= value <= LARGEST_LEVELS:
                raise SordinoError(f"{name} must be a whole number in {least}..{LARGEST_LEVELS}", found=shown(value))
            object.__setattr__(self, name, value)

    def _set_threshold(self, threshold: int) -> None:
        within, outside = self.window, self.levels - 1
        if type(threshold) is not int or not 0 < threshold < WORD or outside * threshold < within * (WORD - threshold):
            # Rounded down, the threshold of a tiny epsilon could make the window the less likely side.
            raise SordinoError(
                f"the codes of a level must not be less likely than the {outside} others",
                found=f"the threshold {shown(threshold)}",
                step="raise epsilon",
            )
        object.__setattr__(self, "threshold", threshold)

    @property
    def level(self) -> Nats:
        """The loss of a report at most, exactly."""
        return Nats.log(Fraction((self.levels - 1) * self.threshold, self.window * (WORD - self.threshold)))

    def codes(self, which: int) -> Sequence[int]:  # noqa: ARG002 - there is one type
        """All."""
        return range(self.outputs)

    @property
    def corners(self) -> tuple[float, ...]:
        """The levels."""
        return tuple(np.linspace(-1, 1, self.levels).tolist())

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        below, upper = self._rounding(np.array([record[0]], dtype=np.float64))
        lower, up = int(below[0]), int(upper[0])
        on, off = Fraction(self.threshold, self.window), Fraction(WORD - self.threshold, self.levels - 1)
        low, high = (on if k <= code < k + self.window else off for k in (lower, min(lower + 1, self.levels - 1)))
        return (low * (WORD - up) + high * up) / WORD**2

    def variance(self, numbers: ArrayLike) -> NDArray[np.float64]:
        """The exact variance of one report's estimate of each number, shape (n,); n times that of a mean."""
        values = Scaled.of(numbers, 1).records[:, 0]
        return self._told.moment(values) - values**2

    @property
    def worst_variance(self) -> float:
        """The largest variance of all numbers in [-1, 1]."""
        return self._told.worst_variance()

    @property
    def average_variance(self) -> float:
        """The variance averaged over [-1, 1]."""
        return self._told.average_variance

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""
        return f"levels levels={self.levels} window={self.window} threshold={self.threshold}"

    @property
    def moments(self) -> Moments:
        """The number itself."""
        return Moments.first(1)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """Everybody gives the one answer, about more than the mean."""
        return ((Answer(((0,),), self.level),),)

    @property
    def outputs(self) -> int:
        """The number g + w - 1."""
        return self.levels + self.window - 1

    @property
    def informative(self) -> bool:
        """Whether a level's codes are likelier than others."""
        return (self.levels - 1) * self.threshold > self.window * (WORD - self.threshold)

    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The mean of what the codes count as, shape (1,)."""
        counts = self.own_counts(aggregate)
        return np.array([counts @ self._told.contributions / aggregate.n])

    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The variance among the codes over n - 1, shape (1, 1); never below that of people who are all 0."""
        counts, told = self.own_counts(aggregate), self._told
        spread = counts @ (told.contributions - self.means(aggregate)) ** 2 / max(aggregate.n - 1, 1)
        return np.array([[max(float(spread), told.least) / aggregate.n]])

    def noise(self) -> NDArray[np.float64]:
        """The largest E[g^2 | x] of all x, that of x = 1; `variance` tells it for each."""
        return self._told.moment(np.ones(1))

    def expected_variance(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of E[g^2 | x] less the squared mean, shape (1,)."""
        numbers = records[:, 0]
        return np.array([self._told.moment(numbers).mean() - numbers.mean() ** 2])

    def largest_variance(self, share: float = 1.0) -> NDArray[np.float64]:
        """The largest E[g^2 | x] / share - x^2 of all x; with share 1 the largest variance."""
        return np.array([self._told.worst_variance(share)])

    def _sample(self, values: NDArray[np.float64], stream: Stream) -> Words:
        lower, up = self._rounding(values[:, 0])
        level = lower + (stream.next() < up)
        np.minimum(level, self.levels - 1, out=level)
        outside = stream.next() >= np.uint64(self.threshold)
        codes = uniform_below_either((self.window, self.levels - 1), outside, stream).view(np.int64)
        # Others come in order without the window.
        moved = (codes >= level) * self.window
        codes += level + outside * (moved - level)
        return codes.view(np.uint64)

    def _rounding(self, numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], Words]:
        """The level below each number, and the probability of the next one times 2^64."""
        place = (numbers + 1) * ((self.levels - 1) / 2)
        lower = np.clip(np.floor(place), 0, self.levels - 1)
        up = np.clip(place - lower, 0, np.nextafter(1.0, 0.0)) * float(WORD)
        # Whatever is no number is some level like any other.
        with np.errstate(invalid="ignore"):
            return np.clip(lower.astype(np.int64), 0, self.levels - 1), whole(up)

    @cached_property
    def _told(self) -> "_Moments":
        if not self.informative:
            raise SordinoError(
                "reports must depend on the numbers to be estimated from",
                found="an epsilon so small that they do not",
                step="raise epsilon",
            )
        return _Moments.of(self.levels, self.window, self.threshold / WORD)


@dataclass(frozen=True, eq=False)
class _Moments:
    """What the codes count as, and their second moments.

    Attributes:
        levels: g.
        window: w.
        contributions: what each code counts as, shape (outputs,).
        least: A, E[g^2 | 0] for a level at 0.
        growth: 1 / (D w), how E[g^2] grows with x^2 from level to level.
    """

    levels: int
    window: int
    contributions: NDArray[np.float64]
    least: float
    growth: float

    @classmethod
    def of(cls, levels: int, window: int, inside: float) -> "_Moments":
        """Of the probability that a code is in its window."""
        codes = levels + window - 1
        other = (1 - inside) / (levels - 1)
        more = inside / window - other
        if more <= 0:
            return cls(levels, window, np.full(codes, np.nan), np.inf, np.inf)
        slope = more * window * (levels - 1) / 2
        squares = other * codes * (codes**2 - 1) / 12 + more * window * (window**2 - 1) / 12
        contributions: NDArray[np.float64] = (np.arange(codes, dtype=np.float64) - (codes - 1) / 2) / slope
        return cls(levels, window, contributions, squares / slope**2, 1 / (more * window))

    def moment(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[g^2 | x], shape (n,)."""
        grid = np.linspace(-1, 1, self.levels)
        moment: NDArray[np.float64] = self.least + self.growth * np.interp(numbers, grid, grid**2)
        return moment

    def at_end(self, share: float) -> float:
        """E[g^2 | x] / share - x^2 at x = 1."""
        return (self.least + self.growth) / share - 1

    def worst_variance(self, share: float = 1.0) -> float:
        """The largest E[g^2 | x] / share - x^2: between any two levels, where a parabola has its top, or at an end."""
        if not np.isfinite(self.growth):
            return np.inf
        grid = np.linspace(-1, 1, self.levels)
        tops = np.clip(self.growth / share * (grid[1:] + grid[:-1]) / 2, grid[:-1], grid[1:])
        return float((self.moment(tops) / share - tops**2).max())

    @property
    def average_variance(self) -> float:
        """The chords of x^2 lie a sixth of the squared step above it, on average."""
        step = 2 / (self.levels - 1)
        return self.least + self.growth * (1 / 3 + step**2 / 6) - 1 / 3
