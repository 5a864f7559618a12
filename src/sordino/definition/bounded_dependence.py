"""How much a record's other attributes may tell about one of them: bounds on total variation, between 0 and 1.

`of(i, statistic)` bounds the total variation between the laws *of that statistic* given any two values of attribute i;
for one-bit answers about a number in [-1, 1], half the largest gap of its conditional means is enough. It serves a
single drawn answer, once. `of_rest(i)` bounds it for the joint law of *all other attributes*, which serves several
answers together. What is not declared is 1; of a statistic that is about attribute i alone, the number itself or its
square, nothing less can be declared. A product of i and another attribute need not tell i: its bound may be below 1.
Two places name the product of two numbers, never a pair of categories. What is known of several categories together is
apart (`of_table`): the total variation between the laws of their *combination*, counted or declared for it, never made
of the bounds for its parts. Given one of these attributes it is 1.
What is known of a category together with the sign of a number is apart as well (`of_category_sign`): a number x in [-1,
1] is rounded to a sign that is + with probability (1 + x)/2, and with p_v = Pr(category v) and m_v = E[x; category v],
both given a value of attribute i, the laws of (category, sign) differ by

    1/2 sum_v max(|p_v - p'_v|, |m_v - m'_v|)

in total variation: the two signs of v have probabilities (p_v + m_v)/2 and (p_v - m_v)/2, and |s + t| + |s - t| is 2
max(|s|, |t|). Bounds for the category and for the number make none for this: a third attribute may be whether the sign
goes with the category, and independent of each.
What is known of the order of a number's values is apart too (`of_thresholds`): how far its distribution functions
differ given two values of an attribute, at any of the thresholds between its bins. It is at most the total variation
between the laws of the bins, and no bound for a mean says anything about it.
Bounds for pairs of attributes never bound a product of two of them, nor two answers together: where x_1 = x_2 xor x_3
of fair bits, all pairs are independent, and x_2 xor x_3 tells x_1.

The bounds speak of beliefs before any report; they are the user's, or come from a sample with a stated confidence.

What a known prior over finite attributes says of one attribute from another, exactly, in fractions.

A prior is an array of probabilities with an axis for each attribute; here it becomes whole numbers, so that nothing is
rounded. Conditional laws are compared by total variation, conditional means by half their gap: for one bit whose
probability is an affine function of a number in [-1, 1], both say how far the laws of the bit can be apart.
Cost: the number of cells times the number of values of the attribute, in Python's whole numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil, lcm
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Moment
from sordino.errors import SordinoError
from sordino.exact.messages import Brief, checked, checked_class, read_rational, require_short, shown

BoundOnVariation = int | float | str | Fraction
"""A number in [0, 1]; a float is taken as its shortest decimal."""

Places: TypeAlias = tuple[int, ...]
"""Of several attributes of categories that are read together, ascending."""

CategoryAndNumber: TypeAlias = tuple[int, int]
"""The places of a category and of a number whose sign is read with it, in this order."""

FEWEST_TOGETHER, MOST_TOGETHER = 2, 8
"""Attributes of a table."""

MOST_ATTRIBUTES = 1 << 20

FINEST = 10**400
"""The largest denominator of a bound that was worked out: what has more digits could not be read again."""

Number = int | float | str | Fraction
"""A float is taken as its shortest decimal."""


@checked_class
@dataclass(frozen=True, repr=False)
class Dependence(Brief):
    """Bounds on the dependence between the d attributes of a record.

    Source: BCDP paper, Assumption 1 and (13), read per statistic.

    Attributes:
        rest: for each attribute, a bound for all other attributes together.
        statistics: for some (attribute, statistic), a bound for that statistic alone; 1 where it is about the attribute
            alone.
        tables: for some (attribute, categories together) a bound for the law of their combination; the categories by
            their places, ascending.
        thresholds: for some (attribute, number) a bound for the share of people below any one threshold between the
            bins of the number, its distribution function: on the largest difference given two values of the attribute.
        category_signs: for some (attribute, (category, number)) a bound for the law of the category together with the
            number's sign.

    Raises:
        SordinoError: bounds about other attributes, outside [0, 1] or of more than 401 digits, or below 1 for an
            attribute's own statistic, or for a table of it.

    Example:
        >>> dependence = Dependence.bounded([0.2, 1], {(0, (1,)): "0.05"})
        >>> dependence.of(0, (1,)), dependence.of_rest(0), dependence.of(1, (1,))
        (Fraction(1, 20), Fraction(1, 5), Fraction(1, 1))
    """

    rest: tuple[Fraction, ...]
    statistics: Mapping[tuple[int, Moment], Fraction] = field(default_factory=dict)
    tables: Mapping[tuple[int, Places], Fraction] = field(default_factory=dict)
    thresholds: Mapping[tuple[int, int], Fraction] = field(default_factory=dict)
    category_signs: Mapping[tuple[int, CategoryAndNumber], Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What is checked here stays: nobody else holds the table.
        object.__setattr__(self, "statistics", MappingProxyType(dict(self.statistics)))
        object.__setattr__(self, "tables", MappingProxyType(dict(self.tables)))
        object.__setattr__(self, "thresholds", MappingProxyType(dict(self.thresholds)))
        object.__setattr__(self, "category_signs", MappingProxyType(dict(self.category_signs)))
        d = len(self.rest)
        named = [
            *self.statistics,
            *self.tables,
            *self.category_signs,
            *((i, (number,)) for i, number in self.thresholds),
        ]
        wrong = [key for key in named if not (key[1] and all(0 <= place < d for place in (key[0], *key[1])))]
        if wrong:
            raise SordinoError(f"bounds must be about {d} attributes", found=shown(wrong[0]))
        told = (self.statistics, self.tables, self.category_signs, self.thresholds)
        for bound in (*self.rest, *(bound for bounds in told for bound in bounds.values())):
            if not 0 <= require_short(bound) <= 1:
                raise SordinoError("a bound on dependence must lie in [0, 1]", found=shown(str(bound)))
        for (i, statistic), bound in self.statistics.items():
            if set(statistic) == {i} and bound != 1:
                rule = "a statistic of an attribute alone reveals it, and must have the bound 1"
                raise SordinoError(rule, found=f"{bound} for statistic {statistic}", step="leave the bound out")
        for (i, places), bound in self.tables.items():
            if len(places) < FEWEST_TOGETHER or list(places) != sorted(set(places)):
                raise SordinoError("a table must be about two attributes or more, ascending", found=shown(places))
            if i in places and bound != 1:
                rule = "a table reveals each of its attributes: such a bound must be 1"
                raise SordinoError(rule, found=f"{bound} for a table of {places}", step="leave the bound out")
        _require_signs(self.category_signs)
        own = [bound for (i, number), bound in self.thresholds.items() if i == number and bound != 1]
        if own:
            rule = "thresholds of a number reveal that number: such a bound must be 1"
            raise SordinoError(rule, found=shown(str(own[0])), step="leave the bound out")

    @classmethod
    @checked
    def bounded(
        cls, rest: Sequence[BoundOnVariation], statistics: Mapping[tuple[int, Moment], BoundOnVariation] | None = None
    ) -> "Dependence":
        """From numbers: one for each attribute, and for some statistics a smaller one.

        Raises:
            SordinoError: a matrix, another thing than numbers, numbers outside [0, 1], or one below 1 for a statistic
                that is about the attribute alone.
        """
        known = {key: read_variation(bound) for key, bound in (statistics or {}).items()}
        return cls(tuple(read_variation(bound) for bound in rest), known)

    @classmethod
    @checked
    def from_prior(
        cls,
        prior: Any,
        statistics: Iterable[Moment],
        values: Sequence[Sequence[Number] | None] | None = None,
        category_signs: Iterable[CategoryAndNumber] = (),
    ) -> "Dependence":
        """Exactly, from a known prior over finite attributes; rounded up where a bound has more than 400 digits.

        The bound for a statistic of numbers is half the gap of its conditional means: it serves *one-bit* answers about
        it. Of a category it is the total variation of its law, which serves any answer. Of a statistic about the
        attribute alone it is 1, whatever the prior. Categories have no products: what is asked about two of them
        together is served by the bounds for the rest.

        Args:
            prior: an array of probabilities with an axis for each attribute.
            statistics: those that are asked; others have the bound of the rest.
            values: for each attribute the numbers in [-1, 1] that its values stand for, ascending; None for categories.
            category_signs: categories that are asked together with a number's sign, each with that number.

        Raises:
            SordinoError: probabilities that do not sum to 1, a value that nobody has, numbers outside [-1, 1], a
                product of categories, or a sign of what is no number or with what is no category.

        Example:
            >>> same = Dependence.from_prior([["3/8", "1/8"], ["1/8", "3/8"]], [(0,), (1,)])
            >>> same.of(0, (1,)), same.of(0, (0,)), same.of_rest(0)
            (Fraction(1, 2), Fraction(1, 1), Fraction(1, 2))
        """
        weights = read_prior(prior)
        numbers = read_values(values, weights.shape)
        places = range(weights.ndim)
        # Made without bounds first, so that wrong names of statistics are told in the same words everywhere.
        moments = {(0, statistic): Fraction(1) for statistic in statistics}
        signs = {(0, pair): Fraction(1) for pair in category_signs}
        known = cls((Fraction(1),) * weights.ndim, moments, category_signs=signs)
        _require_numbers(known.statistics, numbers)
        _require_kinds(known.category_signs, numbers)
        bounds = {}
        for i in places:
            for _, statistic in known.statistics:
                if set(statistic) == {i}:
                    bounds[i, statistic] = Fraction(1)
                elif numbers[statistic[0]] is None:
                    bounds[i, statistic] = largest_variation(conditional_weights(weights, i, statistic))
                else:
                    bounds[i, statistic] = largest_half_gap(weights, i, statistic, numbers)
        laws = {
            (i, pair): Fraction(1) if i in pair else largest_sign_variation(weights, i, *pair, numbers[pair[1]] or ())
            for i in places
            for _, pair in known.category_signs
        }
        rest = tuple(_short(largest_variation(conditional_weights(weights, i))) for i in places)
        signed = {key: _short(bound) for key, bound in laws.items()}
        return cls(rest, {key: _short(bound) for key, bound in bounds.items()}, category_signs=signed)

    @classmethod
    @checked
    def unknown(cls, d: int) -> "Dependence":
        """Nothing is known: every bound is 1."""
        if not 1 <= d <= MOST_ATTRIBUTES:
            raise SordinoError(f"there must be 1 to {MOST_ATTRIBUTES} attributes", found=shown(d))
        return cls((Fraction(1),) * d)

    @property
    def d(self) -> int:
        """How many attributes."""
        return len(self.rest)

    def of(self, attribute: int, statistic: Moment) -> Fraction:
        """A bound for one statistic given the attribute: 1 where it is about that too, unless declared of a product."""
        declared = self.statistics.get((attribute, statistic), Fraction(1))
        return declared if attribute in statistic else min(declared, self.rest[attribute])

    def of_table(self, attribute: int, places: Places) -> Fraction:
        """A bound for several categories together given the attribute: 1 where it is one of them."""
        declared = self.tables.get((attribute, places), Fraction(1))
        return Fraction(1) if attribute in places else min(declared, self.rest[attribute])

    def of_category_sign(self, attribute: int, pair: CategoryAndNumber) -> Fraction:
        """A bound for a category together with a number's sign given the attribute: 1 where it is one of the two."""
        declared = self.category_signs.get((attribute, pair), Fraction(1))
        return Fraction(1) if attribute in pair else min(declared, self.rest[attribute])

    def of_thresholds(self, attribute: int, number: int, pieces: int = 1) -> Fraction:
        """A bound for an answer about the bins of a number given the attribute: 1 where it is that number.

        For a channel each of whose codes has a probability that rises or falls in so many monotone pieces from bin to
        bin: with F and F' the distribution functions given two values, apart by at most q, and weights w of a code,
        the sum of w (P - P') is that of -(w(t + 1) - w(t)) (F(t) - F'(t)) over the thresholds t, so at most q times
        the variation of w, which is at most the pieces times (the largest w - the least).
        """
        declared = self.thresholds.get((attribute, number), Fraction(1))
        return Fraction(1) if attribute == number else min(pieces * declared, self.rest[attribute])

    def of_rest(self, attribute: int) -> Fraction:
        """A bound for all other attributes together."""
        return self.rest[attribute]


