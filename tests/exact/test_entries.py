"""Entries of JSON from outside: one spelling of each kind, and an error that names the place for everything else."""

import pytest

from in_one import in_one
from sordino.errors import DamagedError
from sordino.exact.entries import Entries

ODD = [None, True, False, -1, 2**53 + 1, 10**30, 0.0, 1.0, float("nan"), "", "x", [], {}, [[]], {"k": 1}]
TEXTS = [
    "00",
    "01",
    "+1",
    "-1",
    "-0",
    " 1",
    "1 ",
    "1_0",
    "1.0",
    "1e3",
    "\u0661",
    "1\n",
    str(2**64 + 1),
    "9" * 20,
    "9" * 5000,
]


@in_one("wrong", [*ODD, "1", *TEXTS])
def test_a_whole_number_is_a_number_up_to_two_to_the_53(wrong):
    for found, read in (({"k": wrong}, "whole"), ({"k": [wrong]}, "wholes"), ({"k": [[1, wrong]]}, "runs")):
        with pytest.raises(DamagedError, match=r"mechanism\.k must be a whole number in 0\.\.2\^53; found"):
            getattr(Entries(found, "mechanism"), read)("k")


@in_one("wrong", [*ODD, 0, 1, *TEXTS])
def test_an_integer_is_a_text_of_64_bits_in_one_spelling(wrong):
    for found, read in (({"k": wrong}, "integer"), ({"k": [wrong]}, "integers"), ({"k": [["1", wrong]]}, "rows")):
        with pytest.raises(DamagedError, match=r"mechanism\.k must be an integer in 0\.\.2\^64, as text; found"):
            getattr(Entries(found, "mechanism"), read)("k")


def test_what_fits_is_read():
    whole, text = Entries({"k": [0, 2**53]}, "x"), Entries({"k": [["0", "7"], [str(2**64)]]}, "x")
    assert whole.wholes("k") == (0, 2**53)
    assert text.rows("k") == ((0, 7), (2**64,))
    assert [inner.where for inner in Entries({"k": [{}, {}]}, "x").inners("k")] == ["x.k.0", "x.k.1"]
    assert [inner.where for inner in Entries({"k": [[], [{}]]}, "x").groups("k")[1]] == ["x.k.1.0"]


READERS = ["text", "whole", "wholes", "integer", "integers", "rows", "inner", "inners", "groups"]


@in_one("read", READERS)
@in_one("found", [None, 3, "k", ["k"], True, {}])
def test_what_is_no_object_or_lacks_the_entry_is_refused(read, found):
    with pytest.raises(DamagedError, match=r"x must be an object|x\.k must be given"):
        getattr(Entries(found, "x"), read)("k")


def test_other_entries_are_refused():
    Entries({"a": 1}, "x").require(["a", "b"])
    with pytest.raises(DamagedError, match="x must have known entries only; found 'c'"):
        Entries({"a": 1, "c": 2}, "x").require(["a", "b"])
