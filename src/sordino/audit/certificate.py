"""Exact certificates: whether a mechanism satisfies a definition, by how much, and where it is tightest.

Sees only the `Mechanism` interface: author and checker share no formulas. Every verdict is a comparison of integers
with an exact amount of loss.

What a verdict rests on. Where there are at most some 8,000 weights, every weight of every output as `weight` says it.
Beyond, the classes of outputs that `columns` tells, each of which is checked against `weight` on its representative
output (`audit.classes` says how), and of sets the numbers of shared items (`audit.overlaps`); that the other outputs of
a class are like it is the mechanism's word. So a certificate finds integers that are too bold in any mechanism of this
package, whatever a plan says, and most mistakes of a new mechanism; it is no proof against a class written to deceive,
which could also sample what it does not tell. For the mechanisms that a plan can hold, tests compare every weight of
channels of all kinds with their classes.

Cost: one pass over the column classes, at any k; for definitions of records with several attributes one pass over all
single weights, where these are few enough (Bayesian coordinate DP is refused beyond).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sordino.audit.classes import CheckedClasses, can_enumerate, can_read_all, output_columns, scatter_values
from sordino.blocks.displayed import WithFigures
from sordino.definition.pairwise import LDP, Extreme, PairwiseDefinition, PrivacyDefinition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass
from sordino.exact.amount_text import loss_text_of
from sordino.exact.messages import checked
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

if TYPE_CHECKING:
    from sordino.audit.edges import TightEdge
    from sordino.definition.bayesian import BayesianCoordinateDP
    from sordino.definition.metric import MetricLDP

LOOKED_AT = 1 << 12
"""Largest number of outputs looked at, to show the tightest pair."""

LARGEST_SEARCH = 1 << 17
"""Weights and pairs looked at in all of them."""

NONE = np.empty(0, dtype=np.intp)
"""No values."""


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
class Certificate(WithFigures):
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

    def __bool__(self) -> bool:
        # Whoever asks `if certify(...)` asks whether it holds.
        return self.holds

    def __repr__(self) -> str:
        if self.witness is None:
            return self.title
        code = "one of its codes" if self.witness.code is None else f"code {self.witness.code}"
        loss = self.witness.loss
        by = "with certainty" if loss is None else f"by {loss_text_of(loss, self.slack + loss)}"
        where = f"{code} distinguishes the value {self.witness.value} from {self.witness.other} {by}"
        return f"{self.title}\n  tightest: {where}"

    @property
    def title(self) -> str:
        """Whether it holds, in a line."""
        return f"Certificate: {'holds' if self.holds else 'does NOT hold'}"

    def level(self, declared: Nats) -> Nats:
        """The largest loss between two protected values, exactly; the declared one where it is infinite.

        Of a definition that has one bound for all of them, as LDP has.
        """
        if self.witness is None:
            return Nats.of(0)
        return declared if self.witness.loss is None else self.witness.loss

    def after(self, codes: int) -> "Certificate":
        """The same verdict where the mechanism's codes follow so many others."""
        if self.witness is None or self.witness.code is None:
            return self
        return replace(self, witness=replace(self.witness, code=codes + self.witness.code))


_Tightest: TypeAlias = tuple[Nats, ColumnClass, Extreme]
"""The least that is left of a bound, and where."""


@checked
def certify(mechanism: Mechanism, definition: PrivacyDefinition) -> Certificate:
    """Check every output of a mechanism against a definition, exactly.

    Raises:
        SordinoError: the mechanism's outputs do not add up to a channel, or are not as it tells, so that no verdict is
            possible; or the definition is about another number of values; or it is Bayesian, and the mechanism has too
            many weights to average.

    Example:
        >>> from sordino import LDP, HadamardResponse
        >>> certify(HadamardResponse(1000, "1"), LDP("1")).slack.floor() < 1e-18
        True
    """
    # What few plans promise has a file of its own, for which a device that reads one of the others does not wait.
    basis = definition.certificate_basis
    if basis == "averages":
        return _certify_averages(mechanism, cast("BayesianCoordinateDP", definition))
    if basis == "edges" and (verdict := _certify_edges(mechanism, cast("MetricLDP", definition))) is not None:
        return verdict
    if mechanism.set_sizes is not None:
        return _certify_sets(mechanism, definition)
    return _certify_columns(mechanism, cast("PairwiseDefinition", definition))


def _certify_sets(mechanism: Mechanism, definition: PrivacyDefinition) -> Certificate:
    """The verdict on a channel from sets to sets: any two numbers of shared items occur on one code."""
    from sordino.audit.overlaps import checked_overlaps

    if not isinstance(definition, LDP):
        raise SordinoError("sets of items must be protected from each other alike", found=type(definition).__name__)
    overlaps = checked_overlaps(mechanism)
    heavy, light = (choose(overlaps, key=lambda own: own.weight) for choose in (max, min))
    extreme = Extreme(heavy.weight, light.weight, definition.epsilon)
    slack = _slack(extreme)
    if can_read_all(mechanism):
        outputs = _tightest(output_columns(mechanism), definition)
        if outputs is not None and outputs[0] < slack:
            _require_as_tight(outputs, None)
    loss = Nats.log(Fraction(heavy.weight, light.weight)) if light.weight else None
    return Certificate(slack.sign() >= 0, slack, Witness(heavy.code, heavy.value, light.value, loss))


