"""Weighted estimates of a plan: totals of surveys and of files, design weights, response, and what adds up."""

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

from sordino import KeyedSource, Plan, SordinoError, SordinoErrors, Survey, estimate, privatize
from sordino.views.weighted_results import errors_of_few

REGIONS, ARMS = ["north", "south"], ["a", "b"]
TOTALS = {"region": {"north": 1000, "south": 3000}, "arm": {"a": 3500, "b": 500}}


def planned(**settings):
    attributes = {
        "smoker": {"categories": ["yes", "no"]},
        "age": {"number": {"low": 0, "high": 100}},
        "pay": {"number": {"low": 0, "high": 10}, "missing": "0.2"},
    }
    public = {
        "region": {"categories": REGIONS, **settings.get("region", {})},
        "arm": {"categories": ARMS, **settings.get("arm", {})},
    }
    asks = [{"histogram": "smoker"}, {"mean": ["age"]}, {"mean": ["pay"]}, {"covariance": ["age", "pay"]}]
    return Plan.of(
        Survey.read({"version": 1, "epsilon": "6", "attribute": attributes, "public": public, "ask": asks}), 4000
    )


@pytest.fixture(scope="module")
def people():
    draw = np.random.default_rng(2)
    n = 6000
    region, arm = draw.choice(REGIONS, n, p=[0.7, 0.3]), draw.choice(ARMS, n, p=[0.4, 0.6])
    smoker = np.where(draw.random(n) < np.where(region == "north", 0.2, 0.6), "yes", "no")
    pay = pa.array([None if draw.random() < 0.2 else float(draw.integers(0, 10)) for _ in range(n)])
    age = draw.integers(0, 50, n) + np.where(arm == "a", 50, 0)
    return pa.table({"region": region, "arm": arm, "smoker": smoker, "age": age, "pay": pay, "id": range(n)})


def collected(plan, people):
    return privatize(plan, people, KeyedSource(bytes(32), "t"), id_column="id")


def rows(weighted, question):
    (found,) = [one for one in weighted.results if one.question.name == question]
    return list(found.rows())


def test_totals_of_the_survey_weigh_what_each_group_says(people):
    plan = planned(region={"totals": TOTALS["region"]})
    reports = collected(plan, people)
    found = estimate(plan, reports, by="region")
    groups = [dict(own[0].row(0)) for _, own in found.views["groups"].with_results]
    (yes, _) = rows(found.views["weighted"], "smoker")
    assert yes["estimate"] == pytest.approx(0.25 * groups[0]["estimate"] + 0.75 * groups[1]["estimate"])
    # A little more of all is lent to each group.
    stderr = np.hypot(0.25 * groups[0]["stderr"], 0.75 * groups[1]["stderr"])
    assert yes["stderr"] == pytest.approx(stderr, rel=0.02)
    assert yes["low"] < yes["estimate"] < yes["high"]
    frame = reports.to_pandas()
    assert [(row.label, row.reports, row.people) for row in found.views["weighted"].response] == [
        (region, int((frame.region == region).sum()), TOTALS["region"][region]) for region in REGIONS
    ]
    weighted = [
        row for row in found.to_arrow().to_pylist() if row["kind"] == "weighted" and row["attribute"] == "smoker"
    ]
    assert [row["value"] for row in weighted] == ["yes", "no"]
    assert weighted[0]["estimate"] == yes["estimate"]


def test_only_what_adds_up_over_people_is_weighted(people):
    plan = planned(region={"totals": TOTALS["region"]})
    weighted = estimate(plan, collected(plan, people)).views["weighted"]
    assert [one.question.name for one in weighted.results] == ["smoker", "mean of age", "mean of pay"]
    # Of a number that may be missing the mean is of those who have it; who lacks it are a share of all.
    assert [row["value"] for row in rows(weighted, "mean of pay")] == ["pay missing"]
    assert list(weighted.why) == ["covariance of age, pay"]


def test_two_totals_are_raked(people):
    plan = planned()
    reports = collected(plan, people)
    assert "weighted" not in estimate(plan, reports).views
    weighted = estimate(plan, reports, totals=TOTALS).views["weighted"]
    ages = {arm: 25 + 50 * (arm == "a") for arm in ARMS}
    (age,) = rows(weighted, "mean of age")
    assert age["estimate"] == pytest.approx((7 * ages["a"] + ages["b"]) / 8, abs=4 * age["stderr"])
    assert weighted.columns == ("region", "arm")


@pytest.mark.parametrize("ending", [".toml", ".csv"])
def test_totals_may_stand_in_a_file(tmp_path, people, ending):
    plan, path = planned(), tmp_path / f"totals{ending}"
    joint = {("north", "a"): 900, ("north", "b"): 100, ("south", "a"): 2600, ("south", "b"): 400}
    if ending == ".csv":
        lines = [f"{region},{arm},{count}" for (region, arm), count in joint.items()]
        path.write_text("\n".join(["region,arm,total", *lines, ""]))
    else:
        path.write_text("[region]\nnorth = 1000\nsouth = 3000\n[arm]\na = 3500\nb = 500\n")
    weighted = estimate(plan, collected(plan, people), totals=path).views["weighted"]
    assert weighted.columns == ("region", "arm")
    if ending == ".csv":
        assert weighted.weights.share == pytest.approx([count / 4000 for count in joint.values()])
        assert next(row.label for row in weighted.response) == "north, a"


def test_design_weights_multiply(people):
    plan = planned(region={"weights": {"north": 1.5, "south": 20}})
    reports = collected(plan, people)
    weighted, frame = estimate(plan, reports).views["weighted"], reports.to_pandas()
    counts = frame.region.value_counts()
    own = np.array([counts["north"] * 1.5, counts["south"] * 20])
    assert weighted.weights.share == pytest.approx(own / own.sum())
    assert weighted.response == ()


