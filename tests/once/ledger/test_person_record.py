"""The file of a record: checked, and never quoted."""

import pytest

from in_one import in_one
from sordino import SordinoError, SordinoErrors
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord

NUMBERS = LedgerTerms.read(
    {
        "version": 1,
        "epsilon": "1",
        "attribute": {"sleep": {"number": {"low": 0, "high": 12}}, "age": {"number": {"low": 18, "high": 90}}},
    }
)
CATEGORIES = LedgerTerms.read(
    {"version": 1, "epsilon": "1", "attribute": {"a": {"categories": ["x", "y", "z"]}, "b": {"categories": ["x", "y"]}}}
)


def test_values_stand_in_the_order_of_the_attributes(tmp_path):
    path = tmp_path / "record.toml"
    path.write_text("version = 1\n[record]\nsleep = 7.5\nage = 44\n")
    assert PersonRecord.load(path, NUMBERS).numbers(NUMBERS).tolist() == [[44.0, 7.5]]
    record = PersonRecord.read({"version": 1, "record": {"b": "x", "a": "z"}}, CATEGORIES)
    assert record.values == (2, 0)
    assert all(type(value) is int for value in record.values)


@in_one(
    ("record", "words"),
    [
        ({"age": 9141, "sleep": 7}, "'age' must lie between 18 and 90"),
        ({"age": 44, "sleep": float("nan")}, "'sleep' must lie between 0 and 12"),
        ({"age": 44, "sleep": 10**400}, "'sleep' must lie between"),
        ({"age": "9141", "sleep": 7}, "'age' must be a number"),
        ({"age": True, "sleep": 7}, "'age' must be a number"),
        ({"age": 44}, "found none for 'sleep'"),
        ({"age": 44, "sleep": 7, "9141": 1}, "attributes only; found 1 more"),
        ({}, "a value for each attribute"),
        (None, "a table"),
    ],
)
def test_no_error_holds_a_value(record, words):
    with pytest.raises(SordinoError, match=words) as caught:
        PersonRecord.read({"version": 1, "record": record}, NUMBERS)
    assert "9141" not in str(caught.value)


def test_all_mistakes_are_told_at_once_without_a_value():
    with pytest.raises(SordinoErrors) as caught:
        PersonRecord.read({"version": 1, "record": {"age": 9141, "9141": 9141}}, NUMBERS)
    assert [str(error) for error in caught.value.errors] == [
        "a record must have a value for each attribute; found none for 'sleep': write one under [record].",
        "a record must have the ledger's attributes only; found 1 more: take out the others.",
        "the record's 'age' must lie between 18 and 90; found a number out of range.",
    ]


@pytest.mark.parametrize("tables", [{"version": 9141, "record": {}}, {"version": 1, "record": {}, "q9141": 9141}])
def test_no_error_holds_a_word_of_the_tables(tables):
    with pytest.raises(SordinoErrors) as caught:
        PersonRecord.read(tables, NUMBERS)
    assert "9141" not in str(caught.value)


def test_no_error_holds_a_category():
    with pytest.raises(SordinoError, match="must be one of its categories") as caught:
        PersonRecord.read({"version": 1, "record": {"a": "q9141", "b": "x"}}, CATEGORIES)
    assert "9141" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["age = 9141 9141", "[record]\nage = q9141", 'x = """9141', "9141 = 1\n9141 = 2", "\x00", "[9141"]
)
def test_no_error_quotes_the_file(tmp_path, text):
    path = tmp_path / "record.toml"
    path.write_text(text)
    with pytest.raises(SordinoError, match="TOML file") as caught:
        PersonRecord.load(path, NUMBERS)
    assert "9141" not in str(caught.value)


@in_one("version", [None, 2, True, "1", 1.0])
def test_a_version_is_needed(version):
    with pytest.raises(SordinoError, match="version must be 1"):
        PersonRecord.read({"version": version, "record": {"age": 44, "sleep": 7}}, NUMBERS)


def test_equal_records_have_equal_digests_under_one_key():
    def digest(age, key=b"k" * 32):
        return PersonRecord.read({"version": 1, "record": {"age": age, "sleep": 0}}, NUMBERS).digest(key)

    assert digest(44) == digest(44.0)
    assert digest(44) != digest(44.5)
    assert digest(44) != digest(44, b"l" * 32)
    zero = PersonRecord.read({"version": 1, "record": {"age": 44, "sleep": -0.0}}, NUMBERS)
    assert zero.digest(b"k" * 32) == digest(44)
