"""Aggregates as files: the counts of a plan's codes, and of which collectors they are, so that none counts twice."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sordino.document.files import write_text
from sordino.document.formats import AGGREGATE
from sordino.document.kinds import read_document
from sordino.errors import DamagedError, RefusedError, SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.plan import Plan
from sordino.survey.results.sourced_aggregate import (
    LARGEST_COUNT,
    can_add_up,
    counts_hash,
    sources_of,
    unsourced_of,
    with_sources,
)

HIDES = "hides_sources"
"""Of a public tally of several collectors: whose reports it holds is not said, so that nothing can be added to it."""

FIELDS = frozenset(AGGREGATE.stamp({"plan": "", "counts": [], "source": "", "sources": {}, HIDES: True}))

SOURCE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{64}")
"""A collector's id, or the hash of the counts of a tally that was made elsewhere."""


def save_aggregate(plan: Plan, aggregate: Aggregate, path: Path, *, overwrite: bool = False) -> None:
    """Write the counts of a plan's codes, whole or not at all."""
    write_text(path, aggregate_text(plan, aggregate), overwrite=overwrite)


def aggregate_text(plan: Plan, aggregate: Aggregate, *, public: bool = False) -> str:
    """The file of an aggregate: all counts, and those of each source that is known.

    Where all sources are known, the largest is named as the source of what the others leave: its counts need no list.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        public: whether it is for everybody: of several sources only the sum is told.
    """
    counts: dict[str, Any] = {"plan": plan.hash, "counts": aggregate.counts.tolist()}
    if public and len(sources_of(aggregate)) > 1:
        return _text(counts | {HIDES: True})
    sources = sources_of(aggregate)
    listed = sorted(sources)
    if sources and not unsourced_of(aggregate).counts.any():
        counts["source"] = max(listed, key=lambda source: sources[source].n)
        listed.remove(counts["source"])
    if listed:
        counts["sources"] = {source: sources[source].counts.tolist() for source in listed}
    return _text(counts)


def _text(counts: Mapping[str, Any]) -> str:
    return json.dumps(AGGREGATE.stamp(counts), separators=(",", ":")) + "\n"


def load_aggregate(plan: Plan, path: Path, *, alone: bool = True) -> Aggregate:
    """Read the counts of a plan's codes; `alone` as of `aggregate_of`.

    Raises:
        SordinoError: no aggregate, of a newer version or of another plan, or counts that do not fit.
    """
    return aggregate_of(plan, read_document(path, AGGREGATE), str(path), alone=alone)


def aggregate_of(plan: Plan, document: Mapping[str, Any], name: str, *, alone: bool = True) -> Aggregate:
    """The counts of an aggregate's document, whose format and version are known.

    Args:
        plan: that it belongs to.
        document: the file's.
        name: for messages.
        alone: whether it is not added to others.

    Raises:
        SordinoError: of another plan, or counts that do not fit.
        RefusedError: a public tally that would be added to others, whose reports could then count twice.
    """
    if unknown := len(document.keys() - FIELDS):
        rule = f"{name} must have only the fields of an aggregate"
        raise DamagedError(rule, found=f"{unknown} more", step="get the file again")
    if HIDES in document and not alone:
        raise RefusedError(
            f"{name} must not be added to other reports, since it does not say which collectors' reports it holds",
            found="a public tally of several collectors",
            step="take their tallies with the analyst's token",
        )
    if document.get("plan") != plan.hash:
        step = "estimate each plan's reports apart"
        raise SordinoError(f"{name} must belong to the plan", found="the aggregate of a different plan", step=step)
    total, listed = _counts(plan, document.get("counts", []), name), document.get("sources", {})
    names = [*(listed if isinstance(listed, dict) else [None]), *([document["source"]] if "source" in document else [])]
    if not all(isinstance(one, str) and SOURCE.fullmatch(one) for one in names) or len(set(names)) < len(names):
        rule = f"{name} must name collectors by 32 hexadecimal digits, other tallies by the 64 of their hash, each once"
        raise DamagedError(rule, found="different names", step="get the file again")
    sources = {source: _counts(plan, counts, f"{name}, source {source}") for source, counts in listed.items()}
    rest = total.counts.copy()
    for own in sources.values():
        # Looked at one by one: many large ones would go round in 64 bits.
        rest -= own.counts
        if not can_add_up(plan.sampled, rest):
            rule = f"{name} must hold in all the reports of its sources, and perhaps others"
            raise DamagedError(rule, found="fewer counts, or impossible ones", step="get the file again")
    others = Aggregate(total.fingerprint, plan.sampled.reports(rest), rest)
    if "source" in document:
        sources[document["source"]], others = others, plan.sampled.tally(np.empty(0, dtype=np.uint64))
    for source, own in sources.items():
        if len(source) == len(counts_hash(own)) and source != counts_hash(own):
            rule = f"{name}, source {source}: a tally that no collector took must have the hash of its counts"
            raise DamagedError(rule, found="different counts", step="get the file again")
    return with_sources(others, sources)


def _counts(plan: Plan, counts: object, name: str) -> Aggregate:
    """A list of counts as a tally.

    Raises:
        DamagedError: others than reports can add up to.
    """
    sampled, length = plan.sampled, plan.sampled.first_counters[-1]
    whole = isinstance(counts, list) and all(type(count) is int and 0 <= count < LARGEST_COUNT for count in counts)
    if not isinstance(counts, list) or not whole or len(counts) != length:
        found = f"{len(counts):,} counts" if isinstance(counts, list) else "no list of counts"
        rule = f"{name} must have a count >= 0 for each of {length} counters"
        raise DamagedError(rule, found=found, step="get the file again")
    tally = np.array(counts, dtype=np.int64)
    if sum(counts) >= LARGEST_COUNT or not sampled.possible(tally):
        rule = f"{name} must hold counts that reports can add up to"
        raise DamagedError(rule, found="counts that are not", step="aggregate the reports again")
    return Aggregate(sampled.fingerprint, sampled.reports(tally), tally)
