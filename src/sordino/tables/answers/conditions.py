"""The values of a table's people where earlier answers decide what is asked (`domain.answers.condition`)."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from sordino.domain.answers.condition import are_asked, contradiction, settle
from sordino.errors import SordinoError
from sordino.tables.arrays import array_of
from sordino.tables.columns import AttributeColumns, Column
from sordino.tables.frame import PathOrFrame


def settle_conditions(
    table: PathOrFrame,
    asked: Mapping[str, AttributeColumns],
    columns: Mapping[str, Mapping[str, pa.Array]],
    read: dict[str, Column],
    rows: int,
) -> None:
    """Put "not asked" where an attribute with conditions was not asked.

    Args:
        table: they are of, for messages.
        asked: how attributes are read, each after those that decide whether it is asked.
        columns: what their expressions gave for a batch.
        read: the values of the batch, which are changed.
        rows: of the table before the batch.

    Raises:
        SordinoError: with the first row where somebody who is not asked answers, or somebody who is asked does not and
            must; never with a value.
    """
    attributes = {name: own.attribute for name, own in asked.items()}
    for name, own in asked.items():
        if not own.attribute.only_if:
            continue
        given = ~array_of(columns[name]["missing"])
        values, contradicts, lacks = settle(
            own.attribute, read[name], given, are_asked(own.attribute, attributes, read)
        )
        if contradicts.any():
            raise contradiction(own.attribute, own.where(table, rows + int(np.argmax(contradicts)) + 1))
        if lacks.any():
            rule = f"{own.where(table, rows + int(np.argmax(lacks)) + 1)}: whoever is asked must have a value"
            step = "fill it in, or declare one of the categories as `missing` in the survey"
            raise SordinoError(rule, found=f"a missing one in {int(lacks.sum()):,} rows from there", step=step)
        read[name] = values
