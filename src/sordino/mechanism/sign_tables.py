"""Signs of a few numbers of a record, with errors that are drawn together from a table.

A row names some places of the record and a table. A person is drawn for row r with probability w_r / sum(w) without
looking at the record, and sends the row and one sign for each of its places: each number in [-1, 1] is rounded to a
sign at random, without bias, and then a pattern of wrong signs is drawn from the table. With errors that are
independent the row is several randomized responses; the best tables are not, because an attribute is told by its own
sign and, as far as others depend on it, by theirs: tables let the one be worth less where the other is worth more.

Guarantee: the weights are whole numbers over 2^64, and the loss of each attribute is told exactly from them
(`definition.sampling`); rounding to signs averages over signs, so it holds for all numbers in [-1, 1]. No float decides
which errors are made. The mean of sent sign c is the number times the table's slope, the sum over the patterns of
+weight or -weight where bit c is wrong; the estimate weighs signs by their slopes and divides by what was drawn, and
the sum of weights times slope^2 is the information: E[g_j^2] = 1 / sum_r p_r slope_rj^2.
Cost: two words a person and one more for each place of the row; five look-ups for each of these places.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sordino.definition.sampling import Answer, AnswerType
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.entries import Entries
from sordino.exact.guide import Guide
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import Brief, shown
from sordino.exact.nats import Nats
from sordino.exact.sign import HALF, SignCoins
from sordino.exact.source import LARGEST_BOUND, Stream, Words, uniform_below
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.number import NumberChannel

LARGEST_ROW = 12
"""Signs in one report at most: a table has 2^m weights."""

LARGEST_LIST = 1 << 20
"""Weights together for which a draw is looked up in a list."""

NOBODY = np.empty(0, dtype=np.intp)

ROUNDING = SignCoins((WORD,))
"""From a number to a sign with that mean."""


@dataclass(frozen=True)
class Row:
    """Some places of a record, and which table their errors are drawn from."""

    places: tuple[int, ...]
    table: int


@checked_class
@dataclass(frozen=True, repr=False)
class SignTables(Brief, NumberChannel):
    """Signs of drawn places, with errors from tables.

    Attributes:
        size: how many numbers a record has.
        tables: each of 2^m whole weights >= 1 with sum 2^64; bit c of a pattern says that sign c is wrong.
        rows: what a person can be drawn for; each place must be in some row.
        weights: whole numbers; a person is drawn for row r with probability weights[r] / sum(weights).

    Example:
        >>> coin = (3 << 62, 1 << 62)
        >>> SignTables(2, (coin,), (Row((0,), 0), Row((1,), 0)), (1, 1)).noise()
        array([8., 8.])
    """

    name: ClassVar[str] = "sign-tables"
    words: ClassVar[str] = "signs of some of {m} numbers together"
    size: int
    tables: tuple[tuple[int, ...], ...]
    rows: tuple[Row, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        for table in self.tables:
            signs = len(table).bit_length() - 1
            if not 1 <= signs <= LARGEST_ROW or len(table) != 1 << signs or sum(table) != WORD or min(table) < 1:
                raise SordinoError(
                    f"a table must have 2^m weights >= 1 with sum 2^64, m from 1 to {LARGEST_ROW}",
                    found=f"{len(table)} with sum {sum(table)}",
                )
        for row in self.rows:
            inside = all(0 <= place < self.size for place in row.places) and 0 <= row.table < len(self.tables)
            if not inside or len(set(row.places)) < len(row.places) or len(self.tables[row.table]) != row_codes(row):
                raise SordinoError(
                    f"a row must be about different places of {self.size}, one for each sign of its table",
                    found=shown(row),
                )
        whole = all(type(weight) is int and weight >= 1 for weight in self.weights)
        if not self.rows or len(self.rows) != len(self.weights) or not whole or sum(self.weights) > LARGEST_BOUND:
            raise SordinoError(
                f"each of one or more rows must have a whole weight >= 1, {LARGEST_BOUND} together at most",
                found=f"{len(self.rows)} rows, {len(self.weights)} weights",
            )
        if len({place for row in self.rows for place in row.places}) < self.size or not self.informative:
            raise SordinoError(
                "each number must be asked for by a table with a slope",
                found="one that no report depends on",
                step="leave it out of the record",
            )

    @cached_property
    def slopes(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each table and sign, the mean of the sent sign at 1, exactly."""
        return tuple(table_slopes(table) for table in self.tables)

    @property
    def moments(self) -> Moments:
        """The numbers themselves."""
        return Moments.first(self.size)

    @cached_property
    def types(self) -> tuple[AnswerType, ...]:
        """One answer for each row."""
        levels = [Nats.log(Fraction(max(table), min(table))) for table in self.tables]
        return tuple(
            (Answer(tuple((place,) for place in row.places), levels[row.table], self.tables[row.table]),)
            for row in self.rows
        )

    @property
    def record(self) -> dict[str, Any]:
        """The tables, and what a person can be drawn for."""
        rows = [{"places": list(row.places), "table": row.table} for row in self.rows]
        tables = [list(map(str, table)) for table in self.tables]
        return {"d": self.size, "tables": tables, "rows": rows, "weights": list(self.weights)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        """All stands in the record."""
        del promise
        rows = tuple(Row(row.wholes("places"), row.whole("table")) for row in entries.inners("rows"))
        return cls(entries.whole("d"), entries.rows("tables"), rows, entries.wholes("weights"))

    @property
    def parameters(self) -> str:
        """All that defines the channel, as canonical text (what is long by its hash)."""
        plan = repr((self.tables, [(row.places, row.table) for row in self.rows], self.weights))
        return f"sign-tables d={self.size} rows={len(self.rows)} plan={sha256(plan.encode()).hexdigest()}"

    @property
    def informative(self) -> bool:
        """Whether every number is asked for, by signs that depend on it."""
        return bool(np.all(self._information(np.array(self.weights, dtype=np.float64)) > 0))

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Each row's first code, and after the last one the number of all codes."""
        return tuple(accumulate((row_codes(row) for row in self.rows), initial=0))

    @property
    def outputs(self) -> int:
        """A row, and one bit for each of its signs: 1 for +1."""
        return self.offsets[-1]

    def codes(self, which: int) -> Sequence[int]:
        """The patterns of signs of the row."""
        return range(self.offsets[which], self.offsets[which + 1])

    def laws(self, records: NDArray[np.float64], which: int) -> tuple[NDArray[Any], Fraction]:
        """The probabilities of all patterns of signs of a row, as the sampler makes them."""
        row, unit = self.rows[which], Fraction(self.weights[which], sum(self.weights) * WORD)
        numbers, table = records[:, list(row.places)], np.array(self.tables[row.table], dtype=np.uint64)
        if (np.abs(numbers) == 1).all():
            # Each number is its own sign, and the errors turn some of them.
            signs = (numbers > 0) @ (1 << np.arange(len(row.places)))
            return table[signs[:, None] ^ np.arange(len(table))], unit
        rows = []
        for record in numbers.tolist():
            weights = table.astype(object)
            for c, number in enumerate(record):
                one = ROUNDING.weight(number)
                # Sign c is sent as +1 if it was rounded to +1 and is right, or to -1 and is wrong.
                right, wrong = np.moveaxis(weights.reshape(-1, 2, 1 << c), 1, 0)
                sent = ((WORD - one) * right + one * wrong, one * right + (WORD - one) * wrong)
                weights = np.stack(sent, axis=1).reshape(-1)
            rows.append(weights)
        # In the same unit the signs' words are divided by.
        return np.array(rows, dtype=object), unit / WORD ** len(row.places)

    def probability(self, record: Sequence[float], code: int) -> Fraction:
        """Pr(code | record), in the integers of the sampler."""
        which = int(np.searchsorted(self.offsets, code, side="right")) - 1
        row, sent = self.rows[which], code - self.offsets[which]
        total = Fraction(0)
        positive = [ROUNDING.weight(float(record[place])) for place in row.places]
        for pattern, weight in enumerate(self.tables[row.table]):
            rounded = [(sent ^ pattern) >> c & 1 for c in range(len(positive))]
            likely = prod(one if bit else WORD - one for one, bit in zip(positive, rounded, strict=True))
            total += Fraction(weight * likely, WORD ** (1 + len(positive)))
        return Fraction(self.weights[which], sum(self.weights)) * total

    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """Signs weighed by their slopes, over the sum of squared slopes of those who were drawn, shape (d,).

        Given the draw, which says nothing about the records, it is unbiased.
        """
        counts = self.own_counts(aggregate)
        estimates: NDArray[np.float64] = (self._weighed @ counts) / self._drawn(counts)
        return estimates

    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The covariance of sums over the reports, given the draw, shape (d, d).

        The residual of a report is what its weighed signs differ from what its row's slopes and the estimates let
        expect.
        """
        counts = self.own_counts(aggregate)
        drawn, estimates = self._drawn(counts), self.means(aggregate)
        # What a report in each row is expected to add to each weighed sum; 0 outside of its row.
        expected = self._squares.multiply(np.clip(estimates, -1, 1)[:, None]).tocsr()
        residual = self._weighed - expected
        spread = (residual.multiply(counts[None, :]) @ residual.T).toarray()
        n = aggregate.n
        covariance: NDArray[np.float64] = spread / drawn[:, None] / drawn[None, :] * (n / max(n - 1, 1))
        return covariance

    def noise(self) -> NDArray[np.float64]:
        """1 / sum_r p_r slope^2."""
        weights = np.array(self.weights, dtype=np.float64)
        inverse: NDArray[np.float64] = weights.sum() / self._information(weights)
        return inverse

    def expected_variance(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """sum_r p_r slope^2 (1 - slope^2 mean^2) / information^2: the mean of a sent sign is slope times mean."""
        shares = np.array(self.weights, dtype=np.float64) / sum(self.weights)
        fourth = self._information(shares, power=4)
        means = records.mean(axis=0)
        variance: NDArray[np.float64] = self.noise() - means**2 * fourth * self.noise() ** 2
        return variance

    def _sample(self, values: NDArray[np.float64], stream: Stream) -> Words:
        return self._answer(values, stream, stream)

    def _answer(self, records: NDArray[np.float64], public: Stream, stream: Stream) -> Words:
        which = self._draw(public)
        tables = self._table.take(which) if len(self.tables) > 1 else None
        bits = self._guide.patterns(stream.next(), tables)
        self._turn(bits, 0, which, np.arange(0, records.size, self.size), records.reshape(-1), stream)
        codes = self._first.take(which)
        codes += bits
        return codes

    def _draw(self, public: Stream) -> NDArray[np.intp]:
        """The row of each person."""
        total = sum(self.weights)
        if total & total - 1:
            choice = uniform_below(total, public).view(np.int64)
        else:
            # As many words for each choice as for every other: none is rejected.
            choice = (public.next() >> np.uint64(65 - total.bit_length())).view(np.int64)
        if self._listed is not None:
            return self._listed.take(choice).astype(np.intp)
        return np.searchsorted(np.cumsum(self.weights), choice, side="right")

    def _turn(
        self,
        bits: NDArray[np.unsignedinteger],
        done: int,
        rows: NDArray[np.intp],
        first: NDArray[np.intp],
        flat: NDArray[np.float64],
        stream: Stream,
    ) -> None:
        """Turn the bits of all signs that are rounded to +1, of people whose rows have more than some signs.

        Args:
            bits: the patterns of errors, shape (n,).
            done: signs that were seen to before.
            rows: of each person, shape (n,).
            first: where the record of each person begins, shape (n,).
            flat: all numbers of all records, one record after the other.
            stream: of these people.
        """
        until = min(length for length in self._lengths if length > done)
        for c in range(done, until):
            at = self._places[c].take(rows)
            at += first
            positive = _rounded(flat.take(at), stream.next()).view(np.uint8)
            bits ^= positive.astype(bits.dtype, copy=False) << bits.dtype.type(c)
        # Who sends fewer signs draws fewer words; the draw of the row is public.
        longer = np.flatnonzero(self._signs.take(rows) > until) if until < max(self._lengths) else NOBODY
        if longer.size:
            own = bits.take(longer)
            self._turn(own, until, rows.take(longer), first.take(longer), flat, stream.take(longer))
            bits[longer] = own

    def _drawn(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sum of squared slopes of all signs that were sent about each number, shape (d,)."""
        drawn: NDArray[np.float64] = self._squares @ counts
        if not drawn.all():
            raise SordinoError(
                "somebody must have answered about each number",
                found=f"nobody about number {int(np.argmin(drawn))}, of {int(counts.sum())} reports",
                step="ask more people, or leave it out",
            )
        return drawn

    def _information(self, weights: NDArray[np.float64], power: int = 2) -> NDArray[np.float64]:
        """The sum over the rows of weight times squared slope, or another power of it, shape (d,)."""
        total = np.zeros(self.size)
        for row, weight in zip(self.rows, weights, strict=True):
            total[list(row.places)] += weight * np.array(self.slopes[row.table], dtype=np.float64) ** power
        return total

    @cached_property
    def _weighed(self) -> csr_array:
        """For each number and code, the sent sign times its slope, shape (d, outputs)."""
        return self._by_code(signed=True)

    @cached_property
    def _squares(self) -> csr_array:
        """For each number and code, the squared slope, shape (d, outputs)."""
        return self._by_code(signed=False)

    def _by_code(self, *, signed: bool) -> csr_array:
        numbers, codes, entries = [], [], []
        for row, first in zip(self.rows, self.offsets, strict=False):
            own = np.arange(row_codes(row))
            for c, (place, slope) in enumerate(zip(row.places, self.slopes[row.table], strict=True)):
                sign = np.where(own >> c & 1, 1.0, -1.0) if signed else np.full(len(own), float(slope))
                numbers.append(np.full(len(own), place))
                codes.append(first + own)
                entries.append(sign * float(slope))
        places = (np.concatenate(numbers), np.concatenate(codes))
        return csr_array((np.concatenate(entries), places), shape=(self.size, self.outputs))

    @cached_property
    def _listed(self) -> NDArray[np.unsignedinteger] | None:
        """Each row as often as its weight, where these are few together; in few bytes, for the cache."""
        if sum(self.weights) > LARGEST_LIST:
            return None
        return np.repeat(np.arange(len(self.rows), dtype=np.min_scalar_type(len(self.rows) - 1)), self.weights)

    @cached_property
    def _guide(self) -> Guide:
        return Guide.of(self.tables)

    @cached_property
    def _table(self) -> NDArray[np.intp]:
        """The table of each row."""
        return np.array([row.table for row in self.rows])

    @cached_property
    def _lengths(self) -> frozenset[int]:
        """How many signs rows have."""
        return frozenset(len(row.places) for row in self.rows)

    @cached_property
    def _first(self) -> NDArray[np.uint64]:
        return np.array(self.offsets[:-1], dtype=np.uint64)

    @cached_property
    def _signs(self) -> NDArray[np.uint8]:
        return np.array([len(row.places) for row in self.rows], dtype=np.uint8)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """The places of each row, shape (longest row, rows); filled up with 0."""
        longest = max(len(row.places) for row in self.rows)
        padded = [row.places + (0,) * (longest - len(row.places)) for row in self.rows]
        return np.ascontiguousarray(np.array(padded).T)


def _rounded(numbers: NDArray[np.float64], words: Words) -> NDArray[np.bool_]:
    """Whether each number in [-1, 1], which is lost, becomes +1: as `ROUNDING` weighs it, with fewer steps."""
    positive = numbers >= 1
    numbers *= float(HALF)
    # 2^63 is no signed word: whatever it becomes, the sign of 1 is certain.
    with np.errstate(invalid="ignore"):
        positive |= words.view(np.int64) < numbers.astype(np.int64)
    return positive


def table_slopes(table: Sequence[int]) -> tuple[Fraction, ...]:
    """For each sign of a table of weights with sum 2^64, the mean of the sent sign at 1, exactly."""
    return tuple(
        Fraction(sum(-weight if pattern >> c & 1 else weight for pattern, weight in enumerate(table)), WORD)
        for c in range(len(table).bit_length() - 1)
    )


def row_codes(row: Row) -> int:
    """The number of codes of a row: one for each pattern of signs."""
    return 1 << len(row.places)
