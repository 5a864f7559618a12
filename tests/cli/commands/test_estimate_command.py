"""`sordino estimate --method smoothed`: named and beside the unbiased numbers, offered otherwise, never silently."""

import json

import numpy as np
import pytest

from sordino import Aggregate, Plan, Survey
from sordino.papers.simulation import SimulationSource, simulate_tally
from sordino.survey.results.aggregate_file import save_aggregate

SURVEY = """\
version = 1
epsilon = "1"
[attribute.home]
grid = { south = 0, north = 4, west = 0, east = 4, rows = 40, columns = 40 }
protect = { blocks = [20, 20] }
[[ask]]
histogram = "home"
"""


def weights():
    places = np.stack(np.meshgrid(np.arange(40), np.arange(40), indexing="ij"))
    return np.exp(-((places - 18) ** 2).sum(axis=0) / 50).ravel()


@pytest.fixture(scope="module")
def hill(tmp_path_factory):
    """A folder with the plan of a map and the tally of reports about a hill."""
    folder = tmp_path_factory.mktemp("hill")
    (folder / "survey.toml").write_text(SURVEY)
    plan = Plan.of(Survey.load(folder / "survey.toml"), 400_000)
    plan.save(folder / "plan.json")
    people = np.random.default_rng(2).multinomial(400_000, weights() / weights().sum())
    tally = simulate_tally(plan.questions[0].mechanism, people, SimulationSource(1))
    save_aggregate(plan, Aggregate(plan.sampled.fingerprint, tally.n, tally.counts), folder / "tally.json")
    lines = [
        f"{r / 10 + 0.05:.2f},{c / 10 + 0.05:.2f},{weights()[40 * r + c]:.9f}" for r in range(40) for c in range(40)
    ]
    (folder / "public.csv").write_text("\n".join(["latitude,longitude,count", *lines, ""]))
    return folder


def test_smoothed_shares_are_named_and_stand_beside_the_same_estimates(hill, run, monkeypatch, tmp_path):
    monkeypatch.chdir(hill)
    page = tmp_path / "page.html"
    code, out, err = run("estimate", "plan.json", "tally.json", "--method", "smoothed", "--json", "--html", str(page))
    assert (code, err) == (0, "")
    found, plain = json.loads(out), json.loads(run("estimate", "plan.json", "tally.json", "--json")[1])
    assert found["questions"][0]["method"] == "smoothed"
    choice = found["questions"][0]["choice"]
    assert set(choice) == {"smoothed", "nearest", "worst", "better"}
    assert choice["better"] is True
    # What nobody asked for is not there.
    assert plain["questions"][0]["method"] == "empirical-bayes"
    assert set(plain["questions"][0]["choice"]) == {"learnt", "nearest", "better"}
    for name in ("estimate", "stderr", "low", "high"):
        assert [row[name] for row in found["rows"]] == [row[name] for row in plain["rows"]]
    assert [row["fitted"] for row in found["rows"]] != [row["fitted"] for row in plain["rows"]]
    text = page.read_text(encoding="utf-8")
    assert "Smoothed shares" in text
    assert "smoothed shares have no intervals" in text
    assert "estimate" in text


def test_by_default_smoothing_is_offered_and_not_done(hill, run, monkeypatch, tmp_path):
    monkeypatch.chdir(hill)
    page = tmp_path / "page.html"
    code, out, _ = run("estimate", "plan.json", "tally.json", "--html", str(page))
    assert code == 0
    assert "Offered, not used: the method smoothed" in " ".join(out.split())
    assert "Fitted (empirical-bayes)" in out
    assert "for a single value, read the estimate beside it" in " ".join(out.split())
    assert "Judging by the reports, the fitted shares are expected to be" in " ".join(out.split())
    assert "moothed" not in page.read_text(encoding="utf-8")
    # Who names another method is not offered one.
    assert "Offered" not in run("estimate", "plan.json", "tally.json", "--method", "simplex")[1]


METRIC = """\
version = 1
epsilon = "1"
[attribute.home]
grid = { south = 0, north = 4, west = 0, east = 4, rows = 12, columns = 12 }
protect = { metric = { per = "20 km" } }
[[ask]]
histogram = "home"
"""


def test_a_map_by_distances_is_not_smoothed_and_the_reason_is_given(run, tmp_path, monkeypatch):
    (tmp_path / "survey.toml").write_text(METRIC)
    frozen = Plan.of(Survey.load(tmp_path / "survey.toml"), 20_000)
    (question,) = frozen.questions
    tally = simulate_tally(question.mechanism, np.arange(144), SimulationSource(1))
    whole = Aggregate(frozen.sampled.fingerprint, tally.n, tally.counts)
    frozen.save(tmp_path / "plan.json")
    save_aggregate(frozen, whole, tmp_path / "tally.json")
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("estimate", "plan.json", "tally.json", "--method", "smoothed", "--html", "page.html")
    assert code == 0
    said = "Not smoothed, although requested: with this plan's mechanism the errors of neighbouring values depend"
    assert said in " ".join(out.split())
    assert said in (tmp_path / "page.html").read_text(encoding="utf-8").replace("&#39;", "'")
    (found,) = json.loads(run("estimate", "plan.json", "tally.json", "--method", "smoothed", "--json")[1])["questions"]
    assert found["method"] == "simplex"
    assert found["choice"] == {"better": False, "why": "the errors of neighbouring values depend on each other"}


def test_a_public_map_is_read_by_the_plans_columns(hill, run, monkeypatch):
    monkeypatch.chdir(hill)
    plain, known = (
        json.loads(run("estimate", "plan.json", "tally.json", "--method", "smoothed", "--json", *more)[1])["rows"]
        for more in ((), ("--public", "public.csv"))
    )
    truth = weights() / weights().sum()
    distances = [sum(abs(row["fitted"] - p) for row, p in zip(rows, truth, strict=True)) for rows in (plain, known)]
    assert distances[1] < distances[0]


@pytest.mark.parametrize(
    ("table", "method", "said"),
    [
        ("latitude,longitude\n1,1\n", "simplex", "public numbers are for the method smoothed"),
        ("cell\n1\n", "smoothed", "must have the columns latitude, longitude"),
        ("latitude,longitude,count\n1,1,1\n1,1,-1\n", "smoothed", "row 2, count: must be a number >= 0"),
        ("latitude,longitude,count\n1,1,0\n", "smoothed", "must hold public numbers"),
        ("latitude,longitude\n1,1\n9,9\n", "smoothed", "row 2"),
    ],
)
def test_public_numbers_that_are_none_are_refused_in_words(hill, run, monkeypatch, tmp_path, table, method, said):
    monkeypatch.chdir(hill)
    (tmp_path / "bad.csv").write_text(table)
    code, out, err = run(
        "estimate", "plan.json", "tally.json", "--method", method, "--public", str(tmp_path / "bad.csv")
    )
    assert (code, out) == (2, "")
    assert said in err
