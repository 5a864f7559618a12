"""Names of several parts: different parts give different names, from which the parts are read back."""

from itertools import product

import pytest

from sordino.document.schema.nearest import named_label, nearest_labels
from sordino.printable import join_label, join_names, split_names

TEXTS = ["a, a", *("".join(each) for length in range(4) for each in product('a, "', repeat=length))]


def test_parts_of_any_characters_are_read_back_from_their_name():
    parts = [*product(TEXTS, repeat=1), *product(TEXTS, repeat=2), *product(TEXTS[:21], repeat=3)]
    names = [join_names(each) for each in parts]
    assert len(set(names)) == len(parts)
    assert [split_names(name) for name in names] == parts


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (["old", "yes"], "old, yes"),
        (["25.5,-130", "1,000"], "25.5,-130, 1,000"),
        (["x, y", "z"], '"x, y", z'),
        (['5" or more', "z"], '"5"" or more", z'),
        ([" x", "z ", ""], '" x", "z ", ""'),
    ],
)
def test_only_what_could_be_read_otherwise_stands_in_quotes(parts, name):
    assert join_names(parts) == name
    assert join_label(parts[:1]) == parts[0]


@pytest.mark.parametrize("text", ['"x', '"x"y', "x, ", ""])
def test_what_is_no_name_has_no_parts(text):
    assert split_names(text) is None


def test_a_label_is_meant_by_its_parts_and_by_nothing_that_could_be_another():
    labels = [join_names(parts) for parts in (("x, y", "z"), ("x", "y, z"), ("x", "z"))]
    assert [named_label(label, labels) for label in labels] == labels
    assert named_label('"x", "z"', labels) == "x, z"
    for given in ("x, y, z", "x, y", '"x'):
        assert named_label(given, labels) is None
    assert all(repr(label) in nearest_labels("x, y, z", labels) for label in labels[:2])
    assert named_label("a", ["a", "a"]) is None


def test_any_two_labels_are_told_apart():
    labels = [join_names(parts) for parts in product(TEXTS[:21], repeat=2)]
    assert [named_label(label, labels) for label in labels] == labels
