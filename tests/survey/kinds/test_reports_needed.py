"""When what is not told yet may be expected to be: collections are simulated, which know of no forecast."""

import numpy as np
import pytest

from sordino import KeyedSource, SordinoError
from sordino.design.numbers.numbers_accuracy import Expected
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.numbers.numbers_result import NumbersResult
from sordino.survey.results.result import Untold, results_so_far
from surveys import planned

COLLECTIONS = 40

NUMBER = {"number": {"low": 0, "high": 100}}
REGRESSION = {"regression": {"target": "height", "features": ["age"]}}


def plan_of(ask, epsilon="1", **attributes):
    return planned({"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": [ask]}, 1000)


def result_of(plan, people, n, coverage, number=0):
    """What a collection of so many reports says, of people like some; NaN where a number is missing."""
    drawn = people[np.random.default_rng(number).integers(0, len(people), n)]
    source = KeyedSource(bytes(32), f"awaited {number}").for_records(np.arange(n))
    (result,) = results_so_far(plan, plan.sampled.tally(plan.sampled.privatize([drawn], source)), None, coverage)
    return result


def untold(plan, people, n, coverage):
    """The part of collections of so many reports that do not tell all that is asked."""
    found = [result_of(plan, people, n, coverage, number) for number in range(COLLECTIONS)]
    return np.mean([isinstance(one, Untold) or (isinstance(one, NumbersResult) and one.notes != ()) for one in found])


def few_have_it(bins):
    """Scaled numbers, or those of the bins' range, which four of five people lack."""
    have = np.linspace(0, 100, 20) if bins else np.linspace(-0.8, 0.8, 20)
    return np.concatenate([have, np.full(80, np.nan)])


@pytest.mark.parametrize("coverage", [Coverage(), Coverage(watched=True)])
def test_that_somebody_has_a_number_is_told_by_about_as_many_reports_as_are_awaited(coverage):
    plan = plan_of({"distribution": "age"}, age={**NUMBER, "missing": "0.8"})
    people = few_have_it(bins=True)
    awaited = result_of(plan, people, 1, coverage).reports_needed
    assert untold(plan, people, awaited // 4, coverage) > 0.6
    assert untold(plan, people, 4 * awaited, coverage) < 0.2
    # The same of its mean, which says so beside what is told.
    plan = plan_of({"mean": "age"}, age={**NUMBER, "missing": "0.8"})
    people = few_have_it(bins=False)[:, None]
    (note,) = result_of(plan, people, 5, coverage).notes
    assert ("wait for more reports" in note) == coverage.watched
    awaited = int(note.partition("(about ")[2].partition(" ")[0].replace(",", ""))
    assert untold(plan, people, awaited // 4, coverage) > 0.6
    assert untold(plan, people, 4 * awaited, coverage) < 0.2


def test_a_regression_is_rarely_refused_from_as_many_reports_on_as_are_awaited():
    plan = plan_of(REGRESSION, "4", age=NUMBER, height=NUMBER)
    people = plan.questions[0].unknown
    first = result_of(plan, people, 1, Coverage())
    assert "as many reports as statistics" in str(first.why)
    assert untold(plan, people, first.reports_needed, Coverage()) < 0.2
    assert untold(plan, people, first.reports_needed // 3, Coverage()) > 0.4


def test_covariances_are_told_once_somebody_has_answered_about_each_moment():
    plan = plan_of({"covariance": ["age", "height"]}, age=NUMBER, height=NUMBER)
    people = plan.questions[0].unknown
    awaited = result_of(plan, people, 1, Coverage(watched=True)).reports_needed
    assert untold(plan, people, awaited, Coverage(watched=True)) < 0.2
    assert untold(plan, people, awaited // 3, Coverage(watched=True)) > 0.2


def test_of_more_reports_than_are_awaited_it_is_said_that_they_were():
    for n, said in (
        (9, "are expected to be enough, if people are"),
        (10, "were expected to be enough, if people were"),
    ):
        untold = Untold(plan_of(REGRESSION, age=NUMBER, height=NUMBER).questions[0], n, SordinoError("it"), lambda: 10)
        assert f"About 10 reports {said}" in untold.why_in_words()


def test_what_takes_seconds_is_worked_out_once_for_all_pages_of_a_collection(monkeypatch):
    asked, tried = Expected.enough, []
    monkeypatch.setattr(Expected, "enough", lambda self, people: tried.append(people) or asked(self, people))
    plan = plan_of(REGRESSION, age=NUMBER, height=NUMBER)
    awaited = [result_of(plan, np.zeros((1, 2)), n, Coverage(watched=True)).reports_needed for n in (50, 60)]
    assert awaited[0] == awaited[1] > 60
    assert len(tried) == 1
