"""Categories of which several apply: every combination has one number, and every answer one value."""

from itertools import combinations

import numpy as np
import pytest

from in_one import in_one
from sordino import SordinoError
from sordino.domain.choices import Choices

LABELS = ("a", "b", "c", "d", "e")


def listed(labels, most):
    """All combinations, by size; of one size by their largest category, then the next."""
    return [
        set(one)
        for size in range(most + 1)
        for one in sorted(combinations(range(labels), size), key=lambda one: tuple(reversed(one)))
    ]


@in_one(("most", "unasked"), [(most, unasked) for most in range(1, 6) for unasked in (None, "not asked")])
def test_every_combination_has_one_number(most, unasked):
    choices = Choices(LABELS, most, not_asked=unasked)
    sets = listed(5, most)
    assert choices.k == len(sets) + (unasked is not None) == len(choices.values)
    assert choices.values[: len(sets)].tolist() == [sum(1 << place for place in one) for one in sets]
    assert choices.numbers(choices.values).tolist() == list(range(choices.k))
    applies = choices.applies(choices.values)
    for row, one in zip(applies, sets, strict=False):
        assert row[:5].tolist() == [place in one for place in range(5)]
        assert row[5] == (not one)
        assert not row[6:].any()
    if unasked is not None:
        assert applies[-1].tolist() == [False] * 6 + [True]
        assert choices.label(int(choices.values[-1])) == unasked


def test_many_categories_have_values_that_are_not_listed():
    choices = Choices([f"c{i}" for i in range(60)], 4, not_asked="not asked")
    assert not choices.is_listed
    value = choices.value_of(["c59", "c0", "c30"])
    assert choices.applies([value, choices.unasked_value, 0]).sum(axis=1).tolist() == [3, 1, 1]
    with pytest.raises(SordinoError, match="at most 4,096 combinations"):
        _ = choices.values


@in_one("names", [["f"], ["a", "a"], ["a", "b", "c"], [1], [["a"]], [None], ["none of them"]])
def test_other_answers_have_no_value(names):
    assert Choices(LABELS, 2).value_of(names) == -1


def test_the_order_of_an_answer_does_not_matter():
    choices = Choices(LABELS, 3)
    assert choices.value_of(["d", "a"]) == choices.value_of(["a", "d"]) == 9
    assert choices.value_of([]) == 0
    assert choices.label(9) == "a; d"
    assert choices.label(0) == "none of them"


@in_one(
    ("labels", "most", "words", "rule"),
    [
        (("a",), 1, {}, "2 to 60 categories"),
        ([f"c{i}" for i in range(61)], 1, {}, "2 to 60 categories"),
        (("a", "b;c"), 1, {}, "no semicolon"),
        (("a", " b"), 1, {}, "no blank at its ends"),
        (("a", "a"), 1, {}, "named once"),
        (("a", "none of them"), 1, {}, "named once"),
        (("a", "b"), 1, {"none": ""}, "no semicolon"),
        (("a", "b"), 1, {"not_asked": "a"}, "named once"),
        (("a", "b"), 0, {}, "several must be 1 to 2"),
        (("a", "b"), 3, {}, "several must be 1 to 2"),
        (("a", "b"), True, {}, "several must be 1 to 2"),
    ],
)
def test_what_a_text_could_not_list_is_refused(labels, most, words, rule):
    with pytest.raises(SordinoError, match=rule):
        Choices(labels, most, **words)


def test_values_are_whole_numbers_of_64_bits():
    choices = Choices([f"c{i}" for i in range(60)], 1, not_asked="not asked")
    assert np.array([choices.unasked_value, choices.value_of(["c59"])], dtype=np.int64).min() > 0
