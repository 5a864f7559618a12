"""What is given instead of a regression or covariance that too few reports tell: means and shares, each by itself."""

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino.show.estimate_rows import result_rows
from sordino.show.html.estimate_page import estimate_page
from sordino.survey.results.result import Untold

PEOPLE = 12_000
NUMBERS = {"age": {"number": {"low": 20, "high": 80}}, "height": {"number": {"low": 140, "high": 200}}}
JOB = {"job": {"categories": ["baker", "clerk", "smith"]}}


def surveyed(ask, attributes, epsilon="1", missing=0.0, people=PEOPLE):
    """What so many people say, and the truth about them."""
    rng = np.random.default_rng(11)
    truth = {
        "age": rng.uniform(20, 50, people),
        "height": rng.normal(175, 1, people),
        "job": rng.choice(["baker", "clerk", "smith"], people, p=[0.5, 0.3, 0.2]),
    }
    lacking = rng.random(people) < missing
    columns = {name: pa.array(truth[name]) for name in attributes}
    columns["height"] = pa.array(truth["height"], mask=lacking)
    plan = sordino.plan({"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": ask}, people)
    tally = sordino.aggregate(plan, sordino.privatize(plan, pa.table(columns)))
    return sordino.estimate(plan, tally), truth, lacking


def check(row, truth):
    assert abs(row["estimate"] - truth) < 5 * row["stderr"], row
    assert row["low"] <= row["estimate"] <= row["high"]


pytestmark = pytest.mark.filterwarnings("ignore:.*(NO ANSWER|NOTHING)")


def test_a_refused_regression_gives_the_means_and_shares_of_its_attributes():
    ask = [{"regression": {"target": "height", "features": ["age", "job"]}}]
    found, truth, _ = surveyed(ask, NUMBERS | JOB)
    (refused,) = found.results
    assert isinstance(refused, Untold)
    assert list(found.untold) == ["regression of height on age, job"]
    rows = {row["value"]: row for row in refused.rows()}
    assert list(rows) == ["age", "job: baker", "job: clerk", "job: smith", "height"]
    check(rows["age"], truth["age"].mean())
    check(rows["height"], truth["height"].mean())
    for job in ("baker", "clerk", "smith"):
        check(rows[f"job: {job}"], np.mean(truth["job"] == job))
    # They say something: far surer than a guess between all that is possible.
    assert rows["age"]["stderr"] < 6
    assert rows["job: clerk"]["stderr"] < 0.08
    assert all(row["attribute"] == "regression of height on age, job" for row in rows.values())
    # Of the same names as coefficients, which a program tells by their kind.
    kinds = [row["kind"] for row in result_rows(refused.blocks())]
    assert kinds == ["mean", "share", "share", "share", "mean"]


def test_of_complete_cases_these_are_told_and_their_share():
    height = {"height": NUMBERS["height"] | {"missing": "0.4"}}
    ask = [{"regression": {"target": "height", "features": ["age"]}}]
    found, truth, lacking = surveyed(ask, NUMBERS | height, "1/3", missing=0.4)
    (refused,) = found.results
    assert isinstance(refused, Untold)
    rows = {row["value"]: row for row in refused.rows()}
    assert list(rows) == ["age", "height", "complete cases"]
    check(rows["age"], truth["age"][~lacking].mean())
    check(rows["height"], truth["height"][~lacking].mean())
    check(rows["complete cases"], 1 - lacking.mean())


def test_where_hardly_anybody_is_complete_their_share_alone_is_told():
    height = {"height": NUMBERS["height"] | {"missing": "0.9"}}
    found, _, _ = surveyed([{"covariance": ["age", "height"]}, {"mean": ["age"]}], NUMBERS | height, "0.5", 0.99)
    (refused, _) = found.results
    assert isinstance(refused, Untold)
    (row,) = refused.rows()
    assert row["value"] == "complete cases"
    # Noise can make so small a share negative, where its interval is cut.
    assert abs(row["estimate"] - 0.01) < 5 * row["stderr"]


def test_every_output_has_them_and_says_what_they_are(tmp_path):
    ask = [{"regression": {"target": "height", "features": ["age"]}}, {"mean": ["height"]}]
    found, _, _ = surveyed(ask, NUMBERS)
    name = "regression of height on age"
    rows = found.to_arrow().to_pylist()
    assert [(row["question"], row["value"], row["kind"]) for row in rows] == [
        (name, "age", "mean"),
        (name, "height", "mean"),
        ("mean of height", "height", "mean"),
        (f"{name}; mean of height", "height", "pooled"),
    ]
    found.save(tmp_path / "found.csv")
    lines = (tmp_path / "found.csv").read_text().splitlines()
    assert len(lines) == 5
    assert lines[4].startswith(f"{name}; mean of height,")
    assert ",height,,,pooled," in lines[4]
    page = estimate_page(found.plan, found.results, views=found.views)
    assert "Shown instead of the regression of height on age: each attribute by itself." in page
    assert "From several questions together: mean of height" in page


def test_against_forged_reports_and_of_a_question_that_is_answered_nothing_is_given_instead():
    ask = [{"regression": {"target": "height", "features": ["age"]}}, {"mean": ["height"]}]
    found, _, _ = surveyed(ask, NUMBERS)
    refused = found.results[0]
    assert isinstance(refused, Untold)
    assert found.results[0].instead is not None
    plan = found.plan
    people = pa.table({"age": np.linspace(20, 80, 400), "height": np.linspace(140, 200, 400)})
    tally = sordino.aggregate(plan, sordino.privatize(plan, people))
    assert sordino.estimate(plan, tally, forged=1).results[0].instead is None
