"""The people that an accuracy takes, and what is expected of them: against real mechanisms and all populations."""

import json
import re
import tomllib
from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Aggregate,
    BinaryOptimal,
    Blockwise,
    HadamardResponse,
    HighLow,
    KeyedSource,
    Plan,
    RandomizedResponse,
    SordinoError,
    SordinoErrors,
    SubsetSelection,
    Survey,
    estimate,
    plan,
)
from sordino.design.accuracy import largest_error
from sordino.survey.planning.expectations import expected_of_survey
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.plan_fields import dump
from sordino.survey.planning.sample_size import half_width
from sordino.survey.results.result import results

TOLD = """\
version = 1
epsilon = "4"
[attribute.smoker]
categories = ["yes", "no"]
expected = { yes = 3, no = 1 }
[attribute.age]
categories = ["young", "middle", "old"]
expected = [0.6, 0.3, 0.1]
[attribute.income]
number = { low = 0, high = 100, bins = 8 }
expected = { mean = 30, sd = 12 }
[attribute.hours]
number = { low = 0, high = 80, bins = 4 }
expected = [0.1, 0.2, 0.6, 0.1]
"""

SHARES = [0.05, 0.2, 0.3, 0.15, 0.1, 0.1, 0.05, 0.05]
"""Of eight bins."""


def survey_of(*asks, epsilon="4"):
    asked = "".join(f"[[ask]]\n{ask}\n" for ask in asks)
    table = tomllib.loads(TOLD.replace('"4"', f'"{epsilon}"') + asked)
    for name in table["attribute"]:
        table["attribute"][name]["delta"] = epsilon
    return table


@pytest.mark.parametrize(
    "ask",
    ['table = ["age", "smoker"]', 'histogram = "age"', 'mean = ["income", "hours"]', 'distribution = "hours"'],
)
def test_an_accuracy_takes_as_many_people_as_reach_it_and_no_fewer(ask):
    survey = survey_of(ask)
    made = plan(survey, accuracy=0.02)
    assert made.hash == Plan.of(Survey.read(survey), made.people).hash

    def widest(people):
        again = made.for_people(people)
        return max(
            half_width(each, 0.95)
            for each in forecasts(again, expected_of_survey(again.questions, Survey.read(survey)))
        )

    assert widest(made.people) <= 0.02 * (1 + 1e-9)
    assert widest(made.people - 2) > 0.02


def test_intervals_reach_as_far_as_was_wanted():
    """Of reports by the real mechanisms, for people like those who are expected."""
    survey = survey_of('table = ["age", "smoker"]', 'mean = "income"', 'distribution = "hours"')
    made, rng = plan(survey, accuracy=0.05), np.random.default_rng(5)
    people, n = KeyedSource(bytes(32), "accuracy"), made.people
    cells = rng.choice(6, n, p=np.outer([0.6, 0.3, 0.1], [0.75, 0.25]).reshape(-1))
    income = 100 * rng.beta(4.075, 9.508, n)
    hours = rng.choice([10.0, 30, 50, 70], n, p=[0.1, 0.2, 0.6, 0.1])
    columns = [cells, (income / 50 - 1)[:, None], hours]
    found = estimate(made, made.sampled.tally(made.sampled.privatize(columns, people.for_records(np.arange(n)))))
    table, mean, curve = found.results
    reached = [
        1.96 * table.estimate.stderr.max(),
        1.96 * float(mean.estimate.stderr[0]) / 100,
        1.96 * curve.estimate.stderr.max(),
    ]
    assert max(reached) == pytest.approx(0.05, rel=0.05)


