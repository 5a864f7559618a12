"""A driver of its own, for tests that end it or need settings of their own: a task of it waits in the middle.

`python slow_driver.py FOLDER SETTINGS` privatizes FOLDER/people.parquet by FOLDER/plan.json into FOLDER/out/reports,
then tallies the same reports, made again and never written, into FOLDER/counts.json.
"""

import json
import sys
import time
from pathlib import Path

from sordino import KeyedSource, Plan, aggregate, privatize
from sordino.tables.spark import engine
from sordino.tables.spark.session import silent, this_python

SECONDS = 7200
PARTITIONS = 3


def waiting(frame, folder, first_tries_only):
    """The frame, whose second partition waits, once ids have been compared, after it has given its rows.

    Where first tries alone wait, a second one waits until the first does.
    """

    def wait(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        # Told at the start: tries of the comparison that were given up may still run when it has ended.
        action = (folder / "compared").read_text() if (folder / "compared").exists() else None
        yield from batches
        if context.partitionId() == 1 and action is not None:
            with (folder / "tries").open("a") as tries:
                tries.write(f"action {action}, try {context.attemptNumber()}\n")
            if context.attemptNumber() == 0 or not first_tries_only:
                time.sleep(SECONDS)
            while f"action {action}, try 0\n" not in (folder / "tries").read_text():
                time.sleep(0.05)

    return frame.mapInArrow(wait, frame.schema)


def main(folder, settings):
    from pyspark.sql import SparkSession

    original, actions = engine.compare_ids, iter(range(1, 3))

    def compare(*arguments):
        (folder / "compared").unlink(missing_ok=True)
        rows = original(*arguments)
        (folder / "new").write_text(str(next(actions)))
        (folder / "new").rename(folder / "compared")
        return rows

    engine.compare_ids = compare
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with silent(), this_python():
        spark = builder.getOrCreate()
    plan, key = Plan.load(folder / "plan.json"), KeyedSource(bytes(range(32)), "first wave")
    people = spark.read.parquet(str(folder / "people.parquet")).repartition(PARTITIONS)
    people = waiting(people, folder, settings.get("spark.speculation") == "true")
    privatize(plan, people, key, id_column="id", output=folder / "out" / "reports")
    tally = aggregate(plan, privatize(plan, people, key, id_column="id"))
    (folder / "counts.json").write_text(json.dumps(tally.counts.tolist()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
