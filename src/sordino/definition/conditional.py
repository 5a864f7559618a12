"""What a known prior over finite attributes says of one attribute from another, exactly, in fractions.

A prior is an array of probabilities with an axis for each attribute; here it becomes whole numbers, so that nothing is
rounded. Conditional laws are compared by total variation, conditional means by half their gap: for one bit whose
probability is an affine function of a number in [-1, 1], both say how far the laws of the bit can be apart.
Cost: the number of cells times the number of values of the attribute, in Python's whole numbers.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.moment import Moment
from sordino.errors import SordinoError
from sordino.exact.messages.written import read_rational

Weights: TypeAlias = NDArray[np.object_]
"""Whole numbers of any size, in proportion to probabilities."""

Number = int | float | str | Fraction
"""A float is taken as its shortest decimal."""

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
                "each value must have a probability above 0: nothing follows from one that nobody has",
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
