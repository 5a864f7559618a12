"""The promise about several attributes' values together, made of the promises about each: a table's cells.

A cell is a value of each attribute, the last runs fastest. Guarantee: whatever may be told of two cells that differ in
some attributes is at most the sum of what the promises allow between their values there; so two cells that differ in
one attribute are protected as that attribute promises. Where that leaves a choice, the promise is the stronger one:

- LDP and blocks: cells whose values share a block everywhere are a block; no two cells of one are told apart by more
  than the least epsilon, though the sum would allow more where several values differ.
- LDP and sensitive values: a cell is sensitive if one of its values is, of an attribute without others every value.
- distances: the sum of the distances, exactly (a product of metrics).
- whatever else: the sum for each two cells, and where it is finite no more than the largest bound of an attribute.

A value that is not protected stays so in the cell, but not what stands beside it: the other parts of such a cell count
as they do where nothing is told (`BlockLDP` of a public block and of a hidden value, for instance).
"""

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import LARGEST_EPSILON, LARGEST_MATRIX
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.exact.nats import Nats

PromiseOfValues = LDP | BlockLDP | HighLowLDP | PairwiseLDP | MetricLDP
"""What can be promised about an attribute's values."""


def combined_definition(promises: Sequence[PromiseOfValues], shape: Sequence[int]) -> PromiseOfValues:
    """What is promised about the cells of several attributes, by the promises about each and its number of values.

    Raises:
        SordinoError: promises of different kinds about too many cells to list all pairs of them.

    Example:
        >>> cells = combined_definition([LDP("1"), BlockLDP([[0, 1], [2, 3]], "2")], [3, 4])
        >>> str(cells.bound(0, 5)), cells.bound(0, 6)
        ('1', None)
    """
    kinds = {type(promise) for promise in promises}
    least = min(promise.epsilon for promise in promises)
    if kinds <= {LDP}:
        return LDP(least)
    if kinds <= {LDP, BlockLDP}:
        blocks = [promise.partition.block if isinstance(promise, BlockLDP) else None for promise in promises]
        return BlockLDP(Partition.of(_block_of_cell(blocks, shape)), least)
    if kinds <= {LDP, HighLowLDP}:
        marked = [promise.is_sensitive if isinstance(promise, HighLowLDP) else None for promise in promises]
        sensitive = np.flatnonzero(_any_sensitive(marked, shape))
        return HighLowLDP(prod(shape), sensitive, least) if len(sensitive) < prod(shape) else LDP(least)
    metrics = [promise for promise in promises if isinstance(promise, MetricLDP)]
    return MetricLDP.product(metrics) if len(metrics) == len(promises) else _pairwise_bounds(promises, shape)


def largest_bound(whole: PromiseOfValues, shape: Sequence[int], places: Sequence[int]) -> Nats | None:
    """The largest bound of two cells that differ in some attributes and in no other; None where one has no bound.

    Args:
        whole: the promise about the cells, or about one attribute's values.

    Example:
        >>> matrix = PairwiseLDP([["0", "1"], ["1", "0"]])
        >>> str(largest_bound(combined_definition([LDP("2"), matrix], [4, 2]), [4, 2], [0]))
        '2'
        >>> largest_bound(BlockLDP([[0, 1], [2, 3]], "1"), [4], [0])
    """
    if isinstance(whole, LDP):
        return whole.epsilon
    if isinstance(whole, BlockLDP):
        blocks, along = whole.partition.block.reshape(tuple(shape)), tuple(places)
        return whole.epsilon if (blocks.min(axis=along) == blocks.max(axis=along)).all() else None
    if not isinstance(whole, PairwiseLDP):
        # Some cell that is not sensitive may be ruled out, or shown; distances are not looked at.
        return None
    cells = np.array(list(np.ndindex(tuple(shape))))
    kept = np.delete(np.arange(len(shape)), list(places))
    alike = (cells[:, None, kept] == cells[None, :, kept]).all(axis=2)
    found = [whole.bound(int(cell), int(other)) for cell, other in np.argwhere(alike)]
    known = [bound for bound in found if bound is not None]
    return max(known) if len(known) == len(found) else None


def _block_of_cell(blocks: Sequence[NDArray[np.intp] | None], shape: Sequence[int]) -> NDArray[np.intp]:
    """The block of each cell, as a number: of an attribute without blocks all values are in one."""
    cell = np.zeros(1, dtype=np.intp)
    for own, k in zip(blocks, shape, strict=True):
        block = np.zeros(k, dtype=np.intp) if own is None else own
        cell = (cell[:, None] * (int(block.max()) + 1) + block).reshape(-1)
    return np.unique(cell, return_inverse=True)[1].reshape(-1)


def _any_sensitive(marked: Sequence[NDArray[np.bool_] | None], shape: Sequence[int]) -> NDArray[np.bool_]:
    """Whether one of a cell's values is sensitive: every value of an attribute all of whose values are protected."""
    cell = np.zeros(1, dtype=np.bool_)
    for own, k in zip(marked, shape, strict=True):
        sensitive = np.ones(k, dtype=np.bool_) if own is None else own
        cell = (cell[:, None] | sensitive).reshape(-1)
    return cell


def _pairwise_bounds(promises: Sequence[PromiseOfValues], shape: Sequence[int]) -> PairwiseLDP:
    k = prod(shape)
    if k > LARGEST_MATRIX:
        rule = f"attributes that are protected in different ways must have at most {LARGEST_MATRIX} cells together"
        raise SordinoError(rule, found=f"{k:,}", step="ask fewer values, or protect the attributes of a table alike")
    bounds = [_matrix(promise, values) for promise, values in zip(promises, shape, strict=True)]
    # Beyond so many nats nothing is protected, nor can a matrix say it: far ends of a line are further apart.
    most = min(max(promise.epsilon for promise in promises), Nats.of(LARGEST_EPSILON))
    cells = list(product(*map(range, shape)))
    return PairwiseLDP([[_sum(bounds, cell, other, most) for other in cells] for cell in cells])


def _matrix(promise: PromiseOfValues, k: int) -> list[list[Nats | None]]:
    if isinstance(promise, PairwiseLDP):
        return [list(row) for row in promise.bounds]
    return [[promise.bound(value, other) for other in range(k)] for value in range(k)]


def _sum(
    bounds: Sequence[Sequence[Sequence[Nats | None]]], cell: Sequence[int], other: Sequence[int], most: Nats
) -> Nats | None:
    total = Nats.of(0)
    for matrix, value, another in zip(bounds, cell, other, strict=True):
        if value == another:
            continue
        bound = matrix[value][another]
        if bound is None:
            return None
        total += bound
    return min(total, most)
