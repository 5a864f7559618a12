"""Exact certificates: whether a mechanism satisfies a definition, by how much, and where it is tightest.

Sees only the `Mechanism` interface: author and checker share no formulas. Every verdict is a comparison of integers
with an exact amount of loss. Cost: one pass over the column classes, at any k; for definitions of records with several
attributes one pass over all single weights, where these are few enough (Bayesian coordinate DP is refused beyond).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.audit.levels import Level, can_enumerate, ldp_level, output_columns, prior_levels, rest_levels
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import Extreme, PairwiseDefinition
from sordino.definition.prior import Prior
from sordino.definition.product import required_shape
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass
from sordino.exact.arguments import checked
from sordino.exact.brief import Brief, shown
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

LOOKED_AT = 1 << 12
"""Outputs looked at, at most, to show the tightest pair."""

DIGIT = 30
"""Bits of the digits in which weights are added up."""

LARGEST_SEARCH = 1 << 20
"""Weights and pairs looked at in all of them."""


@dataclass(frozen=True)
class Witness:
    """Where a certificate is tightest.

    Attributes:
        code: an output; None where it is one of too many to find it.
        value, other: two protected values; the output favours `value` over `other` by `loss`.
        loss: exact; None where `other` cannot cause the output, an infinite loss.
        attribute: that whose values they are, under Bayesian coordinate DP; None where they are values of the domain.
    """

    code: int | None
    value: int
    other: int
    loss: Nats | None
    attribute: int | None = None


@dataclass(frozen=True, repr=False)
class Certificate(Brief):
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

    def after(self, codes: int) -> "Certificate":
        """The same verdict where the mechanism's codes follow so many others."""
        if self.witness is None or self.witness.code is None:
            return self
        return replace(self, witness=replace(self.witness, code=codes + self.witness.code))


@checked
def certify(mechanism: Mechanism, definition: PairwiseDefinition | BayesianCoordinateDP) -> Certificate:
    """Check every output of a mechanism against a definition, exactly.

    Raises:
        SordinoError: the mechanism's outputs do not add up to a channel, so that no verdict is possible; or the
        definition
            is about another number of values; or Bayesian, and the mechanism has too many weights to average.

    Example:
        >>> from sordino import LDP, HadamardResponse
        >>> certify(HadamardResponse(1000, "1"), LDP("1")).slack.floor() < 1e-18
        True
    """
    if isinstance(definition, BayesianCoordinateDP):
        return _certify_averages(mechanism, definition)
    # A class may hold outputs that are heavy for records that differ in one attribute, but never for one against the
    # other: single outputs tell. Where they are too many, its extremes are never below the truth.
    single = isinstance(definition, CoordinateDP) and can_enumerate(mechanism)
    totals = _Totals(mechanism)
    tightest: dict[Nats, tuple[ColumnClass, Extreme]] = {}
    for column in output_columns(mechanism) if single else mechanism.columns():
        _check_column(column, mechanism.k)
        for part in column.parts:
            totals.add(part.values, sum(weight * outputs for weight, outputs in part.weights))
        for extreme in definition.extremes(column):
            known = tightest.get(extreme.bound)
            if known is None or extreme.heavy * known[1].light > extreme.light * known[1].heavy:
                tightest[extreme.bound] = column, extreme
    wrong = totals.wrong
    if wrong:
        raise SordinoError(
            "the weights of every value's outputs must add up to the denominator",
            found=f"{wrong} values whose weights do not",
            step="the mechanism's columns() leaves out or repeats outputs; do not use it",
        )
    if not tightest:
        return Certificate(holds=True, slack=definition.epsilon, witness=None)
    slack, column, extreme = min(
        ((_slack(extreme), column, extreme) for column, extreme in tightest.values()), key=lambda found: found[0]
    )
    return Certificate(slack.sign() >= 0, slack, _witness(mechanism, column, extreme))


def _certify_averages(mechanism: Mechanism, definition: BayesianCoordinateDP) -> Certificate:
    """Each attribute's exact level against its delta, and the LDP level against epsilon where one is promised."""
    beliefs = definition.beliefs
    if isinstance(beliefs, Prior):
        levels = prior_levels(mechanism, beliefs)
    else:
        levels = rest_levels(mechanism, required_shape(beliefs.shape), beliefs.bounds)
    promised = [*zip(levels, definition.deltas, strict=True)]
    if definition.epsilon is not None:
        promised.append((ldp_level(mechanism), definition.epsilon))
    left = [(_left(level, bound), level) for level, bound in promised if bound is not None and level.value is not None]
    if not left:
        return Certificate(holds=True, slack=definition.largest, witness=None)
    slack, level = min(left, key=lambda found: found[0])
    witness = Witness(level.code, level.value or 0, level.other or 0, level.loss, level.attribute)
    return Certificate(slack.sign() >= 0, slack, witness)


