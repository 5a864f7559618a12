"""The error region: how well anybody can tell two values by a report, whatever test is used.

A test says x or x'. Under E-LDP its false alarms P_FA = Pr(says x | x') and missed detections P_MD = Pr(says x' | x)
satisfy P_FA + e^E[x',x] P_MD >= 1 and e^E[x,x'] P_FA + P_MD >= 1; a mechanism's own tests reach the curve of its
likelihood ratios, which lies inside.

The same holds of tests whether an attribute's value is in one set or another, by somebody with a prior: delta-BCDP
holds iff e^delta P_FA + P_MD >= 1 and P_FA + e^delta P_MD >= 1 for all of them. `errors_keep` checks it so, by error
rates instead of likelihood ratios.
Source: context-aware LDP paper, Theorem 1, (7) and (8); (22) and (23) as corrected. BCDP paper, Proposition 2 and
Theorem 1.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.audit.levels import output_weights
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.pairwise import LDP, require_size
from sordino.definition.prior import Prior
from sordino.definition.product import by_attribute
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential
from sordino.mechanism.base import Mechanism

MOST_CODES = 1 << 16
"""Outputs of a mechanism whose own curve is computed, at most."""


@dataclass(frozen=True, eq=False)
class ErrorRegion:
    """The lower boundary of the error rates that tests of x against x' can have.

    Attributes:
        false_alarm: P_FA of the corners, ascending from 0, shape (corners,).
        missed: P_MD of the corners, descending to 0.

    Example:
        >>> allowed_errors("1", "2").missed.round(6)
        array([1.      , 0.090031, 0.      ])
    """

    false_alarm: NDArray[np.float64]
    missed: NDArray[np.float64]


def allowed_errors(bound: Nats | str | None, back: Nats | str | None) -> ErrorRegion:
    """What a definition with E[x, x'] = bound and E[x', x] = back allows at best; None: not protected.

    The corner lies where both inequalities hold with equality; powers of e are rounded up.
    """
    first, second = (_factor(amount) for amount in (bound, back))
    if first == 1 or second == 1:
        return ErrorRegion(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    if first is None and second is None:
        corner = Fraction(0), Fraction(0)
    elif first is None or second is None:
        # One of the errors vanishes, the other keeps what the finite bound leaves.
        corner = (Fraction(0), 1 / second) if second is not None else (1 / (first or Fraction(1)), Fraction(0))
    else:
        corner = (second - 1) / (first * second - 1), (first - 1) / (first * second - 1)
    alarm, miss = (float(rate) for rate in corner)
    return ErrorRegion(np.array([0.0, alarm, 1.0]), np.array([1.0, miss, 0.0]))


def code_weights(mechanism: Mechanism, value: int) -> list[int]:
    """The weights of a value's codes, in their order; together the denominator."""
    return [mechanism.weight(value, code) for code in range(mechanism.outputs)]


def reached_errors(
    mechanism: Mechanism, value: int, other: int, weights: Callable[[int], list[int]] | None = None
) -> ErrorRegion:
    """What the best tests of a mechanism's reports reach: by descending likelihood ratio, code by code.

    Args:
        mechanism: whose reports are tested.
        value: the first of two.
        other: the second.
        weights: `code_weights` of a value, from whoever tests it against several and remembers them.
    """
    if mechanism.outputs > MOST_CODES:
        raise SordinoError(f"a curve needs a mechanism of at most {MOST_CODES} codes", found=f"{mechanism.outputs}")
    if value == other or not all(0 <= one < mechanism.k for one in (value, other)):
        raise SordinoError(
            f"a test is of two different values in 0..{mechanism.k - 1}", found=" and ".join(map(shown, (value, other)))
        )
    own, against = map(weights or partial(code_weights, mechanism), (value, other))
    return _region(_corners(own, against, mechanism.denominator, mechanism.denominator))


