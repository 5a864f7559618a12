"""A bound on dependence, exactly: what an output says about one attribute to the worst beliefs within the bound.

Nothing is known of the prior but that the distribution of all other attributes together differs by at most q_i in total
variation between two values of attribute i. The worst such prior puts 1 - q on one record u of the others, and q where
the output is likeliest under the one hypothesis and least likely under the other:

    delta_i = max over a != b and u of ln [((1-q) F(a,u) + q max_w F(a,w)) / ((1-q) F(b,u) + q min_w F(b,w))]

with F(x) the probability of the output. It is attained, and closed under post-processing.
Source: BCDP paper, (13) and Proposition 4, whose bound this replaces.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounded_dependence import Dependence, read_variation
from sordino.definition.pairwise import require_size
from sordino.definition.prior import log_of
from sordino.definition.product import Contrast, Shape, by_attribute, least_other, read_shape, required_shape, steepest
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence

ROUNDING_ULPS = 24
"""Units in the last place that cover the roundings of a logarithm of a sum of two: those of its weights and terms, the
exponential and the logarithm (within 4 each), and the last difference."""


@dataclass(frozen=True)
class Rest:
    """All priors with bounded dependence between each attribute and the rest together.

    Attributes:
        bounds: one for each attribute, in [0, 1].
        shape: how many values each attribute has; None until `on` tells it.

    Example:
        >>> Rest.of("0.1", 2).bounds
        (Fraction(1, 10), Fraction(1, 10))
    """

    bounds: tuple[Fraction, ...]
    shape: tuple[int, ...] | None = None

    @classmethod
    def of(cls, rest: Any, d: int) -> "Rest":
        """Read one number for all of d attributes, or one for each."""
        if isinstance(rest, Rest):
            bounds = rest.bounds
        elif isinstance(rest, Dependence):
            bounds = rest.rest
        else:
            plain = _plain(rest)
            row = [_plain(one) for one in plain] if isinstance(plain, list | tuple) else [plain] * d
            bounds = tuple(map(read_variation, row))
        if len(bounds) != d:
            rule = f"there must be one bound on the rest for each of {d} attributes, or one for all"
            raise SordinoError(rule, found=str(len(bounds)))
        return cls(bounds)

    def on(self, shape: Shape) -> "Rest":
        """The same about records with so many values of each attribute."""
        return replace(self, shape=read_shape(shape, self.d))

    @property
    def d(self) -> int:
        return len(self.bounds)

    def losses(self, evidence: FiniteEvidence) -> list[NDArray[np.float64]]:
        """For each attribute and value, how far the evidence can favour it over another value; rounded up.

        Nothing (0) for a value that cannot cause the evidence, and for an attribute with a single value.
        """
        shape = required_shape(self.shape)
        require_size(len(evidence.log), math.prod(shape))
        finite = evidence.log[np.isfinite(evidence.log)]
        found = []
        for i, (size, q) in enumerate(zip(shape, self.bounds, strict=True)):
            if size == 1 or not finite.size or (evidence.radius == 0 and np.ptp(evidence.log) == 0):
                # Evidence that is the same for all records tells nothing, whatever the beliefs.
                found.append(np.zeros(size))
                continue
            table = by_attribute(evidence.log, shape, i)
            kept, moved = log_of(q.denominator - q.numerator, q.denominator), log_of(q.numerator, q.denominator)
            heavy = np.logaddexp(table + kept, table.max(axis=1, keepdims=True) + moved)
            light = np.logaddexp(table + kept, table.min(axis=1, keepdims=True) + moved)
            least = np.take_along_axis(light, least_other(light), axis=0)
            possible = ~np.isneginf(heavy)
            gap = np.subtract(heavy, least, out=np.full_like(heavy, -np.inf), where=possible).max(axis=1)
            magnitude = float(np.abs(finite).max()) + sum(-log for log in (kept, moved) if math.isfinite(log)) + 1
            spread = evidence.radius + ROUNDING_ULPS * math.ulp(magnitude)
            found.append(np.maximum(np.nextafter(gap + 2 * spread, math.inf), 0.0))
        return found

    def contrasts(self, weights: NDArray[np.object_]) -> tuple[Contrast | None, ...]:
        """For each attribute the two values that one output can tell apart best, of its whole weights, shape (k,)."""
        shape = required_shape(self.shape)
        require_size(len(weights), math.prod(shape))
        found: list[Contrast | None] = []
        for i, (size, q) in enumerate(zip(shape, self.bounds, strict=True)):
            table = by_attribute(weights, shape, i)
            kept = table * (q.denominator - q.numerator)
            heavy = kept + q.numerator * table.max(axis=1, keepdims=True)
            light = kept + q.numerator * table.min(axis=1, keepdims=True)
            least = least_other(light) if size > 1 else None
            place = None if least is None else steepest(heavy, np.take_along_axis(light, least, axis=0))
            if least is None or place is None:
                found.append(None)
            else:
                other = int(least[place])
                found.append(Contrast(place[0], other, heavy[place], light[other, place[1]]))
        return tuple(found)


def _plain(number: Any) -> Any:
    return number.tolist() if isinstance(number, np.ndarray | np.generic) else number
