"""The ids of a Spark frame, compared before a report is made: over all partitions, exactly.

What is shuffled is 64 bits of each id; only ids whose bits are equal are looked at themselves.
"""

from typing import TYPE_CHECKING

from sordino.errors import SordinoError
from sordino.tables.duckdb import header
from sordino.tables.records import id_expressions
from sordino.tables.spark.columns import SparkColumns
from sordino.tables.spark.failure import understood

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def compare_ids(frame: "DataFrame", columns: SparkColumns, id_column: str) -> int:
    """Refuse a frame in which an id is missing or stands twice; returns how many rows it has.

    Args:
        frame: of people.
        columns: that are read of it.
        id_column: tells its rows apart.

    Raises:
        SordinoError: no such column, ids of another kind, one that is missing, or one that stands twice.
    """
    from pyspark.sql import functions as f

    empty = columns.empty(frame)
    id_expressions(empty, id_column, dict(header(empty)))
    ids = columns.select(frame).select(f.col(f"c{columns.names.index(id_column)}").alias("id"))
    text = ids.schema["id"].dataType.typeName() == "string"
    # Bytes: equal are those that are the same, whatever rules for comparing texts the column has.
    own: Column = f.col("id").cast("binary") if text else f.col("id")
    missing = f.col("id").isNull() | (f.length(own) == 0) if text else f.col("id").isNull()
    each = ids.select(f.xxhash64(own).alias("hash"), own.alias("id"), missing.cast("int").alias("missing"))
    with understood():
        counted = each.groupBy("hash").agg(f.count("*").alias("rows"), f.max("missing").alias("missing"))
        repeated = counted.where("rows > 1")
        found = counted.agg(f.sum("rows"), f.max("missing"), f.max("rows")).first()
        rows, lacking, most = found if found is not None else (None, None, None)
        if lacking:
            absent = each.where("missing = 1").count()
            rule = f"{columns.called}, {id_column}: each row must have an id of its own"
            raise SordinoError(rule, found=f"none in {absent:,} of {rows:,} rows", step="fill it in")
        if (most or 0) > 1:
            looked_at = each.join(repeated.select("hash"), "hash", "left_semi").groupBy("id").count()
            twice = looked_at.where(f.col("count") > 1).count()
            if twice:
                raise SordinoError(
                    f"{columns.called}, {id_column}: each row must have an id of its own",
                    found=f"{twice:,} that stand{'s' if twice == 1 else ''} in several of {rows:,} rows",
                    step="give each person one row; nothing was written",
                )
    if not rows:
        raise SordinoError(f"{columns.called} must hold data", found="no rows")
    return int(rows)
