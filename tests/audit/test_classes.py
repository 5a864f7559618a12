"""Classes of outputs that hide what the mechanism does: none passes, whatever the number of values."""

from dataclasses import replace

import numpy as np
import pytest

from sordino import (
    LDP,
    BlockLDP,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
)
from sordino.audit import classes
from sordino.audit.certificate import certify
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.mechanism.base import Mechanism

SMALL, LARGE = 6, 20_000


@pytest.fixture
def classes_only(monkeypatch):
    """What holds for channels of which not all weights are read, seen on a small one."""
    monkeypatch.setattr(classes, "EVERY", 0)


@pytest.fixture
def little_room(monkeypatch, classes_only):
    """The same where only some weights of each representative are looked at."""
    monkeypatch.setattr(classes, "LOOKED_AT", 0)


def told(mechanism, *columns):
    """The mechanism, with other classes of outputs."""
    liar = type("Doctored", (type(mechanism),), {"columns": lambda _: iter(columns), "stacks": Mechanism.stacks})
    twin = liar.__new__(liar)
    vars(twin).update(vars(mechanism))
    return twin


def part(values, *weights):
    return ValueClass(np.array(values), weights)


class InTheClear(ChannelTable):
    """Code 0 whatever the value, and else the value itself."""

    def __init__(self, k):
        super().__init__([[1, *(int(x == y) for y in range(k))] for x in range(k)])


class Swapped(RandomizedResponse):
    """Two blocks of two values; the second block's is told in the clear, and its classes say that it is not."""

    lie = ()

    @property
    def outputs(self):
        return 4

    @property
    def denominator(self):
        return 4

    def weight(self, value, code):
        if value // 2 != code // 2:
            return 0
        return 2 if value < 2 else 4 * (value == code)

    def columns(self):
        yield ColumnClass(4, 2, 0, (part([0, 1], (2, 2)),))
        yield ColumnClass(4, 2, 2, (part([2, 3], *self.lie),))


@pytest.mark.usefixtures("classes_only")
def test_every_class_is_checked_on_its_representative_not_only_the_tightest():
    liar = Swapped(4, "1")
    # The first class is as tight as the second one says it is, so that the second is not the tightest.
    for lie in [((2, 2),), ((3, 1), (1, 1))]:
        type(liar).lie = lie
        with pytest.raises(SordinoError, match="attain"):
            certify(liar, BlockLDP([0, 0, 1, 1], "2"))


@pytest.mark.usefixtures("little_room")
def test_a_class_of_very_many_others_is_checked_too():
    blocks = np.arange(LARGE) // 3
    honest = Blockwise(blocks, "1", "randomized")
    first, *columns = honest.columns()
    assert certify(told(honest, first, *columns), BlockLDP(blocks, "1")).holds
    (heavy, _), (light, _) = columns[0].parts[0].weights
    weights = ((heavy - 1, 1), (light, 1), (light + 1, 1))
    last = replace(columns[0], parts=(ValueClass(columns[0].parts[0].values, weights),))
    with pytest.raises(SordinoError, match="attain"):
        certify(told(honest, first, last, *columns[1:]), BlockLDP(blocks, "1"))


def test_one_output_that_tells_nothing_does_not_speak_for_all():
    liar = told(InTheClear(SMALL), ColumnClass(SMALL, 2, 0, (part(range(SMALL), (1, 2)),)))
    with pytest.raises(SordinoError, match="largest ratio of its outputs"):
        certify(liar, LDP("0"))


@pytest.mark.parametrize("bold", [1, 2, 5])
def test_every_output_counts_where_weights_are_few(bold):
    """A single output of many, heavier by an amount for one value and lighter for another."""
    rows = [[100] * 20 for _ in range(SMALL)]
    rows[2][13] += bold
    rows[2][14] -= bold
    liar = told(ChannelTable(rows), ColumnClass(SMALL, 20, 0, (part(range(SMALL), (100, 20)),)))
    with pytest.raises(SordinoError, match=r"code 1[34]"):
        certify(liar, LDP("0"))


@pytest.mark.usefixtures("classes_only")
@pytest.mark.parametrize(
    ("columns", "rule"),
    [
        # Value 0 alone sends code 1, and value 1 code 2: the same value under two names would fill the class.
        ([(1, 0, [[0, 1], 1]), (1, 1, [[0, -2], 1]), (1, 2, [[1, -1], 1])], "must list values"),
        ([(1, 0, [[0, 1], 1]), (1, 1, [[0, 0], 1]), (1, 2, [[1, 1], 1])], "a value once"),
        ([(1, 0, [[0, 1], 1]), (1, 1, [[0.0], 1]), (1, 2, [[1.0], 1])], "must list values"),
        ([(1, 0, [[0, 1], 1]), (1, 1, [[True, False], 1]), (1, 2, [[False, True], 1])], "must list values"),
        # The output that tells nothing stands for the two that tell all.
        ([(1, 0, [[0, 1], 1]), (1, 0, [[0, 1], 1])], "no representative"),
        ([(5, 0, [[0, 1], 1])], "add up"),
        ([(0, 0, [[0, 1], 1])], "of outputs 0..2"),
        ([(1, 7, [[0, 1], 1])], "of outputs 0..2"),
        ([(1, -1, [[0, 1], 1])], "of outputs 0..2"),
        # What a class does not list is told on its output all the same.
        ([(2, 0, [[0], 1]), (2, 0, [[1], 1])], "attain"),
    ],
)
def test_tricks_with_names_and_numbers_of_outputs_are_refused(columns, rule):
    made = [ColumnClass(2, n, code, (part(values, (w, n)),)) for n, code, (values, w) in columns]
    with pytest.raises(SordinoError, match=rule):
        certify(told(InTheClear(2), *made), LDP("0"))