def test_intervals_of_bins_reach_up_to_twice_as_far_as_those_of_the_function():
    made, rng = plan(survey_of('distribution = "income"', epsilon="1"), accuracy=0.05), np.random.default_rng(6)
    people, n = KeyedSource(bytes(32), "accuracy"), made.people
    income = 100 * rng.beta(4.075, 9.508, n)
    found = estimate(made, made.sampled.tally(made.sampled.privatize([income], people.for_records(np.arange(n)))))
    (curve,) = found.results
    bins = [1.96 * row["stderr"] for row in curve.rows() if "from" in row]
    assert 1.96 * curve.estimate.stderr.max() == pytest.approx(0.05, rel=0.05)
    assert 0.8 * 0.05 < max(bins) < 1.05 * 2 * 0.05


@pytest.mark.parametrize("collections", [100, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.parametrize("missing", [None, "0.2"])
def test_ranges_that_are_asked_are_forecast_and_within_the_accuracy(missing, collections):
    """Against the spread of what many collections tell, and all populations of a few parts."""
    survey = survey_of('distribution = "income"\nranges = [[12.5, 87.5], [50, 100], [0, 100]]', epsilon="1")
    survey["attribute"]["income"] |= {"expected": SHARES} | ({} if missing is None else {"missing": missing})
    made, rng = plan(survey, accuracy=0.05), np.random.default_rng(7)
    (question,) = made.questions
    channel, lacking = question.mechanism.probabilities(), [] if missing is None else [float(missing)]
    shares = np.append(np.array(SHARES) * (1 - sum(lacking)), lacking)
    told = [
        [row["estimate"] for row in result.ranges]
        for counts in rng.multinomial(made.people, shares @ channel, collections)
        for result in results(made, Aggregate(made.sampled.fingerprint, made.people, counts), "unbiased")
    ]
    (forecast,) = forecasts(made, expected_of_survey(made.questions, Survey.read(survey)))
    assert np.std(told, axis=0) == pytest.approx(np.array(forecast.plan.ranges), rel=3 / np.sqrt(collections), abs=1e-9)
    # The widest interval, of a range or below an edge, reaches as far as was wanted.
    assert 1.96 * max(*forecast.plan.ranges, forecast.plan.largest) == pytest.approx(0.05, rel=1e-3)
    worst, populations = question.largest_error(), [one for one in product(range(4), repeat=8) if sum(one) == 3]
    found = max(question.largest_error(np.array(one) / 3) for one in populations)
    assert 0.9 * worst <= found <= worst * (1 + 1e-9)


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(5, "3"),
        SubsetSelection(6, "1"),
        HadamardResponse(5, "2"),
        BinaryOptimal("1", "3"),
        HighLow(5, [0, 1], "2"),
        Blockwise([[0, 1, 2], [3, 4]], "2"),
    ],
    ids=lambda mechanism: mechanism.name,
)
@pytest.mark.parametrize("subtract_totals", [False, True])
def test_nothing_known_is_the_worst_of_all_populations(mechanism, subtract_totals):
    """Against all populations of ten equal parts: never below one, and little above the worst."""
    if subtract_totals and mechanism.excess is None:
        return
    error = largest_error(mechanism, 1, subtract_totals=subtract_totals)
    parts = 10
    shares = [np.array(each) / parts for each in product(range(parts + 1), repeat=mechanism.k) if sum(each) == parts]
    found = max(largest_error(mechanism, 1, subtract_totals=subtract_totals, shares=each) for each in shares)
    assert found <= error * (1 + 1e-12)
    # Of channels that are not alike for all values the worst moments need not meet.
    assert found >= (0.8 if subtract_totals else 0.98) * error


NUMBERS = {name: {"number": {"low": 0, "high": 100, "bins": 40}} for name in "nm"}
ENDS, CORNERS = np.array([[-1.0], [1]]), np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])


def only(k, **shares):
    found = np.zeros(k)
    for value, share in shares.items():
        found[int(value[1:])] = share
    return found


def labelled(k, **protect):
    return {"c": {"categories": [f"v{value}" for value in range(k)], **protect}}


BLOCKS = [[f"v{6 * block + value}" for value in range(6)] for block in range(4)]

