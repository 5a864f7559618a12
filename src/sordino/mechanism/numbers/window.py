"""Randomized response with windows: each of k values has some neighbouring codes of its own, which overlap others'.

Guarantee: epsilon-LDP, exactly. Value v has the window of w codes v..v+w-1 of the k + w - 1, and one coin decides: with
probability T / 2^64 the code is uniform in the window, else uniform among the k - 1 others. T is the largest threshold
with (k - 1) T <= e^epsilon w (2^64 - T). The mean code is linear in the value: so what grows by equal steps from value
to value, as the points of a grid do, is told without a table and with little noise. k = 2 and w = 1 is a bit; many
points with w / (k + w - 1) kept are the piecewise mechanism, and many bins of a number are the square wave. The best
pair for a number (`design.best_window`) has a largest variance below that of the piecewise and the hybrid mechanism
from epsilon = 2 on, at 4 by a quarter.

A window of k - 1 codes asks one bit about a random threshold: code t < k - 1 says "at most t", code t + k - 1 says
"above t"; each threshold is drawn as often as any other, and the bit is told truly with probability T / 2^64. The
probability of each code then rises or falls once from the first value to the last; with fewer codes it does both.
Cost: two words a value.
Source: k-ary randomized response and the piecewise mechanism (Wang et al. 2019, collecting multidimensional data under
LDP), and the square wave (Li et al. 2020), with finitely many codes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.entries import Entries
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Words
from sordino.mechanism.base import Mechanism

LARGEST_SIZE = 1 << 10
"""Values, and codes of a window, at most: a certificate looks at every code of every value."""


@checked_class
@dataclass(frozen=True, init=False)
class WindowResponse(Mechanism):
    """One of several values to one of several codes.

    Attributes:
        window: w, the codes of a value.
        threshold: the coin's T.

    Example:
        >>> WindowResponse(3, "ln 4", 2).probabilities().round(3).tolist()
        [[0.4, 0.4, 0.1, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.1, 0.4, 0.4]]
    """

    name: ClassVar[str] = "window"

    window: int
    threshold: int

    def __init__(self, k: int, epsilon: NatsLike, window: int = 1) -> None:
        self._set_sizes(k, window)
        self._set_threshold(largest_threshold(read_epsilon(epsilon), k - 1, window))

    @classmethod
    @checked
    def from_threshold(cls, k: int, threshold: int, window: int = 1) -> Self:
        """The channel of a frozen plan, with its own integer; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_sizes(k, window)
        mechanism._set_threshold(threshold)
        return mechanism

    @property
    def record(self) -> dict[str, Any]:
        return {"k": self.k, "window": self.window, "threshold": str(self.threshold)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls.from_threshold(entries.whole("k"), entries.integer("threshold"), entries.whole("window"))

    def _set_sizes(self, k: int, window: int) -> None:
        for name, value, least in (("k", k, 2), ("window", window, 1)):
            if type(value) is not int or not least <= value <= LARGEST_SIZE:
                raise SordinoError(f"{name} must be a whole number in {least}..{LARGEST_SIZE}", found=shown(value))
            object.__setattr__(self, name, value)

    def _set_threshold(self, threshold: int) -> None:
        within, outside = self.window, self.k - 1
        if type(threshold) is not int or not 0 < threshold < WORD or outside * threshold < within * (WORD - threshold):
            # Rounded down, the threshold of a tiny epsilon could make the window the less likely side.
            rule = f"the codes of a value must not be less likely than the {outside} others"
            raise SordinoError(rule, found=f"the threshold {shown(threshold)}", step="raise epsilon")
        object.__setattr__(self, "threshold", threshold)

    @property
    def draw(self) -> Any:
        return ["sides", "threshold", ["run", "v", "codes", "window"]]

    @property
    def parameters(self) -> str:
        return f"window k={self.k} window={self.window} threshold={self.threshold}"

    @property
    def outputs(self) -> int:
        return self.k + self.window - 1

    @property
    def denominator(self) -> int:
        return WORD * self.window * (self.k - 1)

    @property
    def _weights(self) -> tuple[int, int]:
        """Of each code in the window of a value, and of each other."""
        return (self.k - 1) * self.threshold, self.window * (WORD - self.threshold)

    def weight(self, value: int, code: int) -> int:
        within, outside = self._weights
        return within if value <= code < value + self.window else outside

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        ahead = codes.astype(np.int64)[:, None] - np.arange(self.k)
        return self._weights, np.where((ahead >= 0) & (ahead < self.window), 0, 1)

    def columns(self) -> Iterator[ColumnClass]:
        within, outside = self._weights
        for code in range(self.outputs):
            inside = np.arange(max(code - self.window + 1, 0), min(code + 1, self.k))
            others = np.delete(np.arange(self.k), inside)
            parts = [ValueClass(inside, ((within, 1),))]
            if len(others):
                parts.append(ValueClass(others, ((outside, 1),)))
            yield ColumnClass(self.k, 1, code, tuple(parts))

    def probabilities(self) -> NDArray[np.float64]:
        within, outside = (weight / self.denominator for weight in self._weights)
        ahead = np.arange(self.outputs) - np.arange(self.k)[:, None]
        return np.where((ahead >= 0) & (ahead < self.window), within, outside)

    @property
    def cuts(self) -> int | None:
        """The number k - 1 of thresholds, if each code says a bit about one of them; None of other windows."""
        return self.k - 1 if self.window == self.k - 1 else None

    def known_law(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of bits about thresholds: both codes of each together are as frequent as they are expected to be.

        How often thresholds were drawn tells nothing of the people; of one that nobody drew it would say that its
        estimate has no error. Nor is a bit ever rarer than the lie, however few reports there are.
        """
        if self.cuts is None:
            return law
        pairs = law.reshape(2, self.cuts)
        drawn = pairs.sum(axis=0)
        side = np.divide(pairs, drawn, out=np.full_like(pairs, 0.5), where=drawn > 0)
        truth = self.threshold / WORD
        known: NDArray[np.float64] = (np.clip(side, 1 - truth, truth) / self.cuts).ravel()
        return known

    @property
    def informative(self) -> bool:
        within, outside = self._weights
        return within > outside

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of what grows by equal steps, linear in the code; of anything else the estimate of any dense channel."""
        if not self.informative:
            rule = "reports must depend on the values to be estimated from"
            raise SordinoError(rule, found="codes within a window that are as likely as others", step="raise epsilon")
        steps = np.diff(functional)
        if not np.allclose(steps, steps[0], rtol=1e-12, atol=0):
            return super().code_values(functional)
        within, outside = self._weights
        # The mean code grows by this from value to value.
        slope = float(Fraction((within - outside) * self.window, self.denominator))
        middle = (functional[0] + functional[-1]) / 2
        codes = np.arange(self.outputs) - (self.outputs - 1) / 2
        contributions: NDArray[np.float64] = middle + codes * (steps.mean() / slope)
        return contributions
