"""Tables are forecast as they are fitted: together."""

import numpy as np
import pyarrow as pa
import pytest

from sordino import Plan, Survey, aggregate, estimate, privatize
from sordino.design.shares.fitted_distance import ExpectedEstimates
from sordino.survey.planning.forecast import forecasts
from sordino.verbs.make_plan import make_plan

NAMES = tuple(f"a{place}" for place in range(4))
CLASSES = np.random.default_rng(4)
WEIGHTS = CLASSES.dirichlet(np.ones(6))
WITHIN = [CLASSES.dirichlet(np.full(5, 0.6), 6) for _ in NAMES]


def people(count, seed):
    """Whose attributes go together: within each of six classes they do not."""
    rng = np.random.default_rng(seed)
    own = rng.choice(6, count, p=WEIGHTS)
    values = [(rng.random(count)[:, None] > np.cumsum(within, axis=1)[own]).sum(axis=1).clip(0, 4) for within in WITHIN]
    return pa.table({name: column.tolist() for name, column in zip(NAMES, values, strict=True)})


def shares_of(table, names):
    cells = np.ravel_multi_index([table[name].to_numpy() for name in names], [5] * len(names))
    return np.bincount(cells, minlength=5 ** len(names)) / len(table)


def survey(names=NAMES, *more):
    attributes = {name: {"categories": 5} for name in names}
    return {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"tables": {"of": list(names)}}, *more]}


def test_tables_that_are_fitted_together_are_as_far_as_forecast():
    count, asked = 30_000, survey(NAMES, {"histogram": "a0"})
    known, unknown = make_plan(asked, count, expect=people(20_000, 2)), make_plan(asked, count)
    reports = aggregate(known.plan, privatize(known.plan, people(count, 1)))
    truth = people(200_000, 3)
    found = [
        np.abs(result.estimate.fitted - shares_of(truth, result.question.attribute_names)).sum() / 2
        for result in estimate(known.plan, reports).results
    ]
    assert np.mean([one.distance.plan[0] for one in known.forecasts]) == pytest.approx(np.mean(found), rel=0.2)
    # Of whom nothing is known it is said from where to where.
    low, high = np.mean([one.distance.plan for one in unknown.forecasts], axis=0)
    assert low < np.mean(found) < high


def test_tables_that_are_alike_are_simulated_once(monkeypatch):
    """45 equal tables, this plan and uniform protection: one simulation each of the two kinds of people."""
    draw, drawn = ExpectedEstimates.draw_several, []

    def counted(self, rng, surveys):
        drawn.extend([self.key] * surveys)
        return draw(self, rng, surveys)

    monkeypatch.setattr(ExpectedEstimates, "draw_several", counted)
    found = forecasts(Plan.of(Survey.read(survey(tuple(f"a{place}" for place in range(10)))), 450_000))
    assert len({one.distance for one in found if one.distance.plan[-1]}) == 45
    assert all(one.distance.plan == one.distance.uniform for one in found)
    alone = [key for key in drawn if key[-1] is None]
    assert len(set(alone)) == 1
    assert len(alone) < 400
    # Together: some surveys of 45 tables each, and no more for uniform protection, which is the same plan.
    assert len(drawn) - len(alone) <= 40 * 45
