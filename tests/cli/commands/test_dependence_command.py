"""The command for dependence: its table, its files, its one JSON object and its mistakes."""

import json
import random

import pytest

from sordino.survey.planning.statement import load_statement

SURVEY = """\
version = 1
epsilon = "1"
[attribute.smoker]
categories = ["yes", "no"]
column = "SMOKER"
missing = "no"
[attribute.age]
categories = ["young", "mid, dle", "weiß"]
[attribute.sex]
categories = 2
[[ask]]
histogram = "smoker"
[[ask]]
histogram = "age"
[[ask]]
histogram = "sex"
"""
ROWS = 3000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(3)
    (tmp_path / "survey.toml").write_text(SURVEY, encoding="utf-8")
    columns = (["yes", "no", ""], ["young", '"mid, dle"', "weiß"], ["0", "1"])
    rows = [",".join(map(rng.choice, columns)) for _ in range(ROWS)]
    (tmp_path / "sample.csv").write_text("\n".join(["SMOKER,age,sex", *rows, ""]), encoding="utf-8")
    return tmp_path


CALL = ["dependence", "sample.csv", "--survey", "survey.toml"]


def test_the_table_and_all_that_it_rests_on(folder, run):
    code, out, err = run(
        *CALL, "--confidence", "0.95", "--population", "[b]adults", "--date", "2024-05-01", "--shift", "0.01"
    )
    assert (code, err) == (0, "")
    cells = [line.split() for line in out.splitlines()]
    assert ["statistic", "age", "sex", "smoker"] in cells
    assert {row[0] for row in cells if len(row) == 4 and "1" in row} == {"age", "sex", "smoker"}
    for words in ("confidence 95 %", "3,000 records", "10 comparisons", "[b]adults", "2024-05-01", "up to 0.01"):
        assert words in out
    assert set(folder.iterdir()) == {folder / "survey.toml", folder / "sample.csv"}


def test_json_is_the_statement(folder, run):
    code, out, err = run(*CALL, "-o", "found.json", "--figure", "found.png", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    document = json.loads(out, parse_constant=pytest.fail)
    saved = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    assert {name: document[name] for name in saved} == saved
    assert (document["confidence"], document["shift"], document["records"]) == ("0.99", "0", ROWS)
    assert document["least"] == min(bound["least"] for bound in document["bounds"] if bound["why"] == "sample")
    assert len(document["explanation"]) >= 4
    assert load_statement(folder / "found.json").asked.names == ("age", "sex", "smoker")
    assert (folder / "found.png").read_bytes().startswith(b"\x89PNG")


def test_more_confidence_or_shift_is_never_less(folder, run):
    def bounds(*settings):
        document = json.loads(run(*CALL, *settings, "--json")[1])
        return [float(bound["bound"]) for bound in document["bounds"]]

    plain = bounds("--confidence", "0.9")
    for settings in (["--confidence", "0.999"], ["--confidence", "0.9", "--shift", "0.001"]):
        found = bounds(*settings)
        assert all(a <= b for a, b in zip(plain, found, strict=True))
        assert any(a < b for a, b in zip(plain, found, strict=True))


MISTAKES = {
    "no survey": (["dependence", "sample.csv"], ["--survey"]),
    "no sample": (["dependence", "--survey", "survey.toml"], ["SAMPLE"]),
    "no survey there": (["dependence", "sample.csv", "--survey", "none.toml"], ["none.toml"]),
    "no sample there": (["dependence", "none.csv", "--survey", "survey.toml"], ["none.csv"]),
    "a survey as sample": (
        ["dependence", "survey.toml", "--survey", "survey.toml"],
        ["table; found a survey"],
    ),
    "confidence one": ([*CALL, "--confidence", "1"], ["confidence", "1"]),
    "confidence zero": ([*CALL, "--confidence", "0"], ["confidence", "0"]),
    "confidence nan": ([*CALL, "--confidence", "nan"], ["confidence", "nan"]),
    "confidence in percent": ([*CALL, "--confidence", "99"], ["confidence", "99"]),
    "confidence as a word": ([*CALL, "--confidence", "high"], ["confidence", "high"]),
    "shift below zero": ([*CALL, "--shift", "-1"], ["shift", "-1"]),
    "shift above one": ([*CALL, "--shift", "2"], ["shift", "2"]),
    "no date": ([*CALL, "--date", "May"], ["YYYY-MM-DD", "May"]),
    "output over the sample": ([*CALL, "-o", "sample.csv"], ["overwritten"]),
    "figure over the survey": ([*CALL, "--figure", "survey.toml"], [".png", ".svg"]),
    "output in no folder": ([*CALL, "-o", "none/x.json"], ["none"]),
}


@pytest.mark.parametrize(("arguments", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_ends_with_exit_code_2(folder, run, arguments, words):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert all(word in err for word in words)
    assert "Traceback" not in err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("yes,secret,1", "row 3001, age: a value must be one of the survey's"),
        ("yes,,1", "row 3001, age: a value must be given"),
        ("yes,young,2", "row 3001, sex"),
        ("yes,young", "number of columns"),
    ],
)
def test_a_record_that_does_not_count_leaves_no_files(folder, run, row, words):
    with (folder / "sample.csv").open("a", encoding="utf-8") as file:
        file.write(row + "\n")
    code, out, err = run(*CALL, "-o", "new.json", "--figure", "new.png")
    assert (code, out) == (4 if "columns" in words else 2, "")
    assert words in err
    assert "secret" not in err
    assert not list(folder.glob("new*"))


def test_a_sample_without_a_column_is_one_message(folder, run):
    (folder / "sample.csv").write_text("SMOKER,age\nyes,young\n")
    code, _, err = run(*CALL)
    assert code == 2
    assert "but not sex" in err
