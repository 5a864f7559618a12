"""Which of a question's values people read of, and in which order."""

import numpy as np
import pyarrow as pa
import pytest

import sordino


@pytest.mark.parametrize("k", [2, 15, 16, 40, 41, 300])
def test_up_to_forty_values_stand_in_the_surveys_order_and_of_more_the_largest_first(k):
    asked = {"version": 1, "epsilon": "4", "attribute": {"town": {"categories": k}}, "ask": [{"histogram": "town"}]}
    plan = sordino.plan(asked, 2000)
    reports = sordino.privatize(plan, pa.table({"town": np.arange(2000) ** 2 % 2000 * k // 2000}))
    (result,) = sordino.estimate(plan, sordino.aggregate(plan, reports)).results
    if k <= 40:
        assert result.excerpt.tolist() == list(range(k))
    else:
        assert len(result.excerpt) == 15
        assert (np.diff(result.fitted[result.excerpt]) <= 0).all()
        assert result.fitted[result.excerpt].min() >= np.delete(result.fitted, result.excerpt).max()
