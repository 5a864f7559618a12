"""How far evidence tells values apart that must not be told apart: in floats, of many likelihoods at once.

Only the pairs that floats put next to a bound are compared exactly; of values that all answers weighed alike one stands
for all.
"""

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.definition.product import by_attribute
from sordino.domain.partition import Partition
from sordino.exact.arrays import Floats

Contrasted: TypeAlias = tuple[int, int]
"""A value, and another one that it must not be told from."""


def largest_gap(definition: LDP | BlockLDP | HighLowLDP, log: Floats) -> Floats:
    """The largest loss of a protected pair, shape (n,), of likelihoods of shape (n, k); not rounded outward."""
    match definition:
        case BlockLDP(partition=blocks):
            most, least = _ends_of_blocks(blocks, log)
        case HighLowLDP(sensitive=sensitive):
            most, least = log[:, sensitive].max(axis=1, keepdims=True), log.min(axis=1, keepdims=True)
        case _:
            most, least = log.max(axis=1, keepdims=True), log.min(axis=1, keepdims=True)
    gap = np.subtract(most, least, out=np.zeros_like(most), where=~np.isneginf(most))
    loss: Floats = gap.max(axis=1)
    return loss


def pairs_at_ends(
    log: Floats, heavies: NDArray[np.intp], lights: NDArray[np.intp], least: float, alike: NDArray[np.integer]
) -> Iterator[Contrasted]:
    """Values next to the most with those next to the least, where the two are far enough apart."""
    most, low = log[heavies].max(), log[lights].min()
    if np.isneginf(most) or most - low < least:
        return
    sides = heavies[log[heavies] >= low + least], lights[log[lights] <= most - least]
    above, below = (side[np.unique(alike[side], return_index=True)[1]].tolist() for side in sides)
    yield from product(above, below)


def pairs_along(
    attribute: int, shape: tuple[int, ...], log: Floats, least: float, alike: NDArray[np.integer]
) -> Iterator[Contrasted]:
    """Records that differ in one attribute only and are far enough apart."""
    own, records, kinds = (by_attribute(table, shape, attribute) for table in (log, np.arange(len(log)), alike))
    kinds = np.unique(kinds, return_inverse=True)[1].reshape(own.shape)
    for value in range(shape[attribute]):
        gap = np.subtract(own[value], own, out=np.full_like(own, -np.inf), where=~np.isneginf(own[value]))
        other, line = np.nonzero(gap >= least)
        pairs = kinds[value, line] * own.size + kinds[other, line]
        first = np.unique(pairs, return_index=True)[1]
        yield from zip(records[value, line[first]].tolist(), records[other[first], line[first]].tolist(), strict=True)


def _ends_of_blocks(blocks: Partition, log: Floats) -> tuple[Floats, Floats]:
    """The largest and the least logarithm within each block, shape (n, blocks) each."""
    in_order = np.array_equal(blocks.order, np.arange(log.shape[1]))
    ordered = log if in_order else log[:, blocks.order]
    return (np.maximum.reduceat(ordered, blocks.starts, axis=1), np.minimum.reduceat(ordered, blocks.starts, axis=1))
