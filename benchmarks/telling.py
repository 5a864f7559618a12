"""Whether a clock shows the value that a sampler has: pairs of draws in random order, of two values far apart."""

import sys
from collections.abc import Iterator
from time import perf_counter_ns

import numpy as np
from scipy import stats

from pairs import ROOT
from sordino import RandomizedResponse, SystemSource

sys.path.insert(0, str(ROOT / "tests"))
from every_sampler import MECHANISMS, Splitting, two_batches

NEVER = 1e-9
LARGE = 0.01
"""Of the time of a batch: a difference below it counts for nothing."""

REPETITIONS = 3
BATCHES = {"one value": (1, 1500), "4,000 values": (4000, 700)}

TITLE = "What a clock shows of a value"
NOTE = (
    "Median difference between the times of two values that are far apart, in per cent of the time, of pairs in random "
    f"order; the least of {REPETITIONS} runs. A clock shows the value where each of them is above {LARGE:.0%} and "
    f"happens by chance less often than {NEVER:g}. The last two samplers are made to be found: one works a little "
    "more for one value, one goes a way of its own for sensitive ones. That arrays have the same shapes whatever the "
    "values is tested; this is measured, since a loaded machine hides it."
)
HEADER = ("sampler", *BATCHES, "asked")


class Slower(RandomizedResponse):
    """Does one thing more for one value."""

    def _sample(self, values, stream):
        codes = super()._sample(values, stream)
        if values[0] == 0:
            np.multiply(values, values).sum()
        return codes


def rows() -> Iterator[tuple[str, ...]]:
    for name, mechanism in MECHANISMS.items():
        yield name, *(shown(mechanism, *two_batches(name, n), pairs) for n, pairs in BATCHES.values()), "not shown"
    for mechanism in (Slower(10, "1"), Splitting(40, range(8), "1", "randomized")):
        values = ((np.full(n, 0), np.full(n, mechanism.k - 1), pairs) for n, pairs in BATCHES.values())
        yield type(mechanism).__name__, *(shown(mechanism, *one) for one in values), "shown"


def shown(mechanism, first, second, pairs):
    """The least difference of several runs, and whether each is certain and large."""
    rng = np.random.default_rng(pairs)
    for values in (first, second):
        mechanism.privatize(values)
    runs = [difference(mechanism, first, second, pairs, rng) for _ in range(REPETITIONS)]
    least = min(apart for apart, _ in runs)
    certain = all(chance <= NEVER and apart >= LARGE for apart, chance in runs)
    return f"{least:.2%}{', shown' if certain else ''}"


def difference(mechanism, first, second, pairs, rng):
    """The median of the differences within pairs, relative to the median time, and how unlikely it is by chance."""
    source, times = SystemSource(), np.empty((pairs, 2))
    # Both from the same place: where an array lies in memory costs time too.
    values = first.copy()
    for pair, swapped in enumerate(rng.random(pairs) < 0.5):
        for which in (1, 0) if swapped else (0, 1):
            values[:] = (first, second)[which]
            times[pair, which] = duration(mechanism, values, source)
    apart = times[:, 1] - times[:, 0]
    slower, unequal = int((apart > 0).sum()), int((apart != 0).sum())
    chance = stats.binomtest(slower, unequal).pvalue if unequal else 1.0
    return abs(np.median(apart)) / np.median(times), chance


def duration(mechanism, values, source):
    start = perf_counter_ns()
    mechanism.privatize(values, source)
    return perf_counter_ns() - start
