"""The means of some attributes of a record, asked so that the deltas of all its attributes are kept.

Guarantee: as `sampled_mean`, for the attributes asked; an answer's level is also at most what the deltas of the others
allow. Candidates: one number each by one bit at the largest level that every delta allows; and the channel of
`sampled_mean` below the level that the other attributes allow for any answers together. The one with the smaller worst
error is taken, and proved again by the plan's promise.
"""

from collections.abc import Mapping, Sequence

from sordino.definition.dependence import Dependence
from sordino.definition.sampling import largest_level
from sordino.design.numbers.drawn_answers import highest_levels, one_number
from sordino.design.numbers.sampled_mean import sampled_mean, worst_error
from sordino.exact.nats import Nats
from sordino.query.number import NumberStatistic
from sordino.query.query import Query
from sordino.query.sampled import Part, Sampled
from sordino.query.together import Together


def mean_among(deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence, asked: Sequence[int]) -> Sampled:
    """The queries for the means of some numbers of a record of d attributes.

    Args:
        deltas: of all d attributes, above 0 and at most epsilon.
        asked: the places of the numbers; the queries read these numbers, in this order.
    """
    singles = one_number(highest_levels([(j,) for j in asked], deltas, epsilon, dependence))
    others = [largest_level(deltas[i], dependence.of_rest(i)) for i in range(len(deltas)) if i not in asked]
    most = min([epsilon, *(level for level in others if level is not None)])
    together = sampled_mean([min(deltas[j], most) for j in asked], most, _among(dependence, asked))
    # In case of a tie the simpler one: it asks for one number, by one bit.
    return together if worst_error(together) < worst_error(singles) * (1 - 1e-6) else singles


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


def _among(dependence: Dependence, asked: Sequence[int]) -> Dependence:
    """The bounds between some of the attributes: what holds for all others holds for some of them."""
    place = {old: new for new, old in enumerate(asked)}
    statistics = {
        (place[i], tuple(sorted(place[j] for j in statistic))): bound
        for (i, statistic), bound in dependence.statistics.items()
        if i in place and all(j in place for j in statistic)
    }
    return Dependence(tuple(dependence.rest[i] for i in asked), statistics)
