"""Aggregates as files: the counts of a plan's codes, which add up over collectors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sordino.document.files import write_text
from sordino.document.formats import AGGREGATE
from sordino.document.kinds import read_document
from sordino.errors import DamagedError, SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan

LARGEST_COUNT = 2**53
"""Counts are below this, so that every reader of JSON takes them for what they are."""


def save_aggregate(plan: Plan, aggregate: Aggregate, path: Path, *, overwrite: bool = False) -> None:
    """Write the counts of a plan's codes, whole or not at all."""
    write_text(path, aggregate_text(plan, aggregate), overwrite=overwrite)


def aggregate_text(plan: Plan, aggregate: Aggregate) -> str:
    """The file of an aggregate."""
    document = AGGREGATE.stamp({"plan": plan.hash, "counts": aggregate.counts.tolist()})
    return json.dumps(document, separators=(",", ":")) + "\n"


def load_aggregate(plan: Plan, path: Path) -> Aggregate:
    """Read the counts of a plan's codes.

    Raises:
        SordinoError: no aggregate, of a newer version or of another plan, or counts that do not fit.
    """
    return aggregate_of(plan, read_document(path, AGGREGATE), str(path))


def aggregate_of(plan: Plan, document: Mapping[str, Any], name: str) -> Aggregate:
    """The counts of an aggregate's document, whose format and version are known.

    Raises:
        SordinoError: of another plan, or counts that do not fit.
    """
    if document.get("plan") != plan.hash:
        step = "estimate each plan's reports apart"
        raise SordinoError(f"{name} must belong to the plan", found="another plan's aggregate", step=step)
    sampled, counts = plan.sampled, document.get("counts", [])
    whole = isinstance(counts, list) and all(type(count) is int and 0 <= count < LARGEST_COUNT for count in counts)
    length = sampled.first_counters[-1]
    if not whole or len(counts) != length:
        raise DamagedError(f"{name} must have a count >= 0 for each of {length} counters", found="other counts")
    tally = np.array(counts, dtype=np.int64)
    if sum(counts) >= LARGEST_COUNT or not sampled.possible(tally):
        rule = f"{name} must hold counts that reports can add up to"
        raise DamagedError(rule, found="others", step="aggregate the reports again")
    return Aggregate(sampled.fingerprint, sampled.reports(tally), tally)