def read_variation(bound: BoundOnVariation) -> Fraction:
    """A bound on total variation as an exact number."""
    if isinstance(bound, Sequence) and not isinstance(bound, str):
        raise SordinoError(
            "a bound on dependence must be one number for each attribute",
            found="a matrix",
            step="bounds between pairs do not bound the rest together: give the largest total variation of all others",
        )
    try:
        value = read_rational(bound)
    except SordinoError:
        raise SordinoError("a bound on dependence must be a number in [0, 1]", found=shown(bound)) from None
    if not 0 <= value <= 1:
        raise SordinoError("a bound on dependence must lie in [0, 1]", found=shown(str(bound)))
    return value


def _require_signs(signs: Mapping[tuple[int, CategoryAndNumber], Fraction]) -> None:
    for (i, pair), bound in signs.items():
        if len(set(pair)) != len(pair) or len(pair) != FEWEST_TOGETHER:
            raise SordinoError("a category and a number must be two attributes", found=shown(pair))
        if i in pair and bound != 1:
            rule = "a category with a number's sign reveals both: such a bound must be 1"
            raise SordinoError(rule, found=f"{bound} for {pair}", step="leave the bound out")


def _require_kinds(signs: Iterable[tuple[int, CategoryAndNumber]], values: Sequence[object | None]) -> None:
    for _, (category, number) in signs:
        if values[category] is not None or values[number] is None:
            found = shown((category, number))
            step = "give the category first; and the values of the number, of no category"
            raise SordinoError("a sign must be of a number, with a category", found=found, step=step)


