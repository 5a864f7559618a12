"""Attributes that read one column tell each other all: a survey, a plan or a sample with such attributes is refused."""

import json

import pytest

from in_one import in_one
from sordino import Categories, Interval, Plan, SordinoError, SordinoErrors, Survey
from sordino.design.sample_questions import SampleNumber, SampleQuestions
from sordino.domain.attribute import Attribute
from sordino.tables.public_sample import tally_table_of_sample

NUMBER = {"number": {"low": 0, "high": 10}, "delta": "0.1"}
GRID = {"grid": {"south": 0, "north": 2, "west": 0, "east": 2, "rows": 2, "columns": 2}, "delta": "0.1"}


def tables(**attributes):
    return {
        "version": 1,
        "epsilon": "2",
        "dependence": {"rest": 0},
        "attribute": attributes,
        "ask": [{"mean": [name]} if "number" in part else {"histogram": name} for name, part in attributes.items()],
    }


SAME = {
    "by name": ({"income": NUMBER, "wealth": {**NUMBER, "column": "income"}}, [("wealth", "'income'", "income")]),
    "both named": (
        {"income": {**NUMBER, "column": "x"}, "wealth": {**NUMBER, "column": "x"}},
        [("wealth", "'x'", "income")],
    ),
    "another case": ({"income": NUMBER, "wealth": {**NUMBER, "column": "INCOME"}}, [("wealth", "'INCOME'", "income")]),
    "a blank more": ({"income": NUMBER, "x": {**NUMBER, "column": "income "}}, [("x", "'income '", "income")]),
    "another way to write it": (
        {"caf\u00e9": NUMBER, "x": {**NUMBER, "column": "cafe\u0301"}},
        [("x", "'cafe\u0301'", "caf\u00e9")],
    ),
    "names alike": ({"Income": NUMBER, "income": NUMBER}, [("income", "'income'", "Income")]),
    "in a language of its own": ({"ÄRZTE": NUMBER, "x": {**NUMBER, "column": "ärzte"}}, [("x", "'ärzte'", "ÄRZTE")]),
    "of a position": ({"home": GRID, "north": {**NUMBER, "column": "Latitude"}}, [("north", "'Latitude'", "home")]),
    "two positions": (
        {"home": GRID, "work": {**GRID, "column": ["y", "longitude"]}},
        [("work", "'longitude'", "home")],
    ),
    "three": (
        {"a": NUMBER, "b": {**NUMBER, "column": "A"}, "c": {**NUMBER, "column": "a"}},
        [("b", "'A'", "a"), ("c", "'a'", "a")],
    ),
}


@in_one("name", SAME)
def test_a_survey_whose_attributes_read_one_column_is_refused(name):
    attributes, expected = SAME[name]
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(tables(**attributes))
    found = [str(error) for error in caught.value.errors]
    assert len(found) == len(expected)
    for text, (second, column, first) in zip(found, expected, strict=True):
        assert f"attribute.{second} must read a different column" in text
        assert f"{column}, which attribute.{first} reads" in text


def test_it_is_told_with_all_other_mistakes():
    wrong = tables(
        income=NUMBER, wealth={**NUMBER, "column": "income"}, age={**NUMBER, "column": "Wealth", "delta": "x"}
    )
    with pytest.raises(SordinoErrors) as caught:
        Survey.read({**wrong, "version": 7})
    text = str(caught.value)
    assert all(word in text for word in ("attribute.wealth must read", "attribute.age.delta", "version must"))


def test_columns_that_only_look_related_are_two():
    apart = tables(income={**NUMBER, "column": "wealth"}, wealth={**NUMBER, "column": "income"}, home=GRID, cell={
        **GRID, "column": ["lat", "lon"]
    })  # fmt: skip
    assert len(Survey.read(apart).attribute) == 4


@pytest.mark.parametrize("column", ["income", "Income"])
def test_a_plan_whose_attributes_read_one_column_is_refused(tmp_path, sealed, column):
    plan = Plan.of(Survey.read(tables(income=NUMBER, wealth=NUMBER)), 1000)
    document = json.loads(plan.bytes)
    document["attributes"]["wealth"]["columns"] = [column]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(sealed(document), sort_keys=True, separators=(",", ":")))
    with pytest.raises(SordinoError, match=f"different column.*'wealth' reads '{column}' as 'income' does"):
        Plan.load(path)


def test_a_sample_whose_attributes_read_one_column_is_refused(tmp_path):
    path = tmp_path / "sample.csv"
    path.write_text("x,y\n0,1\n1,0\n", encoding="utf-8")
    bits = Categories(["0", "1"])
    for attributes in (
        (Attribute("x", bits), SampleNumber("y", Interval(0, 1), columns=("X",))),
        (Attribute("x", bits), Attribute("y", bits, ("x",))),
    ):
        with pytest.raises(SordinoError, match="different column"):
            tally_table_of_sample(SampleQuestions(attributes, ((0,),)), path)
