"""The likelihood of reports about a value of a finite domain, exactly: how often each value had which weight.

Answers are counted, not multiplied: a likelihood is a product of few whole weights, each to the power of its count. All
values were told equally often, so the count of the lightest weight follows from the others and is not kept; and a
ratio of two values has the difference of their counts, however many answers there were.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int32]
"""Shape (weights but the lightest, k)."""


@dataclass(frozen=True, eq=False)
class CountedEvidence:
    """What reports say about each value that can cause them; of others nothing is told.

    Attributes:
        counts: for each row of whole weights > 0, ascending and without a common factor, how often each value had each
            of them but the first.

    Example:
        >>> twice = CountedEvidence(2).plus((1, 3), np.array([0, 1])).plus((1, 3), np.array([0, 1]))
        >>> dict(twice.ratio(1, 0)), twice.whole(np.array([True, True])).tolist()
        ({1: -2, 3: 2}, [1, 9])
    """

    k: int
    counts: Mapping[tuple[int, ...], Counts] = field(default_factory=dict)

    def plus(self, distinct: tuple[int, ...], place: NDArray[np.integer]) -> "CountedEvidence":
        """With one more report, of which each value has one of its distinct whole weights, ascending.

        A first weight of 0 is that of values that cannot cause it.
        """
        weights, own = own_weights(distinct, place)
        if len(weights) < 2:
            return self
        more = own == np.arange(1, len(weights))[:, None]
        before = self.counts.get(weights)
        after = more.astype(np.int32) if before is None else before + more
        return CountedEvidence(self.k, {**self.counts, weights: after})

    @cached_property
    def class_of_value(self) -> NDArray[np.integer]:
        """Equal numbers below k where all reports had equal weights, shape (k,)."""
        kinds = np.zeros(self.k, dtype=np.int64)
        for row in (row for counts in self.counts.values() for row in counts):
            # Numbers below k and counts below 2^31: their pairs fit.
            kinds = np.unique(kinds << 32 | row, return_inverse=True)[1]
        return kinds

    def ratio(self, heavy: int, light: int) -> Mapping[int, int]:
        """How much likelier the reports are under one value than under another: weights and their exponents."""
        powers: Counter[int] = Counter()
        for weights, counts in self.counts.items():
            differences = (counts[:, heavy].astype(np.int64) - counts[:, light]).tolist()
            powers[weights[0]] -= sum(differences)
            for weight, difference in zip(weights[1:], differences, strict=True):
                powers[weight] += difference
        return {weight: exponent for weight, exponent in powers.items() if exponent}

    def whole(self, possible: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Whole numbers in proportion to the likelihood, shape (k,), without shared powers; 0 where impossible."""
        total = np.full(self.k, 1, dtype=object)
        for weight, exponents in self._exponents():
            own = exponents - exponents[possible].min(initial=exponents.max())
            powers, which = np.unique(own[possible], return_inverse=True)
            total[possible] *= np.array([weight**power for power in powers.tolist()], dtype=object)[which]
        total[~possible] = 0
        return total

    @cached_property
    def bits(self) -> int:
        """As many as any of the `whole` numbers has, or more."""
        return sum(weight.bit_length() * int(np.ptp(exponents)) for weight, exponents in self._exponents())

    def _exponents(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        for weights, counts in self.counts.items():
            yield weights[0], -counts.sum(axis=0, dtype=np.int64)
            for weight, own in zip(weights[1:], counts, strict=True):
                yield weight, own.astype(np.int64)


def own_weights(distinct: tuple[int, ...], place: NDArray[np.integer]) -> tuple[tuple[int, ...], NDArray[np.integer]]:
    """The weights > 0 that values have, ascending and without a common factor, and which of them each value has.

    Args:
        distinct: whole weights, ascending.
        place: where each value's weight stands among them.

    Returns:
        Weights and places, shape (k,): -1 for a value of weight 0.
    """
    # Of a mechanism with many weights each answer has few.
    used, own = np.unique(place, return_inverse=True)
    weights = tuple(distinct[at] for at in used.tolist())
    if not weights[0]:
        weights, own = weights[1:], own - 1
    common = gcd(*weights)
    return tuple(weight // common for weight in weights), own
