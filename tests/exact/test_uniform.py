"""Uniform choices: each choice has exactly as many accepted words as any other, and only rejected rows draw again."""

import numpy as np
import pytest

from in_one import in_one
from sordino.exact.source import uniform_below, uniform_below_either

HALF = 2**32


class Scripted:
    """A stream that feeds each row its own words, and keeps which rows were taken."""

    def __init__(self, rows, takes=None):
        self.rows = rows
        self.takes = [] if takes is None else takes

    def next(self):
        return np.array([row.pop(0) for row in self.rows], dtype=np.uint64)

    def take(self, rows):
        self.takes.append(rows.tolist())
        return Scripted([self.rows[row] for row in rows], self.takes)


def outcomes(bound, halves, low=0):
    """The choice that each upper half gives, -1 where it is rejected: it must then draw the word that follows."""
    spare = (HALF - 1) << 32  # the last upper half is never rejected: it gives the last choice
    rows = [[(half << 32) + low, spare] for half in halves]
    choices = uniform_below(bound, Scripted(rows)).astype(np.int64)
    again = np.array([not row for row in rows])
    assert np.all(choices[again] == bound - 1)
    return np.where(again, -1, choices)


def first_half(choice, bound):
    """The first upper half whose product with the bound reaches the choice."""
    return -(-choice * HALF // bound)


@in_one("bound", [1, 2, 3, 5, 6, 7, 10, 24, 25, 64, 999, 1000])
def test_every_choice_has_the_same_number_of_words(bound):
    starts = [first_half(choice, bound) for choice in range(bound + 1)]
    edges = sorted({half for start in starts for half in (start - 1, start, start + 1) if 0 <= half < HALF})
    seen = dict(zip(edges, outcomes(bound, edges).tolist(), strict=True))
    for choice in range(bound):
        start, end = starts[choice], starts[choice + 1]
        rejected = seen[start] == -1
        assert seen[start] in (-1, choice)
        assert seen[start + 1] == seen[end - 1] == choice
        assert end - start - rejected == HALF // bound


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("bound", [2**20 - 3, 2**24, HALF, 2**31 - 1, 2**31, 2**31 + 11, HALF - 1, 43_749])
def test_choices_of_large_bounds_have_the_same_number_of_words(bound):
    for choice in {0, 1, bound // 3, bound // 2, bound - 2, bound - 1}:
        start, end = first_half(choice, bound), first_half(choice + 1, bound)
        around = range(max(start - 2, 0), min(end + 2, HALF))
        assert np.count_nonzero(outcomes(bound, around) == choice) == HALF // bound


@pytest.mark.parametrize("bound", [3, 7, 1000, 2**31 + 11])
def test_the_lower_half_of_a_word_decides_nothing(bound):
    halves = [0, 1, 2, HALF // 3, HALF // 3 + 1, HALF // 7, HALF // 7 + 1, HALF - 2, HALF - 1]
    np.testing.assert_array_equal(outcomes(bound, halves), outcomes(bound, halves, low=HALF - 1))


def test_only_rejected_rows_draw_again():
    bound = 7
    rejected, third = 0, first_half(3, bound) + 1
    rows = [[third << 32], [rejected, rejected, third << 32], [third << 32], [rejected, third << 32]]
    stream = Scripted(rows)
    np.testing.assert_array_equal(uniform_below(bound, stream), [3, 3, 3, 3])
    assert stream.takes == [[1, 3], [0]]
    assert rows == [[], [], [], []]


@in_one("bound", [1, 2, 16, 2**20, HALF])
def test_powers_of_two_never_draw_again(bound):
    assert np.all(outcomes(bound, [0, 1, HALF // 2, HALF - 1]) >= 0)


WIDE = [HALF + 1, 3 * HALF, 2**40, 2**40 + 7, 10**15, 2**62 - 1, 2**63 - 25, 2**63, 2**63 + 1, 2**64 - 1, 2**64]
LAST = 2**64 - 1


@in_one("bound", WIDE)
def test_wide_choices_have_the_same_number_of_words(bound):
    words = 2**64 // bound
    for choice in {0, 1, bound // 3, bound // 2, bound - 2, bound - 1}:
        start = choice * words
        around = sorted({start, start + words // 2, start + words - 1})
        rows = [[word] for word in around]
        assert uniform_below(bound, Scripted(rows)).tolist() == [choice] * len(around)
        assert rows == [[]] * len(around)


@in_one("bound", [*WIDE, 2**33 - 1, 5])
def test_words_past_the_last_whole_quotient_are_drawn_again(bound):
    # A small bound beside a wide one is chosen in the same way.
    words = 2**64 // bound
    first_rejected = bound * words
    rejected = {word for word in (first_rejected, first_rejected + 1, LAST) if first_rejected <= word <= LAST}
    for word in rejected:
        rows = [[0], [word, word, 2 * words], [LAST // 2], [word, words]]
        stream = Scripted(rows)
        found = uniform_below_either((2**63, bound), np.array([False, True, False, True]), stream)
        assert found.tolist() == [0, 2, LAST // 4, 1]
        assert stream.takes == [[1, 3], [0]]
        assert rows == [[], [], [], []]


@in_one("bounds", [(7, 12), (12, 7), (1, 1000), (2**32, 3), (2**32 + 5, 3), (2**50, 2**63)])
def test_each_row_chooses_below_its_own_bound(bounds):
    rng = np.random.default_rng(1)
    second = rng.random(2000) < 0.5
    words = rng.integers(0, LAST, (2000, 8), dtype=np.uint64, endpoint=True).tolist()
    both = uniform_below_either(bounds, second, Scripted([list(row) for row in words]))
    for mask, bound in ((~second, bounds[0]), (second, bounds[1])):
        rows = [list(row) for row, own in zip(words, mask, strict=True) if own]
        if max(bounds) > HALF:
            expected = uniform_below_either((max(bounds), bound), np.ones(len(rows), dtype=bool), Scripted(rows))
        else:
            expected = uniform_below(bound, Scripted(rows))
        np.testing.assert_array_equal(both[mask], expected)
        assert both[mask].max() < bound


@in_one("bounds", [(7, 1000), (1000, 7), (1000, 999), (2**31 + 11, 2**31 - 1), (8, 1000), (3, HALF)])
def test_each_row_is_rejected_by_the_remainder_of_its_own_bound_and_draws_again_by_either(bounds):
    # Upper halves whose products have a small lower half, below either remainder or both, for each of the bounds.
    halves = sorted(
        {(first_half(c, bound) + d) % HALF for bound in bounds for c in range(min(bound, 300)) for d in (0, 1)}
    )
    rows = [(half, second) for half in halves for second in (False, True)]
    spare = HALF - 1  # never rejected
    rejected = [half * bounds[second] % HALF < HALF % bounds[second] for half, second in rows]
    words = [[half << 32, spare << 32] for half, _ in rows]
    found = uniform_below_either(bounds, np.array([second for _, second in rows]), Scripted(words)).tolist()
    # Whether a row draws again must not tell which bound is its own.
    assert [not row for row in words] == [
        any(half * bound % HALF < HALF % bound for bound in bounds) for half, _ in rows
    ]
    drawn = [spare if again else half for (half, _), again in zip(rows, rejected, strict=True)]
    assert found == [half * bounds[second] // HALF for half, (_, second) in zip(drawn, rows, strict=True)]


def test_wide_choices_are_spread_evenly():
    # By thirds, of words that count up: with a remainder kept, the first third would be chosen too often.
    words = [[n * (2**64 // 3000) + 11] for n in range(3000)]
    found = uniform_below(3 * 2**40, Scripted(words))
    assert [np.count_nonzero(found // np.uint64(2**40) == third) for third in range(3)] == [1000] * 3
