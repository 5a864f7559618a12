"""A form as a survey: what it asks is there, what it cannot ask is listed, and every promise is left to be made."""

import tomllib
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from pyxform.xls2xform import convert

from sordino import SordinoError, SordinoErrors, Survey
from sordino.errors import DamagedError
from sordino.forms.form import read_form
from sordino.forms.survey_text import survey_text
from sordino.forms.workbook import read_workbook
from sordino.survey.reading.open_choices import CHOOSE
from xlsforms import CHOICES, SETTINGS, SURVEY, write_form


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
    ]
    made = found.text.replace(f'epsilon = "{CHOOSE}"', 'epsilon = "1"')
    made = made.replace(f'protect = "{CHOOSE}"', 'protect = { sensitive = ["b"] }')
    survey = Survey.read(tomllib.loads(made))
    assert survey.attribute["first"].categories == ["a", "b"]
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
        "a": {"low": 0, "high": 10.5}, "b": {"low": 0, "high": 10}, "c": both, "d": both, "e": {"low": -5, "high": -1},
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
    assert [one.where for one in found.left_out] == ["the texts in 'Klingon'"]


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
    path = write_form(tmp_path / "other.xlsx", people=[["a"], [1]])
    with pytest.raises(SordinoError, match="must be an XLSForm; found no sheet `survey`"):
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


def chosen(tables):
    """The tables of a survey with its open places filled in."""
    for own in tables["attribute"].values():
        own.pop("protect", None)
        own.pop("delta", None)
        number = own.get("number", {})
        if number and CHOOSE in number.values():
            number |= {"low": 0, "high": 1}
        own |= {name: value for name, value in (("missing", "0.1"), ("several", 1)) if own.get(name) == CHOOSE}
        if "grid" in own:
            own["grid"] = {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}
    return tables | {"epsilon": "1"}


YN = [["yn", "yes", "Yes"], ["yn", "no", "No"]]
FIRST = {"type": "select_one yn", "name": "first", "required": "yes"}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"type": "select_one yn", "name": "x", "disabled": "yes"}, "it is disabled"),
        ({"type": "select_one yn", "name": "x", "relevant": "FALSE"}, "it is asked of nobody"),
        ({"type": "integer", "name": "x", "calculation": "${age} * 2"}, "what is worked out"),
        ({"type": "select_one yn", "name": "x", "appearance": "w1 label"}, "the heading of a table"),
        ({"type": "select_one yn", "name": "FIRST"}, "names differ only in case"),
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
    assert [(one.where.partition(",")[0], why in one.why) for one in found.left_out] == [("row 3", True)]
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
    assert list(tables["attribute"]) == ["a", "b", "here"]
    assert tables["attribute"]["b"]["only_if"] == {"a": "yes"}
    assert tables["attribute"]["b"]["categories"] == ["yes", "no", "other"]
    assert any(one.where == "sheet choices" and "'region'" in one.why for one in found.left_out)
    assert any(one.where == "row 8, 'there'" for one in found.left_out)
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


NAMES = some.sampled_from(["a", "A", "b", "c", "latitude", "other", "none of them"])
ROWS = some.fixed_dictionaries(
    {
        "type": some.sampled_from(
            ["select_one l", "select one from l or specify other", "select_multiple l", "select_one cut", "integer",
             "select_multiple long", "range", "geopoint", "date", "text", "begin_group", "end_group", "begin repeat"]
        ),
        "name": NAMES,
    },
    optional={
        "relevant": some.sampled_from(["${a} = 'x'", "${a} != 'x'", "FALSE", "${b} = 'y' and ${a} = 'x'", "${c} > 3"]),
        "required": some.sampled_from(["yes", "no"]),
        "disabled": some.sampled_from(["yes", "no"]),
        "constraint": some.sampled_from([". >= 3 and . <= 1", ". > 0", ". >= 0 and . <= 9 and . >= 2", ". <= 4"]),
        "parameters": some.sampled_from(["start=0 end=10 step=3", "start=1 end=1", "step=0", "start=-1 step=0.5"]),
        "label::EN": NAMES,
        "label": NAMES,
    },
)  # fmt: skip
LISTS = [["l", "x", "X"], ["l", "y", "X"], ["l", "other", None], ["l", "x", "again"], ["cut", "a;b", None],
         ["cut", "not asked", None], *(["long", f"c{number}", None] for number in range(70))]  # fmt: skip


@given(some.lists(ROWS, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_form_gives_a_survey_that_is_read_and_names_each_row_that_it_lacks(tmp_path, rows):
    found, tables = of_rows(tmp_path, *rows, choices=LISTS)
    told = {one.where.partition(",")[0] for one in found.left_out}
    repeats = 0
    for number, row in enumerate(rows, 2):
        if row["type"] == "text" and not repeats:
            assert f"row {number}" in told
        repeats += row["type"] == "begin repeat" or (row["type"] == "begin_group" and f"row {number}" in told)
    if "attribute" in tables:
        Survey.read(chosen(tables))


def test_pyxform_asks_the_same_questions_under_conditions_that_are_kept_or_named(tmp_path):
    sheets = {
        "survey": [
            ["type", "name", "label", "relevance", "disabled", "required"],
            ["select_one yn", "a", "A?", None, None, "yes"],
            ["select_one yn", "b", "B?", "${a} = 'yes'", None, "yes"],
            ["select_multiple yn", "c", "C?", "selected(${b}, 'no')"],
            ["select_one yn", "old", "Old?", None, "yes"],
            ["integer", "d", "D?", "count-selected(${c}) > 1"],
            ["integer", "e", "E?"],
        ],
        "choices": [["list_name", "name", "label"], *YN],
    }
    path = write_form(tmp_path / "witness.xlsx", **sheets)
    form = ET.fromstring(convert(path).xform)
    asked = {one.get("ref").rpartition("/")[2] for one in form.iter() if one.get("ref", "").startswith("/")}
    binds = [one for one in form.iter() if one.tag.endswith("}bind") and one.get("relevant")]
    conditional = {one.get("nodeset").rpartition("/")[2] for one in binds}
    found = imported(path)
    attributes = tomllib.loads(found.text)["attribute"]
    assert attributes.keys() == asked == {*"abcde"}
    named = {
        name for name in attributes for one in found.left_out if f"'{name}'" in one.where and "only where" in one.why
    }
    assert conditional == {name for name, own in attributes.items() if "only_if" in own} | named == {*"bcd"}
