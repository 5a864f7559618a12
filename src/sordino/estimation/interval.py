"""Confidence intervals for shares: each about as wide as its standard error asks, and holding near zero too.

Where estimates count supporting codes, a share is one functional of at most three probabilities (`profile`). Where
there are two, because all codes or none are outside the value's group, it is a linear function of a binomial
probability, whose limits are quantiles of the beta distribution: Jeffreys's, which act as the mid-p ones, and Clopper
and Pearson's where few reports are on either side. Elsewhere (tables) an estimate is a mean of contributions with a
known second moment for each value: a score interval, which takes the variance at the share that it asks about, with the
same continuity correction.

At a confidence of 95% the share is inside in 94% to 96.5% of surveys where it is above some twenty reports, and below
them in 94% at least; nearer to 0 or 1 than its interval reaches, in up to 97.5%. Limits are cut to what is possible, of
which something is left (`possible`): an estimate below 0 has the interval [0, x], and in a block of few reports an
estimate above the share that the block can have lies above its interval.

Sources: Brown, Cai and DasGupta 2001 (binomial limits); Wilson 1927 (score intervals); Cox and Hinkley 1974.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.profile import part_of_report, profile_limits
from sordino.estimation.unbiased import Decoded, variance_of_reports
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism
from sordino.mechanism.supported import Reading, SupportMechanism

Limits = tuple[NDArray[np.float64], NDArray[np.float64]]

FEWEST = 3
"""Reports below which a score interval says nothing."""


def share_interval(
    mechanism: Mechanism,
    aggregate: Aggregate,
    confidence: float,
    *,
    subtract_totals: bool = False,
    stderr: NDArray[np.float64] | None = None,
    decoded: Decoded | None = None,
) -> Limits:
    """Lower and upper limits of each value's share in the population, shape (k,) each.

    Args:
        mechanism: made the reports.
        aggregate: their tally.
        confidence: in (0, 1); how often each interval covers, each by itself and not all at once.
        subtract_totals: whether estimates are shifted to the share of their block: so are the limits, and as much
            closer together as the standard error is smaller.
        stderr: of each estimate, shape (k,), shifted if it is to be; worked out where it is not known.
        decoded: the law of the tally, if it has been decoded already.
    """
    require_confidence(confidence)
    if mechanism.k == 1:
        return np.ones(1), np.ones(1)
    error, n = 1 - confidence, aggregate.n
    if decoded is None:
        decoded = Decoded(mechanism, aggregate.counts / n)
    if isinstance(mechanism, SupportMechanism):
        low, high = _by_support(mechanism, aggregate, decoded, error)
    else:
        low, high = _by_score(decoded, n, error)
    if subtract_totals:
        plain, mean = _stderr(decoded, n), decoded.mean
        own = _stderr(decoded, n, subtract_totals=True) if stderr is None else stderr
        shifted, smaller = decoded.estimate(subtract_totals=True), own / plain
        down, up = _reaches(mean, low, high, errors_to_either_side(confidence) * plain)
        low, high = possible_limits(shifted, (shifted - smaller * down, shifted + smaller * up))
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def require_confidence(confidence: float) -> None:
    """Refuse what is none.

    Raises:
        SordinoError: a confidence outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise SordinoError("a confidence must lie between 0 and 1", found=shown(confidence), step="write 0.95 for 95 %")


def errors_to_either_side(confidence: float) -> float:
    """How many standard errors an interval of a normal estimate reaches to either side.

    Raises:
        SordinoError: a confidence outside (0, 1).
    """
    from scipy import special

    require_confidence(confidence)
    return float(special.ndtri((1 + confidence) / 2))


