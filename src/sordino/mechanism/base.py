"""What every mechanism offers: a channel from values to codes made of integer weights, and what its tally tells.

Sampler, certificate and estimator read the same integers. A tally is a vector of counters that add: how often each code
was sent, or where codes are too many for that, what the estimator needs of them. `forward` and `adjoint` are the
channel as a linear map from values to expected counters. An estimate of the share of x is the mean over the reports of
a function g_x(code) with E[g_x | x'] = 1{x = x'}; `decode` gives the mean of g_x and `decode_powers` those of its
powers, all linear in the counters.

What a mechanism must say itself: `outputs`, `parameters`, `denominator`, `weight` and its `draw`. All else follows
from the dense channel P, of shape (k, outputs), for few values and codes; mechanisms of many have it in closed form.
The estimate is then the linear unbiased one with the least total variance at uniform values (generalized least
squares): with law q of the codes, G = (P D^-1 P')^-1 P D^-1, D = diag(q).
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.blocks.displayed import Displayed
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, FiniteEvidence, ValueClass
from sordino.exact.source import Stream, Words
from sordino.mechanism.channel import Channel
from sordino.mechanism.draws.draw_program import Draw

if TYPE_CHECKING:
    from sordino.domain.tree import Tree

FEW = 1024
"""Values up to which what a mechanism works out may be kept."""

LEAST_SINGULAR = 1e-12
"""Relative to the largest: below this a direction of the values cannot be told from the reports."""


class Hop(NamedTuple):
    """The weights of some codes on values that are so many edges away from their own, shape (n,) each.

    Attributes:
        before: the place, in the hop before, of the neighbour towards the code's own value; ascending.
        values: different and ascending, where they have the same neighbour before them.
    """

    before: NDArray[np.intp]
    values: NDArray[np.intp]
    weights: Words


@dataclass(frozen=True, eq=False)
class Squares:
    """The mean of each g_x squared over reports of one value, shape (k,) each.

    Attributes:
        own: over reports of x.
        least, most: over reports of another value, of which there are none if k = 1.
    """

    own: NDArray[np.float64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mechanism(Channel, Displayed):
    """A channel from k values to codes.

    Attributes:
        k: values are 0..k-1.
    """

    k: int

    @property
    @abstractmethod
    def denominator(self) -> int:
        """Pr(code | value) = weight / denominator, in integers."""

    @abstractmethod
    def weight(self, value: int, code: int) -> int:
        """Pr(code | value) times the denominator, exactly."""

    @property
    def document_fields(self) -> dict[str, Any]:
        """As documents hold it: with the number of values too."""
        return {**super().document_fields, "k": self.k}

    @property
    def has_draw(self) -> bool:
        """Whether its draw is data; others only sample, and stand in no plan."""
        return type(self).draw is not Channel.draw

    @cached_property
    def program(self) -> Draw:
        """Its draw, ready to sample."""
        return Draw(self.document_fields)

    def _sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        return self.program.sample(values, stream)

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        """Different whole weights, and the place among them of each value's weight on each code, shape (n, k).

        Mechanisms of many values look at all of them at once; here weight by weight.
        """
        number: dict[int, int] = {}
        weights = (int(self.weight(value, code)) for code in codes.tolist() for value in range(self.k))
        place = np.fromiter((number.setdefault(weight, len(number)) for weight in weights), dtype=np.int32)
        return tuple(number), place.reshape(len(codes), self.k)

    def weights_on(self, codes: NDArray[np.intp]) -> Words | None:
        """All weights of some codes as words, shape (k, codes); None where they are wider, or not few at a time."""
        del codes
        return None

    def hops_from(self, tree: "Tree", codes: NDArray[np.intp]) -> Iterator[Hop] | None:
        """Some codes' weights from each one's own value to neighbours in a tree; None of any other channel.

        First all own values, then all their neighbours, and so on. What no hop lists weighs what the neighbour before
        it does.
        """
        del tree, codes
        return None

    @property
    def parts(self) -> tuple["Mechanism", ...]:
        """Of a product of channels that of each axis: their weights multiply, and the last one's codes run fastest."""
        return ()

    @property
    def set_sizes(self) -> tuple[int, int, int] | None:
        """Of a channel from sets to sets of the same items: how many items there are, in a value, and in a code.

        None of any other channel. Both are numbered by their ranks (`exact.combinatorics.subsets`), and a weight
        depends on nothing but how many items value and code share.
        """
        return None

    @property
    def weight_ends(self) -> tuple[int, int] | None:
        """The largest and the least weight on one code, of a channel whose values or codes are too many to list.

        None where `columns` shows them.
        """
        return None

    @property
    def listed_weights(self) -> int:
        """How many weights its record lists one by one, each of which a reader looks at."""
        return 0

    @property
    def flips(self) -> tuple[int, ...]:
        """The weight of each pattern of flipped bits, if the channel flips bits by a table and nothing else."""
        return ()

    def columns(self) -> Iterator[ColumnClass]:
        """All codes that can be sent, in classes; each by itself if nothing else is known."""
        for code in range(self.outputs):
            values: dict[int, list[int]] = {}
            for value in range(self.k):
                values.setdefault(self.weight(value, code), []).append(value)
            parts = (ValueClass(np.array(alike), ((weight, 1),)) for weight, alike in values.items() if weight)
            yield ColumnClass(self.k, 1, code, tuple(parts))

    def stacks(self) -> Iterator[ColumnStack]:
        """The classes of `columns`, those together that are alike but for their values."""
        return map(ColumnStack.of, self.columns())

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected counters of one report, shape (counters,), of a value with law p, shape (k,)."""
        return p @ self._matrix

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected weight of each value's counters, shape (k,), for weights of shape (counters,)."""
        return weights @ self._matrix.T

    def decode(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x, shape (..., k), of counters per report, shape (..., counters)."""
        return law @ self._contributions.T

    def decode_powers(self, law: NDArray[np.float64], power: int) -> NDArray[np.float64]:
        """The mean of each g_x to a whole power above 0, shape (..., k), of counters per report."""
        raised: NDArray[np.float64] = reduce(np.multiply, [self._contributions] * power)
        return law @ raised.T

    def decode_squares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x squared, shape (..., k), of counters per report, shape (..., counters)."""
        return self.decode_powers(law, 2)

    def known_distribution(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each code is sent, shape (outputs,), as far as reports and the channel together tell it.

        Mechanisms that draw something without looking at the value know how often that is.
        """
        return law

    def code_values(self, functional: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each code counts as, shape (outputs,), so that its mean is the value's number, shape (k,).

        Raises:
            SordinoError: reports that do not depend on the values.
        """
        return functional @ self._contributions

    def unbiased_rows(self, functionals: NDArray[np.float64]) -> NDArray[np.float64]:
        """`code_values` of each of several functionals, shape (m, outputs); all at once where a mechanism can."""
        return np.stack([self.code_values(functional) for functional in functionals])

    def second_moments(
        self, functionals: NDArray[np.float64], law: NDArray[np.float64], *, subtract_totals: bool = False
    ) -> NDArray[np.float64]:
        """The mean product of what reports add to each two linear functionals of the shares, shape (m, m).

        Args:
            functionals: of the values, shape (m, k).
            law: shape (counters,), the tally divided by the number of reports; a part of them adds its part.
            subtract_totals: whether estimates are shifted to the share of their block.

        Raises:
            SordinoError: a tally that does not tell it, or reports that do not depend on the values.
        """
        codes = self.contributions(functionals, subtract_totals=subtract_totals)
        return (codes * law) @ codes.T

    def contributions(self, functionals: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
        """What each code adds to linear functionals of the shares, shape (m, counters), as of `second_moments`.

        Raises:
            SordinoError: a tally that does not count codes, or reports that do not depend on the values.
        """
        if not self.counts_codes:
            rule = "sums and differences need to know how often each code was sent"
            raise SordinoError(rule, found="a tally of subsets by their values")
        codes, excess = self.unbiased_rows(functionals), self.excess
        if subtract_totals and excess is not None:
            totals = np.stack([self.partition.totals(functional) for functional in functionals])
            # Of one block all counters have its total.
            codes -= (totals if self.partition.m == 1 else totals[:, self.block_of_counter]) * excess
        return codes

    def square_weights(self, functionals: NDArray[np.float64], *, subtract_totals: bool = False) -> NDArray[np.float64]:
        """What each counter weighs in the mean square of what reports add to linear functionals, shape (m, counters).

        With a law of counters they give the diagonal of `second_moments`; with `adjoint` the same of each value's
        reports, which is why no law of a single value is ever looked at.
        Arguments and errors as of `second_moments`.
        """
        return self.contributions(functionals, subtract_totals=subtract_totals) ** 2

    @property
    def contribution_range(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest g_x(code) over all codes, shape (k,) each."""
        return self._contributions.min(axis=1), self._contributions.max(axis=1)

    @property
    def informative(self) -> bool:
        """Whether reports depend on the values, so that there is an unbiased estimate: P has independent rows."""
        return self._inverse_channel is not None

    @cached_property
    def squares(self) -> Squares:
        """What contributions vary by, from the dense channel; for small k."""
        means = self.decode_squares(self.forward(np.eye(self.k)))
        others = ~np.eye(self.k, dtype=np.bool_)
        least = means.min(axis=0, where=others, initial=np.inf)
        return Squares(np.diagonal(means), least, means.max(axis=0, where=others, initial=0.0))

    @property
    def partition(self) -> Partition:
        """The blocks that every report tells; one block of all values, unless the mechanism is blockwise."""
        return Partition(np.broadcast_to(np.intp(0), self.k))

    @property
    def excess(self) -> NDArray[np.float64] | None:
        """For each counter, (the sum over the block of g_x - 1) / size of the block, shape (counters,).

        None where the counters do not tell it: estimates then cannot be shifted to their block's share. The estimate of
        the dense channel leaves nothing but rounding: with u the uniform law q = P'u, so P D^-1 P'u = P D^-1 q = 1,
        and what a report adds to all shares together, G'1 = D^-1 P' (P D^-1 P')^-1 1 = D^-1 P'u, is 1.
        """
        if type(self).decode is not Mechanism.decode:
            return None
        excess: NDArray[np.float64] = (self._contributions.sum(axis=0) - 1) / self.k
        return excess

    @property
    def block_of_counter(self) -> NDArray[np.intp]:
        """The block of the partition that each counter is about, shape (counters,)."""
        return np.zeros(self.counters, dtype=np.intp)

    def block_shares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of the reports from each block of the partition, shape (m,), of counters per report."""
        total: NDArray[np.float64] = law.sum(axis=-1, keepdims=True)
        return total

    @property
    def without_cache(self) -> Self:
        """The same mechanism without what it has worked out so far, where that is large: of many values."""
        if self.k <= FEW:
            return self
        twin = object.__new__(type(self))
        for field in fields(self):
            object.__setattr__(twin, field.name, getattr(self, field.name))
        return twin

    @property
    def total_variance(self) -> float:
        """All exact variances, summed and times n, at uniform values; infinite if nothing can be learned."""
        return float(self.variance().sum()) if self.informative else np.inf

    def evidence(self, code: int) -> FiniteEvidence:
        """What one report says about each value."""
        return FiniteEvidence.of_weights((self.weight(value, code) for value in range(self.k)), self.denominator)

    def probabilities(self) -> NDArray[np.float64]:
        """The dense channel, shape (k, outputs); for small k."""
        return np.array([[self.weight(x, y) / self.denominator for y in range(self.outputs)] for x in range(self.k)])

    def variance(self, p: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The exact variance, times n, of each unbiased estimate, shape (k,), for independent people with law p.

        Uniform p by default. Source: context-aware LDP paper, (15)-(19), as corrected.
        """
        law = np.full(self.k, 1 / self.k) if p is None else np.asarray(p, dtype=np.float64)
        return self.moment(law) - law**2

    def moment(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each g_x squared, shape (k,), over the reports of values with law p, shape (k,)."""
        return self.decode_squares(self.forward(p))

    def check_values(self, values: ArrayLike) -> NDArray[np.intp]:
        """The values as indices, shape (n,).

        Raises:
            SordinoError: other than whole numbers 0..k-1 in one row (named by position, never by value).
        """
        array = np.asarray(values)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise SordinoError(
                "values must be whole numbers in one row", found=f"type {array.dtype}, {array.ndim} axes"
            )
        if array.size and (int(array.max()) >= self.k or int(array.min()) < 0):
            position = int(np.flatnonzero((array >= self.k) | (array < 0))[0])
            raise SordinoError(
                f"values must lie in 0..{self.k - 1}", found=f"a value out of range at position {position}"
            )
        return array.astype(np.intp, copy=False)

    @cached_property
    def _matrix(self) -> NDArray[np.float64]:
        """P, shape (k, outputs)."""
        return self.probabilities()

    @cached_property
    def _inverse_channel(self) -> NDArray[np.float64] | None:
        """G, shape (k, outputs); None where the rows of P are not independent."""
        law = self._matrix.mean(axis=0)
        # With rows scaled by the square root of the law, G is a pseudo-inverse, scaled back.
        scale = np.sqrt(np.where(law > 0, law, 1.0))
        left, singular, right = np.linalg.svd(self._matrix / scale, full_matrices=False)
        if len(singular) < self.k or singular[-1] < LEAST_SINGULAR * singular[0]:
            return None
        contributions: NDArray[np.float64] = (left / singular) @ right / scale
        return contributions

    @property
    def _contributions(self) -> NDArray[np.float64]:
        if self._inverse_channel is None:
            rule, step = "reports must depend on the values to be estimated from", "raise the bounds, or merge values"
            raise SordinoError(rule, found="values that answer alike, or as a mixture of others", step=step)
        return self._inverse_channel
