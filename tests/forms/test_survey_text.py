"""A form as a survey: what it asks is there, what it cannot ask is listed, and every promise is left to be made."""

import re
import tomllib
import zipfile

import pytest

from sordino import Plan, SordinoError, SordinoErrors, Survey
from sordino.errors import DamagedError
from sordino.forms.form import read_form
from sordino.forms.survey_text import survey_text
from sordino.forms.workbook import read_workbook
from sordino.survey.reading.open_choices import CHOOSE
from xlsforms import CHOICES, SETTINGS, SURVEY, chosen, write_form


def imported(path):
    return survey_text(read_form(read_workbook(path)), path.name)


def of_rows(folder, *rows, choices=(), settings=None):
    """The survey of some rows, of which each is a table; and its tables."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    sheets = {"survey": [names, *([row.get(name) for name in names] for row in rows)]}
    sheets["choices"] = [["list_name", "name", "label"], *choices]
    found = imported(write_form(folder / "form.xlsx", **sheets, **({"settings": settings} if settings else {})))
    return found, tomllib.loads(found.text)


@pytest.fixture(scope="module")
def health(tmp_path_factory):
    path = tmp_path_factory.mktemp("form") / "health.xlsx"
    found = imported(write_form(path, survey=SURVEY, choices=CHOICES, settings=SETTINGS))
    return found, tomllib.loads(found.text)


def test_questions_have_their_values_and_words_in_each_language(health):
    _, tables = health
    assert tables["about"] == {"title": "Health", "languages": ["de", "en"]}
    assert tables["attribute"] == {
        "smoker": {
            "text": {"de": "Rauchen Sie?", "en": "Do you smoke?"},
            "help": {"de": "E-cigarettes count.", "en": "E-cigarettes count."},
            "categories": ["yes", "no"],
            "labels": {"yes": {"de": "Ja", "en": "Yes"}, "no": {"de": "Nein", "en": "No"}},
            "delta": CHOOSE,
        },
        "packs": {
            "text": {"de": "Wie viele Schachteln?", "en": "How many packs?"},
            "categories": ["1", "2"],
            "labels": {"1": {"de": "Eine", "en": "One"}, "2": {"de": "Zwei", "en": "Two"}},
            "only_if": {"smoker": "yes"},
            "delta": CHOOSE,
        },
        "age": {
            "text": {"de": "Wie alt sind Sie?", "en": "How old are you?"},
            "number": {"low": 18, "high": 120},
            "delta": CHOOSE,
        },
        "weight": {
            "text": {"de": "Your weight", "en": "Your weight"},
            "number": {"low": CHOOSE, "high": CHOOSE},
            "missing": CHOOSE,
            "delta": CHOOSE,
        },
        "mood": {
            "text": {"de": "Ihre Stimmung", "en": "Your mood"},
            "number": {"low": 1, "high": 5},
            "input": "slider",
            "step": 0.5,
            "delta": CHOOSE,
        },
        "symptoms": {
            "text": {"de": "Was trifft zu?", "en": "What applies?"},
            "categories": ["cough", "fever", "pain"],
            "labels": {
                "cough": {"de": "Husten", "en": "Cough"},
                "fever": {"de": "Fieber", "en": 'High "fever"'},
                "pain": {"de": "Schmerzen", "en": "Pain"},
            },
            "several": 2,
            "delta": CHOOSE,
        },
        "home": {
            "text": {"de": "Ihr Zuhause", "en": "Your home"},
            "grid": dict.fromkeys(("south", "north", "west", "east", "rows", "columns"), CHOOSE),
            "column": ["home-Latitude", "home-Longitude"],
            "delta": CHOOSE,
        },
        "moved": {
            "text": {"de": "Eingezogen", "en": "Moved in"},
            "number": {"low": CHOOSE, "high": CHOOSE},
            "missing": CHOOSE,
            "input": "date",
            "only_if": {"smoker": "yes"},
            "delta": CHOOSE,
        },
    }
    assert [(section.get("title", {}).get("en"), section["attributes"]) for section in tables["section"]] == [
        ("About you", ["smoker", "packs", "age", "weight"]),
        (None, ["mood", "symptoms"]),
        ("Where", ["home", "moved"]),
    ]
    assert tables["ask"] == [
        {"histogram": "smoker"}, {"histogram": "packs"}, {"mean": "age"}, {"mean": "weight"}, {"mean": "mood"},
        {"several": "symptoms"}, {"histogram": "home"}, {"mean": "moved"},
    ]  # fmt: skip


def test_what_is_left_out_is_listed_with_its_place_and_stands_in_the_file(health):
    found, _ = health
    listed = {(one.where.partition(",")[0], one.where.rpartition("'")[0].rpartition("'")[2]): one.why
              for one in found.left_out}  # fmt: skip
    assert {name for _, name in listed} == {
        "start", "welcome", "weight", "home", "moved", "children", "remarks", ""
    }  # fmt: skip
    for name, why in (
        ("start", "who answered, and when"),
        ("welcome", "a note asks nothing"),
        ("weight", "its constraint"),
        ("home", "that it may be skipped"),
        ("moved", "that it is asked only where '${age} > 20'"),
        ("children", "several reports of one person"),
        ("remarks", "free text"),
        ("", "2 that the form has not: texts in another language"),
    ):
        assert why in next(text for (_, own), text in listed.items() if own == name) or name == ""
    for one in found.left_out:
        assert f"# - {one.where}: {one.why}\n" in found.text
    assert ("row 3", "welcome") in listed


def test_every_promise_and_every_open_end_must_be_chosen_before_a_plan(health):
    found, tables = health
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(tables)
    rules = [error.rule for error in caught.value.errors]
    assert len(rules) == found.choices == found.text.count(f'"{CHOOSE}"')
    assert "epsilon must be chosen" in rules
    assert [f"attribute.{name}.delta must be chosen" in rules for name in tables["attribute"]] == [True] * 8
    assert "attribute.weight.number.low must be chosen" in rules
    assert "attribute.home.grid.rows must be chosen" in rules
    assert all(error.step and error.found == f"'{CHOOSE}', as an import leaves it" for error in caught.value.errors)


def test_who_is_not_asked_of_one_question_differs_from_each_of_its_values(tmp_path):
    one = {"type": "select_one c", "required": "yes"}
    found, tables = of_rows(
        tmp_path,
        one | {"name": "a"},
        one | {"name": "b", "relevant": "${a} = 'x'"},
        one | {"name": "c", "relevant": "${b} != 'x'"},
        one | {"name": "d", "relevant": "${b} = 'x' or ${b} = 'y'"},
        one | {"name": "e", "relevant": "${a} = 'x' or ${a} = 'y'"},
        choices=[["c", "x", "X"], ["c", "y", "Y"]],
    )
    conditions = {name: attribute.get("only_if") for name, attribute in tables["attribute"].items()}
    assert conditions == {"a": None, "b": {"a": "x"}, "c": None, "d": {"b": ["x", "y"]}, "e": None}
    assert [one.where for one in found.left_out] == ["row 4, 'c'"]


def test_who_is_asked_more_than_in_the_form_is_named_where_others_follow(tmp_path):
    one = {"type": "select_one c", "required": "yes"}
    found, tables = of_rows(
        tmp_path,
        one | {"name": "a", "relevant": "1 > 2"},
        one | {"name": "b", "relevant": "${a} != ''"},
        one | {"name": "c", "relevant": "${b} = 'x' or ${b} = 'y'"},
        one | {"name": "d", "relevant": "${b} = 'x'"},
        choices=[["c", "x", "X"], ["c", "y", "Y"]],
    )
    assert [attribute.get("only_if") for attribute in tables["attribute"].values()] == [None, None, None, {"b": "x"}]
    assert [(one.where, one.why[:30]) for one in found.left_out] == [
        (
            f"row {row}, '{name}'",
            "that it is asked only where '1" if row == 2 else f"that it is asked only where '{after}",
        )
        for row, name, after in ((2, "a", "1"), (3, "b", "a"), (4, "c", "b"))
    ]


def test_an_attribute_may_have_any_name(tmp_path):
    found, tables = of_rows(tmp_path, *({"type": "decimal", "name": name} for name in ("text", "labels", "about")))
    assert found.choices == 1 + 3 * 4
    assert list(tables["attribute"]) == ["text", "labels", "about"]


def test_a_word_that_people_read_is_no_open_place(tmp_path):
    rows = {"type": "select_one c", "name": "x", "label": CHOOSE, "required": "yes"}
    choices = [["c", CHOOSE, CHOOSE], ["c", "b", CHOOSE]]
    found, tables = of_rows(tmp_path, rows, choices=choices, settings=[["form_title"], [CHOOSE]])
    assert found.choices == 2
    del tables["attribute"]["x"]["protect"]
    survey = Survey.read(tables | {"epsilon": "1"})
    assert survey.attribute["x"].categories == [CHOOSE, "b"]


def test_a_form_of_lists_is_a_survey_once_its_promises_are_made(tmp_path):
    found, tables = of_rows(
        tmp_path,
        {"type": "select_one c", "name": "first", "label": "First?", "required": "yes"},
        {"type": "select one c or_other", "name": "second.part", "label": 'A "quoted" \\ text\nof two lines'},
        choices=[["c", "a", "A"], ["c", "b", "b"], ["c", "a", "again"], ["d", "x", "X"]],
    )
    assert tables["epsilon"] == CHOOSE
    assert found.text.count(f'protect = "{CHOOSE}"') == 2
    assert [one.why for one in found.left_out] == [
        "another choice of its list has its name",
        "what people write as another answer; the choice `other` is there",
        "no question has this list",
    ]
    made = found.text.replace(f'epsilon = "{CHOOSE}"', 'epsilon = "1"')
    made = made.replace(f'protect = "{CHOOSE}"', 'protect = { sensitive = ["b"] }')
    survey = Survey.read(tomllib.loads(made))
    # As in pyxform, `other` is a choice of all questions of the list.
    assert survey.attribute["first"].categories == ["a", "b", "other"]
    assert survey.attribute["first"].labels == {"a": "A"}
    second = survey.attribute["second.part"]
    assert (second.categories, second.missing) == (["a", "b", "other", "not answered"], "not answered")
    assert second.text == 'A "quoted" \\ text\nof two lines'


def test_numbers_are_a_survey_once_their_ends_are_known(tmp_path):
    found, tables = of_rows(
        tmp_path,
        {"type": "integer", "name": "a", "constraint": "0<=. and .<=10.5", "required": "1"},
        {"type": "range", "name": "b"},
        {"type": "range", "name": "c", "parameters": "start=5 end=1", "required": "TRUE"},
        {"type": "decimal", "name": "d", "constraint": ".>=0 and .<=5 or .=9", "required": "yes"},
        {"type": "integer", "name": "e", "constraint": ". >= -5 and . <= -1", "required": "yes"},
        {"type": "integer", "name": "f", "constraint": "3 <= .", "required": "yes"},
    )
    numbers = {name: attribute["number"] for name, attribute in tables["attribute"].items()}
    both = {"low": CHOOSE, "high": CHOOSE}
    assert numbers == {
        "a": {"low": 0, "high": 10.5}, "b": {"low": 1, "high": 10}, "c": {"low": 1, "high": 5}, "d": both,
        "e": {"low": -5, "high": -1},
        "f": {"low": 3, "high": CHOOSE},
    }  # fmt: skip
    assert [one.where for one in found.left_out] == ["row 5, 'd'"]
    assert tables["attribute"]["f"]["number"] == {"low": 3, "high": CHOOSE}
    tables["epsilon"] = "1"
    for attribute in tables["attribute"].values():
        del attribute["delta"]
        attribute["number"] |= {end: place for place, end in enumerate(both) if attribute["number"][end] == CHOOSE}
        if "missing" in attribute:
            attribute["missing"] = "0.1"
    tables["attribute"]["f"]["number"]["high"] = 4
    assert Survey.read(tables).attribute["b"].input == "slider"


def test_languages_without_a_code_and_forms_without_labels_are_read(tmp_path):
    found, tables = of_rows(
        tmp_path,
        {"type": "select_one c", "name": "x", "label::Klingon": "nuqneH", "label::French": "Bonjour", "label": "Hello"},
        {"type": "select_one c", "name": "y"},
        choices=[["c", "a", None], ["c", "b", None]],
    )
    assert tables["about"]["languages"] == ["fr"]
    assert tables["attribute"]["x"]["text"] == {"fr": "Bonjour"}
    assert "text" not in tables["attribute"]["y"]
    assert [(one.where, one.why) for one in found.left_out] == [
        ("row 2, the text in 'label'", "it names no language: name one in settings, as default_language"),
        ("the texts in 'Klingon'", "a language whose code is not known: name the column label::NAME (code)"),
    ]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"type": "select_one nowhere", "name": "x"}, "its list has no two choices"),
        ({"type": "select_one", "name": "x"}, "its list has no two choices"),
        ({"type": "integer"}, "it has no name"),
        ({"type": "integer", "name": "known"}, "another question has its name"),
        ({"type": "flight", "name": "x"}, "questions of the type 'flight' are not asked"),
        ({"type": "select_one_from_file a.csv", "name": "x"}, "its choices are in another file"),
    ],
)
def test_what_no_question_is_is_listed(tmp_path, row, why):
    found, tables = of_rows(tmp_path, {"type": "integer", "name": "known"}, row)
    assert list(tables["attribute"]) == ["known"]
    assert [one.why for one in found.left_out] == [why]


def test_files_that_are_no_form_are_refused(tmp_path, monkeypatch):
    (tmp_path / "text.xlsx").write_text("type,name\n")
    with pytest.raises(SordinoError, match="must be an Excel workbook"):
        read_workbook(tmp_path / "text.xlsx")
    with pytest.raises(SordinoError, match=r"nowhere\.xlsx must be possible to read"):
        read_workbook(tmp_path / "nowhere.xlsx")
    for name, sheets in (("other", {"people": [["a"], [1]]}), ("two", {"people": [["type"], [1]], "more": []})):
        path = write_form(tmp_path / f"{name}.xlsx", **sheets)
        with pytest.raises(SordinoError, match="must be an XLSForm; found no sheet `survey`"):
            read_workbook(path)
    path = write_form(tmp_path / "wide.xlsx", survey=[["type", "name"], ["integer", "x", *[None] * 198, "remark"]])
    with pytest.raises(SordinoError, match="must have at most 200 columns; found more in row 2"):
        read_workbook(path)
    path = write_form(tmp_path / "double.xlsx", survey=[["type", "Type"], ["integer", "text"]])
    with pytest.raises(SordinoError, match="must name each column once; found 'type'"):
        read_workbook(path)
    rows = [["type", "name"], *([] for _ in range(30)), *(["integer", f"x{number}"] for number in range(3))]
    path = write_form(tmp_path / "long.xlsx", survey=rows)
    monkeypatch.setattr("sordino.forms.workbook.MOST_ROWS", 3)
    assert [number for number, _ in read_workbook(path)["survey"]] == [32, 33, 34]
    monkeypatch.setattr("sordino.forms.workbook.MOST_ROWS", 2)
    with pytest.raises(SordinoError, match="sheet survey must have at most 2 rows"):
        read_workbook(path)
    content = path.read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(content.replace(b"xl/workbook.xml", b"xl/workbook.xmk"))
    with pytest.raises(DamagedError, match="must be a whole workbook"):
        read_workbook(tmp_path / "cut.xlsx")
    monkeypatch.setattr("sordino.forms.workbook.LARGEST", 100)
    with pytest.raises(SordinoError, match="must unpack to at most 100 bytes"):
        read_workbook(path)


YN = [["yn", "yes", "Yes"], ["yn", "no", "No"]]
FIRST = {"type": "select_one yn", "name": "first", "required": "yes"}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"type": "select_one yn", "name": "x", "disabled": "yes"}, "it is disabled"),
        ({"type": "select_one yn", "name": "x", "relevant": "FALSE"}, "it is asked of nobody"),
        ({"type": "integer", "name": "x", "calculation": "${age} * 2"}, "what is worked out"),
        ({"type": "select_one yn", "name": "x", "appearance": "w1 label"}, "the heading of a table"),
        ({"type": "select_one yn", "name": "FIRST"}, "another question reads the same column"),
        ({"type": "select_one yn", "name": "x", "relevant": "no"}, "it is asked of nobody"),
        ({"name": "x"}, "it has no type"),
        ({"type": "select_multiple long", "name": "x"}, "no survey takes it"),
        ({"type": "select_multiple cut", "name": "x"}, "no survey takes it"),
        (
            {"type": "select_one said", "name": "x", "relevant": "${first} = 'yes'"},
            "'not asked' is reserved",
        ),
    ],
)
def test_what_nobody_answers_or_no_survey_takes_is_left_out_with_its_row(tmp_path, row, why):
    lists = [["long", f"c{number}", None] for number in range(70)]
    lists += [["cut", "a;b", None], ["cut", "c", None], ["said", "not asked", None], ["said", "b", None]]
    found, tables = of_rows(tmp_path, FIRST, row, choices=[*YN, *lists])
    assert list(tables["attribute"]) == ["first"]
    unused = ("no question has this list", "columns that are not taken over: 'appearance'")
    own = [one for one in found.left_out if one.why not in unused]
    assert [(one.where.partition(",")[0], why in one.why) for one in own] == [("row 3", True)]
    Survey.read(chosen(tables))


def test_old_spellings_of_types_and_columns_are_read(tmp_path):
    sheets = {
        "survey": [
            ["type", "name", "label:English", "relevance", "LABEL::DE"],
            ["select one from yn", "a", "A?", None, "A"],
            ["select all that apply from yn or specify other", "b", "B?", "${a} = 'yes'", "B"],
            ["begin repeat", "r"],
            ["integer", "c"],
            ["end repeat"],
            ["geopoint", "here"],
            ["geopoint", "there"],
        ],
        "choices": [["list name", "value", "label:English", "region"], *([*one, "x"] for one in YN), ["yn", "other"]],
    }
    found = imported(write_form(tmp_path / "old.xlsx", **sheets))
    tables = tomllib.loads(found.text)
    assert tables["about"]["languages"] == ["en", "de"]
    assert list(tables["attribute"]) == ["a", "b", "here", "there"]
    assert tables["attribute"]["there"]["column"] == ["there-Latitude", "there-Longitude"]
    assert tables["attribute"]["b"]["only_if"] == {"a": "yes"}
    assert tables["attribute"]["b"]["categories"] == ["yes", "no", "other"]
    assert any(one.where == "sheet choices" and "'region'" in one.why for one in found.left_out)
    assert any(one.where == "rows 4 to 6, 'r'" for one in found.left_out)
    Survey.read(chosen(tables))


def test_of_several_bounds_the_tightest_hold_and_steps_that_miss_an_end_are_named(tmp_path):
    bounds = ". >= 18 and . >= 0 and . <= 99 and . <= 120"
    found, tables = of_rows(
        tmp_path,
        {"type": "integer", "name": "age", "constraint": bounds, "required": "yes"},
        {"type": "range", "name": "mood", "parameters": "start=0 end=10 step=3", "required": "yes"},
    )
    assert tables["attribute"]["age"]["number"] == {"low": 18, "high": 99}
    assert "step" not in tables["attribute"]["mood"]
    assert [one.where for one in found.left_out] == ["row 3, 'mood'"]
    Survey.read(chosen(tables))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (
            {"type": "integer", "constraint": ". >= 10 and . <= 5"},
            "its bounds, which no number meets: at least 10, at most 5",
        ),
        (
            {"type": "decimal", "constraint": "5 <= . and . <= 5.0"},
            "its bounds, which one number alone meets: at least 5, at most 5.0",
        ),
        ({"type": "range", "constraint": ". <= 5"}, "its constraint, '. <= 5'"),
        ({"type": "select_one yn", "constraint": ". != 'no'"}, "its constraint, \". != 'no'\""),
        ({"type": "select_multiple yn"}, "that at least one must apply"),
        ({"type": "geopoint", "constraint": "true()"}, "its constraint, 'true()'"),
        (
            {"type": "select_multiple yn", "constraint": "count-selected(.) <= 3"},
            "its constraint, 'count-selected(.) <= 3'",
        ),
        (
            {"type": "range", "parameters": "start=1e1 end=x tick_interval=2"},
            "its parameters, 'end=x, tick_interval=2'",
        ),
        ({"type": "select_one yn", "parameters": "randomize = true"}, "its parameters, 'randomize=true'"),
        (
            {"type": "integer", "required": "${first} = 'yes'"},
            "that it must be answered only where \"${first} = 'yes'\"",
        ),
        ({"type": "integer", "readonly": "${first} = 'yes'"}, "that it is only read only where \"${first} = 'yes'\""),
    ],
)
def test_what_a_question_says_beside_its_values_is_named_with_its_row(tmp_path, row, why):
    found, tables = of_rows(tmp_path, FIRST, {"name": "x", "required": "yes"} | row, choices=YN)
    assert f"row 3, 'x': {why}" in [f"{one.where}: {one.why}" for one in found.left_out]
    Plan.of(Survey.read(chosen(tables)), 1000)


@pytest.mark.parametrize(
    ("row", "number"),
    [
        ({"type": "range", "parameters": "end=.5, step=.1, start=-1"}, {"low": -1, "high": 0.5}),
        ({"type": "range", "parameters": "START=10;END=1e1 start=5"}, {"low": 5, "high": 10}),
        ({"type": "range", "parameters": "start=5 end=1"}, {"low": 1, "high": 5}),
        ({"type": "integer", "constraint": ". >= 007 and . <= 12."}, {"low": 7, "high": 12}),
        ({"type": "integer", "constraint": f". >= 0 and . <= 1{'0' * 400}"}, {"low": CHOOSE, "high": CHOOSE}),
    ],
)
def test_ends_are_the_numbers_that_are_written_and_no_part_of_one(tmp_path, row, number):
    found, tables = of_rows(tmp_path, {"name": "x", "required": "yes"} | row)
    assert tables["attribute"]["x"]["number"] == number
    assert bool(found.left_out) == (CHOOSE in number.values())
    Plan.of(Survey.read(chosen(tables)), 1000)


def test_of_two_columns_of_a_language_one_is_taken_and_the_rows_of_the_other_are_named(tmp_path):
    sheets = {
        "survey": [
            ["type", "name", "label", "label::English (en)", "label::EN", "label::Deutsch (de)", "hint::FR"],
            ["select_one l", "a", "plain", "one", "two", "eins"],
            ["select_one l", "b", "plain", None, None, None, "Aide"],
            ["select_one l", "c", None, None, "two", "zwei"],
            ["select_one l", "d", None, "one", "two", "drei"],
        ],
        "choices": [["list_name", "name", "label::de", "label::German"], ["l", "x", "X", "Iks"], ["l", "y", "Y"]],
        "settings": [["default_language"], ["Deutsch (de)"]],
    }
    found = imported(write_form(tmp_path / "form.xlsx", **sheets))
    tables = tomllib.loads(found.text)
    assert tables["about"]["languages"] == ["de", "en", "fr"]
    texts = {name: own["text"] for name, own in tables["attribute"].items()}
    assert texts["a"] == {"de": "eins", "en": "one", "fr": "eins"}
    assert texts["b"] == dict.fromkeys(("de", "en", "fr"), "plain")
    assert texts["c"]["en"] == "two"
    assert [f"{one.where}: {one.why}" for one in found.left_out][:3] == [
        "row 2 of choices, the text in 'label::German': another column of its language is taken, 'label::de'",
        "rows 2, 5, the text in 'label::EN': another column of its language is taken, 'label::English (en)'",
        "row 2, the text in 'label': another column of its language is taken, 'label::Deutsch (de)'",
    ]


def test_groups_must_be_closed_and_what_is_left_out_with_one_is_named_by_its_rows(tmp_path):
    begin, end = {"type": "begin group", "name": "g"}, {"type": "end_group"}
    one = {"type": "integer", "name": "x"}
    for rows, number in (
        ((begin, one), 2),
        ((one, end), 3),
        (({"type": "begin lgroup"}, one, end), 4),
        ((begin | {"disabled": "yes"}, one, end), 4),
    ):
        with pytest.raises(SordinoError, match=f"must begin and end; found row {number}, "):
            of_rows(tmp_path, *rows)
    off = {"disabled": "yes"}
    found, tables = of_rows(
        tmp_path,
        begin | off | {"relevant": "no"},
        one,
        end | off,
        {"type": "begin group", "name": "closed", "relevant": "FALSE"},
        begin | {"label": "Inner"},
        one | {"name": "y"},
        end,
        end,
        {"type": "begin_looped group", "name": "again"},
        one | {"name": "z"},
        {"type": "end looped group"},
        begin | {"label": "Empty"},
        end,
        {"type": "begin group", "name": "outer", "label": "Outer"},
        begin | {"label": "Inner"},
        one | {"name": "w"},
        end,
        end,
        {"type": "end", "name": "metadata"},
    )
    assert list(tables["attribute"]) == ["x", "w"]
    assert {one.where for one in found.left_out} == {
        "row 2, 'g'", "row 4, 'end group'", "rows 5 to 9, 'closed'", "rows 10 to 12, 'again'", "row 13, 'g'",
        "row 15, 'outer'", "row 20, 'metadata'",
    }  # fmt: skip
    assert [section.get("title") for section in tables["section"]] == [None, "Inner"]


def test_choices_that_no_question_offers_are_named(tmp_path):
    lists = [[None, "a", "A"], ["yn", None, "B"], ["yn", "no", "C"], ["un", "x"], ["un", "y"]]
    found, _ = of_rows(tmp_path, FIRST, choices=[*YN, *lists])
    assert [(one.where, one.why) for one in found.left_out] == [
        ("row 4 of choices, 'a'", "it names no list"),
        ("row 5 of choices, ''", "it has no name"),
        ("row 6 of choices, 'no'", "another choice of its list has its name"),
        ("rows 7 to 8 of choices, 'un'", "no question has this list"),
    ]


def test_a_choice_called_as_what_people_skip_is_no_condition(tmp_path):
    found, tables = of_rows(
        tmp_path,
        {"type": "select_one l", "name": "a"},
        {"type": "integer", "name": "b", "relevant": "${a} = ''", "required": "yes"},
        choices=[["l", "not answered", None], ["l", "x", None]],
    )
    assert "only_if" not in tables["attribute"]["b"]
    assert [one.where for one in found.left_out] == ["row 2, 'a'", "row 3, 'b'"]


def test_a_condition_on_a_name_that_stands_twice_is_named(tmp_path):
    group, end = {"type": "begin group"}, {"type": "end group"}
    last = {"type": "integer", "name": "x", "relevant": "${first} = 'yes'", "required": "yes"}
    found, tables = of_rows(tmp_path, FIRST, group, FIRST, end, last, choices=YN)
    assert "only_if" not in tables["attribute"]["x"]
    assert [one.where for one in found.left_out] == ["row 4, 'first'", "row 6, 'x'"]


def test_sheets_are_read_whole_and_by_their_own_names_of_columns(tmp_path):
    rows = [["type", "name", "Read Only", "bind::relevant"], ["select_one l", "a"], ["integer", "b", None, "FALSE"]]
    choices = [["List Name", "name", "tag", "Tag"], ["l", "it\u2019s", 1], ["l", "y"]]
    path = write_form(tmp_path / "form.xlsx", survey=rows, choices=choices)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    # A writer that says wrongly how large a sheet is.
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet], count = re.subn(rb'<dimension ref="[^"]+"', b'<dimension ref="A1"', parts[sheet])
    assert count == 1
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    found = imported(path)
    assert tomllib.loads(found.text)["attribute"]["a"]["categories"] == ["it's", "y", "not answered"]
    assert [one.where for one in found.left_out] == ["row 3, 'b'", "sheet choices"]
    path = write_form(tmp_path / "alone.xlsx", Sheet1=[["type", "name"], ["integer", "x"]])
    assert list(tomllib.loads(imported(path).text)["attribute"]) == ["x"]