@pytest.mark.parametrize(
    ("totals", "said"),
    [
        ({"regoin": {"north": 1, "south": 1}}, "did you mean 'region'"),
        ({"region": {"north": 1}}, "none for 'south'"),
        ({"region": {"north": 1000, "south": 3000}, "arm": {"a": 35, "b": 5}}, "equally many people"),
        ({}, "must be of a public column"),
    ],
)
def test_totals_that_are_none_are_refused(people, totals, said):
    plan = planned()
    with pytest.raises(SordinoErrors) as raised:
        estimate(plan, collected(plan, people), totals=totals)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "region,total\nnorth,1\nEast,2\n",
        "region,total\nnorth,1\nnorth,2\n",
        "region,total\nnorth,x\n",
        "region\nnorth\n",
    ],
)
def test_tables_of_totals_that_are_none_are_refused(tmp_path, people, text):
    (tmp_path / "t.csv").write_text(text)
    plan = planned()
    with pytest.raises(SordinoError):
        estimate(plan, collected(plan, people), totals=tmp_path / "t.csv")


def test_reports_of_nobody_and_people_without_reports_are_refused(people):
    plan = planned()
    north = people.filter(pa.compute.equal(people["region"], "north"))
    with pytest.raises(SordinoError) as raised:
        estimate(plan, collected(plan, north), totals={"region": TOTALS["region"]})
    assert "a group without any" in str(raised.value)
    with pytest.raises(SordinoError) as raised:
        estimate(plan, collected(plan, people), totals={"region": {"north": 5, "south": 0}})
    assert "reports of a group of nobody" in str(raised.value)


def test_a_survey_whose_groups_have_not_all_answered_is_estimated_and_says_why_it_is_not_weighted(people):
    plan = planned(region={"totals": TOTALS["region"]})
    north = people.filter(pa.compute.equal(people["region"], "north"))
    found = estimate(plan, collected(plan, north))
    assert "a group without any" in found.views["weighted"].why[""]
    assert [row.reports for row in found.views["weighted"].response] == [len(north), 0]
    assert not any(row["kind"] == "weighted" for row in found.to_arrow().to_pylist())


def test_rows_of_cells_that_say_less_are_found_by_what_they_are_about():
    """Nobody in the south has pay: its mean is no row there, and what stands behind it moves up by one."""
    number = {"number": {"low": 0, "high": 10}, "missing": "0.5"}
    survey = {
        "version": 1,
        "epsilon": "6",
        "public": {"region": {"categories": REGIONS, "totals": TOTALS["region"]}},
        "attribute": {"pay": number, "rent": number},
        "ask": [{"mean": ["pay", "rent"]}],
    }
    plan, n = Plan.of(Survey.read(survey), 4000), 4000
    draw = np.random.default_rng(5)
    region = np.array(REGIONS)[np.arange(n) % 2]
    pay = pa.array([None if region[i] == "south" or draw.random() < 0.1 else 5.0 for i in range(n)])
    rent = pa.array([None if draw.random() < 0.3 else 7.0 for _ in range(n)])
    people = pa.table({"region": region, "pay": pay, "rent": rent, "id": range(n)})
    found = estimate(plan, collected(plan, people), by="region")
    north, south = [list(own[0].rows()) for _, own in found.views["groups"].with_results]
    assert len(north) == len(south) + 1
    told, north, south = (
        {row["value"]: row for row in own} for own in (rows(found.views["weighted"], "mean of pay, rent"), north, south)
    )
    for name, truth in (("pay missing", 0.25 * 0.1 + 0.75), ("rent missing", 0.3)):
        row = told[name]
        assert row["estimate"] == pytest.approx(0.25 * north[name]["estimate"] + 0.75 * south[name]["estimate"])
        assert abs(row["estimate"] - truth) < 5 * row["stderr"]


def test_weighted_estimates_are_about_the_population_whatever_the_others_are_about(people):
    plan = planned(region={"totals": TOTALS["region"]})
    reports = collected(plan, people)
    whole, finite = (estimate(plan, reports, finite=of_these).views["weighted"] for of_these in (False, True))
    assert rows(finite, "smoker") == rows(whole, "smoker")
    assert finite.coverage == whole.coverage


def test_reports_of_a_cell_that_are_alike_have_no_small_error():
    """Two people who answer alike say little about how their group answers, whatever all others do."""
    counts, ends = np.array([[2.0], [2000.0]]), (np.zeros(1), np.ones(1))
    values, errors = np.array([[1.0], [1.0]]), np.zeros((2, 1))
    few, many = errors_of_few(values, errors, counts, np.zeros(1), ends).ravel()
    # As of 3 of 4, in a sample of two of which one is lost to the estimate.
    assert few == pytest.approx(np.sqrt(0.75 * 0.25 / 2 * 2))
    assert many < 0.001
    # A cell that is unlike the others keeps its own spread, one that is like them borrows theirs.
    own = np.array([[0.1], [0.1]])
    spread = np.full(1, 0.01**2)
    assert (errors_of_few(np.full((2, 1), 0.5), own, counts, spread, ends) >= own).all()
    wide = errors_of_few(np.full((2, 1), 0.5), own, counts, np.full(1, 2.0), ends).ravel()
    assert wide[0] > 0.5
    # Means by the same parts of their ranges.
    scaled = errors_of_few(100 * values, 100 * errors, counts, np.zeros(1), (np.zeros(1), np.full(1, 100.0)))
    assert scaled.ravel() == pytest.approx([100 * few, 100 * many])
