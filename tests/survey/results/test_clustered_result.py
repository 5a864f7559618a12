"""Errors by clusters of all kinds of questions, of views, and of what is left out."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, Plan, RefusedError, SordinoError, Survey, aggregate, change, estimate, privatize
from sordino.blocks.block import Plot, blocks_of
from sordino.blocks.charts import BarChart, PointChart
from sordino.blocks.tables import QuantityTable
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import Untold, results

SCHOOLS = [f"s{place}" for place in range(8)]


@pytest.fixture(scope="module")
def plan():
    attributes = {
        "smoker": {"categories": ["yes", "no"]},
        "age": {"categories": ["young", "old"]},
        "pay": {"number": {"low": 0, "high": 10, "bins": 5}},
        "rent": {"number": {"low": 0, "high": 10}},
        "apply": {"categories": ["a", "b", "c"], "several": 2},
    }
    public = {
        "region": {"categories": ["north", "south"], "totals": {"north": 3000, "south": 1000}},
        "arm": {"categories": ["a", "b"]},
        "school": {"categories": [*SCHOOLS, "nobody"]},
    }
    asks = [
        {"histogram": "smoker"},
        {"table": ["smoker", "age"]},
        {"mean": ["pay"]},
        {"distribution": "pay", "quantiles": ["0.5"]},
        {"several": "apply"},
        {"covariance": ["pay", "rent"]},
    ]
    survey = {"version": 1, "epsilon": "6", "attribute": attributes, "public": public, "ask": asks}
    return Plan.of(Survey.read(survey), 4000)


@pytest.fixture(scope="module")
def tally(plan):
    draw = np.random.default_rng(4)
    n = 4000
    school = draw.integers(0, 8, n)
    often = np.array([0.05, 0.6, 0.1, 0.5, 0.3, 0.2, 0.7, 0.1])[school]
    people = pa.table(
        {
            "school": [SCHOOLS[place] for place in school],
            "region": np.where(school < 4, "north", "south"),
            "arm": draw.choice(["a", "b"], n),
            "smoker": np.where(draw.random(n) < often, "yes", "no"),
            "age": draw.choice(["young", "old"], n),
            "pay": draw.integers(0, 6, n) + 4 * (draw.random(n) < often),
            "rent": draw.integers(0, 11, n),
            "apply": draw.choice(["a", "b", "a;b", "c"], n),
            "id": range(n),
        }
    )
    return aggregate(plan, privatize(plan, people, KeyedSource(bytes(32), "t"), id_column="id"))


@pytest.fixture(scope="module")
def found(plan, tally):
    return estimate(plan, tally, clusters="school")


@pytest.fixture(scope="module")
def single(plan, tally):
    return estimate(plan, tally)


def rows_of(result):
    return [row for table in blocks_of(QuantityTable, result.blocks()) for row in table.rows()]


def test_a_shares_error_is_that_of_decoded_totals(plan, tally, found):
    """Decoded by the inverse of the dense channel, which the estimator never forms."""
    question, own = plan.questions[0], plan.sampled.split(tally)[0]
    decode = np.linalg.pinv(question.mechanism.probabilities().T)
    share = decode[0] @ own.counts / own.n
    totals, at = [], plan.cells.names.index("school")
    by_school = {}
    for cell, counts in tally.cells.items():
        part = plan.sampled.split(Aggregate(tally.fingerprint, plan.sampled.reports(counts), counts))[0]
        by_school.setdefault(plan.cells.places(cell)[at], []).append(part)
    for parts in by_school.values():
        counts, n = sum(part.counts for part in parts), sum(part.n for part in parts)
        totals.append((decode[0] @ counts - n * share) / own.n)
    row = rows_of(found.results[0])[0]
    assert row["estimate"] == pytest.approx(share)
    assert row["stderr"] == pytest.approx(np.sqrt(8 / 7 * np.sum(np.square(totals))))
    assert row["high"] - share == pytest.approx(2.3646 * row["stderr"], rel=1e-3)


def test_every_number_of_every_kind_is_less_sure_and_the_same(found, single):
    for with_clusters, alone in zip(found.results, single.results, strict=True):
        pairs = list(zip(rows_of(with_clusters), rows_of(alone), strict=True))
        assert pairs
        for own, other in pairs:
            assert own["estimate"] == other["estimate"]
            assert own["low"] <= other["low"] <= other["high"] <= own["high"]
    assert found.results[0].design_effects[0] > 3
    # The quantile of a number that differs by school has wider limits, though it has no standard error.
    median, alone = (next(row for row in rows_of(one.results[3]) if "quantile" in row) for one in (found, single))
    assert median["quantile"] == "0.5"
    assert median["high"] - median["low"] > alone["high"] - alone["low"]


def test_figures_and_sentences_have_the_limits_of_the_tables(found):
    shares, mean = (list(found.results[place].blocks()) for place in (0, 2))
    (chart,) = [plot.chart() for plot in blocks_of(Plot, shares) if plot.of is BarChart]
    row = rows_of(found.results[0])[0]
    assert (chart.shares.low[0], chart.shares.high[0]) == (row["low"], row["high"])
    (points,) = [plot.chart() for plot in blocks_of(Plot, mean) if plot.of is PointChart]
    assert points.drawn[1][0] == rows_of(found.results[2])[0]["low"]
    said = next(found.results[0].findings()).text
    assert f"{100 * row['low']:.1f} %" in said
    (table,) = blocks_of(QuantityTable, shares)
    assert "drawn by 'school' (Student's t)" in table.sentences[0].text


def test_numbers_that_are_compared_reach_as_far_as_students_t(found):
    quantities = next(found.results[0].quantities())
    (yes, _) = quantities.measured.values()
    row = rows_of(found.results[0])[0]
    assert yes.number.low == pytest.approx(row["low"], rel=1e-12)
    assert yes.number.stderr == pytest.approx(row["stderr"] * 2.3646 / 1.96, rel=1e-3)


def test_what_does_not_count_clusters_is_left_out_and_named(found, single):
    assert {"tables", "pooled"} <= {view.name for view in single.views}
    assert {view.name for view in found.views} == {"clusters", "weighted"}
    document = found.views["clusters"].json()["clusters"]
    assert (document["by"], document["count"]) == ("school", 8)
    assert document["design_effects"]["smoker"]["least"] == found.results[0].design_effects.min()
    (part,) = found.views["clusters"].parts()
    assert "Left out" in str(part.blocks)
    with pytest.raises(SordinoError, match="differences must be of people drawn one by one"):
        found.with_views(differences=[("smoker", "yes", "no")])


def test_weights_are_worked_out_without_each_cluster(plan, tally, found):
    at, at_region = plan.cells.names.index("school"), plan.cells.names.index("region")

    def weighted(left_out):
        cells = {cell: own for cell, own in tally.cells.items() if plan.cells.places(cell)[at] != left_out}
        shares = []
        for region in range(2):
            own = [counts for cell, counts in cells.items() if plan.cells.places(cell)[at_region] == region]
            part = plan.sampled.split(Aggregate(tally.fingerprint, plan.sampled.reports(sum(own)), sum(own)))[0]
            shares.append((np.linalg.pinv(plan.questions[0].mechanism.probabilities().T) @ part.counts)[0] / part.n)
        return 0.75 * shares[0] + 0.25 * shares[1]

    sizes = {}
    for cell, counts in tally.cells.items():
        place = plan.cells.places(cell)[at]
        sizes[place] = sizes.get(place, 0) + plan.sampled.reports(counts)
    changes = [(1 - n / tally.n) * (weighted(place) - weighted(None)) for place, n in sizes.items()]
    (row, _) = found.views["weighted"].results[0].rows()
    assert row["estimate"] == pytest.approx(weighted(None))
    assert row["stderr"] == pytest.approx(np.sqrt(8 / 7 * np.sum(np.square(changes))), rel=1e-6)


def test_groups_are_compared_if_no_cluster_is_in_two(plan, tally):
    nested, crossed = (estimate(plan, tally, clusters="school", by=by).views["groups"] for by in ("region", "arm"))
    # A group has the clusters of its own people.
    assert nested.groups[0].results[0].errors.degrees == 3
    assert nested.differences
    assert not nested.apart
    assert not crossed.differences
    assert "some 'school' have people in several groups" in crossed.apart
    assert not nested.tests


def test_a_change_counts_clusters_on_both_sides(plan, tally):
    apart, one_by_one = (change(plan, tally, plan, tally, clusters=by).rows()[0] for by in ("school", None))
    assert apart["stderr"] > 1.5 * one_by_one["stderr"]


def test_too_few_clusters_are_refused(plan, tally):
    cells = {cell: own for cell, own in tally.cells.items() if plan.cells.places(cell)[2] == 0}
    counts = sum(cells.values())
    one = Aggregate(tally.fingerprint, plan.sampled.reports(counts), counts, cells)
    with pytest.raises(SordinoError, match="reports of several 'school'; found 1"):
        results(plan, one, coverage=Coverage(clusters="school"))


def test_a_column_must_be_public_and_reports_must_name_it(plan, tally):
    with pytest.raises(SordinoError, match="did you mean 'school'"):
        estimate(plan, tally, clusters="scool")
    with pytest.raises(RefusedError, match="aggregate the reports"):
        results(plan, replace(tally, cells={}), coverage=Coverage(clusters="school"))


@pytest.mark.parametrize("other", [{"watched": True}, {"forged": 1}, {"fitted": True}, {"finite": 10}])
def test_clusters_are_of_honest_reports_from_a_population_at_one_time(other):
    with pytest.raises(SordinoError, match="one or the other"):
        Coverage(clusters="school", **other)


def test_what_is_shown_instead_has_no_limits_that_do_not_hold():
    numbers = {name: {"number": {"low": 0, "high": 10}} for name in ("pay", "rent")}
    asked = {"attribute": numbers, "public": {"school": {"categories": SCHOOLS}}}
    asks = [{"regression": {"target": "pay", "features": ["rent"]}}]
    plan = Plan.of(Survey.read({"version": 1, "epsilon": "1", **asked, "ask": asks}), 400)
    people = pa.table({"pay": [5.0] * 400, "rent": [5.0] * 400, "school": SCHOOLS * 50, "id": range(400)})
    tally = aggregate(plan, privatize(plan, people, KeyedSource(bytes(32), "t"), id_column="id"))
    (alone,) = results(plan, tally)
    assert isinstance(alone, Untold)
    assert alone.instead is not None
    with pytest.raises(SordinoError, match="a feature must vary"):
        results(plan, tally, coverage=Coverage(clusters="school"))


def cover(schools, people, surveys, *, clusters):
    """The part of surveys whose interval holds .3, people of a school being alike (correlation .2)."""
    labels = [f"s{place}" for place in range(schools)]
    asked = {"attribute": {"smoker": {"categories": ["yes", "no"]}}, "public": {"school": {"categories": labels}}}
    survey = {"version": 1, "epsilon": "2", **asked, "ask": [{"histogram": "smoker"}]}
    plan = Plan.of(Survey.read(survey), schools * people)
    yes, no = plan.questions[0].mechanism.probabilities()
    draw, holds = np.random.default_rng(5), 0
    for _ in range(surveys):
        answers = draw.binomial(people, draw.beta(0.3 * 4, 0.7 * 4, schools))
        cells = {
            place: draw.multinomial(count, yes) + draw.multinomial(people - count, no)
            for place, count in enumerate(answers)
        }
        tally = Aggregate(plan.sampled.fingerprint, schools * people, sum(cells.values()), cells)
        (one,) = results(plan, tally, "unbiased", Coverage(clusters=clusters))
        row = next(iter(one.rows()))
        holds += row["low"] <= 0.3 <= row["high"]
    return holds / surveys


@pytest.mark.parametrize(("schools", "expected"), [(5, 0.934), (20, 0.943)])
def test_intervals_hold_where_people_of_a_school_are_alike(schools, expected):
    surveys = 200
    enough = expected - 3 * np.sqrt(expected * (1 - expected) / surveys)
    assert cover(schools, 25, surveys, clusters="school") > enough
    assert cover(schools, 25, surveys, clusters="") < enough
