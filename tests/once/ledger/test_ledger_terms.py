"""The file of a ledger: what it may say, and that its frozen words say the same."""

from copy import deepcopy

import pytest

from in_one import in_one
from sordino import LDP, BayesianCoordinateDP, Box, Record, SordinoError
from sordino.once.ledger.ledger_terms import LedgerTerms, terms_of_text

NUMBERS = {
    "version": 1,
    "epsilon": "ln 3",
    "attribute": {"sleep": {"number": {"low": 0, "high": 12}}, "age": {"number": {"low": 18, "high": 90.5}}},
}
CATEGORIES = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "smoker": {"categories": ["yes", "no"], "delta": "0.5"},
        "region": {"categories": ["north", "süd", "west"]},
    },
    "dependence": {"rest": {"smoker": 0.2}},
}


def test_numbers_are_a_box_in_the_order_of_the_alphabet():
    terms = LedgerTerms.read(NUMBERS)
    assert terms.names == ("age", "sleep")
    assert terms.box == Box([18, 0], [90.5, 12])
    assert terms.definition == LDP("ln 3")


def test_numbers_and_categories_stand_together():
    mixed = {**NUMBERS["attribute"], "smoker": {"categories": ["yes", "no"]}, "visits": {"categories": 5}}
    mixed["home"] = {"grid": {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 3}}
    mixed["symptoms"] = {"categories": ["cough", "fever", "pain"], "several": 2, "delta": "0.5"}
    mixed["income"] = {"number": {"low": 0, "high": 9, "missing": True}}
    terms = LedgerTerms.read({**NUMBERS, "attribute": mixed})
    assert terms.domain.cells.shape == (64, 6, 65, 64, 2, 7, 5)
    assert terms.box is None
    assert terms_of_text(terms.text) == terms
    assert isinstance(terms.definition, BayesianCoordinateDP)


def test_categories_are_a_record_with_deltas():
    terms = LedgerTerms.read(CATEGORIES)
    assert isinstance(terms.domain, Record)
    assert terms.domain.names == ("region", "smoker")
    assert isinstance(terms.definition, BayesianCoordinateDP)
    assert [str(delta) for delta in terms.definition.deltas] == ["2", "1/2"]
    assert [str(bound) for bound in terms.definition.beliefs.bounds] == ["1", "1/5"]
    plain = {"categories": ["a", "b"]}
    assert LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": {"x": plain}}).definition == LDP(1)


@pytest.mark.parametrize("tables", [NUMBERS, CATEGORIES], ids=["numbers", "categories"])
def test_the_frozen_words_say_the_same(tables):
    terms = LedgerTerms.read(tables)
    again = terms_of_text(terms.text)
    assert again == terms
    assert again.text == terms.text
    assert again.definition == terms.definition or terms.deltas
    changed = deepcopy(terms.document)
    changed["epsilon"] = "9"
    with pytest.raises(SordinoError, match="as it was frozen"):
        LedgerTerms.of_document(changed)
    for key, value, words in [("version", 2, "use a newer Sordino"), ("format", "x", "a different format")]:
        with pytest.raises(SordinoError, match=words):
            LedgerTerms.of_document({**terms.document, key: value})


@in_one(
    ("path", "value", "words"),
    [
        ("epsilon", "0", "above 0"),
        ("epsilon", "many", "epsilon"),
        ("version", 2, "version"),
        ("version", True, "whole number"),
        ("attribute", {}, "attribute must not be empty"),
        ("epsilom", "1", r"known setting \(did you mean 'epsilon'"),
        ("attribute.age.number.low", 91, "low end must be below"),
        ("attribute.age.number.hihg", 1, r"attribute.age.number.hihg must be a known setting \(did you mean 'high'"),
        ("attribute.age.number", None, "exactly one of number, categories, grid must be given; found none"),
        ("attribute.smoker", {"categories": ["yes"]}, "at least two categories"),
        ("attribute.smoker", {"categories": 0}, "at least two categories"),
        ("attribute.smoker", {"categories": 3, "several": 2}, "must have names"),
        ("attribute.smoker", {"categories": ["a", "b"], "none": "c"}, "none. must stand beside several"),
        ("attribute.smoker", {"categories": [*map(str, range(40))], "several": 9}, "at most 4,096 combinations"),
        ("dependence", {"rest": {"agf": 0.1}}, "did you mean 'age'"),
    ],
)
def test_mistakes_are_told(path, value, words):
    tables = deepcopy(NUMBERS)
    *parts, last = path.split(".")
    table = tables
    for part in parts:
        table = table[part]
    table[last] = value
    if value is None:
        del table[last]
    with pytest.raises(SordinoError, match=words):
        LedgerTerms.read(tables)


@in_one(
    ("path", "value", "words"),
    [
        ("attribute.smoker.categories", ["yes"], "at least two categories; found 1"),
        ("attribute.smoker.categories", ["yes", "yes"], "named once"),
        ("attribute.smoker.delta", "3", "must not exceed epsilon"),
        ("dependence.rest", {"smokers": 0.2}, r"must name attributes \(did you mean 'smoker'"),
        ("dependence.rest", 1.5, r"must lie in \[0, 1\]"),
    ],
)
def test_mistakes_about_categories_are_told(path, value, words):
    tables = deepcopy(CATEGORIES)
    *parts, last = path.split(".")
    table = tables
    for part in parts:
        table = table[part]
    table[last] = value
    with pytest.raises(SordinoError, match=words):
        LedgerTerms.read(tables)
