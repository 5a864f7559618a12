"""A public sample as a table, tallied by the values of each attribute. Bounded memory: counts and sums only.

A record with a missing value or one outside its domain is refused, with its row and column and never with its value:
left out, it would make the sample another population's.
"""

from collections.abc import Callable

import numpy as np

from sordino.design.from_sample import SampleTally, tally_sample
from sordino.design.sample_questions import SampleQuestions
from sordino.errors import SordinoError
from sordino.survey.planning.expectations import SampleValues
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.own_columns import require_own_columns
from sordino.tables.columns import AttributeColumns, require_columns_of
from sordino.tables.duckdb import opened_table, read_batches
from sordino.tables.frame import PathOrFrame
from sordino.tables.values import read_values


def columns_of_sample(asked: SampleQuestions) -> frozenset[str]:
    """The columns that the attributes are read from."""
    return frozenset(name for attribute in asked.attributes for name in AttributeColumns(attribute).names)


def tally_table_of_sample(
    asked: SampleQuestions, table: PathOrFrame, progress: Callable[[int], None] = lambda _: None
) -> SampleTally:
    """Count the records of a sample.

    Args:
        asked: the attributes, with their columns, and the statistics.
        table: a CSV or Parquet file, or a frame.
        progress: called with the number of rows done since the last call.

    Raises:
        SordinoError: two attributes that read one column, an unreadable table, no rows, a column missing, or a value
            that is missing or outside its domain.
    """
    after = "a record that is left out makes the sample another population's"
    read = [AttributeColumns(attribute, after) for attribute in asked.attributes]
    require_own_columns({attribute.name: own.names for attribute, own in zip(asked.attributes, read, strict=True)})
    select = {f"{key} {j}": text for j, own in enumerate(read) for key, text in own.expressions.items()}
    total: SampleTally | None = None
    with opened_table(table) as whole:
        require_columns_of(read, whole)
        for batch in read_batches(whole, select, list(dict.fromkeys(name for own in read for name in own.names))):
            rows = 0 if total is None else total.n
            values = [
                own.values(whole, {key: batch.column(f"{key} {j}") for key in own.expressions}, rows, read)
                for j, own in enumerate(read)
            ]
            part = tally_sample(asked, values)
            total = part if total is None else total + part
            progress(len(batch))
    if total is None or total.n == 0:
        raise SordinoError(f"{table} must hold data", found="no rows", step="write a row for each person of the sample")
    return total


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
