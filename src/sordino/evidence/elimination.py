"""The largest or smallest value of a sum of tables over few attributes each, without the table over all of them.

A table is an array with an axis for each of its places, ascending. Attributes are eliminated one after the other: the
tables that touch one are added, and its axis is replaced by the best entry along it. Where a sum would have more than
`limit` entries, tables are bounded apart instead: then the result is an outer bound, no longer exact. What is best may
be told otherwise than by size. Cost: the sizes of the sums, exponential in the treewidth.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = tuple[tuple[int, ...], NDArray[Any]]
"""The places, ascending, and an array with an axis for each."""

LARGEST_SUM = 1 << 20
"""Entries of a sum of tables at most."""

LARGEST_AXES = 30
"""Axes of an array at most, as numpy allows."""


@dataclass(frozen=True)
class Best:
    """The best value of a sum of tables.

    Attributes:
        value: the largest or the smallest sum; outside of it where `exact` is false.
        exact: whether it is attained.
    """

    value: Any
    exact: bool


Choice: TypeAlias = Callable[..., NDArray[Any]]
"""The best entries of an array along the `axis` that is named."""


def best_sum(tables: Iterable[Table], side: Literal["max", "min"], *, limit: int = LARGEST_SUM) -> Best:
    """The largest or smallest value of a sum of tables over all ways that the attributes can be.

    Args:
        tables: each with places of its own; sizes agree where places do.
        side: which end.
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
    """For each way that some attributes can be the best value over all others, and whether it is attained.

    Args:
        tables: as of `best_sum`; attributes that none of them touches are left out.
        kept: the attributes that stay.
        best: of the values along an axis; it keeps a kept last axis together.
        limit: entries of a sum at most.
    """
    left = list(tables)
    sizes = {place: size for places, array in left for place, size in zip(places, array.shape, strict=True)}
    costs = {place: _size(left, place, sizes) for place in sizes if place not in kept}
    exact = True
    while costs:
        place = min(costs, key=lambda one: (costs[one], one))
        touching = [table for table in left if place in table[0]]
        left = [table for table in left if place not in table[0]]
        groups = _groups(touching, sizes, limit)
        exact = exact and len(groups) == 1
        for group in groups:
            places, total = combined(group)
            axis = places.index(place)
            left.append((places[:axis] + places[axis + 1 :], np.asarray(best(total, axis=axis))))
        del sizes[place], costs[place]
        # Sums of places that shared no table with this one are what they were.
        for one in {one for places, _ in touching for one in places}.intersection(costs):
            costs[one] = _size(left, one, sizes)
    return combined(left), exact


def combined(tables: Sequence[Table], combine: np.ufunc = np.add) -> Table:
    """One table that is the sum of some, over all of their places."""
    scope = tuple(sorted({place for places, _ in tables for place in places}))
    total: Any = None
    for places, array in tables:
        axes = dict(zip(places, array.shape, strict=True))
        wide = array.reshape([axes.get(place, 1) for place in scope])
        total = wide if total is None else combine(total, wide)
    sizes = {place: size for places, array in tables for place, size in zip(places, array.shape, strict=True)}
    return scope, np.broadcast_to(total, [sizes[place] for place in scope])


def _size(tables: Sequence[Table], place: int, sizes: dict[int, int]) -> int:
    """How many entries the sum of the tables that touch a place has."""
    return prod(sizes[one] for one in {one for places, _ in tables if place in places for one in places})


def _groups(tables: Sequence[Table], sizes: dict[int, int], limit: int) -> list[list[Table]]:
    """The tables in groups whose sums stay within the limit; one group where all fit together."""
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
