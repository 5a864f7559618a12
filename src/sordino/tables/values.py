"""From a table of people to what each question's channel takes, batch by batch."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.domain.calendar import Periods
from sordino.domain.condition import are_asked, contradiction, settle
from sordino.domain.scaled import Measured
from sordino.errors import SordinoError
from sordino.exact.record_ids import RecordIds
from sordino.survey.planning.plan import Plan
from sordino.tables.columns import AttributeColumns, Column, require_columns_of
from sordino.tables.duckdb import header, opened_table, read_batches
from sordino.tables.frame import PathOrFrame, array_of, table_of
from sordino.tables.records import batch_ids, id_expressions
from sordino.tables.table_file import change_error
from sordino.tables.weighted_rows import CountColumn, each_person

QuestionValues: TypeAlias = tuple[Column | Measured, ...]
"""For each question of a plan the values of a batch of people: indices, shape (n,), or numbers to be scaled."""


class People(NamedTuple):
    """A batch of people.

    Attributes:
        values: that the plan asks for.
        ids: of their rows, if a column has them.
        clipped: in how many of their rows each number lies beyond its range, of those that are clipped on request.
        cells: of the public values that they send in clear, shape (n,); None of a plan without.
    """

    values: QuestionValues
    ids: RecordIds | None
    clipped: Mapping[str, int]
    cells: NDArray[np.int64] | None = None


def require_people(plan: Plan, table: PathOrFrame) -> None:
    """Refuse a table that lacks the plan's columns, before its rows are read.

    Raises:
        SordinoError: with what it has instead.
    """
    require_columns_of(_read_attributes(plan).values(), table)


def read_values(plan: Plan, table: PathOrFrame) -> Iterator[tuple[Column, ...]]:
    """The values that the plan's questions ask for in a table of people, a batch at a time.

    For each question indices, shape (n,), or scaled numbers, shape (n, d).

    Args:
        plan: whose attributes are read, of everybody: who answers which question is drawn without looking.
        table: a file or a frame.

    Raises:
        SordinoError: an unreadable table, no rows, or a value that is missing or outside the domain.
    """
    with opened_table(table) as whole:
        require_people(plan, whole)
        for values, *_ in read_people(plan, whole, None):
            yield tuple(column[:].records if isinstance(column, Measured) else column for column in values)


def read_people(
    plan: Plan,
    table: PathOrFrame,
    id_column: str | None,
    places: range | None = None,
    counts: CountColumn | None = None,
) -> Iterator[People]:
    """The people of a table.

    All values are looked at; numbers are scaled by who reads them.

    Of a table with the plan's columns (`require_people`); of a Parquet file also some rows alone, by
    their places. With a column of counts, which no ids go with, each row once for each person that it stands for.

    Raises:
        SordinoError: as `read_values`, a count that is none, nobody at all, an id that is missing or of another kind,
            or fewer rows than places.
    """
    asked, columns = _read_attributes(plan), columns_read(plan)
    keys = {name: {key: f"{key} {j}" for key in own.expressions} for j, (name, own) in enumerate(asked.items())}
    select = {keys[name][key]: text for name, own in asked.items() for key, text in own.expressions.items()}
    if id_column is not None:
        columns = list(dict.fromkeys([*columns, id_column]))
        select |= id_expressions(table, id_column, dict(header(table)))
    if counts is not None:
        columns = list(dict.fromkeys([*columns, counts.name]))
        select |= counts.expressions
    whole = list(asked.values())
    people = 0
    rows = places.start if places else 0
    for batch in read_batches(table, select, columns, places):
        own_columns = {name: {key: batch.column(given) for key, given in keys[name].items()} for name in asked}
        read = {name: own.values(table, own_columns[name], rows, whole) for name, own in asked.items()}
        settle_conditions(table, asked, own_columns, read, rows)
        ids = None if id_column is None else batch_ids(table, id_column, batch, rows)
        each = None if counts is None else counts.read(table, batch, rows)
        somebody = slice(None) if each is None else each > 0
        clipped = {name: own.count_clipped(read[name][somebody]) for name, own in asked.items() if own.attribute.clip}
        rows += len(batch)
        taken = tuple(question.column(read) for question in plan.questions)
        cells = plan.cells.cell([read[one.name] for one in plan.cells.attributes]) if plan.cells.parts else None
        if each is None:
            yield People(taken, ids, clipped, cells)
        else:
            people += int(each.sum())
            for values, own in _each_person(taken, cells, each):
                yield People(values, None, clipped, own)
                # Rows are counted once, however many people they stand for.
                clipped = dict.fromkeys(clipped, 0)
    if places is not None and rows != places.stop:
        raise change_error(table)
    if rows == 0:
        raise SordinoError(f"{table} must hold data", found="no rows")
    if counts is not None and people == 0:
        raise SordinoError(f"{table} must hold people", found=f"0 in each row of {counts.name}")


def _each_person(
    values: QuestionValues, cells: NDArray[np.int64] | None, counts: NDArray[np.int64]
) -> Iterator[tuple[QuestionValues, NDArray[np.int64] | None]]:
    if cells is None:
        yield from ((each, None) for each in each_person(values, counts))
        return
    for *each, own in each_person((*values, cells), counts):
        yield tuple(each), np.asarray(own)


def _read_attributes(plan: Plan) -> dict[str, AttributeColumns]:
    public = list(plan.cells.attributes)
    if plan.series is not None:
        # A table of people may say a period by any of its days.
        public[-1] = replace(public[-1], domain=Periods(plan.series.labels, plan.series))
    asked = [*(plan.attributes[name] for name in plan.asked_names()), *public]
    return {one.name: AttributeColumns(one) for one in asked}


def people_table(plan: Plan, people: Any, *more: str | None) -> PathOrFrame:
    """A file of people, or a plan's columns of a frame, and some more, where there are any."""
    return table_of(people, {*columns_read(plan), *(name for name in more if name is not None)})


def columns_read(plan: Plan) -> list[str]:
    """The columns of all questions and all public ones, each once."""
    return list(dict.fromkeys(name for own in _read_attributes(plan).values() for name in own.names))


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
