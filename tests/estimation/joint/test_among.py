"""Shares of a part of the people: shown only where reports show that there is anybody."""

import numpy as np
import pytest

from sordino.estimation.joint.among import ratio_shares

Z = 1.959964
"""Standard errors to either side of an interval of 95 %."""


@pytest.mark.parametrize(
    ("errors_away", "is_shown"), [(-1, False), (0.5, False), (Z - 0.01, False), (Z + 0.01, True), (9, True)]
)
def test_a_share_of_people_of_whom_there_may_be_none_is_not_estimated(errors_away, is_shown):
    stderr = 0.02
    errors = np.array([1e-4, 2e-4]), stderr**2, np.zeros(2)
    found = ratio_shares(np.array([0.03, 0.01]), errors_away * stderr, errors, 0.95)
    assert np.isfinite(found.value).all() == np.isfinite(found.stderr).all() == is_shown
    assert ((found.low >= 0) & (found.high <= 1) & (found.low <= found.high)).all()
    if not is_shown:
        assert found.low.tolist() == [0, 0]
        assert found.high.tolist() == [1, 1]
