"""`sordino reproduce fig3`, `corollary1`, `least-squares`: one JSON object or tables and a drawing, or one message."""

import json
from fractions import Fraction

import pytest

from sordino.papers.bayesian_coordinate import corollary1 as corollary
from sordino.papers.bayesian_coordinate import fig3 as figure

PNG = b"\x89PNG\r\n\x1a\n"
EXACT = {"zeta_exact", "tight_exact", "sampled_exact", "best_exact", "baseline_duchi", "baseline_sampled"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.png").write_bytes(b"")
    return tmp_path


def read(finished):
    code, out, err = finished
    assert (code, err, out.count("\n")) == (0, "", 1)
    return json.loads(out, parse_constant=pytest.fail)


@pytest.mark.long
def test_fig3_is_one_json_object_and_a_drawing(folder, run):
    found = read(run("reproduce", "fig3", "--repeats", "1", "--json", "-o", "fig3.png"))
    assert set(found) == {"people", "repeats", "figure", "data", "rows", "simulated"}
    assert (found["people"], found["repeats"], found["figure"]) == (10_000, 1, "fig3.png")
    assert [row["q"] for row in found["rows"]] == [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
    assert {tuple(row) for row in found["rows"]} == {("q", "printed", "corrected", "found")}
    assert {frozenset(row["found"]) for row in found["rows"]} == {frozenset(EXACT)}
    numbers = [number for row in found["rows"] for number in (row["printed"], row["corrected"], *row["found"].values())]
    assert all(isinstance(number, float) for number in numbers)
    # The paper's own people have means of about 0; the printed scale doubles what is estimated.
    assert all(row["printed"] == pytest.approx(4 * row["corrected"], abs=0.002) for row in found["rows"])
    keys = {"q", "mean", "mechanism", "projected", "lower", "median", "upper"}
    assert {frozenset(spread) for spread in found["simulated"]} == {frozenset(keys)}
    # Three mechanisms with and without projection, and nobody asked.
    assert len(found["simulated"]) == 9 * 2 * 7
    assert (folder / "fig3.png").read_bytes().startswith(PNG)


@pytest.mark.long
def test_fig3_for_people(folder, monkeypatch, run):
    monkeypatch.setattr(figure, "QS", (Fraction(1, 10), Fraction(4, 5)))
    code, out, err = run("reproduce", "fig3", "--repeats", "0", "-o", "exact.png")
    assert (code, err) == (0, "")
    for sign in ("the paper's, corrected", "as printed", "30.8273", "0.1236", "1.0057", "10,000 people", "exact.png"):
        assert sign in out
    assert "Simulated" not in out
    assert (folder / "exact.png").read_bytes().startswith(PNG)
    code, out, err = run("reproduce", "fig3", "--repeats", "2")
    assert (code, err) == (0, "")
    for sign in ("each true mean about 0.6", "of 2 runs", "best, projected", "upper quartile", "nobody asked"):
        assert sign in out


@pytest.mark.long
def test_corollary1_is_one_json_object_and_a_drawing(folder, monkeypatch, run):
    monkeypatch.setattr(corollary, "QS", (Fraction(0), Fraction(1, 2)))
    command = ("reproduce", "corollary1", "--numbers", "3", "--sensitive", "1", "--delta", "1/4", "--epsilon", "1")
    found = read(run(*command, "--json", "-o", "c1.png"))
    assert set(found) == {"people", "numbers", "sensitive", "delta", "epsilon", "figure", "data", "rows"}
    assert (found["numbers"], found["sensitive"], found["delta"], found["epsilon"]) == (3, 1, "1/4", "1")
    assert {tuple(row) for row in found["rows"]} == {("q", "printed", "corrected", "found")}
    assert {frozenset(row["found"]) for row in found["rows"]} == {frozenset(EXACT)}
    assert found["rows"][0]["printed"]["corollary"] == pytest.approx((3 * 16 + 4) / 10_000)
    assert (folder / "c1.png").read_bytes().startswith(PNG)
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert "(18), (19) without constant" in out
    assert "1 of 3 numbers with delta 1/4" in out


@pytest.mark.long
def test_least_squares_is_one_json_object_and_a_drawing(folder, run):
    command = ("reproduce", "least-squares", "--people", "1000", "--repeats", "2")
    found = read(run(*command, "--json", "-o", "ls.png"))
    assert set(found) == {"people", "repeats", "predicting_zero", "figure", "data", "rows", "indefinite"}
    assert found["predicting_zero"] == pytest.approx(0.09)
    keys = {"setting", "method", "people", "found", "stderr", "runs", "elsewhere"}
    assert {frozenset(row) for row in found["rows"]} == {frozenset(keys)}
    assert len(found["rows"]) == 2 * 3
    assert {row["people"] for row in found["rows"]} == {1000}
    assert (folder / "ls.png").read_bytes().startswith(PNG)
    assert read(run(*command, "--json"))["rows"] == found["rows"]
    forms = {row["numbers"]: row["found"] for row in found["indefinite"]}
    # A form of one number is its variance; of six numbers, at epsilon 2, noise decides.
    assert (forms[2], [*forms]) == (0, [2, 3, 4, 6])
    assert forms[3] < forms[4] < forms[6]


@pytest.mark.long
def test_least_squares_for_people(run):
    code, out, err = run("reproduce", "least-squares", "--people", "1000", "--repeats", "1")
    assert (code, err) == (0, "")
    for sign in (
        "LDP: deltas 2, 2",
        "BCDP: deltas 1/2, 1/2, 4",
        "sampled statistics",
        "found elsewhere",
        "0.221",
        "0.09",
    ):
        assert sign in out


MISTAKES = {
    "fewer runs than none": (["fig3", "--repeats", "-1"], ["--repeats", "-1"]),
    "another picture": (["fig3", "-o", "fig3.pdf"], ["fig3.pdf", ".png", ".svg"]),
    "a picture that exists": (["corollary1", "-o", "old.png"], ["old.png", "overwritten"]),
    "a picture in no folder": (["least-squares", "-o", "none/new.png"], ["none"]),
    "more sensitive numbers than there are": (["corollary1", "--numbers", "3", "--sensitive", "4"], ["4 of 3 numbers"]),
    "no numbers": (["corollary1", "--numbers", "0"], ["--numbers", "0"]),
    "no sensitive numbers": (["corollary1", "--sensitive", "0"], ["--sensitive", "0"]),
    "a delta too large": (["corollary1", "--delta", "1"], ["delta 1", "half of epsilon"]),
    "a delta in words": (["corollary1", "--delta", "much"], ["much"]),
    "no delta": (["corollary1", "--delta", "0"], ["above 0"]),
    "epsilon too large": (["corollary1", "--epsilon", "101"], ["epsilon", "101"]),
    "too few people": (["least-squares", "--people", "999"], ["--people", "999"]),
    "no repeats": (["least-squares", "--repeats", "0"], ["--repeats", "0"]),
}


@pytest.mark.parametrize(("arguments", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_ends_with_exit_code_2(folder, run, arguments, words):
    before = sorted(folder.iterdir())
    code, out, err = run("reproduce", *arguments)
    assert (code, out) == (2, "")
    assert [word for word in words if word not in err] == []
    assert "Traceback" not in err
    assert sorted(folder.iterdir()) == before
