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
from sordino.mechanism.channel import Aggregate
from sordino.survey.planning.plan import Plan
from sordino.survey.results.sourced_aggregate import (
    LARGEST_COUNT,
    counts_hash,
    erased_of,
    has_reports,
    require_countable,
    sources_of,
    unsourced_of,
    with_sources,
    without,
)

HIDES = "hides_sources"
"""Of a public tally of several collectors: whose reports it holds is not said, so that nothing can be added to it."""

ERASED = "erased"
"""How many reports each collector was made to forget: which of its tallies is the later one."""

NAMES = "plan", "counts", "cells", "source", "sources", ERASED, HIDES
FIELDS = frozenset(AGGREGATE.stamp(dict.fromkeys(NAMES)))

SOURCE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{64}")
"""A collector's id, or the hash of the counts of a tally that was made elsewhere."""

COLLECTOR_DIGITS = 32


def save_aggregate(plan: Plan, aggregate: Aggregate, path: Path, *, overwrite: bool = False) -> None:
    """Write the counts of a plan's codes, whole or not at all."""
    write_text(path, aggregate_text(plan, aggregate), overwrite=overwrite)


def aggregate_text(plan: Plan, aggregate: Aggregate, *, public: bool = False, least: int = 1) -> str:
    """The file of an aggregate: all counts, and those of each source that is known.

    Where all sources are known, the largest is named as the source of what the others leave: its counts need no list.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        public: whether it is for everybody: of several sources only the sum is told.
        least: reports without which no public cell is told to everybody: where one has fewer, none is; of a period of
            a series that has fewer, nothing.
    """
    whole = aggregate.n
    aggregate = of_large_periods(plan, aggregate, least) if public else aggregate
    counts: dict[str, Any] = {"plan": plan.hash, "counts": aggregate.counts.tolist()}
    is_hidden = public and any(plan.sampled.reports(own) < least for own in aggregate.cells.values())
    if is_hidden:
        return _text(counts | {HIDES: True})
    if plan.cells.parts:
        counts["cells"] = _cells_json(plan, aggregate)
    if public and (len(sources_of(aggregate)) > 1 or aggregate.n < whole):
        return _text(counts | {HIDES: True})
    sources = sources_of(aggregate)
    listed = sorted(sources)
    if sources and not unsourced_of(aggregate).counts.any():
        counts["source"] = max(listed, key=lambda source: sources[source].n)
        listed.remove(counts["source"])
    if listed:
        counts["sources"] = {
            source: _cells_json(plan, sources[source]) if plan.cells.parts else sources[source].counts.tolist()
            for source in listed
        }
    if erased := erased_of(aggregate):
        counts[ERASED] = dict(sorted(erased.items()))
    return _text(counts)


def of_large_periods(plan: Plan, aggregate: Aggregate, least: int) -> Aggregate:
    """What everybody may see of a tally: of a plan with a series the reports of periods that have enough of them.

    Of the others nothing, in no total either: who takes away what is shown of each period would have theirs.

    Args:
        plan: that the reports belong to.
        aggregate: their tally; one that does not say which periods its reports are of has none that may be shown.
        least: reports without which a period is not shown.
    """
    if plan.series is None:
        return aggregate
    periods = plan.series.periods
    counts = [0] * periods
    for cell, own in aggregate.cells.items():
        counts[cell % periods] += plan.sampled.reports(own)
    if sum(counts) == aggregate.n and all(n >= least for n in counts if n):
        return aggregate
    cells = {cell: own for cell, own in aggregate.cells.items() if counts[cell % periods] >= least}
    total = sum(cells.values(), np.zeros_like(aggregate.counts))
    return Aggregate(aggregate.fingerprint, plan.sampled.reports(total), total, cells)


