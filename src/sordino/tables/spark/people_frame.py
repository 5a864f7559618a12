"""A table that Spark works on: a frame of the user's, a Parquet file, or a folder of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sordino.errors import SordinoError
from sordino.tables.frame import PathOrFrame
from sordino.tables.spark.folders import parquet_files, require_one_schema
from sordino.tables.spark.frame_columns import SparkColumns
from sordino.tables.spark.session import session
from sordino.tables.spark.task_input import FileParts, FrameParts, Parts
from sordino.tables.table_file import change_error, file_state

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

PathOrSpark: TypeAlias = "Path | DataFrame"
"""A Parquet file, a folder of them, or a frame of Spark."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkTable:
    """A table, and who works on it.

    Attributes:
        called: what messages call the table.
        given: a frame of Spark; None of files.
        before: the files, and how they were found; none of a frame.
    """

    session: "SparkSession"
    called: str
    given: "DataFrame | None"
    before: Mapping[Path, tuple[int, ...]]

    def __str__(self) -> str:
        return self.called

    @classmethod
    def of(cls, given: PathOrSpark, called: str = "the frame") -> "SparkTable":
        """A frame, a file or a folder.

        Raises:
            SordinoError: no Parquet, a folder that is not whole or whose files differ, or no Spark.
        """
        if not isinstance(given, Path):
            _require_classic(given)
            return cls(given.sparkSession, called, given, {})
        # As other machines find them.
        files = [file.absolute() for file in parquet_files(given)]
        require_one_schema(files)
        return cls(session(), str(given), None, {file: file_state(file) for file in files})

    @property
    def context(self) -> "SparkContext":
        """Of its session."""
        return self.session.sparkContext

    def parts_for(self, wanted: Sequence[str]) -> "SparkParts":
        """Its rows for tasks, with the columns that are wanted; what it lacks is missed by whoever reads them.

        Raises:
            SordinoError: columns of a frame of a type that the engines read differently, or files that are damaged.
        """
        if self.given is not None:
            columns = SparkColumns.of(self.given, wanted, self.called)
            return SparkParts(columns.select(self.given), FrameParts(columns), columns.empty(self.given))
        parts = FileParts.cut(self.before, self.context.defaultParallelism)
        count = len(parts.pieces)
        return SparkParts(self.session.range(0, count, 1, max(count, 1)).toDF("piece"), parts, next(iter(self.before)))

    def require_unchanged(self) -> None:
        """Refuse files that were written again since they were found.

        Raises:
            SordinoError: with the first.
        """
        for file, before in self.before.items():
            if file_state(file) != before:
                raise change_error(file)


@dataclass(frozen=True, eq=False, repr=False)
class SparkParts:
    """A table as tasks take it.

    Attributes:
        frame: whose batches tell a task what it reads.
        parts: how they do.
        sample: a table with the same columns, of the same types, for what can be known before rows are read.
    """

    frame: "DataFrame"
    parts: Parts
    sample: PathOrFrame


def _require_classic(frame: "DataFrame") -> None:
    if ".connect." in type(frame).__module__:
        step = "run where the driver is, or name a folder that it can read"
        raise SordinoError("the frame must be of a session with a driver of its own", found="Spark Connect", step=step)
