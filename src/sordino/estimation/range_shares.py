"""Shares of the people whose number lies in some ranges of bins: in a bin, below an edge, between two edges.

All are sums of unbiased shares, each with an error of its own: what noise adds to one bin it takes from its neighbours.
Standard errors are those that the reports show; where these say the same, as few do, what is known of the channel says
more: an error is never smaller than the least that any people with such a share cause. Limits are as of a normal
distribution, and no closer than the likelihood of what each code adds lets them be (`mean_limits`): few reports that
tell much show a share near zero, or near one, by few of them. Of a number that may be missing all is about those who
have it (`Subpopulation`), with Fieller's limits, which likelihood widens in the same way.
Shapes: m ranges of the k bins.

Standard errors to be expected of ranges of bins and of the distribution function, exact, before anybody answers.

Estimates are those of `Mechanism.code_values`: generalized least squares at uniform values. With P the channel, q the
law of the codes of uniform values, and B = (P - 1 q') D^-1/2, D = diag(q), a functional f of the shares whose values
have mean m counts a code as g = m + D^-1/2 B' x, where (B B') x = f - m. That is one factorization of k x k for all
functionals, and the centred B keeps its digits where epsilon is small.
Shapes: m functionals of the k values that are read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_codes
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import chance_beyond
from sordino.estimation.moment_estimator import least_concave
from sordino.estimation.solvers import search_step
from sordino.estimation.subpopulation import Subpopulation, variances
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism


@dataclass(frozen=True, eq=False)
class RangeShares:
    """What reports say of the shares of some ranges.

    Attributes:
        subpopulation: what the codes say of those who have the number; its law is the one that noise is worked out by.
        law: how often each code was sent, of all reports, shape (outputs,).
        inside: 1 for the bins in each range, 0 for others, shape (m, k); of a mean what each bin counts, from 0 to 1.
    """

    subpopulation: Subpopulation
    law: Floats
    n: int
    inside: Floats

    @cached_property
    def contributions(self) -> Floats:
        """What each code counts as in each share, shape (m, outputs)."""
        return self.subpopulation.contributions(self.inside)

    @cached_property
    def value(self) -> Floats:
        """The shares, shape (m,): right on average, or nearly where the number may be missing; may leave 0..1."""
        return self.contributions @ self.law

    @cached_property
    def stderr(self) -> Floats:
        """Of each, shape (m,); zero only of all bins together, where everybody has the number."""
        n = self.n
        share = np.clip(self.contributions @ self.subpopulation.law, 1 / (n + 1), n / (n + 1))
        return self.errors_at(share)

    def errors_at(self, share: Floats | float) -> Floats:
        """Standard errors if the shares were these, shape (m,): what reports show, but never below the least possible.

        As `variance_of_reports` has it of values.
        """
        plain = np.sqrt(self.subpopulation.variances(self.contributions, self.n) / self.n)
        if self.subpopulation.optional:
            return plain
        own, least = self._squares
        square = share * own + (1 - share) * least
        shares = np.broadcast_to(share, square.shape)
        for row in np.flatnonzero(((self.inside != 0) & (self.inside != 1)).any(axis=1)):
            # People who count neither 0 nor 1 may have the same share with a smaller mean square.
            square[row] = _least_square_at(float(shares[row]), self.inside[row], self._squares_by_bin[row])
        variance = np.maximum(square - np.square(share), 0.0)
        return np.where(self.inside.all(axis=1), plain, np.maximum(plain, np.sqrt(variance / self.n)))

    @cached_property
    def _squares(self) -> tuple[Floats, Floats]:
        """The least mean square of what somebody counts as whose number is in each range, and is not, shape (m,)."""
        return self._least_squares(self.inside == 1), self._least_squares(self.inside == 0)

    @cached_property
    def _squares_by_bin(self) -> Floats:
        """The mean square of what somebody counts as whose number is in each bin, shape (m, k)."""
        mechanism = self.subpopulation.mechanism
        return np.stack([mechanism.adjoint(row**2) for row in self.contributions])

    def _least_squares(self, where: NDArray[np.bool_]) -> Floats:
        """The least mean square of what somebody counts as whose number is in these bins, shape (m,)."""
        least: Floats = np.where(where, self._squares_by_bin, np.inf).min(axis=1)
        return least

    def farthest(self, errors: Floats) -> tuple[Floats, Floats]:
        """The least and the largest shares that so many of *their own* least standard errors lead to, shape (m,).

        Of a share near 0 or 1 few reports show too little noise: that of a share further from the end is larger. With t
        the square of the errors over n, own and least as in `errors_at`, these are the roots in f of
        (f - value)^2 = t (f own + (1 - f) least - f^2): Wilson's limits, of a share that is told through a channel.

        Args:
            errors: how many standard errors, shape (m,).
        """
        own, least = self._squares
        t = np.square(errors) / self.n
        half = self.value + t * (own - least) / 2
        root = np.sqrt(np.maximum(half**2 - (1 + t) * (self.value**2 - t * least), 0.0))
        return (half - root) / (1 + t), (half + root) / (1 + t)

    @cached_property
    def leverage(self) -> Floats:
        """How many people one report can weigh in each at most, shape (m,)."""
        # All bins together are everybody, but for rounding.
        return np.where(self.inside.all(axis=1), 0.0, np.ptp(self.contributions, axis=1))

    def within(self, errors: float) -> tuple[Floats, Floats]:
        """Lower and upper limits of each share by itself, within 0..1, shape (m,) each.

        Args:
            errors: how many standard errors they reach to either side.
        """
        error = chance_beyond(errors)
        if self.subpopulation.optional:
            limits = self.subpopulation.likely_limits(self.inside, errors, (self.law, self.n, error))
        elif self.n < FEWEST:
            limits = np.zeros_like(self.value), np.ones_like(self.value)
        else:
            low, high = limits_by_codes(self.contributions, self.law, self.n, error)
            reach = errors * self.stderr
            limits = np.minimum(low, self.value - reach), np.maximum(high, self.value + reach)
        return possible_limits(self.value, limits)


def _least_square_at(mean: float, counted: Floats, squares: Floats) -> float:
    """The least mean square of what people count as who have some mean.

    Args:
        counted: what each bin counts, shape (k,).
        squares: the mean square of each bin's people, shape (k,).
    """
    order = np.lexsort((squares, counted))
    points, first = np.unique(counted[order], return_index=True)
    return -float(np.interp(mean, *least_concave(points, -squares[order][first])))


def inside_ranges(ranges: Iterable[tuple[int, int]], bins: int) -> Floats:
    """The functionals of the shares that are ranges, by the edges where each begins and ends, shape (m, k)."""
    inside = np.zeros((len(ends := list(ranges)), bins))
    for row, (first, last) in zip(inside, ends, strict=True):
        row[first:last] = 1.0
    return inside


def net_functional(upper: tuple[int, int], lower: tuple[int, int], bins: int) -> Floats:
    """The functional of (1 + the share of one range - that of another) / 2, shape (1, k): its weights lie in 0..1.

    It is a share, with a share's errors and limits; those of the difference are twice as far apart.

    Example:
        >>> net_functional((3, 4), (0, 2), 4).tolist()
        [[0.0, 0.0, 0.5, 1.0]]
    """
    first, second = inside_ranges([upper, lower], bins)
    weights: Floats = (1 + first - second)[None, :] / 2
    return weights


def scaled_functional(numbers: Floats) -> Floats:
    """The functional of the mean of a number that bins have, shape (1, k), scaled so that it fills 0..1; 0 if all do.

    Example:
        >>> scaled_functional(np.array([10.0, 15.0, 30.0])).tolist()
        [[0.0, 0.25, 1.0]]
    """
    low, high = numbers.min(), numbers.max()
    scaled: Floats = (numbers - low)[None, :] / (high - low if high > low else 1.0)
    return scaled


def functional_variances(mechanism: Mechanism, functionals: Floats, shares: Floats) -> Floats:
    """The exact variance of each unbiased functional of the shares, times n, shape (m,).

    Raises SordinoError: reports that do not depend on the values.

    Args:
        functionals: shape (m, k).
        shares: that the people have, shape (k,).

    Example:
        >>> from sordino.mechanism.randomized import RandomizedResponse
        >>> functional_variances(RandomizedResponse(3, "ln 4"), np.eye(3), np.full(3, 1 / 3)).round(6).tolist()
        [0.888889, 0.888889, 0.888889]
    """
    return variances(_contributions(mechanism, functionals), shares @ mechanism.probabilities())


def errors_of(mechanism: Mechanism, inside: Floats, shares: Floats, n: int) -> Floats:
    """The standard errors to be expected of the shares of sets of bins, shape (m,), among those who have the number.

    Args:
        mechanism: over the bins, or over these and none.
        inside: 1 for the bins in each set, 0 for others, shape (m, bins).
        shares: that the people have of what is read, shape (k,).
    """
    told = inside.astype(np.float64)
    if (lacking := mechanism.k - inside.shape[1]) > 0:
        # To the first order (`Subpopulation`): of y / s, with r its value, (y - r s) / s.
        given = np.append(np.ones(inside.shape[1]), np.zeros(lacking))
        told = np.pad(told, [(0, 0), (0, lacking)])
        have = given @ shares
        told = (told - np.outer(told @ shares / have, given)) / have
    errors = np.sqrt(functional_variances(mechanism, told, shares) / n)
    # All bins together are all who have the number, but for rounding.
    return np.where(inside.all(axis=1), 0.0, errors)


def _contributions(mechanism: Mechanism, functionals: Floats) -> Floats:
    """What each code counts as, shape (m, outputs)."""
    channel = mechanism.probabilities()
    law = channel.mean(axis=0)
    scale = np.sqrt(np.where(law > 0, law, 1.0))
    centred = (channel - law) / scale
    moments = centred @ centred.T
    mean = functionals.mean(axis=1, keepdims=True)
    try:
        # Of the direction that all values share nothing is asked; it is filled with what others have.
        factor = np.linalg.cholesky(moments + np.trace(moments) / mechanism.k**2)
    except np.linalg.LinAlgError:
        # Reports that hardly depend on the values, or not: the mechanism says which.
        return np.stack([mechanism.code_values(functional) for functional in functionals])
    solved = search_step(factor.T, search_step(factor, (functionals - mean).T))
    contributions: Floats = mean + solved.T @ centred / scale
    return contributions
