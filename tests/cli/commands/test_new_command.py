"""`sordino new` writes a survey that `plan` takes at once, whatever was answered or stands in a table."""

import csv
import io
import json
import os
import sys
import tomllib
import warnings
from datetime import date, timedelta
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands import run_here
from sordino import SordinoWarning, Survey, plan
from sordino.forms.survey_draft import FEWEST

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "survey-1.json").read_text(encoding="utf-8"))


def asked(folder, *lines, words=()):
    """The command, with answers line by line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run_here("new", *words, folder=folder)


def accepted(folder):
    """The tables of the written survey, of which a plan was made; editors' checks pass too."""
    text = (folder / "survey.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    assert text.startswith("#:schema survey-1.json\n")
    assert json.loads((folder / "survey-1.json").read_text(encoding="utf-8")) == SCHEMA
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(tables, default=str)))
    with warnings.catch_warnings():
        # Too few people is no refusal.
        warnings.simplefilter("ignore", SordinoWarning)
        assert plan(folder / "survey.toml", 1000).questions
    return tables


HEAD = ["Health", "University"]


def test_answers_become_a_survey_with_its_first_forecast(tmp_path):
    lines = [*HEAD, "Do you smoke?", "yes, no, sometimes", "", "yes, sometimes", "", "2000"]
    code, out, _ = asked(tmp_path, *lines)
    assert code == 0
    assert "survey.toml: 1 attribute, epsilon 1" in out
    assert "What each epsilon reveals at most" in out
    assert out.endswith("freeze it: sordino plan survey.toml --people 2000 -o plan.json\n")
    tables = accepted(tmp_path)
    assert tables["about"] == {"title": "Health", "by": "University"}
    own = {"text": "Do you smoke?", "categories": ["yes", "no", "sometimes"]}
    assert tables["attribute"] == {"smoke": {**own, "protect": {"sensitive": ["yes", "sometimes"]}}}
    assert tables["ask"] == [{"histogram": "smoke"}]


def test_every_kind_of_answer_is_read_and_what_is_none_asked_for_again(tmp_path):
    lines = [*HEAD, "", "Where do you live?", "here", "here/there", "home", "nowhere", ""]
    lines += ["How tall?", "200 to 100", "0.5 to 2.5", ""]
    lines += ["Moved?", "1950-01-01 to 2026-02-30", "1950-01-01 .. 2026-12-31", "home", "moved"]
    lines += ["Symptoms?", "several: cough; fever; pain", "", ""]
    code, out, err = asked(tmp_path, *lines, words=["--people", "500"])
    assert (code, "500" in out) == (0, True)
    for said in (
        "found no question",
        "found 'nowhere'",
        "must be a number or a date",
        "a short name of its own; found 'home'",
    ):
        assert said in err
    tables = accepted(tmp_path)["attribute"]
    assert list(tables) == ["home", "tall", "moved", "symptoms"]
    assert tables["home"]["categories"] == ["here", "there"]
    assert tables["tall"]["number"] == {"low": 0.5, "high": 2.5}
    assert tables["moved"]["number"] == {"low": date(1950, 1, 1), "high": date(2026, 12, 31)}
    assert tables["symptoms"] == {"text": "Symptoms?", "categories": ["cough", "fever", "pain"], "several": 3}


def test_what_is_sensitive_beside_a_number_is_protected_as_such_and_said(tmp_path):
    lines = [*HEAD, "Drugs?", "yes, no", "", "yes", "Income?", "0 to 9000", "", "", "100"]
    code, _, _ = asked(tmp_path, *lines)
    tables = accepted(tmp_path)["attribute"]
    assert code == 0
    assert tables["drugs"]["protect"] == {"sensitive": ["yes"]}
    assert (
        "the odds of a protected answer by more than e^epsilon; others may show"
        in (tmp_path / "survey.toml").read_text()
    )


def test_nobody_at_the_terminal_is_said_and_nothing_written(tmp_path):
    code, out, err = asked(tmp_path, "Health")
    assert (code, out.strip()) == (2, "")
    assert "questions must be answered; found the end of the input: run it in a terminal, or give --from TABLE." in err
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_survey_is_never_overwritten_nor_a_schema_that_is_there(tmp_path):
    (tmp_path / "survey.toml").write_text("mine")
    assert asked(tmp_path, *HEAD)[0] == 2
    assert (tmp_path / "survey.toml").read_text() == "mine"
    (tmp_path / "survey-1.json").write_text("mine")
    code, _, _ = asked(tmp_path, "", "", "Q", "a,b", "", "", "", "9", words=["-o", "other.toml"])
    assert (code, (tmp_path / "survey-1.json").read_text()) == (0, "mine")
    assert Survey.load(tmp_path / "other.toml")


