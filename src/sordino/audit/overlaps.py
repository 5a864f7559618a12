"""What a channel from sets to sets weighs, by how many items value and code share: its values are too many to list.

Each number of shared items is read from `weight` on several pairs, spread over the items, and what all codes of a value
weigh must add up to the denominator. That other pairs that share as many items weigh the same is the mechanism's word,
as it is elsewhere that outputs of one class are alike.
"""

from collections.abc import Iterator
from itertools import islice
from math import comb, gcd
from typing import NamedTuple

from sordino.audit.classes import STEP
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.mechanism.base import Mechanism

LOOKED_AT = 16
"""Pairs of a value and a code that are looked at for each number of shared items."""


class Overlap(NamedTuple):
    """Pairs of a value and a code that share so many items.

    Attributes:
        weight: of each of them.
        value, code: of the first pair that was looked at; the code is the same for every number of shared items.
    """

    weight: int
    value: int
    code: int


def checked_overlaps(mechanism: Mechanism) -> list[Overlap]:
    """Those with each number of shared items that occurs, in their order.

    Raises:
        SordinoError: a mechanism over other sets than it says, or whose weights are no channel.
    """
    items, chosen, size = mechanism.set_sizes or (0, 0, 0)
    if (mechanism.k, mechanism.outputs) != (comb(items, chosen), comb(items, size)):
        rule = f"values and codes must be all subsets of {chosen} and of {size} of {items} items"
        raise SordinoError(rule, found=f"{mechanism.k:,} values and {mechanism.outputs:,} codes", step=STEP)
    found, total = [], 0
    for shared in range(max(0, chosen + size - items), min(chosen, size) + 1):
        pairs = [
            (_rank(order[size - shared : size - shared + chosen]), _rank(order[:size]))
            for order in islice(_orders(items), LOOKED_AT)
        ]
        weights = {mechanism.weight(value, code) for value, code in pairs}
        if len(weights) > 1 or min(weights) < 0:
            rule = "values and codes that share as many items must have one weight, which is not negative"
            raise SordinoError(rule, found=f"{shown(sorted(weights))} with {shared} shared items", step=STEP)
        own = Overlap(weights.pop(), *pairs[0])
        found.append(own)
        total += own.weight * comb(chosen, shared) * comb(items - chosen, size - shared)
    if total != mechanism.denominator:
        rule = "the weights of every value's outputs must add up to the denominator"
        raise SordinoError(rule, found=f"{shown(total)} for {shown(mechanism.denominator)}", step=STEP)
    return found


def _orders(items: int) -> Iterator[list[int]]:
    """Orders of the items: as they are, then by steps that go through all of them, from another one each time."""
    steps = [step for step in range(1, items + 1) if gcd(step, items) == 1]
    for turn in range(LOOKED_AT):
        step = steps[turn % len(steps)]
        yield [(turn + place * step) % items for place in range(items)]


def _rank(subset: list[int]) -> int:
    return sum(comb(item, place + 1) for place, item in enumerate(sorted(subset)))
