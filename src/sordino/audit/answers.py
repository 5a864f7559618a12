"""What queries tell of a record at most, read off their own integers: the answers that the sampling rule is about.

A query reads a value of the record and answers through a finite channel. So whatever the reading does, its level is
that of the channel, found by the exact certificate over all its outputs, and nothing of it is declared. What the
reading decides is which dependence bounds serve: a reading of two values has a law that is linear in its moment, so
that bounds on that moment alone are enough; of several signs together, through a channel that flips bits by a table,
the loss is told exactly from the table; of two categories together the bounds on their combination; of a category with
the sign of a number those on both, which serve their product too, since it is a function of the two; every other
reading takes the bounds on all other attributes together. Queries that a person answers together are the answers of one
type: no bound on one statistic serves two of them.

Sees only the `Mechanism` interface: author and checker share no formulas.
Source: BCDP paper, read per statistic; the rules are those of `definition.sampling`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from sordino.audit.certificate import Certificate, Witness, certify
from sordino.definition.bounds import LARGEST_EPSILON
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.errors import SordinoError
from sordino.exact.messages import checked
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together

AskedNumbers: TypeAlias = Query | Together | Sampled
"""Whatever a person can be asked about a record of numbers."""

READ_IN_FULL = 1 << 16
"""Weights of a channel that are all compared with its table of flips; of a larger table as many."""

STEP = 0x9E3779B1
"""Which weights of a larger one: an odd number, so that multiples of it go through all of them."""


CODES = 64


@checked
def answers(asked: AskedNumbers) -> tuple[AnswerType, ...]:
    """What a person can be drawn to answer about a record of numbers, and the most that each answer can tell.

    Raises:
        SordinoError: queries that are not about numbers, or through a channel whose level is infinite.

    Example:
        >>> from sordino import Number, RandomizedResponse
        >>> ((answer,),) = answers(Query(Number(1), RandomizedResponse(2, "ln 3")))
        >>> answer.statistics, str(answer.level), answer.linear
        (((1,),), 'ln 3', True)
    """
    return tuple(tuple(map(_answer, queries)) for queries in answer_sets(asked))


@checked
def certify_queries(asked: AskedNumbers, definition: LDP) -> Certificate:
    """The verdict on queries under LDP of the whole record: that on what is answered where least is left.

    What no two values that are read exceed, no two records exceed. The witness is of a channel's values and codes; of
    queries that are answered together, of those of all their channels, the last of which run fastest.

    Raises:
        SordinoError: a channel whose outputs do not add up, or are not as it tells.
    """
    told = dict.fromkeys(tuple(query.mechanism for query in queries) for queries in answer_sets(asked))
    verdicts = {mechanism: certify(mechanism, definition) for mechanisms in told for mechanism in mechanisms}
    joint = (_joint(mechanisms, [verdicts[one] for one in mechanisms], definition) for mechanisms in told)
    return min(joint, key=lambda found: found.slack)


def _joint(mechanisms: Sequence[Mechanism], verdicts: Sequence[Certificate], definition: LDP) -> Certificate:
    slack, witness = verdicts[0].slack, verdicts[0].witness
    for mechanism, verdict in zip(mechanisms[1:], verdicts[1:], strict=True):
        slack = slack + verdict.slack - definition.epsilon
        witness = _joint_witness(witness, verdict.witness, mechanism)
    return Certificate(slack.sign() >= 0, slack, witness)


def _joint_witness(first: Witness | None, second: Witness | None, mechanism: Mechanism) -> Witness | None:
    """Values and codes of both, those of the second as the last digits."""
    if first is None or second is None:
        return first or second
    k, outputs = mechanism.k, mechanism.outputs
    code = None if first.code is None or second.code is None else first.code * outputs + second.code
    loss = None if first.loss is None or second.loss is None else first.loss + second.loss
    return Witness(code, first.value * k + second.value, first.other * k + second.other, loss)


@lru_cache(maxsize=1 << 12)
def level_of(mechanism: Mechanism) -> Nats:
    """The least epsilon of LDP that a mechanism keeps, exactly."""
    slack = certify(mechanism, LDP(LARGEST_EPSILON)).slack
    if not slack.is_finite:
        raise SordinoError("every value must be able to cause every code", found="a loss that is infinite")
    return Nats.of(LARGEST_EPSILON) - slack


def answer_sets(asked: AskedNumbers) -> Iterator[tuple[Query, ...]]:
    """Whatever a person can be drawn to answer: one query, or several together."""
    match asked:
        case Query():
            yield (asked,)
        case Together():
            yield asked.queries
        case Sampled():
            for query in asked.queries:
                yield from answer_sets(query)


def _answer(query: Query) -> Answer:
    statistic = query.number
    level = level_of(query.mechanism)
    # Whatever else is read of a number, that it is missing for instance, is read of the attribute.
    names = tuple((place,) for place in statistic.places)
    if statistic.category_counts:
        # Never one of signs, however its channel is made, nor linear: no name of a product of numbers is one of these.
        if statistic.sign_places is not None:
            category, number = statistic.sign_places
            return Answer(((category,), (number,)), level, signed=True)
        return Answer(names, level, table=set(statistic.category_counts) == set(statistic.places))
    if statistic.linear:
        return Answer(statistic.bits, level, linear=True)
    # Only of signs a value's bits are one for each number: of complete cases there are as many values, of points.
    return Answer(names, level, errors=_flips(query.mechanism) if statistic.bits else ())


@lru_cache(maxsize=1 << 10)
def _flips(mechanism: Mechanism) -> tuple[int, ...]:
    """The weight of each pattern of flipped bits; none where the channel is not surely of this kind.

    What is too large to be read in full is believed where it says that it holds nothing but this table: any other could
    differ from it where nobody looks.
    """
    k = mechanism.k
    if mechanism.outputs != k or k & k - 1:
        return ()
    flips = tuple(mechanism.weight(0, code) for code in range(k))
    if k**2 > READ_IN_FULL and mechanism.flips != flips:
        return ()
    read = (place * STEP % k**2 for place in range(min(k**2, READ_IN_FULL)))
    alike = all(mechanism.weight(place // k, place % k) == flips[place // k ^ place % k] for place in read)
    return flips if alike and min(flips) >= 1 else ()


@lru_cache(maxsize=1 << 8)
def monotone_pieces(mechanism: Mechanism) -> int:
    """In how many pieces, at most, the weight of a code rises or falls from value to value; 1 where none depends on it.

    By this number bounds on distribution functions serve a channel over the bins of a number: of a bit about a
    threshold it is 1, of a window of neighbouring codes 2.

    Example:
        >>> from sordino.mechanism.randomized import RandomizedResponse
        >>> monotone_pieces(RandomizedResponse(4, "1")), monotone_pieces(RandomizedResponse(2, "1"))
        (2, 1)
    """
    most = 1
    for first in range(0, mechanism.outputs, CODES):
        codes = np.arange(first, min(first + CODES, mechanism.outputs), dtype=np.uint64)
        weights, place = mechanism.marks(codes)
        order = {weight: number for number, weight in enumerate(sorted(set(weights)))}
        # Of integers of any size their order among each other.
        ranks = np.array([order[weight] for weight in weights])[place]
        for row in np.sign(np.diff(ranks, axis=1)):
            directions = row[row != 0].tolist()
            most = max(most, 1 + sum(one != other for one, other in pairwise(directions)))
    return most
