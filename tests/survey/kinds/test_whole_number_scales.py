"""A scale of whole numbers has bins that go from half to half: an edge on a value would count it in the range above."""

import math
import re
import tomllib

import pyarrow as pa
import pytest

import sordino
from sordino import SordinoErrors, Survey

NPS = [[0, 6], [9, 10]]


def survey(number, ranges=None, **more):
    asked = {"distribution": "score"} | ({} if ranges is None else {"ranges": ranges})
    return {"version": 1, "epsilon": "4", "attribute": {"score": {"number": number, **more}}, "ask": [asked]}


def mistakes(number, ranges=None, **more):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey(number, ranges, **more))
    return refused.value.errors


@pytest.mark.parametrize(
    ("number", "ranges"),
    [
        ({"low": 0, "high": 10, "bins": 10}, NPS),
        ({"low": 0, "high": 10, "edges": list(range(11))}, NPS),
        ({"low": 0, "high": 10, "bins": 11}, NPS),
        ({"low": 0, "high": 10}, NPS),
        ({"low": 0, "high": 10, "edges": [0, 6, 9, 10]}, NPS),
        ({"low": 0, "high": 10, "edges": [0, 7, 9, 10]}, NPS),
        ({"low": 0, "high": 10, "edges": [0, 3, 6, 10]}, None),
        ({"low": 1, "high": 7, "edges": [1, 3, 4, 7]}, [[1, 3], [6, 7]]),
        ({"low": 0, "high": 10, "bins": 5}, [[0, 6], [8, 10]]),
        ({"low": 1, "high": 5, "bins": 4}, None),
        ({"low": 1, "high": 5, "bins": 4}, [[1, 2], [4, 5]]),
        ({"low": -0.5, "high": 10.5, "bins": 11}, NPS),
    ],
)
def test_the_advice_about_a_scale_is_accepted_and_counts_both_ends_of_a_range(number, ranges):
    (mistake,) = mistakes(number, ranges)
    rules = ("ask.0.distribution: bins", "ask.0.distribution: edges") if ranges is None else ("ask.0.ranges: ",)
    assert mistake.rule.startswith(rules)
    lines = re.findall(r"(?:number = \{.*?\}|ranges = \[\[.*?\]\])", str(mistake))
    advice = {"number": number, "ranges": None} | tomllib.loads("\n".join(lines))
    assert Survey.read(survey(**advice)).attribute["score"].number.default_bins.edges[0] % 1 == 0.5
    for given, (low, high) in zip(ranges or (), advice["ranges"] or (), strict=True):
        assert (low, high) == (given[0] - 0.5, given[1] + 0.5)


def test_people_who_all_say_6_are_in_the_range_up_to_6():
    plan = sordino.plan(survey({"low": -0.5, "high": 10.5, "bins": 11}, [[-0.5, 6.5], [8.5, 10.5]]), 20_000)
    reports = sordino.privatize(plan, pa.table({"score": [6] * 20_000}))
    found = sordino.estimate(plan, sordino.aggregate(plan, reports))
    first, last = [row["estimate"] for row in found.to_arrow().to_pylist() if row["kind"] == "range"]
    assert (first, last) == pytest.approx((1, 0), abs=0.05)


def test_edges_on_values_are_advised_as_bins_that_hold_the_same_values():
    """Without ranges each value stays where it was, the last one in the last bin."""
    (mistake,) = mistakes({"low": 0, "high": 10, "edges": [0, 3, 6, 10]})
    assert "edges = [-0.5, 2.5, 5.5, 10.5]" in str(mistake)
    assert "found edges at 3, 6" in str(mistake)
    fractions = float(re.findall(r"as ([0-9.]+)", str(mistake))[-1].rstrip("."))
    assert Survey.read(survey({"low": 0, "high": 10, "edges": [0, fractions, 3, 6, 10]})).ask
    (mistake,) = mistakes({"low": 0, "high": 10, "bins": 5}, [[0, 6]])
    more = int(re.findall(r"bins = (\d+)", str(mistake))[-1])
    assert Survey.read(survey({"low": 0, "high": 10, "bins": more}, [[0, 6]])).ask


def test_by_edges_that_are_advised_people_who_all_say_6_are_in_the_range_up_to_6():
    """Written as edges 0, 6, 9, 10 they were none of that range, in silence."""
    (mistake,) = mistakes({"low": 0, "high": 10, "edges": [0, 6, 9, 10]}, NPS)
    advice = tomllib.loads("\n".join(re.findall(r"(?:number = \{.*?\}|ranges = \[\[.*?\]\])", str(mistake))))
    plan = sordino.plan(survey(advice["number"], advice["ranges"]), 20_000)
    reports = sordino.privatize(plan, pa.table({"score": [6] * 10_000 + [10] * 10_000}))
    found = sordino.estimate(plan, sordino.aggregate(plan, reports))
    shares = [row["estimate"] for row in found.to_arrow().to_pylist() if row["kind"] == "range"]
    assert shares == pytest.approx([0.5, 0.5], abs=0.05)


