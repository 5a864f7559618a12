"""The weights of codes that fall off along the steps of a tree, as draws name them, in whole numbers.

A step has a factor f: over it a weight w becomes w f / 2^64, rounded up. A code's own value has what the weights of all
other codes on it leave of 2^64. Cost: k^2 products of Python's integers; `tree_response` has the same vectorized.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from sordino.exact.coin import WORD


def outward_rows(above: Sequence[int], kinds: Sequence[int], factors: Sequence[int]) -> list[list[int]]:
    """For each value the weights of all codes, of steps with factors in 1..2^64 - 1.

    `above` is the value at the other end of each value's step, of one of them, the root, itself; `kinds` which factor
    that step has, which is not read of the root.
    """
    near: list[list[tuple[int, int]]] = [[] for _ in above]
    for value, (other, kind) in enumerate(zip(above, kinds, strict=True)):
        if value != other:
            near[value].append((other, factors[kind]))
            near[other].append((value, factors[kind]))
    columns = [_column(near, code) for code in range(len(above))]
    rows = [[column[value] for column in columns] for value in range(len(above))]
    for value, row in enumerate(rows):
        row[value] = WORD - sum(row) + row[value]
    return rows


def _column(near: Sequence[Sequence[tuple[int, int]]], code: int) -> dict[int, int]:
    """The weight of a code on each value, but on its own where it begins."""
    share = 1 - sum((Fraction(factor, WORD + factor) for _, factor in near[code]), Fraction(0))
    weights, waiting = {code: min(ceil(WORD * share), WORD - 1)}, [code]
    for value in waiting:
        for other, factor in near[value]:
            if other not in weights:
                weights[other] = -(-weights[value] * factor // WORD)
                waiting.append(other)
    return weights
