"""A table whose mean code is linear in the value: what grows by equal steps is told without bias by the code alone.

The best channels for a number (`design.numbers.best_table`) are of this kind: any weights, and codes that count as
evenly spaced numbers. The table needs no estimator of its own, and there is nothing to be solved: with S(v) the sum of
code times weight in the row of value v, S(v + 1) - S(v) is one and the same whole number for all v, so the mean of a
linear function of the code is exactly what it should be.
Guarantee: what certify says about its weights; the equal steps are looked at, in whole numbers, when it is made.
Cost: that of any table.
"""

from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.mechanism.table import ChannelTable

LARGEST_SIZE = 1 << 6
"""Values, and codes, at most: a certificate looks at every code of every value. More gain nothing."""


@checked_class
class LinearTable(ChannelTable):
    """A channel by its weights; from value to value the mean code grows by the same step, exactly.

    Example:
        >>> LinearTable([[4, 2, 2], [3, 2, 3], [2, 2, 4]]).code_values(np.array([-1.0, 0.0, 1.0])).tolist()
        [-4.0, 0.0, 4.0]
    """

    name: ClassVar[str] = "linear"

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        super().__init__(weights)
        sums = self._sums
        steps = {later - earlier for earlier, later in pairwise(sums)}
        if not 2 <= self.k <= LARGEST_SIZE or self.outputs > LARGEST_SIZE:
            rule = f"a linear table must have 2 to {LARGEST_SIZE} values and at most as many codes"
            raise SordinoError(rule, found=f"{self.k} values and {self.outputs} codes")
        if len(steps) > 1 or min(steps) <= 0:
            raise SordinoError(
                "the mean code of a linear table must grow by equal steps above 0",
                found=f"{len(steps)} different steps" if len(steps) > 1 else "a step of 0 or less",
                step="use ChannelTable",
            )

    @property
    def parameters(self) -> str:
        return f"linear k={self.k} weights={sha256(repr(self.weights).encode()).hexdigest()}"

    @property
    def _sums(self) -> list[int]:
        """For each value the mean code times the denominator."""
        return [sum(code * weight for code, weight in enumerate(row)) for row in self.weights]

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of what grows by equal steps, linear in the code; of anything else the estimate of any dense channel."""
        growth = np.diff(functional)
        if not np.allclose(growth, growth[0], rtol=1e-12, atol=0):
            return super().code_values(functional)
        sums = self._sums
        codes = np.arange(self.outputs) - float(Fraction(sums[0] + sums[-1], 2 * self.denominator))
        step = float(Fraction(sums[1] - sums[0], self.denominator))
        contributions: NDArray[np.float64] = (functional[0] + functional[-1]) / 2 + codes * (growth.mean() / step)
        return contributions
