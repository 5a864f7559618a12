"""How much of a definition evidence about a finite domain has used: in floats rounded up, and exactly in integers.

A measure lists a definition's hypotheses by groups, each with one bound; a level is the largest loss within a group. A
filter compares levels with bounds; where floats cannot tell, it compares whole numbers. The kinds of definitions have a
class each (`definitions`): all values alike, pairs of values, attributes of a record.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.accounting.measures.mechanism_columns import Columns, Ratio, can_list, epsilon_ratio, larger
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

Contrasted: TypeAlias = tuple[int, int]
"""A value, and another one that it must not be told from."""

GroupBounds: TypeAlias = tuple[Nats | None, ...]
"""One for each group of hypotheses; None where it is not protected."""

FEW_WEIGHTS = 1 << 18
"""Largest number of weights of all codes on the values of the domain, that are looked at one by one: some tenths of a
second."""


class Measure(ABC):
    """A definition on k values."""

    @property
    @abstractmethod
    def k(self) -> int:
        """How many values the domain has."""

    @property
    @abstractmethod
    def bounds(self) -> GroupBounds:
        """What each group allows."""

    @abstractmethod
    def levels(self, evidence: FiniteEvidence) -> Floats:
        """The largest loss within each group, rounded up; 0 where nothing favours anything."""

    def levels_of(self, log: Floats, radius: float) -> Floats:
        """The same of several likelihoods of shape (n, k), shape (n, groups); 0 of one that no value can cause."""
        rows = [self.levels(FiniteEvidence(row, radius)) for row in log]
        return np.array(rows).reshape(len(log), len(self.bounds))

    def steep(self, group: int, log: Floats, least: float, alike: NDArray[np.integer]) -> Iterator[Contrasted] | None:
        """Pairs of values of a group, among them those that evidence tells apart best; None where it averages values.

        Args:
            least: nats; pairs that floats tell apart by less are left out.
            alike: equal numbers where all answers had equal weights; one pair stands for those with equal numbers.
        """
        del group, log, least, alike
        return None

    @abstractmethod
    def ratios(self, weights: NDArray[np.object_]) -> list[Ratio]:
        """The same exactly, of whole numbers proportional to the likelihood, shape (k,)."""

    @abstractmethod
    def about(self, group: int) -> str:
        """What the group compares, in words."""

    @property
    def adds_epsilon(self) -> bool:
        """Whether a query uses its LDP level of every group, rather than its own level of each."""
        return False

    @property
    def versions(self) -> bool:
        """Whether losses about several versions of a record add up, group by group."""
        return True

    @property
    def pools_versions(self) -> bool:
        """Whether what one version lost in some group is taken from all: its hypotheses are not those of the next."""
        return False

    def own(self, mechanism: Mechanism, spread: NDArray[np.intp] | None) -> list[Ratio]:
        """The most that one report can add to each group, exactly; of very many codes the mechanism's epsilon.

        Args:
            spread: for each of the k values what the mechanism is told; None where it is told the value.
        """
        if self.adds_epsilon or not self._has_few_weights(mechanism):
            return [epsilon_ratio(mechanism)] * len(self.bounds)
        columns = Columns.of(mechanism)
        most: list[Ratio] = [Fraction(1)] * len(self.bounds)
        for column in range(mechanism.outputs):
            weights = columns.weights(column)
            found = self.ratios(weights if spread is None else weights[spread])
            most = [larger(a, b) for a, b in zip(most, found, strict=True)]
        return most

    def _has_few_weights(self, mechanism: Mechanism) -> bool:
        """Whether the codes are few enough to look at each."""
        return can_list(mechanism) and mechanism.outputs * self.k <= FEW_WEIGHTS
