"""What tells given means of statistics with a given covariance, and records whose moments numpy knows."""

import numpy as np
import pytest

from sordino import Aggregate
from sordino.domain.moment import Moments
from sordino.domain.scaled import Ranges

RANGES = Ranges.of({"age": (0, 120), "income": (-2000, 6000), "risk": (-1, 1), "score": (0, 0.01)})


class Telling:
    """Says what it is told to say."""

    def __init__(self, moments, means, covariance):
        self.moments, self.told, self.spread = moments, means, covariance

    @property
    def d(self):
        return self.moments.d

    def means(self, aggregate):
        return self.told

    def covariance(self, aggregate):
        return self.spread


class Told:
    """A population of records in their own units, told by a channel.

    With `noise` 0 the covariance of the statistics' means is that of independent people who answer everything.
    """

    def __init__(self, names, n=400, noise=0.0, seed=0, records=None):
        rng = np.random.default_rng(seed)
        if records is None:
            mixed = np.clip(rng.normal(size=(n, 4)) @ rng.uniform(-0.4, 0.4, size=(4, 4)) + [0.3, -0.2, 0, 0.5], -1, 1)
            # Not linear, and with an error that depends on the features.
            mixed[:, 3] = np.clip(mixed[:, 3] + 0.3 * mixed[:, 0] * rng.normal(size=n), -1, 1)
            records = RANGES.middle + RANGES.half * mixed
        self.records, self.ranges = records, RANGES
        self.moments = Moments(4, tuple(names))
        statistics = self.moments.values(RANGES.scale(records))
        self.means = statistics.mean(axis=0)
        self.covariance = np.cov(statistics.T).reshape(len(names), -1) / len(records) + noise * np.eye(len(names))
        self.aggregate = Aggregate("telling", len(records), np.zeros(2, dtype=np.int64))

    def channel(self, shift=0.0):
        return Telling(self.moments, self.means + shift, self.covariance)

    def moved(self, function, step=1e-5):
        """How an estimate moves with each of the told means, by differences; shape (..., m)."""
        shifts = step * np.eye(len(self.means))
        ends = [[function(self.channel(sign * shift)) for sign in (1, -1)] for shift in shifts]
        return np.stack([(up - down) / (2 * step) for up, down in ends], axis=-1)


@pytest.fixture
def told():
    return Told
