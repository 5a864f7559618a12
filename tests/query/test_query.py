"""Queries about several attributes: the order of their values, and refusals."""

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Categories,
    ChannelTable,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    Value,
    Values,
)

RECORD = Record({"a": Categories(range(2)), "b": Categories(range(3)), "c": Categories(range(4))})


def test_values_count_in_the_order_of_the_question():
    rows = np.array([[a, b, c] for a in range(2) for b in range(3) for c in range(4)])
    query = Query(Values("c", "a"), RandomizedResponse(8, "1"))
    assert query.places(RECORD) == (2, 0)
    assert query.index(RECORD, rows).tolist() == [2 * c + a for a, b, c in rows.tolist()]
    assert Query(Value(1), RandomizedResponse(3, "1")).index(RECORD, rows).tolist() == rows[:, 1].tolist()


def test_reports_are_those_of_the_mechanism():
    telling = ChannelTable(np.eye(12, dtype=int).tolist())
    query = Query(Values("b", "c"), telling)
    assert query.privatize(query.index(RECORD, [[0, 2, 3], [1, 0, 1]])).tolist() == [11, 1]
    assert query.outputs == 12
    same, other = Query(Values("b", "c"), telling), Query(Values("c", "b"), telling)
    assert query.parameters == same.parameters != other.parameters


@in_one(
    ("attributes", "k", "words"),
    [
        (("d",), 2, "attributes of the record"),
        ((3,), 2, "attributes of the record"),
        ((-1,), 2, "attributes of the record"),
        ((True,), 2, "attributes of the record"),
        ((), 1, "one or more"),
        (("a", 0), 4, "each once"),
        (("b",), 2, "the 3 values"),
        (("a", "b"), 5, "the 6 values"),
    ],
)
def test_what_does_not_fit_is_refused(attributes, k, words):
    with pytest.raises(SordinoError, match=words):
        Query(Values(*attributes), RandomizedResponse(k, "1")).places(RECORD)


def test_only_finite_mechanisms_and_records_in_the_domain():
    with pytest.raises(SordinoError, match="finite mechanism"):
        Query(Value("a"), "coin").places(RECORD)
    with pytest.raises(SordinoError, match="position 1"):
        Query(Value("a"), RandomizedResponse(2, "1")).index(RECORD, [[0, 0, 0], [2, 0, 0]])
