"""The chosen mechanism is never worse than a candidate, fits its reports, and keeps its promise."""

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BinaryOptimal,
    BlockLDP,
    Blockwise,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    PairwiseLDP,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    best_mechanism,
)
from sordino.audit.certify import certify
from sordino.estimation.unbiased import leverage

EPSILONS = ["0.001", "0.5", "1", "ln 3", "4", "20"]


def total(mechanism):
    """The summed variances at uniform values."""
    return mechanism.variance(np.full(mechanism.k, 1 / mechanism.k)).sum()


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [1, 2, 3, 7, 20, 100, 43_750])
def test_no_candidate_for_ldp_is_better(k, epsilon):
    chosen = best_mechanism(k, LDP(epsilon))
    assert total(chosen) <= min(total(family(k, epsilon)) for family in (RandomizedResponse, HadamardResponse))
    assert certify(chosen, LDP(epsilon)).holds


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    "blocks", [[0, 0, 1, 1, 1, 2], np.arange(500) % 7, np.arange(500) // 25, np.sqrt(np.arange(400)).astype(int)]
)
def test_no_candidate_for_blocks_is_better(blocks, epsilon):
    definition = BlockLDP(blocks, epsilon)
    chosen = best_mechanism(len(blocks), definition)
    for within in ("hadamard", "randomized", "projective", "best"):
        assert total(chosen) <= total(Blockwise(blocks, epsilon, within)) * (1 + 1e-12)
    assert certify(chosen, definition).holds


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "sensitive"), [(2, [1]), (6, [0, 1]), (9, [1, 4, 5, 8]), (300, range(0, 300, 3))])
def test_no_candidate_for_sensitive_values_is_better(k, sensitive, epsilon):
    definition = HighLowLDP(k, sensitive, epsilon)
    chosen = best_mechanism(k, definition)
    for within in ("hadamard", "randomized", "projective", "best"):
        assert total(chosen) <= total(HighLow(k, sensitive, epsilon, within)) * (1 + 1e-12)
    assert total(chosen) < total(best_mechanism(k, LDP(epsilon)))
    assert certify(chosen, definition).holds


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("epsilon", ["1", "0.5", "4"])
def test_a_matrix_of_sensitive_values_or_blocks_is_no_worse_than_their_own_mechanisms(epsilon):
    # Beyond 64 values nothing is designed; what protects all alike, the components or the protected values is tried.
    k, sensitive, labels = 66, [3, 4, 5, 20], np.arange(66) % 4
    for definition, matrix in (
        (
            HighLowLDP(k, sensitive, epsilon),
            [[epsilon if x in sensitive else "inf" for _ in range(k)] for x in range(k)],
        ),
        (BlockLDP(labels, epsilon), [[epsilon if a == b else "inf" for b in labels] for a in labels]),
    ):
        rows = [["0" if x == y else bound for y, bound in enumerate(row)] for x, row in enumerate(matrix)]
        chosen = best_mechanism(k, PairwiseLDP(rows))
        assert total(chosen) == pytest.approx(total(best_mechanism(k, definition)), rel=1e-9)
        assert certify(chosen, PairwiseLDP(rows)).holds
        assert certify(chosen, definition).holds


@in_one(("first", "second"), [("1", "2"), ("1", "inf"), ("inf", "1"), ("0.5", "0.5"), ("inf", "inf")])
def test_two_values_have_their_optimum(first, second):
    chosen = best_mechanism(2, PairwiseLDP([["0", first], [second, "0"]]))
    assert chosen == BinaryOptimal(first, second)


@pytest.mark.parametrize("definition", [HighLowLDP(5, [0], "1"), PairwiseLDP([[0, 1], [1, 0]])])
def test_definitions_are_about_all_values(definition):
    with pytest.raises(SordinoError, match="about all 4 values"):
        best_mechanism(4, definition)


def test_many_values_take_projective_geometry_some_cyclic_subsets_and_few_randomized_response():
    assert isinstance(best_mechanism(20_000, LDP("1")), ProjectiveResponse)
    assert isinstance(best_mechanism(1000, LDP("1")), CyclicSubsets)
    assert isinstance(best_mechanism(3, LDP("1")), RandomizedResponse)


@pytest.mark.parametrize(
    ("k", "definition", "limits"),
    [
        (100, LDP("1"), {64: 9, 9: 9, 8: 7, 7: 7}),
        (64, LDP("0.5"), {64: 64, 63: 10, 9: 9, 7: 7, 6: 6}),
        (80, BlockLDP(np.arange(80) // 16, "0.5"), {64: 19, 18: 10, 9: 9, 8: 8, 7: 7}),
    ],
)
def test_the_best_that_fits_is_taken(k, definition, limits):
    for limit, bits in limits.items():
        assert best_mechanism(k, definition, limit).code_bits == bits


def test_projective_response_is_taken_where_codes_must_be_shorter_than_those_of_designs():
    best, shorter = (best_mechanism(100, LDP("1"), bits) for bits in (64, 8))
    assert (best.prime, shorter.field) == (101, 3)
    assert total(best) < total(shorter) < total(HadamardResponse(100, "1"))


@pytest.mark.parametrize(
    ("k", "definition", "least"), [(100, LDP("1"), 7), (80, BlockLDP(np.arange(80) // 16, "1"), 7)]
)
def test_reports_that_do_not_fit_are_refused_with_what_they_need(k, definition, least):
    with pytest.raises(SordinoError, match=f"must fit in {least - 1} bits; found at least {least} needed"):
        best_mechanism(k, definition, least - 1)


def test_blocks_cover_the_values():
    with pytest.raises(SordinoError, match="about all 4 values"):
        best_mechanism(4, BlockLDP([0, 0, 1], "1"))


@pytest.mark.parametrize("definition", [None, "LDP", 1.0])
def test_other_definitions_are_refused(definition):
    with pytest.raises(SordinoError, match="pairwise definition"):
        best_mechanism(4, definition)


@pytest.mark.parametrize("k", [1, 2, 4, 64])
def test_without_epsilon_something_is_chosen(k):
    assert leverage(best_mechanism(k, LDP(0))) == (1 if k == 1 else np.inf)
    assert best_mechanism(k, BlockLDP([0] * k, 0)).k == k
