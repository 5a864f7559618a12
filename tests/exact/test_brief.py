"""Public objects print themselves shortly, however large they are."""

import numpy as np
import pytest

import sordino
from sordino.exact.brief import brief

K = 2000
BLOCKS = np.arange(K) // 20


def estimated():
    mechanism = sordino.Blockwise(BLOCKS, "1")
    return sordino.estimate(mechanism, mechanism.tally(mechanism.privatize(np.arange(K))))


def planned():
    tables = {"version": 1, "epsilon": "1", "ask": [{"histogram": "a"}]}
    return sordino.Plan.of(sordino.Survey.read(tables | {"attribute": {"a": {"categories": K}}}), 1000)


LARGE = {
    "Blockwise": lambda: sordino.Blockwise(BLOCKS, "1"),
    "HighLow": lambda: sordino.HighLow(K, range(50), "1"),
    "HighLowLDP": lambda: sordino.HighLowLDP("1", K, range(50)),
    "BlockLDP": lambda: sordino.BlockLDP("1", BLOCKS),
    "Partition": lambda: sordino.Partition.of(BLOCKS),
    "PairwiseLDP": lambda: sordino.PairwiseLDP([["0" if i == j else "1" for i in range(30)] for j in range(30)]),
    "Categories": lambda: sordino.Categories([f"name {i}" for i in range(K)]),
    "Record": lambda: sordino.Record({f"a{i}": sordino.Categories(["x", "y"]) for i in range(50)}),
    "Box": lambda: sordino.Box([0.0] * 100, [1.0] * 100),
    "Dependence": lambda: sordino.Dependence.bounded(["0.5"] * 100),
    "Estimate": estimated,
    "Aggregate": lambda: estimated()._aggregate,
    "Plan": planned,
    "Scaled": lambda: sordino.Scaled(np.zeros((K, 5))),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_objects_print_shortly(name):
    text = repr(LARGE[name]())
    assert text.startswith(f"{name}(")
    assert len(text) <= 400
    assert "\n" not in text


def test_what_is_short_is_printed_as_it_is():
    assert repr(sordino.Partition.of([[0, 2], [1]])).startswith("Partition(block=array([0, 1, 0]),")
    assert repr(sordino.Categories(["x", "y"])) == "Categories(labels=('x', 'y'))"
    values = ["x", 3, (1,), (), [1, 2], {"a": 1}, np.arange(3), None]
    assert [brief(value) for value in values] == [repr(value) for value in values]
