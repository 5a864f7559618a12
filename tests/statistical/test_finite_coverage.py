"""Intervals about those who reported, and of fitted shares, hold as often as docs say: the benchmarks, smaller."""

import importlib
import sys

import numpy as np
import pytest

from planted import ROOT
from sordino import LDP, Blockwise, best_mechanism
from sordino.estimation.intervals.finite_people import finite_limits
from sordino.estimation.intervals.nearest_limits import NearestLimits
from sordino.estimation.share_estimate import estimate
from sordino.papers.simulation import SimulationSource

pytestmark = pytest.mark.statistical

FALLING = 0.6 ** np.arange(12) / (0.6 ** np.arange(12)).sum()
SPIKE = np.array([*[0.02 / 11] * 4, 0.98, *[0.02 / 11] * 7])
SURVEYS = 150


@pytest.fixture
def benchmark(monkeypatch):
    """The modules of the benchmark, which find each other in their folder."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield importlib.import_module("covering_fits")
    for name in ("covering_fits", "covering", "likely_limits"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("epsilon", ["1", "2", "4", "6", "8"])
@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize(("shares", "n"), [(FALLING, 3000), (SPIKE, 3000), (FALLING, 150)])
def test_the_shares_of_those_who_reported_are_held(epsilon, blocks, shares, n):
    public = Blockwise(np.repeat(np.arange(3), 4), epsilon, "randomized")
    mechanism, held = public if blocks else best_mechanism(12, LDP(epsilon)), []
    for seed in range(SURVEYS):
        people = np.random.default_rng(seed).multinomial(n, shares)
        codes = mechanism.privatize(np.repeat(np.arange(12), people), SimulationSource(seed))
        found = estimate(mechanism, mechanism.tally(codes), "unbiased", subtract_totals=blocks)
        low, high = finite_limits(found, found.interval(), n)
        held.append((low <= people / n + 1e-9) & (high >= people / n - 1e-9))
    assert np.mean(held) > 0.94
    assert np.mean(held, axis=0).min() > 0.87


def test_fitted_shares_are_held_in_hard_populations(benchmark):
    mechanism = best_mechanism(12, LDP("2"))
    for shares, n in benchmark.histograms().values():
        tallies = benchmark.tallies(mechanism, shares, n, 200, 3)
        each = (estimate(mechanism, tally, "simplex") for tally in tallies)
        held = np.array([NearestLimits(found, 0.95).holds(np.eye(12), shares) for found in each])
        error = held.mean(axis=1).std() / np.sqrt(len(held))
        assert 0.93 - 4 * error <= held.mean() <= 0.985
        assert held.mean(axis=0).min() > 0.87
