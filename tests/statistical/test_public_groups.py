"""By public groups: weighted estimates cover, their errors are true, and tests of equality hold their level."""

import numpy as np
import pytest

from sordino import Plan, Survey
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.results.groups import grouped_results
from sordino.survey.results.known_totals import KnownTotals
from sordino.survey.results.result import results_so_far
from sordino.survey.results.weighted import weighted_results

SURVEYS = 1000
PEOPLE = 10**6
LEAST, MOST = 0.93, 0.975

LEVEL_SURVEYS = 2000
LEAST_LEVEL, MOST_LEVEL = 0.035, 0.065
"""5 % within three standard errors of 2,000 surveys."""

POPULATION = np.array([[0.30, 0.05], [0.15, 0.20], [0.10, 0.20]])
"""The shares of the cells of region and arm."""

WITHIN = np.array(
    [[[0.7, 0.2, 0.1], [0.2, 0.3, 0.5]], [[0.1, 0.8, 0.1], [0.5, 0.2, 0.3]], [[0.3, 0.3, 0.4], [0.05, 0.05, 0.9]]]
)
"""Of each cell the shares of three values: the arm's effect is another one in each region."""

TRUTH = (POPULATION[..., None] * WITHIN).sum(axis=(0, 1))

pytestmark = pytest.mark.statistical


def planned(k, epsilon, groups):
    attributes = {"x": {"categories": [f"value {i}" for i in range(k)]}}
    public = {name: {"categories": [f"{name} {i}" for i in range(count)]} for name, count in groups.items()}
    survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "public": public, "ask": [{"histogram": "x"}]}
    return Plan.of(Survey.read(survey), 2000)


def drawn(plan, draw, counts, laws):
    """A tally of so many reports of each cell."""
    codes = [draw.multinomial(count, law) for count, law in zip(counts, laws, strict=True)]
    numbers = [
        plan.cells.join(np.repeat(np.arange(len(own), dtype=np.uint64), own), np.full(own.sum(), cell))
        for cell, own in enumerate(codes)
    ]
    return plan.tally(np.concatenate(numbers))


def known_totals(kind):
    if kind == "joint":
        return [KnownTotals(("region", "arm"), {key: int(PEOPLE * POPULATION[key]) for key in np.ndindex(3, 2)})]
    regions = KnownTotals(("region",), {(i,): round(PEOPLE * POPULATION[i].sum()) for i in range(3)})
    arms = KnownTotals(("arm",), {(j,): round(PEOPLE * POPULATION[:, j].sum()) for j in range(2)})
    return [regions] if kind == "one" else [regions, arms]


@pytest.mark.parametrize(
    ("kind", "n", "epsilon"), [("joint", 1000, "1"), ("one", 2000, "2"), ("raked", 1000, "4"), ("raked", 4000, "8")]
)
def test_weighted_estimates_cover_and_their_errors_are_true(kind, n, epsilon):
    """People answer by region and arm as they like; for raking as a product of both, which is what it corrects."""
    plan, draw = planned(3, epsilon, {"region": 3, "arm": 2}), np.random.default_rng(7)
    answering = np.array([[0.5, 4.0], [2.0, 0.25], [1.0, 1.0]])
    if kind != "joint":
        answering = np.outer([1, 2, 0.5], [1, 0.4] if kind == "raked" else [1, 1])
    sampled = POPULATION * answering / (POPULATION * answering).sum()
    laws = WITHIN.reshape(-1, 3) @ plan.questions[0].mechanism.probabilities()
    inside, values, errors = [], [], []
    for _ in range(SURVEYS):
        tally = drawn(plan, draw, draw.multinomial(n, sampled.ravel()), laws)
        found = results_so_far(plan, tally, "unbiased")
        (one,) = weighted_results(plan, tally, found, Coverage(), known_totals(kind)).results
        low, high = one.interval
        inside.append((low <= TRUTH) & (high >= TRUTH))
        values.append(one.estimate.value)
        errors.append(one.estimate.stderr)
    covered, spread = np.mean(inside, axis=0), np.std(values, axis=0)
    assert ((covered >= LEAST) & (covered <= MOST)).all(), covered
    assert np.abs(np.mean(values, axis=0) - TRUTH).max() < 4 * spread.max() / np.sqrt(SURVEYS)
    assert np.sqrt(np.mean(np.square(errors), axis=0)) / spread == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("k", "groups", "n", "epsilon", "rare"),
    [(2, 2, 400, "1", False), (5, 3, 1000, "1", False), (5, 3, 2000, "8", True), (10, 5, 20_000, "4", True)],
)
def test_equality_of_shares_holds_its_level_and_sees_what_differs(k, groups, n, epsilon, rare):
    plan, draw = planned(k, epsilon, {"group": groups}), np.random.default_rng(3)
    shares = np.full(k, 0.005 if rare else 1 / k)
    shares[0] += 1 - shares.sum()
    sizes = np.geomspace(1, 4, groups)
    counts = (n * sizes / sizes.sum()).astype(int)
    laws = np.tile(shares @ plan.questions[0].mechanism.probabilities(), (groups, 1))
    small = [
        _p_value(plan, drawn(plan, draw, counts, laws)) < 0.05  # of equal groups
        for _ in range(LEVEL_SURVEYS)
    ]
    assert LEAST_LEVEL <= np.mean(small) <= MOST_LEVEL
    other = np.roll(shares, 1)
    laws[0] = other @ plan.questions[0].mechanism.probabilities()
    if rare:
        assert all(_p_value(plan, drawn(plan, draw, counts, laws)) < 1e-3 for _ in range(20))


def _p_value(plan, tally):
    (test,) = grouped_results(plan, tally, ["group"], Coverage(), method="unbiased", least=1).tests
    return test.test.p_value
