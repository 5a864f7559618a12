"""One of several statistics of a record of numbers, drawn without looking at the record, by one bit.

Guarantee: epsilon_s-LDP for a person who was drawn to answer about the statistic s, exactly, so the largest epsilon_s
for everybody; one attribute of the record loses what the sampling rule says (`definition.sampling`). A person is drawn
for s with probability w_s / sum(w); code = 2 s + bit, so the draw is public. The bit is that of `OneBit`.
The estimate of a mean is C_s times the mean of 2 bit - 1 over those who were drawn for it. With weights in proportion
to C_s, which are the best, the sum of `noise` is (sum C_s)^2: n times the total squared error, less the mean of the
squared statistics (exactly for an estimate that divides by the expected numbers, and less for this one, see
`signed`). Cost: two words a person, however many statistics.
Source: BCDP paper, read per statistic; the rule is proved for one answer, once, by each person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import gcd
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.sampling import Answer, AnswerType
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.entries import Entries
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import Brief, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.sign import HALF, SignCoins
from sordino.exact.source import LARGEST_BOUND, Stream, Words, uniform_below
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.signed import (
    bit_level,
    bit_scale,
    means_of_signs,
    read_threshold,
    require_informative,
    variances_of_signs,
)

LARGEST_TABLE = 1 << 20
"""Weights together for which a draw is looked up in a table."""


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class SampledBits(Brief, NumberChannel):
    """One bit about one of several statistics.

    Attributes:
        asked: the statistics.
        thresholds: of each one's coin, as in `OneBit`.
        weights: whole numbers; a person is drawn for s with probability weights[s] / sum(weights).

    Example:
        >>> mechanism = SampledBits(Moments.first(2), ["ln 3", "ln 2"], [2, 3])
        >>> mechanism.noise()
        array([10., 15.])
    """

    name: ClassVar[str] = "bits"

    asked: Moments
    thresholds: tuple[int, ...]
    weights: tuple[int, ...]

    def __init__(self, moments: Moments, levels: Sequence[NatsLike], weights: Sequence[int]) -> None:
        if isinstance(levels, str) or len(levels) != moments.m:
            raise SordinoError(f"there must be an epsilon for each of {moments.m} statistics", found=str(len(levels)))
        bounds = [read_epsilon(level) for level in levels]
        coins = {bound: largest_threshold(bound) for bound in set(bounds)}
        self._set(moments, [coins[bound] for bound in bounds], weights)

    @classmethod
    @checked
    def from_thresholds(cls, moments: Moments, thresholds: Sequence[int], weights: Sequence[int]) -> Self:
        """The channel of a frozen plan, with its own integers; `levels` tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set(moments, thresholds, weights)
        return mechanism

    @property
    def description(self) -> str:
        """What a person answers, in a few words."""
        m = self.asked.m
        return "one bit about one number" if m == 1 else f"one bit about one of {m} numbers"

    @property
    def record(self) -> dict[str, Any]:
        """Each statistic by the places of its numbers, its coin's threshold and its weight."""
        return {
            "d": self.d,
            "statistics": [list(name) for name in self.asked.names],
            "thresholds": list(map(str, self.thresholds)),
            "weights": list(self.weights),
        }

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        """All stands in the record."""
        del promise
        moments = Moments(entries.whole("d"), entries.tuples("statistics"))
        return cls.from_thresholds(moments, entries.integers("thresholds"), entries.wholes("weights"))

    def _set(self, moments: Moments, thresholds: Sequence[int], weights: Sequence[int]) -> None:
        if len(thresholds) != moments.m:
            raise SordinoError(
                f"there must be a threshold for each of {moments.m} statistics", found=str(len(thresholds))
            )
        whole = all(type(weight) is int and weight >= 1 for weight in weights)
        if len(weights) != moments.m or not whole or sum(weights) > LARGEST_BOUND:
            raise SordinoError(
                f"each of {moments.m} statistics must have a whole weight >= 1, {LARGEST_BOUND} together at most",
                found=shown(list(weights)),
                step="leave out what nobody is asked",
            )
        object.__setattr__(self, "asked", moments)
        object.__setattr__(self, "thresholds", tuple(read_threshold(threshold) for threshold in thresholds))
        object.__setattr__(self, "weights", tuple(weights))

    @cached_property
    def levels(self) -> tuple[Nats, ...]:
        """The loss of an answer about each statistic at most, exactly."""
        return tuple(bit_level(threshold) for threshold in self.thresholds)

    def codes(self, which: int) -> Sequence[int]:
        """Both of the statistic."""
        return range(2 * which, 2 * which + 2)

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        which, bit = divmod(code, 2)
        weights, unit = self.laws(np.array([record], dtype=np.float64), which)
        return int(weights[0, bit]) * unit

    def laws(self, records: NDArray[np.float64], which: int) -> tuple[NDArray[Any], Fraction]:
        """The probabilities of both codes of a statistic, as the sampler makes them."""
        numbers = self.asked.drawn(records, np.full(len(records), which))
        one = self._coins.weights(numbers, which)
        # Below 2^64, both of them: 0 less the one is what it leaves of 2^64.
        return np.stack([np.uint64(0) - one, one], axis=1), Fraction(self.weights[which], self._total * WORD)

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text (what is long by its hash)."""
        plan = repr((self.asked.names, self.thresholds, self._shares))
        return f"sampled-bits d={self.d} m={self.asked.m} plan={sha256(plan.encode()).hexdigest()}"

    @property
    def moments(self) -> Moments:
        """The statistics that are asked."""
        return self.asked

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """One statistic each."""
        answers = zip(self.asked.names, self.levels, strict=True)
        return tuple((Answer((name,), level, linear=True),) for name, level in answers)

    @property
    def outputs(self) -> int:
        """Two codes a statistic."""
        return 2 * self.asked.m

    @property
    def informative(self) -> bool:
        """Whether each bit depends on its statistic."""
        return min(self.thresholds) > HALF

    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """C_s times the mean of 2 bit - 1 of those who were drawn for s, shape (m,)."""
        return means_of_signs(self._signs(aggregate), self._scales, self.asked.names)

    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """Diagonal, shape (m, m), given who was drawn: those who answer about two statistics are different people."""
        return np.diag(variances_of_signs(self._signs(aggregate), self._scales, self.asked.names))

    def noise(self) -> NDArray[np.float64]:
        """C_s^2 sum(w) / w_s."""
        noise: NDArray[np.float64] = self._scales**2 * sum(self.weights) / np.array(self.weights)
        return noise

    def expected_variance(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """(C_s^2 - mean^2) sum(w) / w_s: of those who were drawn, up to how many they happen to be."""
        means = self.asked.values(records).mean(axis=0)
        variance: NDArray[np.float64] = (self._scales**2 - means**2) * sum(self.weights) / np.array(self.weights)
        return variance

    def _sample(self, values: NDArray[np.float64], stream: Stream) -> Words:
        return self._answer(values, stream, stream)

    def _answer(self, records: NDArray[np.float64], public: Stream, stream: Stream) -> Words:
        which = self._draw(len(records), public)
        bits = self._coins.positive(self.asked.drawn(records, which), stream.next(), which)
        codes = which.view(np.uint64)
        codes <<= np.uint64(1)
        codes |= bits
        return codes

    def _draw(self, count: int, public: Stream) -> NDArray[np.intp]:
        """Which statistic each of some people is asked, shape (count,); no words where there is only one."""
        if self.asked.m == 1:
            return np.zeros(count, dtype=np.intp)
        choice = uniform_below(sum(self._shares), public).view(np.int64)
        if self._table is None:
            return np.searchsorted(np.cumsum(self._shares), choice, side="right")
        return choice if len(self._table) == self.asked.m else self._table.take(choice).astype(np.intp)

    @cached_property
    def _total(self) -> int:
        return sum(self.weights)

    @cached_property
    def _shares(self) -> tuple[int, ...]:
        """The weights in lowest terms."""
        common = gcd(*self.weights)
        return tuple(weight // common for weight in self.weights)

    @cached_property
    def _table(self) -> NDArray[np.unsignedinteger] | None:
        """Each statistic as often as its share, where these are few together; in few bytes, for the cache."""
        if sum(self._shares) > LARGEST_TABLE:
            return None
        return np.repeat(np.arange(self.asked.m, dtype=np.min_scalar_type(self.asked.m - 1)), self._shares)

    def _signs(self, aggregate: Aggregate) -> NDArray[np.int64]:
        return self.own_counts(aggregate).reshape(-1, 2)

    @cached_property
    def _scales(self) -> NDArray[np.float64]:
        require_informative(self.informative)
        return np.array([float(bit_scale(threshold)) for threshold in self.thresholds])

    @cached_property
    def _coins(self) -> SignCoins:
        return SignCoins(self.thresholds)
