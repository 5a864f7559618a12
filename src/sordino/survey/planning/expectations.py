"""What the people of a survey are expected to be like, question by question: for forecasts, and for nothing else.

A plan holds what its forecasts need of it, as shares: of values, cells and bins, and of what is read of numbers. No row
of a sample is in it.

A public sample says it of everything together. What the survey says of each attribute is taken to be independent of the
others, but for a regression's target, which the features explain as much as where nothing is known.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.survey.kinds.question import Question

if TYPE_CHECKING:
    from sordino.survey.reading.survey_file import Survey

Floats = NDArray[np.float64]

Expectations: TypeAlias = Sequence[Floats | None]
"""For each question of a plan the share of each value, cell or bin, shape (k,); or scaled numbers of people, shape
(n, d). None where nothing is known."""

SampleValues: TypeAlias = Sequence[NDArray[Any]]
"""For each question of a plan the values of some people: indices, numbers, shape (n,); scaled numbers, shape (n, d)."""


def expected_of_sample(questions: Sequence[Question], values: SampleValues) -> Expectations:
    """People like those of a sample.

    Raises:
        SordinoError: a sample in which nobody has what a question is of.
    """
    return [question.expected_of_sample(own) for question, own in zip(questions, values, strict=True)]


def expected_of_survey(questions: Sequence[Question], survey: "Survey") -> Expectations:
    """People as the survey's settings `expected` say."""
    return [question.expected_of_survey(survey) for question in questions]