def _certify_columns(mechanism: Mechanism, definition: PairwiseDefinition) -> Certificate:
    """The verdict on classes of outputs, or on single ones where these tell more, or are few."""
    # A class may hold outputs that are heavy for records that differ in one attribute, but never for one against the
    # other: single outputs tell. Where they are too many, its extremes are never below the truth.
    single = definition.certificate_basis == "outputs" and can_enumerate(mechanism)
    classes = (column for stack in CheckedClasses(mechanism) for column in definition.distinct(stack))
    found = _tightest(output_columns(mechanism) if single else classes, definition)
    if not single and can_read_all(mechanism):
        _require_as_tight(_tightest(output_columns(mechanism), definition), found)
    if found is None:
        return Certificate(holds=True, slack=definition.epsilon, witness=None)
    slack, column, extreme = found
    return Certificate(slack.sign() >= 0, slack, _witness(mechanism, column, extreme))


def _certify_edges(mechanism: Mechanism, definition: "MetricLDP") -> Certificate | None:
    """The verdict along the edges of a metric; None where the mechanism gives no weights together."""
    from sordino.audit.edges import tightest_crossing, tightest_edge

    if tuple(part.k for part in mechanism.parts) == definition.shape:
        return _certify_parts(mechanism, definition)
    if len(definition.axes) == 1 and mechanism.hops_from(definition.axes[0].tree, NONE) is not None:
        return _along_edges(tightest_crossing(mechanism, definition), definition)
    if mechanism.weights_on(NONE) is not None:
        return _along_edges(tightest_edge(mechanism, definition), definition)
    return None


def _along_edges(found: "TightEdge | None", definition: "MetricLDP") -> Certificate:
    if found is None:
        return Certificate(holds=True, slack=definition.epsilon, witness=None)
    loss = Nats.log(Fraction(found.heavy, found.light)) if found.light else None
    return Certificate(found.slack.sign() >= 0, found.slack, Witness(found.code, found.value, found.other, loss))


def _certify_parts(mechanism: Mechanism, definition: "MetricLDP") -> Certificate:
    """The channel of each axis under its own bounds.

    Two neighbours along an axis differ in the weights of its channel alone: those of all others are factors of both.
    """
    from sordino.audit.edges import check_product
    from sordino.definition.metric import MetricLDP

    check_product(mechanism)
    alone = [certify(part, MetricLDP((axis,))) for part, axis in zip(mechanism.parts, definition.axes, strict=True)]
    tight = [(own.slack, place, own.witness) for place, own in enumerate(alone) if own.witness is not None]
    if not tight:
        return Certificate(holds=True, slack=definition.epsilon, witness=None)
    slack, place, witness = min(tight, key=lambda one: one[:2])
    return Certificate(slack.sign() >= 0, slack, _among_parts(mechanism, place, witness))


def _among_parts(mechanism: Mechanism, place: int, own: Witness) -> Witness:
    """A witness of one axis as one of all: on the others some value and a code that it sends."""
    values, others, codes = [], [], []
    for axis, part in enumerate(mechanism.parts):
        sent = next(code for code in range(part.outputs) if part.weight(0, code))
        here = axis == place
        values.append(own.value if here else 0)
        others.append(own.other if here else 0)
        codes.append(own.code if here else sent)
    shape = tuple(part.k for part in mechanism.parts)
    code = None
    if own.code is not None:
        code = 0
        for digit, part in zip(codes, mechanism.parts, strict=True):
            code = code * part.outputs + (digit or 0)
    value, other = (int(np.ravel_multi_index(digits, shape)) for digits in (values, others))
    return replace(own, code=code, value=value, other=other)


def _tightest(columns: Iterable[ColumnClass], definition: PairwiseDefinition) -> _Tightest | None:
    """Where the least is left of any bound; None where no two values are protected from each other."""
    by_bound: dict[Nats, tuple[ColumnClass, Extreme]] = {}
    for column in columns:
        for extreme in definition.extremes(column):
            known = by_bound.get(extreme.bound)
            if known is None or extreme.heavy * known[1].light > extreme.light * known[1].heavy:
                by_bound[extreme.bound] = column, extreme
    found = ((_slack(extreme), column, extreme) for column, extreme in by_bound.values())
    return min(found, key=lambda one: one[0], default=None)


def _require_as_tight(outputs: _Tightest | None, classes: _Tightest | None) -> None:
    if outputs is not None and (classes is None or outputs[0] < classes[0]):
        raise SordinoError(
            "a mechanism's classes must attain the largest ratio of its outputs",
            found=f"a larger one on code {outputs[1].code}",
            step="the mechanism's columns() is wrong; do not use it",
        )


