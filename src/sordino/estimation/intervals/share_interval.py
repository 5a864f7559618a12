"""Confidence intervals for shares: each about as wide as its standard error asks, and holding near zero too.

Where estimates count supporting codes, a share is one functional of at most three probabilities (`profile_limits`).
Where there are two, because all codes or none are outside the value's group, it is a linear function of a binomial
probability, whose limits are quantiles of the beta distribution: Jeffreys's, which act as the mid-p ones, and Clopper
and Pearson's where few reports are on either side. Elsewhere (by distances, tables, windows, or shifted to the share of
a block) an estimate is a mean of amounts, of which few may be large: their own likelihood says how far it may be off
(`mean_limits`).

At a confidence of 95% the share is inside in 94% to 96.5% of surveys where it is above some twenty reports, and below
them in 94% at least; nearer to 0 or 1 than its interval reaches, in up to 97.5%, and of few reports in up to 99.5%
(`make bench BENCH=covering`). Limits are cut to what is possible, of
which something is left (`possible`): an estimate below 0 has the interval [0, x], and in a block of few reports an
estimate above the share that the block can have is the upper limit itself.

Sources: Brown, Cai and DasGupta 2001 (binomial limits); Cox and Hinkley 1974.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.intervals.mean_limits import FEWEST, MOMENTS, limits_by_moments
from sordino.estimation.intervals.possible import possible_limits, widen_to_hold
from sordino.estimation.unbiased import Decoded, amount_ends, variance_of_reports
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.supported import Reading, SupportMechanism

Limits = tuple[Floats, Floats]

FEW = 20.0
"""Supporting reports (or all others) from which on no part of a report is added."""

ROWS = 1 << 16

STEPS = 100
"""More than any interval needs: each step is one of Newton's, or halves what is left."""

NEAR = 1e-8
"""How exact a limit is, as a part of the distance to the estimate."""


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
    nearest = np.clip(decoded.estimate(subtract_totals=subtract_totals), 0, 1)
    return widen_to_hold(nearest, (np.clip(low, 0, 1), np.clip(high, 0, 1)))


def require_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise SordinoError("a confidence must lie between 0 and 1", found=shown(confidence), step="write 0.95 for 95 %")


def errors_to_either_side(confidence: float) -> float:
    """How many standard errors an interval of a normal estimate reaches to either side."""
    from scipy import special

    require_confidence(confidence)
    return float(special.ndtri((1 + confidence) / 2))


def at_least_as_wide(stderr: Floats, limits: Limits, errors: float) -> Floats:
    """Standard errors, none below what an interval says: half its width over the standard errors that it reaches.

    Few reports that are alike show no spread, and a standard error from their spread alone would promise certainty
    where limits from their likelihood are far apart. What is not a number stays so.

    Args:
        errors: how many standard errors they reach to either side, where errors are normal.

    Example:
        >>> at_least_as_wide(np.array([0.1, 1e-6]), (np.array([0.3, 0.0]), np.array([0.6, 0.4])), 2.0).tolist()
        [0.1, 0.1]
    """
    low, high = limits
    width = np.nan_to_num(np.asarray(high) - low, nan=0.0)
    return np.maximum(stderr, width / (2 * errors))


def chance_beyond(errors: float) -> float:
    """How often a normal estimate is off by more than so many standard errors: of `errors_to_either_side` the inverse.

    Example:
        >>> round(chance_beyond(1.959964), 6)
        0.05
    """
    from scipy import special

    return 2 * float(special.ndtr(-errors))


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


def part_of_report(support: Floats, n: float) -> Floats:
    """What is added near zero and near everybody: half a report where nobody is seen, nothing from twenty on."""
    return 0.5 * np.clip(1 - np.minimum(support, n - support) / FEW, 0, 1)


def profile_limits(counts: Floats, probabilities: Floats, stderr: Floats, error: float) -> tuple[Floats, Floats]:
    """Lower and upper limits of each share, shape (k,) each, by its profile likelihood.

    A report supports the value, or does not although it is of the value's group, or is outside the group. A share p of
    people hold the value itself, q another value of the group, the rest a value outside it: each sends the three kinds
    with known probabilities, so that of all three counts p and q are estimated together. A share p belongs to the
    interval if some q explains the counts nearly as well as the best p and q do: if the deviance, twice what the
    log-likelihood falls short of its maximum, is at most z^2. The profile likelihood is concave in p, and q has a
    closed form.

    Where few reports support the value, half a report is added to what speaks for the end that is sought, as Clopper
    and Pearson's limits do. What is needed near zero costs little elsewhere, and fades until there are twenty.
    Cost: about ten passes over the values a limit, some at a time.

    Args:
        counts: shape (3, k), reports that support the value, others of its group, and those outside.
        probabilities: shape (3, 3, k), of the kinds (rows) sent by whoever holds the value, by others of its group and
            by others outside (columns).
        stderr: shape (k,), about how exact each share is told: where the search begins.
        error: how often both limits may miss, together.
    """
    pieces = range(0, counts.shape[1], ROWS)
    rows = [slice(start, start + ROWS) for start in pieces]
    found = [_limits(counts[:, part], probabilities[..., part], stderr[part], error) for part in rows]
    low, high = (np.concatenate(ends) for ends in zip(*found, strict=True))
    return low, high


def _limits(counts: Floats, probabilities: Floats, stderr: Floats, error: float) -> tuple[Floats, Floats]:
    from scipy import special

    part = part_of_report(counts[0], counts.sum(axis=0))
    none = np.zeros_like(part)
    fewer = np.minimum(part, counts[0])
    z = float(special.ndtri(1 - error / 2))
    low = _end(counts + np.stack([-fewer, fewer, none]), probabilities, z**2, none, -z * stderr)
    high = _end(counts + np.stack([part, none, none]), probabilities, z**2, none + 1, z * stderr)
    return low, high


