"""The file of a query: which channel it builds, and what it may not say."""

import pytest

from in_one import in_one
from sordino import LinearQuery, LogisticQuery, Query, RandomizedResponse, SordinoError, TruncatedLinearQuery, Value
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms

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
HEAD = {"version": 1, "id": "q", "collector": "c", "epsilon": "0.5"}
RANGE = {"low": 0, "high": 12}


@pytest.mark.parametrize(
    ("terms", "asks", "channel"),
    [
        (NUMBERS, {"linear": {"theta": {"sleep": 1}, **RANGE}}, LinearQuery([0, 1], 0, 0, 12, "0.5")),
        (
            NUMBERS,
            {"truncated": {"theta": {"sleep": 0.5, "age": -1}, "intercept": 3, **RANGE}},
            TruncatedLinearQuery([-1, 0.5], 3, 0, 12, "0.5"),
        ),
        (NUMBERS, {"logistic": {"theta": {"age": 0.1}}}, LogisticQuery([0.1, 0], 0, "0.5")),
        (CATEGORIES, {"category": "a"}, Query(Value("a"), RandomizedResponse(3, "0.5"))),
    ],
    ids=["linear", "truncated", "logistic", "category"],
)
def test_the_channel_of_the_words(terms, asks, channel):
    query = AskedQuery.read(HEAD | asks, terms)
    assert query.channel.parameters == channel.parameters
    assert (query.kind,) == tuple(asks)
    again = AskedQuery.of_document(dict(query.document), terms)
    assert again.channel.parameters == channel.parameters
    assert again.hash == query.hash
    assert again.fingerprint == query.fingerprint


@in_one(
    ("edit", "words"),
    [
        ({"id": ""}, "id"),
        ({"id": "a\nb"}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"collector": 7}, "collector"),
        ({"epsilon": "0"}, "above 0"),
        ({"linear": None}, "exactly one of linear, truncated, logistic, category"),
        ({"logistic": {"theta": {"age": 1}}}, "exactly one of"),
        ({"linear": {"theta": {"slep": 1}, **RANGE}}, r"attributes of the ledger \(did you mean 'sleep'"),
        ({"linear": {"theta": {}, **RANGE}}, "theta must not be empty"),
        ({"linear": {"theta": {"sleep": float("inf")}, **RANGE}}, "finite number"),
        ({"linear": {"theta": {"sleep": 1}, "low": 1, "high": 1}}, "low end must be below"),
        ({"linear": {"theta": {"sleep": 1}, "hihg": 1, **RANGE}}, r"known setting \(did you mean 'high'"),
        ({"linear": None, "category": "sleep"}, "must be asked by linear, truncated, logistic"),
    ],
)
def test_mistakes_are_told(edit, words):
    tables = HEAD | {"linear": {"theta": {"sleep": 1}, **RANGE}} | edit
    with pytest.raises(SordinoError, match=words):
        AskedQuery.read({name: part for name, part in tables.items() if part is not None}, NUMBERS)


def test_mistakes_about_categories_are_told():
    with pytest.raises(SordinoError, match="category must name an attribute of the ledger"):
        AskedQuery.read(HEAD | {"category": "c"}, CATEGORIES)
    with pytest.raises(SordinoError, match="must be asked by category"):
        AskedQuery.read(HEAD | {"logistic": {"theta": {"a": 1}}}, CATEGORIES)


def test_words_that_were_changed_are_refused():
    document = dict(AskedQuery.read(HEAD | {"category": "a"}, CATEGORIES).document)
    frozen, newer = "as it was frozen", "of version 1; found version 2, which a newer Sordino wrote"
    changes = [({"epsilon": "0.4"}, frozen), ({"id": "r"}, frozen), ({"hash": ""}, frozen)]
    for change, words in [*changes, ({"format": "x"}, "must be a query"), ({"version": 2}, newer)]:
        with pytest.raises(SordinoError, match=words):
            AskedQuery.of_document(document | change, CATEGORIES)
