"""One reporter for all tables: all mistakes at once, in our words; of private tables nothing that stands in them."""

import pytest

from in_one import in_one
from sordino import SordinoErrors, Survey
from sordino.document.checked_tables import tables_within, try_tables
from sordino.document.record_file import RecordTable
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms, TermsTable
from sordino.survey.planning.plan_fields import PlanDocument
from sordino.survey.schema.attribute_table import GridTable
from sordino.survey.schema.protect_table import ProtectTable

MARK = "9141"
"""Stands for what is in a file."""


def mistakes(table, tables, *, private=False):
    read, found = try_tables(table, tables, private=private)
    assert read is None
    return [str(error) for error in found]


NUMBER = {"number": {"low": 0, "high": 12}}


@in_one("name", ["number", "low", "grid", "categories", "attribute", "sleep"])
def test_an_attribute_may_have_the_name_of_a_setting(name):
    tables = {"version": 1, "epsilon": "1", "attribute": {name: {**NUMBER, "dleta": "1"}}}
    (found,) = mistakes(TermsTable, tables)
    assert found == f"attribute.{name}.dleta must be a known setting (did you mean 'delta'?)."
    (found,) = mistakes(Survey, {**tables, "ask": [{"mean": name}]})
    assert found == f"attribute.{name}.dleta must be a known setting (did you mean 'delta'?)."


def test_known_settings_are_listed_once_and_only_where_none_is_near():
    tables = {"version": 1, "epsilon": "1", "ask": [{"mean": "a", "size": 1}, {"mean": "b", "colour": 1}]}
    tables["attribute"] = {name: {**NUMBER, "wight": 1, "dleta": "1", "shape": 2} for name in "ab"}
    found = mistakes(Survey, tables)
    assert [text.partition(" must")[0] for text in found] == [
        *(f"attribute.{name}.{word}" for name in "ab" for word in ("wight", "dleta", "shape")),
        "ask.0.size",
        "ask.1.colour",
    ]
    assert ["known here are" in text for text in found] == [True, *[False] * 5, True, False]


def test_what_an_unknown_setting_hides_is_told_with_it():
    terms = {"version": 1, "epsilon": "1", "attribute": {"sleep": {"number": {"low": 9, "high": 1, "step": 1}}}}
    with pytest.raises(SordinoErrors) as caught:
        LedgerTerms.read(terms, "terms.toml")
    first, second = (str(error) for error in caught.value.errors)
    assert first == "attribute.sleep.number.step must be a known setting: known here are low, high, missing."
    assert second.startswith("attribute.sleep.number: ")
    terms["attribute"]["sleep"] = NUMBER
    query = {"version": 1, "id": "q", "collector": "c", "epsilon": "1", "colour": 1}
    with pytest.raises(SordinoErrors) as caught:
        AskedQuery.read(query, LedgerTerms.read(terms))
    assert [error.rule.split()[0] for error in caught.value.errors] == ["colour", "exactly"]


@in_one(
    ("tables", "words"),
    [
        ({"version": MARK, "record": {}}, ["version must be 1"]),
        ({"version": 9141, "record": {}}, ["version must be 1"]),
        ({"version": 1, "record": MARK}, ["record must be a table"]),
        ({"version": 1, "record": [MARK]}, ["record must be a table"]),
        (
            {"version": 1, "record": {}, MARK: MARK},
            ["the file must have known settings only; found an unknown one: known here are version, record"],
        ),
        ({MARK: 1}, ["known settings only", "version must be given", "record must be given"]),
        # Several that a message cannot name are one mistake.
        ({MARK: 1, MARK * 2: 1}, ["known settings only", "version must be given", "record must be given"]),
    ],
)
def test_of_a_private_file_only_our_own_names_are_told(tables, words):
    found = mistakes(RecordTable, tables, private=True)
    assert len(found) == len(words)
    for text, word in zip(found, words, strict=True):
        assert word in text
    assert MARK not in " ".join(found)


def test_all_tables_of_a_format_are_found():
    found = set(tables_within(Survey))
    assert {Survey, GridTable, ProtectTable} < found
    assert len(found) == 14
    assert "StatisticPart" in {table.__name__ for table in tables_within(PlanDocument)}


def test_a_number_of_thousands_of_digits_is_a_mistake_too():
    (found,) = mistakes(TermsTable, {"version": 10**5000, "epsilon": "1", "attribute": {"sleep": NUMBER}})
    assert found == "version must be 1, a whole number; found a number of thousands of digits."
