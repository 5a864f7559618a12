"""Intervals of shares hold for every mechanism and definition, each and all together: the benchmark's, smaller.

The smallest collections are a few reports a value, where few large amounts make an estimate.
"""

import importlib.util
import sys

import pytest

from planted import ROOT

pytestmark = pytest.mark.statistical

COLLECTIONS = 60


def _loaded():
    spec = importlib.util.spec_from_file_location("covering", ROOT / "benchmarks" / "covering.py")
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look themselves up there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


covering = _loaded()


@pytest.mark.parametrize("people", covering.PEOPLE)
@pytest.mark.parametrize("name", covering.CASES)
def test_intervals_hold_by_themselves_and_together(name, people):
    for per_value in (2, 20):
        found = covering.covered(name, people, per_value, COLLECTIONS)
        for hits, least, _ in covering.asked(found):
            if hits.size:
                rate, error = covering.rate_of(hits)
                # One collection more or less; and what chance does once in ten thousand times.
                assert rate >= least - 1 / COLLECTIONS - 4 * error
        assert found.each.mean(axis=0).min() > 0.75
