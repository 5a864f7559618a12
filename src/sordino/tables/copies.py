"""Notices a file of reports that is a copy of another: its reports would count twice.

Two files of a few reports may be equal by chance, and so may two that somebody sorted. But where a code is followed by
a smaller one at t places that do not overlap, swapping any of these pairs gives 2^t orders, all of them as likely for
people who come in no particular order: the chance that another file has just this one is at most 2^-t.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.tables.frame import PathOrFrame

CERTAIN = 40
"""Pairs from which on no chance is left: 2^-40 is below 10^-12."""


class Copies:
    """The files that were read so far, by their codes in their order: a copy in another format is one too."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._seen: dict[bytes, PathOrFrame] = {}

    def note_copies(self, table: PathOrFrame, batches: Iterator[NDArray[np.uint64]]) -> Iterator[NDArray[np.uint64]]:
        """The codes of a file as they are read.

        Raises:
            SordinoError: at their end, if they are those of an earlier file and cannot be by chance.
        """
        digest, n, pairs = blake2b(digest_size=32), 0, 0
        last = np.empty(0, dtype=np.uint64)
        falls = False
        for codes in batches:
            yield codes
            digest.update(codes.astype("<u8", copy=False).tobytes())
            n += len(codes)
            ends = np.concatenate([last, codes])
            falling = ends[1:] < ends[:-1]
            # Of a run of falls only the first counts, so that pairs do not overlap.
            pairs += int(np.count_nonzero(falling[1:] & ~falling[:-1])) + int(falling[:1].any() and not falls)
            falls = bool(falling[-1]) if len(falling) else falls
            last = ends[-1:]
        self._compare(table, digest.digest(), n, pairs)

    def _compare(self, table: PathOrFrame, digest: bytes, n: int, pairs: int) -> None:
        first = self._seen.setdefault(digest, table)
        if first is table or n == 0:
            return
        if pairs >= CERTAIN:
            raise SordinoError(
                f"{table} must hold other reports than {first}",
                found=f"the same {n:,} in the same order: a copy",
                step="name one of them",
            )
        self._note(f"{table} holds the same {n:,} reports as {first}, by chance or as a copy; they count twice")
