"""The tallies that a store keeps of one plan: of its own reports whose codes are gone, and of other collectors'."""

import numpy as np

from sordino.errors import RefusedError
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.service.storage.database import SCRUBBED, Database
from sordino.survey.planning.plan import Plan
from sordino.survey.results.sourced_aggregate import counts_bytes, is_later, of_counts_bytes, with_sources

NOBODY = np.empty(0, dtype=np.uint64)

MOST_SOURCES = 256
"""Other sources whose tallies a collector keeps: each is handed on by itself."""


class TallyTable:
    """One tally for each source. Its methods run within a transaction, but for those that only read."""

    def __init__(self, plan: Plan, number: int, database: Database) -> None:
        self._plan, self._number, self._database = plan, number, database

    def find(self, source: str) -> Aggregate:
        """The tally of a source; of no reports if there is none."""
        return self._find(source)[0]

    def _find(self, source: str) -> tuple[Aggregate, int]:
        words = "SELECT counts, erased FROM tally WHERE plan = ? AND source = ?"
        rows = self._database.rows(words, self._number, source)
        if not rows:
            return self._plan.tally(NOBODY), 0
        return of_counts_bytes(self._plan.sampled, rows[0][0]), rows[0][1]

    def others(self) -> Aggregate:
        """The tallies of others, by their sources."""
        words = "SELECT source, counts, erased FROM tally WHERE plan = ? AND source != ? ORDER BY source"
        rows = self._database.rows(words, self._number, SCRUBBED)
        sources = {source: of_counts_bytes(self._plan.sampled, counts) for source, counts, _ in rows}
        return with_sources(self._plan.tally(NOBODY), sources, {source: erased for source, _, erased in rows})

    def save(self, source: str, tally: Aggregate, erased: int = 0) -> None:
        """Keep a tally in the place of an earlier one of its source."""
        words = (
            "INSERT INTO tally (plan, source, counts, erased) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (plan, source) DO UPDATE SET counts = EXCLUDED.counts, erased = EXCLUDED.erased"
        )
        self._database.rows(words, self._number, source, counts_bytes(tally), erased)

    def merge(self, source: str, found: Aggregate, erased: int) -> tuple[int, str]:
        """Keep a source's tally in the place of an earlier one: how many reports are new, and words for it.

        Args:
            source: whose reports they are.
            found: the tally.
            erased: how many reports the source was made to forget until then.

        Raises:
            RefusedError: neither tally can have become the other.
        """
        known, before = self._find(source)
        later = is_later(self._plan.sampled, source, known, found, (before, erased))
        if later:
            self.save(source, found, erased)
        if not known.n and not before:
            return found.n, "reports that were not known" if later else "no reports"
        if later:
            words = f"a later tally than the {known.n:,} reports that were known, whose place it takes"
            return found.n - known.n, words if erased == before else f"{words}; some of these were taken back"
        if (found.n, erased) != (known.n, before):
            return 0, f"an earlier tally than the {known.n:,} reports that are known: nothing was added"
        return 0, "the tally that is known: nothing was added"

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
