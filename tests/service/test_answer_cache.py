"""Estimates of periods are worked out once, anew where reports change, and take no more room than they may."""

from datetime import date

import numpy as np
import pytest

from sordino import Plan, Survey
from sordino.service.answer_cache import PeriodMemory
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import results
from sordino.views import plan_series as module
from sordino.views.group_results import PublicGroup
from sordino.views.plan_series import PlanSeries
from sordino.views.view import ViewRequest, ViewSource

SURVEY = {
    "version": 1,
    "epsilon": "3",
    "attribute": {"x": {"categories": ["a", "b"]}},
    "ask": [{"histogram": "x"}],
    "series": {"periods": 8, "every": "week", "start": date(2026, 1, 5)},
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 3000)


@pytest.fixture
def made(monkeypatch):
    """The periods that were worked out."""
    found, own = [], module.estimate_group
    monkeypatch.setattr(module, "estimate_group", lambda *words: found.append(words[1]) or own(*words))
    return found


def tally_of(plan, weeks, seed=1):
    week = np.repeat(np.arange(weeks), 200)
    codes = np.random.default_rng(seed).integers(0, plan.sampled.outputs, len(week)).astype(np.uint64)
    return plan.tally(plan.cells.join(codes, week))


def series_of(plan, tally, memory, coverage=None):
    coverage = coverage or Coverage()
    found = results(plan, tally, None, coverage)
    return PlanSeries.of(
        ViewSource(plan, tally, found, coverage, request=ViewRequest(least=100, remember=memory.once))
    ).json()


def test_a_period_is_worked_out_once_and_anew_when_its_reports_change(plan, made):
    memory, first = PeriodMemory(), tally_of(plan, 7)
    labels = plan.series.labels
    for _ in range(2):
        known = series_of(plan, first, memory)
    assert made == labels[:7]
    one_more = first + plan.tally(plan.cells.join(np.array([1], dtype=np.uint64), np.array([2])))
    for tally, coverage, anew in ((one_more, Coverage(), [labels[2]]), (first, Coverage(0.9), labels[:7])):
        made.clear()
        found = series_of(plan, tally, memory, coverage)
        assert made == anew
        assert found == series_of(plan, tally, PeriodMemory(), coverage)
        assert found != known


def test_what_is_kept_has_a_bound_and_the_oldest_goes_first(plan):
    group = series_of_group(plan)
    size = sum(table.count for tables in group.tables for table in tables) ** 2
    memory, asked = PeriodMemory(3 * size), []

    def once(key):
        return memory.once(key, lambda: asked.append(key) or group)

    for key in (1, 2, 3, 1, 4, 1, 3, 4, 2):
        assert once(key) is group
    assert asked == [1, 2, 3, 4, 2]
    # What alone is larger than all that is kept is given, and takes the place of nothing.
    small = PeriodMemory(size - 1)
    assert small.once(1, lambda: group) is group
    with pytest.raises(ZeroDivisionError):
        small.once(1, lambda: PublicGroup("", group.tally, (1 / 0,)))


def series_of_group(plan):
    tally, coverage = tally_of(plan, 1), Coverage()
    source = ViewSource(plan, tally, results(plan, tally, None, coverage), coverage, request=ViewRequest(least=100))
    return PlanSeries.of(source).groups.groups[0]
