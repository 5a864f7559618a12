"""Likelihood intervals for a share that reports tell through three kinds of codes.

A report supports the value, or does not although it is of the value's group, or is outside the group. A share p of
people hold the value itself, q another value of the group, the rest a value outside it: each sends the three kinds with
known probabilities, so that of all three counts p and q are estimated together. A share p belongs to the interval if
some q explains the counts nearly as well as the best p and q do: if the deviance, twice what the log-likelihood falls
short of its maximum, is at most z^2. The profile likelihood is concave in p, and q has a closed form.

Where few reports support the value, half a report is added to what speaks for the end that is sought, as Clopper and
Pearson's limits do. What is needed near zero costs little elsewhere, and fades until there are twenty.

Cost: about ten passes over the values a limit, some at a time. Source: Cox and Hinkley 1974, Section 9.3 (intervals by
profile likelihood); Brown, Cai and DasGupta 2001 (half a report more or less).
"""

import numpy as np

from sordino.exact.arrays import Floats

FEW = 20.0
"""Supporting reports (or all others) from which on no part of a report is added."""

ROWS = 1 << 16
"""Values at a time."""

STEPS = 100
"""More than any interval needs: each step is one of Newton's, or halves what is left."""

NEAR = 1e-8
"""How exact a limit is, as a part of the distance to the estimate."""


def part_of_report(support: Floats, n: float) -> Floats:
    """What is added near zero and near everybody: half a report where nobody is seen, nothing from twenty on."""
    return 0.5 * np.clip(1 - np.minimum(support, n - support) / FEW, 0, 1)


def profile_limits(counts: Floats, probabilities: Floats, stderr: Floats, error: float) -> tuple[Floats, Floats]:
    """Lower and upper limits of each share, shape (k,) each.

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
