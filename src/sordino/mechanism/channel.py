"""What every channel offers: from values to reports, and from reports to a tally that adds.

A mechanism takes the index of a value; a query reads it off a record. Reports are codes of at most 64 bits; a tally is
a vector of counters: how often each code was sent, or where codes are too many for that, what the estimator needs.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import DamagedError, SordinoError
from sordino.exact.entries import Entries
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import Brief, checked, shown
from sordino.exact.source import Source, Stream, SystemSource, Words

LARGEST_CODE_BITS = 64
"""Largest number of bits of a report."""

CHUNK = 1 << 15
"""Values privatized at a time: their words and temporaries stay in the processor's cache."""

TALLIED = 1 << 18
"""Codes tallied at a time: as many as the counters at least, which each piece adds once."""


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Brief):
    """What the reports of one mechanism add up to.

    Attributes:
        fingerprint: of the mechanism that made the reports.
        n: the number of reports.
        counts: int64, shape (counters,): how often each code was reported, or what the mechanism counts instead.
        cells: the same by the public cell that reports name, of cells that occur; empty where they name none.

    Example:
        >>> from sordino import RandomizedResponse
        >>> mechanism = RandomizedResponse(2, "1")
        >>> (mechanism.tally([0, 1, 1]) + mechanism.tally([1])).counts
        array([1, 3])
    """

    fingerprint: str
    n: int
    counts: NDArray[np.int64]
    cells: Mapping[int, NDArray[np.int64]] = field(default_factory=dict)

    def __add__(self, other: "Aggregate") -> "Aggregate":
        """The tally of both sets of reports of one mechanism."""
        if self.fingerprint != other.fingerprint:
            rule, found = "only tallies of one mechanism add", f"{self.fingerprint} and {other.fingerprint}"
            raise SordinoError(rule, found=found, step="aggregate each plan's reports apart")
        cells = dict(self.cells)
        for cell, counts in other.cells.items():
            cells[cell] = cells[cell] + counts if cell in cells else counts
        return Aggregate(self.fingerprint, self.n + other.n, self.counts + other.counts, cells)


