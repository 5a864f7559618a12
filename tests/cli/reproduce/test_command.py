"""`sordino reproduce` prints one JSON object or a table, the same at each call, and refuses mistakes in one message."""

import json
from typing import get_args

import numpy as np
import pytest

from sordino import Grid
from sordino.estimation.share_estimate import Method
from sordino.papers.context_aware import table1

METHODS = set(get_args(Method)) - {"smoothed", "empirical-bayes"}
"""What is smoothed takes a word of its own; empirical Bayes is not of the table."""


@pytest.fixture
def checkins(tmp_path, monkeypatch):
    """A folder with check-ins in 300 of the 1,750 cells of a coarse map, and one outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(table1, "MAP", Grid(25, 50, -130, -60, 25, 70))
    rng = np.random.default_rng(2)
    rows = zip(rng.uniform(25, 50, 300), rng.uniform(-130, -60, 300), rng.integers(1, 200, 300), strict=True)
    lines = [f"{latitude:.3f},{longitude:.3f},{count}" for latitude, longitude, count in rows]
    text = "\n".join(["latitude,longitude,count", *lines, "10,-100,5", ""])
    (tmp_path / "checkins.csv").write_text(text)
    return sum(int(line.rsplit(",", 1)[1]) for line in lines)


@pytest.mark.long
def test_table1_is_one_json_object(checkins, run):
    command = ("reproduce", "table1", "--checkins", "checkins.csv", "--epsilon", "1", "--repeats", "2", "--json")
    code, out, err = run(*command)
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert set(found) == {"people", "rows"}
    assert found["people"] == checkins
    assert {tuple(row) for row in found["rows"]} == {("blocks", "mechanism", "estimator", "found", "printed")}
    printed = {(row["mechanism"], row["blocks"]): row["printed"] for row in found["rows"]}
    assert [printed["hadamard", blocks] for blocks in ("LDP", "5x7", "25x35", "25x70")] == [0.591, 0.298, 0.108, 0.082]
    assert {tv for (mechanism, _), tv in printed.items() if mechanism == "best"} == {None}
    names = {(row["blocks"], row["mechanism"], row["estimator"]) for row in found["rows"]}
    columns, mechanisms = ("LDP", "5x7", "25x35", "25x70"), ("hadamard", "best")
    every = {(blocks, mechanism, method) for blocks in columns for mechanism in mechanisms for method in METHODS}
    # In blocks of 50 cells the best mechanism tells subsets, whose tally gives no likelihood.
    assert names == every - {("5x7", "best", "likelihood")}
    assert len(found["rows"]) == len(names)
    assert all(isinstance(row["found"], float) and row["found"] >= 0 for row in found["rows"])
    assert run(*command) == (0, out, "")
    other = json.loads(run(*command[:5], "2", *command[6:])[1])
    assert other["rows"][0]["found"] < 0.65 * found["rows"][0]["found"]


def test_table1_for_people_has_the_papers_numbers(checkins, run):
    code, out, err = run("reproduce", "table1", "--checkins", "checkins.csv", "--repeats", "1", "--epsilon", "ln 3")
    assert (code, err) == (0, "")
    for sign in ("the paper", "0.591", "0.298", "0.108", "0.082", "hadamard, simplex", "best / hadamard", "ln 3"):
        assert sign in out
    assert f"{checkins:,} people" in out
    assert "5 outside left out" in out
    # Blocks of one cell: nothing to compare.
    assert {line.split()[-1] for line in out.splitlines() if "best / hadamard" in line} == {"-"}


@pytest.mark.long
def test_table1_smooths_the_best_mechanisms_shares_if_asked(checkins, run):
    command = ("reproduce", "table1", "--checkins", "checkins.csv", "--repeats", "1", "--smoothed", "--json")
    rows = json.loads(run(*command)[1])["rows"]
    smoothed = {row["blocks"]: row["found"] for row in rows if row["estimator"] == "smoothed"}
    nearest = {
        row["blocks"]: row["found"] for row in rows if (row["mechanism"], row["estimator"]) == ("best", "block-simplex")
    }
    assert set(smoothed) == set(nearest)
    assert all(smoothed[blocks] <= 1.02 * nearest[blocks] for blocks in nearest)


@pytest.mark.long
def test_table1_has_unequal_blocks_if_asked(checkins, run):
    command = ("reproduce", "table1", "--checkins", "checkins.csv", "--repeats", "1", "--unequal")
    rows = json.loads(run(*command, "--json")[1])["rows"]
    assert {row["blocks"] for row in rows} == {"5x10", "states", "people"}
    assert {row["printed"] for row in rows} == {None}
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert "states" in out
    assert "the paper " not in out


@pytest.mark.long
def test_table1_without_a_file_takes_the_demos_people(run):
    code, out, _ = run("reproduce", "table1", "--repeats", "1", "--json")
    assert code == 0
    assert json.loads(out)["people"] == 1_000_000


@pytest.mark.long
def test_fig2_is_one_json_object_and_a_drawing(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    command = ("reproduce", "fig2", "--people", "40", "--repeats", "1", "--json")
    code, out, err = run(*command, "-o", "fig2.png")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert set(found) == {"people", "rows", "figure", "data", "fewer"}
    assert (found["people"], found["figure"]) == (40, "fig2.png")
    keys = ("distribution", "blocks", "mechanism", "estimator", "found", "elsewhere")
    assert {tuple(row) for row in found["rows"]} == {keys}
    # The paper compares three estimators.
    assert len(found["rows"]) == 4 * 5 * 2 * 3
    assert {row["blocks"] for row in found["rows"]} == {1, 10, 20, 50, 100}
    assert (tmp_path / "fig2.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert json.loads((tmp_path / "fig2.json").read_text(encoding="utf-8"))["rows"] == found["rows"]
    assert json.loads(run(*command)[1]) == {"people": 40, "rows": found["rows"]}


def test_fig2_for_people(run):
    code, out, err = run("reproduce", "fig2", "--people", "10", "--repeats", "1", "--epsilon", "2")
    assert (code, err) == (0, "")
    for sign in ("uniform, hadamard, unbiased", "zipf(1), best, simplex", "geometric(0.8)*", "LDP", "100 blocks"):
        assert sign in out
    assert "found elsewhere" not in out


MISTAKES = {
    "no name": (["reproduce"], ["table1", "fig2"]),
    "another table": (["reproduce", "table2"], ["table2"]),
    "no file": (["reproduce", "table1", "--checkins", "none.csv"], ["none.csv", "must be a file"]),
    "no columns": (["reproduce", "table1", "--checkins", "wrong.csv"], ["latitude, longitude"]),
    "a word": (["reproduce", "table1", "--checkins", "word.csv"], ["row 1, count", "a number"]),
    "epsilon in words": (["reproduce", "table1", "--checkins", "checkins.csv", "--epsilon", "much"], ["much"]),
    "epsilon negative": (["reproduce", "table1", "--checkins", "checkins.csv", "--epsilon", "-1"], ["between 0 and"]),
    "epsilon zero": (["reproduce", "table1", "--checkins", "checkins.csv", "--epsilon", "0"], ["raise epsilon"]),
    "no repeats": (["reproduce", "table1", "--repeats", "0"], ["--repeats", "0"]),
    "nobody": (["reproduce", "fig2", "--people", "0"], ["--people", "0"]),
    "epsilon of the figure": (["reproduce", "fig2", "--people", "9", "--epsilon", "101"], ["epsilon", "101"]),
    "another picture": (["reproduce", "fig2", "-o", "fig2.pdf"], ["fig2.pdf", ".png"]),
    "a picture that exists": (["reproduce", "fig2", "-o", "old.png"], ["old.png", "overwritten"]),
    "a picture in no folder": (["reproduce", "fig2", "-o", "none/new.png"], ["none"]),
}


@pytest.mark.parametrize(("arguments", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_ends_with_exit_code_2(checkins, tmp_path, run, arguments, words):
    (tmp_path / "wrong.csv").write_text("place\n3\n")
    (tmp_path / "word.csv").write_text("latitude,longitude,count\n30,-100,Zebra7731\n")
    (tmp_path / "old.png").write_bytes(b"")
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert [word for word in words if word not in err] == []
    assert "Traceback" not in err
    assert "Zebra7731" not in err
    assert sorted(tmp_path.iterdir()) == before
