"""A public sample of people who are like those that a plan will ask, for its forecasts. Held in memory."""

import numpy as np

from sordino.survey.planning.expected import SampleValues
from sordino.survey.planning.plan import Plan
from sordino.tables.frame import PathOrFrame
from sordino.tables.values import read_values


def read_expected(plan: Plan, table: PathOrFrame) -> SampleValues:
    """For each question of a plan, the values of a sample's people.

    Args:
        plan: whose attributes' columns are read.
        table: a file or a frame with a row for each person.

    Raises:
        SordinoError: an unreadable table, no rows, or a value that is missing or outside its domain.
    """
    batches = list(read_values(plan, table))
    return [np.concatenate(parts) for parts in zip(*batches, strict=True)]
