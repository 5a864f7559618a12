"""Classes that are told together, one for each block of a size: each is checked, and has its own extremes."""

from dataclasses import replace

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, BlockLDP, Blockwise, CoordinateDP, HighLowLDP, PairwiseLDP, RandomizedResponse, SordinoError
from sordino.audit import classes
from sordino.audit.certificate import certify
from sordino.evidence.finite import ColumnStack, ValueClass
from sordino.exact.coin import WORD

LARGE = 3 * 700
BLOCKS = np.arange(LARGE) // 3
HONEST = Blockwise(BLOCKS, "1", "randomized")


@pytest.fixture(autouse=True)
def classes_only(monkeypatch):
    """What holds for channels of which not all weights are read; and of each representative as few as can be."""
    monkeypatch.setattr(classes, "EVERY", 0)
    monkeypatch.setattr(classes, "LOOKED_AT", 0)


def stacked(mechanism, *stacks):
    """The mechanism, with other stacks of outputs."""
    liar = type("Doctored", (type(mechanism),), {"stacks": lambda _: iter(stacks)})
    twin = liar.__new__(liar)
    vars(twin).update(vars(mechanism))
    return twin


def test_honest_stacks_pass_through_the_doctor():
    (stack,) = HONEST.stacks()
    assert len(stack) == 700
    assert certify(stacked(HONEST, stack), BlockLDP(BLOCKS, "1")).holds


def tricks(stack):
    """What a stack could say of its classes, and the rule that it breaks."""
    (part,) = stack.parts
    values, codes = part.values, list(stack.codes)
    other = values.copy()
    other[500, 0] = other[20, 1]
    yield "a value once", replace(stack, parts=(replace(part, values=other),))
    outside = values.copy()
    outside[500, 0] = -1
    yield "must list values", replace(stack, parts=(replace(part, values=outside),))
    yield "must list values", replace(stack, parts=(replace(part, values=values[:-1]),))
    yield "must list values", replace(stack, parts=(replace(part, values=values.astype(float)),))
    yield "of outputs", replace(stack, codes=[*codes[:-1], HONEST.outputs])
    yield "of outputs", replace(stack, codes=[])
    # The second block's outputs are not looked at, but those of the first one twice.
    yield "attain", replace(stack, codes=[codes[0], codes[0], *codes[2:]])
    yield "add up", ColumnStack(stack.k, stack.count, codes[:-1], (replace(part, values=values[:-1]),))


@in_one(("rule", "lie"), [*tricks(next(HONEST.stacks()))])
def test_tricks_with_stacks_are_refused(rule, lie):
    with pytest.raises(SordinoError, match=rule):
        certify(stacked(HONEST, lie), BlockLDP(BLOCKS, "1"))


def test_classes_of_a_stack_are_all_counted():
    """Outputs that weigh nothing add nothing to the sums: only their number tells that there are too many."""
    told = Blockwise(np.arange(5), "1")
    (stack,) = told.stacks()
    (part,) = stack.parts
    too_many = replace(stack, count=2, parts=(ValueClass(part.values, (*part.weights, (0, 1))),))
    with pytest.raises(SordinoError, match="share 5 outputs"):
        certify(stacked(told, too_many), BlockLDP(np.arange(5), "1"))


class OneBlockInTheClear(Blockwise):
    """Like its neighbours, one block says that it hides its values; it does not."""

    def weight(self, value, code):
        if value // 3 != 517:
            return super().weight(value, code)
        return self.denominator if code == value else 0


def test_each_class_of_a_stack_is_checked_on_its_representative():
    liar = OneBlockInTheClear(BLOCKS, "1", "randomized")
    with pytest.raises(SordinoError, match=f"code {517 * 3}"):
        certify(liar, BlockLDP(BLOCKS, "1"))


ONE_BY_ONE = Blockwise([0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4], "1", "randomized")
MATRIX = [["0" if x == y else f"{1 + (x + 2 * y) % 5}/2" for y in range(12)] for x in range(12)]


@in_one(
    "definition",
    [
        LDP("1"),
        BlockLDP(ONE_BY_ONE.blocks, "1/2"),
        # A block of the channel and of the definition; two of the channel; and one that is cut by the definition.
        BlockLDP([0, 0, 1, 1, 2, 2, 3, 3, 3, 2, 2, 2], "1/2"),
        BlockLDP([0, 0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9], "1/2"),
        BlockLDP([0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 8], "1/2"),
        BlockLDP([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 5], "1/2"),
        *(HighLowLDP(12, some, "1/2") for some in ([0], [3], [5, 4], [11], [2, 3, 9])),
        PairwiseLDP(MATRIX),
        CoordinateDP(["1/2", "1/4", "inf"]).on((2, 3, 2)),
        CoordinateDP(["inf", "inf", "1/4"]).on((2, 3, 2)),
    ],
)
@in_one("bold", [None, 2, 3])
def test_a_stack_has_the_certificate_of_its_classes(definition, bold):
    """Told together and one by one; each class by itself, or with a coin that is too bold in blocks of one size."""
    inner = [RandomizedResponse(size, "1") for size in (2, 3)]
    if bold:
        inner[bold - 2] = RandomizedResponse.from_threshold(bold, inner[bold - 2].threshold + WORD // 9)
    mechanism = Blockwise.from_inner(ONE_BY_ONE.blocks, inner)
    apart = stacked(mechanism, *(ColumnStack.of(column) for column in mechanism.columns()))
    together, one = certify(mechanism, definition), certify(apart, definition)
    assert (together.holds, together.slack) == (one.holds, one.slack)
    assert (together.witness is None) == (one.witness is None)
