"""Reports as people's devices send them: a file of JSON objects, each on a line of its own, and their tally.

Each report counts once, by its id: one that was sent again, or stands in two files, is the same report. The slow path:
whoever holds many writes codes as a table. Cost: some 150 bytes of memory a report, for its id.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sordino.document.files import cannot
from sordino.errors import DamagedError, SordinoError
from sordino.mechanism.channel import Aggregate
from sordino.survey.answering.plan_report import PlanReport
from sordino.survey.planning.plan import Plan

LONGEST = 1 << 12
"""Bytes of a line at most; a report has some 250."""

PIECE = 1 << 15
"""Reports that are tallied together."""


def tally_lines(
    plan: Plan,
    files: Sequence[Path],
    progress: Callable[[int], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> Aggregate:
    """Count the reports of some files, each once.

    Args:
        plan: of the reports.
        files: of lines.
        progress: called with the number of reports done since the last call.
        note: called with a sentence about reports that stood there more than once.

    Raises:
        SordinoError: a file that cannot be read, another plan's report, or no reports.
        DamagedError: a line that is no report, or two reports that share an id.
    """
    total = plan.tally(np.empty(0, dtype=np.uint64))
    seen: dict[bytes, int] = {}
    again, codes = 0, list[int]()

    def count() -> None:
        nonlocal total
        total += plan.tally(np.array(codes, dtype=np.uint64))
        progress(len(codes))
        codes.clear()

    for path in files:
        for name, document in _documents(path):
            report = PlanReport.of_document(plan, document, name)
            known = seen.get(report.id)
            if known is None:
                seen[report.id] = report.number
                codes.append(report.number)
            elif known == report.number:
                again += 1
            else:
                rule = f"{name}: an id must belong to one report"
                raise DamagedError(rule, found="two different reports with one id", step="get the file again")
            if len(codes) == PIECE:
                count()
    count()
    if total.n == 0:
        raise SordinoError("an aggregate needs reports", found=f"none in {', '.join(map(str, files))}")
    if again:
        note(f"{again:,} reports stood there again, by their ids; each counts once")
    return total


def _documents(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line's object, with its name for messages; lines without a word are left out."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                if line.strip():
                    name = f"{path}, line {number}"
                    yield name, _object(line, name)
    except OSError as error:
        raise cannot("read", path, error) from None


def _object(line: bytes, name: str) -> dict[str, Any]:
    try:
        short = len(line) <= LONGEST
        document = json.loads(line.decode("utf-8-sig"), object_pairs_hook=_once) if short else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise DamagedError(
            f"{name} must be a report", found="an unexpected or incomplete line", step="get the file again"
        )
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that names each of its words once: of two readers neither takes another one."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)