def _short(bound: Fraction) -> Fraction:
    return bound if bound.denominator <= FINEST else Fraction(ceil(bound * FINEST), FINEST)


def _require_numbers(bounds: Iterable[tuple[int, Moment]], values: Sequence[object | None]) -> None:
    for _, statistic in bounds:
        if len(statistic) > 1 and any(values[place] is None for place in statistic):
            step = "give the numbers that values stand for, or leave the statistic out"
            raise SordinoError("only numbers have products", found=f"statistic {statistic}", step=step)


Weights: TypeAlias = NDArray[np.object_]
"""Whole numbers of any size, in proportion to probabilities."""

OFF = Fraction(1, 10**9)
"""What a prior's sum may differ from one: probabilities written in decimals are rounded."""


def read_prior(prior: Any) -> Weights:
    """An array of probabilities, or lists in lists, as whole numbers in its proportions, an axis for each attribute."""
    try:
        array = np.array(prior, dtype=object)
        cells = [read_rational(cell) for cell in array.ravel().tolist()]
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        found = "lists of different lengths, or cells that are no numbers"
        raise SordinoError("a prior must be an array of probabilities", found=found) from None
    if array.ndim == 0 or not cells or any(cell < 0 for cell in cells):
        found = "no axis" if array.ndim == 0 else "a negative one" if cells else "none"
        raise SordinoError("a prior must be an array of probabilities", found=found)
    if abs(sum(cells, Fraction(0)) - 1) > OFF:
        step = 'give fractions, as "1/3", where decimals do not'
        raise SordinoError("a prior's probabilities must sum to 1", found=f"{float(sum(cells)):.12g}", step=step)
    shared = lcm(*(cell.denominator for cell in cells))
    weights = np.array([int(cell * shared) for cell in cells], dtype=object).reshape(array.shape)
    for attribute in range(array.ndim):
        totals = conditional_weights(weights, attribute).sum(axis=1)
        if not totals.all():
            empty = totals.tolist().index(0)
            raise SordinoError(
                "each value must have a probability above 0",
                found=f"0 for value {empty} of attribute {attribute}",
                step="take the value out, or give it a probability",
            )
    return weights


