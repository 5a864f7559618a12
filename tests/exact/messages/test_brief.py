"""Public objects print themselves shortly, however large they are."""

import ast
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import sordino
from in_one import in_one
from sordino import SordinoError
from sordino.exact.messages.brief import MOST_SHOWN, brief, shown
from source_trees import source_trees

K = 2000
BLOCKS = np.arange(K) // 20


def estimated():
    mechanism = sordino.Blockwise(BLOCKS, "1")
    return sordino.estimate(mechanism, mechanism.tally(mechanism.privatize(np.arange(K))))


LARGE = {
    "Blockwise": lambda: sordino.Blockwise(BLOCKS, "1"),
    "HighLow": lambda: sordino.HighLow(K, range(50), "1"),
    "HighLowLDP": lambda: sordino.HighLowLDP(K, range(50), "1"),
    "BlockLDP": lambda: sordino.BlockLDP(BLOCKS, "1"),
    "Partition": lambda: sordino.Partition.of(BLOCKS),
    "PairwiseLDP": lambda: sordino.PairwiseLDP([["0" if i == j else "1" for i in range(30)] for j in range(30)]),
    "Categories": lambda: sordino.Categories([f"name {i}" for i in range(K)]),
    "Record": lambda: sordino.Record({f"a{i}": sordino.Categories(["x", "y"]) for i in range(50)}),
    "Box": lambda: sordino.Box([0.0] * 100, [1.0] * 100),
    "Dependence": lambda: sordino.Dependence.bounded(["0.5"] * 100),
    "Aggregate": lambda: estimated()._aggregate,
    "Scaled": lambda: sordino.Scaled(np.zeros((K, 5))),
}


@in_one("name", LARGE)
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


ABSURD = 10**5000
FOUND = {
    "a long text": ("x" * 10**6, "'xxx"),
    "a number": (2.5, "2.5"),
    "a number of numpy's": (np.float64(2.5), "2.5"),
    "a quotient": (Fraction(1, 3), "1/3"),
    "a decimal": (Decimal("0.10"), "0.10"),
    "an amount": (sordino.Nats.of("ln 3"), "ln 3"),
    "nothing": (None, "None"),
    "thousands of digits": (ABSURD, "a number of thousands of digits"),
    "thousands of digits below 0": (-ABSURD, "a number of thousands of digits"),
    "a quotient of thousands of digits": (Fraction(1, ABSURD), "a number of thousands of digits"),
    "a list of them": ([1, ABSURD], "[1, a number of thousands of digits]"),
    "a long list": (list(range(10**6)), "[0, 1, 2, ... 1000000 in all]"),
    "a list in a list": ([[ABSURD] * 9], "[[a number of thousands of digits, "),
    "an array": (np.zeros(1000), "<1000 float64>"),
    "a large table": ({i: i for i in range(1000)}, "<1000 entries>"),
    "a table of them": ({"x": ABSURD}, "a number of thousands of digits"),
    "a set of them": ({ABSURD}, "a number of thousands of digits"),
}


@in_one("name", FOUND)
def test_what_was_found_is_said_shortly_whatever_it_is(name):
    found, begins = FOUND[name]
    assert shown(found).startswith(begins)
    assert len(shown(found)) <= MOST_SHOWN
    assert begins in str(SordinoError("this must not be", found=shown(found)))


def written_otherwise(call):
    """What a call says it found by another way than `shown`: cut by hand, or by Python's own text of it."""
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg == "found" and isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            yield ast.unparse(value)
        if keyword.arg == "found" and isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("repr", "str"):
            inner = value.args[0]
            counted = isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in ("len", "str")
            if not counted and ast.unparse(inner) not in ("error", "path.name"):
                yield ast.unparse(value)


OTHERWISE = r"found=\s*(repr|str)\s*\(|found=.*:.*\]|(?m:^)\s*[)\]]\[.*:"
"""What a file must hold for something to be written otherwise in it; a slice may end an expression of several lines."""


def calls_in(trees):
    return ((path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_every_message_says_what_was_found_in_one_way():
    calls = calls_in(source_trees(OTHERWISE))
    assert [(path.name, text) for path, call in calls for text in written_otherwise(call)] == []


@pytest.mark.parametrize(
    "source",
    [
        "f(found=repr(x))",
        "f(found=str(x + 1), step='s')",
        "f(found=text[:80])",
        "f(\n    found=text[0:2][:80],\n)",
        "f(\n    found=join(\n        a,\n    )[:80],\n)",
    ],
)
def test_what_is_written_otherwise_is_noticed(source):
    assert re.search(OTHERWISE, source)
    assert [text for _, call in calls_in({"": ast.parse(source)}) for text in written_otherwise(call)] != []
