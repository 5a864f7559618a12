"""What comes to a collector, and what it says of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate

ID_BYTES = 16
"""Length of a report's id."""

MOST_NAMED = 256
"""Failed reports that a receipt names; of all others it has the number: an upload may hold a million."""


@dataclass(frozen=True, eq=False)
class Upload:
    """Reports of one plan that came together.

    Attributes:
        ids: of each report, 16 bytes, one after the other.
        codes: of each, shape (n,): codes, or their numbers with public values (`PublicCells`).
        invitation: the hash of the one that they came by, if they came by one.
    """

    ids: bytes
    codes: Words
    invitation: bytes | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def id_at(self, place: int) -> bytes:
        """The id of one report."""
        return self.ids[ID_BYTES * place : ID_BYTES * (place + 1)]


@dataclass(frozen=True)
class Erasure:
    """A report that its sender takes back.

    Attributes:
        invitations: the hashes that the link may have by which it was sent or would be, one for each period in which it
            can still arrive; none where it came without a link.
    """

    id: bytes
    invitations: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Receipt:
    """What became of an upload.

    Attributes:
        accepted: reports that are new, and on disk.
        repeated: reports that were there already, as far as is known with the same code; or by an invitation that was
            used already.
        failed: places of the others in the upload, and why: of the first `MOST_NAMED`.
        failures: how many others there are.
        invited: whether they may come as they did; else nothing of them is kept.
    """

    accepted: int
    repeated: int
    failed: tuple[tuple[int, str], ...] = ()
    failures: int = 0
    invited: bool = True


@dataclass(frozen=True)
class MergedPart:
    """What became of one source of a tally that was merged.

    Attributes:
        source: the id of the collector, or the hash of the counts of a tally that no collector took.
        reports: how many the tally holds of it.
        added: how many more are counted now than before, and on disk; below 0 where reports were taken back.
    """

    source: str
    reports: int
    added: int
    outcome: str


def join_uploads(uploads: Sequence[Upload]) -> Upload:
    """The reports of some uploads, one after the other."""
    if len(uploads) == 1:
        return uploads[0]
    return Upload(b"".join(upload.ids for upload in uploads), np.concatenate([upload.codes for upload in uploads]))


def take_away(tally: Aggregate, erased: Aggregate) -> Aggregate:
    """A tally without some of its reports."""
    cells = {cell: -counts for cell, counts in erased.cells.items()}
    left = tally + Aggregate(erased.fingerprint, -erased.n, -erased.counts, cells)
    return replace(left, cells={cell: counts for cell, counts in left.cells.items() if counts.any()})
