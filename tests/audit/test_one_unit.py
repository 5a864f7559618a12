"""Every mechanism's integers go as far as its definition allows: certified tight, and one unit more is refused."""

from dataclasses import fields

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BinaryOptimal,
    BlockLDP,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HighLow,
    HighLowLDP,
    Nats,
    PairwiseLDP,
    ProjectiveResponse,
    RandomizedResponse,
    SubsetSelection,
)
from sordino.audit.certificate import certify
from sordino.exact.coin import WORD

EPSILONS = ["0.001", "0.5", "1", "ln 3", "4", "20", "40"]
GRANULARITY = {"20": 1e-9, "40": 0.5}
"""How much a 64-bit coin can miss a large epsilon by, in nats."""


def with_settings(mechanism, **settings):
    """The mechanism, with other integers."""
    twin = type(mechanism).__new__(type(mechanism))
    vars(twin).update({each.name: vars(mechanism)[each.name] for each in fields(mechanism)} | settings)
    return twin


def certified(mechanism, definition, epsilon):
    """Whether the mechanism holds and is tight."""
    certificate = certify(mechanism, definition)
    return certificate.holds and certificate.slack.floor() < GRANULARITY.get(epsilon, 1e-12)


def refused(mechanism, definition):
    certificate = certify(mechanism, definition)
    return not certificate.holds and certificate.slack < 0


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "size"), [(2, 1), (3, 2), (7, 3), (25, 7), (63, 20), (64, 1), (64, 32), (64, 63)])
def test_subset_selection(k, size, epsilon):
    mechanism = SubsetSelection(k, epsilon, size)
    assert certified(mechanism, LDP(epsilon), epsilon)
    greedy = SubsetSelection.from_threshold(k, mechanism.threshold + 1, size)
    if epsilon != "40" or greedy.threshold < WORD:
        assert refused(greedy, LDP(epsilon))


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "field"), [(2, 2), (9, 5), (100, 3), (1000, 7)])
def test_projective_response(k, field, epsilon):
    mechanism = ProjectiveResponse(k, epsilon, field)
    assert certified(mechanism, LDP(epsilon), epsilon)
    assert refused(ProjectiveResponse.from_threshold(k, mechanism.threshold + 1, field), LDP(epsilon))


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "design"), [(3, (3, 2, 2)), (9, (13, 4, 5)), (64, (67, 1, 20)), (900, (911, 65, 130))])
def test_cyclic_subsets(k, design, epsilon):
    mechanism = CyclicSubsets(k, epsilon, design)
    assert certified(mechanism, LDP(epsilon), epsilon)
    greedy = CyclicSubsets.from_threshold(k, mechanism.threshold + 1, design)
    if epsilon != "40" or greedy.threshold < WORD:
        assert refused(greedy, LDP(epsilon))


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("within", ["hadamard", "projective", "subset", "cyclic", "randomized", "best"])
@pytest.mark.parametrize(
    ("k", "sensitive"),
    [(2, [1]), (3, [0, 2]), (8, [1, 4, 5]), (64, range(63)), (1000, range(3, 990, 20)), (5000, [4999])],
    ids=["1-of-2", "2-of-3", "3-of-8", "63-of-64", "50-of-1000", "1-of-5000"],
)
def test_high_low_response(k, sensitive, within, epsilon):
    definition = HighLowLDP(k, sensitive, epsilon)
    mechanism = HighLow(k, sensitive, epsilon, within)
    assert certified(mechanism, definition, epsilon)
    inner, hidden = mechanism.inner, mechanism.hidden
    assert refused(HighLow.from_inner(k, sensitive, inner, hidden - 1), definition)
    if len(sensitive) > 1:
        greedy = with_settings(inner, threshold=inner.threshold + 1)
        # Hidden well enough for the greedier coin too, it still breaks the bound among the sensitive values.
        assert refused(HighLow.from_inner(k, sensitive, greedy, WORD), definition)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_high_low_response_tells_values_that_are_not_sensitive_and_no_others(epsilon):
    mechanism = HighLow(6, [1, 4], epsilon)
    for sensitive in ([0], [1, 4, 5], [0, 2, 3, 5]):
        certificate = certify(mechanism, HighLowLDP(6, sensitive, "100"))
        assert (certificate.holds, certificate.slack.is_finite) == (False, False)
        assert certificate.witness.value not in (1, 4)
    assert certify(mechanism, HighLowLDP(6, [4], epsilon)).holds
    assert not certify(mechanism, LDP("100")).holds


