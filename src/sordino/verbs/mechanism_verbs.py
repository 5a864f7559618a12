"""The verbs of what is asked without a plan: mechanisms and queries. Arrays in, arrays out.

What a verb makes no sense of is refused with the next step. The guarantees are those of what is called.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias, TypeGuard

from sordino.audit.answers import certify_queries
from sordino.audit.batch_certificate import (
    BatchCertificate,
    DrawnBatch,
    beliefs_after_shuffling,
    certify_batch,
    certify_drawn,
)
from sordino.audit.batch_loss import BatchSize
from sordino.audit.certificate import Certificate, certify
from sordino.audit.loss_certificate import LossCertificate, certify_losses
from sordino.definition.pairwise import LDP
from sordino.errors import SordinoError
from sordino.estimation.intervals.contrast import mean_of_model
from sordino.estimation.means_and_covariances import NormalEstimate, means
from sordino.estimation.share_estimate import Estimate, Method, estimate
from sordino.exact.keyed import KeyedSource
from sordino.exact.messages import kind
from sordino.exact.source import Source, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate, Channel
from sordino.mechanism.record_channel import RecordChannel
from sordino.query.model import Model
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.statistic import Values
from sordino.query.together import Together

Asked: TypeAlias = Mechanism | Query | Together | Sampled | RecordChannel
"""What is asked without a plan."""

Estimated: TypeAlias = Estimate | NormalEstimate
"""Shares of values, or means of numbers."""


def codes_of(asked: Asked, values: Any, source: object) -> Words:
    """One code for each person's value; every call is a new release."""
    if isinstance(source, KeyedSource):
        step = "give KeyedSource(key, task).for_records(ids)"
        raise SordinoError("a keyed source must know whose values these are", found="no ids", step=step)
    if not (source is None or _gives_words(source)):
        step = "leave it out for fresh words"
        raise SordinoError("a source must be one of random words", found=kind(source), step=step)
    several = isinstance(asked, Sampled) and not asked.numbers
    if several and (not isinstance(values, Sequence) or isinstance(values, str | bytes)):
        step = "give a list: for each query its people's values"
        raise SordinoError("several queries need several columns of values", found=kind(values), step=step)
    return asked.privatize(values, source)


def tally_asked(asked: Asked, reports: Sequence[Any]) -> Aggregate:
    """The tally of arrays of codes and of aggregates, of which there is one at least."""
    first, *others = (part if isinstance(part, Aggregate) else asked.tally(part) for part in reports)
    if first.fingerprint != asked.fingerprint:
        found = f"one of {first.fingerprint}, not {asked.fingerprint}"
        raise SordinoError("an aggregate must be of the mechanism", found=found, step="add up each one's apart")
    return sum(others, start=first)


def estimate_asked(
    asked: Asked, tally: Any, method: Method | None, *, subtract_totals: bool
) -> Estimated | tuple[Estimated, ...]:
    """What a tally tells; of queries that read several columns what it tells of each."""
    if not isinstance(tally, Aggregate):
        step = "tally the reports first: sordino.aggregate(mechanism, codes)"
        raise SordinoError("an estimate needs an aggregate", found=kind(tally), step=step)
    if not isinstance(asked, Sampled) or asked.numbers:
        return _estimate(asked, tally, method, subtract=subtract_totals)
    parts = zip(asked.queries, asked.split(tally), strict=True)
    return tuple(_estimate(query, own, method, subtract=subtract_totals) for query, own in parts)


def certify_asked(asked: Asked, definition: Any) -> Certificate | LossCertificate:
    """The verdict on a mechanism under a definition; on queries, under LDP of the whole record."""
    if definition is None:
        step = "give one after it, as LDP(epsilon)"
        raise SordinoError("a mechanism is checked against a definition", found="None", step=step)
    if isinstance(asked, RecordChannel):
        return certify_losses(asked.losses, asked.epsilon, definition)
    if not isinstance(asked, Query | Together | Sampled):
        return certify(asked, definition)
    if not isinstance(definition, LDP):
        # LDP of the values that are read is LDP of the record; what else is promised is about one of the two.
        step = "give LDP(epsilon), or certify the mechanism of the query; plans promise deltas"
        raise SordinoError("queries are checked against LDP of the record", found=kind(definition), step=step)
    return certify_queries(asked, definition)


def certify_shuffled(asked: Asked, definition: Any, people: int, delta: Fraction) -> BatchCertificate | DrawnBatch:
    """The bounds of a batch of a mechanism's reports, or of queries' of whose people each is drawn for one."""
    if isinstance(asked, RecordChannel):
        step = "ask about values, or numbers, through a mechanism"
        raise SordinoError("a batch's bound is of finite channels", found=kind(asked), step=step)
    if definition is not None and getattr(definition, "certificate_basis", "") == "averages":
        raise beliefs_after_shuffling(kind(definition))
    if not (verdict := certify_asked(asked, definition)).holds:
        over = -verdict.slack.floor()
        found = f"{over:.6g} nats too much" if isfinite(over) else "a loss without bound"
        raise SordinoError("one report must keep its promise before a batch is looked at", found=found)
    if not isinstance(asked, Query | Together | Sampled):
        return certify_batch(asked, definition, BatchSize(people), delta)
    drawn = [*drawn_queries(asked, Fraction(1))]
    return certify_drawn(
        [(query.mechanism, definition, share) for query, share in drawn], people, delta, apart=are_apart(drawn)
    )


def are_apart(drawn: Sequence[tuple[Query, Fraction]]) -> bool:
    """Whether no two queries read the same attribute, so that records may have any values of all together."""
    read = [name for query, _ in drawn for name in set(query.statistic.attribute_names)]
    return len(set(read)) == len(read)


def drawn_queries(asked: Query | Together | Sampled, share: Fraction) -> Iterator[tuple[Query, Fraction]]:
    """The single queries that a query which is drawn with some probability is made of, with the probability of each."""
    if isinstance(asked, Sampled):
        for query, weight in zip(asked.queries, asked.weights, strict=True):
            yield from drawn_queries(query, share * Fraction(weight, sum(asked.weights)))
    elif isinstance(asked, Query):
        yield asked, share
    else:
        step = "ask them one by one, each person one of them"
        raise SordinoError("a batch's bound is of people who give one answer each", found=kind(asked), step=step)


def _gives_words(source: object) -> TypeGuard[Source]:
    return callable(getattr(source, "stream", None)) and not isinstance(source, type)


def _estimate(asked: Channel, tally: Aggregate, method: Method | None, *, subtract: bool) -> Estimated:
    values = isinstance(asked, Query) and isinstance(asked.statistic, Values)
    mechanism = asked.mechanism if isinstance(asked, Query) and values else asked
    if isinstance(mechanism, Mechanism):
        return estimate(mechanism, tally, method, subtract_totals=subtract)
    if method is not None or subtract:
        found = kind(asked)
        raise SordinoError("methods and totals are of shares", found=found, step="leave them out")
    if isinstance(asked, RecordChannel):
        own: Estimated = asked.estimate(tally)
        return own
    if isinstance(asked, Query) and isinstance(asked.statistic, Model):
        return mean_of_model(asked, tally)
    if isinstance(asked, Query | Together | Sampled):
        return means(asked, tally)
    raise SordinoError("an estimate is of shares or of means", found=kind(asked), step="estimate each of its queries")
