"""Surveys about a number's distribution, from their text to rows: what is promised, what is refused, what is told."""

import json
import tomllib
from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from in_one import in_one
from sordino import (
    KeyedSource,
    Nats,
    Plan,
    RefusedError,
    SordinoError,
    SordinoErrors,
    Survey,
    aggregate,
    estimate,
    privatize,
    report,
)
from sordino.definition.sampling import sampling_deltas
from sordino.design.numbers.bins_channel import square_wave
from sordino.document.formats import PLAN
from sordino.survey.planning.expectations import expected_of_sample
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.plan_fields import unseal
from sordino.words.explain_certificate import plan_certificates

SURVEY = """\
version = 1
epsilon = "2"
[attribute.income]
number = { low = 0, high = 200, bins = 20, clip = true }
[attribute.age]
number = { low = 0, high = 100, edges = [0, 18, 65, 100] }
delta = "1/2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "1"
[dependence]
rest = { age = 0.25, smoker = 0.5 }
[[ask]]
distribution = "income"
quantiles = [0.5, "0.90"]
ranges = [[0, 50], [150, 200]]
[[ask]]
distribution = "age"
weight = 3
[[ask]]
mean = ["income"]
"""
PEOPLE = 3000


def edited(*changes):
    text = SURVEY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Survey.read(tomllib.loads(text))


@pytest.fixture(scope="module")
def plan():
    return Plan.of(edited(), PEOPLE)


def changed(plan, number=0, **parts):
    """The same plan with other words in a question, sealed again."""
    document = json.loads(plan.bytes)
    document["queries"][number].update(parts)
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    return Plan(unseal(PLAN.seal(content), "a plan"))


def test_levels_keep_every_delta_by_the_bounds_for_all_others_together(plan):
    age, income = plan.questions[1], plan.questions[0]
    # Of itself a bin tells all; of another attribute ln(1 + q (e^level - 1)).
    assert float(age.definition.epsilon) == pytest.approx(0.5, abs=1e-12)
    by_others = min(2, np.log1p(np.expm1(0.5) / 0.25), np.log1p(np.expm1(1) / 0.5))
    assert float(income.definition.epsilon) == pytest.approx(by_others, abs=1e-9)
    assert plan.promise.holds
    told = sampling_deltas(plan.promise.types, plan.promise.dependence)
    assert all(one <= delta for one, delta in zip(told, plan.promise.deltas, strict=True))


def test_a_bound_on_means_serves_no_distribution(plan):
    """A mean of income that hardly depends on age says nothing about its bins: two laws can share their mean."""
    document = json.loads(plan.bytes)
    document["dependence"]["rest"] = dict.fromkeys(document["attributes"], "1")
    document["dependence"]["statistics"] = [
        {"attribute": name, "statistic": ["income"], "bound": "1/1000"} for name in ("age", "smoker")
    ]
    document["queries"] = document["queries"][:1]
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    with pytest.raises(RefusedError, match="reveal more than promised about age, smoker"):
        Plan(unseal(PLAN.seal(content), "a plan")).check("the plan", "")


def test_a_mechanism_that_loses_more_than_its_plan_says_is_refused(plan):
    louder = square_wave(20, Nats.of("3/2")).document_fields
    with pytest.raises(RefusedError, match=r"a mechanism that loses .* more than promised"):
        changed(plan, 0, mechanism=louder, epsilon="1").check("the plan", "")
    with pytest.raises(RefusedError, match="reveal more than promised about age"):
        # All that is promised of age is half a nat, whatever its question says.
        changed(plan, 1, mechanism=square_wave(3, Nats.of(1)).document_fields, epsilon="1").check("the plan", "")
    with pytest.raises(RefusedError, match="declares a larger epsilon than the plan"):
        changed(plan, 1, epsilon="60").check("the plan", "")


def test_what_counts_is_what_a_channel_reveals_not_what_its_question_may(plan):
    bolder = changed(plan, 1, epsilon="3/2")
    bolder.check("the plan", "")
    assert bolder.promise.losses == plan.promise.losses
    assert bolder.questions[1].definition.epsilon > bolder.promise.deltas[0]


