"""By public groups: weighted estimates cover, their errors are true, and tests of equality hold their level."""

import importlib.util

import numpy as np
import pytest

from planted import ROOT
from sordino.survey.kinds.coverage import Coverage
from sordino.views.group_results import GroupedResults
from sordino.views.view import ViewRequest, ViewSource

SURVEYS = 1000
LEAST, MOST = 0.93, 0.975

LEVEL_SURVEYS = 2000
LEAST_LEVEL, MOST_LEVEL = 0.035, 0.065
"""5 % within three standard errors of 2,000 surveys."""

pytestmark = pytest.mark.statistical


@pytest.fixture(scope="module")
def benchmark():
    """The surveys of the benchmark, which docs/benchmarks.md has the figures of."""
    spec = importlib.util.spec_from_file_location("covering_weights", ROOT / "benchmarks" / "covering_weights.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(
    ("known", "n", "epsilon"),
    [
        ("combinations", 1000, "1"),
        ("one column", 2000, "2"),
        ("two columns, raked", 1000, "4"),
        ("two columns, raked", 4000, "8"),
    ],
)
def test_weighted_estimates_cover_and_their_errors_are_true(benchmark, known, n, epsilon):
    """People answer by region and arm as they like; for raking as a product of both, which is what it corrects."""
    inside, values, errors, _ = benchmark.weighted(known, n, epsilon, SURVEYS)
    covered, spread = inside.mean(axis=0), values.std(axis=0)
    assert ((covered >= LEAST) & (covered <= MOST)).all(), covered
    assert np.abs(values.mean(axis=0) - benchmark.TRUTH).max() < 4 * spread.max() / np.sqrt(SURVEYS)
    assert np.sqrt((errors**2).mean(axis=0)) / spread == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("n", [200, 300])
def test_a_cell_of_few_reports_that_is_unlike_all_others_is_covered(benchmark, n, monkeypatch):
    """All have one value, but half of a fifth of the people, who send 10 or 15 reports: these may all be alike."""
    within = np.tile(np.array([1.0, 0.0, 0.0]), (3, 2, 1))
    within[1, 1] = 0.5, 0.5, 0.0
    monkeypatch.setattr(benchmark, "WITHIN", within)
    monkeypatch.setattr(benchmark, "TRUTH", (benchmark.POPULATION[..., None] * within).sum(axis=(0, 1)))
    inside, *_ = benchmark.weighted("combinations", n, "8", 300)
    covered = inside.mean(axis=0)
    assert (covered >= LEAST).all(), covered


@pytest.mark.parametrize(
    ("k", "groups", "n", "epsilon", "rare"),
    [(2, 2, 400, "1", False), (5, 3, 1000, "1", False), (5, 3, 2000, "8", True), (10, 5, 20_000, "4", True)],
)
def test_equality_of_shares_holds_its_level_and_sees_what_differs(benchmark, k, groups, n, epsilon, rare):
    plan, draw = benchmark.planned(k, epsilon, {"group": groups}), np.random.default_rng(3)
    shares = np.full(k, 0.005 if rare else 1 / k)
    shares[0] += 1 - shares.sum()
    sizes = np.geomspace(1, 4, groups)
    counts = (n * sizes / sizes.sum()).astype(int)
    laws = np.tile(shares @ plan.questions[0].mechanism.probabilities(), (groups, 1))
    # Of equal groups; by chance few people have a rare value, and no test is made.
    made = [p for _ in range(LEVEL_SURVEYS) for p in _p_values(plan, benchmark.drawn(plan, draw, counts, laws))]
    assert len(made) > 0.9 * LEVEL_SURVEYS
    small = np.array(made) < 0.05
    assert LEAST_LEVEL <= np.mean(small) <= MOST_LEVEL
    other = np.roll(shares, 1)
    laws[0] = other @ plan.questions[0].mechanism.probabilities()
    if rare:
        made = [p for _ in range(20) for p in _p_values(plan, benchmark.drawn(plan, draw, counts, laws))]
        assert len(made) > 10
        assert max(made) < 1e-3


def _p_values(plan, tally):
    tests = GroupedResults.of(
        ViewSource(plan, tally, (), Coverage(), "unbiased", request=ViewRequest(["group"], least=1))
    ).tests
    return [one.test.p_value for one in tests]
