"""Queries: a statistic of the record, asked through a mechanism."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.finite_record import Record
from sordino.errors import SordinoError
from sordino.exact.messages import checked_class, shown
from sordino.exact.nats import Nats
from sordino.exact.source import Stream, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Channel
from sordino.query.number import NumberStatistic, records_for_key
from sordino.query.statistic import Statistic, Values

if TYPE_CHECKING:
    from sordino.domain.box import Box
    from sordino.evidence.box_evidence import BoxEvidence
    from sordino.query.model import Model


@checked_class
@dataclass(frozen=True)
class Query(Channel):
    """A statistic of the record, asked through a mechanism.

    Attributes:
        statistic: how the record is read, as one of the mechanism's values.
        mechanism: the channel from what is read to codes. What no two of its values exceed, no two records exceed.

    Example:
        >>> from sordino import Categories, RandomizedResponse, Record, Values
        >>> record = Record({"smoker": Categories(["yes", "no"]), "stage": Categories(["I", "II", "III"])})
        >>> both = Query(Values("stage", "smoker"), RandomizedResponse(6, "1"))
        >>> both.places(record), both.index(record, [[1, 2]]).tolist(), both.outputs
        ((1, 0), [5], 6)
    """

    statistic: Statistic
    mechanism: Mechanism

    def __post_init__(self) -> None:
        self.require_size()

    @property
    def outputs(self) -> int:
        return self.mechanism.outputs

    @property
    def parameters(self) -> str:
        return f"{self.statistic.parameters} by {self.mechanism.parameters}"

    @cached_property
    def fingerprint(self) -> str:
        """A short hash; of values that are read as they are, the mechanism's own, whose tally it is."""
        own = sha256(self.parameters.encode()).hexdigest()[:16]
        return self.mechanism.fingerprint if isinstance(self.statistic, Values) else own

    @property
    def informative(self) -> bool:
        return self.mechanism.informative

    @property
    def counters(self) -> int:
        return self.mechanism.counters

    def reports(self, counters: NDArray[np.integer]) -> int:
        return self.mechanism.reports(counters)

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return self.mechanism.possible(counters)

    def are_impossible(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        return self.mechanism.are_impossible(codes)

    @property
    def is_onto(self) -> bool:
        return self.mechanism.is_onto

    def require_size(self) -> None:
        """Refuse a mechanism over another number of values than the statistic reads, where that is known.

        Raises:
            SordinoError: another number.
        """
        self.statistic.require_size(self.mechanism)

    def check_values(self, values: ArrayLike) -> NDArray[Any]:
        return self.statistic.check_values(values, self.mechanism)

    @property
    def number(self) -> NumberStatistic:
        """The statistic, if it is one of numbers.

        Raises:
            SordinoError: one of values.
        """
        if not isinstance(self.statistic, NumberStatistic):
            raise SordinoError("queries about numbers must read statistics of numbers", found=shown(self.statistic))
        return self.statistic

    def law(self, record: Sequence[float]) -> list[Fraction]:
        """The probability of each code given a record of numbers, exactly: an average of the mechanism's rows.

        Raises:
            SordinoError: a statistic of values.
        """
        read, mechanism = self.statistic.law(record), self.mechanism
        rows = ((share, value) for value, share in enumerate(read) if share)
        law = [Fraction(0)] * self.outputs
        for share, value in rows:
            for code in range(self.outputs):
                law[code] += share * mechanism.weight(value, code) / mechanism.denominator
        return law

    @property
    def model(self) -> "Model":
        """The statistic of a question about a record in a box.

        Raises:
            SordinoError: no model of such a record.
        """
        # A plan asks about none: collectors ask a ledger.
        from sordino.query.model import Model

        if not isinstance(self.statistic, Model):
            raise SordinoError("records in a box are asked about models of them", found=self.statistic.parameters)
        return self.statistic

    def evidence(self, box: "Box", code: int) -> "BoxEvidence":
        """What one answer says about a record in a box: the model's shape, with the mechanism's column.

        Raises:
            SordinoError: no model, or one that does not fit the box; a code that cannot be sent from either end.
        """
        from sordino.query.column import column_of

        return self.model.evidence(box, column_of(self.mechanism, code))

    @property
    def epsilon(self) -> Nats:
        """The most that an answer about a model can tell of a record: what the mechanism's integers keep, rounded up.

        Raises:
            SordinoError: no model, or a code that rules an end out.
        """
        return self._levels[0]

    @property
    def level(self) -> float:
        """`epsilon` in floats, rounded up."""
        return self._levels[1]

    def finite(self, record: Record) -> Mechanism:
        """The mechanism, from the values of the statistic in a record of categories.

        Raises:
            SordinoError: one for another number of values, or a statistic of numbers.
        """
        values = self._values.k(record)
        if values != self.mechanism.k:
            raise SordinoError(
                f"the mechanism must take the {values} values of its attributes together", found=shown(self.mechanism.k)
            )
        return self.mechanism

    def places(self, record: Record) -> tuple[int, ...]:
        """Where the attributes that it asks about stand in the record, in their order.

        Raises:
            SordinoError: none, unknown or repeated attributes; a mechanism for another number of values.
        """
        self.finite(record)
        return self._values.places(record)

    def index(self, record: Record, rows: ArrayLike) -> NDArray[np.intp]:
        """What the mechanism sees, shape (n,), of records as rows of values, shape (n, d): what `privatize` takes."""
        self.finite(record)
        return self._values.index(record, rows)

    @property
    def _values(self) -> Values:
        if not isinstance(self.statistic, Values):
            raise SordinoError("records of categories are asked about values", found=shown(self.statistic))
        if not isinstance(self.mechanism, Mechanism):
            raise SordinoError("values are asked through a finite mechanism", found=type(self.mechanism).__name__)
        return self.statistic

    @cached_property
    def _levels(self) -> tuple[Nats, float]:
        from sordino.query.column import level_of_columns

        _ = self.model
        return level_of_columns(self.mechanism)

    def _for_key(self, values: NDArray[Any]) -> NDArray[Any]:
        return records_for_key([self.statistic], values) if isinstance(self.statistic, NumberStatistic) else values

    @property
    def _chunk(self) -> int:
        return self.mechanism._chunk

    def _sample(self, values: NDArray[Any], stream: Stream) -> Words:
        return self.mechanism._sample(self.statistic.encode(values, stream), stream)

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        return self.mechanism._count(codes, group, groups)
