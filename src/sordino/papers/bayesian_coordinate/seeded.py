"""Reports of a public seed and some bits, each steered by a direction of the seed; tallies in fixed point.

The seed is drawn without looking at the record, so that all a report tells are its bits: their LDP levels add up. Means
are estimated from sums of sign times direction in whole units, so that tallies add in any order.

Layout of a report: up to 32 bits share one word with the seed, bit j at the word's bit j and the seed above them. More
bits follow the seed's own word in words of 64, and a report is a row of words.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain import scaled
from sordino.domain.moment import Moments
from sordino.domain.scaled import Scaled
from sordino.errors import SordinoError
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.exact.coin import WORD
from sordino.exact.floats import Floats, ignore_float_errors
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.exact.source import Source, Stream, SystemSource, Words
from sordino.mechanism.channel import Aggregate, Channel, foreign_code, read_codes
from sordino.mechanism.record_channel import RecordChannel
from sordino.papers.bayesian_coordinate.steered import Steered

FIXED_POINT = 2**32
"""A 1 in fixed point. Each number of a direction counts from 0 to 2 of them: 10^9 reports stay below 2^63."""

MOST_REPORTS = 2**30 - 1
"""Beyond these a tally can pass the largest number of 64 bits."""

MOST_BITS_BESIDE_SEED = 32
"""Bits that share a word with their seed, which then keeps 32 bits or more; more bits get words of their own."""

PIECE = 2**18
"""Numbers of directions held at a time, about 2 MB an array."""


def pieces(people: int, width: int) -> list[slice]:
    """Runs of people whose directions of this width are held at a time."""
    size = max(1, PIECE // max(width, 1))
    return [slice(start, start + size) for start in range(0, people, size)]


@dataclass(frozen=True)
class Packing:
    """How a seed and some bits stand in a report.

    Attributes:
        bits: how many bits a report has beside the seed.
    """

    bits: int

    @property
    def words(self) -> int:
        return 1 if self.bits <= MOST_BITS_BESIDE_SEED else 1 + -(-self.bits // 64)

    def seeds(self, words: Words) -> Words:
        """Seeds from whole random words: their upper bits, where they share a word."""
        return words >> np.uint64(self.bits) if self.words == 1 else words

    def pack(self, seeds: Words, bits: NDArray[np.bool_]) -> Words:
        """The reports, shape (n,) or (n, words), of seeds of shape (n,) and bits of shape (n, bits)."""
        if self.words == 1:
            codes = seeds << np.uint64(self.bits)
            for j in range(self.bits):
                codes |= bits[:, j].astype(np.uint64) << np.uint64(j)
            return codes
        codes = np.zeros((len(seeds), self.words), dtype=np.uint64)
        codes[:, 0] = seeds
        for j in range(self.bits):
            codes[:, 1 + j // 64] |= bits[:, j].astype(np.uint64) << np.uint64(j % 64)
        return codes

    def signs(self, codes: Words, j: int) -> Floats:
        """Bit j of reports as 1 or -1, shape (n,)."""
        word = codes if self.words == 1 else codes[:, 1 + j // 64]
        bit = (word >> np.uint64(j % 64)) & np.uint64(1)
        return 2 * bit.astype(np.float64) - 1

    def seeds_of(self, codes: Words) -> Words:
        """The seeds of reports, shape (n,)."""
        return codes >> np.uint64(self.bits) if self.words == 1 else codes[:, 0]

    def are_impossible(self, codes: Words) -> NDArray[np.bool_]:
        """Whether reports of several words have bits beyond the last."""
        rest = self.bits % 64
        if self.words == 1 or rest == 0:
            return np.zeros(len(codes), dtype=np.bool_)
        beyond: NDArray[np.bool_] = (codes[:, -1] >> np.uint64(rest)) != 0
        return beyond


@dataclass(frozen=True)
class SeededBit:
    """One bit about some of the numbers.

    Attributes:
        columns: shape (m,), the numbers it is about, ascending.
    """

    columns: NDArray[np.intp]
    step: Nats
    steered: Steered


class Seeded(RecordChannel):
    """A channel whose reports are a seed and a bit for each level."""

    @property
    @abstractmethod
    def levels(self) -> Sequence[SeededBit]:
        """The bits, in order."""

    @cached_property
    def losses(self) -> tuple[Nats, ...]:
        """Those of the bits about each number, which add up."""
        ratios = [Fraction(1)] * self.d
        for level in self.levels:
            threshold = level.steered.threshold
            for place in level.columns.tolist():
                ratios[place] *= Fraction(threshold, WORD - threshold)
        return tuple(map(Nats.log, ratios))

    @cached_property
    def epsilon(self) -> Nats:
        """That of all bits."""
        ratio = Fraction(1)
        for level in self.levels:
            ratio *= Fraction(level.steered.threshold, WORD - level.steered.threshold)
        return Nats.log(ratio)

    @cached_property
    def layout(self) -> Packing:
        """How codes are made of a seed and a bit for each level."""
        return Packing(len(self.levels))

    @property
    def outputs(self) -> int:
        """Any words, of which a code of more than 32 levels has several."""
        return int(WORD**self.layout.words)

    @property
    def counts_codes(self) -> bool:
        return False

    def reports(self, counters: NDArray[np.integer]) -> int:
        return int(counters[-1])

    def codes(self, which: int) -> Sequence[int]:  # noqa: ARG002 - there is one type
        """All words; a code of several words counts as one number, its first word the highest."""
        return range(self.outputs)

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        words = [code >> 64 * place & (WORD - 1) for place in reversed(range(self.layout.words))]
        rows = np.array([words], dtype=np.uint64)
        codes = rows[:, 0] if self.layout.words == 1 else rows
        if self.layout.are_impossible(codes)[0]:
            return Fraction(0)
        seeds, values = self.layout.seeds_of(codes), np.array([record], dtype=np.float64)
        share = Fraction(1, WORD >> self.layout.bits if self.layout.words == 1 else WORD)
        for k, level in enumerate(self.levels):
            directions = level.steered.directions(seeds)
            one = Fraction(int(level.steered.thresholds(values[:, level.columns], directions)[0]), WORD)
            share *= one if self.layout.signs(codes, k)[0] > 0 else 1 - one
        return share

    @ignore_float_errors
    def privatize(self, values: ArrayLike | Scaled, source: Source | None = None) -> Words:
        """Draw one report for each record.

        Codes, uint64, shape (n,); of more than 32 levels shape (n, words). Every call is a new release. Raises
        SordinoError: records that the channel does not take (named by position, never by value).

        Args:
            values: shape (n, d).
            source: where random words come from; fresh ones from the operating system by default.
        """
        read = self.check_values(values.records if isinstance(values, Scaled) else values)
        if self.layout.words == 1:
            return Channel.privatize(self, read, source)
        stream = (SystemSource() if source is None else source).stream(read)
        codes = np.empty((len(read), self.layout.words), dtype=np.uint64)
        for rows in pieces(len(read), self._width):
            codes[rows] = self._sample(read[rows], stream.take(rows))
        return codes

    def tally(self, codes: ArrayLike, *, drawn: bool = False) -> Aggregate:
        """Sum up the reports. Raises SordinoError: codes that this channel cannot send."""
        if self.layout.words == 1:
            return super().tally(codes, drawn=drawn)
        words = read_rows(codes, self.layout)
        counts = self._count(words, np.zeros(len(words), dtype=np.intp), 1)[0]
        return Aggregate(self.fingerprint, len(words), counts)

    @property
    def _chunk(self) -> int:
        return max(1, PIECE // self._width)

    @property
    def _width(self) -> int:
        return max((len(level.columns) for level in self.levels), default=1)

    def _sample(self, values: Floats, stream: Stream) -> Words:
        seeds = self.layout.seeds(stream.next())
        bits = np.empty((len(values), len(self.levels)), dtype=np.bool_)
        for k, level in enumerate(self.levels):
            directions = level.steered.directions(seeds)
            bits[:, k] = stream.next() < level.steered.thresholds(values[:, level.columns], directions)
        return self.layout.pack(seeds, bits)

    def _directions(self, codes: Words, k: int) -> Floats:
        """What level k of each report says: sign times direction, shape (n, m)."""
        vectors = self.levels[k].steered.directions(self.layout.seeds_of(codes))
        vectors *= self.layout.signs(codes, k)[:, None]
        return vectors


def fixed_sums(parts: Floats, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
    """Sums of numbers in [-1, 1], moved up by one, in fixed point: shape (groups, width) of shape (n, width).

    Each number counts from 0 to 2 times FIXED_POINT, so that tallies never fall below zero.
    """
    fixed = np.rint(parts * FIXED_POINT).astype(np.int64) + FIXED_POINT
    if groups == 1:
        total: NDArray[np.int64] = fixed.sum(axis=0, keepdims=True)
        return total
    sums = np.zeros((groups, parts.shape[1]), dtype=np.int64)
    np.add.at(sums, group, fixed)
    return sums


def can_hold(counters: NDArray[np.integer], most: int) -> NDArray[np.bool_]:
    """Whether as many reports as the last counter says, each of 0 to `most`, can add up to each of the others."""
    return -(-counters[..., :-1] // most) <= counters[..., -1:]


def require_reports(channel: Channel, aggregate: Aggregate) -> int:
    """The number of reports of a tally that there are estimates from."""
    if aggregate.fingerprint != channel.fingerprint:
        rule = "reports can be read only with the mechanism that made them"
        raise SordinoError(rule, found=f"a tally of {aggregate.fingerprint}, not {channel.fingerprint}")
    if not 1 <= aggregate.n <= MOST_REPORTS:
        raise SordinoError(f"an estimate needs 1 to {MOST_REPORTS} reports", found=shown(aggregate.n))
    if not channel.informative:
        raise SordinoError("an estimate needs reports that tell something", found="epsilon 0", step="raise it")
    return aggregate.n


def read_rows(codes: ArrayLike, packing: Packing) -> Words:
    """Codes of several words, shape (n, words)."""
    array = np.asarray(codes)
    if array.ndim != 2 or array.shape[1] != packing.words:
        raise SordinoError(f"codes must be rows of {packing.words} words", found=f"shape {array.shape}")
    words = read_codes(array.reshape(-1))
    if words.size and int(words.min()) < 0:
        raise foreign_code(WORD, int(np.argmax(words < 0)) // packing.words)
    rows: Words = words.astype(np.uint64, copy=False).reshape(array.shape)
    wrong = packing.are_impossible(rows)
    if wrong.any():
        raise foreign_code(WORD, int(np.argmax(wrong)))
    return rows


class NumberChannel(RecordChannel):
    """A channel from whole records of d numbers in [-1, 1] to codes, whose tallies give the means of all of them.

    It looks at several numbers without rounding them: no statistic read by a finite channel, so none that a plan asks.
    An estimate is the mean over all reports of a function g_j(code) with E[g_j | record] = the number j.
    """

    @property
    @abstractmethod
    def moments(self) -> Moments:
        """The statistics whose means it tells."""

    @abstractmethod
    def means(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of each statistic, shape (m,).

        Raises SordinoError: another channel's tally, or no reports.
        """

    @abstractmethod
    def covariance(self, aggregate: Aggregate) -> Floats:
        """The estimated covariance of `means`, shape (m, m), for independent people; from the tally alone."""

    @abstractmethod
    def noise(self) -> Floats:
        """E[g_s^2], shape (m,), exact and the same for every record.

        n times the variance of the mean of the g_s is this less the mean over the people of the squared statistic, for
        given people; less its squared mean, for people drawn at random.
        """

    def estimate(self, aggregate: Aggregate) -> NormalEstimate:
        """The means of the statistics, with standard errors, shape (m,)."""
        means = self.means(aggregate)
        return NormalEstimate(means, np.sqrt(np.diag(self.covariance(aggregate))), aggregate.n)

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return self.moments.d

    def check_values(self, values: ArrayLike | Scaled) -> NDArray[Any]:
        """The records as float64, shape (n, d); all of them are looked at, unless they were before.

        Raises SordinoError: other than d numbers in [-1, 1] for each person (named by position, never by value).
        """
        records = self._rows(values)
        if not isinstance(values, Scaled):
            scaled.require_inside(records)
        return records

    def _rows(self, values: ArrayLike | Scaled) -> Floats:
        return scaled.read_rows(values.records if isinstance(values, Scaled) else values, self.d)
