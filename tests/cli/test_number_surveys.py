"""Numbers on the command line: what was clipped, estimated, certified, and what the page shows."""

import json
import re
from fractions import Fraction
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

SURVEY = """
version = 1
epsilon = "2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "0.5"
[attribute.age]
number = { low = 20, high = 80, clip = true }
[attribute.height]
number = { low = 140, high = 200 }
delta = "1"
[dependence]
rest = 0.25
[[ask]]
histogram = "smoker"
[[ask]]
mean = ["height", "age"]
[[ask]]
covariance = ["age", "height"]
[[ask]]
regression = { target = "height", features = ["age"] }
"""

N = 40_000


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A folder with a survey and people."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    columns = {
        "smoker": rng.choice(["yes", "no"], N),
        "age": rng.uniform(10, 90, N),
        "height": rng.uniform(140, 200, N),
    }
    pc.write_csv(pa.table(columns), tmp_path / "people.csv")
    (tmp_path / "survey.toml").write_text(SURVEY)
    return columns


def printed(outcome):
    code, out, err = outcome
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.usefixtures("undrawn")
def test_the_whole_way(asked, run, tmp_path):
    planned = printed(run("plan", "survey.toml", "--people", N, "-o", "plan.json", "--json"))
    assert planned["promise"]["holds"] is True
    assert [question["attribute"] for question in planned["questions"]][1:] == [
        "mean of height, age",
        "covariance of age, height",
        "regression of height on age",
    ]
    for question in planned["questions"][1:]:
        assert question["expected"].keys() == question["expected_uniform"].keys()
        assert all(0 < question["expected"][name] < error for name, error in question["expected_uniform"].items())
    released = printed(run("privatize", "plan.json", "people.csv", "-o", "r.csv", "--json"))
    assert released["clipped"] == {"age": int(((asked["age"] < 20) | (asked["age"] > 80)).sum())}
    told = printed(run("estimate", "plan.json", "r.csv", "--json", "--html", "page.html", "-o", "table.csv"))
    (mean,) = [row for row in told["rows"] if row["attribute"].startswith("mean") and row["value"] == "age"]
    assert abs(mean["estimate"] - np.clip(asked["age"], 20, 80).mean()) < 6 * mean["stderr"]
    assert [(question["asked"], question["attributes"]) for question in told["questions"]] == [
        ("histogram", ["smoker"]),
        ("mean", ["height", "age"]),
        ("covariance", ["age", "height"]),
        ("regression", ["age", "height"]),
    ]
    assert sum(question["n"] for question in told["questions"]) == told["n"] == N
    table = pc.read_csv(tmp_path / "table.csv")
    rows = told["rows"] + told["pooled"]
    assert table["estimate"].to_pylist() == pytest.approx([row["estimate"] for row in rows])
    kinds = [kind for kind, _ in groupby(table["kind"].to_pylist())]
    assert kinds == ["share", "mean", "covariance", "coefficient", "pooled"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>Estimates for 4 questions</title>" in page
    assert "shares of smoker; mean of height, age; covariance of age, height; regression" in page
    for words in (
        "Mean of height, age",
        "The certificate of each attribute",
        "Declared by the survey",
        "Correlations of 2 numbers",
    ):
        assert words in page
    certified = printed(run("certify", "plan.json", "--json"))
    assert certified["promise"]["attributes"]["smoker"]["delta"] == "1/2"
    assert certified["holds"] is True


def test_what_people_read(asked, run):
    code, out, err = run("plan", "survey.toml", "--people", N, "-o", "plan.json")
    assert (code, err) == (0, "")
    for words in ("std. error", "The promise holds", "'smoker'"):
        assert words in out
    out = run("plan", "survey.toml", "--people", N, "--all")[1]
    for words in ("nats revealed about", "the whole record", "0.25"):
        assert words in out
    code, out, _ = run("privatize", "plan.json", "people.csv", "-o", "r.csv")
    assert "age: " in out
    assert "beyond its range" in out
    code, out, err = run("estimate", "plan.json", "r.csv")
    assert (code, err) == (0, "")
    for words in ("mean of height, age", "coefficient", "intercept", "fitted", "95 % from"):
        assert words in out
    # Titles are not folded, and no number has more digits than its error allows.
    assert " reports; regression of height on age\n" in out
    # The mean of heights, and that of all questions that tell it.
    lines = re.findall(r"^  height +(\d+\.\d+) +(0\.\d\d|\d\.\d) ", out, re.MULTILINE)
    assert len(lines) == 2
    assert all(len(number.split(".")[1]) == len(error.split(".")[1]) for number, error in lines)
    assert "Pooled from 3 questions (mean of height, age; covariance of age, height; regression of height on a" in out


def test_a_region_needs_a_histogram(asked, run, tmp_path):
    alone = SURVEY.replace('[[ask]]\nhistogram = "smoker"\n', "")
    (tmp_path / "alone.toml").write_text(alone)
    assert run("plan", "alone.toml", "--people", N, "-o", "alone.json")[0] == 0
    code, _, err = run("certify", "alone.json", "--region", "region.png")
    assert code == 2
    assert "a region is of a histogram; found none in the plan: leave --region out." in err
    assert not (tmp_path / "region.png").exists()
    assert printed(run("certify", "alone.json", "--json"))["holds"] is True
    code, out, _ = run("certify", "alone.json")
    assert code == 0
    assert "'smoker': at most" in out


def test_a_statement_serves_a_survey(asked, run, tmp_path):
    binned = SURVEY.replace("clip = true }", "clip = true, bins = 4 }").replace("200 }", "200, bins = 4 }")
    (tmp_path / "binned.toml").write_text(binned.replace("[dependence]\nrest = 0.25\n", ""))
    assert run("dependence", "people.csv", "--survey", "binned.toml", "--confidence", "0.95", "-o", "q.json")[0] == 0
    stated = binned.replace("rest = 0.25", 'file = "q.json"')
    (tmp_path / "stated.toml").write_text(stated)
    planned = printed(run("plan", "stated.toml", "--people", N, "-o", "stated.json", "--json"))
    reached = planned["promise"]["attributes"]["smoker"]["reached"]
    assert reached <= 0.5
    # Nothing in the data depends on anything: far more may be told about the others than without a statement.
    assert planned["promise"]["record"]["reached"] > 1
    assert planned["promise"]["attributes"]["height"]["bins"] == 4
    assert planned["promise"]["attributes"]["smoker"]["bins"] is None
    assert planned["promise"]["attributes"]["smoker"]["rests_on_dependence"] is True
    assert all(0 <= float(Fraction(told["bound"])) < 1 for told in planned["promise"]["statistics"])
    code, out, _ = run("explain", "stated.json", "--all")
    assert code == 0
    assert "any two values of 'smoker'" in out
    assert "any two of the 4 bins of 'height'" in out
    assert "any two values of 'height'" not in out
    code, out, _ = run("certify", "stated.json")
    assert code == 0
    assert "'height' (which of its 4 bins): at most " in out
    (tmp_path / "other.toml").write_text(
        binned.replace("rest = 0.25", 'file = "q.json"').replace("low = 140", "low = 130")
    )
    code, _, err = run("plan", "other.toml", "--people", N, "-o", "other.json")
    assert code == 2
    assert "values of 'height'" in err


def test_a_plan_without_dependence_says_what_a_bound_would_buy(asked, run, tmp_path):
    (tmp_path / "bare.toml").write_text(SURVEY.replace("[dependence]\nrest = 0.25\n", ""))
    (tmp_path / "bound.toml").write_text(SURVEY.replace("rest = 0.25", "rest = 0.1"))
    bare = printed(run("plan", "bare.toml", "--people", N, "-o", "bare.json", "--json"))
    bound = printed(run("plan", "bound.toml", "--people", N, "-o", "bound.json", "--json"))
    assert bare["promise"]["record"]["reached"] <= 0.5
    start, *lines = bare["a_bound_buys"]
    assert "No bound on dependence is declared" in start
    assert bound["a_bound_buys"] == []
    told = {line.split(": ")[0]: float(line.split(": ")[1].split()[0]) for line in lines}
    # Of one statistic the ratio is exact; the smoker's own histogram gains nothing.
    assert "smoker" not in told
    now, then = (plan["questions"][1]["expected"]["age"] for plan in (bare, bound))
    assert told["mean of height, age"] < 1
    assert then < now
    code, out, _ = run("plan", "bare.toml", "--people", N, "-o", "bare.json")
    assert code == 0
    assert "it would buy:" in out
