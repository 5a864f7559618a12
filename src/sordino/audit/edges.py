"""Certificates along edges, of channels that give all their weights: every one of them is read, and compared exactly.

Quotients are told apart by floats where these are further apart than their roundings, else by products of 128 bits in
whole numbers. What is checked beside the bounds: every value's weights add up to the denominator, and the weights that
are given together are those that `weight` tells one by one, all of a small channel and some of a large one.
Cost: some operations a weight and edge; where few weights differ from their neighbours', `audit.hops` reads these.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, prod

import numpy as np
from numpy.typing import NDArray

from sordino.audit.classes import STEP, can_read_all
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import require_size
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.exact.product import HALF, LOWER, full_product
from sordino.exact.source import Words
from sordino.mechanism.base import Mechanism

AT_A_TIME = 1 << 23
"""Weights that are asked for together: a mechanism may walk through all its values for each time."""

COMPARED = 1 << 18
"""Weights that are compared together: some arrays of this length are made, and stay near the processor."""

NEARLY = 1 - 1e-12
"""Quotients of floats that are closer than this are compared as whole numbers."""

SOME = 8
"""Codes of a large channel, two at least of those that are asked for together, and values of each, whose weights are
read one by one, beside each code's own neighbourhood."""


@dataclass(frozen=True)
class TightEdge:
    """Where the least is left of an edge's bound.

    Attributes:
        slack: what is left, exactly; minus infinity where the second value cannot cause the output.
        code, value, other: the output favours the value over its neighbour.
        heavy, light: their weights.
    """

    slack: Nats
    code: int
    value: int
    other: int
    heavy: int
    light: int


