"""Channels from records of numbers in [-1, 1] to codes, whose tallies give means of statistics.

An estimate of the mean of a statistic is the mean over all reports of a function g_s(code) with
E[g_s | record] = the record's statistic s.
"""

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.sampling import AnswerType
from sordino.domain.scaled import Scaled, read_rows, require_inside
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.source import Source, Stream, SystemSource, Words
from sordino.exact.steady import steady
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import Channel


class NumberChannel(Channel):
    """A channel from d numbers in [-1, 1] to codes."""

    words: ClassVar[str] = "{m} statistics"
    """What a person answers, m being the number of statistics."""

    @property
    def description(self) -> str:
        """What a person answers, in a few words."""
        return self.words.format(m=self.moments.m)

    @property
    @abstractmethod
    def moments(self) -> Moments:
        """The statistics whose means it tells."""

    @property
    @abstractmethod
    def types(self) -> tuple[AnswerType, ...]:
        """What a person can be drawn to answer: for each public type the answers given together."""

    @abstractmethod
    def codes(self, which: int) -> Sequence[int]:
        """All codes that whoever was drawn for a type, by its place in `types`, can send.

        Every code belongs to one type. Where the type's only answer has a table of errors, they are in the order of the
        signs: bit c of a code's place is 1 for +1 as the c-th sign.
        """

    @abstractmethod
    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler; the draw of a type included."""

    def laws(self, records: NDArray[np.float64], which: int) -> tuple[NDArray[Any], Fraction]:
        """The probabilities of all codes of a type, exactly, for each of some records.

        Args:
            records: numbers in [-1, 1], shape (n, d).
            which: the place of the type in `types`.

        Returns:
            Whole weights, shape (n, codes) in the order of `codes`; and the probability of a unit of weight.
        """
        rows = [[self.probability(record, code) for code in self.codes(which)] for record in records.tolist()]
        unit = lcm(*{share.denominator for row in rows for share in row})
        weights = [[share.numerator * (unit // share.denominator) for share in row] for row in rows]
        return np.array(weights, dtype=object).reshape(len(rows), -1), Fraction(1, unit)

    @property
    def corners(self) -> tuple[float, ...]:
        """Numbers from -1 to 1, ascending: from each to the next one probabilities rise or fall with a statistic."""
        return -1.0, 1.0

    @abstractmethod
    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The unbiased estimate of the mean of each statistic, shape (m,).

        Raises:
            SordinoError: another channel's tally, or no reports.
        """

    @abstractmethod
    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The estimated covariance of `means`, shape (m, m), for independent people; from the tally alone."""

    @abstractmethod
    def noise(self) -> NDArray[np.float64]:
        """E[g_s^2], shape (m,), exact and the same for every record.

        n times the variance of the mean of the g_s is this less the mean over the people of the squared statistic, for
        given people; less its squared mean, for people drawn at random. `means` may do better: where a draw decides
        who answers, it divides by how many did, which takes mean^2 (1 / p_s - 1) off (see `signed`).
        """

    def expected_variance(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """The variance of each mean, times n, shape (m,), for independent people who are like these.

        Args:
            records: numbers in [-1, 1], shape (n, d), each as likely as any other.
        """
        variance: NDArray[np.float64] = self.noise() - self.moments.values(records).mean(axis=0) ** 2
        return variance

    def largest_variance(self, share: float = 1.0) -> NDArray[np.float64]:
        """The variance of each mean, times n, shape (m,), at most, whatever the records of the n people are.

        It is the variance around the mean of these people: how they differ from others is not in it.

        Args:
            share: the probability with which each of them gives this answer at all, drawn without looking.
        """
        # What is told is least where the statistic is 0.
        return self.noise() / share

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return self.moments.d

    def checked(self, values: ArrayLike | Scaled) -> NDArray[Any]:
        """The records as float64, shape (n, d); all of them are looked at, unless they were before.

        Raises:
            SordinoError: other than d numbers in [-1, 1] for each person (named by position, never by value).
        """
        records = self._rows(values)
        if not isinstance(values, Scaled):
            require_inside(records)
        return records

    @steady
    def privatize(self, values: ArrayLike | Scaled, source: Source | None = None) -> Words:
        """Draw one report for each record.

        Args:
            values: numbers in [-1, 1], shape (n, d), or (n,) where d = 1; `Scaled.of` checks them once for several
                calls.
            source: where random words come from; fresh ones from the operating system by default. A keyed one,
                `KeyedSource(key, task).for_records(ids)`, repeats its reports; what a person is drawn to answer then
                depends on the id and not on the record.

        Returns:
            Codes, uint64, shape (n,). Every call is a new release: privatizing a record twice doubles its loss.

        Raises:
            SordinoError: a number out of range (named by position, never by value).
        """
        read = self._rows(values)
        source = source or SystemSource()
        public, stream = source.public(len(read), "statistic"), source.stream(read)
        codes = np.empty(len(read), dtype=np.uint64)
        for start in range(0, len(read), self._chunk):
            rows = slice(start, start + self._chunk)
            if not isinstance(values, Scaled):
                # Piece by piece the numbers are still in the cache when they are drawn; one bad number anywhere
                # refuses all, whatever was drawn.
                require_inside(read[rows], start)
            codes[rows] = self._answer(read[rows], public.take(rows), stream.take(rows))
        return codes

    def _rows(self, values: ArrayLike | Scaled) -> NDArray[np.float64]:
        return read_rows(values.records if isinstance(values, Scaled) else values, self.d)

    def _answer(self, records: NDArray[np.float64], public: Stream, stream: Stream) -> Words:
        """One code for each record.

        What is drawn without looking at the record comes from the public words, all else from the others. Channels
        inside of others go on with the streams of their person, so that no two of them ever share a word.
        """
        del public
        return self._sample(records, stream)

    def own_counts(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """The counters of a tally of this channel.

        Raises:
            SordinoError: another channel's tally, or no reports.
        """
        if aggregate.fingerprint != self.fingerprint or aggregate.counts.shape != (self.counters,):
            raise SordinoError(
                "a tally must be of the channel that reads it",
                found=f"one of {aggregate.fingerprint} for {self.fingerprint}",
            )
        if aggregate.n == 0:
            raise SordinoError("a tally must hold reports to be estimated from", found="none")
        return aggregate.counts
