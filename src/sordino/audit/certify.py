"""Exact certificates: whether a mechanism satisfies a definition, by how much, and where it is tightest.

Sees only the `Mechanism` interface: author and checker share no formulas. Every verdict is a comparison of integers
with an exact amount of loss. Cost: one pass over the column classes, at any k.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.definition.pairwise import Extreme, PairwiseDefinition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

LOOKED_AT = 1 << 12
"""Outputs looked at to show a pair whose bound differs from that of other pairs."""


@dataclass(frozen=True)
class Witness:
    """Where a certificate is tightest.

    Attributes:
        code: an output; None where it is one of too many to find it.
        value, other: two protected values; the output favours `value` over `other` by `loss`.
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
        slack: the exact amount by which the largest loss stays below epsilon; negative iff it does not hold.
        witness: where the loss is largest; None where no two values are protected from each other.

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
    """The pair, on the class's representative output where it shows there, as the channel itself says."""
    heavies, lights = (_telling(column, values) for values in (extreme.heavies, extreme.lights))
    weights = {value: mechanism.weight(value, column.code) for value in {*heavies, *lights}}
    value, other = max(heavies, key=weights.__getitem__), min(lights, key=weights.__getitem__)
    if weights[value] == 0 or weights[value] * extreme.light != weights[other] * extreme.heavy:
        raise SordinoError(
            "a column class must attain its largest ratio on its representative output",
            found=f"another ratio on code {column.code}",
            step="the mechanism's columns() does not tell the truth; do not use it",
        )
    loss = Nats.log(Fraction(extreme.heavy, extreme.light)) if extreme.light else None
    code: int | None = column.code
    if extreme.pairs is not None:
        pairs = list(zip(*(side.tolist() for side in extreme.pairs), strict=True))
        value, other, code = _shown(mechanism, column.code, extreme, pairs)
    return Witness(code, value, other, loss)


def _telling(column: ColumnClass, among: NDArray[np.intp] | None) -> list[int]:
    """The values whose weights on the representative output are looked at: of those with one weight only, one."""
    wanted, seen = np.full(column.k, among is None), np.zeros(column.k, dtype=np.bool_)
    wanted[[] if among is None else among] = True
    chosen: list[int] = []
    for part in column.parts:
        seen[part.values] = True
        own = part.values[wanted[part.values]]
        chosen += own[: 1 if len(part.weights) == 1 else None].tolist()
    chosen += np.flatnonzero(wanted & ~seen)[:1].tolist()
    return chosen


def _shown(
    mechanism: Mechanism, code: int, extreme: Extreme, pairs: list[tuple[int, int]]
) -> tuple[int, int, int | None]:
    """A pair of those with the extreme's own bound, and an output on which it has the extreme's ratio."""
    for candidate in (code, *range(min(mechanism.outputs, LOOKED_AT))):
        for value, other in pairs:
            heavy, light = mechanism.weight(value, candidate), mechanism.weight(other, candidate)
            if heavy and heavy * extreme.light == light * extreme.heavy:
                return value, other, candidate
    return *pairs[0], None
