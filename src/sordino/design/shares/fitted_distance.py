"""How far the nearest distribution will be from the truth: there is no formula, so that surveys are simulated.

Tallies are drawn from the exact distribution of the codes and decoded, or where a tally does not count codes estimates
with normal errors: of their covariance where values are few, else of their variances. As many are drawn as the mean
needs: of many values one draw says nearly all. The draws are always the same: forecasts do not change from run to run.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from sordino.domain.value_partition import Partition
from sordino.estimation.simplex import project, project_rows
from sordino.estimation.unbiased import Decoded, estimate_shares
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism

FEWEST, MOST = 6, 400
"""Surveys that are simulated."""

MANY, FEWEST_OF_MANY = 1 << 16, 2
"""From so many values on a distance is the sum of so many errors that two surveys show how little it varies."""

PRECISION = 0.01
"""Relative standard error of a mean distance, from which on no more are."""

TOGETHER, VALUES_TOGETHER = 40, 1 << 12
"""Surveys that are drawn together at most, and their values."""

ROUNDING = 1e-9
"""Relative to a squared mean: above this a variance by running sums says something."""

CORRELATED = 128
"""Values up to which the covariances of errors are worked out; they are below 1 / k of the variances."""


class EstimatesPart(NamedTuple):
    """All that the estimates of a survey depend on before anybody is asked.

    Attributes:
        subtract_totals: whether estimates are shifted to the known share of their block.
        shares: of the values in the population, as the bytes of floats; None where all are alike.
    """

    fingerprint: str
    people: int
    subtract_totals: bool
    shares: bytes | None


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
    def key(self) -> "EstimatesPart":
        """All that a forecast depends on."""
        shares = None if self.shares is None else self.shares.tobytes()
        return EstimatesPart(self.mechanism.fingerprint, self.people, self.subtract_totals, shares)

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
        (value,), (totals,) = self.draw_several(rng, 1)
        return value, totals

    def draw_several(self, rng: np.random.Generator, surveys: int) -> tuple[Floats, Floats]:
        """The same of so many surveys, as if they were drawn one after the other, shape (n, k) and (n, blocks)."""
        mechanism = self.mechanism
        if mechanism.counts_codes:
            found = rng.multinomial(self.people, self.law, size=surveys) / self.people
            values = [estimate_shares(mechanism, one, subtract_totals=self.subtract_totals) for one in found]
            return np.stack(values), np.stack([mechanism.block_shares(one) for one in found])
        errors = rng.standard_normal((surveys, mechanism.k))
        values = [self._root @ one if self._root.ndim > 1 else self._root * one for one in errors]
        return self.truth + np.stack(values), np.broadcast_to(self._totals, (surveys, len(self._totals)))

    def nearest(self, value: Floats, totals: Floats) -> Floats:
        """The distribution that is fitted to them, shape (k,)."""
        return project(value, self._blocks, totals)

    def distances(self, values: Floats, totals: Floats) -> Floats:
        """Total variation between what is fitted to each of some surveys and the truth, shape (n,)."""
        if self._blocks.m > 1:
            return np.array([self.distance(self.nearest(*one)) for one in zip(values, totals, strict=True)])
        return np.array([self.distance(one) for one in project_rows(values, totals[:, 0])])

    @cached_property
    def _blocks(self) -> Partition:
        return self.mechanism.partition

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
    fewest = FEWEST if expected.mechanism.k < MANY else FEWEST_OF_MANY
    return mean_of_draws(_distances(expected), fewest)


def _distances(expected: ExpectedEstimates) -> Iterator[float]:
    rng = np.random.default_rng(0)
    together = max(1, min(TOGETHER, VALUES_TOGETHER // expected.mechanism.k))
    while True:
        yield from expected.distances(*expected.draw_several(rng, together)).tolist()


def mean_of_draws(draws: Iterator[float], fewest: int = FEWEST, most: int = MOST) -> float:
    """The mean of draws, which are made until its relative standard error is at most `PRECISION`."""
    found = np.empty(most)
    total = squares = 0.0
    for count, draw in enumerate(islice(draws, most), 1):
        found[count - 1] = draw
        total, squares = total + draw, squares + draw**2
        # Running sums, rounded, say where it is far from enough; else it is worked out.
        variance, mean = (squares - total**2 / count) / max(count - 1, 1), total / count
        if count < fewest or variance > 2 * (PRECISION * mean) ** 2 * count + ROUNDING * mean**2:
            continue
        own = found[:count]
        if np.std(own, ddof=1) <= PRECISION * np.mean(own) * np.sqrt(count):
            break
    return float(np.mean(found[:count]))
