"""The columns of a finite mechanism: the exact weights of each output, and their logarithms.

A filter looks at what every possible output would say. Few different weights occur in a mechanism, so they are kept
once, and each output's weights are places among them. A factor common to all weights of an output tells nothing about
the value, so weights stand for probabilities.
Units: nats. Cost: outputs x values calls, once for each mechanism.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.definition.prior import log_of
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.mechanism.base import Mechanism

LISTED = 1 << 21
"""Weights of a mechanism at most that are read one by one: seconds."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Some outputs of a mechanism.

    Attributes:
        distinct: the different whole weights, ascending.
        place: where each weight stands among them, shape (outputs, k).
    """

    distinct: tuple[int, ...]
    place: NDArray[np.int32]

    @classmethod
    def of(cls, mechanism: Mechanism, codes: range | None = None) -> "Columns":
        """The columns of some codes, by default of all.

        Raises:
            SordinoError: more weights than can be listed.
        """
        asked = range(mechanism.outputs) if codes is None else codes
        if not can_list(mechanism) and len(asked) * mechanism.k > LISTED:
            raise SordinoError(f"at most {LISTED} weights can be listed", found=f"{len(asked)} x {mechanism.k}")
        number: dict[int, int] = {}
        weights = (int(mechanism.weight(value, code)) for code in asked for value in range(mechanism.k))
        first = np.fromiter((number.setdefault(weight, len(number)) for weight in weights), dtype=np.intp)
        ascending = sorted(number)
        rank = np.empty(len(number), dtype=np.int32)
        rank[[number[weight] for weight in ascending]] = np.arange(len(number))
        return cls(tuple(ascending), rank[first].reshape(len(asked), mechanism.k))

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Shape (outputs, k): the logarithm of each weight's ratio to the largest of all; minus infinity for zero."""
        return self._logarithms[self.place]

    @cached_property
    def radius(self) -> float:
        """Nats: how far each finite logarithm may be off."""
        finite = self._logarithms[np.isfinite(self._logarithms)]
        return 4 * math.ulp(max(float(np.abs(finite).max(initial=0.0)), 1.0)) if len(finite) > 1 else 0.0

    def evidence(self, column: int) -> FiniteEvidence:
        """What one output says."""
        return FiniteEvidence(self.logs[column], self.radius)

    def weights(self, column: int) -> NDArray[np.object_]:
        """The whole weights of one output, shape (k,)."""
        distinct: NDArray[np.object_] = np.array(self.distinct, dtype=object)
        weights: NDArray[np.object_] = distinct[self.place[column]]
        return weights

    @cached_property
    def _logarithms(self) -> NDArray[np.float64]:
        largest = self.distinct[-1]
        return np.array([log_of(weight, largest) for weight in self.distinct])


def can_list(mechanism: Mechanism) -> bool:
    """Whether all weights of a mechanism are few enough to be read one by one."""
    return mechanism.outputs * mechanism.k <= LISTED