def _left(level: Level, bound: Nats) -> Nats:
    """What an exact level leaves of its bound; minus infinity where it is infinite."""
    return Nats.log(0) if level.loss is None else bound - level.loss


def _slack(extreme: Extreme) -> Nats:
    """What the ratio leaves of its bound.

    An output that one protected value can cause and another cannot breaks every finite bound: minus infinity.
    """
    if extreme.light == 0:
        return Nats.log(0)
    return extreme.bound + Nats.log(Fraction(extreme.light, extreme.heavy))


def _check_column(column: ColumnClass, k: int) -> None:
    if column.k != k:
        raise SordinoError(f"columns must be about the mechanism's {k} values", found=shown(column.k))
    values = np.concatenate([part.values for part in column.parts]) if column.parts else np.empty(0)
    if len(values) > 1 and not np.all(values[1:] > values[:-1]) and len(np.unique(values)) < len(values):
        # A value listed twice would count as two, and hide one that cannot cause the output.
        raise SordinoError("each class of outputs must list a value once", found="one listed twice")
    for part in column.parts:
        if sum(outputs for _, outputs in part.weights) != column.count or min(part.weights)[0] < 0:
            raise SordinoError("each class of values must have a weight >= 0 on each of the class's outputs")


def _check_representative(mechanism: Mechanism, column: ColumnClass) -> None:
    """The class must show its heaviest and lightest weights on its representative output, as the channel itself says.

    Values are looked at together: of a single value only one weight shows on one output.
    """
    for part in column.parts:
        told = {weight for weight, _ in part.weights}
        needed = {max(told), min(told)} if len(part.values) > 1 else set()
        shown: set[int] = set()
        for values in _some_then_all(_telling(part.values, len(told))):
            shown |= {mechanism.weight(value, column.code) for value in values.tolist()}
            if needed <= shown:
                break
        if not needed <= shown <= told:
            raise SordinoError(
                "a column class must attain its largest ratio on its representative output",
                found=f"another ratio on code {column.code}",
                step="the mechanism's columns() does not tell the truth; do not use it",
            )


def _witness(mechanism: Mechanism, column: ColumnClass, extreme: Extreme) -> Witness:
    """Two values with the extreme's bound, and an output on which they have its ratio."""
    _check_representative(mechanism, column)
    if extreme.pairs is None:
        heavies, lights = (_among(column, values) for values in (extreme.heavies, extreme.lights))
    else:
        heavies, lights = (np.unique(side) for side in extreme.pairs)
    loss = Nats.log(Fraction(extreme.heavy, extreme.light)) if extreme.light else None
    weights = np.full(mechanism.k, -1, dtype=object)
    if extreme.pairs is None:
        # Among very many values some show it as a rule.
        for some, others in zip(_some_then_all(heavies), _some_then_all(lights), strict=False):
            found = _weighed(mechanism, column.code, extreme, weights, some, others)
            if found is not None:
                return Witness(column.code, *found, loss)
    for code in _near(mechanism, column.code, len(heavies) + len(lights) + len(_pairs(extreme))):
        found = _weighed(mechanism, code, extreme, weights, heavies, lights)
        if found is not None:
            return Witness(code, *found, loss)
    value, other = _unseen(column, extreme, heavies, lights)
    return Witness(None, value, other, loss)


def _weighed(
    mechanism: Mechanism,
    code: int,
    extreme: Extreme,
    weights: NDArray[np.object_],
    heavies: NDArray[np.intp],
    lights: NDArray[np.intp],
) -> tuple[int, int] | None:
    """A pair that has the extreme's ratio on an output, among these values; their weights are noted."""
    for value in {*heavies.tolist(), *lights.tolist()}:
        weights[value] = mechanism.weight(value, code)
    return _shown(weights, extreme, heavies, lights)


