"""Periods on Spark: the same reports and counts as without."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, Plan, Survey, aggregate, privatize

pytestmark = pytest.mark.spark

KEY = bytes(range(32))
N = 3000


def counts(plan, reports):
    return {cell: own.tolist() for cell, own in aggregate(plan, reports).cells.items()}


def test_spark_reads_periods_as_one_machine_does(spark):
    survey = {"version": 1, "epsilon": "2", "attribute": {"x": {"categories": ["a", "b"]}}, "ask": [{"histogram": "x"}]}
    series = {"periods": 12, "every": "month", "start": date(2026, 1, 5)}
    plan = Plan.of(Survey.read({**survey, "series": series}), N)
    draw = np.random.default_rng(1)
    days = [date(2026, 1, 5) + timedelta(days=int(day)) for day in draw.integers(0, 365, N)]
    people = pa.table({"id": range(N), "x": draw.choice(["a", "b"], N), "period": days})
    key = KeyedSource(KEY, "t")
    for periods in (days, [str(day) for day in days]):
        frame = spark.createDataFrame(people.set_column(2, "period", [periods]).to_pandas()).repartition(3)
        reports = privatize(plan, frame, key, id_column="id")
        own = privatize(plan, people, key, id_column="id")
        tables = [table.to_pandas()[["code", "period"]].to_numpy().tolist() for table in (reports.toArrow(), own)]
        assert sorted(tables[0]) == sorted(tables[1])
        assert counts(plan, reports) == counts(plan, own)
