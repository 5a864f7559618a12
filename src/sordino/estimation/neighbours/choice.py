"""Whether smoothed shares are nearer to the truth than the nearest distribution: a bootstrap from their own fit.

Shares are drawn from the posterior of the fit, then a survey of as many people with these shares; both methods are
given its tally, and their distances to the drawn shares compared. Where the reports do not tell whether shares are
spread or sparse, the fit is not the only one: the same is done with shares as sparse as the reports allow, since sparse
ones are where smoothing loses. Only where it wins in all of these simulated surveys is it offered.

Simulation, seeded from the tally so that the same reports give the same answer: nothing of it is a release, and no
word of it makes a report.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from sordino.estimation.neighbours.posterior import Floats
from sordino.estimation.neighbours.quantile_rule import scaled
from sordino.estimation.neighbours.ratio_prior import RatioPrior
from sordino.estimation.neighbours.smoothing import Smoothed, Surroundings, smoothed_map
from sordino.estimation.neighbours.sparse import sparse_prior
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import Decoded, variance_of_reports
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism

SPARSE = (0.35, 0.7, 1.4, 2.8)
"""Least shares of sparse alternatives, in standard errors."""

ALLOWED = 4.0
"""Nats by which the estimates may be less likely under an alternative that the reports allow."""

BETTER = 0.98
"""A larger ratio of the distances, in any of the simulated surveys, is no improvement."""

FEWEST = 100
"""Values: fewer tell too little of what shares are like."""

REPEATED = 5_000
"""Values, over all repetitions of a simulated survey, whose distances are averaged: of few values more surveys."""

Seeded = np.random.Generator


@dataclass(frozen=True)
class Choice:
    """What a bootstrap says of the smoothed shares.

    Attributes:
        smoothed, nearest: the total variation to the truth to be expected of either fit, if shares are like the fit.
        worst: the largest ratio of the two, over all that the reports allow shares to be like.
    """

    smoothed: float
    nearest: float
    worst: float

    @property
    def better(self) -> bool:
        """Whether the smoothed shares are nearer, whatever the reports allow shares to be like."""
        return self.worst <= BETTER


def offered(
    decoded: Decoded, aggregate: Aggregate, value: Floats, stderr: Floats, known: Surroundings, *, subtract: bool
) -> tuple[Floats | None, Choice | None]:
    """The smoothed shares of a tally if they are nearer, shape (k,), and what the bootstrap says; of few values None.

    Args:
        decoded: the law of the reports.
        aggregate: their tally.
        value: shape (k,), the unbiased estimates.
        stderr: shape (k,), their standard errors.
        known: beside the reports.
        subtract: whether estimates are shifted to the known share of their block.

    Raises:
        SordinoError: a shape or public numbers of another number of values.
    """
    mechanism = decoded.mechanism
    known.require(mechanism.k)
    if mechanism.k < FEWEST:
        return None, None
    fit = smoothed_map(value, stderr, mechanism.partition, mechanism.block_shares(decoded.law), known)
    choice = choose(mechanism, aggregate, fit, stderr, known, subtract=subtract)
    return fit.shares if choice.better else None, choice


def choose(
    mechanism: Mechanism, aggregate: Aggregate, fit: Smoothed, stderr: Floats, known: Surroundings, *, subtract: bool
) -> Choice:
    """Compare the two fits of a tally.

    Args:
        mechanism: made the reports.
        aggregate: their tally.
        fit: the smoothed shares.
        stderr: shape (k,), of the estimates that they were fitted to.
        known: beside the reports.
        subtract: whether estimates are shifted to the known share of their block.
    """
    seed = sha256(np.ascontiguousarray(aggregate.counts, dtype="<i8").tobytes()).digest()
    generator = np.random.default_rng(np.frombuffer(seed, dtype="<u4"))
    totals = mechanism.block_shares(aggregate.counts / aggregate.n)
    repeats = max(1, round(REPEATED / mechanism.k))
    compared = []
    for prior in _allowed(fit.prior, stderr, float(totals.sum())):
        posteriors, distances = prior.posteriors, []
        for _ in range(repeats):
            drawn = posteriors.quantiles(generator.random(mechanism.k)) * stderr
            truth = scaled(drawn, mechanism.partition, totals)
            distances.append(_distances(mechanism, truth, aggregate.n, known, generator, subtract=subtract))
        compared.append(np.mean(distances, axis=0))
    smoothed, nearest = compared[0].tolist()
    return Choice(smoothed, nearest, max(float(own[0] / own[1]) if own[1] > 0 else 1.0 for own in compared))


def _allowed(prior: RatioPrior, stderr: Floats, total: float) -> Iterator[RatioPrior]:
    """The fit's own prior, and sparse ones that the estimates do not speak against."""
    yield prior
    likelihood = prior.log_likelihood(prior.shares)
    for least in SPARSE:
        other = sparse_prior(prior, stderr, total, least)
        if other.log_likelihood(other.shares) >= likelihood - ALLOWED:
            yield other


def _distances(
    mechanism: Mechanism, truth: Floats, n: int, known: Surroundings, generator: Seeded, *, subtract: bool
) -> tuple[float, float]:
    """The total variation of either fit in one simulated survey of n people with these shares."""
    blocks = mechanism.partition
    if mechanism.counts_codes:
        law = np.maximum(mechanism.forward(truth), 0.0)
        law = generator.multinomial(n, law / law.sum()) / n
        decoded = Decoded(mechanism, law)
        value = decoded.estimate(subtract_totals=subtract)
        stderr = np.sqrt(variance_of_reports(decoded, n, subtract_totals=subtract) / n)
        totals = mechanism.block_shares(law)
    else:
        # What codes are counted by depends on all of them at once: estimates are drawn instead, as normal ones.
        stderr = np.sqrt(np.maximum(mechanism.variance(truth), 0.0) / n)
        value, totals = truth + stderr * generator.standard_normal(mechanism.k), blocks.totals(truth)
    smoothed = smoothed_map(value, stderr, blocks, totals, known).shares
    nearest = project(value, blocks, totals)
    return float(np.abs(smoothed - truth).sum() / 2), float(np.abs(nearest - truth).sum() / 2)