@pytest.mark.usefixtures("classes_only")
def test_more_outputs_than_there_are_are_refused():
    """Weights of zero add nothing to the sums: only their number tells that there are too many."""
    fair, half = RandomizedResponse.from_threshold(2, WORD // 2), WORD // 2
    first = ColumnClass(2, 1, 0, (part([0], (half, 1)), part([1], (half, 1))))
    second = ColumnClass(2, 2, 1, (part([0], (half, 1), (0, 1)), part([1], (half, 1), (0, 1))))
    with pytest.raises(SordinoError, match="share 2 outputs"):
        certify(told(fair, first, second), LDP("1"))


@pytest.mark.usefixtures("classes_only")
@pytest.mark.parametrize("weights", [((1, 3), (1, -1)), ((2, 2), (2, -1), (0, 1)), ((1.0, 2),), ((np.int64(1), 2),)])
def test_weights_are_whole_and_on_a_number_of_outputs(weights):
    """Numbers of outputs below zero would cancel what is told; other numbers round, or run over."""
    liar = told(InTheClear(2), ColumnClass(2, sum(n for _, n in weights), 0, (part([0, 1], *weights),)))
    with pytest.raises(SordinoError, match="weight >= 0"):
        certify(liar, LDP("0"))


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(LARGE, "1"),
        HadamardResponse(LARGE, "1"),
        ProjectiveResponse(LARGE, "1"),
        Blockwise(np.arange(LARGE) // 7, "1"),
        HighLow(LARGE, range(40), "1", "subset"),
        HighLow(LARGE, range(5000), "1", "projective"),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
@pytest.mark.usefixtures("little_room")
def test_classes_of_every_mechanism_show_themselves_on_few_values(mechanism, monkeypatch):
    """The ends of each part show its extremes: no class of the package's own has to be looked at in full."""
    looked = []
    weigh = type(mechanism).weight
    monkeypatch.setattr(type(mechanism), "weight", lambda self, *at: looked.append(at) or weigh(self, *at))
    found = list(classes.CheckedClasses(mechanism))
    parts = sum(len(stack) * len(stack.parts) for stack in found)
    assert len(looked) <= 8 * parts
    assert sum(len(stack) * stack.count for stack in found) <= mechanism.outputs


@pytest.mark.parametrize(
    ("mechanism", "definition"),
    [
        (ProjectiveResponse(100_000, "1"), LDP("1")),
        (HighLow(100_000, range(20), "1"), HighLowLDP(100_000, range(20), "1")),
        # In step with the field of four elements: only every second value is sensitive.
        (HighLow(100_000, range(0, 100_000, 2), "1", "projective"), HighLowLDP(100_000, range(0, 100_000, 2), "1")),
    ],
    ids=["all", "few sensitive", "half sensitive"],
)
def test_of_very_many_values_few_are_looked_at(mechanism, definition, monkeypatch):
    """Weights that differ show on some values; the sums, not the looks, tell that none is left out."""
    looked = []
    weigh = type(mechanism).weight
    monkeypatch.setattr(type(mechanism), "weight", lambda self, *at: looked.append(at) or weigh(self, *at))
    certificate = certify(mechanism, definition)
    assert certificate.holds
    assert certificate.witness.code is not None
    assert len(looked) <= 30_000


def test_a_weight_that_one_value_has_is_found_wherever_it_stands():
    """On code 0 value 0 alone is heavy: a class that lists it last but a few is looked at until it is seen."""
    honest = RandomizedResponse(LARGE, "1")
    (column,) = honest.columns()
    turned = replace(column.parts[0], values=np.roll(column.parts[0].values, -7))
    assert certify(told(honest, replace(column, parts=(turned,))), LDP("1")).holds


def test_the_denominator_bounds_each_sum():
    """A sum far above the denominator is wrong, whatever its last digits."""
    (column,) = HadamardResponse(SMALL, "1").columns()
    weights = ((column.parts[0].weights[0][0] + WORD, 4), (column.parts[0].weights[1][0], 4))
    with pytest.raises(SordinoError):
        certify(told(HadamardResponse(SMALL, "1"), replace(column, parts=(part(range(SMALL), *weights),))), LDP("1"))
