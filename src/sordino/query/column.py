"""What a channel from two values makes of one code: the two probabilities that evidence about a number is made of.

With s the share of the way from value 0 to value 1 at which a record is read, Pr(code | x) = W[0] + s (W[1] - W[0]): so
its logarithm is that of an affine function of the share, or of 1 less the share, that rises from the smaller of the two
probabilities to the larger one.
Units: nats. Cost: worked out once for each mechanism and code.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sordino.errors import SordinoError
from sordino.evidence.box_evidence import UNIT
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

GRAIN = 2.0**-63
"""By how much rounding at random may miss the share, and then some: its threshold is a whole number over 2^64."""

SHORT = 1 << 32
"""Ratios with larger numbers are rounded."""


@dataclass(frozen=True)
class Column:
    """Two weights of a channel.

    Attributes:
        least: the smaller probability, to the nearest float.
        rise: how much more the larger one is, to the nearest float; 0 where the code tells nothing.
        odds: rise over least, to the nearest float.
        rising: whether value 1 has the larger probability.
        epsilon: the logarithm of their ratio; of one of many digits rounded up to forty, so that sums stay short.
        level: the same in floats, rounded up.
    """

    least: float
    rise: float
    odds: float
    rising: bool
    epsilon: Nats
    level: float

    @property
    def flat(self) -> bool:
        return self.rise == 0

    def radius(self, off: float) -> float:
        """How far ln Pr(code) may be off, in nats, where the share that is read is off by so much."""
        relative = self.rise * (off + GRAIN + 8 * UNIT) / self.least
        return relative / (1 - relative) if relative < 1 else math.inf


@lru_cache(maxsize=1 << 10)
def column_of(mechanism: Mechanism, code: int) -> Column:
    """The column of a code."""
    if not 0 <= code < mechanism.outputs:
        known = "0 or 1" if mechanism.outputs == 2 else f"in 0..{mechanism.outputs - 1}"
        raise SordinoError(f"an answer must be {known}", found=shown(code))
    weights = mechanism.weight(0, code), mechanism.weight(1, code)
    small, large = min(weights), max(weights)
    if not small:
        found = "one that rules a value out" if large else "one that cannot be given"
        raise SordinoError("an answer about a number must be possible at either end", found=found)
    denominator, rising = mechanism.denominator, weights[1] >= weights[0]
    epsilon = _short(Nats.log(Fraction(large, small)))
    rise = large - small
    return Column(small / denominator, rise / denominator, rise / small, rising, epsilon, epsilon.ceil())


def _short(amount: Nats) -> Nats:
    """The amount where its digits are few, else the next one of forty digits: far less than a coin's granularity above.

    So the epsilon of a coin is never above the one that it was made for, but for amounts of as many digits.
    """
    return amount if amount.ratio.numerator < SHORT else Nats(amount.around()[1])


@lru_cache(maxsize=1 << 10)
def level_of_columns(mechanism: Mechanism) -> tuple[Nats, float]:
    """The most that a code of a channel from two values can tell, and the same in floats; both rounded up."""
    most = max(column_of(mechanism, code).epsilon for code in range(mechanism.outputs))
    return most, most.ceil()