def tightest_edge(mechanism: Mechanism, definition: MetricLDP) -> TightEdge | None:
    """Where a channel is tightest among all edges and codes; None where there are no edges."""
    require_size(mechanism.k, definition.k)
    heaviest: dict[int, TightEdge] = {}
    totals = np.zeros((2, mechanism.k), dtype=np.uint64)
    step = max(1, AT_A_TIME // mechanism.k)
    for first in range(0, mechanism.outputs, step):
        codes = np.arange(first, min(first + step, mechanism.outputs))
        weights = _weights(mechanism, codes)
        some = max(1, COMPARED // mechanism.k)
        for at in range(0, len(codes), some):
            part = np.ascontiguousarray(weights[:, at : at + some])
            # In halves, whose sums over at most 2^32 codes stay below 2^64.
            totals[0] += (part >> HALF).sum(axis=1, dtype=np.uint64)
            totals[1] += (part & LOWER).sum(axis=1, dtype=np.uint64)
            for bound, found in _tightest_of(part, definition, codes[at : at + some]):
                known = heaviest.get(bound)
                if known is None or found.heavy * known.light > known.heavy * found.light:
                    heaviest[bound] = found
    sums = {(upper << 32) + lower for upper, lower in zip(*totals.tolist(), strict=True)}
    if sums != {mechanism.denominator}:
        raise wrong_sums()
    return min(heaviest.values(), key=lambda found: found.slack, default=None)


def wrong_sums() -> SordinoError:
    """Of weights that make no channel."""
    rule = "the weights of every value's outputs must add up to the denominator"
    return SordinoError(rule, found="a sum that differs from it", step=STEP)


def check_product(mechanism: Mechanism) -> None:
    """Refuse a product of channels whose weights are not the products of its parts', as far as these are read."""
    parts = mechanism.parts
    whole = (prod(part.k for part in parts), prod(part.outputs for part in parts), prod(p.denominator for p in parts))
    wrong = (mechanism.k, mechanism.outputs, mechanism.denominator) != whole
    read = 2 if len(parts) > 2 else 4
    for values in product(*(spread(part.k, read) for part in parts)):
        for codes in product(*(spread(part.outputs, read) for part in parts)):
            value = code = 0
            for part, own, digit in zip(parts, values, codes, strict=True):
                value, code = value * part.k + own, code * part.outputs + digit
            weights = (part.weight(own, digit) for part, own, digit in zip(parts, values, codes, strict=True))
            wrong = wrong or mechanism.weight(value, code) != prod(weights)
    if wrong:
        raise SordinoError(
            "a product's weights must be the products of its parts'", found="a weight that is not", step=STEP
        )


def _weights(mechanism: Mechanism, codes: NDArray[np.intp]) -> Words:
    """The weights of some codes, some of them beside `weight`."""
    weights = mechanism.weights_on(codes)
    if weights is None or weights.shape != (mechanism.k, len(codes)) or weights.dtype != np.uint64:
        found = "no array" if weights is None else f"an array of {weights.dtype}, shape {weights.shape}"
        raise SordinoError("weights must be given for every value and code, as words", found=found, step=STEP)
    every = can_read_all(mechanism)
    places = range(len(codes)) if every else spread(len(codes), max(2, SOME * len(codes) // mechanism.outputs))
    for place in places:
        code = int(codes[place])
        near = {min(max(code + step, 0), mechanism.k - 1) for step in (-1, 0, 1)}
        for value in range(mechanism.k) if every else {*near, *spread(mechanism.k, SOME)}:
            if mechanism.weight(value, code) != int(weights[value, place]):
                rule = "weights that are given together must be those of `weight`"
                raise SordinoError(rule, found=f"a difference at code {code}", step=STEP)
    return weights


def spread(count: int, some: int) -> list[int]:
    """Some of so many places, the first and the last among them."""
    return sorted({*np.linspace(0, count - 1, some).astype(int).tolist()})


def _tightest_of(weights: Words, definition: MetricLDP, codes: NDArray[np.intp]) -> list[tuple[int, TightEdge]]:
    """Of each bound the edge and the code with the largest quotient of weights."""
    first, second, place = definition.edges
    heavy = np.maximum(weights[first], weights[second])
    light = np.minimum(weights[first], weights[second])
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = heavy.astype(np.float64) / light
    # A code that neither value sends favours none: it is not among the tightest, where no other would exceed it.
    quotient[heavy == 0] = 0.0
    largest = np.zeros(len(definition.bounds))
    np.maximum.at(largest, place, quotient.max(axis=1, initial=1.0))
    edges, at = np.nonzero(quotient >= (largest * NEARLY)[place][:, None])
    order = np.argsort(place[edges], kind="stable")
    edges, at = edges[order], at[order]
    if not len(edges):
        return []
    kinds, starts = np.unique(place[edges], return_index=True)
    found = []
    for kind, own, codes_at in zip(kinds.tolist(), np.split(edges, starts[1:]), np.split(at, starts[1:]), strict=True):
        chosen = largest_place(heavy[own, codes_at], light[own, codes_at])
        edge, code = int(own[chosen]), int(codes_at[chosen])
        ends = (int(first[edge]), int(second[edge]))
        value, other = ends if weights[ends[0], code] >= weights[ends[1], code] else ends[::-1]
        most, least = int(weights[value, code]), int(weights[other, code])
        slack = definition.bounds[kind] + Nats.log(Fraction(least, most))
        found.append((kind, TightEdge(slack, int(codes[code]), value, other, most, least)))
    return found


def largest_place(heavy: Words, light: Words) -> int:
    """Where the largest quotient is, exactly; by zero it is larger than any other."""
    best = int(np.argmax(light == 0))
    if light[best] == 0:
        return best
    best = 0
    while True:
        # Those above the best so far, by products of 128 bits; of them the one that is furthest above.
        upper, lower = full_product(heavy, light[best])
        other_upper, other_lower = full_product(light, heavy[best])
        above = (upper > other_upper) | ((upper == other_upper) & (lower > other_lower))
        if not above.any():
            return best
        borrow = (lower < other_lower).astype(np.uint64)
        gap = (upper - other_upper - borrow).astype(np.float64) * 2.0**64 + (lower - other_lower)
        best = int(np.argmax(np.where(above, gap / light, -inf)))