def _certify_averages(mechanism: Mechanism, definition: "BayesianCoordinateDP") -> Certificate:
    """Each attribute's exact level against its delta, and the LDP level against epsilon where one is promised."""
    from sordino.audit.levels import tightest_average

    found = tightest_average(mechanism, definition)
    if found is None:
        return Certificate(holds=True, slack=definition.largest, witness=None)
    slack, level = found
    witness = Witness(level.code, level.value or 0, level.other or 0, level.loss, level.attribute)
    return Certificate(slack.sign() >= 0, slack, witness)


def _slack(extreme: Extreme) -> Nats:
    """What the ratio leaves of its bound; minus infinity where a value that cannot cause the output is protected."""
    if extreme.light == 0:
        return Nats.log(0)
    return extreme.bound + Nats.log(Fraction(extreme.light, extreme.heavy))


def _witness(mechanism: Mechanism, column: ColumnClass, extreme: Extreme) -> Witness:
    """Two values with the extreme's bound, and an output on which they have its ratio."""
    loss = Nats.log(Fraction(extreme.heavy, extreme.light)) if extreme.light else None
    heavies, lights = (_among(column, values) for values in (extreme.heavies, extreme.lights))
    pairs = np.empty((0, 2), dtype=np.intp) if extreme.pairs is None else np.column_stack(extreme.pairs)
    for code in _near(mechanism, column.code, len(pairs) or sum(map(len, heavies + lights))):
        if extreme.pairs is None:
            found = _shown_among(mechanism, code, extreme, heavies, lights)
        else:
            found = _shown_by(mechanism, code, extreme, pairs)
        if found is not None:
            return Witness(code, *found, loss)
    value, other = _unread_pair(column, extreme, np.concatenate(heavies), np.concatenate(lights))
    return Witness(None, value, other, loss)


def _among(column: ColumnClass, values: NDArray[np.intp] | None) -> list[NDArray[np.intp]]:
    wanted = np.full(column.k, values is None)
    wanted[[] if values is None else values] = True
    chosen = []
    for part in column.parts:
        found = part.values[wanted[part.values]]
        chosen.append(found[:2] if len(part.weights) == 1 else found)
    for part in column.parts:
        wanted[part.values] = False
    # What is in no part.
    return [*chosen, np.flatnonzero(wanted)[:2]]


def _near(mechanism: Mechanism, code: int, cost: int) -> Iterator[int]:
    yield code
    first = max(code - LOOKED_AT // 2, 0)
    yield from range(first, min(first + min(LOOKED_AT, LARGEST_SEARCH // cost), mechanism.outputs))


def _shown_among(
    mechanism: Mechanism, code: int, extreme: Extreme, heavies: list[NDArray[np.intp]], lights: list[NDArray[np.intp]]
) -> tuple[int, int] | None:
    """Two values that have the extreme's ratio on an output; of very many in a part, some show it as a rule.

    No ratio exceeds the extreme's, so that the heaviest value and the lightest other one show it if any two do.
    """
    weights: dict[int, int] = {}
    first: set[int] = set()
    second: set[int] = set()
    for more in zip_longest(*(scatter_values(part, LOOKED_AT) for part in heavies + lights), fillvalue=NONE):
        first.update(*(some.tolist() for some in more[: len(heavies)]))
        second.update(*(some.tolist() for some in more[len(heavies) :]))
        weights |= {value: mechanism.weight(value, code) for value in (first | second) - weights.keys()}
        value = min(first, key=lambda value: (-weights[value], value))
        other = min(second - {value}, key=lambda one: (weights[one], one), default=value)
        if other != value and _has_ratio(weights[value], weights[other], extreme):
            return value, other
        if len(weights) >= LARGEST_SEARCH:
            break
    return None


def _shown_by(mechanism: Mechanism, code: int, extreme: Extreme, pairs: NDArray[np.intp]) -> tuple[int, int] | None:
    """The first of the extreme's pairs, shape (pairs, 2), that has its ratio on an output."""
    weights = {value: mechanism.weight(value, code) for value in {*pairs.ravel().tolist()}}
    shown = ((value, other) for value, other in pairs.tolist() if _has_ratio(weights[value], weights[other], extreme))
    return next(shown, None)


def _has_ratio(heavy: int, light: int, extreme: Extreme) -> bool:
    return heavy > 0 and heavy * extreme.light == light * extreme.heavy


def _unread_pair(
    column: ColumnClass, extreme: Extreme, heavies: NDArray[np.intp], lights: NDArray[np.intp]
) -> tuple[int, int]:
    """A pair that has the extreme's ratio on some output of the class that was not looked at."""
    if extreme.pairs is not None:
        return int(extreme.pairs[0][0]), int(extreme.pairs[1][0])
    heavy, light = np.zeros(column.k, dtype=np.bool_), np.full(column.k, extreme.light == 0)
    for part in column.parts:
        light[part.values] = min(part.weights)[0] == extreme.light
        heavy[part.values] = max(part.weights)[0] == extreme.heavy
    value = _first_marked(heavies, heavy)
    return value, _first_marked(lights[lights != value], light)


def _first_marked(values: NDArray[np.intp], marked: NDArray[np.bool_]) -> int:
    return int(values[np.argmax(marked[values])])