HOLDING = {
    "mean at 5": (NUMBERS, {"mean": "n"}, "5", 0.02, ENDS),
    "mean at 1": (NUMBERS, {"mean": "n"}, "1", 0.03, ENDS),
    "mean, some missing": ({"n": NUMBERS["n"] | {"missing": "0.2"}}, {"mean": "n"}, "4", 0.03, ENDS),
    "two means": (NUMBERS, {"mean": ["n", "m"]}, "5", 0.02, CORNERS),
    "covariance as assumed": (NUMBERS, {"covariance": ["n", "m"]}, "2", 0.05, None),
    "regression as assumed": (NUMBERS, {"regression": {"target": "m", "features": ["n"]}}, "4", 0.05, None),
    "histogram": (labelled(6), {"histogram": "c"}, "2", 0.02, only(6, v0=0.8, v1=0.2)),
    "blocks": (labelled(24, protect={"blocks": BLOCKS}), {"histogram": "c"}, "1", 0.02, only(24, v0=1)),
    "sensitive": (
        labelled(12, protect={"sensitive": ["v0", "v1", "v2", "v3"]}),
        {"histogram": "c"},
        "1",
        0.02,
        only(12, v0=0.25, v1=0.75),
    ),
    "table": (
        labelled(3) | {"d": {"categories": ["x", "y"]}},
        {"table": ["c", "d"]},
        "2",
        0.03,
        only(6, v0=0.8, v1=0.2),
    ),
    "distribution": (NUMBERS, {"distribution": "n"}, "2", 0.03, only(40, v0=1)),
    "ranges": (NUMBERS, {"distribution": "n", "ranges": [[0, 25], [25, 50]]}, "2", 0.03, only(40, v0=1)),
    "quantiles": (NUMBERS, {"distribution": "n", "quantiles": [0.5, 0.9]}, "2", 0.03, only(40, v7=1)),
    "above": (NUMBERS, {"above": "n", "threshold": 50}, "2", 0.03, only(2, v0=0.5, v1=0.5)),
}
"""Questions with the people who are worst for an accuracy; None of those who are assumed."""


def shown_for(made, read):
    """What is shown of the tally that is expected of such people."""
    (question,) = made.questions
    if hasattr(question, "readings"):
        told, asked = question.readings(read), question.query
        weights = zip(asked.drawn_parts, asked.weights, strict=True)
        drawn = [(query, weight / sum(asked.weights)) for queries, weight in weights for query in queries]
        law = np.concatenate([share * query.mechanism.forward(told[query.number]) for query, share in drawn])
    else:
        law = question.query.mechanism.forward(read)
    counts = np.rint(made.people * law).astype(np.int64)
    (found,) = results(made, Aggregate(made.sampled.fingerprint, made.people, counts), "unbiased")
    return found


def widest_shown(found):
    """Half of the widest interval, in parts of all that is possible."""
    part = found.question.part
    if getattr(part, "ranges", None):
        errors = [row["stderr"] for row in found.ranges]
    elif found.question.kind == "distribution":
        errors = found.estimate.stderr.tolist()
    else:
        rows = [row for row in found.rows() if row.get("stderr") and row.get("value") != "intercept"]
        possible = {"mean": 100, "covariance": 5000}.get(found.question.kind, 1)
        errors = [row["stderr"] / possible for row in rows]
    return 1.96 * max(errors)


@in_one("name", HOLDING)
def test_an_accuracy_holds_for_the_people_who_are_worst_for_it(name):
    """By the estimates of the tally that is expected of them, with the channel's own probabilities."""
    attributes, ask, epsilon, accuracy, read = HOLDING[name]
    asked = {key: own for key, own in attributes.items() if f'"{key}"' in json.dumps(ask)}
    made = plan({"version": 1, "epsilon": epsilon, "attribute": asked, "ask": [ask]}, accuracy=accuracy)
    found = widest_shown(shown_for(made, made.questions[0].unknown if read is None else read))
    assert 0.95 * accuracy < found < 1.02 * accuracy