def write(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns.keys(), *zip(*columns.values(), strict=True)])
    return path


N = 100
PEOPLE = {
    "id": range(N),
    "number": range(7, 7 + N),
    "age": [18 + i % 79 for i in range(N)],
    "income": [1234.5 + 17 * i for i in range(N)],
    "born": [date(1951, 5, 6) + timedelta(days=211 * i) for i in range(N)],
    "smoker": ["yes" if i % 3 else "no" for i in range(N)],
    "city": ["Bern" if i % 5 else "Genf" if i % 10 else "Biel" if i % 20 else "Chur" for i in range(N)],
    "note": [f"secret {i}" for i in range(N)],
    "often": ["" if i % 10 == 0 else "daily" if i % 2 else "never" for i in range(N)],
    "weight": ["" if i % 7 == 0 else 50 + i % 40 for i in range(N)],
    "same": ["x"] * N,
    "empty": [""] * N,
}


def test_a_table_becomes_a_survey_that_reads_it(tmp_path):
    write(tmp_path / "people.csv", PEOPLE)
    code, out, err = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert (code, err) == (0, "")
    tables = accepted(tmp_path)["attribute"]
    assert tables == {
        "age": {"number": {"low": 10, "high": 100}},
        "income": {"number": {"low": 1000, "high": 3000}},
        "born": {"number": {"low": date(1950, 1, 1), "high": date(2009, 12, 31)}},
        "smoker": {"categories": ["no", "yes"]},
        "city": {"categories": ["Bern", "other"]},
        "often": {"categories": ["daily", "never", "not answered"], "missing": "not answered"},
        "weight": {"number": {"low": 50, "high": 90}, "missing": "0.2"},
    }
    text = (tmp_path / "survey.toml").read_text(encoding="utf-8")
    for name in ("secret", "Genf", "Biel", "Chur"):
        assert name not in text
        assert name not in out
    for name, why in (("id", "identify"), ("number", "identify"), ("note", "free text"), ("same", "the same value")):
        assert any(line.startswith(f"- {name}: ") and why in line for line in out.splitlines())
    assert "- empty: it is empty" in out
    assert "- city: values that fewer than 20 rows hold: write 'other' in their place in the data" in out
    assert "--people 100 -o plan.json" in out


def test_what_is_proposed_is_shown_and_agreed_to_before_it_is_written(tmp_path):
    write(tmp_path / "people.csv", {"smoker": PEOPLE["smoker"]})
    words = ["--from", "people.csv"]
    code, out, err = asked(tmp_path, "n", words=words)
    assert code == 130
    assert 'smoker: categories = ["no", "yes"]' in out
    assert "A survey is public: all of these columns, names and ends will be." in err
    code, _, err = asked(tmp_path, words=words)
    assert (code, "look at what is proposed, and give --yes" in err) == (2, True)
    assert not (tmp_path / "survey.toml").exists()
    assert asked(tmp_path, "y", words=words)[0] == 0
    accepted(tmp_path)


def test_programs_get_one_object(tmp_path):
    write(tmp_path / "people.csv", {"smoker": PEOPLE["smoker"], "note": PEOPLE["note"]})
    code, out, _ = run_here("new", "--from", "people.csv", "--yes", "--json", folder=tmp_path)
    document = json.loads(out)
    assert (code, document["attributes"], document["people"]) == (0, ["smoker"], N)
    assert [one["where"] for one in document["left_out"]] == ["note"]
    assert [row["epsilon"] for row in document["epsilons"]] == ["0.5", "1", "2"]


@pytest.mark.parametrize("column", [["a secret"] * 19 + ["b"] * 19, [f"p{i}" for i in range(50)], [""] * 25])
def test_a_table_of_free_text_is_refused(tmp_path, column):
    write(tmp_path / "people.csv", {"note": column, "id": range(len(column))})
    code, out, err = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert (code, "secret" in out + err) == (2, False)
    assert "must have a column that can be asked; found" in err


