"""Repeatable random words: the same record, value and task always draw the same words; a changed value draws afresh.

A bulk engine that computes a task twice (a retry, a lazy table) must not draw twice: that would be a second release.
Words = PRF(key; task, record id, value, draw), in any order, batching and chunking. Mechanisms are exact for ideal
words; in practice the promise is computational, under AES-256 and SHA-256. **Whoever has the key can undo the noise**
of every report made with it: destroy it as soon as the reports are final. Two reports of one record and task whose
value changed are independent, so their losses add; and where they differ, they show that it changed. The value is what
the channel takes: the bin of a number whose bin is asked, the cell of a place, and where numbers are rounded at random
the numbers themselves.

Construction: AES under a key from HKDF-SHA256 (RFC 5869), with the use, the kind of values and the task as info; a
CBC-MAC over words of 64 bits, as many for each record: two of the id, those of the value, the number of the pair of
draws; two a block, the last filled with zeros. Inputs of one key have one length, so it is a pseudorandom function
(Bellare, Kilian, Rogaway 2000); each of its outputs is two words. Cost: two encryptions for two words of one value.

The id is 128 bits. A whole number of at most 64 bits is itself: modulo 2^64, and in the high word 1 if it is negative,
else 0. Of any other text all bytes count: it is the CBC-MAC, under a key of its own, of its length in bytes and its
UTF-8 bytes in blocks, the last filled with zeros. With the length first no input begins another, so this is a
pseudorandom function too (Petrank, Rackoff 2000), and any two ids that differ meet with a chance of 2^-128, unless
somebody who has the key looks for such a pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import checked_class
from sordino.exact.record_ids import PIECE, RecordIds, Texts, first_repeated
from sordino.exact.source import Rows, Stream, Words
from sordino.exact.word_arithmetic import select

KEY_BYTES = 32

LABEL = b"sordino keyed words 2"
"""Of the construction: another one would need another number, or the same key would give other words."""

TEXT = "text id"
"""The use of the key that makes ids of texts; those that make words are called otherwise."""

NO_WORD = np.uint64(0)
"""Fills a block of one word."""

MISSING = np.uint64(0x7FF8000000000000)
"""The one spelling of a number that is missing."""

Draws: TypeAlias = NDArray[np.uint32]


@checked_class
class KeyedSource:
    """The words of one task.

    Example:
        >>> source = KeyedSource(bytes(32), "plan 7, first wave")
        >>> words = source.for_records([17, 18]).stream(np.array([3, 3])).next()
        >>> bool(words[1] == source.for_records([18]).stream(np.array([3])).next()[0])
        True
    """

    def __init__(self, key: bytes, task: str) -> None:
        """Take a key for one task.

        Args:
            key: 32 random bytes, secret until they are destroyed.
            task: all that tells this release from any other under the key: the plan's hash, and a name. A record
                answers one question in a task: two answers with the same words would tell far more than both apart.

        Raises:
            SordinoError: a key of another length, or a task that UTF-8 cannot hold.
        """
        if len(key) != KEY_BYTES:
            raise SordinoError(
                f"a key must have {KEY_BYTES} bytes", found=str(len(key)), step="secrets.token_bytes(32) makes one"
            )
        try:
            self._task = task.encode()
        except UnicodeEncodeError:
            raise SordinoError("a task must be a text", found="one that UTF-8 cannot hold") from None
        self._key = key
        self._derived: dict[str, bytes] = {}  # by their use

    def for_records(self, ids: ArrayLike | Sequence[str]) -> "KeyedRecords":
        """The source for one batch of records.

        Args:
            ids: whole numbers of at most 64 bits, or texts, shape (n,). No two may be equal in all batches of a task:
                here only those of this one are compared.

        Raises:
            SordinoError: ids of another kind, or one of them twice (named by position).
        """
        records = self.for_compared(RecordIds.of(ids))
        second = first_repeated(records.low, records.high)
        if second is not None:
            raise SordinoError(
                "each record of a task must have a different id",
                found=f"the one at position {second} a second time",
                step="two records with one id would share their noise",
            )
        return records

    def for_compared(self, ids: RecordIds) -> "KeyedRecords":
        """The source for one batch of records whose ids are known to differ from each other and all of the task."""
        if not ids.rows.size:
            return KeyedRecords(self, ids.low, ids.high)
        words = self._text_ids(ids.texts)
        if len(words) < len(ids.low):
            own, words = words, np.stack([ids.low, ids.high], axis=1)
            _put(words, ids.rows, own)
        return KeyedRecords(self, *words.T)

    def of_plan(self, plan_hash: str) -> "KeyedSource":
        """The source of this task's release of one plan; that of another plan has other words.

        Example:
            >>> KeyedSource(bytes(32), "first wave").of_plan("sha256:00")
            KeyedSource(<key not shown>, 'sha256:00 first wave')
        """
        return KeyedSource(self._key, f"{plan_hash} {self._task.decode()}")

    def handed_over(self) -> tuple[bytes, str]:
        """The key and the task, of which another process makes the same source; whoever has them can undo the noise."""
        return self._key, self._task.decode()

    def _text_ids(self, texts: Texts) -> Words:
        """The 128 bits of each text, shape (n, 2)."""
        cipher = self._cipher(TEXT)
        ids = np.empty((len(texts), 2), dtype=np.uint64)
        for start in range(0, len(texts), PIECE):
            piece = texts.take(slice(start, start + PIECE))
            chain = _encrypt(cipher, None, piece.lengths.astype(np.uint64))
            for rows, blocks in piece.blocks():
                # Nearly always all have one block more, or none.
                mine = chain if len(rows) == len(piece) else chain.take(rows, axis=0)
                _put(chain, rows, _encrypt(cipher, mine, *blocks.T))
            ids[start : start + len(piece)] = chain
        return ids

    def _cipher(self, use: str) -> CipherContext:
        """A block cipher for inputs of one kind, in batches of whole blocks."""
        if use not in self._derived:
            info = b"\0".join((LABEL, use.encode(), self._task))
            self._derived[use] = HKDF(SHA256(), KEY_BYTES, salt=None, info=info).derive(self._key)
        # Each block by itself: the chaining is done here, for all records at once.
        return Cipher(algorithms.AES(self._derived[use]), modes.ECB()).encryptor()  # noqa: S305

    def __repr__(self) -> str:
        return f"KeyedSource(<key not shown>, {self._task.decode()!r})"

    def __reduce__(self) -> NoReturn:
        """A pickle would hold the key, wherever it is written to: refuse."""
        raise TypeError("a keyed source is never pickled or copied: pass the key on, and make a new source from it")


@dataclass(frozen=True, eq=False, repr=False)
class KeyedRecords:
    """The words of a batch of records of a task: a `Source` for as many values, in the same order.

    Nearly all ids that differ have another low half of their bits, shape (n,).
    """

    source: KeyedSource
    low: Words
    high: Words

    def stream(self, values: NDArray[np.number]) -> Stream:
        """The words for each record's value: numbers of shape (n,), or rows of them, shape (n, w)."""
        kind, columns = _value_words(np.asarray(values))
        self._require_one_each(len(values))
        return self._words(kind, columns)

    def public(self, count: int, use: str = "question") -> Stream:
        """Words of each record that do not depend on its value, nor tell anything about those of any other use."""
        self._require_one_each(count)
        return self._words("public" if use == "question" else f"public {use}", [])

    def take(self, rows: Rows) -> "KeyedRecords":
        return KeyedRecords(self.source, self.low[rows], self.high[rows])

    def _words(self, use: str, columns: list[Words]) -> "_KeyedStream":
        inputs = [self.low, self.high, *columns]
        return _KeyedStream(self.source._cipher(use), inputs, np.zeros(len(self.low), dtype=np.uint32))  # noqa: SLF001 - its other half

    def _require_one_each(self, count: int) -> None:
        if count != len(self.low):
            raise SordinoError(
                "there must be as many values as record ids", found=f"{count} values and {len(self.low)} ids"
            )


