"""How exact any mechanism with a promise can be: a floor on the total variation, and on the people.

The floor holds for every mechanism that keeps the promise, one for all people or one for each, and every estimator: in
some population the expected total variation distance of its estimate is at least that much. It is not asymptotic.

A block of k values has a mass P in a hard population, spread evenly but for shares P (1 + theta_x) / k, with theta
uniform on the points of the cube [-gamma, gamma]^k that sum to 0. With m = k - 1 and n people:

1. A mean absolute error is at least e^h / (2 e), with h the entropy of what is unknown given all reports (Laplace's
   distribution has the largest). That of theta is m ln(2 gamma) + ln s_m before, where s_m is the chance that m numbers
   uniform on [-1, 1] sum to at most 1 in absolute value.
2. Reports are independent given theta, so they reveal at most n times the most that one does, and that is at most
   kappa / 2 times the mean of r^2 over codes, r = (M_theta - M_0) / M_0, M the chance of a code: theta and -theta are
   as likely, |r| <= gamma, and (1 + r) ln(1 + r) + (1 - r) ln(1 - r) is at most kappa r^2, where
   kappa = ((1 + gamma) ln(1 + gamma) + (1 - gamma) ln(1 - gamma)) / gamma^2.
3. Each theta_x has a variance of at most gamma^2 / 3. So one report reveals at most kappa gamma^2 P m c / 6 nats, where
   c m^2 is the largest variance of a code's likelihood over the values, their mean scaled to 1:

       values protected from each other    c m^2 = max over j of j (k - j) (e^eps - 1)^2 / (k + j (e^eps - 1))^2
       the values that are not sensitive   c m   = 1 - e^-eps: the rest of each report is as of a sensitive value

   The first since this ratio of a square and a squared mean is largest at corners, where each value has the largest or
   the least likelihood. The second since a code's likelihood is F + e^-eps times that of a sensitive value, and F adds
   up to 1 - e^-eps over the codes.

Together: the expected distance is at least, for any masses and any gamma up to 1, the sum over blocks of

    P gamma s_m^(1/m) / (2 e) exp(-n kappa gamma^2 P c / 6)

With many people the best mechanisms are a factor of 2.1 to 2.8 above it. Source: context-aware LDP paper, Theorems 3
and 4, Sections 5.2 and 6.2, whose orders have constants here; the proof is by entropy, where theirs is by packing.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, e, expm1, factorial, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, shown

ROUNDING = 1e-9
"""Relative: floors are lowered by so much."""

EXACT = 40
"""Numbers up to which the chance of their sum is worked out; beyond, Chebyshev's inequality bounds it."""

STEPS = np.linspace(0.7, 1.1, 9)
"""Around the best gamma for kappa = 1, which are tried."""

SPLITS = np.linspace(0.0, 1.0, 33)
"""Masses of the sensitive values that are tried."""

MOST_PEOPLE = 10**18


@dataclass(frozen=True, eq=False)
class MinimaxFloor:
    """A floor, and the middle of the hard populations.

    Attributes:
        total_variation: no mechanism has a smaller expected distance in all populations.
        shares: shape (k,): around these all mechanisms are as bad.
    """

    total_variation: float
    shares: Floats


@dataclass(frozen=True, eq=False)
class HardBlock:
    """Values among which shares are hard to tell.

    Attributes:
        values: their indices, shape (k,).
        c: how much one report can reveal, as in the text above.
    """

    values: NDArray[np.intp]
    c: float

    @property
    def difficulty(self) -> float:
        """The floor for one person and all of the mass, up to a constant, for many people."""
        return _spread(len(self.values) - 1) / sqrt(self.c)

    def floor(self, mass: float, people: int) -> float:
        """The block's part of the floor."""
        if mass <= 0:
            return 0.0
        gamma = np.minimum(sqrt(3 / (people * mass * self.c)) * STEPS, 1.0)
        rest = 1 - gamma
        # 0 ln 0 is 0.
        kappa = ((1 + gamma) * np.log1p(gamma) + rest * np.log(np.where(rest > 0, rest, 1.0))) / gamma**2
        each = (
            mass
            * gamma
            * _spread(len(self.values) - 1)
            / (2 * e)
            * np.exp(-people * kappa * gamma**2 * mass * self.c / 6)
        )
        return float(each.max()) * (1 - ROUNDING)


@checked
def total_variation_floor(
    definition: LDP | BlockLDP | HighLowLDP, people: int, values: int | None = None
) -> MinimaxFloor:
    """The least expected total variation that any mechanism with a promise can have in all populations.

    Source: context-aware LDP paper, Section 5.2 and Section 6.2, with constants.

    Args:
        people: who answer once each, independently.
        values: how many values there are, for LDP alone.

    Raises:
        SordinoError: no people, or no number of values.

    Example:
        >>> from sordino import LDP, HighLowLDP
        >>> round(total_variation_floor(LDP("1"), 1_000_000, values=100).total_variation, 4)
        0.0354
        >>> sensitive = HighLowLDP(1000, range(50), "1")
        >>> round(total_variation_floor(sensitive, 100_000).total_variation, 4)
        0.0581
    """
    if people < 1:
        raise SordinoError("a floor needs one person at least", found=shown(people))
    return _floor(_blocks(definition, values), definition, people, values)


