"""At which level a single drawn answer may be asked under the deltas of all attributes of a record.

A statistic s is answered at the level eps_s = min(epsilon, min_i largest level of delta_i under q_i(s)), where q_i(s)
is that of the statistic itself, 1 where it is about the attribute i. This is the sampling rule, solved for the level.
Most attributes are neither read by an answer nor have a bound of their own for it: the rest's holds for them. So what
the rest allows is worked out once for all questions of a survey, and an answer looks at the few others alone.
Guarantee: all levels are rounded down. Cost: of a record of d attributes O(d log d) once, and O(1) an answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import TypeAlias

from sordino.definition.bounded_dependence import CategoryAndNumber, Dependence, Places
from sordino.definition.sampling import largest_level
from sordino.domain.moment import Moment
from sordino.exact.nats import Nats

MOST_LEVELS = 20
"""Different levels that are told apart; beyond that answers are given at the next lower one of so many."""

Bounds: TypeAlias = Mapping[int, Fraction]
"""Of some attributes by place: bounds on the variation of what an answer reads between two of their values."""


@dataclass(frozen=True)
class LevelLimits:
    """What the deltas of all attributes of a record allow of single answers.

    Attributes:
        deltas: of the attributes, by place.

    Example:
        >>> limits = LevelLimits([Nats.of("ln 2"), Nats.of(2)], Nats.of(3), Dependence.bounded(["1/4", 1]))
        >>> str(limits.of_statistic((0,))), str(limits.of_statistic((1,))), str(limits.of_others([1]))
        ('ln 2', 'ln 5', 'ln 5')
    """

    deltas: Sequence[Nats]
    epsilon: Nats
    dependence: Dependence

    @classmethod
    def uniform(cls, d: int, level: Nats) -> "LevelLimits":
        """Limits that allow one level for any answer about any of d attributes."""
        return cls([level] * d, level, Dependence.unknown(d))

    def of_statistic(self, name: Moment) -> Nats:
        """The highest level of an answer that is linear in one statistic."""
        special = {*name, *self._bounded_attributes.get(name, ())}
        return self._highest({i: self.dependence.of(i, name) for i in special})

    def of_statistics(self, names: Sequence[Moment]) -> tuple[Nats, ...]:
        """Of each statistic the highest level at which it alone is asked."""
        return tuple(map(self.of_statistic, names))

    def of_attribute(self, place: int) -> Nats:
        """The highest level of an answer about one attribute that no bound for a statistic serves."""
        return self._highest({place: Fraction(1)})

    def of_table(self, places: Places) -> Nats:
        """The highest level of an answer about some categories together."""
        special = {*places, *(i for i, table in self.dependence.tables if table == places)}
        return self._highest({i: self.dependence.of_table(i, places) for i in special})

    def of_category_sign(self, pair: CategoryAndNumber) -> Nats:
        """The highest level of an answer about a category with a number's sign, or about their product."""
        special = {*pair, *(i for i, other in self.dependence.category_signs if other == pair)}
        return self._highest({i: self.dependence.of_category_sign(i, pair) for i in special})

    def of_bins(self, number: int, pieces: int) -> Nats:
        """The highest level of an answer about the bins of a number.

        Args:
            number: its place.
            pieces: monotone ones of the probability of each code, at most.
        """
        special = {number, *(i for i, other in self.dependence.thresholds if other == number)}
        return self._highest({i: self.dependence.of_thresholds(i, number, pieces) for i in special})

    def of_others(self, asked: Sequence[int]) -> Nats:
        """The highest level of any answers about some attributes, as far as all others limit it."""
        return min([self.epsilon, *self._least_beside(frozenset(asked))])

    @cached_property
    def of_any(self) -> tuple[Nats, ...]:
        """For each attribute, the highest level of an answer about it of whatever kind."""

        @cache
        def lowest(delta: Nats, others: tuple[Nats, ...]) -> Nats:
            return min([self.epsilon, delta, *others])

        return tuple(lowest(delta, self._least_beside(frozenset([j]))) for j, delta in enumerate(self.deltas))

    @cached_property
    def coarse(self) -> tuple[Nats, ...]:
        """`of_any`, of which few differ."""
        return coarser(self.of_any)

    def among(self, asked: Sequence[int]) -> Dependence:
        """The bounds between some of the attributes, in this order: what holds for all others holds for some."""
        place = {old: new for new, old in enumerate(asked)}
        statistics = {
            (place[i], tuple(sorted(place[j] for j in statistic))): bound
            for i in asked
            for statistic, bound in self._statistics_by_attribute.get(i, ())
            if all(j in place for j in statistic)
        }
        return Dependence(tuple(self.dependence.rest[i] for i in asked), statistics)

    def _highest(self, bounds: Bounds) -> Nats:
        """The highest level of an answer with these bounds, and those of the rest for all other attributes."""
        own = [self._limit(self.deltas[i], bound) for i, bound in bounds.items()]
        return min([self.epsilon, *(one for one in own if one is not None), *self._least_beside(frozenset(bounds))])

    def _least_beside(self, special: frozenset[int]) -> tuple[Nats, ...]:
        """The least limit of all but some attributes under the bounds of the rest; none where there is no limit."""
        for level, places in self._of_rest:
            # Of more places than these at least one is another.
            if len(places) > len(special) or any(place not in special for place in places):
                return (level,)
        return ()

    @cached_property
    def _limit(self) -> Callable[[Nats, Fraction], Nats | None]:
        return cache(largest_level)

    @cached_property
    def _of_rest(self) -> Sequence[tuple[Nats, Sequence[int]]]:
        """The different limits of attributes under the bounds of the rest, ascending, each with their places."""
        groups: dict[Nats, list[int]] = {}
        for place, delta in enumerate(self.deltas):
            limit = self._limit(delta, self.dependence.of_rest(place))
            if limit is not None:
                groups.setdefault(limit, []).append(place)
        return sorted(groups.items(), key=lambda group: group[0])

    @cached_property
    def _bounded_attributes(self) -> Mapping[Moment, Sequence[int]]:
        """The attributes given which a statistic has a bound of its own."""
        declared: dict[Moment, list[int]] = {}
        for i, name in self.dependence.statistics:
            declared.setdefault(name, []).append(i)
        return declared

    @cached_property
    def _statistics_by_attribute(self) -> Mapping[int, Sequence[tuple[Moment, Fraction]]]:
        found: dict[int, list[tuple[Moment, Fraction]]] = {}
        for (i, statistic), bound in self.dependence.statistics.items():
            found.setdefault(i, []).append((statistic, bound))
        return found


def coarser(levels: Sequence[Nats]) -> tuple[Nats, ...]:
    distinct = every = sorted(set(levels))
    if len(distinct) > MOST_LEVELS:
        distinct = [distinct[len(distinct) * n // MOST_LEVELS] for n in range(MOST_LEVELS)]
    lower = {level: max(one for one in distinct if one <= level) for level in every}
    return tuple(lower[level] for level in levels)
