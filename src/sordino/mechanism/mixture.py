"""One of several public types of answers, drawn for each person: a combinator of channels of numbers.

A type is drawn with probability w_t / sum(w) without looking at the record; each of its parts is a channel that sees
some numbers of the record, and given the record the parts answer independently. So the LDP level of a type is the sum
of its parts' levels, that of a person the largest of all types; what one attribute loses, `types` is for.
Code = offset of the type + the parts' codes as digits of mixed radix, the first part's digit the highest; at most 64
bits. The tally is that of each type's parts, one after the other.
Where several types tell a mean, the estimate weighs type t by (lambda_t / M_t) / sum(lambda_t / M_t), with lambda_t
its probability and M_t its noise: fixed before the data. The noise is then 1 / sum(lambda_t / M_t).
Source: corrected statements to the BCDP paper (mixtures).
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, chain
from math import gcd, prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.sampling import AnswerType
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import Brief, shown
from sordino.exact.source import LARGEST_BOUND, Stream, Words, uniform_below
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.mechanism.mixture_parts import PARTS, Part, answers_of, check_parts, statistics_of
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.record import read_channel


@checked_class
@dataclass(frozen=True, init=False, repr=False)
class Mixture(Brief, NumberChannel):
    """One of several types of answers.

    Attributes:
        numbers: how many numbers a record has.
        kinds: the types, each a tuple of parts (places, channel).
        weights: whole numbers; a person is drawn for type t with probability weights[t] / sum(weights).

    Example:
        >>> from sordino.mechanism.one_bit import OneBit
        >>> first, both = OneBit("ln 3"), OneBit("ln 2")
        >>> mixture = Mixture(2, [[((0,), first)], [((0,), both), ((1,), both)]], [1, 3])
        >>> mixture.outputs, mixture.noise()
        (6, array([ 6.85714286, 12.        ]))
    """

    name: ClassVar[str] = "mixture"
    words: ClassVar[str] = "one of {m} numbers by one of several levels"

    numbers: int
    kinds: tuple[tuple[Part, ...], ...]
    weights: tuple[int, ...]

    def __init__(
        self, d: int, types: Sequence[Sequence[tuple[Sequence[int], NumberChannel]]], weights: Sequence[int]
    ) -> None:
        kinds = tuple(tuple((tuple(places), channel) for places, channel in parts) for parts in types)
        whole = all(type(weight) is int and weight >= 1 for weight in weights)
        if not kinds or len(weights) != len(kinds) or not whole or sum(weights) > LARGEST_BOUND:
            raise SordinoError(
                f"each of one or more types must have a whole weight >= 1, {LARGEST_BOUND} together at most",
                found=shown(list(weights)),
            )
        for parts in kinds:
            check_parts(parts, d)
        object.__setattr__(self, "numbers", d)
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "weights", tuple(weights))
        if self.code_bits > LARGEST_CODE_BITS:
            raise SordinoError(
                f"a report must fit in {LARGEST_CODE_BITS} bits",
                found=f"{self.code_bits} for all types together",
                step="let fewer parts answer together",
            )

    @property
    def record(self) -> dict[str, Any]:
        """For each type the places and the channels of its parts, and its weight."""
        types = [
            [{"places": list(places), "channel": channel.frozen} for places, channel in parts] for parts in self.kinds
        ]
        return {"d": self.numbers, "types": types, "weights": list(self.weights)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        """All stands in the record."""
        del promise
        types = [
            [(part.wholes("places"), read_channel(part.inner("channel"), PARTS)) for part in parts]
            for parts in entries.groups("types")
        ]
        return cls(entries.whole("d"), types, entries.wholes("weights"))

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return self.numbers

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text (the parts by their hash)."""
        common = gcd(*self.weights)
        parts = [[(places, channel.parameters) for places, channel in parts] for parts in self.kinds]
        plan = repr(([weight // common for weight in self.weights], parts))
        return f"mixture d={self.d} types={len(self.kinds)} plan={sha256(plan.encode()).hexdigest()}"

    @cached_property
    def moments(self) -> Moments:
        """All statistics that some part tells, in ascending order, the numbers themselves first."""
        names = {name for parts in self.kinds for places, channel in parts for name in statistics_of(places, channel)}
        return Moments(self.numbers, tuple(sorted(names, key=lambda name: (len(name), name))))

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """For each type all that its parts can be drawn to answer together."""
        return tuple(chain.from_iterable(answers_of(parts) for parts in self.kinds))

    def codes(self, which: int) -> Sequence[int]:
        """The codes of a kind whose digits are among those of the parts' own types."""
        for first, parts in zip(self._offsets, self.kinds, strict=False):
            sizes = [len(channel.types) for _, channel in parts]
            if which < prod(sizes):
                # Types come as the last part's run fastest, and so do digits.
                own = np.unravel_index(which, sizes)
                found = [first]
                for (_, channel), at in zip(parts, own, strict=True):
                    digits = channel.codes(int(at))
                    found = [(code - first) * channel.outputs + first + digit for code in found for digit in digits]
                return found
            which -= prod(sizes)
        raise SordinoError("a type must be one of the mixture's", found="another")

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        t = bisect_right(self._offsets, code) - 1
        left, share = code - self._offsets[t], Fraction(self.weights[t], sum(self.weights))
        for places, channel in reversed(self.kinds[t]):
            left, digit = divmod(left, channel.outputs)
            share *= channel.probability([record[place] for place in places], digit)
        return share

    @property
    def corners(self) -> tuple[float, ...]:
        """Those of all parts."""
        return tuple(sorted({corner for _, channel in self._parts for corner in channel.corners}))

    @property
    def outputs(self) -> int:
        """The sum over the types of the product of their parts' codes."""
        return self._offsets[-1]

    @property
    def informative(self) -> bool:
        """Whether all parts are."""
        return all(channel.informative for _, channel in self._parts)

    @property
    def counters(self) -> int:
        """Those of all parts."""
        return self._first[-1]

    @property
    def counts_codes(self) -> bool:
        """Where each type has one part, whose tally does."""
        return all(len(parts) == 1 and parts[0][1].counts_codes for parts in self.kinds)

    def reports(self, counters: NDArray[np.integer]) -> int:
        """Those of each type's first part."""
        return sum(self._reports(t, counters) for t in range(len(self.kinds)))

    def possible(self, counters: NDArray[np.integer]) -> bool:
        """If each part's are, and a type's parts have as many reports."""
        rows = counters.reshape(-1, self.counters)
        for parts, places in zip(self.kinds, self._slices, strict=True):
            for (_, channel), own in zip(parts, places, strict=True):
                if not channel.possible(counters[..., own]):
                    return False
            for row in rows:
                if len({channel.reports(row[own]) for (_, channel), own in zip(parts, places, strict=True)}) > 1:
                    return False
        return True

    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The parts' means, weighted by type, shape (m,)."""
        means = np.zeros(self.moments.m)
        for weights, at, channel, own in self._told(aggregate):
            means[at] += weights * channel.means(own)
        return means

    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The parts' covariances, weighted by type, shape (m, m).

        Between the parts of one type it is that of the answers given the records, which is 0: the tally does not hold
        what two parts said about one person. For people drawn at random the covariance of the two statistics over the
        number of reports of the type is missing there; no variance of a single mean is.
        """
        covariance = np.zeros((self.moments.m, self.moments.m))
        for weights, at, channel, own in self._told(aggregate):
            covariance[np.ix_(at, at)] += weights[:, None] * channel.covariance(own) * weights
        return covariance

    def noise(self) -> NDArray[np.float64]:
        """1 / sum(lambda_t / M_t), over the types that tell the statistic."""
        noise: NDArray[np.float64] = 1 / self._precision
        return noise

    def expected_variance(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """The parts' variances among those who were drawn for their type, weighted as their means are."""
        variance, total = np.zeros(self.moments.m), sum(self.weights)
        for weight, parts in zip(self.weights, self.kinds, strict=True):
            for places, channel in parts:
                at = self._places(places, channel)
                own = weight / total / channel.noise() / self._precision[at]
                variance[at] += own**2 * channel.expected_variance(records[:, list(places)]) * total / weight
        return variance

    def largest_variance(self, share: float = 1.0) -> NDArray[np.float64]:
        """That of the part, where one type alone tells a statistic; else from the noise."""
        largest = super().largest_variance(share)
        told = np.zeros(self.moments.m, dtype=np.intp)
        for parts in self.kinds:
            for places, channel in parts:
                told[self._places(places, channel)] += 1
        for weight, parts in zip(self.weights, self.kinds, strict=True):
            for places, channel in parts:
                at = self._places(places, channel)
                own = channel.largest_variance(share * weight / sum(self.weights))
                largest[at] = np.where(told[at] == 1, own, largest[at])
        return largest

    def _sample(self, values: NDArray[np.float64], stream: Stream) -> Words:
        return self._answer(values, stream, stream)

    def _answer(self, records: NDArray[np.float64], public: Stream, stream: Stream) -> Words:
        codes = np.empty(len(records), dtype=np.uint64)
        for alike, rows, which in self._drawn(len(records), public):
            # All parts go on with the same two streams of their people: none sees a word of another.
            of_type, private = public.take(rows), stream.take(rows)
            code = np.zeros(len(rows), dtype=np.uint64)
            for channel, places in zip(alike.channels, alike.places, strict=True):
                if len(alike.channels) > 1:
                    code *= np.uint64(channel.outputs)
                code += channel._answer(records[rows[:, None], places.take(which, axis=0)], of_type, private)
            codes[rows] = code + alike.first.take(which)
        return codes

    def _drawn(self, count: int, public: Stream) -> Iterator[tuple["_Alike", NDArray[np.intp], NDArray[np.intp]]]:
        """Types that are alike, who was drawn for one of them, and for which one."""
        if len(self.kinds) == 1:
            yield self._alike[0], np.arange(count), np.zeros(count, dtype=np.intp)
            return
        choice = uniform_below(sum(self.weights), public).view(np.int64)
        which = np.searchsorted(np.cumsum(self.weights), choice, side="right")
        group = self._group.take(which)
        for number, alike in enumerate(self._alike):
            rows = np.flatnonzero(group == number)
            if rows.size:
                yield alike, rows, self._within.take(which.take(rows))

    def impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Codes of which a part is impossible."""
        wrong = np.zeros(len(codes), dtype=np.bool_)
        for channel, own, rows, _ in self._digits(codes.astype(np.uint64)):
            wrong[rows] |= channel.impossible(own)
        return wrong

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        if self.counts_codes:
            return super()._count(codes, group, groups)
        counts = np.empty((groups, self.counters), dtype=np.int64)
        for channel, own, rows, place in self._digits(codes):
            counts[:, place] = channel._count(own, group[rows], groups)
        return counts

    def _digits(self, codes: Words) -> Iterator[tuple[NumberChannel, Words, NDArray[np.intp], slice]]:
        """Each part with its own codes, their positions, and where its counters stand."""
        which = np.searchsorted(np.array(self._offsets[1:-1], dtype=np.uint64), codes, side="right")
        for t, (parts, places) in enumerate(zip(self.kinds, self._slices, strict=True)):
            rows = np.flatnonzero(which == t)
            left = codes[rows] - np.uint64(self._offsets[t])
            for (_, channel), place in reversed(list(zip(parts, places, strict=True))):
                # A part with all words as codes is alone in its mixture.
                digit = left
                if channel.outputs < 1 << LARGEST_CODE_BITS:
                    left, digit = np.divmod(left, np.uint64(channel.outputs))
                yield channel, digit, rows, place

    def _told(
        self, aggregate: Aggregate
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.intp], NumberChannel, Aggregate]]:
        """Each part's weights of its statistics, their places among all, the channel and its own tally."""
        counts = self.own_counts(aggregate)
        total = sum(self.weights)
        for t, (parts, places) in enumerate(zip(self.kinds, self._slices, strict=True)):
            n = self._reports(t, counts)
            if n == 0:
                raise SordinoError(
                    "somebody must have been drawn for each type",
                    found=f"nobody for type {t}, of {aggregate.n} people",
                    step="ask more people, give it more weight, or leave it out",
                )
            for (seen, channel), place in zip(parts, places, strict=True):
                at = self._places(seen, channel)
                weights = self.weights[t] / total / channel.noise() / self._precision[at]
                yield weights, at, channel, Aggregate(channel.fingerprint, n, counts[place])

    @cached_property
    def _precision(self) -> NDArray[np.float64]:
        """sum(lambda_t / M_t) of each statistic, shape (m,)."""
        precision = np.zeros(self.moments.m)
        for weight, parts in zip(self.weights, self.kinds, strict=True):
            for places, channel in parts:
                precision[self._places(places, channel)] += weight / sum(self.weights) / channel.noise()
        return precision

    def _places(self, places: tuple[int, ...], channel: NumberChannel) -> NDArray[np.intp]:
        """Where a part's statistics stand among all."""
        order = {name: place for place, name in enumerate(self.moments.names)}
        return np.array([order[name] for name in statistics_of(places, channel)])

    def _reports(self, t: int, counters: NDArray[np.integer]) -> int:
        return self.kinds[t][0][1].reports(counters[self._slices[t][0]])

    @property
    def _parts(self) -> list[Part]:
        return [part for parts in self.kinds for part in parts]

    @cached_property
    def _alike(self) -> tuple["_Alike", ...]:
        """The types by their channels: those that differ only in the places that they see are answered together."""
        return tuple(
            _Alike(
                tuple(channel for _, channel in self.kinds[types[0]]),
                tuple(np.array([self.kinds[t][part][0] for t in types]) for part in range(len(self.kinds[types[0]]))),
                np.array([self._offsets[t] for t in types], dtype=np.uint64),
            )
            for types in self._by_channels.values()
        )

    @cached_property
    def _by_channels(self) -> dict[tuple[str, ...], list[int]]:
        types: dict[tuple[str, ...], list[int]] = {}
        for t, parts in enumerate(self.kinds):
            types.setdefault(tuple(channel.parameters for _, channel in parts), []).append(t)
        return types

    @cached_property
    def _group(self) -> NDArray[np.intp]:
        """Which of `_alike` each type belongs to."""
        groups = {t: number for number, types in enumerate(self._by_channels.values()) for t in types}
        return np.array([groups[t] for t in range(len(self.kinds))])

    @cached_property
    def _within(self) -> NDArray[np.intp]:
        """The place of each type among those that are alike."""
        places = {t: place for types in self._by_channels.values() for place, t in enumerate(types)}
        return np.array([places[t] for t in range(len(self.kinds))])

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        """Each type's first code, and after the last one the number of all codes."""
        return tuple(accumulate((prod(channel.outputs for _, channel in parts) for parts in self.kinds), initial=0))

    @cached_property
    def _first(self) -> tuple[int, ...]:
        """Each part's first counter, and after the last one the number of all counters."""
        return tuple(accumulate((channel.counters for _, channel in self._parts), initial=0))

    @cached_property
    def _slices(self) -> tuple[tuple[slice, ...], ...]:
        """Where the counters of each type's parts stand."""
        runs = iter(map(slice, self._first, self._first[1:]))
        return tuple(tuple(next(runs) for _ in parts) for parts in self.kinds)


@dataclass(frozen=True, eq=False)
class _Alike:
    """Types whose parts have the same channels.

    Attributes:
        channels: of the parts.
        places: for each part the places that it sees in each type, shape (types, numbers of the channel).
        first: each type's first code, shape (types,).
    """

    channels: tuple[NumberChannel, ...]
    places: tuple[NDArray[np.intp], ...]
    first: Words
