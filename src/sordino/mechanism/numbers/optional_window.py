"""Windows over the bins of a number that may be missing: `WindowResponse` with a value more, and a code more.

Guarantee: epsilon-LDP, exactly, between any two bins and between a bin and that there is no number. Whoever has a
number sends the last code, "missing", with probability A / 2^64, else the code of the window response of the bin;
whoever has none sends it with probability B / 2^64, else any other code, all alike. With c the number of these codes
times the least probability of one under a bin, no two values differ by more than e^epsilon where

    B <= e^epsilon A    and    (2^64 - A) c <= 2^64 - B.

B is the largest for a given A. Both hold with equality at A = 2^64 (1 - c) / (e^epsilon - c), the largest A that is of
use: a smaller one tells less of who is missing, and more of the numbers.
Cost: four words a value.
Source: `design.numbers.missing.optional_channel`, of channels for a number, with windows and without a table.
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
from sordino.exact.coin import WORD, most_weight
from sordino.exact.entries import Entries
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.numbers.window import WindowResponse


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
            rule = "whoever has no number must not say so more rarely than others"
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
