"""`sordino privatize`: one report for each row of a table."""

from contextlib import nullcontext
from pathlib import Path

import click

from sordino.cli.options import FILE, Whole, as_json_option, engine_option
from sordino.cli.output import print_json
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.cli.tally_text import size_of
from sordino.survey.planning.plan import Plan
from sordino.tables.duckdb import opened_table
from sordino.tables.release import MOST_JOBS, Release, Released
from sordino.tables.table_file import count_rows
from sordino.verbs.plan_reports import Engine, privatize_plan, still_the_plan


@click.command()
@click.argument("plan", type=FILE)
@click.argument("data", type=FILE)
@click.option(
    "-o",
    "--output",
    type=FILE,
    required=True,
    help="The reports to write (.csv, .csv.gz or .parquet; a folder with Spark).",
)
@click.option("--id", "id_column", help="The column that identifies people; duplicate ids are refused.")
@click.option("--key", type=FILE, help="The key file, made if missing: the same run gives the same reports.")
@click.option("--task", help="With a key, the name of this release; a new name draws new reports.")
@click.option("--jobs", type=Whole(1, MOST_JOBS), default=1, help="The number of processes that read a Parquet file.")
@click.option("--count", help="The column with the number of people in each row; each person sends a report.")
@engine_option
@as_json_option
def privatize(
    plan: Path,
    data: Path,
    output: Path,
    id_column: str | None,
    key: Path | None,
    task: str | None,
    jobs: int,
    engine: Engine,
    *,
    count: str | None,
    as_json: bool,
) -> None:
    """Release one report for each row of DATA (.csv, .csv.gz or .parquet; for Spark also a folder), by the PLAN.

    For a holder of data who releases it, and for simulation: in the local setting people privatize on their own
    devices, and no protected answer leaves them raw. Reports are never overwritten: a second run is a second release,
    and losses add. With a key and ids, a second run repeats the reports instead; anyone with the key can undo their
    noise. With --count, each person in a row sends a report; a row's reports are in the order of their codes.
    """
    frozen, release = Plan.load(plan), Release(id_column, key, task, jobs, count)
    people = opened_table(data) if engine == "duckdb" else nullcontext(data)
    # Of people who share rows nobody knows how many there are before all rows are read.
    with people as table, progress("privatize", None if count else count_rows(table)) as advance:
        released: Released = privatize_plan(
            frozen,
            table,
            release,
            output=output,
            progress=advance,
            engine=engine,
            require_same=still_the_plan(plan, frozen),
        )
    n, size = released.n, size_of(output)
    if as_json:
        made = {"reports": str(output), "n": n, "plan": frozen.hash, "bytes": size, "clipped": released.clipped}
        print_json(made if key is None else {**made, "key": str(key), "task": release.task_name})
        return
    say(f"{output}: {n:,} reports, {size:,} bytes")
    for attribute, rows in released.clipped.items():
        say(f"{attribute}: {rows:,} values beyond its range counted as its nearest end; do not publish this number")
    if key is None:
        say("This was a release. Privatizing the same people again is a second one, and their losses add.")
        return
    name = release.task_name
    say(f"The same key, plan, task ({name}), id and value always give the same report. A changed value gives a")
    say("new one: a second release, which also shows that the value changed. For new answers take another --task.")
    say(f"Whoever has {key} can undo the noise: destroy it, and all copies, as soon as the reports are final.")