def conditional_weights(weights: Weights, attribute: int, others: Sequence[int] | None = None) -> Weights:
    """The weights of some other attributes together (all by default), a row for each value of the attribute."""
    keep = {attribute} | (set(range(weights.ndim)) if others is None else set(others))
    marginal = np.moveaxis(weights.sum(axis=tuple(set(range(weights.ndim)) - keep)), _place(attribute, keep), 0)
    rows: Weights = marginal.reshape(len(marginal), -1)
    return rows


def largest_variation(rows: Weights) -> Fraction:
    """The largest total variation between two of the laws that the rows are proportional to."""
    totals = rows.sum(axis=1)
    largest = Fraction(0)
    for a in range(len(rows)):
        for b in range(a):
            apart = np.abs(rows[a] * totals[b] - rows[b] * totals[a]).sum()
            largest = max(largest, Fraction(int(apart), 2 * int(totals[a]) * int(totals[b])))
    return largest


def largest_half_gap(
    weights: Weights, attribute: int, statistic: Moment, values: Sequence[Sequence[Fraction] | None]
) -> Fraction:
    """Half the largest gap between the means of a statistic of numbers, given two values of the attribute.

    The values are for each attribute its numbers in [-1, 1]; a statistic as of `domain.moment`.
    """
    keep = {attribute, *statistic}
    marginal = weights.sum(axis=tuple(set(range(weights.ndim)) - keep))
    product = np.full(marginal.shape, Fraction(1), dtype=object)
    for place in statistic:
        shape = [1] * marginal.ndim
        shape[_place(place, keep)] = -1
        product = product * np.array(values[place], dtype=object).reshape(shape)
    if len(statistic) == 2 and statistic[0] == statistic[1]:
        product = 2 * product - 1
    axis = _place(attribute, keep)
    rows, sums = (
        np.moveaxis(cells, axis, 0).reshape(marginal.shape[axis], -1) for cells in (marginal, marginal * product)
    )
    means = sorted(Fraction(own.sum()) / int(row.sum()) for row, own in zip(rows, sums, strict=True))
    return (means[-1] - means[0]) / 2


