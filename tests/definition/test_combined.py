"""The promise about a table's cells, against the promises about its parts: pair by pair, one part at a time."""

from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, BlockLDP, HighLowLDP, MetricLDP, PairwiseLDP, RandomizedResponse, SordinoError
from sordino.audit.certificate import certify
from sordino.definition.combined import combined_definition
from sordino.design.shares.best_mechanism import candidates

MOST_CODES = 64

INFINITE = float("inf")

PARTS = {
    "whole": (3, LDP("1"), lambda a, b: 1.0),
    "half": (2, LDP("1/2"), lambda a, b: 0.5),
    "blocks": (4, BlockLDP([[0, 2], [1, 3]], "1"), lambda a, b: 1.0 if a % 2 == b % 2 else INFINITE),
    "sensitive": (3, HighLowLDP(3, [1], "1"), lambda a, b: 1.0 if a == 1 else INFINITE),
    "line": (3, MetricLDP.line(3, "1/4"), lambda a, b: abs(a - b) / 4),
    "uneven": (2, PairwiseLDP([["0", "1"], ["inf", "0"]]), lambda a, b: 1.0 if a == 0 else INFINITE),
}


def bound_of(definition, cell, other):
    found = definition.bounds[cell][other] if isinstance(definition, PairwiseLDP) else definition.bound(cell, other)
    return INFINITE if found is None else float(found.rational)


@in_one("first, second", product(PARTS, repeat=2))
def test_two_cells_are_protected_as_their_values_are(first, second):
    names = [first, second]
    sizes = [PARTS[name][0] for name in names]
    definition = combined_definition([PARTS[name][1] for name in names], sizes)
    cells = list(product(*map(range, sizes)))
    for i, cell in enumerate(cells):
        for j, other in enumerate(cells):
            steps = [PARTS[n][2](a, b) for n, a, b in zip(names, cell, other, strict=True) if a != b]
            if not steps:
                continue
            # Where one value changes, as promised of it; where both do, at most what both promises add up to.
            assert bound_of(definition, i, j) <= sum(steps) + 1e-12
            if sum(steps) < INFINITE and set(names) <= {"line"}:
                assert bound_of(definition, i, j) == pytest.approx(sum(steps))


def test_values_further_apart_than_anything_is_protected_are_in_tables_too():
    definition = combined_definition([MetricLDP.line([0, 1, 150], "1"), LDP("2")], [3, 2])
    assert [bound_of(definition, 0, other) for other in range(1, 6)] == [2, 1, 3, 100, 100]


def test_a_pair_of_attributes_that_are_protected_as_a_whole_is_one_value():
    definition = combined_definition([LDP("1"), LDP("1")], [3, 2])
    assert isinstance(definition, LDP)
    assert str(definition.epsilon) == "1"
    assert str(combined_definition([LDP("1"), LDP("1/2")], [3, 2]).epsilon) == "1/2"


def test_a_cell_is_sensitive_if_one_of_its_values_is():
    found = combined_definition([HighLowLDP(3, [1], "1"), HighLowLDP(2, [0], "2")], [3, 2])
    assert found.sensitive.tolist() == [0, 2, 3, 4]
    assert str(found.epsilon) == "1"
    assert isinstance(combined_definition([HighLowLDP(3, [1], "1"), LDP("1")], [3, 2]), LDP)


def test_different_promises_about_too_many_cells_are_refused():
    with pytest.raises(SordinoError, match="at most 256 cells together; found 300"):
        combined_definition([MetricLDP.line(100, "1"), LDP("1")], [100, 3])


@in_one("first, second", [("whole", "blocks"), ("sensitive", "sensitive"), ("blocks", "sensitive")])
def test_no_channel_for_the_cells_tells_parts_apart_by_more(first, second):
    """Enumerated in exact fractions: each code, each two cells; and a channel that tells a little more is refused."""
    names = [first, second]
    sizes = [PARTS[name][0] for name in names]
    definition = combined_definition([PARTS[name][1] for name in names], sizes)
    cells = list(product(*map(range, sizes)))
    made = candidates(len(cells), definition, designed=False).values()
    assert made
    for mechanism in [mechanism for mechanism in made if mechanism.outputs <= MOST_CODES]:
        weights = np.array(
            [[mechanism.weight(c, y) for y in range(mechanism.outputs)] for c in range(len(cells))], object
        )
        for (i, cell), (j, other) in product(enumerate(cells), repeat=2):
            most = sum(PARTS[n][2](a, b) for n, a, b in zip(names, cell, other, strict=True) if a != b)
            if i != j and most < INFINITE:
                assert (weights[i] * 10**12 <= weights[j] * int(np.exp(most) * 10**12 + 2)).all()
        assert certify(mechanism, definition).holds
    assert not certify(RandomizedResponse(len(cells), "1.01"), definition).holds
