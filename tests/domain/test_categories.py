"""Categories: labels once each, in a fixed order."""

import pytest

from sordino import Categories, SordinoError


def test_labels_keep_their_order():
    categories = Categories(["yes", "no", "perhaps"])
    assert (categories.k, [categories.label(i) for i in range(3)]) == (3, ["yes", "no", "perhaps"])


def test_later_changes_of_the_callers_list_do_not_reach_the_domain():
    labels = ["yes", "no"]
    categories = Categories(labels)
    labels.append("yes")
    assert categories == Categories(["yes", "no"])
    assert hash(categories) == hash(Categories(("yes", "no")))


def test_numbered_labels_cost_no_memory():
    categories = Categories(range(10**12))
    assert (categories.k, categories.label(999_999_999_999)) == (10**12, "999999999999")


@pytest.mark.parametrize("labels", [[], (), range(0)])
def test_a_domain_has_a_value(labels):
    with pytest.raises(SordinoError, match="at least one value"):
        Categories(labels)


def test_every_repeated_label_is_named_once():
    with pytest.raises(SordinoError) as caught:
        Categories(["b", "a", "c", "b", "a", "b"])
    assert caught.value.found == "'a', 'b'"


def test_of_many_repeated_labels_the_first_are_named():
    with pytest.raises(SordinoError) as caught:
        Categories("abcdefabcdef")
    assert caught.value.found == "'a', 'b', 'c', 'd', 'e', ..."


def test_a_label_is_text_that_can_be_written():
    assert Categories(["", "\U0001f600", "é"]).k == 3
    with pytest.raises(SordinoError, match="valid text"):
        Categories(["yes", "no\ud83d"])


@pytest.mark.parametrize("labels", [range(1, 4), range(0, 6, 2), range(3, -1, -1)])
def test_numbers_run_from_zero(labels):
    with pytest.raises(SordinoError, match="from 0"):
        Categories(labels)