class _KeyedStream:
    """The words of some rows: each row's next word depends on its own input and on how many words it drew."""

    def __init__(
        self, cipher: CipherContext, inputs: list[Words], drawn: Draws, places: NDArray[np.intp] | None = None
    ) -> None:
        self._cipher = cipher
        self._inputs = inputs  # columns of 64 bits, two a block; the number of the pair is one more
        self._drawn = drawn  # shared with all streams of the same rows, so that none repeats another's words
        self._places = places  # of the rows in `drawn`; None: all
        self._mac: Words | None = None  # the chain over the blocks before the number's, shape (n, 2)
        self._pairs: tuple[Draws, Words] | None = None  # the last pair of words of each row, and its number

    def next(self) -> Words:
        mine = slice(None) if self._places is None else self._places
        drawn = self._drawn[mine]
        number, second = drawn >> np.uint32(1), drawn & np.uint32(1)
        self._drawn[mine] = drawn + 1
        if self._pairs is None or not np.array_equal(self._pairs[0], number):
            self._pairs = number, self._pair(number)
        pairs = self._pairs[1]
        # Nearly always all rows drew as many words; a copy is handed out, which the caller may change.
        low, high = (int(second.min()), int(second.max())) if second.size else (0, 0)
        return pairs[:, low].copy() if low == high else np.where(second == 1, pairs[:, 1], pairs[:, 0])

    def take(self, rows: Rows) -> "_KeyedStream":
        if self._places is not None:
            drawn, places = self._drawn, self._places[rows]
        elif isinstance(rows, slice):
            drawn, places = self._drawn[rows], None
        else:
            drawn, places = self._drawn, rows
        later = isinstance(rows, slice) and self._mac is None
        inputs = self._inputs if later else self._unpaired_column()
        taken = _KeyedStream(self._cipher, [column[rows] for column in inputs], drawn, places)
        taken._mac = None if later else self._absorb()[rows]
        return taken

    def _pair(self, number: Draws) -> Words:
        """Each row's pair of words of a number, shape (n, 2)."""
        alone = self._unpaired_column()
        block = (alone[0], number) if alone else (number,)
        return _encrypt(self._cipher, self._absorb(), *block)

    def _unpaired_column(self) -> list[Words]:
        """The column that shares its block with the number, if one does."""
        return self._inputs[len(self._inputs) // 2 * 2 :]

    def _absorb(self) -> Words:
        if self._mac is None:
            self._mac = _encrypt(self._cipher, None, *self._inputs[:2])
            for start in range(2, len(self._inputs) - 1, 2):
                self._mac = _encrypt(self._cipher, self._mac, *self._inputs[start : start + 2])
        return self._mac


def _encrypt(
    cipher: CipherContext,
    chain: Words | None,
    low: NDArray[np.unsignedinteger],
    high: NDArray[np.unsignedinteger] | np.uint64 = NO_WORD,
) -> Words:
    """AES of the chain, if it has begun, with a block of one or two words added to it."""
    # The library asks for room for one block more than it fills.
    room = np.empty((len(low) + 1, 2), dtype="<u8")
    blocks = room[:-1]
    if chain is None:
        blocks[:, 0], blocks[:, 1] = low, high
    else:
        np.bitwise_xor(chain[:, 0], low, out=blocks[:, 0])
        np.bitwise_xor(chain[:, 1], high, out=blocks[:, 1])
    view = memoryview(room.view(np.uint8).reshape(-1))  # type: ignore[arg-type]  # arrays are buffers; the stubs say so from 3.12
    cipher.update_into(view[: 16 * len(low)], view)
    return blocks


def _put(words: Words, rows: NDArray[np.intp], own: Words) -> None:
    """Words of some rows, a column at a time: NumPy is slow at short rows."""
    if len(rows) == len(words):
        words[:] = own
        return
    for column, others in zip(words.T, own.T, strict=True):
        column[rows] = others


def _value_words(values: NDArray[np.number]) -> tuple[str, list[Words]]:
    """The kind of values, and their columns of 64 bits: whole numbers modulo 2^64, others as IEEE 754 float64."""
    rows = values[:, None] if values.ndim == 1 else values
    if rows.ndim != 2 or rows.dtype.kind not in "iuf" or rows.dtype.itemsize > 8:
        raise SordinoError("values must be numbers, in one row or a row each", found=f"type {values.dtype}")
    if rows.dtype.kind == "f":
        # Adding zero makes the two zeros one; of what is missing there are many spellings, which are made one too.
        words = select(np.isnan(rows), MISSING, (rows.astype(np.float64) + 0.0).view(np.uint64))
    else:
        words = rows.astype(np.uint64, copy=False)
    kind = "number" if rows.dtype.kind == "f" else "integer"
    return f"{kind} {rows.shape[1]}", list(words.T)
