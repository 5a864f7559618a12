"""Tables in memory, read as files are: whatever hands its columns over by the Arrow C stream, and lists by name.

pandas, polars, pyarrow and DuckDB do. Of the frames of pandas and polars, also lazy ones, only the columns that are
asked are handed over, of others only they are kept; nothing is copied where the frame holds them as Arrow does. Columns
of numbers and truth values become NumPy arrays, and back.
"""

import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.document.kinds import FileKind, explain_kind
from sordino.errors import SordinoError
from sordino.tables.csv_file import CsvFile

STREAM = "__arrow_c_stream__"
"""What a frame offers: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html."""


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """A table in memory.

    Attributes:
        names: of all its columns.
        table: those that are read.
        called: what messages call it.
    """

    names: tuple[str, ...]
    table: pa.Table
    called: str

    def __str__(self) -> str:
        return self.called

    @classmethod
    def of(cls, given: Any, columns: Collection[str], called: str = "the frame") -> "Frame":
        """Take some columns of a frame; those that it lacks are missed by whoever reads them.

        Raises:
            SordinoError: no frame, or columns that its library cannot hand over.
        """
        if not is_frame(given):
            step = "give a pandas, polars or pyarrow frame, a DuckDB relation, lists by name, or the path of a file"
            raise SordinoError(f"{called} must be a table", found=f"type {type(given).__name__}", step=step)
        names = _names(given)
        try:
            found, table = _read(given, columns)
        except Exception:  # noqa: BLE001 - each library has errors of its own, which may quote values
            alone = [name for name in dict.fromkeys(names) if name in columns and not _is_readable(given, name)]
            raise _unreadable(called, alone) from None
        if wrong := [name for name, kind in zip(table.schema.names, table.schema.types, strict=True) if _is_wide(kind)]:
            raise _unreadable(called, wrong)
        return cls(names or found, table, called)


PathOrFrame: TypeAlias = Path | CsvFile | Frame
"""A table: a CSV or Parquet file, a CSV file that is open, or one in memory."""


def table_of(given: Any, columns: Collection[str], called: str = "the frame") -> PathOrFrame:
    """A table as it is given: a file by its path, one that is open, or some columns of a frame.

    Raises:
        SordinoError: none of these, or a frame that its library cannot hand over.
    """
    if isinstance(given, Path | str):
        return Path(given)
    return given if isinstance(given, CsvFile) else Frame.of(given, columns, called)


def is_frame(given: object) -> bool:
    """Whether something hands its columns over as a frame does, or holds them by name."""
    return hasattr(type(given), STREAM) or isinstance(given, Mapping) or _is_of(given, "polars", "LazyFrame")


def frame_like(given: object, table: pa.Table) -> Any:
    """A table as the kind of frame that something is: of pandas, of polars, lists by name; else as it is."""
    if _is_of(given, "pandas", "DataFrame"):
        return table.to_pandas()
    if _is_of(given, "polars", "DataFrame", "LazyFrame"):
        whole = sys.modules["polars"].from_arrow(table)
        return whole.lazy() if _is_of(given, "polars", "LazyFrame") else whole
    return table.to_pydict() if isinstance(given, Mapping) else table


def _is_of(given: object, library: str, *kinds: str) -> bool:
    """Whether something is of a library, which is not loaded for the question."""
    found = sys.modules.get(library)
    return found is not None and any(isinstance(given, getattr(found, kind)) for kind in kinds)


def _names(given: Any) -> tuple[str, ...]:
    """All columns of a frame whose library can say them without handing them over; none of others."""
    if _is_of(given, "pandas", "DataFrame"):
        return (*map(str, given.columns), *(str(name) for name in given.index.names if name is not None))
    if _is_of(given, "polars", "DataFrame", "LazyFrame"):
        return tuple(given.collect_schema().names())
    return tuple(map(str, given)) if isinstance(given, Mapping) else ()


