"""Shares of the people whose number lies in some ranges of bins: in a bin, below an edge, between two edges.

All are sums of unbiased shares, each with an error of its own: what noise adds to one bin it takes from its neighbours.
Standard errors are those that the reports show; where these say the same, as few do, what is known of the channel says
more: an error is never smaller than the least that any people with such a share cause. Limits are as of a normal
distribution, and no closer than the likelihood of what each code adds lets them be (`mean_limits`): few reports that
tell much show a share near zero, or near one, by few of them. Of a number that may be missing all is about those who
have it (`Subpopulation`), with Fieller's limits, which likelihood widens in the same way.
Shapes: m ranges of the k bins.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sordino.estimation.distributions.subpopulation import Subpopulation
from sordino.estimation.interval import chance_beyond
from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_codes
from sordino.estimation.intervals.possible import possible_limits
from sordino.exact.arrays import Floats


@dataclass(frozen=True, eq=False)
class RangeShares:
    """What reports say of the shares of some ranges.

    Attributes:
        subpopulation: what the codes say of those who have the number; its law is the one that noise is worked out by.
        law: how often each code was sent, of all reports, shape (outputs,).
        inside: 1 for the bins in each range, 0 for others, shape (m, k).
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
        variance = np.maximum(share * own + (1 - share) * least - np.square(share), 0.0)
        return np.where(self.inside.all(axis=1), plain, np.maximum(plain, np.sqrt(variance / self.n)))

    @cached_property
    def _squares(self) -> tuple[Floats, Floats]:
        """The least mean square of what somebody counts as whose number is in each range, and is not, shape (m,)."""
        mechanism = self.subpopulation.mechanism
        squares = np.stack([mechanism.adjoint(row**2) for row in self.contributions])
        own, least = (np.where(where, squares, np.inf).min(axis=1) for where in (self.inside > 0, self.inside == 0))
        return own, least

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


def inside_ranges(ranges: Iterable[tuple[int, int]], bins: int) -> Floats:
    """The functionals of the shares that are ranges, by the edges where each begins and ends, shape (m, k)."""
    inside = np.zeros((len(ends := list(ranges)), bins))
    for row, (first, last) in zip(inside, ends, strict=True):
        row[first:last] = 1.0
    return inside
