"""Values that bounds treat alike: two are of one class where exchanging them changes no bound.

Shapes: a class's bounds (b, b) for b classes: between two of its members on the diagonal, None where there is none.
"""

from dataclasses import dataclass

import numpy as np

from sordino.definition.high_low import HighLowLDP
from sordino.design.integer_channel import BoundRows
from sordino.exact.nats import Nats


@dataclass(frozen=True)
class ValueClasses:
    """Classes of values and the bounds between them.

    Attributes:
        sizes: how many values each class has.
        bounds: row by row; on the diagonal those between two values of the class, not read for a class of one.
    """

    sizes: tuple[int, ...]
    bounds: tuple[tuple[Nats | None, ...], ...]

    @property
    def k(self) -> int:
        """Values in all."""
        return sum(self.sizes)

    def is_free(self, number: int) -> bool:
        """Whether nothing bounds how likely a column is for a value of this class."""
        row = list(self.bounds[number])
        if self.sizes[number] == 1:
            del row[number]
        return all(bound is None for bound in row)

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """For each class its rows in `representative_bounds`: two of a class of several values, one of a free one."""
        found, following = [], 0
        for number, size in enumerate(self.sizes):
            count = 1 if size == 1 or self.is_free(number) else 2
            found.append(tuple(range(following, following + count)))
            following += count
        return tuple(found)

    @property
    def representative_bounds(self) -> BoundRows:
        """Bounds between values that stand for their classes."""
        numbers = [number for number, rows in enumerate(self.rows) for _ in rows]
        return [[self.bounds[x][other] for other in numbers] for x in numbers]


def classes_of(bounds: BoundRows) -> ValueClasses:
    """The classes of values between which there are bounds."""
    k = len(bounds)
    known: dict[Nats | None, int] = {}
    names = np.array([[known.setdefault(bound, len(known)) for bound in row] for row in bounds])
    members: list[list[int]] = []
    for x in range(k):
        for others in members:
            if _are_exchangeable(names, others[0], x):
                others.append(x)
                break
        else:
            members.append([x])
    first = [others[0] for others in members]
    rows = tuple(
        tuple(bounds[x][others[1] if x == others[0] and len(others) > 1 else others[0]] for others in members)
        for x in first
    )
    return ValueClasses(tuple(len(others) for others in members), rows)


def sensitive_classes(definition: HighLowLDP) -> ValueClasses:
    """Sensitive values and the others."""
    sensitive = len(definition.sensitive)
    return ValueClasses((sensitive, definition.k - sensitive), ((definition.epsilon, definition.epsilon), (None, None)))


def _are_exchangeable(names: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]", x: int, other: int) -> bool:
    """Whether exchanging two values changes no bound."""
    others = np.delete(np.arange(len(names)), [x, other])
    towards = (names[x, others] == names[other, others]).all() and (names[others, x] == names[others, other]).all()
    return bool(towards and names[x, other] == names[other, x])
