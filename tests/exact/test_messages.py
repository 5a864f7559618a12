"""Numbers are read as they are written, and absurd ones are refused at once, with a short message."""

import ast
import re
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import sordino
from in_one import in_one
from sordino import ApproximateFilter, Box, Dependence, Nats, Plan, SordinoError, Survey
from sordino.definition.prior import Prior
from sordino.exact.messages import MOST_SHOWN, brief, exact_value, read_rational, shown
from sordino.once.ledger.ledger_terms import LedgerTerms, terms_of_text
from source_trees import source_trees

GOOD = [
    ("0.25", Fraction(1, 4)),
    (" 1/3 ", Fraction(1, 3)),
    ("1.5/0.5", 3),
    ("+2e-3", Fraction(1, 500)),
    ("1e400", 10**400),
    ("9" * 401, 10**401 - 1),
    (0.1, Fraction(1, 10)),
    (np.float64(0.3), Fraction(3, 10)),
    (np.float32(0.5), Fraction(1, 2)),
    (np.int64(2**62), 2**62),
    (Decimal("1e-5"), Fraction(1, 100_000)),
    (Fraction(2, 7), Fraction(2, 7)),
    (7, 7),
]

ABSURD = [
    *("1e999999999", "-1e999999999", "1e-999999999", "0e999999999", "1/1e999999999", "1" * 402, "1" * 100_000),
    *(
        "1e401",
        "0." + "0" * 400 + "1",
        "0" * 1001,
        "1/" + "7" * 402,
        "1/0",
        "1/0.0",
        "1_0",
        "nan",
        "inf",
        "",
        "1/2/3",
        "x\0",
    ),
    *(
        "\u0661",
        10**401,
        10**5000,
        Fraction(1, 10**401),
        Decimal("1e999999"),
        Decimal("nan"),
        float("nan"),
        float("inf"),
    ),
    *(True, None, b"1", [1], 1j, [10**5000]),
]


@in_one(("number", "value"), GOOD)
def test_a_number_is_read_exactly(number, value):
    assert read_rational(number) == value


@in_one("number", ABSURD)
def test_an_absurd_number_is_refused_with_a_short_message(number):
    with pytest.raises(SordinoError) as caught:
        read_rational(number)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_a_float_may_be_taken_as_the_number_that_it_is():
    assert exact_value(0.1) == Fraction(0.1) != Fraction(1, 10)
    assert exact_value(5e-324) == Fraction(5e-324)
    assert exact_value("0.1") == Fraction(1, 10)
    with pytest.raises(SordinoError):
        exact_value(float("inf"))


def test_a_message_quotes_80_characters():
    assert shown("x" * 78) == repr("x" * 78)
    assert len(shown("x" * 79)) == 80
    assert shown("x" * 79).endswith("...")
    assert shown(10**5000) == "a number of thousands of digits"
    assert shown("\0\x1b[2J") == r"'\x00\x1b[2J'"


HANG = "1e999999999"

LONG = ["1" * 5000, "0." + "1" * 5000, "1/" + "3" * 5000, "1e-5000", HANG]

NUMBER = {"number": {"low": 0, "high": 10}}


def survey(**settings):
    return {
        "version": 1,
        "epsilon": "1",
        "attribute": {"a": {**NUMBER, "delta": "0.5"}, "b": NUMBER},
        "ask": [{"mean": ["a", "b"]}],
        "dependence": {"rest": {"a": 0.1}},
    } | settings


def terms(**settings):
    part = {"categories": ["yes", "no"], "delta": "0.5"}
    return {"version": 1, "epsilon": "1", "attribute": {"a": part, "b": part}, "dependence": {"rest": "1/2"}} | settings


@pytest.mark.parametrize("number", LONG, ids=range(len(LONG)))
@pytest.mark.parametrize(
    "read", [lambda **settings: Survey.read(survey(**settings)), lambda **s: LedgerTerms.read(terms(**s))]
)
def test_a_file_with_an_absurd_number_is_refused_at_once(read, number):
    settings = [{"epsilon": number}, {"epsilon": f"ln {number}"}]
    settings += [{"dependence": {"rest": number}}, {"dependence": {"rest": {"a": number}}}]
    for changed in settings:
        started = time.process_time()
        with pytest.raises(SordinoError) as caught:
            read(**changed)
        assert time.process_time() - started < 1
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("number", LONG, ids=range(len(LONG)))
def test_a_public_plan_with_an_absurd_number_is_refused_at_once(tmp_path, sealed_text, number):
    plan = Plan.of(Survey.read(survey()), 1000)
    for path in (("dependence", "rest", "a"), ("epsilon",), ("attributes", "a", "delta")):
        file = tmp_path / "plan.json"
        file.write_text(sealed_text(plan.bytes, path, number))
        started = time.process_time()
        with pytest.raises(SordinoError) as caught:
            Plan.load(file)
        assert time.process_time() - started < 1
        assert len(str(caught.value).replace(str(file), "")) < 300


@pytest.mark.parametrize("number", LONG, ids=range(len(LONG)))
def test_a_ledgers_frozen_words_with_an_absurd_number_are_refused_at_once(sealed_text, number):
    text = LedgerTerms.read(terms()).text
    for path in (("attributes", "a", "rest"), ("attributes", "a", "delta"), ("epsilon",)):
        with pytest.raises(SordinoError) as caught:
            terms_of_text(sealed_text(text, path, number))
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [*LONG, 10**5000, Decimal("1e999999")], ids=range(len(LONG) + 2))
def test_programs_are_told_at_once_too(number):
    for read in (
        Nats.of,
        lambda amount: Dependence.bounded([amount]),
        lambda amount: Dependence.from_prior([amount, 0], [(0,)]),
        lambda amount: Prior.of([amount, 0]),
        lambda amount: ApproximateFilter(1, amount, Box([0], [1])),
        lambda amount: ApproximateFilter(1, "1e-6", Box([0], [1]), first="renyi", order=amount),
    ):
        with pytest.raises(SordinoError) as caught:
            read(number)
        assert len(str(caught.value)) < 400


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


ABSURD_WHOLE = 10**5000

FOUND = {
    "a long text": ("x" * 10**6, "'xxx"),
    "a number": (2.5, "2.5"),
    "a number of numpy's": (np.float64(2.5), "2.5"),
    "a quotient": (Fraction(1, 3), "1/3"),
    "a decimal": (Decimal("0.10"), "0.10"),
    "an amount": (sordino.Nats.of("ln 3"), "ln 3"),
    "nothing": (None, "None"),
    "thousands of digits": (ABSURD_WHOLE, "a number of thousands of digits"),
    "thousands of digits below 0": (-ABSURD_WHOLE, "a number of thousands of digits"),
    "a quotient of thousands of digits": (Fraction(1, ABSURD_WHOLE), "a number of thousands of digits"),
    "a list of them": ([1, ABSURD_WHOLE], "[1, a number of thousands of digits]"),
    "a long list": (list(range(10**6)), "[0, 1, 2, ... 1000000 in all]"),
    "a list in a list": ([[ABSURD_WHOLE] * 9], "[[a number of thousands of digits, "),
    "an array": (np.zeros(1000), "<1000 float64>"),
    "a large table": ({i: i for i in range(1000)}, "<1000 entries>"),
    "a table of them": ({"x": ABSURD_WHOLE}, "a number of thousands of digits"),
    "a set of them": ({ABSURD_WHOLE}, "a number of thousands of digits"),
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
