"""A table that Spark reads: a frame of the user's, a Parquet file, or a folder of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sordino.errors import SordinoError
from sordino.tables.spark.folders import as_spark_names, parquet_files, require_one_schema
from sordino.tables.spark.session import session
from sordino.tables.table_file import changed, file_state

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame

PathOrSpark: TypeAlias = "Path | DataFrame"
"""A Parquet file, a folder of them, or a frame of Spark."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkTable:
    """A frame of Spark, and where it comes from.

    Attributes:
        frame: the rows.
        called: what messages call it.
        before: the files that it reads, if they are known, and how they were found.
    """

    frame: "DataFrame"
    called: str
    before: Mapping[Path, tuple[int, ...]]

    def __str__(self) -> str:
        return self.called

    @classmethod
    def of(cls, given: PathOrSpark, called: str = "the frame") -> "SparkTable":
        """A frame, or one that reads a file or a folder.

        Raises:
            SordinoError: no Parquet, a folder that is not whole or whose files differ, or no Spark.
        """
        if not isinstance(given, Path):
            _require_classic(given)
            return cls(given, called, {})
        files = parquet_files(given)
        require_one_schema(files)
        before = {file: file_state(file) for file in files}
        # Each by its name: neither a folder called x=1 nor one called _x means anything.
        frame = session().read.parquet(*map(as_spark_names, files))
        return cls(frame, str(given), before)

    @property
    def context(self) -> "SparkContext":
        """Of its session."""
        return self.frame.sparkSession.sparkContext

    def require_unchanged(self) -> None:
        """Refuse files that were written again since they were found.

        Raises:
            SordinoError: with the first.
        """
        for file, before in self.before.items():
            if file_state(file) != before:
                raise changed(file)


def _require_classic(frame: "DataFrame") -> None:
    if ".connect." in type(frame).__module__:
        step = "run where the driver is, or name a folder that it can read"
        raise SordinoError("the frame must be of a session with a driver of its own", found="Spark Connect", step=step)
