"""High-low LDP: some values are sensitive, the others are not.

No output favours a sensitive value over any other value by more than epsilon; nothing else is bounded. So a report
never shows that somebody *has* a sensitive value, but it may show that somebody has not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounds import read_epsilon
from sordino.definition.pairwise import (
    CertificateBasis,
    Extreme,
    Part,
    largest_ratio,
    loss_over,
    require_size,
    slack_below,
    weight_range,
)
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, FiniteEvidence
from sordino.exact.messages import Brief, checked_class, shown
from sordino.exact.nats import Nats, NatsLike


def read_sensitive(k: int, sensitive: ArrayLike) -> NDArray[np.intp]:
    """The indices of the sensitive values, ascending."""
    values = np.asarray(sensitive)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise SordinoError("sensitive values must be a list of indices", found=f"type {values.dtype}")
    if values.size and (int(values.min()) < 0 or int(values.max()) >= k):
        wrong = next(value for value in values.tolist() if not 0 <= value < k)
        raise SordinoError(f"sensitive values must lie in the domain, 0..{shown(k - 1)}", found=shown(wrong))
    distinct = np.sort(values).astype(np.intp)
    if (distinct[1:] == distinct[:-1]).any():
        raise SordinoError("sensitive values must be named once", found="one repeated")
    if not 0 < len(distinct) < k:
        found = "none of them" if not len(distinct) else f"all {k}"
        step = "leave the protection out to protect all values alike" if len(distinct) else "name those to protect"
        raise SordinoError("some of the values must be sensitive, and not all", found=found, step=step)
    distinct.setflags(write=False)
    return distinct


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class HighLowLDP(Brief):
    """High-low LDP (HLLDP): no output favours a sensitive value over any other value by more than epsilon.

    Source: context-aware LDP paper, Definition 3.

    Attributes:
        k: the number of values.
        sensitive: shape (s,), the indices of the sensitive values, ascending.
        epsilon: the bound of a sensitive value over any other.

    Example:
        >>> HighLowLDP(6, [0, 3], "1").sensitive
        array([0, 3])
    """

    certificate_basis: ClassVar[CertificateBasis] = "classes"

    k: int
    sensitive: NDArray[np.intp]
    epsilon: Nats

    def __init__(self, k: int, sensitive: ArrayLike, epsilon: NatsLike) -> None:
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "sensitive", read_sensitive(k, sensitive))
        object.__setattr__(self, "epsilon", read_epsilon(epsilon))

    @cached_property
    def is_sensitive(self) -> NDArray[np.bool_]:
        """Shape (k,)."""
        marked = np.zeros(self.k, dtype=np.bool_)
        marked[self.sensitive] = True
        return marked

    def bound(self, value: int, other: int) -> Nats | None:  # noqa: ARG002 - over any other
        return self.epsilon if self.is_sensitive[value] else None

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """For each sensitive value, how far the evidence favours it over the least likely value; rounded up; else 0."""
        require_size(len(evidence.log), self.k)
        return np.where(self.is_sensitive, loss_over(evidence, np.min(evidence.log), alone=False), 0.0)

    def slack(self, evidence: FiniteEvidence) -> float:
        return slack_below(self.epsilon, self.loss(evidence))

    def extremes(self, column: ColumnClass) -> Iterator[Extreme]:
        """One pair: the largest ratio of a sensitive value's weight to another value's."""
        require_size(column.k, self.k)
        parts: list[Part] = []
        for part in column.parts:
            heavy, light = weight_range(part)
            marked = int(self.is_sensitive[part.values].sum())
            if marked:
                parts.append((marked, heavy, light))
            if marked < len(part.values):
                parts.append((len(part.values) - marked, None, light))
        ratio = largest_ratio(parts, self.k)
        if ratio is not None:
            yield Extreme(*ratio, self.epsilon, self.sensitive)

    def distinct(self, stack: ColumnStack) -> Iterator[ColumnClass]:
        """One for each way that sensitive values are shared by the parts."""
        require_size(stack.k, self.k)
        marked = [np.count_nonzero(self.is_sensitive[part.values], axis=1) for part in stack.parts]
        places = np.unique(marked, axis=1, return_index=True)[1].tolist() if marked else [0]
        return (stack[place] for place in places)

    def __add__(self, other: "HighLowLDP") -> "HighLowLDP":
        """What two reports about the same value keep together: the bounds add."""
        if self.k != other.k or not np.array_equal(self.sensitive, other.sensitive):
            found = f"{len(self.sensitive)} of {self.k} values and {len(other.sensitive)} of {other.k}"
            step = "give both the same sensitive values"
            raise SordinoError("bounds add over the same sensitive values", found=found, step=step)
        return HighLowLDP(self.k, self.sensitive, self.epsilon + other.epsilon)