class Channel(ABC):
    """A channel from values to codes."""

    name: ClassVar[str] = ""
    """In documents; empty where none can hold it."""

    @property
    def record(self) -> dict[str, Any]:
        """All that defines it, besides what the promise tells: ready for JSON, integers beyond 2^53 as text.

        Raises:
            SordinoError: a channel that documents do not hold.
        """
        raise SordinoError("documents hold mechanisms that a survey can choose", found=type(self).__name__)

    @property
    def draw(self) -> Any:
        """How a code is drawn, as `mechanism.draws` reads it.

        Raises:
            SordinoError: a channel that documents do not hold.
        """
        raise SordinoError("documents hold mechanisms whose draw is data", found=type(self).__name__)

    @property
    def document_fields(self) -> dict[str, Any]:
        """Its name, its record, its codes and its draw, as documents hold them."""
        return {"name": self.name, **self.record, "codes": str(self.outputs), "draw": self.draw}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        """The channel of a record that may come from anybody; certify tells what it guarantees.

        Args:
            promise: the definition that it is to keep, for what a record leaves out.

        Raises:
            SordinoError: entries that make no such channel.
        """
        del entries, promise
        raise SordinoError("documents hold mechanisms that a survey can choose", found=cls.__name__)

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Codes are numbers in 0..outputs-1."""

    @property
    @abstractmethod
    def parameters(self) -> str:
        """All that defines the channel, as canonical text."""

    @property
    @abstractmethod
    def informative(self) -> bool:
        """Whether reports depend on the values, so that there is an unbiased estimate."""

    @abstractmethod
    def check_values(self, values: ArrayLike) -> NDArray[Any]:
        """The values as the channel reads them, the first axis for the people.

        Raises:
            SordinoError: other values (named by position, never by value).
        """

    @abstractmethod
    def _sample(self, values: NDArray[Any], stream: Stream) -> Words:
        """One code for each value; as many words for each, whatever the value."""

    def _for_key(self, values: NDArray[Any]) -> NDArray[Any]:
        """Checked values as a key draws by them: equal where the channel cannot tell them apart."""
        return values

    @property
    def counters(self) -> int:
        """The length of a tally: one counter a code, unless the mechanism says otherwise."""
        return self.outputs

    @property
    def counts_codes(self) -> bool:
        """Whether a tally says how often each code was sent."""
        return self.counters == self.outputs

    def reports(self, counters: NDArray[np.integer]) -> int:
        """How many reports a tally holds."""
        return int(counters.sum())

    def possible(self, counters: NDArray[np.integer]) -> bool:
        """Whether reports can add up to these tallies, shape (..., counters), of numbers >= 0."""
        del counters
        return True

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether each code below `outputs` is one that no value can send."""
        return np.zeros(len(codes), dtype=np.bool_)

    @property
    def is_onto(self) -> bool:
        """Whether some value can send each code below `outputs`; False where only `are_impossible` says which."""
        return type(self).are_impossible is Channel.are_impossible

    @property
    def code_bits(self) -> int:
        """Bits of one report."""
        return (self.outputs - 1).bit_length()

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of the parameters: equal channels, equal fingerprints."""
        return sha256(self.parameters.encode()).hexdigest()[:16]

    @ignore_float_errors
    def privatize(self, values: ArrayLike, source: Source | None = None) -> Words:
        """Draw one report for each value.

        Args:
            values: indices 0..k-1, shape (n,); numbers in [-1, 1], shape (n,) or (n, d).
            source: where random words come from; fresh ones from the operating system by default. A keyed one,
                `KeyedSource(key, task).for_records(ids)`, repeats its reports.

        Returns:
            Codes, uint64, shape (n,). Every call is a new release: privatizing a value twice doubles its loss.

        Raises:
            SordinoError: a value out of range (named by position, never by value).
        """
        return self._draw(self.check_values(values), SystemSource() if source is None else source)

    def _draw(self, read: NDArray[Any], source: Source) -> Words:
        stream = source.stream(self._for_key(read))
        codes = np.empty(len(read), dtype=np.uint64)
        for start in range(0, len(read), self._chunk):
            rows = slice(start, start + self._chunk)
            codes[rows] = self._sample(read[rows], stream.take(rows))
        return codes

    def tally(self, codes: ArrayLike, *, drawn: bool = False) -> Aggregate:
        """Count the reports.

        Args:
            codes: shape (n,).
            drawn: whether `privatize` has just drawn them, so that they need no look.

        Raises:
            SordinoError: a code that this channel cannot send.
        """
        array = read_codes(codes)
        counts = np.zeros(self.counters, dtype=np.int64)
        # Some at a time: what is made of them stays small, and in the processor's cache.
        step = max(TALLIED, self.counters)
        for start in range(0, len(array), step):
            some = array[start : start + step]
            position = None if drawn else self.first_invalid(some)
            if position is not None:
                raise foreign_code(self.outputs, start + position)
            one_group = np.broadcast_to(np.intp(0), len(some))
            counts += self._count(some.astype(np.uint64, copy=False), one_group, 1)[0]
        return Aggregate(self.fingerprint, len(array), counts)

    def first_invalid(self, codes: NDArray[np.integer]) -> int | None:
        """The position of the first code that the mechanism cannot send."""
        if not codes.size:
            return None
        if int(codes.max()) >= self.outputs or int(codes.min()) < 0:
            wrong = (codes >= self.outputs) | (codes < 0)
            wrong[~wrong] = self.are_impossible(codes[~wrong])
        else:
            wrong = self.are_impossible(codes)
        return int(np.argmax(wrong)) if wrong.any() else None

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        """The tallies of several groups of reports, shape (groups, counters); `group` says whose each code is."""
        at = codes.astype(np.int64, copy=False)
        if groups > 1:
            at = group * self.outputs + at
        counts = np.bincount(at, minlength=groups * self.outputs).astype(np.int64, copy=False)
        return counts.reshape(groups, self.outputs)

    @property
    def _chunk(self) -> int:
        return CHUNK


def read_codes(codes: ArrayLike) -> NDArray[np.integer]:
    """Codes as whole numbers in one row."""
    array = np.asarray(codes)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise SordinoError("codes must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes")
    return array if array.size else array.astype(np.uint64)


def foreign_code(outputs: int, position: int) -> SordinoError:
    """The refusal of a code that cannot have been sent."""
    return SordinoError(
        f"codes must be among those that can be sent, below {outputs}",
        found=f"an unknown code at position {position}",
        step="check that the reports belong to this plan",
    )


Kind = TypeVar("Kind", bound=Channel)


def read_channel(entries: Entries, kinds: Mapping[Any, type[Kind]], promise: object = None) -> Kind:
    """The channel that a document tells, of some kinds by name; of the promise it takes what its record leaves out."""
    name = entries.text("name")
    if name not in kinds:
        raise DamagedError(f"{entries.where}.name must be one of {', '.join(kinds)}", found=shown(name))
    channel = kinds[name].from_record(entries, promise)
    own = channel.document_fields
    entries.require(own)
    for entry in ("k", "codes", "draw"):
        # Also where Python takes two for equal: 1, 1.0 and true.
        if json.dumps(entries.found.get(entry)) != json.dumps(own.get(entry)):
            found = shown(json.dumps(entries.found.get(entry)))
            raise DamagedError(f"{entries.where}.{entry} must be as the mechanism's integers make it", found=found)
    if own != entries.found:
        raise DamagedError(f"{entries.where} must be as it was frozen", found="a different spelling")
    return channel
