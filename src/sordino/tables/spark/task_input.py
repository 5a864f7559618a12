"""What a task reads: a partition of a frame of Spark, some rows at a time, or pieces of files, as DuckDB reads them.

Rows of a frame come through Java, which turns each of them twice; those of a file are read by the task itself, so that
they cost what they cost on one machine, and a file means what it means there. Spark then says only who reads what.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from sordino.tables.frame import PathOrFrame
from sordino.tables.jobs.pieces import pieces_of
from sordino.tables.spark.frame_columns import SparkColumns
from sordino.tables.table_file import change_error, file_state

LEAST, MOST = 1 << 17, 1 << 20
"""Rows of a piece: so many that a task's start is not felt, so few that one done again is not either."""

TASKS = 4
"""For each core: whoever is done first takes the next."""


@dataclass(frozen=True)
class Stretch:
    """Rows that are read at once.

    Attributes:
        table: a frame or a file.
        places: of a file's rows.
    """

    table: PathOrFrame
    places: range | None = None


class Parts(Protocol):
    """How a task finds its rows."""

    def of(self, batches: Iterator[pa.RecordBatch], partition: int) -> Iterator[Stretch]:
        """Those that Spark's batches are about."""
        ...


@dataclass(frozen=True)
class FrameParts:
    """Of a frame of Spark, whose batches are the rows.

    Attributes:
        columns: that are read.
    """

    columns: SparkColumns

    def of(self, batches: Iterator[pa.RecordBatch], partition: int) -> Iterator[Stretch]:
        """The partition's rows as frames."""
        return map(Stretch, self.columns.groups(batches, partition))


@dataclass(frozen=True)
class FileParts:
    """Of files, whose pieces have numbers: those stand in the batches.

    Attributes:
        pieces: files and places of their rows, each piece with a row at least.
        before: size and time of each file when its rows were counted, the same on all machines.
    """

    pieces: tuple[tuple[Path, range], ...]
    before: Mapping[Path, tuple[int, ...]]

    @classmethod
    def cut(cls, files: Mapping[Path, tuple[int, ...]], cores: int) -> "FileParts":
        """The pieces of files, enough for some cores.

        Args:
            files: with the state of each (`file_state`).
            cores: that read.

        Raises:
            SordinoError: a damaged file, or one with a column by whose name rows are told apart.
        """
        groups = [(file, places) for file in files for places in pieces_of(file, 1)[1]]
        least = min(max(LEAST, sum(len(places) for _, places in groups) // (TASKS * cores)), MOST)
        pieces: list[tuple[Path, range]] = []
        for file, places in groups:
            if pieces and pieces[-1][0] == file and len(pieces[-1][1]) < least:
                pieces[-1] = file, range(pieces[-1][1].start, places.stop)
            elif len(places):
                pieces.append((file, places))
        return cls(tuple(pieces), {file: _known_anywhere(state) for file, state in files.items()})

    def of(self, batches: Iterator[pa.RecordBatch], partition: int) -> Iterator[Stretch]:  # noqa: ARG002 - files have names
        """The pieces with these numbers.

        Raises:
            SordinoError: a file that is not what it was when it was counted.
        """
        for batch in batches:
            for number in batch.column(0).to_pylist():
                file, places = self.pieces[number]
                yield Stretch(file, places)
                if _known_anywhere(file_state(file)) != self.before[file]:
                    raise change_error(file)


def _known_anywhere(state: tuple[int, ...]) -> tuple[int, ...]:
    """Of a file's state what is the same on every machine that sees it: size and time, not the numbers of disks."""
    return state[2:]


def partition() -> int:
    """Its number; 0 outside of Spark."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0
