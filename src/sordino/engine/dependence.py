"""A public sample as a table, tallied by the values of each attribute. Bounded memory: counts and sums only.

A record with a missing value or one outside its domain is refused, with its row and column and never with its value:
left out, it would make the sample another population's.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sordino.design.asked import Asked, Attribute, CategoryAttribute, NumberAttribute
from sordino.design.dependence import SampleTally, tally_sample
from sordino.domain.grid import Grid
from sordino.engine.duckdb import TEXT, WHOLE, header, quoted, read_batches, refuse_blank_lines
from sordino.errors import SordinoError

Numbers = NDArray[np.float64]


def tally_table_of_sample(asked: Asked, path: Path, progress: Callable[[int], None] = lambda _: None) -> SampleTally:
    """Count the records of a sample.

    Args:
        asked: the attributes, with their columns, and the statistics.
        path: a CSV or Parquet file.
        progress: called with the number of rows done since the last call.

    Raises:
        SordinoError: an unreadable table, no rows, a column missing, or a value that is missing or outside its domain.
    """
    attributes = asked.attributes
    columns = list(dict.fromkeys(name for attribute in attributes for name in _columns(attribute)))
    _require_kinds(asked, path)
    refuse_blank_lines(path)
    select = {f"{j} {key}": text for j, a in enumerate(attributes) for key, text in _expressions(a).items()}
    total: SampleTally | None = None
    for batch in read_batches(path, select, columns):
        rows = 0 if total is None else total.n
        values = [
            _values(attribute, path, {key.split(" ", 1)[1]: batch.column(key) for key in select if _of(key) == j}, rows)
            for j, attribute in enumerate(attributes)
        ]
        part = tally_sample(asked, values)
        total = part if total is None else total + part
        progress(len(batch))
    if total is None or total.n == 0:
        raise SordinoError(f"{path} must hold data", found="no rows")
    return total


def _of(key: str) -> int:
    """The place of the attribute that an expression belongs to."""
    return int(key.split(" ", 1)[0])


def _columns(attribute: Attribute) -> tuple[str, ...]:
    """The columns of an attribute."""
    return attribute.columns or (attribute.name,)


def _is_label(attribute: Attribute) -> bool:
    """Whether the values are named, not numbered or measured."""
    return (
        isinstance(attribute, CategoryAttribute)
        and not isinstance(attribute.domain, Grid)
        and not isinstance(attribute.domain.labels, range)
    )


def _expressions(attribute: Attribute) -> dict[str, str]:
    """What to read: the text of a label or one or two numbers, null where there is none; and whether one is missing."""
    names = [quoted(name) for name in _columns(attribute)]
    kind = "VARCHAR" if _is_label(attribute) else "DOUBLE"
    values = {f"value {place}": f"TRY_CAST({name} AS {kind})" for place, name in enumerate(names)}
    return values | {"missing": " OR ".join(f"{name} IS NULL" for name in names)}


def _values(
    attribute: Attribute, path: Path, columns: dict[str, pa.Array], rows: int
) -> NDArray[np.intp] | NDArray[np.float64]:
    """The attribute's values in a batch that begins after so many rows."""
    if _is_label(attribute):
        return _labels(attribute, path, columns, rows)
    numbers: list[Numbers] = [
        pc.fill_null(column, float("nan")).to_numpy(zero_copy_only=False)
        for key, column in columns.items()
        if key != "missing"
    ]
    if isinstance(attribute, NumberAttribute):
        inside = (numbers[0] >= attribute.low) & (numbers[0] <= attribute.high)
        if attribute.clip:
            inside = np.isfinite(numbers[0])
        _require_all(attribute, path, inside, columns["missing"], rows)
        return numbers[0]
    if len(numbers) == 2 and isinstance(attribute.domain, Grid):
        cells = attribute.domain.locate(numbers[0], numbers[1])
        _require_all(attribute, path, cells >= 0, columns["missing"], rows)
        return cells
    inside = (numbers[0] >= 0) & (numbers[0] < attribute.cells) & (numbers[0] == np.floor(numbers[0]))
    _require_all(attribute, path, inside, columns["missing"], rows)
    return numbers[0].astype(np.intp)


def _labels(attribute: Attribute, path: Path, columns: dict[str, pa.Array], rows: int) -> NDArray[np.intp]:
    """The places of named categories."""
    if not isinstance(attribute, CategoryAttribute) or isinstance(attribute.domain, Grid):
        raise TypeError("only categories have labels")
    labels = [str(label) for label in attribute.domain.labels]
    texts = columns["value 0"]
    found = pc.index_in(texts, value_set=pa.array(labels, type=texts.type))
    indices: NDArray[np.intp] = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.intp)
    if attribute.missing is not None:
        indices[columns["missing"].to_numpy(zero_copy_only=False)] = labels.index(attribute.missing)
    _require_all(attribute, path, indices >= 0, columns["missing"], rows)
    return indices


def _require_all(attribute: Attribute, path: Path, inside: NDArray[np.bool_], missing: pa.Array, rows: int) -> None:
    """Every record has a value of the domain."""
    if inside.all():
        return
    position = int(np.argmin(inside))
    where = f"{path}, row {rows + position + 1}, {' and '.join(_columns(attribute))}"
    step = "correct the sample as a whole; a record that is left out makes it another population's"
    if missing[position].as_py():
        raise SordinoError(f"{where}: a value must be given", found="a missing one", step=step)
    raise SordinoError(f"{where}: a value must be in the attribute's domain", found="another", step=step)


def _require_kinds(asked: Asked, path: Path) -> None:
    """Columns that are read as numbers hold numbers or texts, not dates or truth values."""
    kinds = dict(header(path))
    numbers = [name for attribute in asked.attributes if not _is_label(attribute) for name in _columns(attribute)]
    for name in numbers:
        kind = kinds.get(name, TEXT)
        if kind not in WHOLE and kind not in (TEXT, "FLOAT", "DOUBLE") and not kind.startswith("DECIMAL"):
            raise SordinoError(f"{path} must have numbers in {name}", found=f"type {kind}")