def without_expected(plan):
    content = dump(plan.document)
    queries = [{name: own for name, own in part.items() if name != "expected"} for part in content["queries"]]
    return {name: own for name, own in content.items() if name != "hash"} | {"queries": queries}


def test_what_is_expected_changes_forecasts_and_nothing_else():
    survey = survey_of('histogram = "age"', 'mean = "income"', epsilon="3")
    bare = {
        **survey,
        "attribute": {
            name: {key: x for key, x in each.items() if key != "expected"} for name, each in survey["attribute"].items()
        },
    }
    assert without_expected(plan(survey, 5000)) == without_expected(plan(bare, 5000))
    assert plan(survey, 5000).certificate == plan(bare, 5000).certificate
    # The same as a sample of such people says.
    made, rng = plan(survey, 5000), np.random.default_rng(0)
    import pyarrow as pa

    from sordino.verbs.make_plan import make_plan

    n = 20_000
    sample = pa.table(
        {
            "age": rng.choice(["young", "middle", "old"], n, p=[0.6, 0.3, 0.1]),
            "income": 100 * rng.beta(4.075, 9.508, n),
        }
    )
    by_survey = forecasts(made, expected_of_survey(made.questions, Survey.read(survey)))
    by_sample = make_plan(survey, 5000, expect=sample).forecasts
    assert by_survey[0].plan.stderr == pytest.approx(by_sample[0].plan.stderr, rel=0.01)
    assert by_survey[1].plan.stderr[0] == pytest.approx(by_sample[1].plan.stderr[0], rel=0.01)
    assert by_survey[1].plan.stderr[0] != pytest.approx(forecasts(plan(bare, 5000))[1].plan.stderr[0], rel=0.01)


@pytest.mark.parametrize(
    ("expected", "rules"),
    [
        ({"yes": -1, "nay": 2}, ["found 'nay'", "none for 'no'", "-1 for 'yes'"]),
        ({"yes": 0, "no": 0}, ["must not all be 0"]),
        ({"yes": 0.5, "no": 0.6}, ["must add up to 1; found 1.1"]),
        ([0.5], ["must be 2, one for each value; found 1"]),
        ("yes", ["must be a table or a list of numbers"]),
        ({"yes": float("nan"), "no": True}, ["found nan for 'yes'", "found True for 'no'"]),
    ],
)
def test_expected_shares_that_are_none_are_told_all_at_once(expected, rules):
    tables = survey_of('histogram = "smoker"')
    tables["attribute"]["smoker"]["expected"] = expected
    with pytest.raises(SordinoErrors) as told:
        Survey.read(tables)
    for rule in rules:
        assert any(rule in str(error) for error in told.value.errors), rule


@pytest.mark.parametrize(
    ("expected", "rule"),
    [
        ({"mean": 130, "sd": 5}, "must lie between low and high; found 130"),
        ({"mean": 50, "sd": 50}, "must be above 0 and below 50"),
        ({"mean": 50}, "must be a mean and a standard deviation"),
        ([1] * 7, "must be 8, one for each value; found 7"),
    ],
)
def test_expected_numbers_that_nobody_can_have(expected, rule):
    tables = survey_of('mean = "income"')
    tables["attribute"]["income"]["expected"] = expected
    with pytest.raises(SordinoErrors, match=re.escape(rule)):
        Survey.read(tables)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ({}, "people or an accuracy must be given; found neither"),
        ({"people": 5, "accuracy": 0.1}, "which must be open; found epsilon = '4'"),
        ({"accuracy": 0.0}, "accuracy must lie between 0 and 1"),
        ({"accuracy": 1e-160}, "must take at most 1,000,000,000,000 people"),
        ({"accuracy": 0.1, "confidence": 1.0}, "confidence must lie between 0 and 1"),
        ({"accuracy": 1e-9}, "must take at most 1,000,000,000,000 people"),
    ],
)
def test_an_accuracy_that_is_none(words, rule):
    with pytest.raises(SordinoError, match=rule):
        plan(survey_of('histogram = "smoker"'), **words)
