"""Randomized response with windows: each of k values has some neighbouring codes of its own, which overlap others'.

Guarantee: epsilon-LDP, exactly. Value v has the window of w codes v..v+w-1 of the k + w - 1, and one coin decides: with
probability T / 2^64 the code is uniform in the window, else uniform among the k - 1 others. T is the largest threshold
with (k - 1) T <= e^epsilon w (2^64 - T). The mean code is linear in the value: so what grows by equal steps from value
to value, as the points of a grid do, is told without a table and with little noise. k = 2 and w = 1 is a bit; many
points with w / (k + w - 1) kept are the piecewise mechanism, and many bins of a number are the square wave. The best
pair for a number (`best_window`) has a largest variance below that of the piecewise and the hybrid mechanism from
epsilon = 2 on, at 4 by a quarter.

A window of k - 1 codes asks one bit about a random threshold: code t < k - 1 says "at most t", code t + k - 1 says
"above t"; each threshold is drawn as often as any other, and the bit is told truly with probability T / 2^64. The
probability of each code then rises or falls once from the first value to the last; with fewer codes it does both.
Cost: two words a value.
Source: k-ary randomized response and the piecewise mechanism (Wang et al. 2019, collecting multidimensional data under
LDP), and the square wave (Li et al. 2020), with finitely many codes.

Windows over the bins of a number that may be missing: `WindowResponse` with a value more, and a code more.

Guarantee: epsilon-LDP, exactly, between any two bins and between a bin and that there is no number. Whoever has a
number sends the last code, "missing", with probability A / 2^64, else the code of the window response of the bin;
whoever has none sends it with probability B / 2^64, else any other code, all alike. With c the number of these codes
times the least probability of one under a bin, no two values differ by more than e^epsilon where

    B <= e^epsilon A    and    (2^64 - A) c <= 2^64 - B.

B is the largest for a given A. Both hold with equality at A = 2^64 (1 - c) / (e^epsilon - c), the largest A that is of
use: a smaller one tells less of who is missing, and more of the numbers.
Cost: four words a value.
Source: `design.numbers.optional_numbers`, of channels for a number, with windows and without a table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD, largest_threshold, most_weight
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class, shown
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

    def known_distribution(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
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


@checked_class
@dataclass(frozen=True, init=False)
class OptionalWindow(Mechanism):
    """One of several bins, or none, to one of the codes of windows or "missing". The last value is none.

    Attributes:
        bins: the channel of whoever has a number.
        present: A, of 2^64, of whoever has a number.
        absent: B, of whoever has none.

    Example:
        >>> OptionalWindow(WindowResponse(2, "ln 3"), "ln 3", present=2**62 // 5 * 4).probabilities().round(3).tolist()
        [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    """

    name: ClassVar[str] = "optional-window"

    bins: WindowResponse
    present: int
    absent: int

    def __init__(self, bins: WindowResponse, epsilon: NatsLike, present: int) -> None:
        self._set_bins(bins)
        _require_threshold("present", present)
        most = WORD - ceil((WORD - present) * common(bins))
        self._set_thresholds(present, min(most_weight(read_epsilon(epsilon), present), most))

    @classmethod
    @checked
    def from_thresholds(cls, bins: WindowResponse, present: int, absent: int) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_bins(bins)
        mechanism._set_thresholds(present, absent)
        return mechanism

    @property
    def record(self) -> dict[str, Any]:
        own = {"k": self.k, "window": self.bins.window, "threshold": str(self.bins.threshold)}
        return {**own, "present": str(self.present), "absent": str(self.absent)}

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        bins, window = entries.whole("k") - 1, entries.whole("window")
        windows = WindowResponse.from_threshold(bins, entries.integer("threshold"), window)
        return cls.from_thresholds(windows, entries.integer("present"), entries.integer("absent"))

    def _set_bins(self, bins: WindowResponse) -> None:
        if not isinstance(bins, WindowResponse):
            raise SordinoError("the bins of a number must be asked by windows", found=shown(bins))
        object.__setattr__(self, "k", bins.k + 1)
        object.__setattr__(self, "bins", bins)

    def _set_thresholds(self, present: int, absent: int) -> None:
        for name, threshold in (("present", present), ("absent", absent)):
            _require_threshold(name, threshold)
            object.__setattr__(self, name, threshold)
        if absent < present:
            rule = "people without a number must report that at least as often as others"
            raise SordinoError(rule, found=f"the thresholds {absent} and {present}", step="raise epsilon")

    @property
    def draw(self) -> Any:
        """All ways are gone by everybody, so that how many words are drawn reveals nothing."""
        codes, is_missing = self.bins.outputs, ["<", self.bins.k - 1, "v"]
        window = ["run", ["*", "v", ["<", "v", self.bins.k]], codes, "window"]
        answered = ["if", is_missing, ["below", codes], ["sides", "threshold", window]]
        return ["if", ["coin", ["at", ["list", "present", "absent"], is_missing]], codes, answered]

    @property
    def parameters(self) -> str:
        return f"optional {self.bins.parameters} present={self.present} absent={self.absent}"

    @property
    def outputs(self) -> int:
        return self.bins.outputs + 1

    @property
    def denominator(self) -> int:
        return WORD * self.bins.denominator * self.bins.outputs

    @property
    def _weights(self) -> tuple[int, int, int, int, int]:
        """Of a code in the window of a bin, of another, of each for none; of "missing" for a bin, and for none."""
        whole, codes = self.bins.denominator, self.bins.outputs
        within, outside = (weight * (WORD - self.present) * codes for weight in self.bins._weights)
        none = (WORD - self.absent) * whole
        return within, outside, none, self.present * whole * codes, self.absent * whole * codes

    def weight(self, value: int, code: int) -> int:
        within, outside, none, present, absent = self._weights
        if code == self.bins.outputs:
            return absent if value == self.bins.k else present
        if value == self.bins.k:
            return none
        return within if value <= code < value + self.bins.window else outside

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        _, of_bins = self.bins.marks(codes)
        marks = np.column_stack([of_bins, np.full(len(codes), 2)])
        missing = codes == np.uint64(self.bins.outputs)
        marks[missing] = np.append(np.full(self.bins.k, 3), 4)
        return self._weights, marks

    def columns(self) -> Iterator[ColumnClass]:
        within, outside, none, present, absent = self._weights
        every, lacking, window = np.arange(self.bins.k), np.array([self.bins.k]), self.bins.window
        for code in range(self.bins.outputs):
            inside = (every <= code) & (code < every + window)
            sides = ((every[inside], within), (every[~inside], outside), (lacking, none))
            parts = (ValueClass(values, ((weight, 1),)) for values, weight in sides if len(values))
            yield ColumnClass(self.k, 1, code, tuple(parts))
        either = ValueClass(every, ((present, 1),)), ValueClass(lacking, ((absent, 1),))
        yield ColumnClass(self.k, 1, self.bins.outputs, either)

    def probabilities(self) -> NDArray[np.float64]:
        shares = np.array([weight / self.denominator for weight in self._weights])
        _, marks = self.marks(np.arange(self.outputs, dtype=np.uint64))
        channel: NDArray[np.float64] = shares[marks.T]
        return channel

    @property
    def informative(self) -> bool:
        """Whether the windows are, and whether "missing" is likelier of whoever has no number."""
        return self.bins.informative and self.absent > self.present


def common(bins: WindowResponse) -> Fraction:
    """c, the number of codes times the least probability of one under a value, which all codes have alike."""
    return Fraction(bins.outputs * min(bins._weights), bins.denominator)


def _require_threshold(name: str, threshold: object) -> None:
    if type(threshold) is not int or not 0 < threshold < WORD:
        raise SordinoError(f"{name} must be a whole number above 0 and below 2^64", found=shown(threshold))
