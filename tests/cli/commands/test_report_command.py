"""`sordino report`: one JSON object on one line, which `aggregate` reads; all mistakes at once, no file replaced."""

import json
from contextlib import contextmanager
from datetime import date

import pytest

from sordino.once.agent import turn

RECORD = 'version = 1\n[record]\ncolour = "green"\n'


@pytest.fixture
def mine(released):
    (released / "me.toml").write_text(RECORD)
    return released


def test_a_report_is_printed_as_one_line_and_counted(mine, run):
    code, out, errors = run("report", "plan.json", "me.toml")
    assert (code, errors, out.count("\n")) == (0, "", 1)
    document = json.loads(out)
    plan = json.loads((mine / "plan.json").read_text())["hash"]
    assert document.keys() == {"format", "version", "plan", "question", "code", "id"}
    assert (document["format"], document["version"], document["plan"], document["question"]) == (
        "sordino report",
        1,
        plan,
        0,
    )
    # The block of green and red is public.
    assert document["code"] in ("0", "1")
    assert len(bytes.fromhex(document["id"])) == 16
    (mine / "all.jsonl").write_text(out + run("report", "plan.json", "me.toml", "--json")[1])
    code, out, errors = run("aggregate", "plan.json", "all.jsonl", "-o", "tally.json", "--json")
    assert (code, errors, json.loads(out)["n"]) == (0, "", 2)
    code, out, errors = run("estimate", "plan.json", "all.jsonl", "tally.json", "--json")
    assert (code, json.loads(out)["n"]) == (0, 4)


def test_a_written_report_is_never_replaced(mine, run):
    code, out, errors = run("report", "plan.json", "me.toml", "-o", "mine.jsonl")
    assert (code, errors) == (0, "")
    assert out.startswith("mine.jsonl: a report about colour\nThis was a release.")
    before = (mine / "mine.jsonl").read_bytes()
    code, out, errors = run("report", "plan.json", "me.toml", "-o", "mine.jsonl")
    assert (code, out) == (2, "")
    assert "a second report of the same person is a second release" in errors
    assert (mine / "mine.jsonl").read_bytes() == before
    code, out, _ = run("report", "plan.json", "me.toml", "-o", "second.jsonl", "--json")
    written = json.loads((mine / "second.jsonl").read_text())
    assert (code, json.loads(out)) == (0, {"report": "second.jsonl", **written})
    for name, words in (("mine.csv", "must end in .jsonl"), ("none/mine.jsonl", "must be a folder")):
        code, out, errors = run("report", "plan.json", "me.toml", "-o", name)
        assert (code, out) == (2, "")
        assert words in errors


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("version = 1\n[record]\n", 2, "found none for 'colour'"),
        (
            'version = 1\n[record]\ncolour = "q9141"\n',
            2,
            "'colour' must be one of its categories; found an unknown category",
        ),
        ('version = 1\n[record]\ncolour = "q9141"\nq9141 = 1\n', 2, "the plan's attributes only; found 1 more"),
        ("version = 9141\n[record]\n", 2, "version must be 1"),
        ("colour = q9141", 2, "must be a TOML file; found a mistake at line 1"),
        ("colour\nred\n", 2, "must be a TOML file"),
        ("plan,code\n", 2, "must be a person's record; found a file of reports"),
    ],
)
def test_what_is_no_record_is_refused_without_a_word_of_it(mine, run, text, code, words):
    (mine / "me.toml").write_text(text)
    found, out, errors = run("report", "plan.json", "me.toml", "-o", "mine.jsonl")
    assert (found, out) == (code, "")
    assert words in errors
    assert "9141" not in errors
    assert not (mine / "mine.jsonl").exists()


def test_no_plan_that_was_changed_draws_anything(mine, run):
    text = (mine / "plan.json").read_text()
    (mine / "plan.json").write_text(text.replace('"people":1000', '"people":1001'))
    code, out, errors = run("report", "plan.json", "me.toml")
    assert (code, out) == (4, "")
    assert "must be as it was frozen" in errors
    (mine / "plan.json").write_text(text)
    assert run("report", "me.toml", "me.toml")[0] == 2
    assert run("report", "plan.json", "none.toml")[0] == 2


@contextmanager
def today(day):
    """What a device's clock says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turn, "utc_today", lambda: date.fromisoformat(day))
        yield


@pytest.fixture
def series(released, run):
    """A plan with a series of four weeks, and a function of a period that writes a record with it."""
    text = 'version = 1\nepsilon = "1"\n[series]\nperiods = 4\nevery = "week"\nstart = 2026-11-02\n'
    text += '[attribute.x]\ncategories = ["a", "b"]\n[[ask]]\nhistogram = "x"\n'
    (released / "series.toml").write_text(text)
    assert run("plan", "series.toml", "--people", "1000", "-o", "series.json")[0] == 0

    def write(period):
        (released / "me.toml").write_text(f'version = 1\n[record]\nx = "a"\n{period}\n')
        return run("report", "series.json", "me.toml")

    return write


@pytest.mark.parametrize("day", ["2026-11-09", "2026-11-12", "2026-11-15"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_record_names_its_period_by_any_of_its_days(series, day, quote):
    with today("2026-11-12"):
        code, out, errors = series(f"period = {quote}{day}{quote}")
    assert (code, errors) == (0, "")
    assert json.loads(out)["public"] == {"period": "2026-11-09"}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("2026-11-01", "a day before or after it"),
        ("2026-11-30", "a day before or after it"),
        ('"2026-12-01"', "a day before or after it"),
        ("2026-11-09T10:00:00", "no day"),
        ("10:00:00", "no day"),
        ('"20261109"', "no day"),
        ('"week"', "no day"),
        ("2", "no day"),
        ("true", "no day"),
        ("[2026-11-09]", "no day"),
    ],
)
def test_no_day_of_a_series_is_no_period(series, given, found):
    code, out, errors = series(f"period = {given}")
    assert (code, out) == (2, "")
    rule = "the record's 'period' must be a day of the series, 2026-11-02 to 2026-11-29"
    assert f"{rule}; found {found}: write a date, such as period = 2026-11-02" in errors


def test_a_record_of_a_series_needs_a_period(series):
    code, _, errors = series("")
    assert code == 2
    rule = "a record must name the week in which the person answers, drawn or assigned before; found none for 'period'"
    assert f"{rule}: write period = 2026-11-02, or have `sordino answer` draw and keep it" in " ".join(errors.split())


@pytest.mark.parametrize(("day", "said"), [("2026-11-08", "still to come"), ("2026-11-16", "over")])
def test_a_report_of_a_period_that_does_not_run_says_so(series, day, said):
    with today(day):
        code, out, errors = series("period = 2026-11-09")
    assert (code, json.loads(out)["public"]) == (0, {"period": "2026-11-09"})
    expected = (
        f"The report is of the week of 2026-11-09, which is {said}; collectors take reports of a period that runs."
    )
    assert " ".join(errors.split()) == expected


def test_a_written_report_says_of_which_period_it_is(series, run):
    with today("2026-11-09"):
        assert series("period = 2026-11-09")[0] == 0
        code, out, errors = run("report", "series.json", "me.toml", "-o", "mine.jsonl")
    assert (code, errors) == (0, "")
    assert (
        "It is of the week of 2026-11-09. Each person answers in one week, drawn or assigned beforehand."
        in " ".join(out.split())
    )
