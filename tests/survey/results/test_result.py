"""What is told of a plan's questions, and why where nothing is."""

import tomllib

import numpy as np
import pytest

from sordino import Plan, SordinoError, Survey
from sordino.survey.results.result import results

SURVEY = """\
version = 1
epsilon = "2"
[attribute.weight]
number = { low = 30, high = 200 }
[attribute.height]
number = { low = 140, high = 200 }
[[ask]]
mean = ["weight"]
[[ask]]
regression = { target = "weight", features = ["height"] }
"""


def test_where_nothing_can_be_told_the_question_that_was_answered_says_why():
    plan = Plan.of(Survey.read(tomllib.loads(SURVEY)), 1000)
    # One report about the regression: too few; of the mean there is none.
    tally = plan.sampled.tally(np.array([plan.sampled.offsets[1]], dtype=np.uint64))
    with pytest.raises(SordinoError, match="as many reports as statistics"):
        results(plan, tally)
