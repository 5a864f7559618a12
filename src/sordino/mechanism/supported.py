"""Mechanisms that estimate by support: each value has codes that *support* it within a *group* of codes.

What one report adds to the estimate of x is one of three numbers: `on` where its code supports x, `off` elsewhere in
x's group, `outside` elsewhere. For a group of values with Pr(support of x | x) = hit and Pr(support of x | another
value of the group) = miss these are (1 - miss) / (hit - miss), -miss / (hit - miss) and 0.
Source: context-aware LDP paper, (15) to (19), as corrected.
"""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.mechanism.base import Mechanism, Squares


@dataclass(frozen=True, eq=False)
class Support:
    """Counters summed over the codes that support each value.

    Attributes:
        support: shape (..., k), over the codes that support x.
        group: shape (..., k), over the codes of x's group.
    """

    support: NDArray[np.float64]
    group: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reading:
    """What one report adds to each value's estimate.

    Attributes:
        on, off, outside: shape (k,) each; infinite or nan where nothing can be learned.
        alone: shape (k,), whether all codes of the value's group support it.
        whole: shape (k,), whether all codes that can be sent are in the value's group.
        entering: shape (k,), Pr(a code of the group | a value outside it).
    """

    on: NDArray[np.float64]
    off: NDArray[np.float64]
    outside: NDArray[np.float64]
    alone: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    entering: NDArray[np.float64]

    @property
    def against(self) -> NDArray[np.float64]:
        """What a report that does not support the value adds, shape (k,): of its group, or if alone of another one."""
        return np.where(self.alone, self.outside, self.off)

    @property
    def hit(self) -> NDArray[np.float64]:
        """Pr(support | the value itself), shape (k,): its contributions have the mean 1."""
        return (1 - self.against) / (self.on - self.against)

    @property
    def miss(self) -> NDArray[np.float64]:
        """Pr(support | another value of the group), or if alone of any other, shape (k,): the mean is 0."""
        return -self.against / (self.on - self.against)

    @property
    def entering_in_support(self) -> NDArray[np.float64]:
        """Pr(support | a value outside the group), shape (k,): the mean is 0 there too."""
        return np.where(
            self.entering > 0,
            -(self.entering * self.off + (1 - self.entering) * self.outside) / (self.on - self.off),
            0.0,
        )

    @property
    def squares(self) -> Squares:
        """The mean square of what reports add, by who sends them."""
        against = self.against
        own, other = (chance * self.on**2 + (1 - chance) * against**2 for chance in (self.hit, self.miss))
        # Whoever is outside the group of a value that is not alone in it enters it, or stays outside.
        supporting = self.entering_in_support
        within = supporting * self.on**2 + (self.entering - supporting) * self.off**2
        outside = np.where(self.alone | self.whole, other, within + (1 - self.entering) * self.outside**2)
        return Squares(own, np.minimum(other, outside), np.maximum(other, outside))

    def spread(self, k: int) -> "Reading":
        """The reading of the first value for k values that are alike, without memory for each."""
        on, off, outside, alone, whole, entering = (
            np.broadcast_to(part[0], k)
            for part in (self.on, self.off, self.outside, self.alone, self.whole, self.entering)
        )
        return Reading(on, off, outside, alone, whole, entering)

    @classmethod
    def of(cls, hit: NDArray[np.float64], miss: NDArray[np.float64], *, alone: bool) -> "Reading":
        """The reading of one group of values."""
        with np.errstate(divide="ignore", invalid="ignore"):
            on, off = (1 - miss) / (hit - miss), -miss / (hit - miss)
        informative = hit > miss
        return cls(
            np.where(informative, on, np.inf),
            np.where(informative, off, -np.inf),
            np.zeros(len(hit)),
            np.full(len(hit), alone),
            np.full(len(hit), fill_value=True),
            np.zeros(len(hit)),
        )


@dataclass(frozen=True, eq=False)
class SupportMechanism(Mechanism):
    """A mechanism whose estimates count supporting codes."""

    @property
    @abstractmethod
    def reading(self) -> Reading:
        """What one report adds to each value's estimate."""

    @abstractmethod
    def support(self, counters: NDArray[np.float64]) -> Support:
        """Counters, shape (..., counters), summed over each value's supporting codes and over its group."""

    @property
    def informative(self) -> bool:
        return bool(np.isfinite(self.reading.on).all())

    def decode(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        self._require_informative()
        reading = self.reading
        return self._mean(law, reading.on, reading.off, reading.outside)

    def decode_powers(self, law: NDArray[np.float64], power: int) -> NDArray[np.float64]:
        self._require_informative()
        reading = self.reading
        return self._mean(law, reading.on**power, reading.off**power, reading.outside**power)

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """By the sum of the functional over the values that each code supports; where all values are alike."""
        if self.counters != self.outputs:
            return super().code_values(functional)
        codes = np.eye(self.outputs)
        return self.decode(codes) @ functional

    @property
    def squares(self) -> Squares:
        return self.reading.squares

    @property
    def contribution_range(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest of `on`, `off` (unless alone) and `outside` (also where there is no outside)."""
        reading = self.reading
        off = np.where(reading.alone, reading.on, reading.off)
        parts = np.stack([reading.on, off, reading.outside])
        return parts.min(axis=0), parts.max(axis=0)

    def _mean(
        self, law: NDArray[np.float64], on: NDArray[np.float64], off: NDArray[np.float64], outside: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        counts = self.support(law)
        mean: NDArray[np.float64] = on * counts.support
        outside_support = np.subtract(counts.group, counts.support, dtype=np.float64)
        outside_support *= off
        mean += outside_support
        if outside.any():
            mean += outside * (self._total(law) - counts.group)
        return mean

    def _total(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """All reports, shape (..., 1), of counters."""
        total: NDArray[np.float64] = law.sum(axis=-1, keepdims=True)
        return total

    def _require_informative(self) -> None:
        if not self.informative:
            rule = "reports must depend on the values to be estimated from"
            raise SordinoError(rule, found="an epsilon so small that they do not", step="raise epsilon")