def largest_sign_variation(
    weights: Weights, attribute: int, category: int, number: int, values: Sequence[Fraction]
) -> Fraction:
    """The largest total variation between two laws of a category together with a number that is rounded to a sign.

    Of each category v its probability p and the mean m of the number, of these values in [-1, 1], within it tell the
    law: it differs from another one by half the sum of max(|p - p'|, |m - m'|). Neither of the two is what is given.
    """
    keep = {attribute, category, number}
    marginal = weights.sum(axis=tuple(set(range(weights.ndim)) - keep))
    cells = marginal.transpose([_place(place, keep) for place in (attribute, category, number)])
    totals = cells.sum(axis=(1, 2))[:, None] * Fraction(1)
    probabilities, means = cells.sum(axis=2) / totals, (cells * np.array(values, dtype=object)).sum(axis=2) / totals
    apart = (
        np.maximum(abs(probabilities[a] - probabilities[b]), abs(means[a] - means[b])).sum() / 2
        for a in range(len(cells))
        for b in range(a)
    )
    return max(apart, default=Fraction(0))


def read_values(
    values: Sequence[Sequence[Number] | None] | None, shape: tuple[int, ...]
) -> list[list[Fraction] | None]:
    """The numbers that an attribute's values stand for, None where they are categories."""
    if values is None:
        return [None] * len(shape)
    if len(values) != len(shape):
        raise SordinoError("values must be about each attribute", found=f"{len(values)} for {len(shape)}")
    read: list[list[Fraction] | None] = []
    for place, (own, k) in enumerate(zip(values, shape, strict=True)):
        try:
            numbers = None if own is None else [read_rational(number) for number in own]
        except (ValueError, TypeError, OverflowError, ZeroDivisionError):
            found, step = "what is none", "give a number for each value"
            raise SordinoError(f"values of attribute {place} must be numbers", found=found, step=step) from None
        if numbers is not None and (
            len(numbers) != k
            or any(abs(number) > 1 for number in numbers)
            or any(first >= second for first, second in pairwise(numbers))
        ):
            rule = f"values of attribute {place} must be {k} numbers in [-1, 1], ascending"
            raise SordinoError(rule, found=f"{len(numbers)} others", step="scale them")
        read.append(numbers)
    return read


def _place(attribute: int, keep: set[int]) -> int:
    return sorted(keep).index(attribute)
