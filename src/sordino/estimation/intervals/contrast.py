"""Linear functionals of shares: a sum, a difference of two, any weighing; each with the standard error of its own.

What noise adds to one value it takes from others, so the error of a difference is not made of those of its two shares:
a report of code y adds h(y), whose mean is the functional of its value, and the error is that of the mean of h.

The mean of a number of each value, from the tally of a mechanism over these values: a linear functional of shares.

Each code counts as g(code) with mean the number of its value (`Mechanism.code_values`), so the mean of g over the
reports is unbiased. Source: Bayesian privacy filter paper, (9), as corrected, for the two ends of a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_codes
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.unbiased import Decoded, Functionals, leverages
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.query.query import Query


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedContrast(NormalEstimate):
    """A sum of weights times shares, of which it is known what each code adds.

    Attributes:
        added: by each code, shape (codes,).
        law: how often each was sent, shape (codes,).
    """

    added: Floats
    law: Floats

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper limits, shape () each, by the likelihood of what codes add; no closer than normal ones."""
        low, high = super().interval(confidence)
        ((least,), (most,)) = limits_by_codes(self.added[None], self.law, self.n, 1 - confidence)
        return np.minimum(low, least), np.maximum(high, most)


def contrast(decoded: Decoded, n: int, weights: Floats, *, subtract_totals: bool = False) -> NormalEstimate:
    """The sum of weights times shares, shape (): right on average.

    Args:
        weights: of the values, shape (k,).
    """
    mechanism = decoded.mechanism
    value = weights @ decoded.estimate(subtract_totals=subtract_totals)
    (variance,) = Functionals(mechanism, weights[None, :], subtract_totals).variances(decoded, n)
    found = NormalEstimate(np.array(value), np.array(np.sqrt(variance / n)), n)
    if not mechanism.counts_codes or n < FEWEST:
        return found
    (added,) = mechanism.contributions(weights[None, :], subtract_totals=subtract_totals)
    return EstimatedContrast(found.value, found.stderr, n, added, decoded.law)


def tells_covariance(mechanism: Mechanism) -> bool:
    """Whether a tally tells how estimates go together."""
    own = type(mechanism).second_moments is not Mechanism.second_moments
    return mechanism.k > 1 and mechanism.informative and (own or mechanism.counts_codes)


def contrast_leverage(mechanism: Mechanism, weights: Floats, *, subtract_totals: bool) -> float:
    """How far one report can move the sum, times n, at most; by that exactly where tallies count codes."""
    if mechanism.counts_codes:
        return float(np.ptp(mechanism.contributions(weights[None, :], subtract_totals=subtract_totals)))
    return float(np.abs(weights) @ leverages(mechanism, subtract_totals=subtract_totals))


def mean_of_model(query: Query, aggregate: Aggregate) -> NormalEstimate:
    """The mean of a model's values over the people, in its own units; their own variation is in the standard error.

    Raises SordinoError: a query about no model, another query's tally, no answers, or answers that tell nothing.
    """
    return mean_of(query, aggregate, query.model.ends)


def mean_of(query: Query, aggregate: Aggregate, numbers: Sequence[float]) -> NormalEstimate:
    """The mean of what each value that is read counts as, shape ()."""
    if aggregate.fingerprint != query.fingerprint:
        found = f"a tally of {aggregate.fingerprint}, not {query.fingerprint}"
        step = "tally the reports by the query that was asked"
        raise SordinoError("an estimate needs the tally of its own question", found=found, step=step)
    if not (query.informative and aggregate.n):
        raise SordinoError("an estimate needs answers that depend on the records", found=f"{aggregate.n} answers")
    code = query.mechanism.code_values(np.array(numbers, dtype=np.float64))
    law = aggregate.counts / aggregate.n
    mean = code @ law
    return NormalEstimate(np.array(mean), np.sqrt((code - mean) ** 2 @ law / aggregate.n), aggregate.n)
