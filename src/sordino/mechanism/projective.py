"""Projective geometry response: a code from the value's hyperplane with odds e^eps against a code off it.

Guarantee: eps-LDP, exactly. Codes and values are points of a projective space over F_q with K >= k points, q a prime
or a power of two; value u's hyperplane has s = (q^(t-1) - 1) / (q - 1) of them and q^(t-1) lie off it. Over
2^64 s q^(t-1), codes on the hyperplane weigh q^(t-1) T and the others s (2^64 - T), with T the largest integer that
q^(t-1) T <= e^eps s (2^64 - T) allows. Within a few percent of the best mechanism of any kind at any k, in log2 K bits.
Cost: two words a value, K log K an estimate.
Source: Feldman, Nelson, Nguyen, Talwar 2022.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.exact.coin import WORD
from sordino.exact.combinatorics.field import LARGEST_BINARY, is_order, is_power_of_two, is_prime
from sordino.exact.combinatorics.projective_points import HyperplaneSums, ProjectiveSpace
from sordino.exact.entries import Entries
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import NatsLike
from sordino.exact.source import Words
from sordino.mechanism.draws.code_sets import Points
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.supported import Support

LARGEST_LIST = 1 << 18
"""Largest number of entries of the list of all hyperplanes: it stays in the processor's cache."""

LARGEST_TABLE = 1 << 24
"""Largest number of vectors of a space: the sampler looks points up in a table of this length."""

POWERS_OF_TWO = [1 << r for r in range(1, LARGEST_BINARY.bit_length())]
"""Orders of fields in which 1 + 1 = 0."""

TOLERANCE = 1e-3
"""A power of two is taken if its variance is larger than the lowest by at most this share."""


