"""The means of some attributes of a record, asked so that the deltas of all its attributes are kept.

Guarantee: as `sampled_mean`, for the attributes asked; an answer's level is also at most what the deltas of the others
allow. Candidates: one number each by one bit at the largest level that every delta allows; and the channel of
`sampled_mean` below the level that the other attributes allow for any answers together. The one with the smaller worst
error is taken, and proved again by the plan's promise.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from sordino.definition.bounded_dependence import Dependence
from sordino.design.numbers.drawn_answers import one_number
from sordino.design.numbers.level_limits import LevelLimits
from sordino.design.numbers.sampled_mean import sampled_mean, worst_error
from sordino.distinct import DistinctParts
from sordino.domain.moment import Moment
from sordino.exact.nats import Nats
from sordino.query.number import NumberStatistic
from sordino.query.query import Query
from sordino.query.sampled import Part, Sampled
from sordino.query.together import Together


class MeanDesign(NamedTuple):
    """All that the queries for means of numbers that everybody has depend on.

    Attributes:
        singles: at which level one bit may be asked about each.
        deltas: of these numbers.
        others: the highest level that the other attributes allow.
        rest: for each number a bound on the dependence of all others.
        statistics: the bounds between these numbers.
    """

    singles: tuple[Nats, ...]
    deltas: tuple[Nats, ...]
    others: Nats
    rest: tuple[Fraction, ...]
    statistics: tuple[tuple[tuple[int, Moment], Fraction], ...]

    def queries(self) -> Sampled:
        """One bit about one number, or the channel of `sampled_mean`."""
        singles = one_number(self.singles)
        known = Dependence(self.rest, dict(self.statistics))
        together = sampled_mean([min(delta, self.others) for delta in self.deltas], self.others, known)
        # In case of a tie the simpler one: it asks for one number, by one bit.
        return together if worst_error(together) < worst_error(singles) * (1 - 1e-6) else singles


def mean_among(limits: LevelLimits, asked: Sequence[int], designs: DistinctParts) -> Sampled:
    """The queries for the means of some numbers of a record of d attributes.

    Args:
        limits: the deltas of all d attributes, above 0 and at most epsilon.
        asked: the places of the numbers; the queries read these numbers, in this order.
        designs: what was designed for other questions of the survey.
    """
    known, deltas = limits.among(asked), tuple(limits.deltas[j] for j in asked)
    singles = limits.of_statistics([(j,) for j in asked])
    statistics = tuple(known.statistics.items())
    design = MeanDesign(singles, deltas, limits.of_others(asked), known.rest, statistics)
    return designs.of(design, design.queries)


def among(drawn: Sampled, asked: Sequence[int]) -> Sampled:
    """The same queries for whoever holds only the numbers that they read, in this order."""
    place = {old: new for new, old in enumerate(asked)}
    return Sampled(tuple(_move(query, place) for query in drawn.queries), drawn.weights)


def _move(query: Part, place: Mapping[int, int]) -> Part:
    match query:
        case Together():
            return Together(tuple(_moved_number(part, place) for part in query.queries))
        case Query(statistic=NumberStatistic()):
            return _moved_number(query, place)
        case _:
            return query


def _moved_number(query: Query, place: Mapping[int, int]) -> Query:
    return Query(query.number.with_places(place), query.mechanism)
