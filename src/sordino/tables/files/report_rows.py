"""Reports as rows of a CSV file, as bytes: the plan's tag, a comma, the code, each with all its digits, a line feed.

All rows of a plan have one width, so that no length tells anything, a cut row is seen, and rows are read and written as
columns of bytes, many digits at a time. What stands otherwise is not judged here: whoever reads the file as a table
says what is wrong with it, or finds that nothing is.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from gzip import GzipFile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sordino.document.files import replace_whole
from sordino.exact.source import Words
from sordino.tables.files.table_name import require_plain, table_format

HEADER = b"plan,code\n"

TAG_DIGITS = 20
"""Decimal digits of 64 bits."""

PACKED = 6
"""How hard gzip tries: half of its steps save what can be saved of digits."""

WORD = 8
"""Bytes of a word, each a digit; the first digit is its lowest byte."""

PIECE = 1 << 13
"""Rows that are looked at together: they stay in the processor's cache."""

ZEROS, LARGER, SIGNS = (np.uint64(int.from_bytes(bytes([byte]) * WORD)) for byte in (0x30, 0x76, 0x80))
"""The digit 0 in each byte; what brings ten and more to a byte's highest bit; these bits."""

HALVES = tuple(np.uint64(int.from_bytes(bytes(mask))) for mask in ([0, 255] * 4, [0, 0, 255, 255] * 2))
"""Every second byte of a word, and every second pair of bytes."""

LARGE = 10**16
"""Two words of digits."""

FOUR = 4
"""Digits that are written at a time."""

DIGITS = np.frombuffer(b"".join(b"%04d" % number for number in range(10**FOUR)), dtype="<u4")
"""Those of all numbers that have so many at most."""


class OtherRowsError(Exception):
    """A file has something else than the rows of a plan: others' reports, a damage, or the same in another form."""


@dataclass(frozen=True)
class ReportRows:
    """The rows of one plan.

    Attributes:
        tag: the plan's.
        last: the largest code.
    """

    tag: int
    last: int

    @property
    def digits(self) -> int:
        """Of a code."""
        return len(str(self.last))

    @property
    def start(self) -> bytes:
        """What every row begins with."""
        return f"{self.tag:0{TAG_DIGITS}},".encode()

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return len(self.start) + self.digits + 1

    def encode_rows(self, codes: Words) -> bytes:
        """The rows of some codes, all of them the plan's."""
        rows = np.empty(len(codes) * self.width, dtype=np.uint8)
        for first in range(0, len(codes), PIECE):
            piece = codes[first : first + PIECE]
            self._write(piece, rows[first * self.width : (first + len(piece)) * self.width])
        return rows.tobytes()

    def _write(self, codes: Words, rows: NDArray[np.uint8]) -> None:
        for at in range(self.width - 1 - FOUR, len(self.start) - FOUR, -FOUR):
            rest = codes // np.uint64(10**FOUR)
            # The first digits may fill bytes before the code, which are written below.
            self._column(rows, at, "<u4")[:] = DIGITS.take((codes - rest * np.uint64(10**FOUR)).view(np.intp))
            codes = rest
        for at in self._places:
            self._column(rows, at, "<u8")[:] = self._word(at)
        self._column(rows, self.width - 1, "u1")[:] = ord("\n")

    def read(self, file: BinaryIO, rows: int) -> Iterator[Words]:
        """The codes of a file, so many rows at a time.

        Raises:
            OtherRowsError: something else than the plan's rows, after the codes of all rows before it.
        """
        if file.read(len(HEADER)) != HEADER:
            raise OtherRowsError
        while content := file.read(rows * self.width):
            count = len(content) // self.width
            codes, right = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.bool_)
            for first in range(0, count, PIECE):
                piece = slice(first, min(first + PIECE, count))
                codes[piece], right[piece] = self._codes(content[piece.start * self.width : piece.stop * self.width])
            yield codes if right.all() else codes[: int(np.argmin(right))]
            if not right.all() or count * self.width < len(content):
                raise OtherRowsError

    def _codes(self, content: bytes) -> tuple[Words, NDArray[np.bool_]]:
        """The codes of some rows, and which rows are the plan's."""
        start, end = len(self.start), self.width - 1
        right = self._column(content, end, "u1") == ord("\n")
        for at in self._places:
            right &= self._column(content, at, "<u8") == self._word(at)
        parts = []
        for at in range(end - WORD, start - WORD, -WORD):
            # Of a word that begins before the code only the code's digits are looked at.
            before = np.uint64(8 * max(start - at, 0))
            digits = (self._column(content, at, "<u8") ^ ZEROS) >> before << before
            right &= ((digits + LARGER) | digits) & SIGNS == 0
            parts.append(_number(digits))
        low = parts[0] if len(parts) == 1 else parts[0] + parts[1] * np.uint64(10**WORD)
        high = parts[2] if len(parts) == 3 else np.zeros_like(low)
        last_high, last_low = divmod(self.last, LARGE)
        right &= (high < last_high) | ((high == last_high) & (low <= last_low))
        return high * np.uint64(LARGE) + low, right

    @property
    def _places(self) -> tuple[int, ...]:
        """Where the words of a row's start lie, which cover it; the last ones overlap."""
        return (*range(0, len(self.start) - WORD, WORD), len(self.start) - WORD)

    def _word(self, at: int) -> np.uint64:
        """That of a row's start at a place."""
        return np.uint64(int.from_bytes(self.start[at : at + WORD], "little"))

    def _column(self, rows: bytes | NDArray[np.uint8], at: int, kind: str) -> NDArray[Any]:
        """Of each row the bytes at a place, as whole numbers."""
        return np.ndarray(len(rows) // self.width, kind, rows, at, (self.width,))


def _number(digits: Words) -> Words:
    """What eight digits count: pairs, then fours, then all, each time the first of two beside the second."""
    pairs, fours = HALVES
    two = (digits * np.uint64(10 * 2**8 + 1)) >> np.uint64(8) & pairs
    four = (two * np.uint64(10**2 * 2**16 + 1)) >> np.uint64(16) & fours
    return (four * np.uint64(10**4 * 2**32 + 1)) >> np.uint64(32)


def write_rows(path: Path, rows: ReportRows, batches: Iterator[Words]) -> None:
    """Write the reports of some codes into a CSV file, which appears only when it is whole.

    Args:
        path: the file, `.csv` or `.csv.gz`.
        rows: their form.
        batches: made while they are written; an error in making them leaves no file.

    Raises:
        SordinoError: the file exists, or the system refuses.
    """
    require_plain(path)
    with replace_whole(path) as temporary, temporary.open("xb") as plain:
        # Neither a name nor a time: the same reports are the same bytes.
        packed = GzipFile("", "wb", PACKED, plain, 0) if table_format(path) == ".csv.gz" else nullcontext(plain)
        with packed as file:
            file.write(HEADER)
            for codes in batches:
                file.write(rows.encode_rows(codes))
