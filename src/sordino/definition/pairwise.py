"""Definitions of privacy by pairs of values: LDP (all pairs alike) and block-structured LDP (pairs within a block).

A definition bounds, for every pair of values (x, x') that it protects and every output y, ln Pr(y|x) - ln Pr(y|x').
Its one job is to measure evidence: `loss` and `slack` in floats rounded against the user, `extremes` in exact integers.

Source: context-aware LDP paper, Definitions 1, 2 and 4.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from itertools import product
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, FiniteEvidence, ValueClass
from sordino.exact.messages import Brief, checked_class
from sordino.exact.nats import Nats, NatsLike

NEARLY = 1e-6
"""Nats within which ratios are compared as integers; their logarithms are off by less than a billionth of that."""

Part: TypeAlias = tuple[int, int | None, int]
"""Values that a class of outputs treats alike: how many, their heaviest weight (None where no bound protects the others
from them) and their lightest weight."""


@dataclass(frozen=True, eq=False)
class Extreme:
    """The largest ratio of weights that pairs of values with one bound can have on one output of a class.

    Attributes:
        heavy, light: integer weights; `light` may be zero, and then the loss is infinite.
        bound: what the logarithm of their ratio must not exceed.
        heavies, lights: the values among which the two occur; None for all.
        pairs: the values and their others of all pairs with this bound; None where all of heavies and lights have it.
    """

    heavy: int
    light: int
    bound: Nats
    heavies: NDArray[np.intp] | None = None
    lights: NDArray[np.intp] | None = None
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None


CertificateBasis: TypeAlias = Literal["classes", "outputs", "edges", "averages"]
"""What a certificate compares: extremes of classes of outputs; or of single outputs, which can reveal more of records
that differ in one attribute; weights along the edges of a metric; or averages over beliefs."""


class PrivacyDefinition(Protocol):
    """What a mechanism can be certified against."""

    certificate_basis: ClassVar[CertificateBasis]


class PairwiseDefinition(PrivacyDefinition, Protocol):
    """A bound on the log-ratio of every protected pair of values."""

    @property
    def epsilon(self) -> Nats:
        """The largest bound of a protected pair."""

    def bound(self, value: int, other: int) -> Nats | None:
        """What no output may favour the value over the other by; None where the pair is not protected."""

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """Shape (k,): for each value x, the most that the evidence favours x over a value it must not be told from."""

    def slack(self, evidence: FiniteEvidence) -> float:
        """What is left of the bound, in nats, rounded down; negative iff it may be broken."""

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """The pairs of weights on which the class of outputs is tightest, in exact integers.

        Of each bound its largest ratio; those may be left out that leave more of their bounds than another one.
        """

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """Classes of a stack such that each other one has the weights and bounds of extremes of one of these."""


@checked_class
@dataclass(frozen=True)
class LDP:
    """Local differential privacy: no two values can be told apart by more than epsilon.

    Source: context-aware LDP paper, Definition 1; BCDP paper, Definition 1; Bayesian privacy filter paper,
    Definition 2.1.

    Example:
        >>> LDP("ln 3").epsilon
        Nats('ln 3')
    """

    certificate_basis: ClassVar[CertificateBasis] = "classes"

    epsilon: Nats

    def __init__(self, epsilon: NatsLike) -> None:
        object.__setattr__(self, "epsilon", read_epsilon(epsilon))

    def bound(self, value: int, other: int) -> Nats | None:  # noqa: ARG002 - the same for all
        return self.epsilon

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each value, how far the evidence favours it over the least likely one; rounded up."""
        return loss_over(evidence, np.min(evidence.log), alone=len(evidence.log) == 1)

    def slack(self, evidence: FiniteEvidence) -> float:
        return slack_below(self.epsilon, self.loss(evidence))

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """One pair: the largest ratio between any two values."""
        parts: list[Part] = [(len(part.values), *weight_range(part)) for part in column.parts]
        ratio = largest_ratio(parts, column.k)
        if ratio is not None:
            yield Extreme(*ratio, self.epsilon)

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """One: all values are alike."""
        yield stack[0]

    def __add__(self, other: "LDP") -> "LDP":
        """What two reports about the same value keep together: the bounds add."""
        return LDP(self.epsilon + other.epsilon)


