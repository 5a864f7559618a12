"""Which of a question's values people read of, and in which order."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import Categories
from sordino.estimation.neighbours.share_prior import LearntChoice
from sordino.estimation.share_estimate import estimate
from sordino.papers.simulation import SimulationSource, simulate_tally
from sordino.survey.kinds.shares.surroundings import offer_of


@pytest.mark.parametrize("k", [2, 15, 16, 40, 41, 300])
def test_up_to_forty_values_stand_in_the_surveys_order_and_of_more_the_largest_first(k):
    asked = {"version": 1, "epsilon": "4", "attribute": {"town": {"categories": k}}, "ask": [{"histogram": "town"}]}
    plan = sordino.plan(asked, 2000)
    reports = sordino.privatize(plan, pa.table({"town": np.arange(2000) ** 2 % 2000 * k // 2000}))
    (result,) = sordino.estimate(plan, sordino.aggregate(plan, reports)).results
    if k <= 40:
        assert result.excerpt.tolist() == list(range(k))
    else:
        assert len(result.excerpt) == 15
        assert (np.diff(result.fitted[result.excerpt]) <= 0).all()
        assert result.fitted[result.excerpt].min() >= np.delete(result.fitted, result.excerpt).max()


TOWNS = {"town": {"categories": 30}, "sex": {"categories": 2}}


def towns(ask, n=6000, **options):
    """The results of a survey of people who live mostly in a few of thirty towns; of a table, in all of them alike."""
    drawn = np.random.default_rng(1)
    attributes = TOWNS if "table" in ask else {"town": TOWNS["town"]}
    home = drawn.integers(0, 30, n) if "table" in ask else drawn.zipf(1.7, n) % 30
    people = pa.table({"town": home, "sex": drawn.integers(0, 2, n)})
    plan = sordino.plan({"version": 1, "epsilon": "1", "attribute": attributes, "ask": [ask]}, n)
    reports = sordino.privatize(plan, people)
    return sordino.estimate(plan, sordino.aggregate(plan, reports), **options)


def test_tables_and_what_has_intervals_keep_the_nearest_distribution():
    (result,) = towns({"histogram": "town"}).results
    assert result.estimate.method == "empirical-bayes"
    (result,) = towns({"histogram": "town"}, fitted_intervals=True).results
    assert result.estimate.method == "simplex"
    assert result.fitted_interval is not None
    (result,) = towns({"table": ["town", "sex"]}).results
    assert result.estimate.method == "simplex"


def test_of_shares_drawn_to_the_others_the_estimate_is_named_for_single_values():
    (result,) = towns({"histogram": "town"}).results
    said = " ".join(sentence.text for sentence in result._sentences)
    assert "for a single value, read the estimate beside it" in said
    assert "(total variation), the nearest distribution to the estimates" in said
    assert set(result.numbers) >= {"estimate", "fitted"}


@pytest.mark.parametrize("learnt", [0.01, 0.5])
def test_smoothed_shares_are_offered_only_if_nearer_than_what_is_fitted(learnt):
    mechanism = sordino.ProjectiveResponse(1600, "1")
    hill = np.exp(-((np.arange(1600) - 700) ** 2) / 20_000)
    people = np.random.default_rng(2).multinomial(400_000, hill / hill.sum())
    found = estimate(mechanism, simulate_tally(mechanism, people, SimulationSource(1)))
    offered = offer_of(Categories(range(1600)), replace(found, choice=LearntChoice(learnt, 0.9)))
    assert (offered is not None) == (learnt > 0.1)
