"""Evidence about a record of finite attributes, as a sum of factors over the attributes that each report touches.

Fifty attributes never need the table of all their records: factors on the same attributes are merged, and the largest
and the smallest sum are found by eliminating attributes one by one, within each connected component by itself. Where
even that needs too large a table, bounds are outward: `lower <= loss <= upper` always, in nats, rounded outward. A
number stands for the cell in which it lies: a factor then has the largest and the smallest log-likelihood in each cell.
Source: Bayesian privacy filter paper, (27), on products; BCDP paper, Definition 3, for one attribute.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.elimination import (
    LARGEST_AXES,
    LARGEST_SUM,
    Best,
    Table,
    best_sum,
    both_ends,
    combine_tables,
    gather_tables,
    sizes_of,
    work,
)
from sordino.evidence.finite import reach_of
from sordino.exact.floats import down, up

HOPELESS = 1e200
"""In place of infinity for "certain under the one hypothesis, impossible under the other", so that it still adds up
with minus infinity, "impossible under both"."""

LISTED = 1 << 13
"""Largest number of ways that attributes can be that are listed without asking whether an elimination is less work."""

AFFORDED = 1 << 19
"""Largest number of entries of all sums of an elimination, for an exact result: some ten milliseconds."""

ROUGH = 1 << 12
"""Entries of a sum at most where that does not do."""

MANY = 8
"""Tables for each attribute from which on small ones are added up before a rough elimination."""

GATHERED = 1 << 10
"""Entries of these sums; those of the elimination then have up to sixteen times as many."""

SWEEPS = 4
"""How many times as much work an entry of an elimination is as one of a sum over everything: two ends, and one way
through memory that numpy likes less."""

SPARE = 1e-12
"""Relative; more than the roundings of an error bound itself."""

Span: TypeAlias = tuple[float, float]
"""A lower and an upper bound, in nats."""


@dataclass(frozen=True, eq=False)
class Factor:
    """What some reports say about the attributes that they touch.

    Attributes:
        places: the attributes, ascending.
        log: an axis for each: ln Pr(reports | values) but for a constant; minus infinity where they are impossible. Of
            cells of numbers the largest in each cell.
        radius: nats; each finite entry is within this of the truth.
        low: of cells the smallest in each cell; None where an entry stands for one value.
    """

    places: tuple[int, ...]
    log: NDArray[np.float64]
    radius: float
    low: NDArray[np.float64] | None = None

    def merge(self, other: "Factor") -> "Factor":
        """Both together, on the same attributes; centred, since a constant tells nothing."""
        log, low = self.log + other.log, None
        if self.low is not None or other.low is not None:
            low = self.least + other.least
        radius = self.radius + other.radius + math.ulp(max(reach_of(log), 0.0 if low is None else reach_of(low)))
        largest = float(log.max())
        if math.isfinite(largest) and largest != 0:
            log = log - largest
            low = None if low is None else low - largest
            radius += math.ulp(max(reach_of(log), 0.0 if low is None else reach_of(low)) + abs(largest))
        return Factor(self.places, log, math.nextafter(radius, math.inf), low)

    @property
    def least(self) -> NDArray[np.float64]:
        return self.log if self.low is None else self.low

    @property
    def table(self) -> Table:
        return self.places, self.log

    @property
    def least_table(self) -> Table:
        return self.places, self.least

    @cached_property
    def reach(self) -> float:
        return max(reach_of(self.log), reach_of(self.least))

    @cached_property
    def possible(self) -> bool:
        """Whether any values of the attributes can cause the reports."""
        return bool(np.isfinite(self.least).all())


@dataclass(frozen=True, eq=False)
class Component:
    """Factors that hang together by the attributes they share; other components are about other attributes."""

    factors: tuple[Factor, ...]

    @cached_property
    def places(self) -> frozenset[int]:
        return frozenset(place for factor in self.factors for place in factor.places)

    @cached_property
    def is_impossible(self) -> bool:
        """Whether no values of the attributes can cause the reports."""
        if all(factor.possible for factor in self.factors):
            return False
        return bool(np.isneginf(self.ends(())[0][1]))

    @cached_property
    def spread(self) -> Span:
        """Bounds on the largest less the smallest sum."""
        (_, most), (_, least), exact = self.ends(())
        return _span(Best(most.item(), exact), Best(least.item(), exact), _error(self.factors, self.places))

    def ends(self, kept: tuple[int, ...]) -> tuple[Table, Table, bool]:
        """The largest and the smallest sum for each way that some attributes can be; and whether they are attained.

        Of cells they are bounds, and never attained for sure.
        """
        if self._cells is None:
            return self._ends(kept)
        most, _, _ = self._without_low._ends(kept)  # noqa: SLF001 - another component
        _, least, _ = self._cells._ends(kept)  # noqa: SLF001 - as above
        return most, least, False

    @cached_property
    def _without_low(self) -> "Component":
        return Component(tuple(Factor(factor.places, factor.log, factor.radius) for factor in self.factors))

    @cached_property
    def _cells(self) -> "Component | None":
        """The smallest log-likelihoods; None where no entry stands for a cell."""
        if all(factor.low is None for factor in self.factors):
            return None
        return Component(tuple(Factor(factor.places, factor.least, factor.radius) for factor in self.factors))

    def _ends(self, kept: tuple[int, ...]) -> tuple[Table, Table, bool]:
        tables = self._tables
        if self._total is not None:
            scope, log = self._total
            axes = tuple(axis for axis, place in enumerate(scope) if place not in kept)
            left = tuple(place for place in scope if place in kept)
            return (left, np.asarray(log.max(axis=axes))), (left, np.asarray(log.min(axis=axes))), True
        limit = _limit(tables, kept)
        if limit < LARGEST_SUM and len(tables) > MANY * len(self.places):
            # Each table by itself is most of the work, and what is bounded apart is bounded worse.
            tables, limit = self._gather, 16 * GATHERED
        (places, most, least), exact = both_ends(tables, kept, np.maximum.reduce, limit=limit)
        return (places, most), (places, least), exact

    @property
    def _tables(self) -> list[Table]:
        return [((), np.zeros(())), *(factor.table for factor in self.factors)]

    @cached_property
    def _gather(self) -> list[Table]:
        """The same sum by fewer tables, once for all that is asked of it."""
        return gather_tables(self._tables, GATHERED)

    @cached_property
    def _total(self) -> Table | None:
        """The sum over all ways that the attributes can be, if that is less work than an elimination."""
        size = math.prod(sizes_of(self._tables).values())
        if size > LARGEST_SUM or len(self.places) > LARGEST_AXES:
            return None
        if size > LISTED and SWEEPS * work(self._tables, (), size // SWEEPS) < size:
            return None
        return combine_tables(self._tables)


@dataclass(frozen=True, eq=False)
class FactoredEvidence:
    """What reports say about a record of attributes with `shape` values each.

    Attributes:
        shape: how many values each attribute has.
        components: the factors, by what hangs together.
        most: nats; no less than the loss, by what was known of it and what later reports can tell at most.

    Example:
        >>> asked = FactoredEvidence((2,) * 50).plus(Factor((7,), np.log([0.75, 0.25]), 0.0))
        >>> [round(bound, 6) for bound in asked.loss]
        [1.098612, 1.098612]
    """

    shape: tuple[int, ...]
    components: tuple[Component, ...] = ()
    most: float = 0.0

    def below(self, most: float) -> "FactoredEvidence":
        """The same where the loss is known to be at most so large."""
        return replace(self, most=most) if most < self.most else self

    def plus(self, factor: Factor) -> "FactoredEvidence":
        """With one more factor; components that it does not touch, and what is known of them, stay."""
        sizes = tuple(self.shape[place] for place in factor.places if 0 <= place < len(self.shape))
        if list(factor.places) != sorted(set(factor.places)) or factor.log.shape != sizes:
            rule = "a factor must have an axis for each of its attributes, in their order"
            raise SordinoError(rule, found=f"places {factor.places} and shape {factor.log.shape}")
        touched = [part for part in self.components if not part.places.isdisjoint(factor.places)]
        factors = [known for part in touched for known in part.factors]
        same = next((i for i, known in enumerate(factors) if known.places == factor.places), None)
        if same is None:
            factors.append(factor)
        else:
            factors[same] = factors[same].merge(factor)
        others = tuple(part for part in self.components if part.places.isdisjoint(factor.places))
        most = up(self.most + Component((factor,)).spread[1])
        return FactoredEvidence(self.shape, (*others, Component(tuple(factors))), most)

    @property
    def is_impossible(self) -> bool:
        return any(part.is_impossible for part in self.components)

    @cached_property
    def loss(self) -> Span:
        """Bounds on the largest ln Pr(V | x) less the smallest, over all records."""
        lower = upper = 0.0
        for part in self.components:
            low, high = part.spread
            lower, upper = down(lower + low), up(upper + high)
        return lower, min(upper, self.most)

    def losses_with(self, further: Sequence[Factor]) -> list[Span] | None:
        """Bounds on the loss with each of some factors on the same attributes: one elimination for all of them.

        None where some reports are impossible under some records, or the factors are too large.
        """
        places = further[0].places
        touched = [part for part in self.components if not part.places.isdisjoint(places)]
        known = [factor for part in touched for factor in part.factors]
        if not all(factor.possible for factor in (*known, *further)):
            return None
        if math.prod(further[0].log.shape) > LARGEST_SUM:
            return None
        whole = touched[0] if len(touched) == 1 else Component(tuple(known))
        most, least, exact = whole.ends(places)
        lower = upper = 0.0
        for part in self.components:
            if part.places.isdisjoint(places):
                low, high = part.spread
                lower, upper = down(lower + low), up(upper + high)
        around = frozenset(places).union(*(part.places for part in touched))
        found = []
        for factor in further:
            gap = combine_tables([most, factor.table])[1].max() - combine_tables([least, factor.least_table])[1].min()
            attained = exact and factor.low is None
            low, high = _outward(float(gap), exact=attained, error=_error([*known, factor], around))
            found.append((down(lower + low), up(upper + high)))
        return found

    def coordinate_loss(self, place: int) -> Span:
        """Bounds on the largest difference of ln Pr(V | x) between records that differ in one attribute only."""
        part = next((part for part in self.components if place in part.places), None)
        if part is None or self.shape[place] == 1:
            return 0.0, 0.0
        touching = [factor for factor in part.factors if place in factor.places]
        elsewhere = [_indicator(factor) for factor in part.factors if place not in factor.places]
        return _coordinate(place, touching, [table for table in elsewhere if table is not None])


def _coordinate(place: int, factors: list[Factor], elsewhere: list[Table]) -> Span:
    """The loss of one attribute, by the first way that is small enough."""
    around = sizes_of(factor.table for factor in factors)
    error = _error(factors, frozenset(around))
    second = max(*around, *(one for places, _ in elsewhere for one in places), -1) + 1
    tables = None
    if all(factor.log.size * around[place] <= LARGEST_SUM for factor in factors):
        tables = [*(_difference(factor, place, second) for factor in factors), *elsewhere]
    size = math.prod(around.values())
    listed = size <= LARGEST_SUM and len(around) <= LARGEST_AXES and not elsewhere
    attained = all(factor.low is None for factor in factors)
    if listed and (size <= LISTED or tables is None or work(tables, (), size) >= size):
        scope, log = combine_tables([factor.table for factor in factors])
        smallest = log if attained else combine_tables([factor.least_table for factor in factors])[1]
        axis = scope.index(place)
        most, least = log.max(axis=axis), smallest.min(axis=axis)
        # Where the rest makes the reports impossible whatever the attribute is, nothing is compared.
        gap = np.subtract(most, least, out=np.full_like(most, -np.inf), where=~np.isneginf(most))
        return _outward(float(gap.max(initial=0.0)), exact=attained, error=error)
    if tables is not None:
        best = best_sum(tables, "max", limit=_limit(tables, ()))
        return _outward(max(float(best.value), 0.0), exact=best.exact and attained, error=error)
    apart = 0.0
    for factor in factors:
        axis = factor.places.index(place)
        most, least = factor.log.max(axis=axis), factor.least.min(axis=axis)
        gap = np.subtract(most, least, out=np.full_like(most, -np.inf), where=~np.isneginf(most))
        apart += float(gap.max(initial=0.0))
    return _outward(apart, exact=len(factors) == 1 and not elsewhere and attained, error=error)


def _limit(tables: list[Table], kept: tuple[int, ...]) -> int:
    """Entries of a sum at most, so that an elimination is exact where that can be afforded."""
    return LARGEST_SUM if work(tables, kept, AFFORDED) <= AFFORDED else min(ROUGH, LARGEST_SUM)


def _difference(factor: Factor, place: int, second: int) -> Table:
    axis = factor.places.index(place)
    own = np.expand_dims(factor.log, -1)
    other = np.expand_dims(np.moveaxis(factor.least, axis, -1), axis)
    heavy, light = np.broadcast_arrays(own, other)
    difference = np.subtract(heavy, light, out=np.full(heavy.shape, -np.inf), where=~np.isneginf(heavy))
    return (*factor.places, second), np.where(np.isposinf(difference), HOPELESS, difference)


def _indicator(factor: Factor) -> Table | None:
    """Where other reports are possible at all; None where they are everywhere."""
    impossible = np.isneginf(factor.log)
    return (factor.places, np.where(impossible, -np.inf, 0.0)) if impossible.any() else None


def _span(most: Best, least: Best, error: float) -> Span:
    if math.isinf(most.value):
        return 0.0, math.inf
    return _outward(float(most.value - least.value), exact=most.exact and least.exact, error=error)


def _outward(gap: float, *, exact: bool, error: float) -> Span:
    if gap >= HOPELESS / 2:
        return (math.inf if exact else 0.0), math.inf
    if gap == 0 and error == 0:
        return 0.0, 0.0
    return (max(down(gap - error), 0.0) if exact else 0.0), up(gap + error)


def _error(factors: Iterable[Factor], places: frozenset[int]) -> float:
    """How far a difference of two sums may be off: both radii, and the roundings of every sum on the way."""
    known = list(factors)
    reach, radius = math.fsum(factor.reach for factor in known), math.fsum(factor.radius for factor in known)
    if reach == radius == 0:
        return 0.0
    rounds = 2 * (len(known) + len(places)) + 4
    return 2 * radius * (1 + SPARE) + rounds * math.ulp(2 * reach)
