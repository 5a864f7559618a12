"""From a table's columns to the indices of values, batch by batch.

A value that has no index is an error that names its row and column, never the value: a skipped row would be a release
that depends on the data.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.engine.duckdb import TEXT, WHOLE, header, holds_everywhere, quoted, read_batches, refuse_blank_lines
from sordino.engine.records import batch_ids, id_expressions
from sordino.errors import SordinoError
from sordino.exact.source import Words
from sordino.survey.plan import Plan
from sordino.survey.question import Question

PAIR = ("latitude", "longitude")

Values: TypeAlias = tuple[NDArray[np.intp], ...]
"""For each question of a plan the indices of a batch of people's values."""


def check_values(plan: Plan, path: Path) -> None:
    """Read a table of people once, and refuse what `read_values` would refuse."""
    indices = [_expressions(question).get("index") for question in plan.questions]
    if None not in indices:
        _require_numbers(plan, path, dict(header(path)))
        refuse_blank_lines(path)
        if holds_everywhere(path, " AND ".join(f"{index} >= 0" for index in indices), _columns(plan)):
            return
    for _ in read_values(plan, path):
        pass


def read_values(plan: Plan, path: Path, *, checked: bool = False) -> Iterator[Values]:
    """The values of the plan's attributes in a table of people, as indices, a batch at a time.

    Args:
        plan: whose attributes are read, of everybody: who answers which question is drawn without looking.
        path: the table.
        checked: whether `check_values` has read it before; each value is looked at all the same.

    Raises:
        SordinoError: an unreadable table, no rows, or a value that is missing or outside the domain.
    """
    for values, _ in read_people(plan, path, None, checked=checked):
        yield values


def read_people(
    plan: Plan, path: Path, id_column: str | None, *, checked: bool = False
) -> Iterator[tuple[Values, Words | None]]:
    """The values as `read_values` gives them, each batch with the ids of its rows, shape (n, 2), if a column has them.

    Raises:
        SordinoError: as `read_values`, or an id that is missing or of another kind.
    """
    columns, kinds = _columns(plan), dict(header(path))
    select = {
        f"{key} {j}": text for j, question in enumerate(plan.questions) for key, text in _expressions(question).items()
    }
    if id_column is not None:
        columns = list(dict.fromkeys([*columns, id_column]))
        select |= id_expressions(path, id_column, kinds)
    _require_numbers(plan, path, kinds)
    if not checked:
        refuse_blank_lines(path)
    rows = 0
    for batch in read_batches(path, select, columns):
        values = []
        for j, question in enumerate(plan.questions):
            own = {name.removesuffix(f" {j}"): batch.column(name) for name in select if name.endswith(f" {j}")}
            indices = _indices(question, own)
            _refuse(question, path, indices, own["missing"], rows)
            values.append(indices)
        ids = None if id_column is None else batch_ids(path, id_column, batch, rows)
        rows += len(batch)
        yield tuple(values), ids
    if rows == 0:
        raise SordinoError(f"{path} must hold data", found="no rows")


def _columns(plan: Plan) -> list[str]:
    """The columns of all questions, each once."""
    return list(dict.fromkeys(name for question in plan.questions for name in question.attribute.columns))


def _expressions(question: Question) -> dict[str, str]:
    """What to read: an index where SQL can tell it, else what the domain needs; and whether a value was missing."""
    names = [quoted(name) for name in question.attribute.columns]
    missing = {"missing": " OR ".join(f"{name} IS NULL" for name in names)}
    match question.domain:
        case Grid() if len(names) == 2:
            # A cast that fails gives no number, which lies outside every grid.
            return {key: f"TRY_CAST({name} AS DOUBLE)" for key, name in zip(PAIR, names, strict=True)} | missing
        case domain if isinstance(domain, Grid) or isinstance(domain.labels, range):
            number = f"TRY_CAST({names[0]} AS DOUBLE)"
            inside = f"{number} >= 0 AND {number} < {domain.k} AND {number} = floor({number})"
            return {"index": f"coalesce(TRY_CAST(CASE WHEN {inside} THEN {number} END AS INTEGER), -1)"} | missing
        case _:
            return {"label": f"CAST({names[0]} AS VARCHAR)"} | missing


def _indices(question: Question, columns: dict[str, pa.Array]) -> NDArray[np.intp]:
    """Each row's value, -1 where it has none."""
    match question.domain:
        case Grid() if "index" not in columns:
            latitude, longitude = (columns[key].to_numpy(zero_copy_only=False) for key in PAIR)
            return question.domain.locate(latitude, longitude)
        case Categories() as categories if "index" not in columns:
            labels = columns["label"]
            found = pc.index_in(labels, value_set=pa.array(categories.labels, type=labels.type))
            indices: NDArray[np.intp] = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.intp)
            if question.attribute.missing is not None:
                missing = columns["missing"].to_numpy(zero_copy_only=False)
                indices[missing] = list(categories.labels).index(question.attribute.missing)
            return indices
        case _:
            index: NDArray[np.intp] = columns["index"].to_numpy().astype(np.intp)
            return index


def _require_numbers(plan: Plan, path: Path, kinds: Mapping[str, str]) -> None:
    """Columns that are read as numbers hold numbers or texts, not dates or truth values."""
    numbers = [question.attribute.columns for question in plan.questions if "label" not in _expressions(question)]
    names = [name for columns in numbers for name in columns]
    wrong = [f"{name} of type {kinds[name]}" for name in names if not _numeric(kinds.get(name, TEXT))]
    if wrong:
        raise SordinoError(f"{path} must have numbers in {', '.join(names)}", found=", ".join(wrong))


def _numeric(kind: str) -> bool:
    return kind in WHOLE or kind in (TEXT, "FLOAT", "DOUBLE") or kind.startswith("DECIMAL")


def _refuse(question: Question, path: Path, indices: NDArray[np.intp], missing: pa.Array, rows: int) -> None:
    if indices.size == 0 or int(indices.min()) >= 0:
        return
    position = int(np.flatnonzero(indices < 0)[0])
    where = f"{path}, row {rows + position + 1}, {' and '.join(question.attribute.columns)}"
    if missing[position].as_py():
        step = (
            "" if isinstance(question.domain, Grid) else ", or declare one of the categories as `missing` in the survey"
        )
        raise SordinoError(f"{where}: a value must be given", found="a missing one", step=f"fill it in{step}")
    raise SordinoError(
        f"{where}: a value must be one of the survey's", found="another", step="correct it; nothing was written"
    )
