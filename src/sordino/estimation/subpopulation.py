"""Shares among the people who have a number: everybody, or those who do not lack one that may be missing.

With y the share of people who are in some bins, and s the share who have the number, both unbiased, the share among
these is r = y / s. A report counts in y as h and in s as g, so to the first order in r as r + (h - r g) / s (delta
method), whose mean over the reports is r: all that is made of such contributions, errors and draws of the noise, is
made as where everybody has the number, and g = s = 1. Limits are Fieller's (`quotient`), and where few reports tell
much no closer than the likelihood of what each code counts as lets them be.

Few reports of many codes need not show how large the noise is: a variance is never smaller than what one value alone
causes, the least of all values.
Shapes: m functionals of the k bins.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_codes
from sordino.estimation.intervals.quotient import likely_limits, quotient_limits
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism

Limits = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Subpopulation:
    """What the codes of a channel over k bins, or over these and none, say of those who have the number.

    Attributes:
        mechanism: of k values, or of one more, the last, for who has none.
        law: how often each code was sent, of all reports, shape (outputs,).
    """

    mechanism: Mechanism
    law: Floats
    bins: int

    @property
    def optional(self) -> bool:
        return self.mechanism.k > self.bins

    def contributions(self, functionals: Floats) -> Floats:
        """What each code counts as in the functionals of the shares, shape (m, outputs)."""
        counted = self._code_scores(functionals)
        if not self.optional:
            return counted
        ratio = (counted @ self.law)[:, None] / self.share
        return ratio + (counted - ratio * self._code_values) / self.share

    def limits(self, functionals: Floats, z: float, n: int) -> Limits:
        """All that is no further from the estimates than so many standard errors, shape (m,) each."""
        counted = self._code_scores(functionals)
        mean, law = counted @ self.law, self.noise(n)
        variance = self.variances(counted, n) / n
        shared = (counted @ (law * self._code_values) - (counted @ law) * (self._code_values @ law)) / n
        return quotient_limits(mean, self.share, (variance, self.share_stderr(n) ** 2, shared), z)

    def likely_limits(self, functionals: Floats, z: float, told: tuple[Floats, int, float]) -> Limits:
        """The same, and all that the likelihood of the reports allows, shape (m,) each.

        Args:
            functionals: of the bins, shape (m, k).
            told: how often each code was sent, of how many reports, and how often limits may miss.
        """
        law, n, error = told
        limits = self.limits(functionals, z, n)
        nothing = np.isnan(limits[0])
        low, high = np.where(nothing, 0.0, limits[0]), np.where(nothing, 1.0, limits[1])
        # All bins together are all who have the number, but for rounding.
        some = ~functionals.all(axis=1)
        if n >= FEWEST and some.any():
            parts = self._code_scores(functionals[some])
            wholes = np.tile(self._code_values, (len(parts), 1))
            low[some], high[some] = likely_limits((low[some], high[some]), parts, wholes, law, n, error)
        return np.where(nothing, np.nan, low), np.where(nothing, np.nan, high)

    def missing_limits(self, z: float, told: tuple[Floats, int, float]) -> Limits:
        """Limits of the share of the people who lack the number, shape (1,) each; arguments as above."""
        law, n, error = told
        if n < FEWEST:
            return np.zeros(1), np.ones(1)
        low, high = limits_by_codes(self._code_values[None, :], law, n, error)
        reach = z * self.share_stderr(n)
        return 1 - np.maximum(high, self.share + reach), 1 - np.minimum(low, self.share - reach)

    def errors_at(self, functionals: Floats, part: float, n: int) -> Floats:
        """Standard errors by which the functionals are told from a part of those who have the number, shape (m,)."""
        away = self._code_scores(functionals) - part * self._code_values
        return np.sqrt(self.variances(away, n) / n) / self.share

    def variances(self, contributions: Floats, n: int) -> Floats:
        """Of one report's contributions, shape (m,), as far as so many reports and the channel tell."""
        shown = variances(contributions, self.noise(n))
        if not self.optional:
            return shown
        squares, means = self.mechanism.adjoint(contributions**2), self.mechanism.adjoint(contributions)
        least: Floats = (squares - means**2).min(axis=1)
        return np.maximum(shown, least)

    def noise(self, n: int) -> Floats:
        """The law of the reports' noise, shape (outputs,): theirs, and one report more where a number may be missing.

        Of somebody of whom nothing is known: few reports that all say the same would show no noise.
        """
        if not self.optional:
            return self.law
        one = self.mechanism.forward(np.full(self.mechanism.k, 1 / self.mechanism.k))
        return (n * self.law + one) / (n + 1)

    @property
    def missing_share(self) -> float:
        return 1 - self.share

    def share_stderr(self, n: int) -> float:
        """Of the share of the people who have it, and of those who lack it."""
        return float(np.sqrt(self.variances(self._code_values[None, :], n)[0] / n)) if self.optional else 0.0

    def share_variance(self, law: Floats) -> float:
        """Of what one report counts as in it, by the law of the reports' noise."""
        return float(variances(self._code_values[None, :], law)[0])

    def tells(self, z: float, n: int) -> bool:
        """Whether somebody surely has the number, as far as so many standard errors tell."""
        return not self.optional or self.share > z * self.share_stderr(n)

    @cached_property
    def share(self) -> float:
        return float(self._code_values @ self.law)

    @cached_property
    def _code_values(self) -> Floats:
        if not self.optional:
            return np.ones(len(self.law))
        return self.mechanism.code_values(np.append(np.ones(self.bins), 0.0))

    def _code_scores(self, functionals: Floats) -> Floats:
        """h, what each code counts as in the share of all people, shape (m, outputs)."""
        if not self.mechanism.counts_codes:
            rule = "a distribution needs to know how often each code was sent"
            found = "a tally of supported values"
            raise SordinoError(rule, found=found, step="ask through a mechanism that counts its codes")
        width = [(0, 0), (0, self.mechanism.k - self.bins)]
        return np.stack([self.mechanism.code_values(own) for own in np.pad(functionals, width)])


def below_edges(bins: int) -> Floats:
    """The functionals of the shares that are the distribution function at each edge between two bins."""
    return np.tri(bins - 1, bins)


def variances(contributions: Floats, law: Floats) -> Floats:
    """Of one report's contributions, shape (m,), by the law of the codes."""
    mean = contributions @ law
    return np.maximum(contributions**2 @ law - mean**2, 0.0)
