"""How much likelier reports are under one hypothesis than under another, exactly."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sordino.definition.pairwise import LDP
from sordino.exact.arrays import Floats
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

Ratio: TypeAlias = Fraction | None
"""How much likelier reports are under one hypothesis than under another; None where the other excludes them."""


def epsilon_ratio(mechanism: Mechanism) -> Ratio:
    """e^epsilon of the least epsilon that a mechanism satisfies under LDP, exactly."""
    most: Ratio = Fraction(1)
    anything = LDP(0)
    for stack in mechanism.stacks():
        for column in anything.distinct(stack):
            for extreme in anything.extremes(column):
                most = larger(most, ratio_of(extreme.heavy, extreme.light))
    return most


def larger(first: Ratio, second: Ratio) -> Ratio:
    """The larger of two; None is infinite."""
    return None if first is None or second is None else max(first, second)


def level_above(ratios: Sequence[Ratio]) -> Floats:
    """Logarithms in nats, rounded up."""
    above = {ratio: math.inf if ratio is None else Nats.log(ratio).ceil() for ratio in set(ratios)}
    return np.array([above[ratio] for ratio in ratios])


def ratio_of(heavy: int, light: int) -> Ratio:
    """Of two weights; 1 where the first is 0, which favours nothing."""
    if not heavy:
        return Fraction(1)
    return Fraction(heavy, light) if light else None
