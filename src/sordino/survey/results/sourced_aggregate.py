"""The tally of a plan's reports by the collectors that took them: put together with others, it counts no report twice.

A collector has a random id, and its own tally only grows between two reports that are taken back, which it counts.
Hence of two tallies of one collector the later one is that after more of these; after as many, the one that holds the
other. It takes the earlier one's place. If neither is later, reports were lost or made in between: they are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.query.sampled import Sampled

LARGEST_COUNT = 2**53
"""Counts are below this, all together, so that every reader of JSON takes them for what they are."""


@dataclass(frozen=True, eq=False, repr=False)
class SourcedAggregate(Aggregate):
    """A tally of a plan's reports that says how many of them each source holds.

    Attributes:
        sources: the tally of each collector's own reports by its id, 32 hexadecimal digits; of reports that were
            tallied elsewhere and then merged by a collector, by the hash of their counts, 64 digits (`counts_hash`).
            All other reports are of no known source.
        erased: how many reports each collector was made to forget until then; of those that are not named, none.
    """

    sources: Mapping[str, Aggregate] = field(default_factory=dict)
    erased: Mapping[str, int] = field(default_factory=dict)

    @property
    def unsourced_aggregate(self) -> Aggregate:
        """The tally of the reports of no known source."""
        rest: Aggregate = self
        for own in self.sources.values():
            rest = without(rest, own, rest.n - own.n)
        return Aggregate(rest.fingerprint, rest.n, rest.counts, rest.cells)

    def __add__(self, other: Aggregate) -> Aggregate:
        """The tally of both sets of reports, which are of different sources.

        Raises:
            SordinoError: reports of different mechanisms, or of one source in both, which would count twice.
        """
        if both := len(self.sources.keys() & sources_of(other).keys()):
            rule, step = "tallies that add must be of different collectors", "put them together by aggregate(plan, ...)"
            raise SordinoError(rule, found=f"{both} whose reports are in both", step=step)
        sources, erased = {**self.sources, **sources_of(other)}, {**self.erased, **erased_of(other)}
        return with_sources(self.unsourced_aggregate + unsourced_of(other), sources, erased)

    __radd__ = __add__


def sources_of(aggregate: Aggregate) -> Mapping[str, Aggregate]:
    """The sources of a tally; none of one that does not say."""
    return aggregate.sources if isinstance(aggregate, SourcedAggregate) else {}


def erased_of(aggregate: Aggregate) -> Mapping[str, int]:
    """How many reports each source of a tally was made to forget; none of one that does not say."""
    return aggregate.erased if isinstance(aggregate, SourcedAggregate) else {}


def unsourced_of(aggregate: Aggregate) -> Aggregate:
    """The tally of the reports of no known source; all of one that does not say."""
    return aggregate.unsourced_aggregate if isinstance(aggregate, SourcedAggregate) else aggregate


def with_sources(
    unsourced: Aggregate, sources: Mapping[str, Aggregate], erased: Mapping[str, int] | None = None
) -> Aggregate:
    """The tally of some sources, and of reports of no known source."""
    total = sum(sources.values(), unsourced)
    if not sources:
        return total
    counted = {source: number for source, number in (erased or {}).items() if number}
    return SourcedAggregate(total.fingerprint, total.n, total.counts, total.cells, dict(sources), counted)


def without(whole: Aggregate, part: Aggregate, n: int) -> Aggregate:
    """What a tally holds beside a part of it, by public cells too; below 0 where it does not hold all of that.

    Args:
        whole: the tally.
        part: that is taken off.
        n: how many reports are left.
    """
    cells = {cell: counts.copy() for cell, counts in whole.cells.items()}
    for cell, counts in part.cells.items():
        cells[cell] = cells[cell] - counts if cell in cells else -counts
    left = {cell: counts for cell, counts in cells.items() if counts.any()}
    return Aggregate(whole.fingerprint, n, whole.counts - part.counts, left)


def counts_bytes(aggregate: Aggregate) -> bytes:
    """The counters as little-endian int64, one after the other; then each public cell and its counters, ascending."""
    cells = [part for cell in sorted(aggregate.cells) for part in (np.array([cell]), aggregate.cells[cell])]
    return np.concatenate([aggregate.counts, *cells]).astype("<i8").tobytes()


def of_counts_bytes(sampled: Sampled, content: bytes) -> Aggregate:
    """The tally whose counters these are."""
    counters = sampled.first_counters[-1]
    words = np.frombuffer(content, dtype="<i8").astype(np.int64)
    counts, rows = words[:counters], words[counters:].reshape(-1, counters + 1)
    return Aggregate(sampled.fingerprint, sampled.reports(counts), counts, {int(row[0]): row[1:] for row in rows})


def counts_hash(aggregate: Aggregate) -> str:
    """SHA-256 of the counters, by which a tally of no known source is recognized: it reveals nothing but these."""
    return sha256(counts_bytes(aggregate)).hexdigest()


def is_later(
    sampled: Sampled, source: str, known: Aggregate, found: Aggregate, erased: tuple[int, int] = (0, 0)
) -> bool:
    """Whether a tally is later than a known one of the same source; not of the same one again.

    Args:
        sampled: the plan's queries.
        source: for the message.
        known: the tally that is counted.
        found: another one.
        erased: how many reports the source was made to forget until the known one, and until the other.

    Raises:
        RefusedError: neither can have become the other.
    """
    before, now = erased
    if now != before:
        first, last = (known, found) if now > before else (found, known)
        # Each that was taken back is one report at most: if more are missing, they were lost.
        if last.n >= first.n - abs(now - before):
            return now > before
    elif has_reports(sampled, without(known, found, 0)):
        return False
    elif has_reports(sampled, without(found, known, 0)):
        return True
    raise RefusedError(
        "of two tallies of one collector the later must hold all reports of the earlier but those taken back",
        found=f"{known.n:,} and {found.n:,} reports of {source}, of which neither holds the other",
        step="its store was copied, or restored from a copy: see which of the two is right, and use that one alone",
    )


def join(sampled: Sampled, first: Aggregate, second: Aggregate) -> Aggregate:
    """The tally of what two tallies hold together: of each source the later one, and all reports of no known source.

    Raises:
        RefusedError: tallies of one source of which neither holds the other.
        SordinoError: of different plans.
    """
    unsourced, sources = unsourced_of(first) + unsourced_of(second), dict(sources_of(first))
    erased, theirs = dict(erased_of(first)), erased_of(second)
    for source, found in sources_of(second).items():
        known, both = sources.get(source), (erased.get(source, 0), theirs.get(source, 0))
        if known is None or is_later(sampled, source, known, found, both):
            sources[source], erased[source] = found, both[1]
    return with_sources(unsourced, sources, erased)


def require_countable(*aggregates: Aggregate, most: int = LARGEST_COUNT) -> None:
    """Refuse tallies whose counts together no file could hold.

    Args:
        aggregates: of any counts; nothing is added up in 64 bits.
        most: the counts together that are too many, a power of 2.

    Raises:
        RefusedError: too many.
    """
    total = sum(sum(aggregate.counts.tolist()) for aggregate in aggregates)
    if total >= most:
        rule = f"the counts of tallies must add up to less than 2^{most.bit_length() - 1}"
        raise RefusedError(rule, found=shown(total), step="see which of them holds more reports than people can send")


def can_add_up(sampled: Sampled, counts: NDArray[np.int64]) -> bool:
    """Whether reports can add up to these counters, which may be a difference of two tallies."""
    return bool((counts >= 0).all()) and sampled.possible(counts)


def has_reports(sampled: Sampled, tally: Aggregate) -> bool:
    """Whether reports can add up to a tally's counters, and to those of each of its public cells."""
    return all(can_add_up(sampled, counts) for counts in (tally.counts, *tally.cells.values()))
