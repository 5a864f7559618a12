"""Confidence intervals for shares: each about as wide as its standard error asks, and holding near zero too.

Where estimates count supporting codes, a share is one functional of at most three probabilities (`profile`). Where
there are two, because all codes or none are outside the value's group, it is a linear function of a binomial
probability, whose limits are quantiles of the beta distribution: Jeffreys's, which act as the mid-p ones, and Clopper
and Pearson's where few reports are on either side. Elsewhere (by distances, tables, windows, or shifted
to the share of a block) an estimate is a mean of amounts, of which few may be large: their own likelihood says how far
it may be off (`mean_limits`).

At a confidence of 95% the share is inside in 94% to 96.5% of surveys where it is above some twenty reports, and below
them in 94% at least; nearer to 0 or 1 than its interval reaches, in up to 97.5%, and of few reports in up to 99.5%
(`make bench BENCH=covering`). Limits are cut to what is possible, of
which something is left (`possible`): an estimate below 0 has the interval [0, x], and in a block of few reports an
estimate above the share that the block can have lies above its interval.

Sources: Brown, Cai and DasGupta 2001 (binomial limits); Cox and Hinkley 1974.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_moments
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.three_amounts import MOMENTS
from sordino.estimation.profile import part_of_report, profile_limits
from sordino.estimation.unbiased import Decoded, amount_ends, variance_of_reports
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism
from sordino.mechanism.supported import Reading, SupportMechanism

Limits = tuple[Floats, Floats]


def share_interval(
    mechanism: Mechanism,
    aggregate: Aggregate,
    confidence: float,
    *,
    subtract_totals: bool = False,
    decoded: Decoded | None = None,
) -> Limits:
    """Lower and upper limits of each value's share in the population, shape (k,) each.

    Args:
        confidence: in (0, 1); how often each interval covers, each by itself and not all at once.
        decoded: the law of the tally, if it has been decoded already.
    """
    require_confidence(confidence)
    if mechanism.k == 1:
        return np.ones(1), np.ones(1)
    error, n = 1 - confidence, aggregate.n
    if decoded is None:
        decoded = Decoded(mechanism, aggregate.counts / n)
    if isinstance(mechanism, SupportMechanism) and not subtract_totals:
        low, high = _by_support(mechanism, aggregate, decoded, error)
    else:
        low, high = _by_amounts(decoded, n, error, subtract_totals=subtract_totals)
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def require_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise SordinoError("a confidence must lie between 0 and 1", found=shown(confidence), step="write 0.95 for 95 %")


def errors_to_either_side(confidence: float) -> float:
    """How many standard errors an interval of a normal estimate reaches to either side.

    Raises SordinoError: a confidence outside (0, 1).
    """
    from scipy import special

    require_confidence(confidence)
    return float(special.ndtri((1 + confidence) / 2))


def binomial_limits(successes: Floats, trials: float, error: float) -> Limits:
    """Limits of a binomial probability, each missed about error / 2 of the time: less where counts are small."""
    from scipy import special

    failures = trials - successes
    part = part_of_report(successes, trials)
    # The parameters that belong to no success, or no failure, have no quantile; the limit is the end itself.
    few, many = np.maximum(successes + 0.5 - part, 0.5), np.maximum(failures + 0.5 - part, 0.5)
    lower = np.where(successes > 0, special.betaincinv(few, failures + 0.5 + part, error / 2), 0.0)
    upper = np.where(failures > 0, special.betainccinv(successes + 0.5 + part, many, error / 2), 1.0)
    return lower, upper


def _by_support(mechanism: SupportMechanism, aggregate: Aggregate, decoded: Decoded, error: float) -> Limits:
    """Worked out for values that differ in what was counted or in how it is read: most of a million are like others."""
    sums, reading, n = mechanism.support(aggregate.counts.astype(np.float64)), mechanism.reading, float(aggregate.n)
    support, group = np.rint(sums.support), np.rint(sums.group)
    counts = np.stack([support, group - support, n - group])
    low, high = np.empty(mechanism.k), np.empty(mechanism.k)
    linear = reading.alone | reading.whole
    against = reading.against[linear]
    two, back = different(np.flatnonzero(linear), support)
    slope = reading.on[linear] - against
    ends = (against + slope * found[back] for found in binomial_limits(support[two], n, error))
    low[linear], high[linear] = possible_limits(against + slope * support[linear] / n, ends)
    three, back = different(
        np.flatnonzero(~linear), support, group, reading.on, reading.off, reading.outside, reading.entering
    )
    if three.size:
        stderr = np.sqrt(variance_of_reports(decoded, aggregate.n) / n)[three]
        limits = profile_limits(counts[:, three], _probabilities(reading, three), stderr, error)
        low[~linear], high[~linear] = (limit[back] for limit in limits)
    return low, high


def different(values: NDArray[np.intp], *columns: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of some values those that differ in a column, and for each value its place among them.

    Example:
        >>> different(np.array([0, 1, 3]), np.array([5.0, 7.0, 0.0, 5.0]))
        (array([0, 1]), array([0, 1, 0]))
    """
    kind, kinds = np.zeros(len(values), dtype=np.intp), min(len(values), 1)
    for column in columns:
        own = column[values]
        if len(own) and (own != own[0]).any():
            found, place = np.unique(own, return_inverse=True)
            if kinds > 1:
                found, place = np.unique(kind * len(own) + place, return_inverse=True)
            kind, kinds = place, len(found)
    # Of places that are written several times the last one stays.
    first = np.empty(kinds, dtype=np.intp)
    first[kind[::-1]] = np.arange(len(values))[::-1]
    return values[first], kind


def _probabilities(reading: Reading, values: NDArray[np.intp]) -> Floats:
    """Of the three kinds of codes, sent by a value, by another of its group, by one outside: shape (3, 3, values)."""
    hit, miss, entering, supporting = (
        part[values] for part in (reading.hit, reading.miss, reading.entering, reading.entering_in_support)
    )
    none = np.zeros_like(hit)
    return np.array([[hit, miss, supporting], [1 - hit, 1 - miss, entering - supporting], [none, none, 1 - entering]])


def _by_amounts(decoded: Decoded, n: int, error: float, *, subtract_totals: bool) -> Limits:
    """By the amounts that reports add to each estimate, whatever they are: in three that stand for them."""
    mechanism = decoded.mechanism
    if n < FEWEST:
        return np.zeros(mechanism.k), np.ones(mechanism.k)
    moments = decoded.powers(MOMENTS, subtract_totals=subtract_totals)
    least, most = amount_ends(mechanism, subtract_totals=subtract_totals)
    # Of a map's cells most have the reports of another about them.
    one_each, back = different(np.arange(mechanism.k), moments[0], moments[2], least, most)
    low, high = limits_by_moments(moments[:, one_each], n, (least[one_each], most[one_each]), error)
    return possible_limits(moments[0], (low[back], high[back]))
