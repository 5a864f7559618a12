"""Windows and none: the channel from its words, in fractions; that no larger chance of none keeps epsilon; refusals."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import LDP, SordinoError, WindowResponse, certify
from sordino.exact.coin import WORD
from sordino.mechanism.window import OptionalWindow
from sordino.testing import check_mechanism
from weights import optional

SHAPES = [
    (2, "1", 1, 1.0),
    (3, "0.5", 1, 0.3),
    (4, "4", 3, 1.0),
    (7, "1", 2, 0.6),
    (2, "ln 3", 1, 1.0),
    (5, "20", 5, 1.0),
]
shapes = pytest.mark.parametrize(("bins", "epsilon", "window", "part"), SHAPES)


@shapes
def test_each_row_is_the_windows_or_any_code_and_missing_as_its_thresholds_say(bins, epsilon, window, part):
    mechanism = optional(bins, epsilon, window, part)
    for value in range(bins + 1):
        said = Fraction(mechanism.absent if value == bins else mechanism.present, WORD)
        row = [Fraction(mechanism.weight(value, code), mechanism.denominator) for code in range(mechanism.outputs)]
        inner = mechanism.bins
        own = [Fraction(1, inner.outputs)] * inner.outputs
        if value < bins:
            own = [Fraction(inner.weight(value, code), inner.denominator) for code in range(inner.outputs)]
        assert row == [*((1 - said) * share for share in own), said]
        assert sum(row) == 1


@shapes
def test_all_parts_are_those_of_the_weights_and_keep_epsilon(bins, epsilon, window, part):
    check_mechanism(optional(bins, epsilon, window, part), LDP(epsilon))


@shapes
def test_none_is_said_as_often_as_epsilon_allows_and_no_more(bins, epsilon, window, part):
    mechanism = optional(bins, epsilon, window, part)
    more = min(mechanism.absent + 2**40, WORD - 1)
    assert not certify(OptionalWindow.from_thresholds(mechanism.bins, mechanism.present, more), LDP(epsilon)).holds


def test_two_bins_and_none_are_randomized_response_at_the_largest_chance():
    """Of one code a value, c is the chance of any but the own."""
    mechanism = optional(2, "1", 1)
    own = np.e / (np.e + 2)
    np.testing.assert_allclose(
        mechanism.probabilities(), np.full((3, 3), (1 - own) / 2) + np.eye(3) * (1.5 * own - 0.5)
    )


def test_what_is_no_such_channel_is_refused():
    windows = WindowResponse(3, "1", 2)
    for present in (0, WORD, -1, 0.5, True):
        with pytest.raises(SordinoError, match="present must be a whole number above 0 and below 2"):
            OptionalWindow(windows, "1", present)
    with pytest.raises(SordinoError, match="must report that at least as often as others"):
        OptionalWindow.from_thresholds(windows, 2**60, 2**59)
    with pytest.raises(SordinoError):
        OptionalWindow(LDP("1"), "1", 2**60)