BOUNDS = [*EPSILONS, None]


@in_one("second", BOUNDS)
@in_one("first", BOUNDS)
def test_two_values(first, second):
    definition = PairwiseLDP([["0", first], [second, "0"]])
    mechanism = BinaryOptimal(first, second)
    a, b = mechanism.first, mechanism.second
    certificate = certify(mechanism, definition)
    assert certificate.holds
    if (first, second) == (None, None):
        assert (a, b, certificate.witness) == (WORD, 0, None)
        return
    assert certificate.slack.floor() < (0.05 if "40" in (first, second) else 1e-9)
    for x, y in ((a + 1, b), (a, b - 1), (a + 1, b - 1)):
        if y >= 0 and x <= WORD:
            assert refused(BinaryOptimal.from_weights(x, y), definition)


@in_one("epsilon", EPSILONS)
def test_bounds_that_are_exchanged_exchange_the_values(epsilon):
    mechanism, mirrored = BinaryOptimal(epsilon, "2"), BinaryOptimal("2", epsilon)
    assert mirrored.first - mirrored.second == mechanism.first - mechanism.second
    # Of several pairs of weights with one difference, either may be taken.
    assert abs(mirrored.first - (WORD - mechanism.second)) <= 6


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_moved_weight_of_a_tight_table(k, epsilon):
    # A quarter of a coin's denominator: the weights of a table are at most 2^63.
    coin = RandomizedResponse(k, epsilon)
    heavy = coin.threshold * (k - 1) // (4 * k)
    light = -(-(WORD - coin.threshold) // (4 * k))
    rows = [[heavy if x == y else light for y in range(k)] for x in range(k)]
    loss = Nats.log(heavy) - Nats.log(light)
    definition = LDP(loss)
    assert certify(ChannelTable(rows), definition).slack == 0
    rows[0][0] += 1
    rows[0][1] -= 1
    assert refused(ChannelTable(rows), definition)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_mechanisms_within_blocks(epsilon):
    blocks = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4])
    definition = BlockLDP(blocks, epsilon)
    for within in ("subset", "projective", "best"):
        mechanism = Blockwise(blocks, epsilon, within)
        assert certified(mechanism, definition, epsilon)
        for place in range(1, len(mechanism.inner)):
            inner = list(mechanism.inner)
            inner[place] = with_settings(inner[place], threshold=inner[place].threshold + 1)
            greedy = Blockwise.from_inner(mechanism.blocks, inner)
            assert refused(greedy, definition)
            witness = certify(greedy, definition).witness
            assert blocks[witness.value] == blocks[witness.other]
            assert np.count_nonzero(blocks == blocks[witness.value]) == inner[place].k


@in_one("epsilon", EPSILONS)
def test_an_ldp_mechanism_keeps_every_bound_as_large_as_its_own(epsilon):
    mechanism = SubsetSelection(6, epsilon)
    line = [[Nats.of(epsilon) + abs(x - y) - 1 if x != y else 0 for y in range(6)] for x in range(6)]
    certificate = certify(mechanism, PairwiseLDP.of_distances(line))
    assert certificate.holds
    assert certificate.slack == certify(mechanism, LDP(epsilon)).slack
    # Only neighbours are as tight.
    assert abs(certificate.witness.value - certificate.witness.other) == 1
    greedy = SubsetSelection.from_threshold(6, mechanism.threshold + 1, mechanism.size)
    assert refused(greedy, PairwiseLDP.of_distances(line))


def test_a_pair_with_a_bound_of_its_own_is_named_though_the_output_is_one_of_too_many():
    k = 40
    rows = [["0" if x == y else "2" for y in range(k)] for x in range(k)]
    rows[38][39] = "1/2"
    rows[39][38] = "1"
    certificate = certify(SubsetSelection(k, "1"), PairwiseLDP(rows))
    assert not certificate.holds
    assert (certificate.witness.value, certificate.witness.other, certificate.witness.code) == (38, 39, None)
    assert certificate.slack + certificate.witness.loss == Nats.of("1/2")