def _end(counts: Floats, probabilities: Floats, fall: float, far: Floats, reach: Floats) -> Floats:
    """Where the deviance has grown by `fall` on the way from the likeliest share to `far`; `far` if it never does.

    The first guess is `reach` away.
    """
    best, least = _likeliest(counts, probabilities)
    end = far.copy()
    rest = np.flatnonzero(_profile(counts, probabilities, far)[0] - least > fall)
    counts, probabilities, most = counts[:, rest], probabilities[..., rest], least[rest] + fall
    inside, outside = best[rest], far[rest]
    guess = inside + reach[rest]
    share = np.where((guess > 0) & (guess < 1), guess, (inside + outside) / 2)
    for _ in range(STEPS):
        deviance, slope = _profile(counts, probabilities, share)
        beyond = deviance > most
        inside, outside = np.where(beyond, inside, share), np.where(beyond, share, outside)
        # Convex: Newton's steps from beyond the end stay beyond it, and come near it quickly.
        with np.errstate(divide="ignore", invalid="ignore"):
            step = share - (deviance - most) / slope
        between = (step > np.minimum(inside, outside)) & (step < np.maximum(inside, outside))
        after = np.where(between, step, (inside + outside) / 2)
        end[rest] = after
        left = np.abs(after - share) > NEAR * np.abs(after - best[rest])
        if not left.any():
            break
        rest, share, inside, outside, most = rest[left], after[left], inside[left], outside[left], most[left]
        counts, probabilities = counts[:, left], probabilities[..., left]
    return end


def _profile(counts: Floats, probabilities: Floats, share: Floats) -> tuple[Floats, Floats]:
    """The deviance at the likeliest share of the group's other values, and its slope in the share, shape (k,) each."""
    own, other, outside = probabilities.swapaxes(0, 1)
    start, direction = own * share + outside * (1 - share), other - outside
    rest = _peak(counts, start, direction, 1 - share)
    law = np.maximum(start + direction * rest, 0.0)
    # Where all the rest is of the group, it shrinks as the share grows.
    towards = np.where(rest >= 1 - share, own - other, own - outside)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = -2 * np.where(counts > 0, counts * towards / law, 0.0).sum(axis=0)
    return _deviance(counts, law), slope


def _likeliest(counts: Floats, probabilities: Floats) -> tuple[Floats, Floats]:
    """The share that explains the counts best, and its deviance, shape (k,) each.

    The deviance is zero where some shares predict the counts exactly; otherwise the best lie on an edge: nobody holds
    the value, or nobody another of the group, or nobody one outside it.
    """
    best = _exact(counts, probabilities)
    deviance = np.zeros_like(best)
    rest = np.flatnonzero(np.isnan(best))
    counts, (own, other, outside) = counts[:, rest], probabilities[..., rest].swapaxes(0, 1)
    none = np.zeros(len(rest))
    edges = [(outside, other - outside), (outside, own - outside), (other, own - other)]
    ways = [_peak(counts, start, direction, none + 1) for start, direction in edges]
    laws = [np.maximum(start + direction * way, 0.0) for (start, direction), way in zip(edges, ways, strict=True)]
    found = np.stack([_deviance(counts, law) for law in laws])
    first = np.argmin(found, axis=0)[None]
    best[rest] = np.take_along_axis(np.stack([none, *ways[1:]]), first, axis=0)[0]
    deviance[rest] = np.take_along_axis(found, first, axis=0)[0]
    return best, deviance


def _exact(counts: Floats, probabilities: Floats) -> Floats:
    """The share that predicts the counts exactly, shape (k,); nan where none does."""
    law = counts / counts.sum(axis=0)
    own, other, outside = probabilities.swapaxes(0, 1)
    a, b, c = own - outside, other - outside, law - outside
    # By Cramer's rule on the first two kinds; the third follows.
    determinant = a[0] * b[1] - a[1] * b[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        share, rest = (c[0] * b[1] - c[1] * b[0]) / determinant, (a[0] * c[1] - a[1] * c[0]) / determinant
    possible = (share >= 0) & (rest >= 0) & (share + rest <= 1)
    return np.where(possible, share, np.nan)


def _peak(counts: Floats, start: Floats, direction: Floats, span: Floats) -> Floats:
    """The way t in [0, span] along a line of probabilities that makes the counts likeliest, shape (k,).

    The likelihood's slope times the three probabilities is a quadratic in t, positive before the peak and negative
    after it: the peak is the root at which it falls.
    """
    # A kind that nobody on the line sends has no say.
    start = np.where((start == 0) & (direction == 0), 1.0, start)
    (n0, n1, n2), (a, b, c), (da, db, dc) = counts, start, direction
    square = (n0 + n1 + n2) * da * db * dc
    linear = n0 * da * (b * dc + c * db) + n1 * db * (a * dc + c * da) + n2 * dc * (a * db + b * da)
    constant = n0 * da * b * c + n1 * db * a * c + n2 * dc * a * b
    root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        falls = np.where(linear < 0, 2 * constant / (root - linear), -(linear + root) / (2 * square))
    falls = np.where((square == 0) & (linear >= 0), np.where(constant > 0, np.inf, 0.0), falls)
    return np.clip(falls, 0, span)


def _deviance(counts: Floats, law: Floats) -> Floats:
    """Twice what the log-likelihood of a law falls short of that of the counts' own shares, shape (k,)."""
    from scipy import special

    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(counts > 0, law * counts.sum(axis=0) / counts, 1.0)
    total: Floats = -2 * special.xlogy(counts, ratio).sum(axis=0)
    return total
