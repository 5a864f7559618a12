"""Exact certificates: whether a mechanism satisfies a definition, by how much, and where it is tightest.

Sees only the `Mechanism` interface: author and checker share no formulas. Every verdict is a comparison of integers
with an exact amount of loss. Cost: one pass over the column classes, at any k.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sordino.definition.pairwise import Extreme, PairwiseDefinition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism


@dataclass(frozen=True)
class Witness:
    """Where a certificate is tightest.

    Attributes:
        code: an output.
        value, other: two protected values; the output favours `value` over `other` by `loss`.
        loss: exact; None where `other` cannot cause the output, an infinite loss.
    """

    code: int
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
    tightest: tuple[ColumnClass, Extreme] | None = None
    for column in mechanism.columns():
        _check_column(column, mechanism.k)
        for part in column.parts:
            totals[part.values] += sum(weight * outputs for weight, outputs in part.weights)
        for extreme in definition.extremes(column):
            if tightest is None or extreme.heavy * tightest[1].light > extreme.light * tightest[1].heavy:
                tightest = column, extreme
    wrong = np.flatnonzero(totals != mechanism.denominator)
    if wrong.size:
        raise SordinoError(
            "the weights of every value's outputs must add up to the denominator",
            found=f"{wrong.size} values whose weights do not",
            step="the mechanism's columns() leaves out or repeats outputs; do not use it",
        )
    if tightest is None:
        return Certificate(holds=True, slack=definition.epsilon, witness=None)
    column, extreme = tightest
    # An output that one protected value can cause and another cannot breaks every finite bound: slack minus infinity.
    slack = definition.epsilon + Nats.log(Fraction(extreme.light, extreme.heavy))
    return Certificate(slack.sign() >= 0, slack, _witness(mechanism, column, extreme))


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
    """The heaviest and lightest protected value on the class's representative output, read from the channel itself."""
    values: Sequence[int] = range(mechanism.k) if extreme.values is None else extreme.values.tolist()
    weights = [mechanism.weight(value, column.code) for value in values]
    heavy, light = max(weights), min(weights)
    if heavy == 0 or heavy * extreme.light != light * extreme.heavy:
        raise SordinoError(
            "a column class must attain its largest ratio on its representative output",
            found=f"another ratio at code {column.code}",
            step="the mechanism's columns() and weight() disagree; do not use it",
        )
    loss = Nats.log(Fraction(heavy, light)) if light else None
    return Witness(column.code, values[weights.index(heavy)], values[weights.index(light)], loss)
