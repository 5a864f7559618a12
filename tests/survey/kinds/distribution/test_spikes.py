"""Declared spikes: fits that are not smoothed, quantiles that are edges, and promises as without them."""

import json

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, Nats, Plan, RefusedError, SordinoError, Survey, aggregate, estimate, privatize
from sordino.audit.answers import monotone_pieces
from sordino.cli.results import print_blocks
from sordino.design.numbers.bins_channel import hierarchy
from sordino.document.formats import PLAN
from sordino.survey.planning.plan_fields import unseal
from sordino.words.explain_plan import explanation

PEOPLE = 40_000


def planned(bins=64, epsilon="2", dependence=None, **number):
    attribute = {"pay": {"number": {"low": 0, "high": 64, "bins": bins, **number}}}
    survey = {"version": 1, "epsilon": epsilon, "attribute": attribute, "ask": [{"distribution": "pay"}]}
    if dependence is not None:
        attribute["ill"] = {"categories": ["yes", "no"], "delta": "0.2"}
        survey["dependence"] = dependence
    return Plan.of(Survey.read(survey), PEOPLE)


def test_a_hierarchy_is_asked_where_it_tells_the_function_with_less_noise():
    with_spikes, without = planned(spikes=True), planned()
    (question,), (plain,) = with_spikes.questions, without.questions
    assert (question.levels, plain.levels) == (3, None)
    assert (question.errors() ** 2).mean() < (plain.errors() ** 2).mean()
    assert question.definition.epsilon == plain.definition.epsilon == Nats.of(2)
    assert with_spikes.promise.holds
    # Of two bins there is nothing to draw.
    assert planned(bins=2, spikes=True).questions[0].levels is None
    assert without.document.queries[0].spikes is None


@pytest.mark.parametrize(("bins", "level", "pieces"), [(64, "1", 32), (4, "2/5", 2)])
def test_bounds_on_thresholds_serve_no_hierarchy(bins, level, pieces):
    """A code stands for nodes here and there; nor do they where it rises and falls once: whoever checks agrees."""
    plan = planned(bins, epsilon="1", spikes=True, dependence={"thresholds": {"pay": 0.2}})
    assert plan.questions[0].cuts == bins - 1
    document, asked = json.loads(plan.bytes), hierarchy(bins, Nats.of(level))
    assert monotone_pieces(asked) == pieces
    document["queries"][0] |= {"mechanism": asked.document_fields, "epsilon": level}
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    with pytest.raises(RefusedError, match="reveal more than promised about ill"):
        Plan(unseal(PLAN.seal(content), "a plan")).check("the plan", "")


def test_spikes_are_told_as_spikes():
    plan, rng = planned(spikes=True), np.random.default_rng(3)
    pay = np.where(rng.random(PEOPLE) < 0.3, 20.0, 64 * rng.beta(2, 3, PEOPLE))
    table = pa.table({"id": np.arange(PEOPLE), "pay": pay})
    reports = privatize(plan, table, id_column="id", source=KeyedSource(bytes(32), "spikes"))
    (result,) = estimate(plan, aggregate(plan, reports)).results
    assert result.estimate.method == "isotonic"
    assert result.fitted.min() >= 0
    assert result.fitted.sum() == pytest.approx(1)
    truth = np.bincount(pay.astype(int), minlength=64) / PEOPLE
    assert result.fitted[20] == pytest.approx(truth[20], abs=0.05)
    assert np.abs(np.cumsum(result.fitted - truth)).max() < 0.06
    assert (np.abs(result.estimate.shares.value - truth) < 5 * result.estimate.shares.stderr).all()
    # The nearest function that never falls, by all stretches.
    function, places = result.estimate.function, range(63)
    means = {(s, u): function[s : u + 1].mean() for s in places for u in places if s <= u}
    nearest = [max(min(means[s, u] for u in places if u >= t) for s in places if s <= t) for t in places]
    assert result.estimate.fitted_function[1:-1] == pytest.approx(np.clip(nearest, 0, 1), abs=1e-9)


@pytest.mark.parametrize("bins", [8, 64])
def test_a_quantile_of_spikes_is_an_edge_and_no_number_within_a_bin(bins):
    """Where 92 % are 0, so is the median; its interval is the bin that begins there."""
    attribute = {"number": {"low": 0, "high": 64, "bins": bins, "spikes": True}}
    asks = [{"distribution": "gain", "quantiles": [0.5, 0.97]}]
    plan = Plan.of(Survey.read({"version": 1, "epsilon": "4", "attribute": {"gain": attribute}, "ask": asks}), PEOPLE)
    gain = np.where(np.arange(PEOPLE) % 100 < 92, 0.0, 40.0)
    table = pa.table({"id": np.arange(PEOPLE), "gain": gain})
    found = estimate(plan, aggregate(plan, privatize(plan, table, id_column="id", source=KeyedSource(bytes(32), "no"))))
    (result,) = found.results
    (_, *median), (_, *high) = result.quantiles
    assert median == [0.0, 0.0, 64 / bins]
    assert high == [40.0, 40.0, 40.0 + 64 / bins]
    print_blocks(result.blocks())


def test_where_nothing_is_said_of_spikes_a_quantile_is_read_off_the_curve():
    attribute = {"number": {"low": 0, "high": 64, "bins": 8}}
    asks = [{"distribution": "gain", "quantiles": [0.5]}]
    plan = Plan.of(Survey.read({"version": 1, "epsilon": "4", "attribute": {"gain": attribute}, "ask": asks}), PEOPLE)
    table = pa.table({"id": np.arange(PEOPLE), "gain": 64 * np.random.default_rng(8).random(PEOPLE) ** 2})
    found = estimate(plan, aggregate(plan, privatize(plan, table, id_column="id", source=KeyedSource(bytes(32), "no"))))
    ((_, median, low, high),) = found.results[0].quantiles
    assert low < median < high
    assert median == pytest.approx(16, abs=2)
    assert median % 8


def test_what_is_said_of_it():
    assert "in which of 64 bins, or of fewer wider ones, it lies" in " ".join(explanation(planned(spikes=True)).lines)


def test_no_plan_says_that_there_are_none():
    document = json.loads(planned(spikes=True).bytes)
    document["queries"][0]["spikes"] = False
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    with pytest.raises(SordinoError):
        unseal(PLAN.seal(content), "a plan")
