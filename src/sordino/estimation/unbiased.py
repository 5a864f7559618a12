"""The unbiased estimate of a histogram and its exact variance, from a law of codes, which is decoded once for both.

The same serves data (the counters of the reports, divided by their number) and plans (the counters that
`forward` predicts).
Optionally the estimates of each block are shifted so that they add up to the block's own share, which is known
without noise. Decide that before the data: choosing it by the counts would bias the result.

Source: context-aware LDP paper, (15) to (19), as corrected.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a law of codes tells of each value, decoded when it is first needed and once: a pass over all counters.

    Attributes:
        law: shape (counters,), the tally divided by the number of reports.
    """

    mechanism: Mechanism
    law: Floats

    @cached_property
    def mean(self) -> Floats:
        """The mean of each g_x, shape (k,): the estimate, not shifted. Not to be changed."""
        return self.mechanism.decode(self.law)

    @cached_property
    def second_moment(self) -> Floats:
        """The mean of each g_x squared, shape (k,). Not to be changed."""
        return self.mechanism.decode_squares(self.law)

    def estimate(self, *, subtract_totals: bool = False) -> Floats:
        """As `unbiased`, in a new array."""
        estimate = self.mean.copy()
        if subtract_totals:
            _excess(self.mechanism)
            blocks = self.mechanism.partition
            excess = (blocks.totals(estimate) - self.mechanism.block_shares(self.law)) / blocks.sizes
            estimate -= excess[blocks.block]
        return estimate

    def unit_variance(self, *, subtract_totals: bool = False) -> Floats:
        """As the function `unit_variance`, in a new array."""
        moment = self.second_moment.copy()
        if subtract_totals:
            # (g_x(y) - h(y))^2, with h(y) the block's average excess on code y.
            mechanism, excess, blocks = self.mechanism, _excess(self.mechanism), self.mechanism.partition
            shift = mechanism.decode(self.law * excess)
            shift *= -2
            shift += mechanism.block_shares(self.law * excess**2)[blocks.block]
            moment += shift
            del shift
        estimate = self.estimate(subtract_totals=subtract_totals)
        moment -= np.square(estimate, out=estimate)
        return np.maximum(moment, 0.0, out=moment)

    def powers(self, count: int, *, subtract_totals: bool = False) -> Floats:
        """The means of the first powers of what a report adds to each estimate, shape (count, k)."""
        mechanism, law = self.mechanism, self.law
        if not subtract_totals:
            higher = [mechanism.decode_powers(law, power) for power in range(3, count + 1)]
            return np.stack([self.mean, self.second_moment, *higher][:count])
        shift, block = -_excess(mechanism), mechanism.partition.block
        found = np.stack([mechanism.block_shares(law * shift**power)[block] for power in range(1, count + 1)])
        for own in range(1, count + 1):
            for power in range(own, count + 1):
                found[power - 1] += comb(power, own) * mechanism.decode_powers(law * shift ** (power - own), own)
        return found

    def covariance(self, functionals: Floats, *, subtract_totals: bool = False) -> Floats:
        """The covariance, times n, of the estimates of linear functionals of the shares, shape (m, m).

        Raises SordinoError: a tally that does not tell it.

        Args:
            functionals: of the values, shape (m, k).
        """
        moments = self.mechanism.second_moments(functionals, self.law, subtract_totals=subtract_totals)
        mean = functionals @ self.estimate(subtract_totals=subtract_totals)
        return moments - np.outer(mean, mean)


