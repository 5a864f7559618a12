"""The share of a scale's upper range minus that of its lower one: one row, with an interval of the difference."""

import numpy as np
import pytest
from scipy.optimize import linprog

import sordino
from sordino import Aggregate, WindowResponse
from sordino.blocks.block import blocks_of
from sordino.blocks.tables import QuantityTable
from sordino.domain.bins import Bins
from sordino.estimation.number_distribution import DistributionEstimate
from sordino.survey.kinds.coverage import Coverage
from sordino.views.collection_changes import CollectionChanges

NPS = [[0, 6], [9, 10]]
SHARES = np.array([0.02, 0.02, 0.02, 0.03, 0.03, 0.05, 0.08, 0.15, 0.2, 0.22, 0.18])
CUT = {"low": -0.5, "high": 10.5, "edges": [-0.5, 6.5, 8.5, 10.5]}
WEIGHTS = np.array([-1.0] * 7 + [0.0] * 2 + [1.0] * 2)
"""What a person counts in the difference, by their answer."""


def plan_of(ranges=NPS, people=3000, **attribute):
    asked = {"histogram": "score"} | ({"ranges": ranges} if ranges else {})
    return sordino.plan(
        {"epsilon": "1", "attribute": {"score": {"scale": [0, 10]} | attribute}, "ask": [asked]}, people
    )


def estimated(plan, **against):
    """From reports of people who have the shares above, a quarter of whom lack a number that may be missing."""
    channel = plan.questions[0].mechanism
    people = np.append(0.75 * SHARES, 0.25) if plan.questions[0].optional else SHARES
    law = people @ channel.probabilities()
    counts = np.random.default_rng(5).multinomial(plan.people, law / law.sum())
    return sordino.estimate(plan, plan.tally(np.repeat(np.arange(channel.outputs, dtype=np.uint64), counts)), **against)


def net_of(found):
    (row,) = [row for row in found.to_tidy().to_pylist() if row["kind"] == "net"]
    return row


def test_it_is_the_difference_of_the_two_shares_with_their_covariance():
    """By the dense channel: least squares scores of both ranges, and the covariance of what a report adds to each."""
    found = estimated(plan_of())
    (result,) = found.results
    row, channel, law = net_of(found), result.question.mechanism, result.estimate.shares.law
    dense = channel.probabilities()
    mean = dense.mean(axis=0)
    scores = np.linalg.pinv((dense / mean) @ dense.T) @ (dense / mean)
    assert scores @ dense.T == pytest.approx(np.eye(11), abs=1e-9)
    both = np.stack([WEIGHTS < 0, WEIGHTS > 0]).astype(float) @ scores
    (detractors, promoters), covariance = both @ law, np.cov(both, aweights=law, bias=True) / result.n
    assert row["estimate"] == pytest.approx(promoters - detractors, rel=1e-9)
    error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert error * (1 - 1e-9) <= row["std.error"] < 1.02 * error
    assert covariance[0, 1] < 0
    assert row["conf.low"] == pytest.approx(row["estimate"] - 1.96 * error, abs=0.1 * error)
    assert row["conf.high"] == pytest.approx(row["estimate"] + 1.96 * error, abs=0.1 * error)
    assert row["fitted"] == pytest.approx(result.fitted @ WEIGHTS)
    assert (row["label"], row["term"]) == ("9 to 10 minus 0 to 6", "8.5 to 10.5 minus -0.5 to 6.5")


@pytest.mark.parametrize("code", [0, 4, 6, 12])
def test_an_error_is_that_of_some_people_at_least_where_all_reports_say_the_same(code):
    """The least variance of all people with such a difference, by a linear program over their shares."""
    channel, n = WindowResponse(11, "4", 3), 20
    counts = np.bincount([code % channel.outputs], minlength=channel.outputs) * n
    found = DistributionEstimate.of(
        channel,
        Aggregate(channel.fingerprint, n, counts),
        Bins.equal(sordino.Interval(-0.5, 10.5), 11),
        4.0,
        "unbiased",
    ).net_share((9, 11), (0, 7))
    (score,), dense = found.contributions, channel.probabilities()
    inside = (1 + WEIGHTS) / 2
    share = np.clip(score @ found.subpopulation.law, 1 / (n + 1), n / (n + 1))
    least = linprog(dense @ score**2, A_eq=[inside, np.ones(11)], b_eq=[share, 1]).fun - share**2
    # Of classes of bins the least mean square stands for all of them: at most what the program finds of such bins.
    assert found.stderr[0] ** 2 * n == pytest.approx(max(least, 0.0), rel=1e-6)
    assert found.stderr[0] > 0.01


@pytest.mark.parametrize(
    ("ranges", "attribute", "exists"),
    [
        (NPS, {}, True),
        (NPS[::-1], {}, True),
        ([[0, 5], [6, 10]], {}, True),
        ([[0, 6], [9, 9]], {}, False),
        ([[1, 6], [9, 10]], {}, False),
        ([[0, 6], [6, 10]], {}, False),
        ([[0, 6]], {}, False),
        ([[0, 2], [4, 6], [9, 10]], {}, False),
        ([[0, 5], [5, 10]], {"scale": None, "number": {"low": 0, "high": 10, "bins": 20}}, False),
        ([[-0.5, 6.5], [8.5, 10.5]], {"scale": None, "number": CUT}, True),
    ],
)
def test_it_stands_where_one_range_is_at_each_end_of_a_whole_number_scale(ranges, attribute, exists):
    given = {name: value for name, value in ({"scale": [0, 10]} | attribute).items() if value is not None}
    asked = [{"distribution": "score", "ranges": ranges}]
    plan = sordino.plan({"epsilon": "1", "attribute": {"score": given}, "ask": asked}, 30_000)
    (question,) = plan.questions
    assert (question.net_ranges is not None) == exists
    found = estimated_alike(plan)
    (result,) = found.results
    kinds = [row["kind"] for row in found.to_arrow().to_pylist()]
    assert kinds[: result.count] == [result.kind(place) for place in range(result.count)]
    assert kinds.count("net") == exists


