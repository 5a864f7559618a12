"""Exact certificates: whether a mechanism satisfies a definition, by how much, and where it is tightest.

Sees only the `Mechanism` interface: author and checker share no formulas. Every verdict is a comparison of integers
with an exact amount of loss. Cost: one pass over the column classes, at any k.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.definition.pairwise import Extreme, PairwiseDefinition, largest_ratio, weight_range
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

MOST_CODES, LOOKED_AT = 1 << 10, 1 << 5
"""Outputs, and values on each, that are looked at to show a pair which the representative output does not."""


@dataclass(frozen=True)
class Witness:
    """Where a certificate is tightest.

    Attributes:
        code: an output; None where it is one of too many to find it.
        value, other: a protected pair; the output favours `value` over `other` by `loss`.
        loss: exact; None where `other` cannot cause the output, an infinite loss.
    """

    code: int | None
    value: int
    other: int
    loss: Nats | None


@dataclass(frozen=True)
class Certificate:
    """The verdict on a mechanism under a definition.

    Attributes:
        holds: whether no output of the mechanism can break the definition.
        slack: the exact amount that is left of the bound where least is left; negative iff it does not hold.
        witness: where that is; None where no two values are protected from each other.

    Example:
        >>> from sordino import LDP, RandomizedResponse
        >>> certify(RandomizedResponse(4, "1"), LDP("1")).holds
        True
    """

    holds: bool
    slack: Nats
    witness: Witness | None


def certify(mechanism: Mechanism, definition: PairwiseDefinition) -> Certificate:
    """Check every output of a mechanism against a definition, exactly.

    Raises:
        SordinoError: the mechanism's outputs do not add up to a channel, so that no verdict is possible; or the
        definition
            is about another number of values.
    """
    totals = np.zeros(mechanism.k, dtype=object)
    tightest: dict[Nats, tuple[ColumnClass, Extreme]] = {}
    for column in mechanism.columns():
        _check_column(column, mechanism.k)
        for part in column.parts:
            totals[part.values] += sum(weight * outputs for weight, outputs in part.weights)
        for extreme in definition.extremes(column):
            known = tightest.get(extreme.bound)
            if known is None or extreme.heavy * known[1].light > extreme.light * known[1].heavy:
                tightest[extreme.bound] = column, extreme
    wrong = np.flatnonzero(totals != mechanism.denominator)
    if wrong.size:
        raise SordinoError(
            "the weights of every value's outputs must add up to the denominator",
            found=f"{wrong.size} values whose weights do not",
            step="the mechanism's columns() leaves out or repeats outputs; do not use it",
        )
    if not tightest:
        return Certificate(holds=True, slack=definition.epsilon, witness=None)
    slack, column, extreme = min(
        ((_slack(extreme), column, extreme) for column, extreme in tightest.values()), key=lambda found: found[0]
    )
    return Certificate(slack.sign() >= 0, slack, _witness(mechanism, column, extreme))


def _slack(extreme: Extreme) -> Nats:
    """What the ratio leaves of its bound.

    An output that one protected value can cause and another cannot breaks every finite bound: minus infinity.
    """
    if extreme.light == 0:
        return Nats.log(0)
    return extreme.bound + Nats.log(Fraction(extreme.light, extreme.heavy))


def _check_column(column: ColumnClass, k: int) -> None:
    if column.k != k:
        raise SordinoError(f"columns must be about the mechanism's {k} values", found=str(column.k))
    values = np.concatenate([part.values for part in column.parts]) if column.parts else np.empty(0)
    if len(values) > 1 and len(np.unique(values)) < len(values):
        # A value listed twice would count as two, and hide one that cannot cause the output.
        raise SordinoError("each class of outputs must list a value once", found="one listed twice")
    for part in column.parts:
        if sum(outputs for _, outputs in part.weights) != column.count or min(part.weights)[0] < 0:
            raise SordinoError("each class of values must have a weight >= 0 on each of the class's outputs")


def _witness(mechanism: Mechanism, column: ColumnClass, extreme: Extreme) -> Witness:
    """A pair with the extreme's ratio, on the class's representative output where it shows there."""
    _check_representative(mechanism, column)
    heavies, lights = (_telling_among(column, values) for values in (extreme.heavies, extreme.lights))
    loss = Nats.log(Fraction(extreme.heavy, extreme.light)) if extreme.light else None
    pair = _pair_on(mechanism, column.code, extreme, heavies, lights)
    if pair is not None:
        return Witness(column.code, *pair, loss)
    # The class shows its ratio on the representative, but between values that are not protected from each other.
    few = heavies[:LOOKED_AT], lights[:LOOKED_AT]
    for code in range(min(mechanism.outputs, MOST_CODES)):
        pair = _pair_on(mechanism, code, extreme, *few)
        if pair is not None:
            return Witness(code, *pair, loss)
    if extreme.pairs is not None:
        return Witness(None, int(extreme.pairs[0][0]), int(extreme.pairs[1][0]), loss)
    value = heavies[0]
    return Witness(None, value, next(other for other in [*lights, *range(mechanism.k)] if other != value), loss)


def _check_representative(mechanism: Mechanism, column: ColumnClass) -> None:
    """The class's weights, and its largest ratio of any two values, must be the channel's own on its representative."""
    claimed = largest_ratio([(len(part.values), *weight_range(part)) for part in column.parts], column.k)
    allowed = [({weight for weight, _ in part.weights}, part.values) for part in column.parts]
    absent = np.setdiff1d(np.arange(column.k), np.concatenate([values for _, values in allowed]))
    weights = []
    for amounts, values in [*allowed, ({0}, absent)]:
        own = [mechanism.weight(value, column.code) for value in _telling(values, len(amounts)).tolist()]
        weights += own if amounts.issuperset(own) else [-1]
    heavy, light = max(weights), min(weights)
    if claimed is None or light < 0 or heavy * claimed[1] != light * claimed[0]:
        raise SordinoError(
            "a column class must attain its largest ratio on its representative output",
            found=f"other weights on code {column.code}",
            step="the mechanism's columns() does not tell the truth; do not use it",
        )


def _telling(values: NDArray[np.intp], weights: int) -> NDArray[np.intp]:
    """The values whose weights on an output are looked at: of those with one weight only, two."""
    return values[:2] if weights == 1 else values


def _telling_among(column: ColumnClass, among: NDArray[np.intp] | None) -> list[int]:
    """The same of all values, or of some."""
    wanted, seen = np.full(column.k, among is None), np.zeros(column.k, dtype=np.bool_)
    wanted[[] if among is None else among] = True
    chosen: list[int] = []
    for part in column.parts:
        seen[part.values] = True
        chosen += _telling(part.values[wanted[part.values]], len(part.weights)).tolist()
    chosen += np.flatnonzero(wanted & ~seen)[:2].tolist()
    return chosen


def _pair_on(
    mechanism: Mechanism, code: int, extreme: Extreme, heavies: list[int], lights: list[int]
) -> tuple[int, int] | None:
    """A protected pair with the extreme's bound that has its ratio on a code; None where there is none."""
    weights = {value: mechanism.weight(value, code) for value in {*heavies, *lights}}
    pairs: Iterable[tuple[int, int]]
    if extreme.pairs is None:
        value = max(heavies, key=weights.__getitem__)
        pairs = [(value, min((other for other in lights if other != value), key=weights.__getitem__, default=value))]
    else:
        pairs = zip(*(side.tolist() for side in extreme.pairs), strict=True)
    for value, other in pairs:
        heavy, light = weights.get(value, 0), weights.get(other)
        if value != other and heavy and light is not None and heavy * extreme.light == light * extreme.heavy:
            return value, other
    return None
