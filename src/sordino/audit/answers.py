"""Exact certificates of channels from numbers: whether their own integers keep what their `types` declare.

For each public type of answers: how often it is drawn does not depend on the record; its codes depend on nothing but
the numbers that it declares, and on a single statistic linearly where that is declared; a declared table of errors is
the channel; answers that are given together are independent; and no code tells more than the declared level, between
any two records. Whatever else is wrong is an error, a level that is passed is a verdict.

Extremes suffice. A channel is linear, or at least monotone, from corner to corner in each of its statistics, whatever
the others are, and each statistic is so in each of its numbers (a square from 0 on). A probability that is monotone in
each number by itself is largest and smallest at an end of each: so at the corners, and beside those corners that are
no ends of [-1, 1] at the floats next to them, which are what the sampler comes to see. What is between is looked at
too, but at a few points only: it is there to refuse a channel that is not of this kind, as are the values that are
given to the numbers which must not matter.

Sees only the `NumberChannel` interface: author and checker share no formulas. Cost: all codes of a type on all its
extremes, 4^m for the signs of m numbers; of large rows of signs with one table the first is looked at in full, all
others where the signs are equal or all but one are.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.audit.extremes import HELD, Extremes, Looked, all_of, axis_of, generic, law_sums, too_large, wrong
from sordino.definition.sampling import Answer, AnswerType
from sordino.exact.messages.arguments import checked
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.mechanism.number import NumberChannel

LARGEST_CHANNEL = 1 << 22
"""Codes at most."""

MOST_WEIGHTS = 1 << 28
"""Weights looked at in all: seconds."""


@dataclass(frozen=True)
class AnswerWitness:
    """Where an answer comes closest to its declared level, or passes it by most.

    Attributes:
        which: the type, by its place.
        answer: of the type, by its place.
        code: the report.
        places: of the numbers that it is about.
        numbers, others: two values of these numbers; the code favours the first over the second.
        loss: exact; None where the second cannot cause the code, an infinite loss.
        level: declared.
    """

    which: int
    answer: int
    code: int
    places: tuple[int, ...]
    numbers: tuple[float, ...]
    others: tuple[float, ...]
    loss: Nats | None
    level: Nats


@dataclass(frozen=True)
class AnswersCertificate:
    """The verdict on a channel from numbers.

    Attributes:
        holds: whether no answer can tell more than its declared level.
        slack: the exact amount that is left of a level where least is left; negative iff it does not hold.
        witness: where that is.
    """

    holds: bool
    slack: Nats
    witness: AnswerWitness


@checked
def certify_answers(channel: NumberChannel) -> AnswersCertificate:
    """Check every type of answers of a channel against what it declares, exactly.

    Raises:
        SordinoError: codes that are no channel, or differ from what is declared in more than a level, so that no
            verdict is possible; or more of them than can be looked at.

    Example:
        >>> from sordino import OneBit
        >>> certificate = certify_answers(OneBit("ln 3"))
        >>> certificate.holds, certificate.witness.numbers, certificate.witness.others
        (True, (-1.0,), (1.0,))
    """
    types, codes = channel.types, _codes_by_type(channel)
    drawn, left, seen = Fraction(0), MOST_WEIGHTS, set[Answer]()
    tightest: tuple[Nats, Looked, NDArray[np.float64], Extremes] | None = None
    for which, answers in enumerate(types):
        _require_separate(channel, which, answers, len(codes[which]))
        for answer in answers:
            looked = Looked(channel, which, answers, answer, codes[which])
            alike = _without_names(answer)
            grid = looked.grid(full=len(answers) > 1 or alike not in seen)
            left -= len(grid) * len(codes[which])
            if left < 0:
                raise too_large(f"more than {MOST_WEIGHTS} weights")
            extremes = looked.examine(grid, first=alike not in seen)
            seen.add(alike)
            slack = answer.level - extremes.loss if extremes.light else Nats.log(0)
            if tightest is None or slack < tightest[0]:
                tightest = slack, looked, grid, extremes
        drawn += extremes.total * extremes.unit
    if drawn != 1 or tightest is None:
        raise wrong("probabilities must sum to 1", shown(drawn))
    slack, looked, grid, extremes = tightest
    return AnswersCertificate(slack.sign() >= 0, slack, _witness(looked, grid, extremes))


def _witness(looked: Looked, grid: NDArray[np.float64], extremes: Extremes) -> AnswerWitness:
    """Where the code with the largest odds has them."""
    numbers, others = looked.shown(grid, extremes)
    loss, code = extremes.loss if extremes.light else None, int(looked.codes[extremes.code])
    return AnswerWitness(
        looked.which, looked.place, code, tuple(looked.places), numbers, others, loss, looked.answer.level
    )


def _codes_by_type(channel: NumberChannel) -> list[NDArray[np.int64]]:
    """The codes of each type: all codes of the channel, each in one of them."""
    if channel.outputs > LARGEST_CHANNEL:
        raise too_large(f"{channel.outputs} codes")
    found = [np.array(channel.codes(which), dtype=np.int64) for which in range(len(channel.types))]
    every = np.sort(np.concatenate(found)) if found else np.empty(0)
    if not np.array_equal(every, np.arange(channel.outputs)):
        raise wrong("every code must belong to one type", "others")
    return found


def _require_separate(channel: NumberChannel, which: int, answers: AnswerType, codes: int) -> None:
    """Answers given together are about different numbers, and independent: their law is a product."""
    places = [place for answer in answers for place in sorted(answer.places)]
    if not answers or len(set(places)) < len(places):
        raise wrong("answers given together must be about different numbers to be checked", f"others in type {which}")
    if len(answers) == 1:
        return
    grids = [all_of(tuple(axis_of(channel, one, place) for place in sorted(one.places))) for one in answers]
    size = prod(len(grid) for grid in grids) * codes
    if size > HELD:
        raise too_large(f"{size} weights of answers given together")
    rows = [np.concatenate(together) for together in product(*grids)]
    records = np.tile(generic(channel.d), (len(rows), 1))
    records[:, places] = rows
    weights = channel.laws(records, which)[0]
    if len({*law_sums(weights)}) > 1:
        raise wrong("the public draw must not depend on the record", f"type {which}, which does")
    law = weights.astype(object).reshape(*map(len, grids), codes)
    # A product of functions of each answer's numbers is known by what it is along each from one corner.
    corner = law[(0,) * len(grids)]
    along = [
        law[tuple(slice(None) if other == axis else slice(0, 1) for other in range(len(grids)))]
        for axis in range(len(grids))
    ]
    apart = prod(along[1:], start=along[0])
    if (law * corner ** (len(grids) - 1) != apart).any():
        raise wrong("answers given together must be independent given the record", f"others in type {which}")


def _without_names(answer: Answer) -> Answer:
    """What equal rows have in common."""
    names = tuple((place,) for place in range(len(answer.statistics))) if answer.errors else answer.statistics
    return Answer(names, answer.level, answer.errors, answer.linear)
