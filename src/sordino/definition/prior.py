"""A known prior of records, exactly: what an output says about one attribute to somebody with these beliefs.

The hypotheses are "attribute i has the value a", averaged over all other attributes given that. Only these conditional
laws matter: of the attribute itself any belief may be held.
Source: BCDP paper, (2), (9) and Definition 4; by the mediant inequality sets of values add nothing to single ones.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.pairwise import require_size, widen_gaps
from sordino.definition.product import Contrast, Shape, by_attribute, read_shape
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.messages import exact_value, shown
from sordino.exact.nats import Nats

LARGEST_PRIOR = 1 << 20
"""Largest number of records of a prior."""

TOLERANCE = Fraction(1, 10**9)
"""How far the floats of a prior may be from a sum of one; then they are scaled."""

SMALLEST_FLOAT = 1e-290
"""Below this a float keeps too few bits for its logarithm."""

ROUNDING_ULPS = 16
"""Units in the last place that cover the roundings of a logarithm of a mean: those of its weights, its largest term,
the exponentials (within 4) and the last logarithm (within 4)."""


@dataclass(frozen=True)
class Prior:
    """A law of records with d attributes.

    Attributes:
        shape: how many values each attribute has.
        weights: whole numbers without a common factor, one for each record in C order, proportional to the law.

    Example:
        >>> Prior.of([[0.5, 0.25], [0, 0.25]]).weights
        (2, 1, 0, 1)
    """

    shape: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, prior: "Prior | ArrayLike") -> "Prior":
        """Read an array of shape (k_1, .., k_d); floats are taken as the exact numbers that they are, then scaled."""
        if isinstance(prior, Prior):
            return prior
        try:
            table = np.asarray(prior)
            exact = [exact_value(entry) for entry in table.ravel().tolist()]
        except (ValueError, TypeError, OverflowError):
            raise SordinoError(
                "a prior must be an array of probabilities, with one axis for each attribute",
                found="numbers that are not finite",
            ) from None
        if table.ndim < 1 or not 1 <= len(exact) <= LARGEST_PRIOR:
            raise SordinoError(f"a prior must be about 1 to {LARGEST_PRIOR} records", found=f"shape {table.shape}")
        if min(exact) < 0:
            raise SordinoError("a prior's probabilities must not be negative", found="a negative one")
        total = sum(exact, Fraction(0))
        if abs(total - 1) > (TOLERANCE if any(isinstance(e, float) for e in table.ravel().tolist()) else 0):
            raise SordinoError("a prior must sum to one", found=f"{float(total):.12g}", step="divide it by its sum")
        scale = math.lcm(*(entry.denominator for entry in exact))
        whole = [int(entry * scale) for entry in exact]
        common = math.gcd(*whole)
        law = cls(tuple(table.shape), tuple(weight // common for weight in whole))
        for i, totals in enumerate(law.totals):
            if 0 in totals:
                raise SordinoError(
                    "a prior must give every value of every attribute a probability above 0: it has empty values",
                    found=f"value {totals.index(0)} of attribute {i}",
                    step="leave the value out of the domain",
                )
        return law

    def on(self, shape: Shape) -> "Prior":
        """Itself, once the sizes are found to be its own."""
        sizes = read_shape(shape, self.d)
        if sizes != self.shape:
            raise SordinoError(f"attributes must have the prior's {self.shape} values", found=shown(sizes))
        return self

    @property
    def d(self) -> int:
        return len(self.shape)

    @cached_property
    def table(self) -> NDArray[np.object_]:
        """The weights, shape (k,)."""
        return np.array(self.weights, dtype=object)

    @cached_property
    def totals(self) -> tuple[tuple[int, ...], ...]:
        """For each attribute the sum of the weights of each value."""
        return tuple(
            tuple(by_attribute(self.table, self.shape, i).sum(axis=1).tolist()) for i in range(len(self.shape))
        )

    def losses(self, evidence: FiniteEvidence) -> list[NDArray[np.float64]]:
        """For each attribute and value, how far the evidence favours it over the least likely other value; rounded up.

        Nothing (0) for a value that cannot cause the evidence, and for an attribute with a single value.
        """
        require_size(len(evidence.log), len(self.weights))
        found = []
        for i, size in enumerate(self.shape):
            terms = by_attribute(evidence.log, self.shape, i) + self._conditional_logs[i]
            possible = terms[np.isfinite(terms)]
            if size == 1 or not possible.size or (evidence.radius == 0 and np.ptp(evidence.log) == 0):
                # Evidence that is the same for all records tells nothing, whatever the beliefs.
                found.append(np.zeros(size))
                continue
            largest = terms.max(axis=1, keepdims=True)
            shift = np.where(np.isneginf(largest), 0.0, largest)
            with np.errstate(divide="ignore"):
                means = (np.log(np.exp(terms - shift).sum(axis=1, keepdims=True)) + shift)[:, 0]
            magnitude = float(np.abs(possible).max() + np.abs(evidence.log[np.isfinite(evidence.log)]).max())
            magnitude += math.log(terms.size) + 1
            spread = ROUNDING_ULPS * math.ulp(magnitude) + terms.shape[1] * math.ulp(1.0)
            found.append(largest_log_gaps(means, evidence.radius + spread))
        return found

    def contrasts(self, weights: NDArray[np.object_]) -> tuple[Contrast | None, ...]:
        """For each attribute the two values that one output tells apart best, of its whole weights, shape (k,)."""
        require_size(len(weights), len(self.weights))
        found: list[Contrast | None] = []
        for i, size in enumerate(self.shape):
            sums = by_attribute(self.table * weights, self.shape, i).sum(axis=1).tolist()
            means = [Fraction(part, total) for part, total in zip(sums, self.totals[i], strict=True)]
            most, least = means.index(max(means)), size - 1 - means[::-1].index(min(means))
            if size == 1 or means[most] == 0:
                found.append(None)
            else:
                ratio = means[most] * means[least].denominator
                found.append(Contrast(most, least, ratio.numerator, means[least].numerator * ratio.denominator))
        return tuple(found)

    @cached_property
    def _conditional_logs(self) -> tuple[NDArray[np.float64], ...]:
        """For each attribute ln Pr(all others | value), shape (values, records of all others)."""
        tables = []
        for i, totals in enumerate(self.totals):
            rows = by_attribute(self.table, self.shape, i).tolist()
            logs = [[log_of(weight, total) for weight in row] for row, total in zip(rows, totals, strict=True)]
            tables.append(np.array(logs))
        return tuple(tables)


def log_of(part: int, whole: int) -> float:
    """The logarithm of part / whole, to two units in the last place of it or of one; minus infinity for zero."""
    if part == 0:
        return -math.inf
    # Python divides whole numbers of any size with one rounding.
    quotient = part / whole
    return math.log(quotient) if quotient > SMALLEST_FLOAT else Nats.log(Fraction(part, whole)).floor()


def largest_log_gaps(means: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    """Each mean's log less the least other one, rounded up, never below 0; each may be off by the spread."""
    first = int(means.argmin())
    least = np.full(len(means), means[first])
    least[first] = np.delete(means, first).min()
    possible = ~np.isneginf(means)
    gap = np.subtract(means, least, out=np.zeros_like(means), where=possible)
    return np.maximum(np.where(possible, widen_gaps(gap, spread), 0.0), 0.0)
