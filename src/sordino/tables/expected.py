"""A public sample of people who are like those that a plan will ask, for its forecasts. Held in memory."""

from pathlib import Path

import numpy as np

from sordino.survey.planning.forecast import SampleValues
from sordino.survey.planning.plan import Plan
from sordino.tables.values import read_values


def read_expected(plan: Plan, path: Path) -> SampleValues:
    """For each question of a plan, the values of a sample's people.

    Args:
        plan: whose attributes' columns are read.
        path: a table with a row for each person.

    Raises:
        SordinoError: an unreadable table, no rows, or a value that is missing or outside its domain.
    """
    batches = list(read_values(plan, path))
    return [np.concatenate(parts) for parts in zip(*batches, strict=True)]