@pytest.mark.parametrize("rows", [1, FEWEST - 1])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_few_people_answered_is_never_proposed(tmp_path, rows, ending):
    """Neither of a small table, nor of a column that few rows fill."""
    columns = {"age": [34, 57] * N, "born": [date(1987, 6, 5), date(1966, 1, 2)] * N, "smoker": ["yes", "no"] * N}
    few = {name: own[:rows] for name, own in columns.items()}
    path = tmp_path / f"people.{ending}"
    write(path, few) if ending == "csv" else pq.write_table(pa.table(few), path)
    code, out, err = run_here("new", "--from", path.name, "--yes", folder=tmp_path)
    assert (code, out, "34" in err) == (2, "", False)
    found = "1 row" if rows == 1 else "19 rows"
    assert (
        f"must have at least 20 rows: a survey is public, and would show what single people answered; found {found}"
        in err
    )
    whole = {name: [*own, *[None] * (N - rows)] for name, own in few.items()}
    path.unlink()
    pq.write_table(pa.table({**whole, "other": ["a", "b"] * (N // 2)}), tmp_path / "people.parquet")
    code, out, _ = run_here("new", "--from", "people.parquet", "--yes", folder=tmp_path)
    assert (code, out.count("fewer than 20 rows hold a value")) == (0, 3)
    assert set(accepted(tmp_path)["attribute"]) == {"other"}


NAMELESS = {
    "numbers": [[20 + i % 50, i % 7 / 2] for i in range(N)],
    "texts": [["yes" if i % 3 else "no", "a" if i % 2 else "b"] for i in range(N)],
    "dates": [[date(1950, 1, 1) + timedelta(300 * i), i % 9] for i in range(N)],
    "with a key": [[f"E{i:05}", "IT" if i % 2 else "HR", 1000 + 7 * i] for i in range(N)],
}


@pytest.mark.parametrize("rows", NAMELESS.values(), ids=NAMELESS)
def test_a_table_without_names_is_refused_and_its_first_row_not_shown(tmp_path, rows):
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    code, out, err = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert (code, out) == (2, "")
    assert err == (
        "sordino: people.csv must have names of columns; found values in their place: write them in its first line, as"
        " age,smoker.\n"
    )


def test_names_that_are_years_or_words_of_their_own_column_are_names(tmp_path):
    columns = {"2019": [i % 9 for i in range(N)], "2020": [i % 7 for i in range(N)], "car": ["car"] * 50 + [""] * 50}
    write(tmp_path / "people.csv", columns)
    assert run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)[0] == 0
    assert set(accepted(tmp_path)["attribute"]) == {"2019", "2020", "car"}


def test_a_column_without_a_name_is_left_out(tmp_path):
    """As pandas writes the numbers of rows."""
    write(tmp_path / "people.csv", {"": range(N), "smoker": PEOPLE["smoker"]})
    code, out, _ = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert (code, "- column 1: it has no name" in out) == (0, True)
    assert set(accepted(tmp_path)["attribute"]) == {"smoker"}


@pytest.mark.parametrize("content", ["", "age,smoker\n"])
def test_an_empty_table_is_refused(tmp_path, content):
    (tmp_path / "people.csv").write_text(content)
    code, out, err = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert (code, out) == (2, "")
    assert "found no rows of numbers, texts or dates: give a table with a row for each person" in err


def test_numbers_are_rounded_by_their_range_and_what_looks_like_one_is_none(tmp_path):
    columns = {
        "year_born": [1935 + i % 73 for i in range(N)],
        "share": [i / N + 3e-6 for i in range(N)],
        "tenth": [-0.1, 0.3] * (N // 2),
        "postcode": [f"0{1000 + i % 3}" for i in range(N)],
        "weight": [f"{50 + i % 40},{i % 10}" for i in range(N)],
        "visit": [f"{1 + i % 28:02}.12.2026" for i in range(N)],
        "user": range(9, 9 * N + 9, 9),
    }
    write(tmp_path / "people.csv", columns)
    code, out, _ = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert code == 0
    assert accepted(tmp_path)["attribute"] == {
        "year_born": {"number": {"low": 1930, "high": 2010}},
        "share": {"number": {"low": 0, "high": 1}},
        "tenth": {"number": {"low": -0.1, "high": 0.3}},
        "postcode": {"categories": ["01000", "01001", "01002"]},
    }
    assert "- weight: numbers with a decimal comma: write them with a point" in out
    assert "- visit: dates in another form: write them as 2026-12-31" in out
    assert "- user: it seems to identify people" in out


def test_a_table_with_other_separators_is_refused_without_its_first_line(tmp_path):
    (tmp_path / "people.csv").write_text("smoker;age\n" + "yes;5\n" * 30)
    code, out, err = run_here("new", "--from", "people.csv", "--yes", folder=tmp_path)
    assert (code, "write a comma between columns" in err, "smoker" in out + err) == (2, True, False)


def test_types_of_parquet_are_read_or_left_out(tmp_path):
    columns = {
        "flag": [bool(i % 2) for i in range(N)],
        "born": pa.array(PEOPLE["born"]).cast(pa.timestamp("us")),
        "kind": pa.array(list(PEOPLE["smoker"])).dictionary_encode(),
        "many": [[1, 2]] * N,
        "small": pa.array([i % 5 for i in range(N)], pa.uint8()),
    }
    pq.write_table(pa.table(columns), tmp_path / "people.parquet")
    assert run_here("new", "--from", "people.parquet", "--yes", folder=tmp_path)[0] == 0
    tables = accepted(tmp_path)["attribute"]
    assert tables["flag"] == {"categories": ["false", "true"]}
    assert tables["small"] == {"number": {"low": 0, "high": 4}}
    assert list(tables["born"]["number"].values()) == [date(1950, 1, 1), date(2009, 12, 31)]
    assert set(tables) == {"flag", "born", "kind", "small"}
    frozen = plan(tmp_path / "survey.toml", N)
    run = run_here("plan", "survey.toml", "--people", "100", "-o", "plan.json", folder=tmp_path)
    assert run[0] == 0
    assert frozen.hash in run[1]
    assert run_here("privatize", "plan.json", "people.parquet", "-o", "reports.csv", folder=tmp_path)[0] == 0


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), max_size=12)
CELLS = st.one_of(
    TEXTS, st.integers(-(10**20), 10**20), st.floats(), st.dates(), st.sampled_from(["yes", "no", "", "1,5"])
)


@st.composite
def tables_of_people(draw):
    """Columns of any names, each with few or many values, of which some stand in many rows."""
    rows = draw(st.integers(1, 90))
    names = draw(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4, unique_by=str.lower))
    columns = {}
    for name in names:
        values = draw(st.lists(CELLS, min_size=1, max_size=4))
        columns[name] = [values[min(i * len(values) // rows, i % (len(values) + 1) % len(values))] for i in range(rows)]
    return columns


@given(tables_of_people())
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_every_survey_of_a_table_is_accepted(tmp_path_factory, columns):
    folder = tmp_path_factory.mktemp("any")
    write(folder / "people.csv", columns)
    code, out, err = run_here("new", "--from", "people.csv", "--yes", folder=folder)
    assert "Traceback" not in err
    if code:
        assert (code, not (folder / "survey.toml").exists()) in ((2, True), (4, True)), err
        return
    tables = accepted(folder)
    # What is written of a text column stands in many rows.
    for name, table in tables["attribute"].items():
        held = [str(value) for value in columns[name]]
        for label in table.get("categories", ()):
            assert label in ("other", "not answered") or held.count(label) >= FEWEST
    assert "freeze it" in out


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00,;/"), min_size=1, max_size=8)
ANSWERS = st.one_of(
    st.lists(NAMES, min_size=2, max_size=5).map(", ".join),
    st.lists(NAMES, min_size=2, max_size=5).map(lambda names: f"several: {', '.join(names)}"),
    st.tuples(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9)).map(lambda ends: f"{ends[0]} to {ends[1]}"),
    st.tuples(st.dates(), st.dates()).map(lambda ends: f"{ends[0]} to {ends[1]}"),
    NAMES,
)


PROMPTS = {
    "What is the survey about?": (NAMES, ""),
    "Who asks?": (NAMES, ""),
    "A question, as people read it": (NAMES, "Why?"),
    "The next question": (NAMES, ""),
    "Answers:": (ANSWERS, "yes, no"),
    "Its short name": (NAMES, ""),
    "Which answers are sensitive?": (NAMES, ""),
    "How many people": (st.integers(-1, 10**6).map(str), "5"),
}
"""What is drawn as an answer to each question, and one that is always taken."""


class Person(io.TextIOBase):
    """Answers what is asked: at first something, and where that is not taken what is."""

    def __init__(self, drawn):
        self.drawn = drawn
        self.before = ""

    def readline(self, _=-1):
        said = sys.stderr.buffer.getvalue().decode()
        asked_now = max(PROMPTS, key=said.rfind)
        again, self.before = asked_now == self.before, asked_now
        if again or not self.drawn[asked_now]:
            return f"{PROMPTS[asked_now][1]}\n"
        return f"{self.drawn[asked_now].pop()}\n"


@given(st.fixed_dictionaries({prompt: st.lists(own, max_size=3) for prompt, (own, _) in PROMPTS.items()}))
@settings(deadline=None)
def test_every_survey_of_answers_is_accepted(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("any")
    questions = 1 + len(drawn["The next question"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Person(drawn))
        code, _, err = run_here("new", folder=folder)
    assert code == 0, err
    assert 1 <= len(accepted(folder)["attribute"]) <= questions