@checked_class
@dataclass(frozen=True, repr=False)
class BlockLDP(Brief):
    """Block-structured LDP: values of one block cannot be told apart by more than epsilon; the block itself is public.

    Source: context-aware LDP paper, Definition 4.

    Example:
        >>> BlockLDP([[0, 1], [2, 3, 4]], "1").partition.m
        2
    """

    certificate_basis: ClassVar[CertificateBasis] = "classes"

    partition: Partition
    epsilon: Nats

    def __init__(self, blocks: Partition | Sequence[Sequence[int]] | ArrayLike, epsilon: NatsLike) -> None:
        object.__setattr__(self, "partition", Partition.of(blocks))
        object.__setattr__(self, "epsilon", read_epsilon(epsilon))

    def bound(self, value: int, other: int) -> Nats | None:
        block = self.partition.block
        return self.epsilon if block[value] == block[other] else None

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each value, how far the evidence favours it over the least likely one of its block; rounded up."""
        blocks = self.partition
        require_size(len(evidence.log), blocks.k)
        least = np.minimum.reduceat(evidence.log[blocks.order], blocks.starts)
        return loss_over(evidence, least[blocks.block], alone=blocks.sizes[blocks.block] == 1)

    def slack(self, evidence: FiniteEvidence) -> float:
        return slack_below(self.epsilon, self.loss(evidence))

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """A pair for each block of two values or more that the outputs can come from."""
        blocks = self.partition
        require_size(column.k, blocks.k)
        if not column.parts:
            return
        ranges = [weight_range(part) for part in column.parts]
        # Each part's hits of each block, as one number a value.
        hit = blocks.block[np.concatenate([part.values for part in column.parts])]
        own = np.repeat(np.arange(len(ranges)), [len(part.values) for part in column.parts])
        found, counts = np.unique(hit * len(ranges) + own, return_counts=True)
        touched: dict[int, list[Part]] = {}
        for at, hits in zip(found.tolist(), counts.tolist(), strict=True):
            block, place = divmod(at, len(ranges))
            touched.setdefault(block, []).append((hits, *ranges[place]))
        for block, parts in touched.items():
            ratio = largest_ratio(parts, int(blocks.sizes[block]))
            if ratio is not None:
                values = blocks.values(block)
                yield Extreme(*ratio, self.epsilon, values, values)

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """Of the classes whose values are all of one block, one for each size of the block; and all others."""
        require_size(stack.k, self.partition.k)
        hit = [self.partition.block[part.values] for part in stack.parts if part.values.size]
        kind = np.zeros(len(stack), dtype=np.intp)
        if hit:
            first = hit[0][:, :1]
            within = np.all([(own == first).all(axis=1) for own in hit], axis=0)
            kind = np.where(within, self.partition.sizes[first[:, 0]], -1 - np.arange(len(stack)))
        return (stack[place] for place in np.unique(kind, return_index=True)[1].tolist())

    def __add__(self, other: "BlockLDP") -> "BlockLDP":
        """What two reports about the same value keep together: the bounds add over the same blocks."""
        if self.partition != other.partition:
            mine, its = self.partition, other.partition
            found = f"{mine.m} blocks of {mine.k} values and {its.m} of {its.k}"
            raise SordinoError("bounds add over the same blocks", found=found, step="add definitions of one partition")
        return BlockLDP(self.partition, self.epsilon + other.epsilon)


def weight_range(part: ValueClass) -> tuple[int, int]:
    """The heaviest and the lightest weight of a value class on any of the outputs."""
    weights = [weight for weight, _ in part.weights]
    return max(weights), min(weights)


def loss_over(
    evidence: FiniteEvidence, least: NDArray[np.float64] | np.float64, *, alone: NDArray[np.bool_] | bool
) -> NDArray[np.float64]:
    """Each value's log less the least of those it is compared with, rounded up.

    The error of both logs and the rounding of the difference are added, even where the floats are equal. A value
    compared with itself alone, and one that cannot cause the output, lose exactly nothing.
    """
    log, radius = evidence.log, evidence.radius
    possible = ~np.isneginf(log)
    loss = np.subtract(log, least, out=np.zeros_like(log), where=possible)
    return np.where(~possible | alone, loss, widen_gaps(loss, radius))


def widen_gaps(gaps: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    """Differences of logarithms that may each be off by a radius, rounded up; of equal exact ones nothing."""
    finite = np.where(np.isinf(gaps), 0.0, gaps)
    wide = np.nextafter(finite + 2 * radius, np.inf) + np.spacing(np.abs(finite))
    return np.where(np.isinf(gaps) | ((gaps == 0) & (radius == 0)), gaps, wide)


def largest_quotient(heavies: Iterable[int], lights: Iterable[int]) -> tuple[int, int]:
    """Of pairs of whole numbers >= 0 that with the largest quotient, exactly; by zero it is larger than any other."""
    most, least = 0, 1
    for heavy, light in zip(heavies, lights, strict=True):
        if heavy * least > most * light:
            most, least = heavy, light
    return most, least


def logarithms(weights: Iterable[int]) -> NDArray[np.float64]:
    """Of whole numbers of any size, within `NEARLY` by far; minus infinity of zero."""
    return np.array([math.log(weight) if weight else -math.inf for weight in weights])


def slack_below(bound: Nats, loss: NDArray[np.float64]) -> float:
    """A bound less the largest loss, rounded down."""
    largest = float(np.max(loss))
    return -math.inf if math.isinf(largest) else math.nextafter(bound.floor() - largest, -math.inf)


def largest_ratio(parts: Sequence[Part], size: int) -> tuple[int, int] | None:
    """The heavy and the light weight of two different values with the largest ratio; None where there are none.

    A value in no part weighs zero, and is compared too. Weights of one and the same value on different outputs make no
    pair, so a part of one value is compared with the other parts only.
    """
    if size < 2:
        return None
    covered = sum(hits for hits, _, _ in parts)
    candidates = list(parts)
    if covered < size:
        candidates.append((size - covered, 0, 0))
    # The heaviest and the lightest weight of all, or the next where these are of one value.
    heavies = nlargest(2, ((heavy, i) for i, (_, heavy, _) in enumerate(candidates) if heavy))
    lights = nsmallest(2, ((light, i) for i, (_, _, light) in enumerate(candidates)))
    if not heavies:
        return None
    best = (1, 1)
    for (heavy, i), (light, j) in product(heavies, lights):
        if (i != j or candidates[i][0] > 1) and heavy * best[1] > light * best[0]:
            best = (heavy, light)
    return best


def require_size(found: int, k: int) -> None:
    if found != k:
        raise SordinoError(f"the evidence must be about the definition's {k} values", found=f"{found}")
