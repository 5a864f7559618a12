"""The largest or smallest value of a sum of tables over few attributes each, without the table over all of them.

A table is an array with an axis for each of its places, ascending. Attributes are eliminated one after the other: the
tables that touch one are added, and its axis is replaced by the best entry along it. Where a sum would have more than
`limit` entries, tables are bounded apart instead: then the result is an outer bound, no longer exact. What is best may
be told otherwise than by size. Cost: the sizes of the sums, exponential in the treewidth.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = tuple[tuple[int, ...], NDArray[Any]]
"""The places, ascending, and an array with an axis for each."""

LARGEST_SUM = 1 << 20
"""Largest number of entries of a sum of tables."""

BOTH = -1
"""In place of an attribute: the axis of what is sought from both ends."""

LARGE = 1 << 14
"""Entries of a sum from which on the order of adding is chosen with care."""

NARROW = 1 << 6
"""Entries beside each value of a place below which a step for each of its values costs more than it saves."""

LARGEST_AXES = 30
"""Largest number of axes of an array, as numpy allows."""


@dataclass(frozen=True)
class Best:
    """The best value of a sum of tables.

    Attributes:
        value: the largest or the smallest sum; outside of it where `exact` is false.
    """

    value: Any
    exact: bool


@dataclass(frozen=True)
class _Scopes:
    """Sets of places as the bits of whole numbers: how many entries a sum has is asked very often.

    Attributes:
        bits: of each place.
        kinds: each size that places have, and the bits of those that have it.
    """

    bits: Mapping[int, int]
    kinds: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, sizes: Mapping[int, int]) -> "_Scopes":
        bits = {place: 1 << j for j, place in enumerate(sizes)}
        kinds = [(own, sum(bits[place] for place in sizes if sizes[place] == own)) for own in set(sizes.values())]
        return cls(bits, kinds)

    def mask(self, places: Iterable[int]) -> int:
        return sum(map(self.bits.__getitem__, places))

    def entries(self, masks: Mapping[int, int], numbers: Iterable[int]) -> int:
        """How many entries the sum of some tables has, whose places are known by their numbers."""
        union = 0
        for number in numbers:
            union |= masks[number]
        return prod(size ** (union & own).bit_count() for size, own in self.kinds)


Choice: TypeAlias = Callable[..., NDArray[Any]]
"""The best entries of an array along the `axis` that is named."""


def best_sum(tables: Iterable[Table], side: Literal["max", "min"], *, limit: int = LARGEST_SUM) -> Best:
    """The largest or smallest value of a sum of tables over all ways that the attributes can be.

    Args:
        tables: each with places of its own; sizes agree where places do.
        limit: entries of a sum at most.

    Example:
        >>> best_sum([((0,), np.array([1.0, 0.0])), ((0, 1), np.array([[0.0, 1.0], [5.0, 2.0]]))], "max")
        Best(value=5.0, exact=True)
    """
    best = np.maximum.reduce if side == "max" else np.minimum.reduce
    (_, total), exact = best_table(tables, (), best, limit=limit)
    return Best(total.item(), exact)


def best_table(
    tables: Iterable[Table], kept: Collection[int], best: Choice, *, limit: int = LARGEST_SUM
) -> tuple[Table, bool]:
    """For each way that the kept attributes can be the best value over all others, and whether it is attained.

    As `best_sum`; kept attributes that no table touches are left out, and `best` keeps a kept last axis together.
    """
    left = dict(enumerate(tables))
    sizes = sizes_of(left.values())
    scopes = _Scopes.of(sizes)
    masks = {number: scopes.mask(places) for number, (places, _) in left.items()}
    at: dict[int, set[int]] = {place: set() for place in sizes}
    for number, (places, _) in left.items():
        for place in places:
            at[place].add(number)
    costs = {place: scopes.entries(masks, at[place]) for place in sizes if place not in kept}
    exact, numbers = True, count(len(left))
    while costs:
        place = min(costs, key=lambda one: (costs[one], one))
        touching = [(number, left.pop(number)) for number in sorted(at[place])]
        around = {one for _, (places, _) in touching for one in places}
        for number, (places, _) in touching:
            for one in places:
                at[one].discard(number)
        groups = _groups([table for _, table in touching], sizes, limit)
        exact = exact and len(groups) == 1
        for group in groups:
            scope, total = combine_tables(group)
            axis, number = scope.index(place), next(numbers)
            left[number] = (scope[:axis] + scope[axis + 1 :], np.asarray(best(total, axis=axis)))
            masks[number] = scopes.mask(left[number][0])
            for one in left[number][0]:
                at[one].add(number)
        del costs[place]
        # Sums of places that shared no table with this one are what they were.
        for one in around.intersection(costs):
            costs[one] = scopes.entries(masks, at[one])
    return combine_tables(list(left.values())), exact


def both_ends(
    tables: Iterable[Table], kept: Collection[int], most: Choice, *, limit: int = LARGEST_SUM
) -> tuple[tuple[tuple[int, ...], NDArray[Any], NDArray[Any]], bool]:
    """The places that stay, the largest and the smallest values, and whether they are attained, by one elimination."""
    # The largest sum, and that of everything negated, along an axis of their own.
    both = [((BOTH, *places), np.stack((array, -array))) for places, array in tables]
    (scope, best), exact = best_table(both, (BOTH, *kept), most, limit=2 * limit)
    return (scope[1:], best[0], -best[1]), exact


def combine_tables(tables: Sequence[Table], combine: np.ufunc = np.add) -> Table:
    """One table that is the sum of some, over all of their places."""
    if len(tables) == 1:
        return tables[0]
    sizes = sizes_of(tables)
    scope = tuple(sorted(sizes))
    shape = [sizes[place] for place in scope]
    if prod(shape) < LARGE or prod(shape[1:]) < NARROW or len(tables) < 3:
        total: Any = None
        for places, array in tables:
            wide = _with_axes(array, places, scope)
            total = wide if total is None else combine(total, wide)
        return scope, np.asarray(total)
    # Place by place from the last one on, so that what is added to many entries is worked out once and in one row.
    place, *rest = scope
    own = [table for table in tables if table[0][:1] == (place,)]
    others = [table for table in tables if table[0][:1] != (place,)]
    inner_scope, inner = combine_tables(others or [((), np.asarray(combine.identity))], combine)
    total = np.empty(shape, dtype=np.result_type(inner, *(array for _, array in own)))
    for value in range(sizes[place]):
        added_scope, added = combine_tables([(places[1:], array[value]) for places, array in own], combine)
        combine(_with_axes(inner, inner_scope, rest), _with_axes(added, added_scope, rest), out=total[value])
    return scope, total


def gather_tables(tables: Sequence[Table], entries: int) -> list[Table]:
    """The same sum by fewer tables: attributes stand in blocks, and what touches the same one or two is added.

    Two blocks together have at most so many entries, where no attribute has more values than two blocks may.
    """
    block, number, size = {}, 0, 1
    for place, own in sorted(sizes_of(tables).items()):
        if size > 1 and (size * own) ** 2 > entries:
            number, size = number + 1, 1
        block[place], size = number, size * own
    together: dict[tuple[int, ...], list[Table]] = {}
    alone = []
    for table in tables:
        touched = tuple(sorted({block[place] for place in table[0]}))
        if len(touched) > 2:
            alone.append(table)
        else:
            together.setdefault(touched, []).append(table)
    return [*alone, *(combine_tables(some) for some in together.values())]


def fits(sizes: Mapping[tuple[int, ...], Sequence[int]], kept: Collection[int], limit: int) -> bool:
    """Whether no sum that `best_table` would need of tables of these sizes has more entries than a limit."""
    return all(entries <= limit for entries in _sums(sizes, kept))


def work(tables: Iterable[Table], kept: Collection[int], most: int) -> int:
    """How many entries the sums have that `best_table` would need; not many more are counted than `most`."""
    total = 0
    for entries in _sums({places: array.shape for places, array in tables}, kept):
        total += entries
        if total > most:
            break
    return total


def _sums(tables: Mapping[tuple[int, ...], Sequence[int]], kept: Collection[int]) -> Iterator[int]:
    """The entries of each of these sums, in turn."""
    sizes = {place: size for places, shape in tables.items() for place, size in zip(places, shape, strict=True)}
    around: dict[int, set[int]] = {one: set() for one in sizes}
    for places in tables:
        for one in places:
            around[one].update(places)
    costs = {one: prod(sizes[other] for other in around[one]) for one in sizes if one not in kept}
    while costs:
        place = min(costs, key=lambda one: (costs[one], one))
        scope = around.pop(place)
        yield costs.pop(place)
        for one in scope - {place}:
            around[one] = (around[one] | scope) - {place}
            if one in costs:
                costs[one] = prod(sizes[other] for other in around[one])


def sizes_of(tables: Iterable[Table]) -> dict[int, int]:
    """How many values each place has."""
    return {place: size for places, array in tables for place, size in zip(places, array.shape, strict=True)}


def _with_axes(array: NDArray[Any], places: Sequence[int], scope: Sequence[int]) -> NDArray[Any]:
    axes = dict(zip(places, array.shape, strict=True))
    return array.reshape([axes.get(place, 1) for place in scope])


def _groups(tables: Sequence[Table], sizes: dict[int, int], limit: int) -> list[list[Table]]:
    groups: list[tuple[set[int], list[Table]]] = []
    for table in sorted(tables, key=lambda table: -table[1].size):
        for scope, members in groups:
            union = scope | set(table[0])
            if prod(sizes[place] for place in union) <= limit and len(union) <= LARGEST_AXES:
                scope.update(union)
                members.append(table)
                break
        else:
            groups.append((set(table[0]), [table]))
    return [members for _, members in groups]