def _read(given: Any, columns: Collection[str]) -> tuple[tuple[str, ...], pa.Table]:
    """The names that a frame hands over, and its columns of some names."""
    reader = pa.RecordBatchReader.from_stream(_select(given, columns))
    names = reader.schema.names
    # Of two columns of one name the first: whoever reads it refuses them.
    places = [place for place, name in enumerate(names) if name in columns and names.index(name) == place]
    schema = pa.schema([reader.schema.field(place) for place in places], reader.schema.metadata)
    batches = [pa.record_batch([batch.column(at) for at in places], schema=schema) for batch in reader]
    return tuple(names), pa.Table.from_batches(batches, schema)


def _select(given: Any, columns: Collection[str]) -> Any:
    """A frame of some columns, by its own library; others as they are."""
    if _is_of(given, "pandas", "DataFrame"):
        own = given.iloc[:, [place for place, name in enumerate(given.columns) if str(name) in columns]]
        # An index is handed over too.
        return own if {*map(str, given.index.names)} & {*columns} else own.reset_index(drop=True)
    if _is_of(given, "polars", "DataFrame", "LazyFrame"):
        own = given.lazy().select([name for name in _names(given) if name in columns]).collect()
        if "Object" in map(str, own.dtypes):
            raise TypeError("Python's objects would be handed over as their places in memory")
        return own
    if isinstance(given, Mapping):
        return pa.table({str(name): _array(own) for name, own in given.items() if str(name) in columns})
    return given


def _array(values: Any) -> pa.Array:
    if isinstance(values, str | bytes):
        raise TypeError("a text is no list of texts")
    try:
        return pa.array(values)
    except OverflowError:
        # Half of all plans' tags need the last of 64 bits.
        return pa.array(values, pa.uint64())


def _is_readable(given: Any, name: str) -> bool:
    try:
        return name in _read(given, [name])[0]
    except Exception:  # noqa: BLE001
        return False


def _is_wide(kind: pa.DataType) -> bool:
    """Whether it is a type of numbers that DuckDB cannot read of a frame."""
    return bool(pa.types.is_float16(kind) or pa.types.is_decimal256(kind))


def _unreadable(called: str, names: Sequence[str]) -> SordinoError:
    found = f"{', '.join(names)}, of types that are not" if names else "a column that is not"
    step = "give each column one type that tables have, as float64, int64 or texts, and all the same length"
    return SordinoError(f"{called} must be possible to read", found=found, step=step)


def expecting_kind(table: PathOrFrame, wanted: FileKind) -> AbstractContextManager[None]:
    """`expecting`, of a file: a frame is what it is."""
    if isinstance(table, Frame):
        return nullcontext()
    return explain_kind(table.path if isinstance(table, CsvFile) else table, wanted)


def array_of(column: pa.Array) -> NDArray[Any]:
    """What a column holds, shape (n,); nothing is copied but truth values, and numbers of which some are missing.

    Args:
        column: whole numbers, floats or truth values. Floats may be missing, as NaN.

    Raises:
        ValueError: something else that is missing.
    """
    valid, data = column.buffers()
    here = slice(column.offset, column.offset + len(column))
    if pa.types.is_boolean(column.type):
        values = _bits(data, here)
    else:
        values = np.frombuffer(data or b"", dtype=_dtype(column.type))[here]
    if column.null_count == 0:
        return values
    if not pa.types.is_floating(column.type):
        raise ValueError(f"missing values of type {column.type} have no number")
    return np.where(_bits(valid, here), values, np.nan)


def column_of(values: NDArray[np.unsignedinteger]) -> pa.Array:
    """A column of whole numbers that are not negative, shape (n,), of their width; nothing is copied."""
    plain = np.ascontiguousarray(values)
    kind = {4: pa.uint32(), 8: pa.uint64()}[plain.itemsize]
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def _bits(data: pa.Buffer | None, places: slice) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.frombuffer(data or b"", dtype=np.uint8), bitorder="little")
    return bits[places].astype(np.bool_)


def _dtype(kind: pa.DataType) -> np.dtype[Any]:
    letter = "f" if pa.types.is_floating(kind) else "i" if pa.types.is_signed_integer(kind) else "u"
    return np.dtype(f"{letter}{kind.bit_width // 8}")
