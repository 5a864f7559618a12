"""The integers of a plan with the promise that they keep: read and certified once for each distinct part of a plan.

What is certified is what the document holds, byte for byte: two questions share a verdict only where their integers and
their promise are equal, however alike they were wished.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sordino.audit.answers import answers, certify_queries
from sordino.audit.certificate import Certificate, certify
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import AnswerType
from sordino.distinct import DistinctParts
from sordino.document.codec import OF_SHARES, decode_over
from sordino.document.queries import thaw_queries
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.sampled import Sampled
from sordino.survey.schema.promise import Definition

if TYPE_CHECKING:
    from sordino.estimation.estimated_moments import MomentReader


class ChannelPart(NamedTuple):
    """All that a channel and its certificate depend on.

    Attributes:
        integers: its record, as a document spells it.
        promise: that it is to keep.
        k: how many values it must take.
        kinds: which channels it can be, by name.
    """

    integers: str
    promise: Definition
    k: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PromisedChannel:
    """A channel of a plan, which all questions with the same integers and the same promise have together.

    Attributes:
        mechanism: made of the integers.
        promise: that it is to keep.
    """

    mechanism: Mechanism
    promise: Definition

    @classmethod
    def of(
        cls,
        record: object,
        promise: Definition,
        k: int,
        parts: DistinctParts,
        kinds: Mapping[str, type[Mechanism]] = OF_SHARES,
    ) -> "PromisedChannel":
        """That of a record over k values, read once.

        Raises:
            SordinoError: as `decode_over`.
        """
        part = ChannelPart(record_text(record), promise, k, tuple(kinds))
        return parts.of(part, lambda: cls(decode_over(record, promise, k, kinds), promise))

    @cached_property
    def certificate(self) -> Certificate:
        """The exact verdict on the integers under the promise."""
        return certify(self.mechanism, self.promise)


class QueriesPart(NamedTuple):
    """All that queries about numbers depend on.

    Attributes:
        integers: their record, as a document spells it.
    """

    integers: str


class CertifiedQueries(NamedTuple):
    """All that the certificate of queries depends on.

    Attributes:
        integers: their record, as a document spells it.
        epsilon: of the whole record.
    """

    integers: str
    epsilon: Nats


@dataclass(frozen=True, eq=False)
class PromisedQueries:
    """Queries of a plan about numbers, which all questions with the same integers have together.

    Attributes:
        integers: as a document spells them.
        queries: made of these.
        parts: of the plan.
    """

    integers: str
    queries: Sampled
    parts: DistinctParts

    @classmethod
    def of(cls, record: object, parts: DistinctParts) -> "PromisedQueries":
        """Those of a record, read once.

        Raises:
            SordinoError, DamagedError: as `thaw_queries`.
        """
        integers = record_text(record)
        return parts.of(QueriesPart(integers), lambda: cls(integers, thaw_queries(record), parts))

    @cached_property
    def answers(self) -> tuple[AnswerType, ...]:
        """What an answer can be about, by the places of the queries' numbers, and the most that it can tell."""
        return answers(self.queries)

    @cached_property
    def reader(self) -> "MomentReader":
        """What reads the tally of reports."""
        # A device estimates nothing.
        from sordino.estimation.estimated_moments import read_moments

        return read_moments(self.queries)

    def certificate(self, epsilon: Nats) -> Certificate:
        """The exact verdict on the integers under LDP of the whole record, at its least slack."""
        part = CertifiedQueries(self.integers, epsilon)
        return self.parts.of(part, lambda: certify_queries(self.queries, LDP(epsilon)))


def record_text(record: Any) -> str:
    """A record of a document as one text, in which 1, 1.0 and true are different.

    What no document could hold is equal to nothing else: reading it says what is wrong.
    """
    try:
        return json.dumps(record)
    except (TypeError, ValueError):
        return f"the object {id(record)}"
