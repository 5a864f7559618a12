"""How far the nearest distribution will be from the truth: there is no formula, so that surveys are simulated.

Tallies are drawn from the exact distribution of the codes and decoded, or where a tally does not count codes estimates
with normal errors: of their covariance where values are few, else of their variances. As many are drawn as the mean
needs: of many values one draw says nearly all. The draws are always the same: forecasts do not change from run to run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Decoded, estimate_shares
from sordino.exact.arrays import Floats
from sordino.mechanism.base import Mechanism

FEWEST, MOST = 6, 400
"""Surveys that are simulated."""

MANY, FEWEST_OF_MANY = 1 << 16, 2
"""From so many values on a distance is the sum of so many errors that two surveys show how little it varies."""

PRECISION = 0.01
"""Relative standard error of a mean distance, from which on no more are."""

CORRELATED = 128
"""Values up to which the covariances of errors are worked out; they are below 1 / k of the variances."""


@dataclass(frozen=True, eq=False)
class ExpectedEstimates:
    """The estimates of a survey that nobody has made yet.

    Attributes:
        shares: of the values in the population, shape (k,); all alike where None.
    """

    mechanism: Mechanism
    people: int
    subtract_totals: bool
    shares: Floats | None = None

    @property
    def key(self) -> tuple[str, int, bool, bytes | None]:
        """Equal where everything is that a forecast depends on."""
        shares = None if self.shares is None else self.shares.tobytes()
        return self.mechanism.fingerprint, self.people, self.subtract_totals, shares

    @cached_property
    def truth(self) -> Floats:
        """The shares of the values, shape (k,)."""
        alike = np.broadcast_to(1 / self.mechanism.k, self.mechanism.k)
        return alike if self.shares is None else self.shares

    @cached_property
    def variance(self) -> Floats:
        """Of each estimate, shape (k,)."""
        return self._decode.unit_variance(subtract_totals=self.subtract_totals) / self.people

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The estimates of one survey, shape (k,), and the shares of the blocks that it knows, shape (blocks,)."""
        mechanism = self.mechanism
        if mechanism.counts_codes:
            found = rng.multinomial(self.people, self.law) / self.people
            return estimate_shares(mechanism, found, subtract_totals=self.subtract_totals), mechanism.block_shares(
                found
            )
        errors = rng.standard_normal(mechanism.k)
        return self.truth + (self._root @ errors if self._root.ndim > 1 else self._root * errors), self._totals

    def nearest(self, value: Floats, totals: Floats) -> Floats:
        """The distribution that is fitted to them, shape (k,)."""
        return project(value, self.mechanism.partition, totals)

    def distance(self, fitted: Floats) -> float:
        """Total variation between what is fitted and the truth."""
        return float(np.abs(fitted - self.truth).sum()) / 2

    @cached_property
    def law(self) -> Floats:
        """The expected counters per report; of a tally that counts codes their probabilities, which add up to 1."""
        law: Floats = self.mechanism.forward(self.truth)
        if not self.mechanism.counts_codes:
            return law
        law = np.maximum(law, 0)
        law /= law.sum()
        return law

    @cached_property
    def _decode(self) -> Decoded:
        return Decoded(self.mechanism, self.law)

    @cached_property
    def _totals(self) -> Floats:
        return self.mechanism.block_shares(self._decode.law)

    @cached_property
    def _root(self) -> Floats:
        """What turns independent errors of size 1 into those of the estimates, shape (k, k); or (k,), times each."""
        k = self.mechanism.k
        if k > CORRELATED:
            return np.sqrt(self.variance)
        covariance = self._decode.covariance(np.eye(k), subtract_totals=self.subtract_totals) / self.people
        values, vectors = np.linalg.eigh(covariance)
        root: Floats = vectors * np.sqrt(np.maximum(values, 0))
        return root


def fitted_distance(expected: ExpectedEstimates) -> float:
    """The expected total variation between the nearest distribution and the truth; infinite where nothing is learned.

    Example:
        >>> from sordino import RandomizedResponse
        >>> few, many = (ExpectedEstimates(RandomizedResponse(9, "1"), n, False) for n in (1000, 100_000))
        >>> fitted_distance(few) > 5 * fitted_distance(many) > 0
        True
    """
    if not expected.mechanism.informative:
        return np.inf
    rng = np.random.default_rng(0)
    fewest = FEWEST if expected.mechanism.k < MANY else FEWEST_OF_MANY
    return mean_of_draws(lambda: expected.distance(expected.nearest(*expected.draw(rng))), fewest)


def mean_of_draws(draw: Callable[[], float], fewest: int = FEWEST, most: int = MOST) -> float:
    """The mean of draws, which are made until its relative standard error is at most `PRECISION`."""
    found: list[float] = []
    while len(found) < most:
        found.append(draw())
        if len(found) >= fewest and np.std(found, ddof=1) <= PRECISION * np.mean(found) * np.sqrt(len(found)):
            break
    return float(np.mean(found))