@checked_class
@dataclass(frozen=True, init=False)
class ProjectiveResponse(OneCoin):
    """Projective geometry response over k values.

    Attributes:
        field: the order q; by default the one with the lowest exact variance of a rare value.

    Example:
        >>> mechanism = ProjectiveResponse(43_750, "1")
        >>> mechanism.field, mechanism.code_bits
        (4, 17)
    """

    name: ClassVar[str] = "projective"

    field: int

    def __init__(self, k: int, epsilon: NatsLike, field: int | None = None) -> None:
        self._set_size(k)
        self._set_field(best_fields(k, float(read_epsilon(epsilon)))[0] if field is None else field)
        self._set_epsilon(epsilon)

    @classmethod
    @checked
    def from_threshold(cls, k: int, threshold: int, field: int) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_size(k)
        mechanism._set_field(field)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        return cls.from_threshold(entries.whole("k"), entries.integer("threshold"), entries.whole("field"))

    def _set_field(self, field: int) -> None:
        if not 2 <= field <= LARGEST_TABLE or not is_order(field):
            rule = f"a field's order must be a prime, or a power of two up to {LARGEST_BINARY}"
            raise SordinoError(rule, found=shown(field))
        if ProjectiveSpace.smallest_for(field, self.k).vectors_in_all > LARGEST_TABLE:
            raise SordinoError(
                f"a space must have at most {LARGEST_TABLE} vectors", found=f"more over F_{shown(field)}"
            )
        object.__setattr__(self, "field", field)

    @cached_property
    def space(self) -> ProjectiveSpace:
        """The smallest space over the field that has a point for each value."""
        return ProjectiveSpace.smallest_for(self.field, self.k)

    @cached_property
    def _sums(self) -> HyperplaneSums:
        return HyperplaneSums(self.space)

    @property
    def record(self) -> dict[str, Any]:
        return {**super().record, "field": self.field}

    @property
    def sides(self) -> tuple[int, int]:
        return self.space.hyperplane, self.space.affine

    @cached_property
    def code_set(self) -> Points:
        return Points(self.space, self.k, is_listed=self._is_listed)

    @property
    def _is_listed(self) -> bool:
        return self.k * self.outputs <= LARGEST_LIST

    @property
    def draw(self) -> Any:
        return ["sides", "threshold", ["points", "v", "field", self.space.t, int(self._is_listed)]]

    @property
    def parameters(self) -> str:
        return f"projective k={self.k} field={self.field} threshold={self.threshold}"

    @property
    def outputs(self) -> int:
        return self.space.points

    @property
    def denominator(self) -> int:
        """2^64 s q^(t-1)."""
        return WORD * self.space.hyperplane * self.space.affine

    @cached_property
    def miss(self) -> NDArray[np.float64]:
        """Two hyperplanes share (q^(t-2) - 1) / (q - 1) points."""
        s, meet = self.space.hyperplane, self.space.meet
        on, off = self.threshold * self.space.affine, (WORD - self.threshold) * s
        return np.broadcast_to(np.float64((on * meet + off * (s - meet)) / self.denominator), self.k)

    def weight(self, value: int, code: int) -> int:
        """q^(t-1) T on the value's hyperplane, else s (2^64 - T)."""
        if self.space.incident(value, code):
            return self.space.affine * self.threshold
        return self.space.hyperplane * (WORD - self.threshold)

    def columns(self) -> Iterator[ColumnClass]:
        """One class. Code 1 lies on the hyperplane of value 0 and off that of value 1."""
        on = self.space.affine * self.threshold
        off = self.space.hyperplane * (WORD - self.threshold)
        weights = ((on, self.space.hyperplane), (off, self.space.affine))
        # Any two hyperplanes meet in as many points: each code lies on as many as hold it.
        shared = self.space.hyperplane * (self.space.hyperplane - 1) // (self.outputs - 1)
        yield ColumnClass(self.k, self.outputs, 1, (ValueClass(np.arange(self.k), weights, (shared,)),))

    def supports(self, codes: Words) -> NDArray[np.bool_]:
        vectors, space = self.space.vectors, self.space
        points = space.chunks(vectors[codes.astype(np.intp)], space.t)
        values = space.chunks(vectors[: self.k], space.t)
        on: NDArray[np.bool_] = space.dot([one[:, None] for one in points], [one[None, :] for one in values]) == 0
        return on

    def support(self, weights: NDArray[np.float64]) -> Support:
        own = self._sums.of(weights)[..., : self.k]
        return Support(own, np.broadcast_to(weights.sum(axis=-1, keepdims=True), own.shape))

    @property
    def support_sizes(self) -> NDArray[np.float64]:
        """A code lies on the hyperplanes of the points on its own."""
        return self._on(np.ones(self.k))

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        on = self._on(p)
        told = self.threshold / WORD
        law: NDArray[np.float64] = on * (told / self.space.hyperplane)
        law += (p.sum(axis=-1, keepdims=True) - on) * ((1 - told) / self.space.affine)
        return law

    def _on(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each code, the amounts of the values on whose hyperplanes it lies."""
        padded = np.zeros((*amounts.shape[:-1], self.outputs))
        padded[..., : self.k] = amounts
        return self._sums.of(padded)


def best_fields(k: int, epsilon: float) -> list[int]:
    """The best order of all, then the best of those with shorter codes, and so on.

    Candidates are the powers of two, the primes around e^eps + 1, and for each dimension the least and the largest
    prime. A power of two, whose estimates are faster, may be worse by a tolerance.
    """
    centre = round(math.exp(min(epsilon, math.log(LARGEST_TABLE))) + 1)
    orders = sorted({*POWERS_OF_TWO, *_primes_around(centre), *_extreme_primes(k)})
    spaces = [space for q in orders if (space := ProjectiveSpace.smallest_for(q, k)).vectors_in_all <= LARGEST_TABLE]
    if not spaces:
        raise SordinoError(f"a space must have at most {LARGEST_TABLE} vectors", found=f"more at k = {shown(k)}")
    variances = {space: _rare_variance(space, epsilon) for space in spaces}
    chosen = []
    while variances:
        best = min(variances, key=variances.__getitem__)
        fast = min((one for one in variances if is_power_of_two(one.q)), key=variances.__getitem__, default=best)
        space = fast if variances[fast] <= (1 + TOLERANCE) * variances[best] else best
        chosen.append(space.q)
        shorter = (space.points - 1).bit_length() - 1
        variances = {one: v for one, v in variances.items() if one.points <= 1 << shorter}
    return chosen


def _primes_around(centre: int) -> list[int]:
    below = islice((q for q in range(centre, 1, -1) if is_prime(q)), 3)
    above = islice((q for q in count(centre + 1) if is_prime(q)), 3)
    return [*below, *above]


def _extreme_primes(k: int) -> Iterator[int]:
    """For each dimension t, until it is 2, the least prime q with k points in F_q^t and the largest that may fit."""
    for t in count(2):
        # q^(t-1) + ... + 1 <= (q + 1)^(t-1).
        start = max(2, int(k ** (1 / (t - 1))) - 1)
        least = next(q for q in count(start) if is_prime(q) and ProjectiveSpace(q, t).points >= k)
        yield least
        yield next((q for q in range(int(LARGEST_TABLE ** (1 / t)), least, -1) if is_prime(q)), least)
        if least == 2:
            return


def _rare_variance(space: ProjectiveSpace, epsilon: float) -> float:
    """The variance, times n, of the estimate of a value that nobody has."""
    ratio = math.exp(-epsilon) * space.affine / space.hyperplane
    hit = 1 / (1 + ratio)
    inside = space.meet / space.hyperplane
    miss = hit * inside + (1 - hit) * (space.hyperplane - space.meet) / space.affine
    return miss * (1 - miss) / (hit - miss) ** 2 if hit > miss else math.inf