def binomial_limits(successes: NDArray[np.float64], trials: float, error: float) -> Limits:
    """Limits of a binomial probability, each missed about error / 2 of the time: less where counts are small."""
    from scipy import special

    failures = trials - successes
    part = part_of_report(successes, trials)
    # The parameters that belong to no success, or no failure, have no quantile; the limit is the end itself.
    few, many = np.maximum(successes + 0.5 - part, 0.5), np.maximum(failures + 0.5 - part, 0.5)
    lower = np.where(successes > 0, special.betaincinv(few, failures + 0.5 + part, error / 2), 0.0)
    upper = np.where(failures > 0, special.betainccinv(successes + 0.5 + part, many, error / 2), 1.0)
    return lower, upper


def _stderr(decoded: Decoded, n: int, *, subtract_totals: bool = False) -> NDArray[np.float64]:
    error: NDArray[np.float64] = np.sqrt(variance_of_reports(decoded, n, subtract_totals=subtract_totals) / n)
    return error


def _reaches(
    mean: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], normal: NDArray[np.float64]
) -> Limits:
    """How far limits reach to either side if nothing is impossible: where they were cut, as far as normal ones.

    Elsewhere an estimate that is impossible has limits by `possible_limits`, which are undone.
    """
    below, above = np.maximum(-mean, 0), np.maximum(mean - 1, 0)
    down = np.where(low > 0, np.sqrt(np.maximum((mean - low) ** 2 - above**2, 0)), normal)
    up = np.where(high < 1, np.sqrt(np.maximum((high - mean) ** 2 - below**2, 0)), normal)
    return down, up


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
        stderr = _stderr(decoded, aggregate.n)[three]
        limits = profile_limits(counts[:, three], _probabilities(reading, three), stderr, error)
        low[~linear], high[~linear] = (limit[back] for limit in limits)
    return low, high


def different(values: NDArray[np.intp], *columns: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
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


def _probabilities(reading: Reading, values: NDArray[np.intp]) -> NDArray[np.float64]:
    """Of the three kinds of codes, sent by a value, by another of its group, by one outside: shape (3, 3, values)."""
    hit, miss, entering, supporting = (
        part[values] for part in (reading.hit, reading.miss, reading.entering, reading.entering_in_support)
    )
    none = np.zeros_like(hit)
    return np.array([[hit, miss, supporting], [1 - hit, 1 - miss, entering - supporting], [none, none, 1 - entering]])


def _by_score(decoded: Decoded, n: int, error: float) -> Limits:
    """Where the estimate is as far from a share as z standard errors at that share, and part of a report.

    At a share p a report's contribution has the second moment p own + (1 - p) others, of which the value's own is
    known, and the others' is what the reports say, within what other values can have.
    """
    mechanism = decoded.mechanism
    if n < FEWEST:
        return np.zeros(mechanism.k), np.ones(mechanism.k)
    from scipy import special

    mean, squares, least_most = decoded.mean, mechanism.squares, mechanism.swing
    swing = least_most[1] - least_most[0]
    share = np.clip(mean, 0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (decoded.second_moment - share * squares.own) / (1 - share)
    others = np.where(share < 1, np.clip(others, squares.least, squares.most), squares.least)
    # As many reports as would vary as much, if each contributed all or nothing.
    like = n * (share * squares.own + (1 - share) * others - share**2) / swing**2
    part = part_of_report(like, np.inf) * swing / n
    z = special.ndtri(1 - error / 2) ** 2 / n
    # An estimate beyond what a share can be says what the nearest share says.
    low, high = (_score_end(share + side * part, z, squares.own, others, side) for side in (-1, 1))
    return low, high


def _score_end(
    mean: NDArray[np.float64], z: float, own: NDArray[np.float64], others: NDArray[np.float64], side: int
) -> NDArray[np.float64]:
    """The share p beyond the mean with (mean - p)^2 = z (p own + (1 - p) others - p^2); an end if it lies beyond."""
    half = mean + z * (own - others) / 2
    root = np.sqrt(np.maximum(half**2 - (1 + z) * (mean**2 - z * others), 0.0))
    within = mean < 1 if side > 0 else mean > 0
    end: NDArray[np.float64] = np.where(within, (half + side * root) / (1 + z), max(side, 0))
    return end