@dataclass(frozen=True, eq=False)
class Functionals:
    """Linear functionals of the shares, with the variances of their estimates: of reports, and of a plan.

    Attributes:
        weights: of the values, shape (m, k).
    """

    mechanism: Mechanism
    weights: Floats
    subtract_totals: bool = False

    def variances(self, decoded: Decoded, n: int) -> Floats:
        """Of the estimates by n reports, times n, shape (m,); as far as the reports tell.

        The plug-in variance is right on average, but 0 where all reports say the same. The share of some values
        together that is estimated nearer to 0 or 1 than one person makes it is taken to be there, as in
        `variance_of_reports`, and all answers to vary as little as those of any of these values, and of the others.
        Whatever else is weighed varies at least as the answers of people who all have one value.
        """
        value = self.weights @ decoded.estimate(subtract_totals=self.subtract_totals)
        found = self._squares @ decoded.law - value**2
        least = np.maximum((self.squares_of_value - self.weights**2).min(axis=1), 0.0)
        share, inside = np.clip(value, 1 / (n + 1), n / (n + 1)), self.weights == 1
        some = (inside | (self.weights == 0)).all(axis=1) & inside.any(axis=1) & ~inside.all(axis=1)
        for row in np.flatnonzero(some & (share != value)):
            own, others = (self.squares_of_value[row, which].min() for which in (inside[row], ~inside[row]))
            least[row] = share[row] * own + (1 - share[row]) * others - share[row] ** 2
        variances: Floats = np.maximum(found, least)
        return variances

    def expected_variances(self, shares: Floats) -> Floats:
        """Of the estimates by n reports of people with these shares, times n, shape (m,)."""
        return self.squares_of_value @ shares - (self.weights @ shares) ** 2

    @cached_property
    def _squares(self) -> Floats:
        return self.mechanism.square_weights(self.weights, subtract_totals=self.subtract_totals)

    @cached_property
    def squares_of_value(self) -> Floats:
        """The mean square of what the reports of each value add, shape (m, k)."""
        return self.mechanism.adjoint(self._squares)


def estimate_shares(mechanism: Mechanism, law: Floats, *, subtract_totals: bool = False) -> Floats:
    """The estimate of each value's share, shape (k,); may be negative.

    Args:
        law: shape (counters,), the tally divided by the number of reports.
        subtract_totals: shift each block's estimates to add up to the share of the block.
    """
    return Decoded(mechanism, law).estimate(subtract_totals=subtract_totals)


def unit_variance(mechanism: Mechanism, law: Floats, *, subtract_totals: bool = False) -> Floats:
    """The variance, times n, of each estimate for independent people whose counters have this mean, shape (k,).

    With the empirical law it is the plug-in variance. An estimate is the mean over reports of a function g_x(y) of
    the code; its variance is the mean of g_x(y)^2 less the squared estimate.
    """
    return Decoded(mechanism, law).unit_variance(subtract_totals=subtract_totals)


def variance_of_reports(decoded: Decoded, n: int, *, subtract_totals: bool = False) -> Floats:
    """The variance, times n, of each estimate, as far as the reports tell, shape (k,): positive if k > 1.

    The plug-in variance, which is right on average, and zero where all reports say the same, so that nobody was seen
    with a value, or nobody without. What it lacks there is known: whatever the population, a share p has at least the
    variance p own + (1 - p) least - p^2, with the second moments of `Mechanism.squares`. It is taken at the nearest
    share to the estimate that some population of n + 1 people has that is not all alike.
    """
    plain = decoded.unit_variance()
    if decoded.mechanism.k == 1:
        return plain
    share, squares = np.clip(decoded.mean, 1 / (n + 1), n / (n + 1)), decoded.mechanism.squares
    lacking = np.maximum(share * squares.own + (1 - share) * squares.least - share**2 - plain, 0.0)
    return lacking + (decoded.unit_variance(subtract_totals=True) if subtract_totals else plain)


def leverage(mechanism: Mechanism, *, subtract_totals: bool = False) -> float:
    """How many people one forged report can weigh in an estimate, at most; infinite if nothing can be learned."""
    return float(leverages(mechanism, subtract_totals=subtract_totals).max()) if mechanism.informative else np.inf


def leverages(mechanism: Mechanism, *, subtract_totals: bool = False) -> Floats:
    """How many people one forged report can weigh in each value's estimate, at most, shape (k,).

    The swing of g_x(y) over the codes y, where every report of another block gives 0.
    """
    least, most = amount_ends(mechanism, subtract_totals=subtract_totals)
    return most - least


def amount_ends(mechanism: Mechanism, *, subtract_totals: bool = False) -> tuple[Floats, Floats]:
    """The least and the largest amount that a report can add to each value's estimate, shape (k,) each."""
    least, most = mechanism.contribution_range
    if not subtract_totals:
        return least, most
    # The total of a value alone in its block is the block's share: a report moves it by one person.
    blocks, excess = mechanism.partition, _excess(mechanism)
    several = blocks.sizes[blocks.block] > 1
    return np.where(several, least - excess.max(), 0.0), np.where(several, most - excess.min(), 1.0)


def _excess(mechanism: Mechanism) -> Floats:
    excess = mechanism.excess
    if excess is None:
        raise SordinoError("the tally must give each report's excess", step="do not subtract totals here")
    return excess
