"""Partitions: the same grouping from labels and from lists, and every mistake named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Partition, SordinoError

labels_of_values = st.lists(st.integers(-5, 12), min_size=1, max_size=40)


def groups(labels):
    """The values of each label, labels as they first appear."""
    found = {}
    for value, label in enumerate(labels):
        found.setdefault(label, []).append(value)
    return list(found.values())


@given(labels_of_values)
def test_labels_group_the_values(labels):
    partition, expected = Partition.of(labels), groups(labels)
    assert (partition.k, partition.m) == (len(labels), len(expected))
    assert partition.sizes.tolist() == [len(values) for values in expected]
    for block, values in enumerate(expected):
        assert partition.values(block).tolist() == values
        assert partition.block[values].tolist() == [block] * len(values)
        assert partition.place[values].tolist() == list(range(len(values)))
        assert partition.order[partition.starts[block] :][: len(values)].tolist() == values


@given(labels_of_values, st.randoms(use_true_random=False))
def test_lists_in_any_order_group_as_labels_do(labels, random):
    lists = groups(labels)
    for values in lists:
        random.shuffle(values)
    random.shuffle(lists)
    as_lists, as_labels = Partition.of(lists), Partition.of(np.array(labels))
    assert as_lists == as_labels
    assert hash(as_lists) == hash(as_labels)
    assert as_lists == Partition.of([np.array(values) for values in lists])


@given(labels_of_values, st.data())
def test_totals_add_up_each_block(labels, data):
    amounts = data.draw(st.lists(st.integers(-1000, 1000), min_size=len(labels), max_size=len(labels)))
    expected = [sum(amounts[value] for value in values) for values in groups(labels)]
    assert Partition.of(labels).totals(np.array(amounts, dtype=float)).tolist() == expected


@given(labels_of_values, st.data())
def test_only_the_grouping_counts_for_equality(labels, data):
    partition = Partition.of(labels)
    assert partition == Partition.of([-3 * label for label in labels])
    value = data.draw(st.integers(0, len(labels) - 1))
    moved = [label if x != value else 99 for x, label in enumerate(labels)]
    assert (partition == Partition.of(moved)) == (groups(labels) == groups(moved))
    assert partition != labels


@given(labels_of_values, st.data())
def test_a_repeated_or_missing_value_is_never_accepted(labels, data):
    lists = groups(labels)
    values = data.draw(st.sampled_from(lists))
    values[data.draw(st.integers(0, len(values) - 1))] = data.draw(st.integers(-2, len(labels) + 2))
    if sorted(value for block in lists for value in block) != list(range(len(labels))):
        with pytest.raises(SordinoError, match="each value once"):
            Partition.of(lists)
    else:
        assert Partition.of(lists).k == len(labels)


@in_one(
    ("blocks", "found"),
    [
        ([[0, 1], [1]], "repeated 1; missing 2"),
        ([[0, 0], [5]], "repeated 0; missing 1, 2; out of range 5"),
        ([[-1, 0], [7, 2]], "missing 1, 3; out of range -1, 7"),
        ([[9, 9, 9], [9]], "missing 0, 1, 2, 3; out of range 9"),
        ([[v, v] for v in range(0, 16, 2)], "repeated 0, 2, 4, 6, 8, ...; missing 1, 3, 5, 7, 9, ..."),
    ],
)
def test_every_kind_of_mistake_is_named_at_once(blocks, found):
    with pytest.raises(SordinoError, match="each value once") as caught:
        Partition.of(blocks)
    assert caught.value.found.startswith(found)


@in_one(
    ("blocks", "rule"),
    [
        ([], "whole number for each value"),
        ([0.0, 1.0], "whole number for each value"),
        ([True, False], "whole number for each value"),
        (np.zeros((2, 2), dtype=int), "whole number for each value"),
        (3, "whole number for each value"),
        ([[0, 1], []], "at least one value"),
        ([[]], "at least one value"),
        ([[0, 1.0]], "list indices"),
        ([["a"], ["b"]], "list indices"),
        ([[0], [2**70]], "list indices"),
    ],
)
def test_what_is_no_partition_is_refused(blocks, rule):
    with pytest.raises(SordinoError, match=rule):
        Partition.of(blocks)


@pytest.mark.parametrize("blocks", [[[0, 1], 2], ["a", "b"], [[0, [1]], [2]]])
def test_mixed_entries_are_refused_by_rule(blocks):
    with pytest.raises(SordinoError):
        Partition.of(blocks)


@pytest.mark.parametrize("blocks", [[0, 0, 1], [[0, 1], [2]], Partition.of([3, 3, 4])])
def test_the_number_of_values_is_checked_where_it_is_known(blocks):
    assert Partition.of(blocks, 3).k == 3
    with pytest.raises(SordinoError, match="cover all 4 values"):
        Partition.of(blocks, 4)


def test_a_partition_does_not_change():
    labels = np.array([1, 1, 2])
    partition = Partition.of(labels)
    labels[:] = 0
    assert partition.m == 2
    for name in ("block", "place", "sizes", "order", "starts"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(partition, name)[0] = 1


def test_what_is_read_of_one_block_is_together_and_nothing_else():
    generator = np.random.default_rng(3)
    for _ in range(100):
        values, k = int(generator.integers(1, 30)), int(generator.integers(1, 12))
        blocks, reading = Partition.of(generator.integers(0, 8, size=values)), generator.integers(0, k, size=values)
        groups = [{number} for number in range(k)]
        for block in range(blocks.m):
            read = set(reading[blocks.values(block)].tolist())
            joined = [group for group in groups if group & read]
            groups = [group for group in groups if not group & read] + [set().union(*joined)]
        image = blocks.image(reading, k)
        assert {frozenset(image.values(block).tolist()) for block in range(image.m)} == set(map(frozenset, groups))


def test_a_chain_of_many_blocks_is_joined_at_once():
    """Each block reads what the next one does too, in no order."""
    order = np.random.default_rng(4).permutation(50_000)
    pairs = np.column_stack((order[:-1], order[1:])).ravel()
    assert Partition.of(np.arange(len(pairs)) // 2).image(pairs, 50_000).m == 1
