"""The verbs of what is asked without a plan: mechanisms, channels from numbers, queries. Arrays in, arrays out.

What a verb makes no sense of is refused with the next step. The guarantees are those of what is called.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from sordino.audit.answers import AnswersCertificate, certify_answers
from sordino.audit.certify import Certificate, certify
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import sampling_level
from sordino.errors import SordinoError
from sordino.estimation.estimate import Estimate, Method, estimate
from sordino.estimation.moments import NormalEstimate, means
from sordino.exact.keyed import KeyedSource
from sordino.exact.source import Source, Words
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.base import Mechanism
from sordino.mechanism.bit_query import BitQuery
from sordino.mechanism.channel import Channel
from sordino.mechanism.number import NumberChannel
from sordino.query.query import Query
from sordino.query.sampled import Sampled

Asked: TypeAlias = Channel | Query | Sampled
"""What is asked without a plan."""

Estimated: TypeAlias = Estimate | NormalEstimate
"""Shares of values, or means of numbers."""


def codes_of(asked: Asked, values: Any, source: object) -> Words:
    """One code for each person's value; every call is a new release."""
    if isinstance(asked, Query):
        step = "query.privatize(record, rows) takes the record too"
        raise SordinoError("a query needs the record whose statistic it asks", found="values alone", step=step)
    if isinstance(source, KeyedSource):
        step = "give KeyedSource(key, task).for_records(ids)"
        raise SordinoError("a keyed source must know whose values these are", found="no ids", step=step)
    if not (source is None or _gives_words(source)):
        step = "leave it out for fresh words"
        raise SordinoError("a source must be one of random words", found=kind(source), step=step)
    if not isinstance(asked, Sampled):
        return asked.privatize(values, source)
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        step = "give a list: for each query its people's values"
        raise SordinoError("several queries need several columns of values", found=kind(values), step=step)
    return asked.privatize(values, source)


def tally_asked(asked: Asked, reports: Sequence[Any]) -> Aggregate:
    """The tally of arrays of codes and of aggregates, of which there is one at least."""
    counted = asked if isinstance(asked, Sampled) else _channel(asked)
    first, *others = (part if isinstance(part, Aggregate) else counted.tally(part) for part in reports)
    if first.fingerprint != counted.fingerprint:
        raise SordinoError("an aggregate must be of the mechanism", found="another's", step="add up each one's apart")
    return sum(others, start=first)


def estimate_asked(
    asked: Asked, tally: Aggregate, method: Method | None, *, subtract_totals: bool
) -> Estimated | tuple[Estimated, ...]:
    """What a tally tells; of several queries what it tells of each."""
    if isinstance(asked, Sampled):
        parts = zip(asked.queries, asked.split(tally), strict=True)
        return tuple(_estimate(query.mechanism, own, method, subtract=subtract_totals) for query, own in parts)
    return _estimate(_channel(asked), tally, method, subtract=subtract_totals)


def certify_asked(asked: Asked, definition: Any) -> Certificate | AnswersCertificate:
    """The verdict on a mechanism under a definition; on a channel from numbers, under what it declares, or LDP."""
    # LDP of the values that are read is LDP of the record; what else is promised is about one of the two.
    of_query = isinstance(asked, Query) and isinstance(definition, LDP)
    channel = asked.mechanism if isinstance(asked, Query) and of_query else asked
    if isinstance(channel, NumberChannel):
        return certify_answers(channel) if definition is None else _certify_level(channel, definition)
    if isinstance(channel, Mechanism):
        if definition is None:
            step = "give one after it, as LDP(epsilon)"
            raise SordinoError("a mechanism is checked against a definition", found="none", step=step)
        return certify(channel, definition)
    step = "certify the mechanism of the query"
    if isinstance(channel, BitQuery):
        step = "its answer keeps its epsilon by its threshold; BayesianFilter(box, definition) counts several"
    raise SordinoError("only finite mechanisms and channels from numbers are checked", found=kind(channel), step=step)


def kind(thing: object) -> str:
    """What was given, for messages."""
    return "None" if thing is None else f"a {type(thing).__name__}"


def _gives_words(source: object) -> TypeGuard[Source]:
    return callable(getattr(source, "stream", None)) and not isinstance(source, type)


def _channel(asked: Channel | Query) -> Channel:
    return asked if isinstance(asked, Channel) else asked.mechanism


def _estimate(channel: Channel, tally: Aggregate, method: Method | None, *, subtract: bool) -> Estimated:
    """What the tally of one channel tells."""
    if isinstance(channel, Mechanism):
        return estimate(channel, tally, method, subtract_totals=subtract)
    if method is not None or subtract:
        found = kind(channel)
        raise SordinoError("methods and totals are of shares", found=found, step="leave them out")
    if isinstance(channel, NumberChannel):
        return means(channel, tally)
    if isinstance(channel, BitQuery):
        return NormalEstimate(np.array(channel.mean(tally)), np.array(channel.standard_error(tally)), tally.n)
    step = "estimate each of its queries"
    raise SordinoError("an estimate is of shares or of means", found=kind(channel), step=step)


def _certify_level(channel: NumberChannel, definition: object) -> Certificate:
    """Whether a channel keeps the levels that it declares, and what these leave of an epsilon."""
    if not isinstance(definition, LDP):
        step = "give LDP(epsilon), or nothing to check its own levels; plans promise deltas"
        found = kind(definition)
        raise SordinoError("a channel from numbers is checked against LDP", found=found, step=step)
    own = certify_answers(channel)
    slack = definition.epsilon - sampling_level(channel.types) if own.holds else own.slack
    return Certificate(own.holds and slack.sign() >= 0, slack, None)
