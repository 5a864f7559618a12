"""A release: what its holder decides about it once, and every floor takes as it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.messages import kind, shown
from sordino.exact.source import SystemSource

TASK = "reports"
"""The name of a release that nobody named."""

MOST_JOBS = 256
"""Processes at most."""


@dataclass(frozen=True)
class Release:
    """How the reports of a table's people are made; which people, and by which plan, stands beside it.

    Without a key each one is a new release, and losses add.

    Attributes:
        id_column: the column that tells people apart; an id that stands twice is refused.
        key: the key file, made if there is none, or a keyed source, which names its own task: the same key, plan, task,
            id and value always give the same report. None for fresh words of the operating system.
        task: tells this release from others of the same plan under the same key file; None for the usual name.
        jobs: processes that read and privatize the pieces of a Parquet file; the same reports whatever their number.
        count_column: the column that says how many people each row stands for, each of whom sends a report; these are
            then in the order of their codes.

    Raises:
        SordinoError: options of which one leaves no room for the other.

    Example:
        >>> Release("who", Path("wave.key"), "second wave").task_name
        'second wave'
    """

    id_column: str | None = None
    key: Path | KeyedSource | None = field(default=None, repr=False)
    task: str | None = None
    jobs: int = 1
    count_column: str | None = None

    def __post_init__(self) -> None:
        if type(self.jobs) is not int or not 1 <= self.jobs <= MOST_JOBS:
            step = "as many as there are cores, or 1"
            raise SordinoError(f"jobs must be a whole number from 1 to {MOST_JOBS}", found=shown(self.jobs), step=step)
        if self.task is not None and not isinstance(self.key, Path):
            raise SordinoError(
                "a task must have a key",
                found="a task alone",
                step="name its file, and the column of ids: `key` and `id_column`",
            )
        if self.count_column is not None:
            self._require_nobody_told_apart()
        elif self.key is not None and self.id_column is None:
            raise SordinoError(
                "a key needs the ids of the rows to repeat their reports",
                found="no column of ids",
                step="name it: `id_column`",
            )

    @classmethod
    def of(cls, source: object, *, key: Path | str | None, **options: Any) -> Self:
        """What the public verb was asked for: words from a source, from a key file, or fresh ones.

        Raises:
            SordinoError: both a source and a key, another source, or options that do not go together.
        """
        if source is not None and not isinstance(source, KeyedSource | SystemSource):
            step = "give KeyedSource(key, task) itself, and id_column"
            raise SordinoError("a plan needs a source of its own", found=kind(source), step=step)
        if source is not None and key is not None:
            raise SordinoError(
                "words come from a source or a key file", found="a source and a key", step="leave one out"
            )
        held = source if isinstance(source, KeyedSource) else None
        return cls(key=held if key is None else Path(key), **options)

    @property
    def task_name(self) -> str:
        """That of a key file's words."""
        return TASK if self.task is None else self.task

    def _require_nobody_told_apart(self) -> None:
        if self.id_column is not None or self.key is not None:
            rule = "people who share a row have no ids of their own, by which a key could repeat their reports"
            found = "ids" if self.key is None else "a key"
            step = "leave `id_column` and `key` out, or give a row for each person instead of `count_column`"
            raise SordinoError(rule, found=found, step=step)
        if self.jobs != 1:
            step = "leave `jobs` out"
            raise SordinoError("rows with counts are read by one job", found=shown(self.jobs), step=step)


PLAIN = Release()
"""A new release of people who are not told apart."""


@dataclass(frozen=True)
class Released:
    """What was written.

    Attributes:
        n: how many reports.
        clipped: in how many rows each number lies beyond its range, for those that are clipped on request; for whoever
            holds the data.
    """

    n: int
    clipped: Mapping[str, int]
