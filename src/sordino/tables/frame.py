"""Tables in memory, read as files are: whatever hands its columns over by the Arrow C stream.

pandas, polars, pyarrow and DuckDB do. Only the columns that are asked are kept, and nothing is copied where the frame
holds them as Arrow does. Columns of numbers and truth values become NumPy arrays, and back.
"""

from collections.abc import Collection
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
            step = "give a pandas, polars or pyarrow frame, a DuckDB relation, or the path of a file"
            raise SordinoError(f"{called} must be a table", found=f"type {type(given).__name__}", step=step)
        try:
            reader = pa.RecordBatchReader.from_stream(given)
            names = reader.schema.names
            # Of two columns of one name the first: whoever reads it refuses them.
            places = [place for place, name in enumerate(names) if name in columns and names.index(name) == place]
            schema = pa.schema([reader.schema.field(place) for place in places], reader.schema.metadata)
            batches = [pa.record_batch([batch.column(at) for at in places], schema=schema) for batch in reader]
        except Exception:  # noqa: BLE001 - each library has errors of its own, which may quote values
            step = "give each column one type, or select the columns that are asked"
            raise SordinoError(f"{called} must be possible to read", found="a column that is not", step=step) from None
        return cls(tuple(names), pa.Table.from_batches(batches, schema), called)


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
    """Whether something hands its columns over as a frame does."""
    return hasattr(type(given), STREAM)


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
