"""The reports of a plan: released for the people of a table, and tallied."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from sordino.errors import SordinoError, SordinoWarning
from sordino.exact.messages import kind, shown
from sordino.mechanism.channel import Aggregate
from sordino.survey.answering.plan_report import ENDING
from sordino.survey.answering.report_lines import tally_lines
from sordino.survey.planning.plan import Plan
from sordino.survey.results.aggregate_file import load_aggregate
from sordino.survey.results.sourced_aggregate import join, require_countable, sources_of, unsourced_of
from sordino.tables.frame import Frame, frame_like
from sordino.tables.release import Release
from sordino.tables.reports import Progress, privatize_frame, privatize_table, report_columns, tally_table
from sordino.tables.spark.session import is_spark
from sordino.tables.values import people_table

Engine: TypeAlias = Literal["duckdb", "spark"]
"""What reads tables: DuckDB on this machine, or Spark on as many as there are."""


def privatize_plan(
    plan: Plan,
    people: Any,
    release: Release,
    *,
    output: Path | str | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
    require_same: Callable[[], None] = lambda: None,
) -> Any:
    """One report for each person of a table, as `sordino.privatize` says; `Released` where they are written.

    With Spark the plan is asked whether it is still the same (`require_same`) before reports appear.
    """
    done = progress or (lambda _: None)
    if _with_spark(engine, people):
        from sordino.tables.spark.engine import privatize_folder, privatize_spark

        table = Path(people) if isinstance(people, Path | str) else people
        if output is None:
            return privatize_spark(plan, table, release)
        made = privatize_folder(plan, table, Path(output), release, require_same=require_same)
        done(made.n)
        return made
    data = people_table(plan, people, release.id_column, release.count_column)
    if output is not None:
        return privatize_table(plan, data, Path(output), done, release=release)
    return frame_like(people, privatize_frame(plan, data, done, release=release))


def still_the_plan(given: object, plan: Plan) -> Callable[[], None]:
    """What refuses a plan's file that became another one after it was read; a plan in memory stays what it is."""

    def require() -> None:
        if isinstance(given, Path | str) and Plan.load(given).hash != plan.hash:
            step = "privatize again by the plan that is meant; nothing was written"
            raise SordinoError(f"{given} must not change while it is used", found="a different plan", step=step)

    return require


def _with_spark(engine: Engine | None, *tables: object) -> bool:
    """Whether tables are Spark's to read: frames of it are, paths where it is asked for.

    Raises:
        SordinoError: another engine, or one that cannot read the tables.
    """
    if engine not in (None, "duckdb", "spark"):
        raise SordinoError("engine must be duckdb or spark", found=shown(engine), step="name one of them")
    own = any(is_spark(table) for table in tables)
    if own and engine == "duckdb":
        raise SordinoError("a frame of Spark is for the engine spark", found="duckdb", step="leave engine out")
    others = [table for table in tables if not is_spark(table) and not isinstance(table, Path | str | Aggregate)]
    if others and (own or engine == "spark"):
        step = "make a frame of Spark of it, or leave engine out"
        raise SordinoError("the engine spark reads its own frames and paths", found=kind(others[0]), step=step)
    return own or engine == "spark"


def tally(
    plan: Plan,
    reports: Sequence[Any],
    progress: Progress | None,
    note: Callable[[str], None] | None,
    engine: Engine | None = None,
) -> Aggregate:
    """The sum of frames and files of reports and of aggregates, as `sordino.aggregate` says."""
    say = note or (lambda sentence: warnings.warn(sentence, SordinoWarning, stacklevel=5))
    given = [Path(part) if isinstance(part, Path | str) else part for part in reports]
    _require_different(given)
    total = plan.tally(np.empty(0, dtype=np.uint64))
    seen: dict[bytes, object] = {}
    for i, part in enumerate(given):
        if not isinstance(part, Aggregate) and not _is_saved(part):
            continue
        found = load_aggregate(plan, part, alone=len(given) == 1) if isinstance(part, Path) else part
        name = part if isinstance(part, Path) else f"aggregate {i + 1}"
        rest = unsourced_of(found)
        first = seen.setdefault(rest.counts.tobytes(), name) if rest.n else name
        if first is not name:
            say(f"{name} holds the same counts as {first}, by chance or as a copy; they count twice")
        if repeated := len(sources_of(total).keys() & sources_of(found).keys()):
            reports = f"reports of {repeated} collector{'' if repeated == 1 else 's'}"
            say(f"{name} holds {reports} that another aggregate holds too; each counts once")
        require_countable(total, found)
        total = join(plan.sampled, total, found)
    reported = [(i, part) for i, part in enumerate(given) if not isinstance(part, Aggregate) and not _is_saved(part)]
    lines = [part for _, part in reported if isinstance(part, Path) and part.suffix.lower() == ENDING]
    if lines:
        total = join(plan.sampled, total, tally_lines(plan, lines, progress or (lambda _: None), say))
    tables = [(i, part) for i, part in reported if not any(part is path for path in lines)]
    if tables and _with_spark(engine, *(part for _, part in tables)):
        from sordino.tables.spark.engine import tally_spark

        found = tally_spark(plan, [part for _, part in tables], say)
        (progress or (lambda _: None))(found.n)
        total = join(plan.sampled, total, found)
    elif tables:
        named = [
            part
            if isinstance(part, Path)
            else Frame.of(part, report_columns(plan), "the frame" if len(given) == 1 else f"frame {i + 1}")
            for i, part in tables
        ]
        total = join(plan.sampled, total, tally_table(plan, named, progress or (lambda _: None), say))
    return total


def _is_saved(part: object) -> bool:
    return isinstance(part, Path) and part.suffix == ".json"


def _require_different(given: Sequence[object]) -> None:
    present = [part.stat() for part in given if isinstance(part, Path) and part.exists()]
    if len({(status.st_dev, status.st_ino) for status in present}) < len(present):
        raise SordinoError("each file must be given once", found="the same file twice", step="name it once")
    others = [part for part in given if not isinstance(part, Path)]
    if len({id(part) for part in others}) < len(others):
        raise SordinoError("all reports must be given once", found="the same ones twice", step="give them once")
