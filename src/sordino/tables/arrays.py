"""Columns of numbers and truth values as NumPy arrays, and back.

pyarrow's own ways between them load pandas where it is installed, which takes longer than all else that a table of
some rows needs.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


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
