"""Records of numbers in [-1, 1], checked once and read as often as one likes.

Every number of every person is looked at before anything is drawn, so that a refusal never depends on a draw. With a
thousand numbers a person that reading takes far longer than privatizing one of them: who privatizes the same records
several times checks them once.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.interval import number_array
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import Brief
from sordino.exact.steady import ignore_float_errors

PIECE = 1 << 18
"""Numbers looked at together: 2 MB stay in the processor's cache between the two looks."""


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class Scaled(Brief):
    """Checked records.

    Attributes:
        records: float64, shape (n, d), each in [-1, 1]; not to be changed.

    Example:
        >>> Scaled.of([[0.5, -1], [0, 0.25]]).records.shape
        (2, 2)
    """

    records: NDArray[np.float64]

    @classmethod
    @checked
    def of(cls, values: ArrayLike, d: int | None = None) -> "Scaled":
        """Check records.

        Args:
            values: numbers, shape (n, d), or (n,) where there is one for each person.
            d: how many numbers a record must have; any by default.

        Raises:
            SordinoError: another shape, no numbers, or others than in [-1, 1] (named by position, never by value).
        """
        records = read_rows(values, d)
        require_inside(records)
        view = records.view()
        view.setflags(write=False)
        return cls(view)


@ignore_float_errors
def read_rows(values: ArrayLike, d: int | None = None) -> NDArray[np.float64]:
    """Rows of numbers as float64, shape (n, d), whatever the numbers are."""
    array = number_array(values)
    rows = array[:, None] if array.ndim == 1 and d in (None, 1) else array
    if rows.ndim != 2 or d not in (None, rows.shape[1]) or (rows.size and rows.dtype.kind not in "iuf"):
        wanted = "numbers" if d is None else f"{d} numbers"
        raise SordinoError(f"records must be rows of {wanted}", found=f"type {array.dtype}, shape {array.shape}")
    return rows.astype(np.float64, copy=False)


@ignore_float_errors
def require_inside(records: NDArray[np.float64], first: int = 0, optional: Collection[int] = ()) -> None:
    """Look at all numbers of some records, shape (n, d), the first of which stands at the place `first` for messages.

    Those that stand at optional places may be missing, NaN.
    """
    step = max(PIECE // max(records.shape[1], 1), 1)
    for start in range(0, len(records), step):
        piece = records[start : start + step]
        if optional:
            # All of them are looked at in one way, whether or not one is missing.
            piece = piece.copy()
            piece[:, list(optional)] = np.nan_to_num(piece[:, list(optional)], nan=0.0, posinf=2.0, neginf=-2.0)
        if not _inside(piece):
            row, column = (int(place) for place in np.argwhere(~(np.abs(piece) <= 1))[0])
            found = f"another in record {first + start + row}, number {column}"
            raise SordinoError("numbers must lie in [-1, 1]", found=found, step="scale them")


def read_records(values: ArrayLike | Scaled, d: int, optional: Collection[int] = ()) -> NDArray[np.float64]:
    """Records of at least d numbers as float64, shape (n, at least d); looked at, unless they were before.

    Args:
        values: the records.
        d: how many numbers each must have at least.
        optional: the places of those that may be missing, NaN.

    Raises:
        SordinoError: another shape, or others than in [-1, 1] (named by position, never by value).
    """
    records = rows_of(values, d)
    if not isinstance(values, Scaled):
        require_inside(records, optional=optional)
    return records


def rows_of(values: ArrayLike | Scaled, d: int) -> NDArray[np.float64]:
    """Records of at least d numbers as float64, whatever the numbers are."""
    records = values.records if isinstance(values, Scaled) else read_rows(values)
    if records.shape[1] < d:
        raise SordinoError(f"records must be rows of {d} numbers", found=f"rows of {records.shape[1]}")
    return records


def _inside(piece: NDArray[np.float64]) -> bool:
    """Whether all are in [-1, 1]: the extremes of numbers of which one is NaN are NaN."""
    if not piece.size:
        return True
    with np.errstate(invalid="ignore"):
        return bool(piece.min() >= -1 and piece.max() <= 1)
