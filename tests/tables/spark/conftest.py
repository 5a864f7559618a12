"""One Spark session of two executors with processes of their own, for all tests of this room."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import KeyedSource, Plan, Survey

ROWS = 3000
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
ATTRIBUTES = {
    "value": {"categories": 10},
    "age": {"number": {"low": 0, "high": 120}},
    "name": {"categories": ["red", "green", "dark, blue", "weiß"]},
}
ASKS = [{"histogram": "value"}, {"mean": "age"}, {"histogram": "name"}]


@pytest.fixture(scope="session")
def spark():
    # Loaded here: where there is no Spark no test of this room is run, but all are collected.
    from pyspark.sql import SparkSession

    from sordino.process import put_back
    from sordino.tables.spark.session import ALONE, QUIET, silent, this_python

    settings = {
        **ALONE,
        **QUIET,
        "spark.sql.shuffle.partitions": "2",
        "spark.task.maxFailures": "2",
        # Java takes longer to compile than these rows take.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": JAVA,
        "spark.executor.extraJavaOptions": JAVA,
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with silent(), this_python(), put_back():
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def plan():
    return Plan.of(Survey.read({"version": 1, "epsilon": "1", "attribute": ATTRIBUTES, "ask": ASKS}), ROWS)


@pytest.fixture(scope="session")
def key():
    return KeyedSource(bytes(range(32)), "first wave")


@pytest.fixture(scope="session")
def table():
    """People, with ids as whole numbers with and without a sign and as texts."""
    numbers = np.arange(ROWS)
    return pa.table(
        {
            "value": numbers % 10,
            "age": numbers % 100 + 0.5,
            "name": [ATTRIBUTES["name"]["categories"][i % 4] for i in range(ROWS)],
            "id": numbers * 7919 - ROWS,
            "large": numbers.astype(np.uint64) + np.uint64(2**63),
            "who": [f"person {i}" if i % 3 else str(i) for i in range(ROWS)],
        }
    )


@pytest.fixture(scope="session")
def people(table, tmp_path_factory):
    """The same as a Parquet file of several row groups."""
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    pq.write_table(table, path, row_group_size=500)
    return path


@pytest.fixture
def frame(spark, people):
    """The same as a frame of Spark."""
    return spark.read.parquet(str(people))
