"""How often the limits of "change since" hold: at the period that the reports choose, of series that are calm or not.

Reports of each period are drawn by the mechanism's own probabilities, and nothing of the change's method is used.
Prints the table that `docs/series.md` has: `python tests/statistical/test_change_since.py`. SERIES says how many.
"""

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from sordino import Aggregate, RandomizedResponse
from sordino.estimation.share_estimate import estimate
from sordino.views.plan_series import QuantitySeries

pytestmark = pytest.mark.statistical

SERIES = int(os.environ.get("SERIES", "2000"))
SHAPES = {
    "calm": lambda share, time: np.full(len(time), share),
    "jump": lambda share, time: np.where(time < 0.5, share, 1.5 * share),
    "drift": lambda share, time: share * (1 + 0.5 * time),
    "wave": lambda share, time: share * (1 + 0.3 * np.sin(4 * np.pi * time)),
}
CALM = [
    (0.03, "8", 12, 110),
    (0.3, "8", 12, 110),
    (0.03, "1", 12, 400),
    (0.3, "1", 12, 400),
    (0.03, "8", 6, 110),
    (0.03, "8", 52, 110),
    (0.03, "8", 12, 1000),
    (0.5, "4", 12, 50),
    (0.97, "8", 12, 110),
]
RARE = [(0.01, "8", 12, 50), (0.03, "4", 52, 50), (0.03, "8", 12, 30)]
"""Of fewer than two people a period."""


@cache
def row(mechanism, counts):
    """The estimate of the first value's share with its standard error and its limits."""
    found = estimate(mechanism, Aggregate(mechanism.fingerprint, sum(counts), np.array(counts)), "unbiased")
    low, high = found.interval(0.95)
    return found.value[0], found.stderr[0], low[0], high[0]


def limits(shape, share, epsilon, periods, reports):
    """Of each series the limits of the change that is named, less the true one; shape (series, 2)."""
    mechanism, random = RandomizedResponse(2, epsilon), np.random.default_rng([periods, reports, int(100 * share)])
    shares = SHAPES[shape](share, np.arange(periods) / periods)
    codes = np.array([mechanism.forward(np.array([own, 1 - own])) for own in shares])
    for _ in range(SERIES):
        each = np.maximum(random.poisson(reports, periods), 10)
        counts = random.multinomial(each, codes / codes.sum(axis=1, keepdims=True))
        found = np.array([row(mechanism, tuple(own)) for own in counts.tolist()]).T
        one = QuantitySeries(
            question="",
            asked="",
            key={},
            label="",
            title="",
            kind="share",
            is_share=True,
            is_date=False,
            periods=np.arange(periods),
            estimate=found[0],
            stderr=found[1],
            low=found[2],
            high=found[3],
            reports=each,
            confidence=0.95,
            watched=False,
            band_confidence=None,
            change_confidence=0.95,
        )
        known, cut = one.errors**-2, one.change.since
        truth = np.average(shares[cut:], weights=known[cut:]) - np.average(shares[:cut], weights=known[:cut])
        yield np.array(one.limits) - truth


def coverage(*setting):
    """How many series hold the true change."""
    return sum(bool(low <= 0 <= high) for low, high in limits(*setting))


@pytest.mark.parametrize("setting", CALM)
def test_limits_of_a_calm_series_hold_as_often_as_is_said(setting):
    held = coverage("calm", *setting)
    least, most = stats.binom.ppf(1e-3, SERIES, 0.94), stats.binom.ppf(1 - 1e-3, SERIES, 0.96)
    assert least <= held <= most, held / SERIES


@pytest.mark.parametrize("setting", RARE)
def test_of_a_value_that_hardly_anybody_has_they_are_wider(setting):
    assert coverage("calm", *setting) >= stats.binom.ppf(1e-3, SERIES, 0.95)


@pytest.mark.parametrize("setting", [CALM[0], CALM[1], CALM[3]])
@pytest.mark.parametrize("shape", ["jump", "drift", "wave"])
def test_limits_of_a_series_that_moves_hold_too(shape, setting):
    assert coverage(shape, *setting) >= stats.binom.ppf(1e-3, SERIES, 0.94)


if __name__ == "__main__":
    for shape, settings in (("calm", [*CALM, *RARE]), *((shape, CALM[:4]) for shape in ("jump", "drift", "wave"))):
        for share, epsilon, periods, reports in settings:
            part = coverage(shape, share, epsilon, periods, reports) / SERIES
            about = f"{shape}, {100 * share:g} % | {epsilon} | {periods} x {reports}"
            sys.stdout.write(f"| {about} | {100 * part:.1f} % |\n")
            sys.stdout.flush()