@pytest.mark.parametrize(
    ("number", "ranges"),
    [
        ({"low": 0, "high": 120, "bins": 120}, [[18, 65]]),
        ({"low": 0, "high": 120, "bins": 12}, [[20, 60]]),
        ({"low": 0, "high": 24, "bins": 24}, [[0, 8]]),
        ({"low": 0, "high": 10, "bins": 20}, NPS),
        ({"low": 0, "high": 10, "bins": 11}, None),
        ({"low": 0, "high": 10, "edges": [0, 0.5, 7, 9, 10]}, [[0, 7], [9, 10]]),
        ({"low": -0.5, "high": 10.5, "edges": [-0.5, 6.5, 8.5, 10.5]}, [[-0.5, 6.5], [8.5, 10.5]]),
        ({"low": 0, "high": 100, "edges": [0, 18, 65, 100]}, [[18, 65]]),
        ({"low": 0, "high": 10, "bins": 5}, None),
    ],
)
def test_numbers_with_parts_and_bins_that_hold_whole_numbers_are_taken(number, ranges):
    assert Survey.read(survey(number, ranges)).ask[0].word == "distribution"


def test_days_are_no_scale():
    days = {"low": 20_000, "high": 20_010, "bins": 10}
    assert Survey.read(survey(days, [[20_000, 20_005]], input="date")).ask


@pytest.mark.parametrize("bins", [3, 7, 11, 64, 96])
def test_an_edge_that_is_advised_is_accepted(bins):
    for mistake in mistakes({"low": 0, "high": 70, "bins": bins}, [[0, 6.1], [9.3, 70]]):
        for near in re.findall(r"take ([-0-9.e]+),", str(mistake)):
            assert Survey.read(
                survey({"low": 0, "high": 70, "bins": bins}, [[float(near), 70]] if float(near) < 70 else None)
            )
        assert "declare `edges` of the number that hold it" in str(mistake)


def test_what_people_read_of_a_scale_are_its_values():
    asked = [{"histogram": "score", "ranges": NPS}]
    plan = sordino.plan({"epsilon": "4", "attribute": {"score": {"scale": [0, 10]}}, "ask": asked}, 500)
    assert "(a slider from 0 to 10)" in " ".join(map(str, sordino.explain(plan)))
    (forecast,) = sordino.forecast(plan).forecasts
    assert "standard error of the share from 0 to 6" in str(forecast.tables())
    reports = sordino.privatize(plan, pa.table({"score": [i % 11 for i in range(500)]}))
    rows = sordino.estimate(plan, sordino.aggregate(plan, reports)).to_tidy().to_pylist()
    read = [row["label"] for row in rows if row["kind"] in ("bin", "range")]
    assert read == [*map(str, range(11)), "0 to 6", "9 to 10"]
    # Names in files are the ends, as of any other number.
    assert [row["term"] for row in rows if row["kind"] == "range"] == ["-0.5 to 6.5", "8.5 to 10.5"]


def test_what_people_read_of_wider_bins_are_whole_numbers_too():
    """Of the table of an attribute, as the page of a report calls its cells; and of tests of groups."""
    number = {"low": -0.5, "high": 99.5, "edges": [-0.5, 29.5, 30.5, 99.5]}
    tables = {"epsilon": "4", "attribute": {"visits": {"number": number}, "way": {"categories": ["bus", "car"]}}}
    tables |= {"public": {"region": {"categories": ["north", "south"]}}}
    tables |= {"ask": [{"distribution": "visits"}, {"table": ["visits", "way"]}]}
    plan = sordino.plan(tables, 2000)
    people = {
        "visits": [10, 30, 60, 80] * 500,
        "way": ["bus", "car"] * 1000,
        "region": ["north", "north", "south", "south"] * 500,
    }
    reports = sordino.privatize(plan, pa.table(people))
    estimated = sordino.estimate(plan, sordino.aggregate(plan, reports), by=["region"])
    assert list(plan.questions[1].domains["visits"].labels) == ["0 to 29", "30", "31 to 99"]
    titles = [one.title for one in estimated.views["groups"].tests if one.question == "visits"]
    assert titles
    assert {title.removeprefix("visits, ") for title in titles} <= {
        "0 to 29",
        "30",
        "31 to 99",
        "mean",
        "standard deviation",
    }


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("part", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_a_quantile_of_a_scale_is_the_least_value_that_a_part_of_the_people_do_not_exceed(spikes, part):
    """By the fitted shares, counted up; and its limits are values, which hold the true one."""
    scores = [0, 1, 1, 2, 3, 3, 3, 4, 4, 5] * 400
    number = {"low": -0.5, "high": 5.5, "bins": 6, "spikes": spikes}
    asked = [{"distribution": "score", "quantiles": [part]}]
    plan = sordino.plan({"epsilon": "6", "attribute": {"score": {"number": number}}, "ask": asked}, len(scores))
    people = pa.table({"score": scores, "id": range(len(scores))})
    key = sordino.KeyedSource(bytes(32), "scale")
    reports = sordino.privatize(plan, people, key, id_column="id")
    (result,) = sordino.estimate(plan, sordino.aggregate(plan, reports)).results
    ((_, value, low, high),) = result.quantiles
    reached, least = 0.0, None
    for at, share in enumerate(result.fitted):
        reached += share
        if least is None and reached >= part:
            least = at
    assert value == min(max(least, low), high)
    assert {value, low, high} <= set(range(6))
    true = sorted(scores)[math.ceil(part * len(scores)) - 1]
    assert low <= true <= high
