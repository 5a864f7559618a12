"""The odometer: what the answers about one unchanged record have cost so far, counted in three ways, A >= B >= C.

A adds up the epsilons of all queries, B the realized losses of the answers one by one, C is the realized loss of all
answers together: what they really tell. One number for each group of hypotheses: all values alike, pairs of values,
attributes. Losses under Bayesian coordinate DP do not add up: with a bound on dependence q, A and B are
ln((1 - q) e^c + q e^epsilon) of summed coordinate losses c and LDP losses epsilon, and with a prior they are LDP's.
Units: nats, rounded up. An odometer promises nothing; a filter does.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sordino.accounting.filter import read_output, start_of
from sordino.accounting.measures.coordinate_box import CoordinateBoxState
from sordino.accounting.measures.grouped import GroupedState
from sordino.accounting.measures.measure_of import FiniteDefinition
from sordino.accounting.measures.record_state import mixture
from sordino.accounting.state import FilterQuery, FilterState
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP
from sordino.definition.prior import Prior
from sordino.domain.box import Box
from sordino.domain.finite_record import FiniteDomain, Record
from sordino.exact.floats import Floats, ignore_float_errors
from sordino.exact.messages import checked_class


@dataclass(frozen=True)
class OdometerReading:
    """What an odometer shows of one group of hypotheses, in nats, rounded up.

    Attributes:
        separate: B, at most A.
        realized: C, at most B.
    """

    about: str
    epsilons: float
    separate: float
    realized: float


@checked_class
@dataclass(frozen=True, eq=False)
class Odometer:
    """Counts what answers cost: a value; `after` gives the next one. Any query may be counted, accepted or not.

    Source: Bayesian privacy filter paper, Definition 4.5 and Example 1.

    Attributes:
        domain: as of a filter.
        definition: whose hypotheses are counted.

    Example:
        >>> from sordino import Categories, RandomizedResponse
        >>> asked, coin = Odometer(Categories(["yes", "no"]), LDP("1")), RandomizedResponse(2, "ln 3")
        >>> (reading,) = asked.after(coin, 0).after(coin, 1).readings
        >>> round(reading.epsilons, 6), round(reading.separate, 6), round(reading.realized, 6)
        (2.197225, 2.197225, 0.0)
    """

    domain: Box | Record | FiniteDomain
    definition: FiniteDefinition
    _parts: "tuple[_Counts, ...]" = ()

    @ignore_float_errors
    def __post_init__(self) -> None:
        if not self._parts:
            parts = tuple(
                _Counts.start(self.domain, definition) for definition in _counted_definitions(self.definition)
            )
            object.__setattr__(self, "_parts", parts)

    @ignore_float_errors
    def after(self, query: FilterQuery, output: int) -> "Odometer":
        """The odometer once a query has been answered.

        Raises:
            SordinoError: a query that does not fit the domain, or an answer that it cannot have.
        """
        return replace(self, _parts=tuple(part.after(query, output) for part in self._parts))

    @cached_property
    @ignore_float_errors
    def readings(self) -> tuple[OdometerReading, ...]:
        """One for each group of hypotheses."""
        parts = self._parts
        if len(parts) == 1:
            return parts[0].readings
        exact, attributes, record = parts
        (whole,) = record.readings
        beliefs = None if not isinstance(self.definition, BayesianCoordinateDP) else self.definition.beliefs
        found = []
        for place, (own, joint) in enumerate(zip(attributes.readings, exact.levels, strict=False)):
            about = _about(exact.state, place)
            if isinstance(beliefs, Prior) or beliefs is None:
                found.append(_ordered_reading(about, whole.epsilons, whole.separate, joint))
                continue
            q = beliefs.bounds[place]
            sums = mixture(own.epsilons, whole.epsilons, q)
            separate = mixture(own.separate, whole.separate, q)
            realized = min(mixture(own.realized, whole.realized, q), joint)
            found.append(_ordered_reading(about, sums, separate, realized))
        return (*found, whole)

    @property
    def realized(self) -> float:
        """C of the group that lost most."""
        return max((reading.realized for reading in self.readings), default=0.0)


@dataclass(frozen=True, eq=False)
class _Counts:
    """The three counts under one definition; of one whose losses do not add up only `levels` may be used."""

    first: FilterState
    state: FilterState
    epsilons: Floats
    separate: Floats

    @classmethod
    def start(cls, domain: object, definition: object) -> "_Counts":
        state: FilterState = start_of(domain, definition)
        groups = np.zeros(len(_levels(state)))
        return cls(state, state, groups, groups)

    def after(self, query: FilterQuery, output: int) -> "_Counts":
        own = _own(self.first, query)
        code = read_output(output, query.outputs)
        alone = _levels(self.first.with_answer(query, code))
        separate = np.minimum(alone, own)
        return _Counts(
            self.first, self.state.with_answer(query, code), _up(self.epsilons + own), _up(self.separate + separate)
        )

    @property
    def levels(self) -> list[float]:
        """The realized loss of all answers together, for each group."""
        found: list[float] = _levels(self.state).tolist()
        return found

    @property
    def readings(self) -> tuple[OdometerReading, ...]:
        counts = zip(self.epsilons.tolist(), self.separate.tolist(), self.levels, strict=True)
        return tuple(_ordered_reading(_about(self.state, group), *three) for group, three in enumerate(counts))


def _counted_definitions(definition: FiniteDefinition) -> tuple[FiniteDefinition, ...]:
    """The definitions whose counts make up the readings; coordinate losses and LDP's for a Bayesian one."""
    if not isinstance(definition, BayesianCoordinateDP):
        return (definition,)
    return definition, CoordinateDP(["inf"] * definition.d), LDP(0)


def _levels(state: FilterState) -> Floats:
    if isinstance(state, GroupedState | CoordinateBoxState):
        return state.levels
    return np.array([state.spent])


def _own(state: FilterState, query: FilterQuery) -> Floats:
    if isinstance(state, GroupedState):
        return state.query_losses(query).levels
    if isinstance(state, CoordinateBoxState):
        return state.own(query)
    return np.array([state.level(query)])


def _about(state: FilterState, group: int) -> str:
    return state.about(group) if isinstance(state, GroupedState | CoordinateBoxState) else "two records"


def _ordered_reading(about: str, epsilons: float, separate: float, realized: float) -> OdometerReading:
    """Upper bounds on the same loss: each is cut to the one before it."""
    separate = min(separate, epsilons)
    return OdometerReading(about, epsilons, separate, min(realized, separate))


def _up(amounts: Floats) -> Floats:
    return np.where(amounts == 0, 0.0, np.nextafter(amounts, math.inf))
