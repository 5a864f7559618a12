"""A number that reads like a whole-number scale, and has no bins of its own."""

import pytest

from sordino import Plan, Survey
from sordino.verbs.make_plan import make_plan


@pytest.mark.parametrize(
    ("number", "is_warned"),
    [
        ({"low": 0, "high": 10}, True),
        ({"low": 0, "high": 10, "bins": 20}, False),
        ({"low": 0, "high": 9.5}, False),
        ({"low": 0, "high": 100}, False),
        ({"low": -0.5, "high": 10.5, "bins": 11}, False),
    ],
)
def test_a_scale_that_is_asked_in_many_bins_is_warned_of(number, is_warned):
    survey = {"version": 1, "epsilon": "1", "attribute": {"x": {"number": number}}, "ask": [{"distribution": "x"}]}
    warnings = make_plan(Survey.read(survey), 100_000).warnings
    line = "x is asked in 256 bins, each 0.0390625 wide: where answers are whole numbers, write scale = [0, 10]"
    assert any(line in warning for warning in warnings) == is_warned
    # A plan without the warning is the one that it names.
    assert Plan.of(Survey.read({**survey, "attribute": {"x": {"scale": [0, 10]}}}), 1000).questions[0].domain.k == 11