@checked
def people_floor(definition: LDP | BlockLDP | HighLowLDP, total_variation: float, values: int | None = None) -> int:
    """The fewest people with whom a mechanism with a promise can reach an expected total variation in all populations.

    Source: context-aware LDP paper, Theorem 3 and Theorem 4, their lower bounds with constants.

    Args:
        total_variation: above 0.
        values: how many values there are, for LDP alone.

    Raises:
        SordinoError: a distance that is not above 0, or no number of values.

    Example:
        >>> from sordino import BlockLDP, Blockwise, people_needed
        >>> blocks = [range(start, start + 20) for start in range(0, 200, 20)]
        >>> people_floor(BlockLDP(blocks, "1"), 0.05), people_needed(Blockwise(blocks, "1"), total_variation=0.05)
        (168816, 848989)
    """
    if not (total_variation > 0 and isfinite(total_variation)):
        raise SordinoError("total_variation must be above 0 and finite", found=shown(total_variation))
    blocks = _blocks(definition, values)
    low, high = 1, 1
    while _floor(blocks, definition, high, values).total_variation > total_variation:
        low, high = high, 2 * high
        if high > MOST_PEOPLE:
            raise SordinoError(
                f"people are counted up to {MOST_PEOPLE:.0e}", found=f"above {low:.0e}", step="allow more error"
            )
    # Below `low` all floors are above the distance: true floors only fall as people are added.
    while high - low > 1:
        middle = (low + high) // 2
        if _floor(blocks, definition, middle, values).total_variation > total_variation:
            low = middle
        else:
            high = middle
    return high


def _floor(
    blocks: list[HardBlock], definition: LDP | BlockLDP | HighLowLDP, people: int, values: int | None
) -> MinimaxFloor:
    k = values if isinstance(definition, LDP) else _values_of(definition)
    if not blocks or k is None:
        return MinimaxFloor(0.0, np.full(k or 1, 1 / (k or 1)))
    total = sum(block.difficulty**2 for block in blocks)
    masses = [[block.difficulty**2 / total for block in blocks]]
    if len(blocks) == 2:
        masses += [[float(split), 1 - float(split)] for split in SPLITS]
    found = [sum(b.floor(mass, people) for b, mass in zip(blocks, own, strict=True)) for own in masses]
    best = int(np.argmax(found))
    shares = np.zeros(k)
    for block, mass in zip(blocks, masses[best], strict=True):
        shares[block.values] = mass / len(block.values)
    return MinimaxFloor(found[best], shares)


def _blocks(definition: LDP | BlockLDP | HighLowLDP, values: int | None) -> list[HardBlock]:
    """Sets of two values or more that are hard to tell from each other; others add nothing."""
    epsilon = definition.epsilon.ceil()
    if isinstance(definition, LDP) is (values is None):
        step = "give values with LDP, and leave it out otherwise"
        raise SordinoError("the number of values must be known once", found=shown(values), step=step)
    if isinstance(definition, HighLowLDP):
        free = np.flatnonzero(~definition.is_sensitive)
        sets = [(definition.sensitive, _protected_values(len(definition.sensitive), epsilon))]
        sets.append((free, -expm1(-epsilon) / max(len(free) - 1, 1)))
    else:
        partition = Partition.of([range(values or 1)]) if isinstance(definition, LDP) else definition.partition
        groups = np.split(partition.order, partition.starts[1:])
        sets = [(own, _protected_values(len(own), epsilon)) for own in groups]
    return [HardBlock(own, max(c, np.finfo(float).tiny)) for own, c in sets if len(own) > 1]


def _protected_values(k: int, epsilon: float) -> float:
    """The c of a block of k values that are protected from each other."""
    if k == 1:
        return 0.0
    rise = expm1(epsilon)
    best = k / (rise + 2)
    sizes = {min(max(size, 1), k - 1) for size in (int(best), ceil(best))}
    return max(size * (k - size) * (rise / (k + size * rise)) ** 2 for size in sizes) / (k - 1) ** 2


@lru_cache(maxsize=1 << 10)
def _spread(m: int) -> float:
    """s_m^(1/m), rounded down."""
    if m > EXACT:
        # The density of the sum falls from 0 on, so the chance of [-1, 1] is at least that of [-t, t] over t; with
        # t^2 = m and a variance of m / 3 that is 2/3 at least.
        return float((2 / (3 * sqrt(m))) ** (1 / m)) * (1 - ROUNDING)
    return float(float(_irwin_hall(m, Fraction(m + 1, 2)) - _irwin_hall(m, Fraction(m - 1, 2))) ** (1 / m)) * (
        1 - ROUNDING
    )


def _irwin_hall(m: int, x: Fraction) -> Fraction:
    """The chance that m numbers uniform on [0, 1] sum to at most x."""
    terms = ((-1) ** j * comb(m, j) * (x - j) ** m for j in range(int(x) + 1) if j <= m)
    return sum(terms, Fraction(0)) / factorial(m)


def _values_of(definition: BlockLDP | HighLowLDP) -> int:
    return definition.k if isinstance(definition, HighLowLDP) else definition.partition.k
