"""A finite domain: k values with labels.

Inside Sordino a value is its index 0..k-1; labels live here and in files only.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked_class, shown

SHOWN = 5
"""Largest number of labels named in an error."""


@checked_class
@dataclass(frozen=True, repr=False)
class Categories(Brief):
    """The values of a categorical attribute, in a fixed order.

    Attributes:
        labels: distinct texts; or a `range` whose numbers are the labels, so that a million ids cost no memory.

    Raises:
        SordinoError: no label, or a label twice.

    Example:
        >>> Categories(["yes", "no"]).k
        2
    """

    labels: Sequence[str] | range

    def __post_init__(self) -> None:
        if isinstance(self.labels, range):
            if self.labels != range(len(self.labels)):
                raise SordinoError("numbered categories must run from 0", found=shown(self.labels))
        else:
            object.__setattr__(self, "labels", tuple(self.labels))
            repeated = sorted(label for label, times in Counter(self.labels).items() if times > 1)
            if repeated:
                raise SordinoError("each category must be named once", found=few(repeated), step="name it once")
            try:
                "".join(self.labels).encode()
            except UnicodeEncodeError:
                raise SordinoError("a category must be valid text", found="half a surrogate pair") from None
        if not self.labels:
            raise SordinoError("a domain must have at least one value", found="no labels", step="name the categories")

    @property
    def k(self) -> int:
        """The number of values."""
        return len(self.labels)

    def label(self, index: int) -> str:
        """The text of one value."""
        return str(self.labels[index])


def few(labels: Sequence[str]) -> str:
    """The first labels of a list, quoted, for an error."""
    return ", ".join(map(repr, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