def reached_attribute_errors(
    mechanism: Mechanism,
    prior: Prior | ArrayLike,
    attribute: int,
    values: int | Collection[int],
    others: int | Collection[int],
) -> ErrorRegion:
    """What the best tests of an attribute reach: that its value is in one set, against another, by a prior.

    False alarms say the first set (the paper's H1) where the second is true. The sets may overlap.
    """
    law = Prior.of(prior)
    require_size(mechanism.k, len(law.weights))
    if not 0 <= attribute < law.d:
        raise SordinoError(f"an attribute must be one of 0..{law.d - 1}", found=shown(attribute))
    sets = [sorted({one} if isinstance(one, int) else {*one}) for one in (values, others)]
    size = law.shape[attribute]
    if not all(members and members[0] >= 0 and members[-1] < size for members in sets):
        found, step = " and ".join(map(shown, sets)), "name one or more of these values on each side"
        raise SordinoError(f"a hypothesis must be some of the attribute's values 0..{size - 1}", found=found, step=step)
    sums = _attribute_weights(mechanism, law, attribute)
    own, against = ([sum(row[value] for value in members) for row in sums] for members in sets)
    first, second = (sum(law.totals[attribute][value] for value in members) for members in sets)
    return _region(_corners(own, against, first * mechanism.denominator, second * mechanism.denominator))


def errors_keep(mechanism: Mechanism, definition: LDP | BayesianCoordinateDP) -> bool:
    """Whether no test of two hypotheses has smaller errors than the definition allows, exactly.

    For LDP hypotheses are records (Proposition 2), with a prior the values of each attribute (Theorem 1; sets of
    values are mixtures, whose tests are no better). All rejection regions are covered by those of the likelihood ratio.
    """
    if isinstance(definition, LDP):
        columns = [weights.tolist() for _, weights in output_weights(mechanism)]
        return _all_keep(columns, [mechanism.denominator] * mechanism.k, definition.epsilon)
    law = definition.beliefs
    if not isinstance(law, Prior):
        raise SordinoError(
            "error rates are averages under a prior", found="a bound on dependence", step="use certify, or give a prior"
        )
    require_size(mechanism.k, len(law.weights))
    return all(
        _all_keep(
            _attribute_weights(mechanism, law, i), [total * mechanism.denominator for total in law.totals[i]], delta
        )
        for i, delta in enumerate(definition.deltas)
        if delta is not None
    )


def _all_keep(columns: Sequence[Sequence[int]], scales: Sequence[int], bound: Nats) -> bool:
    """Whether tests between any two hypotheses keep both inequalities; a column of weights for each output."""
    rows = [*zip(*columns, strict=True)]
    return all(
        _keeps(bound, alarm, miss) and _keeps(bound, miss, alarm)
        for first, second in permutations(range(len(rows)), 2)
        for alarm, miss in _corners(rows[first], rows[second], scales[first], scales[second])
    )


def _keeps(bound: Nats, multiplied: Fraction, plain: Fraction) -> bool:
    """Whether e^bound multiplied + plain >= 1, exactly."""
    return plain >= 1 or (multiplied > 0 and bound >= Nats.log((1 - plain) / multiplied))


def _attribute_weights(mechanism: Mechanism, law: Prior, attribute: int) -> list[list[int]]:
    """For each output the weights of the attribute's values, summed over all other attributes by the prior."""
    return [
        by_attribute(law.table * weights, law.shape, attribute).sum(axis=1).tolist()
        for _, weights in output_weights(mechanism)
    ]


def _corners(
    own: Sequence[int], against: Sequence[int], scale: int, other_scale: int
) -> list[tuple[Fraction, Fraction]]:
    """False alarms and missed detections of the tests that accept more and more outputs, by descending likelihood."""
    # Outputs of the same two weights are accepted together: between them the boundary has no corner.
    outputs = Counter(zip(own, against, strict=True))
    pairs = [(first * other_scale, second * scale, count) for (first, second), count in outputs.items()]
    # A ratio own / against falls as against / (own + against) rises, which is never a division by zero.
    pairs = sorted((pair for pair in pairs if any(pair[:2])), key=lambda pair: Fraction(pair[1], pair[0] + pair[1]))
    told, alarms, whole = 0, 0, scale * other_scale
    corners = [(Fraction(0), Fraction(1))]
    for first, second, count in pairs:
        told, alarms = told + first * count, alarms + second * count
        corners.append((Fraction(alarms, whole), Fraction(whole - told, whole)))
    return corners


def _region(corners: Sequence[tuple[Fraction, Fraction]]) -> ErrorRegion:
    alarms, misses = zip(*corners, strict=True)
    return ErrorRegion(np.array([float(rate) for rate in alarms]), np.array([float(rate) for rate in misses]))


def _factor(amount: Nats | str | None) -> Fraction | None:
    """e^amount, rounded up; None for infinity."""
    if amount is None or amount == "inf":
        return None
    bound = Nats.of(amount)
    return exponential(bound.rational, FIRST_DIGITS)[1] * bound.ratio
