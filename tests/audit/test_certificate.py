"""Certificates: they hold, are tight to the coin, refuse one unit more, and cannot be fooled by a wrong column."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BlockLDP,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    Nats,
    PairwiseLDP,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.audit.certificate import certify
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD, largest_threshold
from sordino.mechanism.base import Mechanism

FAMILIES = [RandomizedResponse, HadamardResponse]
EPSILONS = ["0.001", "0.5", "1", "ln 3", "4", "20"]


def grid_blocks(k):
    """Blocks of 25 values, and what is left."""
    return np.arange(k) // 25


def test_slack_and_witness_are_those_of_the_dense_channel(awkward):
    for channel in awkward:
        certificate = certify(channel.mechanism, channel.definition)
        assert certificate.slack == channel.slack
        assert certificate.holds
        assert (certificate.witness is None) == (not channel.largest_ratios)
        if certificate.witness:
            code, value, other = certificate.witness.code, certificate.witness.value, certificate.witness.other
            bound = channel.bounds[value][other]
            ratio = Fraction(channel.mechanism.weight(value, code), channel.mechanism.weight(other, code))
            assert ratio == channel.largest_ratios[bound]
            assert certificate.witness.loss == Nats.log(ratio)
            assert Nats.of(bound) - Nats.log(ratio) == certificate.slack


def foreign(k):
    """Definitions that no mechanism here was made for, with the bound of each ordered pair."""
    yield from (
        (LDP("3"), lambda x, y: "3"),
        (BlockLDP(np.arange(k) % 3, "1/2"), lambda x, y: "1/2" if x % 3 == y % 3 else None),
        (BlockLDP((np.arange(k) + 2) // 3, "1/2"), lambda x, y: "1/2" if (x + 2) // 3 == (y + 2) // 3 else None),
        *(
            (HighLowLDP(k, some, "1/2"), lambda x, y, some=some: "1/2" if x in some else None)
            for some in ([0], [k - 1], list(range(1, k)), list(range(0, k, 2)))
            if 0 < len(some) < k
        ),
    )
    line = lambda x, y: "0" if x == y else f"{2 * (y - x) + 1}/4" if x < y else None
    yield PairwiseLDP([[line(x, y) or "inf" for y in range(k)] for x in range(k)]), line


@in_one("channel", fixture="channels")
def test_certificates_under_foreign_definitions_are_those_of_all_pairs(channel):
    if channel.k > 9:
        return
    for definition, bound in foreign(channel.k):
        slacks = {}
        for x, y in permutations(range(channel.k), 2):
            if bound(x, y) is not None:
                possible = channel.weights[x] > 0
                heavy, light = channel.weights[x][possible], channel.weights[y][possible]
                worst = max(map(Fraction, heavy, light)) if (light > 0).all() else None
                slacks[x, y] = Nats.of(bound(x, y)) - Nats.log(worst) if worst else Nats.log(0)
        certificate = certify(channel.mechanism, definition)
        if not slacks:
            assert (certificate.holds, certificate.witness) == (True, None)
            continue
        assert certificate.slack == min(slacks.values())
        witness = certificate.witness
        assert slacks[witness.value, witness.other] == certificate.slack
        heavy, light = (channel.mechanism.weight(x, witness.code) for x in (witness.value, witness.other))
        assert heavy > 0
        assert witness.loss == (Nats.log(Fraction(heavy, light)) if light else None)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("mechanism", "definition", "pair"),
    [
        # Value 39 is in none of the first outputs, value 0 in all of them.
        (SubsetSelection(40, "1"), HighLowLDP(40, [39], "1"), (39, 0)),
        (SubsetSelection(40, "1"), BlockLDP([*range(38), 38, 38], "1"), (38, 39)),
        (HighLow(9000, [3], "1"), HighLowLDP(9000, [3, 8999], "1"), (8999, 0)),
    ],
    ids=["sensitive", "block", "told"],
)
def test_a_pair_that_shows_on_no_output_near_the_representative_is_named_all_the_same(mechanism, definition, pair):
    certificate = certify(mechanism, definition)
    witness = certificate.witness
    assert (witness.value, witness.other, witness.code) == (*pair, None)
    assert certificate.slack == (definition.epsilon - witness.loss if witness.loss else Nats.log(0))


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [2, 3, 64, 1000, 43_750])
def test_certificates_are_tight_to_the_coin(k, epsilon):
    blocks = grid_blocks(k)
    for mechanism, definition in [
        (RandomizedResponse(k, epsilon), LDP(epsilon)),
        (HadamardResponse(k, epsilon), LDP(epsilon)),
        *((Blockwise(blocks, epsilon, within), BlockLDP(blocks, epsilon)) for within in ("hadamard", "best")),
    ]:
        certificate = certify(mechanism, definition)
        assert certificate.holds
        assert 0 <= certificate.slack.floor() < 1e-9


@pytest.mark.parametrize(("epsilon", "least", "most"), [("1", 0, 2e-19), ("20", 1e-12, 1e-10), ("40", 0.007, 0.009)])
def test_the_coins_slack_grows_with_epsilon(epsilon, least, most):
    assert least <= certify(HadamardResponse(4, epsilon), LDP(epsilon)).slack.floor() <= most


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", [*EPSILONS, "40"])
@pytest.mark.parametrize("k", [2, 3, 17, 43_750])
@pytest.mark.parametrize("family", FAMILIES)
def test_one_unit_more_is_refused(family, k, epsilon):
    greedy = family.from_threshold(k, family(k, epsilon).threshold + 1)
    certificate = certify(greedy, LDP(epsilon))
    assert not certificate.holds
    assert certificate.slack < 0
    assert certificate.slack.ceil() <= 0
    assert certificate.witness.loss > epsilon


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [2, 3])
def test_one_unit_more_in_one_block_size_is_refused(family, size):
    blocks = BlockLDP([0, 1, 1, 2, 2, 2, 3, 3], "1").partition
    inner = [family(k, "1") for k in (1, 2, 3)]
    inner[size - 1] = family.from_threshold(size, inner[size - 1].threshold + 1)
    certificate = certify(Blockwise.from_inner(blocks, inner), BlockLDP(blocks, "1"))
    assert not certificate.holds
    assert len(blocks.values(int(blocks.block[certificate.witness.value]))) == size


@in_one("epsilon", ["0.5", "1", "4"])
@in_one("k", [3, 4, 100, 43_750])
def test_the_plain_coin_costs_randomized_response_a_factor_of_k_minus_1(k, epsilon):
    plain = RandomizedResponse.from_threshold(k, largest_threshold(Nats.of(epsilon)))
    certificate = certify(plain, LDP(epsilon))
    assert not certificate.holds
    assert certificate.witness.loss.floor() == pytest.approx(float(epsilon) + math.log(k - 1), rel=1e-12)


@in_one(
    "definition",
    [LDP("100"), BlockLDP([0] * 5, "100"), BlockLDP([0, 0, 0, 1, 1], "100"), BlockLDP([0, 1, 2, 1, 0], "100")],
)
@in_one("within", ["hadamard", "randomized", "best"])
def test_a_public_block_loses_everything_under_another_definition(definition, within):
    mechanism = Blockwise([0, 0, 1, 1, 1], "0.001", within)
    certificate = certify(mechanism, definition)
    assert not certificate.holds
    assert (certificate.slack.floor(), certificate.witness.loss) == (-math.inf, None)
    assert mechanism.weight(certificate.witness.value, certificate.witness.code) > 0
    assert mechanism.weight(certificate.witness.other, certificate.witness.code) == 0


@pytest.mark.parametrize("definition", [BlockLDP(range(5), "1"), BlockLDP([0, 1, 2, 2, 3], "1")])
def test_finer_blocks_ask_for_less(definition):
    assert certify(Blockwise([0, 0, 1, 1, 1], "1"), definition).holds


@pytest.mark.parametrize("mechanism", [RandomizedResponse(1, "1"), HadamardResponse(1, "1"), Blockwise([3], "1")])
def test_one_value_has_nothing_to_hide(mechanism):
    for definition in (LDP("0"), BlockLDP([9], "0")):
        certificate = certify(mechanism, definition)
        assert (certificate.holds, certificate.slack, certificate.witness) == (True, 0, None)


@in_one("epsilon", [0, "1e-25"])
@in_one(
    ("family", "k"),
    [*((HadamardResponse, k) for k in (1, 2, 3, 1000)), *((RandomizedResponse, k) for k in (1, 2, 4, 64))],
)
def test_an_epsilon_below_the_coins_granularity_is_kept_where_it_can_be(family, k, epsilon):
    certificate = certify(family(k, epsilon), LDP(epsilon))
    assert certificate.holds
    assert certificate.slack.ceil() < 1e-18


@in_one(("k", "epsilon"), [(3, 0), (6, "1e-19"), (7, "1e-25"), (1000, 0), (43_750, "1e-16")])
def test_a_coin_rounded_below_a_level_one_is_refused(k, epsilon):
    rounded = RandomizedResponse.from_threshold(k, largest_threshold(Nats.of(epsilon), k - 1))
    assert not certify(rounded, LDP(epsilon)).holds
    for build in (RandomizedResponse, lambda k, e: Blockwise([0] * k, e, "randomized")):
        with pytest.raises(SordinoError, match="granularity"):
            build(k, epsilon)


def test_a_pair_that_loses_nothing_is_a_witness_too():
    blocks = [0, 1, 1]
    certificate = certify(Blockwise(blocks, 0), BlockLDP(blocks, 0))
    assert certificate.witness is not None


def doctored(mechanism, columns):
    """The mechanism, with other words about itself."""
    liar = type("Doctored", (type(mechanism),), {"columns": lambda _: iter(columns), "stacks": Mechanism.stacks})
    twin = liar.__new__(liar)
    vars(twin).update(vars(mechanism))
    return twin


def reweighted(column, weights):
    return replace(column, parts=tuple(ValueClass(part.values, weights) for part in column.parts))


BLOCKS = [0, 0, 1, 1, 1, 2]
BLOCKWISE = Blockwise(BLOCKS, "1", "hadamard")
HADAMARD = HadamardResponse(5, "1")
T, HALF = HADAMARD.threshold, HADAMARD.outputs // 2


@pytest.mark.parametrize("mechanism", [RandomizedResponse(5, "1"), HADAMARD, BLOCKWISE], ids=lambda m: type(m).__name__)
def test_honest_columns_pass_through_the_doctor(mechanism):
    assert certify(doctored(mechanism, list(mechanism.columns())), BlockLDP(mechanism.partition, "1")).holds


@pytest.mark.parametrize("omitted", range(3))
def test_an_omitted_class_is_refused(omitted):
    columns = list(BLOCKWISE.columns())
    del columns[omitted]
    with pytest.raises(SordinoError, match="add up to the denominator"):
        certify(doctored(BLOCKWISE, columns), BlockLDP(BLOCKS, "1"))


@pytest.mark.parametrize("repeated", range(3))
def test_a_repeated_class_is_refused(repeated):
    columns = list(BLOCKWISE.columns())
    with pytest.raises(SordinoError, match="add up to the denominator"):
        certify(doctored(BLOCKWISE, [*columns, columns[repeated]]), BlockLDP(BLOCKS, "1"))


@in_one(
    ("weights", "rule"),
    [
        (((T + 1, HALF), (WORD - T, HALF)), "attain"),
        (((T - 1, HALF), (WORD - T, HALF)), "attain"),
        (((T, HALF + 1), (WORD - T, HALF - 1)), "add up"),
        (((T, HALF),), "a weight >= 0 on each"),
        (((T, HALF), (WORD - T, HALF), (0, 1)), "a weight >= 0 on each"),
        (((2 * T, HALF), (WORD - 2 * T, HALF)), "a weight >= 0 on each"),  # adds up, by a negative weight
        (((T - 1, HALF), (WORD - T + 1, HALF)), "attain"),  # adds up, and promises more privacy than there is
        (((T + 1, HALF), (WORD - T - 1, HALF)), "attain"),
    ],
)
def test_wrong_weights_are_refused(weights, rule):
    (column,) = HADAMARD.columns()
    with pytest.raises(SordinoError, match=rule):
        certify(doctored(HADAMARD, [reweighted(column, weights)]), LDP("1"))


def test_values_that_cannot_cause_an_output_may_be_listed_or_left_out():
    columns = []
    for column in BLOCKWISE.columns():
        others = np.setdiff1d(np.arange(6), np.concatenate([part.values for part in column.parts]))
        columns.append(replace(column, parts=(*column.parts, ValueClass(others, ((0, column.count),)))))
    for definition in (BlockLDP(BLOCKS, "1"), LDP("1")):
        assert certify(doctored(BLOCKWISE, columns), definition) == certify(BLOCKWISE, definition)


@pytest.mark.parametrize("k", [2, 5, 8])
def test_a_class_that_does_not_attain_its_ratio_on_its_code_is_refused(k):
    honest = HadamardResponse(k, "1")
    (column,) = honest.columns()
    with pytest.raises(SordinoError, match="attain"):
        certify(doctored(honest, [replace(column, code=0)]), LDP("1"))  # on code 0 all values weigh alike


def test_a_class_on_a_code_of_another_block_is_refused():
    first, *others = BLOCKWISE.columns()
    with pytest.raises(SordinoError, match="attain"):
        certify(doctored(BLOCKWISE, [replace(first, code=others[0].code), *others]), BlockLDP(BLOCKS, "1"))


def test_a_class_about_other_values_is_refused():
    (column,) = HADAMARD.columns()
    with pytest.raises(SordinoError, match="5 values"):
        certify(doctored(HADAMARD, [replace(column, k=6)]), LDP("1"))
    with pytest.raises(SordinoError, match="6 values"):
        certify(HADAMARD, BlockLDP(BLOCKS, "1"))


@pytest.mark.parametrize(
    "definition", [LDP("1"), BlockLDP([0, 0], "1"), HighLowLDP(2, [0], "1"), PairwiseLDP([[0, 1], ["inf", 0]])]
)
def test_a_code_that_nobody_sends_says_nothing(definition):
    certificate = certify(ChannelTable([[3, 0, 2], [2, 0, 3]]), definition)
    assert certificate.slack == Nats.of(1) - Nats.log(Fraction(3, 2))


def test_a_mechanism_without_outputs_is_refused():
    with pytest.raises(SordinoError):
        certify(doctored(HADAMARD, []), LDP("1"))


class HalfInTheClear(RandomizedResponse):
    """With one half probability randomized response, else the value itself; its classes repeat values to hide it."""

    @property
    def outputs(self):
        return 4

    @property
    def denominator(self):
        return 2 * WORD

    def weight(self, value, code):
        return super().weight(value, code) if code < 2 else WORD * (code - 2 == value)

    def columns(self):
        yield from super().columns()
        for value in range(2):
            yield ColumnClass(2, 1, 2 + value, (ValueClass(np.array([value, value]), ((WORD, 1),)),))


def test_a_value_listed_twice_does_not_hide_another():
    with pytest.raises(SordinoError):
        certify(HalfInTheClear(2, "1"), LDP("1"))
