"""The verbs of what is asked without a plan: mechanisms and queries. Arrays in, arrays out.

What a verb makes no sense of is refused with the next step. The guarantees are those of what is called.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeGuard

from sordino.audit.answers import certify_queries
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