def _cells_json(plan: Plan, aggregate: Aggregate) -> list[dict[str, Any]]:
    cells = sorted(aggregate.cells)
    return [{"public": plan.cells.labels(cell), "counts": aggregate.cells[cell].tolist()} for cell in cells]


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
    total, listed = _total(plan, document, name), document.get("sources", {})
    names = [*(listed if isinstance(listed, dict) else [None]), *([document["source"]] if "source" in document else [])]
    if not all(isinstance(one, str) and SOURCE.fullmatch(one) for one in names) or len(set(names)) < len(names):
        rule = f"{name} must name collectors by 32 hexadecimal digits, other tallies by the 64 of their hash, each once"
        raise DamagedError(rule, found="different names", step="get the file again")
    read = _cells if plan.cells.parts else _counts
    sources = {source: read(plan, counts, f"{name}, source {source}") for source, counts in listed.items()}
    rest = total
    for own in sources.values():
        # Looked at one by one: many large ones would go round in 64 bits.
        rest = without(rest, own, 0)
        if not has_reports(plan.sampled, rest):
            rule = f"{name} must hold in all the reports of its sources, and perhaps others"
            raise DamagedError(rule, found="fewer counts, or impossible ones", step="get the file again")
    others = Aggregate(total.fingerprint, plan.sampled.reports(rest.counts), rest.counts, rest.cells)
    if "source" in document:
        sources[document["source"]], others = others, plan.tally(np.empty(0, dtype=np.uint64))
    for source, own in sources.items():
        if len(source) == len(counts_hash(own)) and source != counts_hash(own):
            rule = f"{name}, source {source}: a tally that no collector took must have the hash of its counts"
            raise DamagedError(rule, found="different counts", step="get the file again")
    return with_sources(others, sources, _read_erasures(document, sources, name))


def _read_erasures(document: Mapping[str, Any], sources: Mapping[str, Aggregate], name: str) -> Mapping[str, int]:
    """How many reports each collector was made to forget.

    Raises:
        DamagedError: no such numbers, or of others.
    """
    erased = document.get(ERASED, {})
    if (
        not isinstance(erased, dict)
        or not erased.keys() <= {source for source in sources if len(source) == COLLECTOR_DIGITS}
        or not all(type(number) is int and 0 < number < LARGEST_COUNT for number in erased.values())
    ):
        rule = f"{name} must say of its collectors alone how many reports were taken back"
        raise DamagedError(rule, found="other names or numbers", step="get the file again")
    return erased


def _total(plan: Plan, document: Mapping[str, Any], name: str) -> Aggregate:
    """All counts; of a plan with public columns by cells, which add up to them.

    Raises:
        DamagedError: others.
    """
    total = _counts(plan, document.get("counts", []), name)
    if HIDES in document and "cells" not in document:
        return total
    if bool(plan.cells.parts) != ("cells" in document):
        rule = f"{name} must have counts by public values where the plan has public columns, and only there"
        raise DamagedError(
            rule, found="cells" if "cells" in document else "no cells", step="aggregate the reports again"
        )
    if not plan.cells.parts:
        return total
    found = _cells(plan, document["cells"], name)
    if not np.array_equal(found.counts, total.counts):
        rule = f"{name} must hold counts by public values that add up to all counts"
        raise DamagedError(rule, found="counts with another sum", step="get the file again")
    return found


def _cells(plan: Plan, listed: object, name: str) -> Aggregate:
    """A list of counts by public values as a tally.

    Raises:
        DamagedError: no such list, public values that the plan has not, or counts that none add up to.
    """
    total = plan.tally(np.empty(0, dtype=np.uint64))
    for each in listed if isinstance(listed, list) else [None]:
        one = each if isinstance(each, dict) and each.keys() == {"public", "counts"} else {"public": None}
        cell = plan.cells.of_labels(one["public"])
        if cell is None or cell in total.cells:
            rule = f"{name} must have counts for public values of the plan, each combination once"
            raise DamagedError(rule, found="values that the plan has not, or has twice", step="get the file again")
        own = _counts(plan, one["counts"], f"{name}, {', '.join(plan.cells.labels(cell).values())}")
        require_countable(total, own)
        total += Aggregate(own.fingerprint, own.n, own.counts, {cell: own.counts} if own.n else {})
    return total


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