def estimated_alike(plan, **against):
    codes = np.arange(60, dtype=np.uint64) % plan.questions[0].mechanism.outputs
    return sordino.estimate(plan, plan.tally(codes), **against)


def test_of_a_number_that_may_be_missing_it_is_of_those_who_have_it():
    """Rows keep their order, and the error is what a sample of such tallies shows."""
    plan = plan_of(missing="0.25")
    found = estimated(plan)
    assert [row["kind"] for row in found.to_arrow().to_pylist()[-4:-2]] == ["net", "missing"]
    (result,), row = found.results, net_of(found)
    channel, rng = result.question.mechanism, np.random.default_rng(8)
    law = np.append(0.75 * SHARES, 0.25) @ channel.probabilities()
    values = []
    for counts in rng.multinomial(plan.people, law / law.sum(), size=300):
        tally = Aggregate(channel.fingerprint, plan.people, counts)
        one = DistributionEstimate.of(channel, tally, result.question.domain, 1.0, "unbiased")
        values.append(2 * one.net_share((9, 11), (0, 7)).value[0] - 1)
    assert np.std(values) == pytest.approx(row["std.error"], rel=0.15)
    assert np.mean(values) == pytest.approx(WEIGHTS @ SHARES, abs=0.02)
    expected = result.question.net_errors(np.append(0.75 * SHARES, 0.25))
    assert np.std(values) == pytest.approx(expected[0], rel=0.15)


@pytest.mark.parametrize("against", [{}, {"forged": 3}, {"watched": True}, {"simultaneous": True}])
def test_limits_stay_within_what_is_possible(against):
    """Of 60 reports of a plan for many."""
    for row in estimated_alike(plan_of(people=30_000), **against).to_tidy().to_pylist():
        assert row["kind"] != "net" or -1 <= row["conf.low"] <= row["conf.high"] <= 1


def test_forged_reports_move_it_by_what_codes_count_in_it():
    found = estimated(plan_of(), forged=30)
    (result,) = found.results
    (score,) = result.estimate.net_share((9, 11), (0, 7)).contributions
    assert net_of(found)["moved"] == pytest.approx(30 * 2 * np.ptp(score) / 3000)


def test_people_read_it_in_percentage_points_in_the_terminal_on_the_page_and_in_the_forecast(tmp_path):
    plan = plan_of()
    (forecast,) = sordino.forecast(plan).forecasts
    assert "from 9 to 10 minus 0 to 6" in str(forecast.tables())
    assert forecast.json()["expected"]["stderr_net"] == plan.questions[0].net_errors()[0]
    found = estimated(plan)
    page = tmp_path / "page.html"
    found.page(page)
    shown = f"{100 * net_of(found)['estimate']:.1f} %"
    assert shown in page.read_text(encoding="utf-8")
    (table,) = [table for table in blocks_of(QuantityTable, found.results[0].blocks()) if table.kind(0) == "net"]
    assert (table.label_read(0), table.texts(0)["estimate"]) == ("9 to 10 minus 0 to 6", shown)


def test_two_collections_are_compared_by_it():
    plan = plan_of()
    channel = plan.questions[0].mechanism
    tallies = [
        plan.tally(np.random.default_rng(seed).integers(0, channel.outputs, size=2000, dtype=np.uint64))
        for seed in (1, 2)
    ]
    first, second = (net_of(sordino.estimate(plan, tally)) for tally in tallies)
    (quantities,) = sordino.estimate(plan, tallies[0]).results[0].quantities()
    (own,) = [one.number for one in quantities.measured.values() if "minus" in one.about]
    assert (own.least, own.most) == (-1, 1)
    rows = CollectionChanges.compare((plan, tallies[0]), (plan, tallies[1]), Coverage()).number_rows
    (row,) = [row for row in rows if "minus" in row]
    assert (row["value"], row["minus"]) == ("8.5 to 10.5", "-0.5 to 6.5")
    assert row["change"] == pytest.approx(second["estimate"] - first["estimate"])
    assert row["stderr"] == pytest.approx(np.hypot(first["std.error"], second["std.error"]))


def test_by_groups_and_weighted_people_read_it_in_percentage_points_too():
    region = {"categories": ["north", "south"], "totals": {"north": 3000, "south": 1000}}
    asked = {"epsilon": "1", "attribute": {"score": {"scale": [0, 10]}}, "public": {"region": region}}
    plan = sordino.plan({**asked, "ask": [{"histogram": "score", "ranges": NPS}]}, 3000)
    draw = np.random.default_rng(6)
    scores, regions = draw.choice(11, 3000, p=SHARES), draw.choice(["north", "south"], 3000)
    people = {"score": scores, "region": regions, "id": range(3000)}
    reports = sordino.privatize(plan, people, sordino.KeyedSource(bytes(32), "t"), id_column="id")
    found = sordino.estimate(plan, reports, by="region")
    # Of groups each one's, and each minus the other.
    for view, rows in (("groups", 4), ("weighted", 1)):
        tables = [own for group in found.views[view].blocks() for own in blocks_of(QuantityTable, [group])]
        read = [
            table.texts(place)["estimate"]
            for table in tables
            for place in range(table.count)
            if " minus " in table.label(place)
        ]
        assert len(read) == rows
        assert all(text.endswith(" %") for text in read)
