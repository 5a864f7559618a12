"""How often limits of coefficients hold, of surveys of which many are refused: given that the regression is shown.

Tallies are drawn by the exact probabilities of the codes (`tallied`). Prints the table that `docs/estimates.md` has:
`python tests/statistical/test_shown_regressions.py`. SHOWN says how many shown surveys a row takes.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from sordino.estimation.intervals.covariance_limits import correlations, sum_limit
from sordino.estimation.means_and_covariances import NormalEstimate, limits_of
from sordino.survey.results.result import results
from surveys import planned
from tallied import tallies

pytestmark = pytest.mark.statistical

SHOWN, MOST = int(os.environ.get("SHOWN", "300")), 12_000
LEAST = 0.93
"""Coverage of 95 % limits, given that they are shown."""


def spread(seed, middle, width, slope, start, noise):
    """Features normal around their middle, and a target that grows with them; all of 0 to 100."""
    random = np.random.default_rng(seed)
    x = random.normal(middle, width, 400)
    return {"x": x.clip(0, 100), "y": (start + slope * (x - middle) + random.normal(0, noise, 400)).clip(0, 100)}


def top(part):
    """So many have the largest value of both numbers, all others the least."""
    same = np.where(np.arange(400) < 400 * part, 100.0, 0.0)
    return {"x": same, "y": same}


def two():
    """Two features that go together."""
    random = np.random.default_rng(9)
    x = random.normal(50, 15, 400)
    w = 50 + 0.7 * (x - 50) + random.normal(0, 10, 400)
    y = 50 + 0.5 * (x - 50) + 0.6 * (w - 50) + random.normal(0, 5, 400)
    return {"x": x.clip(0, 100), "w": w.clip(0, 100), "y": y.clip(0, 100)}


EVEN = {"x": np.linspace(0, 100, 400), "y": 25 + np.linspace(0, 50, 400)}
ROWS = [
    ("3 % at the top of both", top(0.03), "10", 1000),
    ("3 % at the top of both", top(0.03), "6", 1000),
    ("3 % at the top of both", top(0.03), "3", 3000),
    ("10 % at the top of both", top(0.1), "6", 100),
    ("a narrow feature, slope 3", spread(3, 50, 7.5, 3, 50, 5), "4", 3000),
    ("a narrow feature, slope 3", spread(3, 50, 7.5, 3, 50, 5), "2", 20_000),
    ("a narrow feature far from 0, slope -2", spread(4, 80, 7.5, -2, 65, 5), "2", 30_000),
    ("a narrow feature, slope 0.8", spread(5, 50, 7.5, 0.8, 50, 5), "4", 4000),
    ("an even feature", EVEN, "1", 1000),
    ("an even feature", EVEN, "4", 200),
    ("an even feature", EVEN, "1", 10_000),
    ("two features that go together", two(), "4", 30_000),
]


def truth(people):
    """The coefficients among all people, the intercept first."""
    *names, target = people
    columns = np.column_stack([np.ones(len(people[target])), *(people[name] for name in names)])
    return np.linalg.lstsq(columns, people[target], rcond=None)[0]


def without_condition(fit):
    """Limits as far as those of all means together move a coefficient to the first order, no closer than normal."""
    low, high = NormalEstimate.interval(fit)
    least, most = limits_of(*fit.reports, 0.05)
    at = [fit.reports[0].moments.names.index(name) for name in fit.told.names]
    away = np.maximum(fit.told.means - least[at], 0), np.maximum(most[at] - fit.told.means, 0)
    together = correlations(fit.told.covariance)
    below, above = (sum_limit(fit.moved, side, together) for side in (away, away[::-1]))
    return np.minimum(low, fit.value - below), np.maximum(high, fit.value + above)


def coverage(people, epsilon, reports):
    """The part of surveys that is shown; how often these hold each coefficient, before and now, and the widths."""
    numbers = {name: {"number": {"low": 0, "high": 100}} for name in people}
    *features, target = people
    ask = [{"regression": {"target": target, "features": features}}]
    plan = planned({"version": 1, "epsilon": epsilon, "attribute": numbers, "ask": ask}, reports)
    true, held, widths, drawn = truth(people), [], [], 0
    for tally in tallies(plan, people, reports, MOST, 11):
        drawn += 1
        (found,) = results(plan, tally, "unbiased")
        if hasattr(found, "estimate"):
            limits = np.array([without_condition(found.estimate), found.interval])
            held.append((limits[:, 0] <= true) & (true <= limits[:, 1]))
            widths.append(limits[:, 1] - limits[:, 0])
        if len(held) == SHOWN:
            break
    return len(held) / drawn, np.array(held), np.median(widths, axis=0)


@pytest.mark.parametrize(("name", "people", "epsilon", "reports"), ROWS)
def test_limits_hold_given_that_a_regression_is_shown(name, people, epsilon, reports):
    shown, held, widths = coverage(people, epsilon, reports)
    least = stats.binom.ppf(1e-3, len(held), LEAST) / len(held)
    assert (held[:, 1].mean(axis=0) >= least).all(), (name, shown, held.mean(axis=0))
    if reports == 10_000:
        # Of a survey that is hardly ever refused the condition costs little.
        assert (widths[1] < 1.15 * widths[0]).all()


def texts():
    """The rows of the table."""
    for name, people, epsilon, reports in ROWS:
        shown, held, widths = coverage(people, epsilon, reports)
        slope = held[:, :, 1:].mean(axis=(0, 2)), held[:, :, 0].mean(axis=0)
        wider = np.mean(widths[1, 1:] / widths[0, 1:])
        cells = [
            f"{name}; epsilon {epsilon}, {reports:,} reports",
            f"{100 * shown:.0f} %",
            *(f"{100 * slope[0][at]:.0f} / {100 * slope[1][at]:.0f} %" for at in range(2)),
            f"{wider:.1f}",
        ]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for text in texts():
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
