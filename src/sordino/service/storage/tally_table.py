"""The tallies that a store keeps of one plan: of its own reports whose codes are gone, and of other collectors'."""

import numpy as np

from sordino.errors import RefusedError
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.service.storage.database import SCRUBBED, Database
from sordino.survey.planning.plan import Plan
from sordino.survey.results.sourced_aggregate import counts_bytes, growth, of_counts_bytes

NOBODY = np.empty(0, dtype=np.uint64)

MOST_SOURCES = 256
"""Other sources whose tallies a collector keeps: each is handed on by itself."""


class TallyTable:
    """One tally for each source. Its methods run within a transaction, but for those that only read."""

    def __init__(self, plan: Plan, number: int, database: Database) -> None:
        self._plan, self._number, self._database = plan, number, database

    def find(self, source: str) -> Aggregate:
        """The tally of a source; of no reports if there is none."""
        rows = self._database.rows("SELECT counts FROM tally WHERE plan = ? AND source = ?", self._number, source)
        return of_counts_bytes(self._plan.sampled, rows[0][0]) if rows else self._plan.tally(NOBODY)

    def others(self) -> dict[str, Aggregate]:
        """The tallies of others, by their sources."""
        words = "SELECT source, counts FROM tally WHERE plan = ? AND source != ? ORDER BY source"
        rows = self._database.rows(words, self._number, SCRUBBED)
        return {source: of_counts_bytes(self._plan.sampled, counts) for source, counts in rows}

    def save(self, source: str, tally: Aggregate) -> None:
        """Keep a tally in the place of an earlier one of its source."""
        words = "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (plan, source) DO UPDATE SET counts = EXCLUDED.counts"
        self._database.rows(words, self._number, source, counts_bytes(tally))

    def merge(self, source: str, found: Aggregate) -> tuple[Aggregate, str]:
        """Keep a source's tally in the place of an earlier one: what is new, and words for it.

        Raises:
            RefusedError: neither holds the other.
        """
        known = self.find(source)
        more = growth(self._plan.sampled, source, known, found)
        if more.n:
            self.save(source, found)
        if not known.n:
            return more, "reports that were not known" if more.n else "no reports"
        if more.n:
            return more, f"a later tally than the {known.n:,} reports that were known, whose place it takes"
        if found.n < known.n:
            return more, f"an earlier tally than the {known.n:,} reports that are known: nothing was added"
        return more, "the tally that is known: nothing was added"

    def require_few_sources(self) -> None:
        """Refuse more sources than are kept.

        Raises:
            RefusedError: there are more.
        """
        words = "SELECT count(*) FROM tally WHERE plan = ? AND source != ?"
        ((sources,),) = self._database.rows(words, self._number, SCRUBBED)
        if sources > MOST_SOURCES:
            rule = f"a collector takes tallies of at most {MOST_SOURCES} other sources"
            step = "add the tallies up by `sordino aggregate`, and estimate from the file"
            raise RefusedError(rule, found=shown(sources), step=step)
