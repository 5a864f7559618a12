"""Columns of Spark's frames, as executors hand them to DuckDB: the types that both engines read alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.tables.duckdb import ROWS
from sordino.tables.frame import Frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNSIGNED = pa.decimal128(20, 0)
"""What Spark makes of whole numbers of 64 bits without a sign, which it lacks."""

ALIKE = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "date", "array<string>")
"""Types of Spark, but for decimals, whose values are the same numbers, texts and lists in both engines."""


@dataclass(frozen=True)
class SparkColumns:
    """Some columns of a Spark frame.

    Attributes:
        names: of all the frame's columns.
        read: of those that are read, in their order.
        called: what messages call the frame.
    """

    names: tuple[str, ...]
    read: tuple[str, ...]
    called: str

    @classmethod
    def of(cls, frame: "DataFrame", wanted: Sequence[str], called: str) -> "SparkColumns":
        """Those of a frame that are wanted; what it lacks is missed by whoever reads them.

        Raises:
            SordinoError: a column of a type that the engines read differently.
        """
        names = tuple(frame.columns)
        # Of two columns of one name the first: whoever reads it refuses them.
        read = tuple(name for name in dict.fromkeys(names) if name in wanted)
        for name in read:
            kind = frame.schema.fields[names.index(name)].dataType.simpleString()
            if kind not in ALIKE and not kind.startswith("decimal("):
                step = "cast it to text or to a number"
                raise SordinoError(f"{called} must have numbers or texts in {name}", found=f"type {kind}", step=step)
        return cls(names, read, called)

    def select(self, frame: "DataFrame") -> "DataFrame":
        """The frame with these columns alone, by their places: names may differ in case only."""
        unique = frame.toDF(*(f"c{place}" for place in range(len(self.names))))
        return unique.select(*(f"c{self.names.index(name)}" for name in self.read))

    def empty(self, frame: "DataFrame") -> Frame:
        """These columns without any row, for all that can be known of them before the rows are read."""
        return self._frame(self.select(frame).limit(0).toArrow(), self.called)

    def groups(self, batches: Iterator[pa.RecordBatch], partition: int) -> Iterator[Frame]:
        """A partition's rows as tables in memory, some `ROWS` at a time."""
        held: list[pa.RecordBatch] = []
        first = 0
        for batch in batches:
            held.append(batch)
            if sum(map(len, held)) >= ROWS:
                yield self._frame(pa.Table.from_batches(held), self._place(partition, first))
                first += sum(map(len, held))
                held = []
        if any(map(len, held)):
            yield self._frame(pa.Table.from_batches(held), self._place(partition, first))

    def _place(self, partition: int, first: int) -> str:
        after = f" after {first:,} rows" if first else ""
        return f"{self.called} (partition {partition}{after})"

    def _frame(self, table: pa.Table, called: str) -> Frame:
        columns = [
            _whole(column, called, name) if column.type == UNSIGNED else column
            for name, column in zip(self.read, table.columns, strict=True)
        ]
        return Frame(self.names, pa.table(columns, names=list(self.read)), called)


def _whole(column: pa.ChunkedArray, called: str, name: str) -> pa.ChunkedArray:
    try:
        return pc.cast(column, pa.uint64())
    except pa.ArrowInvalid:
        rule = f"{called} must have whole numbers from 0 to 2^64 - 1 in {name}, of type decimal(20,0)"
        raise SordinoError(rule, found=shown(column.type), step="cast it to decimal(20,0)") from None
