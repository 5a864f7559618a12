"""A person's values of every kind, as attributes have them: read once, refused all at once, never quoted."""

import pytest

from in_one import in_one
from sordino import Categories, Grid, Interval, SordinoError, SordinoErrors
from sordino.document.record_file import load_tables, read_values
from sordino.domain.attribute import Attribute

ATTRIBUTES = {
    own.name: own
    for own in (
        Attribute("age", Interval(18, 90)),
        Attribute("pay", Interval(0, 10), clip=True),
        Attribute("job", Categories(["baker", "judge", "none"]), missing="none"),
        Attribute("page", Categories(range(7))),
        Attribute("home", Grid(0, 10, 0, 20, 2, 4)),
    )
}
RIGHT = {"age": 44, "pay": 3.5, "job": "judge", "page": 6, "home": {"latitude": 9.5, "longitude": 20}}
MARK = 9141.25


def values(**changes):
    record = {name: value for name, value in (RIGHT | changes).items() if value is not None}
    return read_values({"version": 1, "record": record}, ATTRIBUTES, "the plan's")


def test_each_kind_of_value():
    assert values() == {"age": 44.0, "pay": 3.5, "job": 1, "page": 6, "home": 7}
    assert values(pay=-5)["pay"] == 0
    assert values(pay=99)["pay"] == 10
    assert values(home=3)["home"] == 3
    assert values(job=None)["job"] == 2
    assert str(values(age=44, pay=-0.0)["pay"]) == "0.0"
    assert list(values()) == list(ATTRIBUTES)


WRONG = {
    "age": (17.9, MARK, "44", True, float("nan"), float("inf"), 10**400, [44], {}),
    "pay": (float("nan"), float("-inf"), 10**400, "1", False),
    "job": ("Judge", "", 1, ["judge"], True),
    "page": (7, -1, 3.0, "3", True),
    "home": (
        8,
        -1,
        True,
        "9.5,20",
        [9.5, 20],
        {"latitude": 9.5},
        {"latitude": 9.5, "longitude": 20, "height": 1},
        {"latitude": 10.1, "longitude": 3},
        {"latitude": float("nan"), "longitude": 3},
        {"latitude": "9", "longitude": 3},
        {"latitude": True, "longitude": 3},
        {"latitude": 10**400, "longitude": 3},
    ),
}


OUT_OF_PLACE = {
    *("a different value", "a value that is neither", "an unknown category"),
    *("a value of a different type", "a number out of range"),
}


@in_one(("name", "value"), [(name, value) for name, each in WRONG.items() for value in each])
def test_what_is_no_value_is_refused_by_the_rule_alone(name, value):
    with pytest.raises(SordinoErrors) as caught:
        values(**{name: value})
    (error,) = caught.value.errors
    assert error.rule.startswith(f"the record's {name!r} must ")
    assert error.found in OUT_OF_PLACE
    assert "9141" not in str(caught.value)


def test_all_mistakes_are_told_at_once():
    record = {"age": MARK, "pay": "9141", "page": 9141, "q9141": 1, 9141: 2}
    with pytest.raises(SordinoErrors) as caught:
        read_values({"version": 1, "record": record}, ATTRIBUTES, "the plan's")
    assert [error.rule.split(" must ")[0] for error in caught.value.errors] == [
        "a record",
        "a record",
        "the record's 'age'",
        "the record's 'pay'",
        "the record's 'page'",
    ]
    assert [error.found for error in caught.value.errors[:2]] == ["none for 'home'", "2 more"]
    assert "9141" not in str(caught.value)


def test_only_what_is_needed_must_be_there_and_what_is_there_must_be_right():
    tables = {"version": 1, "record": {"age": 44}}
    assert read_values(tables, ATTRIBUTES, "the plan's", ["age"]) == {"age": 44, "job": 2}
    tables["record"]["page"] = 7
    with pytest.raises(SordinoErrors, match="'page' must be"):
        read_values(tables, ATTRIBUTES, "the plan's", ["age"])


@pytest.mark.parametrize("text", ["age = 9141 9141", "[record]\nage = q9141", "\x00", "version,9141\n"])
def test_no_error_quotes_the_file(tmp_path, text):
    (tmp_path / "record.toml").write_text(text)
    with pytest.raises(SordinoError, match="TOML file") as caught:
        load_tables(tmp_path / "record.toml")
    assert "9141" not in str(caught.value)
