"""What shares are beside what is expected of them: a prior that is read off the estimates themselves.

Each share is its expected share times a ratio, whose distribution is unknown: zero, or anything else, on a grid of
logarithms. The most likely distribution of the ratios, given all estimates and the noise that the mechanism adds, is
found by EM from one that says nothing, apart for classes of values with about the same expectation in units of noise:
where much is expected, ratios differ less. A fixed number of steps leaves smooth what the estimates do not tell.

All that is needed of a value is its estimate in units of noise, in bins of a tenth, and its expectation, in steps of
the grid: values that share both have one posterior, so that a fit costs the same for a million values as for thousands.

Sources: Kiefer and Wolfowitz 1956 (maximum likelihood of a mixing distribution); Koenker and Mizera 2014.

Priors of shares that are as sparse as can be: what lies below a share is zero, or that share.

EM begins with a prior that spreads shares evenly over all sizes, and leaves it so where the estimates do not tell: a
few shares of half a unit of noise and many of a twentieth look alike. A sparse prior has the same total: what the
shares above it leave of the known one. Smoothing must not bet on either: its prior is the mean of all, each weighted by
how likely the estimates are under it (Bayes' rule, all of them alike beforehand), so that what estimates do not tell
stays open, and what they tell decides.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np

from sordino.estimation.neighbours.noise import ShareNoise
from sordino.estimation.neighbours.posterior import EDGES, LEAST, PLAIN, SHARES, STEP, Indices, Posteriors
from sordino.exact.floats import Floats

LOWEST = 1e-6
"""Expectations below this, in units of noise, are taken for it."""

BIN, FIRST_BIN = 0.1, -4.5
"""Of estimates in units of noise; beyond the first and from `PLAIN` on they stand in one bin each."""

CLASS_STEPS, CLASS_VALUES = 5, 200
"""A class of values spans a factor of about two of the expectation, and has at least so many values, or is merged."""

STEPS = 100
"""Of EM: later ones sharpen what is noise."""


@dataclass(frozen=True, eq=False)
class RatioPrior:
    """The prior of the shares of values by what is expected of them, and how many values have which estimate.

    Attributes:
        shares: shape (levels, shares of the grid), the probabilities of each for values of one expectation.
        counts: shape (levels, bins), how many values have it and an estimate in the bin.
        level: shape (k,), the expectation of each value.
        bins: shape (k,), the bin of each estimate.
        estimate: shape (k,), in units of noise.
        starts: shape (classes,), the first level of each class of levels whose ratios have one distribution.
    """

    shares: Floats
    counts: Floats
    level: Indices
    bins: Indices
    estimate: Floats
    noise: ShareNoise
    starts: Indices

    @classmethod
    def of(cls, value: Floats, expected: Floats, noise: ShareNoise, learn: "Learn | None" = None) -> "RatioPrior":
        """The most likely one.

        Args:
            value: shape (k,), the unbiased estimates, with about independent noise.
            expected: shape (k,), the shares that are expected, nonnegative.
            learn: the prior of a class, from its likelihood and what the total of its expected shares leaves, in units
                of noise, beside estimates that speak for themselves; by default the most likely one.
        """
        estimate, width = noise.units_of_estimates(value), len(bin_probabilities())
        left = (expected - np.where(estimate >= PLAIN, value, 0.0)) / noise.stderr
        expected = noise.units(expected)
        bins = np.clip(np.floor((estimate - FIRST_BIN) / BIN).astype(np.intp) + 1, 0, width - 1)
        steps = np.rint((np.log(np.maximum(expected, LOWEST)) - np.log(LEAST)) / STEP).astype(np.intp)
        present, level = np.unique(np.minimum(steps, len(EDGES)), return_inverse=True)
        # Where nothing is expected nobody is: such values say nothing of the others.
        told = (expected > 0).astype(np.float64)
        counts = np.bincount(level * width + bins, told, len(present) * width).reshape(-1, width).astype(np.float64)
        left_of = np.bincount(level, np.where(expected > 0, left, 0.0), len(present)).astype(np.float64)
        shares = np.empty((len(present), len(SHARES)))
        parts = list(classes(present, counts.sum(axis=1)))
        for own in parts:
            likelihood = RatioLikelihood(present[own], counts[own])
            ratios = (
                likelihood.climb(likelihood.spread, STEPS)
                if learn is None
                else learn(likelihood, float(left_of[own].sum()))
            )
            shares[own] = likelihood.shares(ratios)
        starts = np.array([own.start for own in parts], dtype=np.intp)
        return cls(shares, counts, level, bins, estimate, noise, starts)

    @cached_property
    def log_likelihoods(self) -> Floats:
        """Of the estimates of each class, shape (classes,), in nats."""
        told = self.shares @ bin_probabilities().T
        logs = np.log(np.maximum(told, np.finfo(np.float64).tiny))
        return np.add.reduceat((self.counts * logs).sum(axis=1), self.starts)

    def by_class(self, amounts: Floats) -> Floats:
        """Sums over the values of each class, shape (classes,), of amounts of shape (k,)."""
        return np.add.reduceat(np.bincount(self.level, amounts, len(self.shares)), self.starts)

    @cached_property
    def posteriors(self) -> Posteriors:
        """Of each value, by its expectation and the bin of its estimate."""
        likelihood = bin_probabilities()
        place = self.level * len(likelihood) + self.bins
        present = np.flatnonzero(np.bincount(place))
        group = np.zeros(present[-1] + 1, dtype=np.intp)
        group[present] = np.arange(len(present))
        weights = self.shares[present // len(likelihood)] * likelihood[present % len(likelihood)]
        # Where no share is possible in floats all are alike.
        weights += np.finfo(np.float64).tiny
        cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        return Posteriors(group[place], cumulative, self.estimate, self.noise)


@cache
def bin_probabilities() -> Floats:
    """The probability of each bin under each share of the grid, shape (bins, shares)."""
    from scipy import special

    inner = np.arange(FIRST_BIN, PLAIN + BIN / 2, BIN)
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    return np.diff(special.ndtr(edges[:, None] - SHARES), axis=0)


def classes(levels: Indices, counts: Floats) -> Iterator[slice]:
    """Runs of expectations whose values have a prior of ratios in common.

    Args:
        levels: shape (l,), the expectations as steps of the grid, ascending.
        counts: shape (l,), how many values have each.

    Example:
        >>> list(classes(np.array([0, 1, 9, 30, 31]), np.array([150.0, 100.0, 900.0, 700.0, 2.0])))
        [slice(0, 2, None), slice(2, 3, None), slice(3, 5, None)]
    """
    first, found = 0, []
    for place in range(1, len(levels) + 1):
        ends = place == len(levels) or levels[place] - levels[first] >= CLASS_STEPS
        if ends and counts[first:place].sum() >= CLASS_VALUES:
            found.append(slice(first, place))
            first = place
    if first < len(levels):
        start = found.pop().start if found else first
        found.append(slice(start, len(levels)))
    yield from found


class RatioLikelihood:
    """How likely the estimates of values of some expectations are under a prior of ratios, shape (1 + ratios,).

    The prior's first entry is the ratio zero; the others' logarithms are a step of the grid apart.

    Args:
        levels: shape (l,), the expectations as steps of the grid, ascending.
        counts: shape (l, bins), how many values have each and an estimate in the bin.
    """

    def __init__(self, levels: Indices, counts: Floats) -> None:
        self.counts, self.highest = counts, levels.max()
        # A ratio's place is that of the share minus that of the expectation, counted from the least.
        self.place = np.arange(len(EDGES)) - (levels - self.highest)[:, None]
        self.ratios = int(self.place.max()) + 1

    @property
    def spread(self) -> Floats:
        """The prior that says nothing."""
        return np.full(self.ratios + 1, 1 / (self.ratios + 1))

    def climb(self, prior: Floats, steps: int) -> Floats:
        """A likelier prior, by so many steps of EM."""
        zero, positive = bin_probabilities()[:, 0], bin_probabilities()[:, 1:]
        for _ in range(steps):
            own = prior[1:][self.place]
            told = own @ positive.T + prior[0] * zero
            weight = np.divide(self.counts, told, out=np.zeros_like(told), where=self.counts > 0)
            amounts = ((weight @ positive) * own).ravel()
            others = np.bincount(self.place.ravel(), weights=amounts, minlength=self.ratios)
            prior = np.concatenate([[prior[0] * float((weight @ zero).sum())], others])
            prior /= prior.sum()
        return prior

    def shares(self, prior: Floats) -> Floats:
        """The prior of the shares at each level, shape (l, shares of the grid)."""
        zeros = np.broadcast_to(prior[0], (len(self.place), 1))
        shares = np.concatenate([zeros, prior[1:][self.place]], axis=1)
        # Expectations of which no value's ratio is possible: all shares are.
        shares += np.finfo(np.float64).tiny
        normalized: Floats = shares / shares.sum(axis=1, keepdims=True)
        return normalized

    def log(self, prior: Floats) -> float:
        """In nats."""
        told = np.maximum(self.shares(prior) @ bin_probabilities().T, np.finfo(np.float64).tiny)
        return float((self.counts * np.log(told)).sum())


Learn: TypeAlias = Callable[[RatioLikelihood, float], Floats]


SPARSENESS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
"""Least shares of sparse priors, in units of noise."""

LEAST_LEFT = 0.02
"""Part of the total that is left to small shares at least, whatever noise makes of the others."""


def sparse_priors(prior: RatioPrior, total: float) -> Iterator[RatioPrior]:
    for least in SPARSENESS:
        yield sparse_prior(prior, total, least)


def sparse_prior(prior: RatioPrior, total: float, least: float) -> RatioPrior:
    """The same prior with no shares between zero and a least one.

    Args:
        least: share that is not zero, in units of noise.
    """
    place = int(np.searchsorted(SHARES, least))
    least = float(SHARES[place])
    small, large = prior.posteriors.means_beside(place)
    left = max(total - float(large.sum()), LEAST_LEFT * total)
    factor = left / max(float(small.sum()), np.finfo(np.float64).tiny)
    shares = prior.shares.copy()
    below = shares[:, :place].sum(axis=1)
    kept = np.minimum(factor * (shares[:, :place] @ SHARES[:place]) / least, below)
    shares[:, :place] = 0.0
    shares[:, 0] = below - kept
    shares[:, place] += kept
    return replace(prior, shares=shares)


def hedged_prior(prior: RatioPrior, total: float) -> RatioPrior:
    """The mean of the prior and sparse ones, by how likely they make the estimates."""
    priors = [prior, *sparse_priors(prior, total)]
    likelihoods = np.stack([each.log_likelihoods for each in priors])
    weights = np.exp(likelihoods - likelihoods.max(axis=0))
    weights = np.repeat(weights / weights.sum(axis=0), np.diff(prior.starts, append=len(prior.shares)), axis=1)
    return replace(prior, shares=sum(own[:, None] * each.shares for own, each in zip(weights, priors, strict=True)))
