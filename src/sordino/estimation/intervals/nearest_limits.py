"""Limits of shares in the nearest distribution: all distributions count, not the errors of each estimate by itself.

That nobody has a negative share says something of every other: where noise made some estimates negative it made others
too large. A share t belongs to the interval if a distribution with that share is nearly as near to the estimates as the
nearest of all is. The statistic is how much further it is, squared: D(t) = min |estimates - q|^2 over the distributions
q with the share t, less the same over all distributions. It is 0 at the fitted share, which its interval therefore
always holds.

How large D may be cannot be read off a table: with many shares at 0 it is no chi-square of one degree of freedom (by
such limits the share of a value that nearly everybody has was held in 77 to 90 % of surveys). So for each t surveys are
drawn of people with the shares q that are the nearest with t, by the channel's exact distribution of codes where the
tally counts these, else normal with their exact covariance; t belongs to the interval if D is no larger than in the
given part of them. Draws are seeded by the tally: the same reports give the same limits.

Resampling from the fit itself, the usual bootstrap, does not hold: its shares are shrunk, and it shrinks them again
(`make bench BENCH=covering_fits`). Cost: some hundred draws for each of about five t at each limit, some seconds
for 40 values.
Sources: Chuang and Lai 2000 (hybrid resampling); Feldman and Cousins 1998 (the order by likelihoods).
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.share_estimate import Estimate
from sordino.exact.floats import Floats

Limits = tuple[Floats, Floats]

MOST_VALUES, MOST_ENTRIES = 40, 1 << 16
"""Values of which limits are worked out, and values times counters: what takes seconds."""

FEWEST_REPORTS = 50
"""From which on limits are measured to hold."""

DRAWS, TAIL = 400, 20
"""Surveys that are drawn for each share, at least; and of them beyond the limit, at least."""

NEAR, MOST_STEPS = 0.1, 12
"""How near a limit is found, in standard errors, and by how many steps at most."""

FIRST = 2.0
"""Standard errors from the fitted share where a limit is looked for first."""


@dataclass(frozen=True, eq=False)
class NearestLimits:
    """Limits of sums of shares, by how near distributions come to the estimates of all of them.

    Attributes:
        estimate: of the shares, fitted by the nearest distribution.
        confidence: in (0, 1), of each interval by itself.

    Example:
        >>> from sordino import RandomizedResponse, estimate
        >>> mechanism = RandomizedResponse(3, "1")
        >>> found = estimate(mechanism, mechanism.tally([0] * 600 + [1] * 250 + [2] * 150), "simplex")
        >>> low, high = NearestLimits(found, 0.95).limits(np.eye(3))
        >>> bool((low <= found.fitted).all() and (found.fitted <= high).all())
        True
    """

    estimate: Estimate
    confidence: float

    @staticmethod
    def applies_to(estimate: Estimate) -> bool:
        """Whether the limits of an estimate can be worked out, and hold."""
        mechanism = estimate.mechanism
        small = mechanism.k <= MOST_VALUES and mechanism.k * mechanism.counters <= MOST_ENTRIES
        return (
            small
            and mechanism.k > 1
            and mechanism.partition.m == 1
            and estimate.method == "simplex"
            and estimate.n >= FEWEST_REPORTS
            and tells_covariance(mechanism)
        )

    def limits(self, inside: Floats) -> Limits:
        """Lower and upper limits of the shares of some sets of values, shape (m,) each.

        Args:
            inside: which values each set has, 1 or 0, shape (m, k); neither none nor all.
        """
        stderr = np.sqrt(self.estimate.variances(inside))
        ends = [
            [self._limit(row, error, far) for far in (0.0, 1.0)]
            for row, error in zip(inside > 0, stderr.tolist(), strict=True)
        ]
        low, high = np.array(ends).T
        return low, high

    def holds(self, inside: Floats, shares: Floats) -> NDArray[np.bool_]:
        """Whether each set's interval holds a share, shape (m,): what `limits` search the ends of."""
        found = [self._excess(row, share) <= 0 for row, share in zip(inside > 0, shares.tolist(), strict=True)]
        return np.array(found, dtype=np.bool_)

    def _limit(self, inside: NDArray[np.bool_], error: float, far: float) -> float:
        """Where the interval ends on the way from the fitted share to `far`."""
        held, beyond = float(self._fitted_shares[inside].sum()), far
        if self._excess(inside, far) <= 0:
            return far
        at_held, at_beyond = -1.0, 1.0
        share = held + np.copysign(min(FIRST * error, abs(far - held) / 2), far - held)
        for _ in range(MOST_STEPS):
            excess = self._excess(inside, share)
            # The Illinois rule: an end that stays counts half, so that both come near.
            if excess <= 0:
                held, at_held, at_beyond = share, excess, at_beyond / 2
            else:
                beyond, at_beyond, at_held = share, excess, at_held / 2
            if abs(beyond - held) <= NEAR * error:
                break
            # Roots of distances are nearly straight in the share.
            share = held + (beyond - held) * float(np.clip(at_held / (at_held - at_beyond), 0.05, 0.95))
        return (held + beyond) / 2

    def _excess(self, inside: NDArray[np.bool_], share: float) -> float:
        """How much further distributions with a share are than surveys of such people leave them; at most 0 inside."""
        share = min(max(share, 0.0), 1.0)
        likeliest = np.empty(len(inside))
        likeliest[inside] = _nearest(self.estimate.value[None, inside], share)[0]
        likeliest[~inside] = _nearest(self.estimate.value[None, ~inside], 1 - share)[0]
        drawn = _further(likeliest + self._noise(likeliest), inside, share)
        allowed = float(np.quantile(drawn, self.confidence, method="higher"))
        (found,) = _further(self.estimate.value[None], inside, share)
        return float(np.sqrt(max(found, 0.0)) - np.sqrt(max(allowed, 0.0)))

    @cached_property
    def _fitted_shares(self) -> Floats:
        return self.estimate.nearest

    @cached_property
    def _seed_number(self) -> int:
        text = f"{self.estimate.mechanism.fingerprint} {self.estimate.n}".encode()
        return int.from_bytes(sha256(text + self.estimate.law.tobytes()).digest()[:8])

    @cached_property
    def _draws(self) -> int:
        return max(DRAWS, round(TAIL / (1 - self.confidence)))

    def _noise(self, shares: Floats) -> Floats:
        """What surveys of people with these shares add to the estimates, shape (draws, k)."""
        # For each share the same random numbers: limits do not depend on the way to them.
        random, mechanism, n = np.random.default_rng(self._seed_number), self.estimate.mechanism, self.estimate.n
        law = mechanism.forward(shares)
        if mechanism.counts_codes:
            law = np.maximum(law, 0.0)
            law /= law.sum()
            return (random.multinomial(n, law, size=self._draws) / n - law) @ self._contributions.T
        moments = mechanism.second_moments(np.eye(mechanism.k), law, subtract_totals=self.estimate.is_shifted)
        sizes, directions = np.linalg.eigh((moments - np.outer(shares, shares)) / n)
        root = directions * np.sqrt(np.maximum(sizes, 0.0))
        noise: Floats = random.standard_normal((self._draws, mechanism.k)) @ root.T
        return noise

    @cached_property
    def _contributions(self) -> Floats:
        return self.estimate.contributions(np.eye(self.estimate.mechanism.k))


def _further(values: Floats, inside: NDArray[np.bool_], share: float) -> Floats:
    """By how much distributions with a share are further, squared, from each of some estimates, shape (draws,)."""
    parts = ((values[:, inside], share), (values[:, ~inside], 1 - share))
    squares: Floats = sum(_squares(part, total) for part, total in parts) - _squares(values, 1.0)
    return squares


def _squares(values: Floats, total: float) -> Floats:
    """How far the nearest nonnegative numbers with a total are, squared, from each row, shape (rows,)."""
    squares: Floats = ((values - _nearest(values, total)) ** 2).sum(axis=1)
    return squares


def _nearest(values: Floats, total: float) -> Floats:
    """The nearest nonnegative numbers with a total to each row: `project` of many short rows at once."""
    ordered = np.sort(values, axis=1)[:, ::-1]
    levels = (np.cumsum(ordered, axis=1) - total) / np.arange(1, values.shape[1] + 1)
    kept = np.maximum((ordered > levels).sum(axis=1), 1)
    level = np.take_along_axis(levels, kept[:, None] - 1, axis=1)
    return np.maximum(values - level, 0.0)