@in_one(
    "parts",
    [
        {"bins": 19},
        {"bins": 1},
        {"bins": 513},
        {"edges": [0.0, 200.0]},
        {"quantiles": ["1.0"]},
        {"quantiles": ["0.10"]},
        {"quantiles": ["0"]},
        {"ranges": [[50.0, 0.0]]},
        {"ranges": [[0.0, 55.0]]},
        {"ranges": [[0.0]]},
        {"distribution": "smoker"},
        {"distribution": "age"},
        {"epsilon": "2.0"},
    ],
)
def test_words_of_a_plan_that_do_not_fit_are_refused(plan, parts):
    with pytest.raises(SordinoError):
        changed(plan, 0, **parts).check("the plan", "")


@in_one(
    "changes, rule, found",
    [
        ([("[0.5,", "[0.5, 0,")], "ask.0.quantiles: a quantile must lie between 0 and 1", "0"),
        ([("[0.5,", "[0.5, 1,")], "ask.0.quantiles: a quantile must lie between 0 and 1", "1"),
        ([("[0.5,", "[0.5, true,")], "ask.0.quantiles: a quantile must be a number", "True"),
        ([("[0.5,", "[0.5, nan,")], "ask.0.quantiles: a quantile must lie between 0 and 1", "nan"),
        ([("[0.5,", "[0.9,")], "ask.0.quantiles: each quantile must stand once", "0.9 again"),
        ([('[0.5, "0.90"]', "0.5")], "ask.0.quantiles: quantiles must be a list", "0.5"),
        ([("[[0, 50]", "[[50, 0]")], "ask.0.ranges: a range must go from a lower", "50 to 0"),
        ([("[[0, 50]", "[[0, 50, 60]")], "ask.0.ranges: a range must be a pair", "[0, 50, 60]"),
        ([("[[0, 50]", "[[0, 55]")], "ask.0.ranges: a range must begin and end at edges", "55"),
        ([("bins = 20", "bins = 513")], "ask.0.distribution: bins must be 2 to 512", "513"),
        ([("[0, 18, 65, 100]", "[0, 65, 18, 100]")], "attribute.age.number: the edges of bins mus", "18.0 after 65.0"),
        ([("[0, 18, 65, 100]", "[0, 18, 165]")], "attribute.age.edges must lie between the ends", "[0, 18, 165]"),
        (
            [("edges =", "bins = 3, edges =")],
            "attribute.age.number: a number must have either bins or edges",
            "bins and edges",
        ),
        ([('= "age"', '= "smoker"')], "ask.1.distribution must be about numbers", "'smoker', which has none"),
        ([('= "age"', '= "income"')], "ask.1.distribution must name an attribute once", "'income' again"),
        ([("mean =", "ranges = [[0, 50]]\nmean =")], "ask.2: ranges must stand beside", "a question with mean"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words(changes, rule, found):
    with pytest.raises(SordinoErrors) as refused:
        edited(*changes)
    assert [each.found for each in refused.value.errors if each.rule.startswith(rule)] == [found]


def test_all_mistakes_are_told_at_once():
    changes = [("[0.5,", "[0, 2,"), ("[[0, 50]", "[[50, 0]"), ("[0, 18, 65, 100]", "[0, 18, 18]")]
    with pytest.raises(SordinoErrors) as refused:
        edited(*changes)
    assert len(refused.value.errors) == 4


def people(n):
    generator = np.random.default_rng(5)
    income, age = 220 * generator.beta(2, 5, n), 100 * generator.random(n)
    return pa.table({"income": income, "age": age, "smoker": ["yes", "no"] * (n // 2)})


def test_rows_are_bins_then_ranges_then_quantiles_then_moments(plan):
    table = people(PEOPLE).append_column("id", pa.array(range(PEOPLE)))
    released = privatize(plan, table, KeyedSource(bytes(range(32)), "test"), id_column="id")
    found = estimate(plan, aggregate(plan, released))
    income, age, _ = found.results
    rows = list(income.rows())
    assert (len(rows), income.count, len(list(age.rows()))) == (26, 26, 5)
    assert rows[0].keys() == {"attribute", "from", "to", "estimate", "stderr", "low", "high", "fitted"}
    assert [(row["from"], row["to"]) for row in rows[:20]] == [(10.0 * i, 10.0 * i + 10) for i in range(20)]
    assert [(row["from"], row["to"]) for row in rows[20:22]] == [(0, 50), (150, 200)]
    assert rows[20]["fitted"] == pytest.approx(sum(row["fitted"] for row in rows[:5]))
    assert [row["quantile"] for row in rows[22:24]] == ["0.5", "0.9"]
    assert [row["value"] for row in rows[24:]] == ["mean", "standard deviation"]
    assert rows[22].keys() == {"attribute", "quantile", "estimate", "low", "high"}
    assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows[22:])
    table = found.to_arrow()
    assert table.column("value").to_pylist()[22:24] == ["quantile 0.5", "quantile 0.9"]
    assert table.column("stderr").to_pylist()[22:24] == [None, None]
    assert table.column("estimate").to_pylist()[:26] == [row["estimate"] for row in rows]


def test_a_clipped_number_counts_as_the_end_and_others_are_refused(plan):
    at_end, beyond = (people(4).set_column(0, "income", pa.array([value] * 4)) for value in (200.0, 1e9))
    codes = [plan.questions[0].column({"income": table.column("income").to_numpy()}) for table in (at_end, beyond)]
    assert (codes[0] == codes[1]).all()
    assert report(plan, {"version": 1, "record": {"income": 1e9, "age": 3}}).plan is plan
    for age in (-1, 100.5):
        with pytest.raises(SordinoErrors, match="age"):
            report(plan, {"version": 1, "record": {"income": 1, "age": age}})
        with pytest.raises(SordinoError, match="age"):
            privatize(plan, people(2).set_column(1, "age", pa.array([1.0, age])))


def test_forecasts_say_how_many_people_it_takes(plan):
    few = Plan.of(edited(), 20)
    forecast = forecasts(few)[0]
    assert "NOTHING is learned" in forecast.warning
    needed = forecast.people_needed
    enough = forecasts(Plan.of(edited(), int(needed / few.questions[0].share) + 5))[0]
    assert 1.96 * enough.plan.largest <= 0.05
    assert enough.warning is None
    sample = [np.linspace(0, 40, 50), np.linspace(0, 99, 50), np.zeros((50, 1))]
    assert (
        forecasts(plan, expected_of_sample(plan.questions, sample))[0].plan.largest != forecasts(plan)[0].plan.largest
    )


def test_equal_bins_are_256_where_nothing_is_said():
    survey = edited((", bins = 20", ""), ("ranges = [[0, 50], [150, 200]]\n", ""))
    bins = survey.attribute["income"].number.default_bins
    assert (bins.k, Fraction(bins.edges[1])) == (256, Fraction(200, 256))


def test_a_certificate_calls_bins_of_dates_by_their_days():
    number = {"low": date(2024, 1, 1), "high": date(2024, 1, 10), "edges": [date(2024, 1, d) for d in (1, 4, 10)]}
    tables = {"version": 1, "epsilon": "1", "ask": [{"distribution": "visit"}]}
    plan = Plan.of(Survey.read({**tables, "attribute": {"visit": {"number": number, "missing": 0.2}}}), 100)
    (question,) = plan.questions
    assert [question.values.label(place) for place in range(question.values.k)] == [
        "2024-01-01 to 2024-01-04",
        "2024-01-04 to 2024-01-10",
        "missing",
    ]
    sentences = [one for paragraph in plan_certificates(plan) for one in map(str, paragraph.sentences)]
    assert any("distinguishes '2024-01-0" in one or "'missing'" in one for one in sentences)


def test_a_certificate_calls_the_values_of_a_scale_by_their_numbers():
    tables = {"version": 1, "epsilon": "1", "ask": [{"distribution": "likes"}]}
    plan = Plan.of(Survey.read({**tables, "attribute": {"likes": {"scale": [0, 3]}}}), 100)
    (question,) = plan.questions
    assert [question.values.label(place) for place in range(question.values.k)] == ["0", "1", "2", "3"]