def _some_then_all(values: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Some of very many values, evenly, and then all: the weight of each takes a while."""
    if len(values) > LOOKED_AT:
        yield values[:: len(values) // LOOKED_AT]
    yield values


class _Totals:
    """Sums of weights over all outputs, one for each value: exact, without a Python integer for each.

    They are kept in digits of 30 bits. A sum of fewer than 2^33 of them fits where each is kept.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.denominator = mechanism.denominator
        count = self.denominator.bit_length() // DIGIT + 1
        self._digits = np.zeros((count, mechanism.k), dtype=np.int64)
        self._over = np.zeros(mechanism.k, dtype=np.bool_)

    def add(self, values: NDArray[np.intp], amount: int) -> None:
        """Add an amount >= 0 to the sums of some different values; one above the denominator is wrong already."""
        if amount > self.denominator:
            self._over[values] = True
            return
        for place, digits in enumerate(self._digits):
            digit = amount >> (DIGIT * place) & ((1 << DIGIT) - 1)
            if digit:
                digits[values] += digit

    @property
    def wrong(self) -> int:
        """How many of the sums are not the denominator."""
        wrong, carried = self._over.copy(), np.zeros(len(self._over), dtype=np.int64)
        for place, digits in enumerate(self._digits):
            carried += digits
            wrong |= carried & ((1 << DIGIT) - 1) != self.denominator >> (DIGIT * place) & ((1 << DIGIT) - 1)
            carried >>= DIGIT
        return int(np.count_nonzero(wrong | (carried != 0)))


def _telling(values: NDArray[np.intp], weights: int) -> NDArray[np.intp]:
    """The values whose weights on an output are looked at: of those with one weight only, two."""
    return values[:2] if weights == 1 else values


def _among(column: ColumnClass, values: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """Of all or some values those that are looked at: of each class, and of those in none."""
    wanted, seen = np.full(column.k, values is None), np.zeros(column.k, dtype=np.bool_)
    wanted[[] if values is None else values] = True
    chosen = []
    for part in column.parts:
        seen[part.values] = True
        chosen.append(_telling(part.values[wanted[part.values]], len(part.weights)))
    return np.concatenate([*chosen, np.flatnonzero(wanted & ~seen)[:2]])


def _near(mechanism: Mechanism, code: int, cost: int) -> Iterator[int]:
    """The representative, then outputs around it, fewer where each is dear."""
    yield code
    first = max(code - LOOKED_AT // 2, 0)
    yield from range(first, min(first + min(LOOKED_AT, LARGEST_SEARCH // cost), mechanism.outputs))


def _pairs(extreme: Extreme) -> NDArray[np.intp]:
    """The extreme's own pairs, shape (pairs, 2); none where all of heavies and lights have its bound."""
    return np.empty((0, 2), dtype=np.intp) if extreme.pairs is None else np.column_stack(extreme.pairs)


def _shown(
    weights: NDArray[np.object_], extreme: Extreme, heavies: NDArray[np.intp], lights: NDArray[np.intp]
) -> tuple[int, int] | None:
    """A pair that has the extreme's ratio among the weights of one output."""
    if extreme.pairs is None:
        # No ratio exceeds the extreme's, so the heaviest value and the lightest other one show it if any two do.
        value = int(heavies[np.argmax(weights[heavies])])
        others = lights[lights != value]
        pairs = np.array([[value, others[np.argmin(weights[others])]]])
    else:
        pairs = _pairs(extreme)
    heavy, light = weights[pairs[:, 0]], weights[pairs[:, 1]]
    shown = np.flatnonzero((heavy > 0) & (heavy * extreme.light == light * extreme.heavy))
    return (int(pairs[shown[0], 0]), int(pairs[shown[0], 1])) if shown.size else None


def _unseen(
    column: ColumnClass, extreme: Extreme, heavies: NDArray[np.intp], lights: NDArray[np.intp]
) -> tuple[int, int]:
    """A pair that has the extreme's ratio on some output of the class that was not looked at."""
    if extreme.pairs is not None:
        return int(extreme.pairs[0][0]), int(extreme.pairs[1][0])
    heavy = [part.values for part in column.parts if max(part.weights)[0] == extreme.heavy]
    value = next((value for value in heavies.tolist() if any(value in values for values in heavy)), int(heavies[0]))
    light = [part.values for part in column.parts if min(part.weights)[0] == extreme.light]
    if extreme.light == 0:
        light.append(np.setdiff1d(lights, np.concatenate([part.values for part in column.parts])))
    others = [other for other in lights.tolist() if other != value]
    return value, next((other for other in others if any(other in values for values in light)), others[0])
