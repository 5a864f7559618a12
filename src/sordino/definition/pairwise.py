"""Definitions of privacy by pairs of values: LDP (all pairs alike) and block-structured LDP (pairs within a block).

A definition bounds, for every pair of values (x, x') that it protects and every output y, ln Pr(y|x) - ln Pr(y|x').
Its one job is to measure evidence: `loss` and `slack` in floats rounded against the user, `tightest` in exact integers.

Source: context-aware LDP paper, Definitions 1, 2 and 4.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass
from sordino.exact.nats import Nats, NatsLike

LARGEST_EPSILON = 100
"""Beyond this a bound protects nothing: a coin on 64-bit words has odds of at most 2^64, 44.4 nats."""

Protected: TypeAlias = tuple[int, int, int]
"""Some protected values: how many, their heaviest and their lightest weight."""


@dataclass(frozen=True, eq=False)
class Extreme:
    """The largest ratio of weights that mutually protected values can have on one output of a class.

    Attributes:
        heavy, light: integer weights; `light` may be zero, and then the loss is infinite.
        values: the mutually protected values among which it occurs; None for all.
    """

    heavy: int
    light: int
    values: NDArray[np.intp] | None


class PairwiseDefinition(Protocol):
    """A bound on the log-ratio of every protected pair of values."""

    @property
    def epsilon(self) -> Nats:
        """The largest bound of a protected pair."""

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """Shape (k,): for each value x, the most that the evidence favours x over a value it must not be told from."""

    def slack(self, evidence: FiniteEvidence) -> float:
        """What is left of the bound, in nats, rounded down; negative iff it may be broken."""

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """The pairs of weights on which the class of outputs is tightest, in exact integers."""


def read_epsilon(epsilon: NatsLike) -> Nats:
    """An epsilon that can be promised: 0 <= epsilon <= 100 nats.

    Raises:
        SordinoError: unreadable, negative or absurd.
    """
    amount = Nats.of(epsilon)
    if amount.sign() < 0 or amount > LARGEST_EPSILON:
        raise SordinoError(f"epsilon must lie between 0 and {LARGEST_EPSILON} nats", found=repr(str(epsilon)))
    return amount


@dataclass(frozen=True)
class LDP:
    """Local differential privacy: no two values can be told apart by more than epsilon.

    Source: context-aware LDP paper, Definition 1.

    Example:
        >>> LDP("ln 3").epsilon
        Nats('ln 3')
    """

    epsilon: Nats

    def __init__(self, epsilon: NatsLike) -> None:
        object.__setattr__(self, "epsilon", read_epsilon(epsilon))

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each value, how far the evidence favours it over the least likely one; rounded up."""
        return _loss(evidence.log, np.min(evidence.log), evidence.radius, alone=len(evidence.log) == 1)

    def slack(self, evidence: FiniteEvidence) -> float:
        """Epsilon less the largest loss, rounded down."""
        return _slack(self, evidence)

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """One pair: the largest ratio between any two values."""
        yield from _extremes(column, None, [(len(part.values), *_range(part)) for part in column.parts])


@dataclass(frozen=True)
class BlockLDP:
    """Block-structured LDP: values of one block cannot be told apart by more than epsilon; the block itself is public.

    Attributes:
        epsilon: the bound within each block.
        partition: the blocks.

    Source: context-aware LDP paper, Definition 4.

    Example:
        >>> BlockLDP("1", [[0, 1], [2, 3, 4]]).partition.m
        2
    """

    epsilon: Nats
    partition: Partition

    def __init__(self, epsilon: NatsLike, blocks: Partition | Sequence[Sequence[int]] | ArrayLike) -> None:
        object.__setattr__(self, "epsilon", read_epsilon(epsilon))
        object.__setattr__(self, "partition", Partition.of(blocks))

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each value, how far the evidence favours it over the least likely one of its block; rounded up."""
        blocks = self.partition
        _require_size(len(evidence.log), blocks.k)
        least = np.minimum.reduceat(evidence.log[blocks.order], blocks.starts)
        return _loss(evidence.log, least[blocks.block], evidence.radius, alone=blocks.sizes[blocks.block] == 1)

    def slack(self, evidence: FiniteEvidence) -> float:
        """Epsilon less the largest loss, rounded down."""
        return _slack(self, evidence)

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """A pair for each block of two values or more that the outputs can come from."""
        blocks = self.partition
        _require_size(column.k, blocks.k)
        touched: dict[int, list[Protected]] = {}
        for part in column.parts:
            hit, counts = np.unique(blocks.block[part.values], return_counts=True)
            for block, hits in zip(hit.tolist(), counts.tolist(), strict=True):
                touched.setdefault(block, []).append((hits, *_range(part)))
        for block, parts in touched.items():
            yield from _extremes(column, blocks.values(block), parts)


def _range(part: ValueClass) -> tuple[int, int]:
    """The heaviest and the lightest weight of a value class on any of the outputs."""
    weights = [weight for weight, _ in part.weights]
    return max(weights), min(weights)


def _loss(
    log: NDArray[np.float64], least: NDArray[np.float64] | np.float64, radius: float, *, alone: NDArray[np.bool_] | bool
) -> NDArray[np.float64]:
    """Each value's log less the least of those it is compared with, rounded up.

    The error of both logs and the rounding of the difference are added, even where the floats are equal. A value
    compared with itself alone, and one that cannot cause the output, lose exactly nothing.
    """
    possible = ~np.isneginf(log)
    loss = np.subtract(log, least, out=np.zeros_like(log), where=possible)
    exact = ~possible | alone | np.isinf(loss) | ((loss == 0) & (radius == 0))
    spread = np.where(np.isinf(loss), 0.0, loss)
    widened = np.nextafter(spread + 2 * radius, math.inf) + np.spacing(spread)
    return np.where(exact, loss, widened)


def _slack(definition: PairwiseDefinition, evidence: FiniteEvidence) -> float:
    largest = float(np.max(definition.loss(evidence)))
    return -math.inf if math.isinf(largest) else math.nextafter(definition.epsilon.floor() - largest, -math.inf)


def _extremes(column: ColumnClass, protected: NDArray[np.intp] | None, parts: Sequence[Protected]) -> Iterator[Extreme]:
    """The largest ratio between two different values of a protected set; nothing where it has one value.

    A value in no part weighs zero, and is protected too. Weights of one and the same value on different outputs make no
    pair, so a part of one value is compared with the other parts only.
    """
    size = column.k if protected is None else len(protected)
    if size < 2:
        return
    covered = sum(hits for hits, _, _ in parts)
    candidates = list(parts)
    if covered < size:
        candidates.append((size - covered, 0, 0))
    best = (1, 1)
    for i, (hits, heavy, _) in enumerate(candidates):
        for j, (_, _, light) in enumerate(candidates):
            if (i != j or hits > 1) and heavy * best[1] > light * best[0]:
                best = (heavy, light)
    yield Extreme(*best, protected)


def _require_size(found: int, k: int) -> None:
    if found != k:
        raise SordinoError(f"the evidence must be about the definition's {k} values", found=f"{found}")
