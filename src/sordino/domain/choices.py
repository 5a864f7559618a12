"""Answers of which several apply: of some named categories a person names none, one or more, up to so many.

A value is a whole number with a bit for each category that applies, 0 for none of them; the highest bit alone where the
question was not asked. What is estimated is of *marks*: each category, "none of them", and "not asked" where that can
be. Combinations are numbered by how many categories they have, then as subsets are ranked: by their largest category,
then their next (the combinatorial number system).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.errors import SordinoError
from sordino.exact.combinatorics.subsets import members
from sordino.exact.messages import Brief, checked_class, shown

MOST_CATEGORIES = 60
"""Of which several apply: their bits are those of a whole number."""

NONE = "none of them"
"""What it is called that no category applies."""

SEPARATOR = ";"
"""Between the categories of a text."""

LARGEST = 1 << 12
"""Largest number of combinations that are listed."""


@checked_class
@dataclass(frozen=True, repr=False)
class Choices(Brief):
    """The values of an attribute of which several categories may apply to one person.

    Attributes:
        labels: of the categories: distinct texts without a semicolon, and without blanks at their ends.
        most: how many apply to one person, at most.
        none: what it is called that none of them applies.
        not_asked: what it is called that the question was not asked; None where it always is.

    Raises:
        SordinoError: other labels, too many, or no such number.

    Example:
        >>> symptoms = Choices(("cough", "fever", "pain"), 2)
        >>> symptoms.k, symptoms.value_of(["pain", "cough"]), symptoms.label(5), symptoms.label(0)
        (7, 5, 'cough; pain', 'none of them')
    """

    labels: tuple[str, ...]
    most: int
    none: str = NONE
    not_asked: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        if not 2 <= len(self.labels) <= MOST_CATEGORIES:
            rule = f"there must be 2 to {MOST_CATEGORIES} categories of which several apply"
            raise SordinoError(rule, found=str(len(self.labels)), step="name others, or merge some")
        unfit = [mark for mark in self.marks if not mark or mark != mark.strip(" ") or SEPARATOR in mark]
        if unfit:
            rule = "a category of which several apply must have no semicolon, and no blank at its ends"
            raise SordinoError(rule, found=shown(unfit[0]), step="name it without, since a text lists them so")
        if len(set(self.marks)) < len(self.marks):
            again = next(mark for i, mark in enumerate(self.marks) if mark in self.marks[:i])
            raise SordinoError("each category must be named once", found=shown(again), step="name it once")
        if type(self.most) is not int or not 1 <= self.most <= len(self.labels):
            rule = f"several must be 1 to {len(self.labels)}, how many categories apply to one person at most"
            raise SordinoError(rule, found=shown(self.most), step="write several = 3")

    @property
    def marks(self) -> tuple[str, ...]:
        """What shares are of: the categories, none of them, and that it was not asked."""
        return (*self.labels, self.none, *(() if self.not_asked is None else (self.not_asked,)))

    @property
    def unasked_value(self) -> int:
        """The value of who was not asked; no value where everybody is."""
        return -1 if self.not_asked is None else 1 << len(self.labels)

    @property
    def k(self) -> int:
        """How many combinations there are, "not asked" among them."""
        return sum(comb(len(self.labels), j) for j in range(self.most + 1)) + (self.not_asked is not None)

    @cached_property
    def without_names(self) -> "Choices":
        """The same with numbers for names: equal where only names differ."""
        names = tuple(map(str, range(len(self.labels) + 2)))
        return Choices(names[:-2], self.most, names[-2], None if self.not_asked is None else names[-1])

    @property
    def is_listed(self) -> bool:
        """Whether there are few enough combinations to list them."""
        return self.k <= LARGEST

    @cached_property
    def values(self) -> NDArray[np.int64]:
        """All values in the order of their numbers, shape (k,); "not asked" last.

        Raises:
            SordinoError: too many.
        """
        if not self.is_listed:
            rule = f"there must be at most {LARGEST:,} combinations to list them"
            raise SordinoError(rule, found=f"{self.k:,}", step="lower `several`, or name fewer categories")
        sets = [
            sorted(combinations(range(len(self.labels)), j), key=lambda one: one[::-1]) for j in range(self.most + 1)
        ]
        own = [sum(1 << place for place in one) for size in sets for one in size]
        return np.array(own + ([] if self.not_asked is None else [self.unasked_value]), dtype=np.int64)

    def numbers(self, values: ArrayLike) -> NDArray[np.intp]:
        """The number of each combination, shape (n,)."""
        masks = np.asarray(values, dtype=np.int64)
        count, rank = np.zeros(masks.shape, dtype=np.intp), np.zeros(masks.shape, dtype=np.intp)
        for place in range(len(self.labels)):
            has = (masks >> place & 1).astype(np.bool_)
            ranks = np.array([comb(place, size + 1) for size in range(self.most + 1)], dtype=np.intp)
            rank += np.where(has, ranks.take(count, mode="clip"), 0)
            count += has
        firsts = np.cumsum([0, *(comb(len(self.labels), size) for size in range(self.most))])
        return np.where(masks == self.unasked_value, self.k - 1, firsts.take(count, mode="clip") + rank)

    @property
    def items(self) -> int:
        """How many items sets have that are filled up: the categories, `most` dummies, and that it was not asked."""
        return len(self.marks) - 1 + self.most

    def set_numbers(self, values: ArrayLike) -> NDArray[np.intp]:
        """The rank of each value as a set of `most` items, shape (n,), filled up with dummies from the first one on.

        Whom no category applies to has all dummies, and nobody else has the last one. Who was not asked has the item
        of that.
        """
        masks, labels = np.asarray(values, dtype=np.int64), len(self.labels)
        sets = [(masks >> place & 1).astype(np.bool_) for place in range(labels)]
        left = self.most - np.sum(sets, axis=0)
        unasked = masks == self.unasked_value
        sets += [place < left - unasked for place in range(self.most)]
        sets += [] if self.not_asked is None else [unasked]
        count, rank = np.zeros(masks.shape, dtype=np.intp), np.zeros(masks.shape, dtype=np.intp)
        for place, has in enumerate(sets):
            count += has
            rank += has * np.array([comb(place, size) for size in range(self.most + 1)], dtype=np.intp)[count]
        return rank

    def marks_of_sets(self, numbers: NDArray[np.intp]) -> NDArray[np.float64]:
        """The share of each mark among people with these `set_numbers`, shape (marks,)."""
        sets = members(numbers.view(np.uint64), self.items, self.most)
        return np.bincount(sets.ravel(), minlength=self.items)[self.item_of_marks] / len(numbers)

    def has_at_least(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Whether at least 2, 3, ... `most` categories apply, shape (n, most - 1)."""
        masks = np.asarray(values, dtype=np.int64)
        counts = np.bitwise_count(masks & ((1 << len(self.labels)) - 1))
        found: NDArray[np.bool_] = counts[:, np.newaxis] >= np.arange(2, self.most + 1)
        return found

    @property
    def items_at_most(self) -> NDArray[np.intp]:
        """The dummy that a set lacks if at least 2, 3, ... `most` categories apply, and has otherwise."""
        return len(self.labels) + self.most - np.arange(2, self.most + 1)

    @property
    def item_of_marks(self) -> NDArray[np.intp]:
        """The item of each mark, shape (marks,): for none of them the last dummy."""
        labels = len(self.labels)
        last = [labels + self.most - 1, *([] if self.not_asked is None else [labels + self.most])]
        return np.array([*range(labels), *last])

    def applies(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Which marks each value has, shape (n, marks)."""
        masks = np.asarray(values, dtype=np.int64)[:, np.newaxis]
        none = [masks == 0, *([] if self.not_asked is None else [masks == self.unasked_value])]
        return np.concatenate([(masks >> np.arange(len(self.labels)) & 1).astype(np.bool_), *none], axis=1)

    def value_of(self, names: Sequence[object]) -> int:
        """The value of some categories, in whatever order; -1 where they are none, too many, or one of them twice."""
        places = [self.labels.index(name) if name in self.labels else -1 for name in names]
        if len(set(places)) < len(places) or -1 in places or len(places) > self.most:
            return -1
        return sum(1 << place for place in places)

    def label(self, value: int) -> str:
        """The text of one value."""
        if value == self.unasked_value:
            return self.not_asked or ""
        names = [label for place, label in enumerate(self.labels) if value >> place & 1]
        return f"{SEPARATOR} ".join(names) or self.none


@dataclass(frozen=True)
class ItemSets:
    """Sets of `most` items by their ranks, of categories, dummies and that it was not asked: what a device draws from.

    Nobody reads most of them: dummies fill a set from the first one on.

    Example:
        >>> sets = ItemSets(Choices(("cough", "fever", "pain"), 2))
        >>> sets.k, sets.label(0), sets.label(9)
        (10, 'cough; fever', 'blank 1; blank 2')
    """

    choices: Choices

    @property
    def k(self) -> int:
        return comb(self.choices.items, self.choices.most)

    def label(self, value: int) -> str:
        """The items of one set."""
        choices = self.choices
        names = [*choices.labels, *(f"blank {place + 1}" for place in range(choices.most)), choices.not_asked or ""]
        (own,) = members(np.array([value], dtype=np.uint64), choices.items, choices.most).tolist()
        return f"{SEPARATOR} ".join(names[item] for item in own)
