"""Exact levels of a finite mechanism: the least epsilon, budgets and deltas that it satisfies, and where.

Every weight of every output is read one by one: classes of outputs tell their largest ratio only, and the averages of
Bayesian definitions depend on which values are heavy. Cost: outputs x records calls, limited to `LARGEST_ENUMERATION`.
Source: BCDP paper, Definitions 1 to 4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.audit.classes import output_weights
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.prior import Prior
from sordino.definition.product import Contrast, Shape, required_shape, sizes_of
from sordino.definition.rest import Rest
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism

Contrasts: TypeAlias = Callable[[NDArray[np.object_]], Sequence[Contrast | None]]
"""What one output's weights, shape (k,), tell best about each attribute."""


@dataclass(frozen=True)
class Level:
    """The most that any output of a mechanism tells.

    Attributes:
        loss: exact, in nats; None where it is infinite.
        attribute: which; None where whole records are compared.
        value, other: what the output favours over what: values of the attribute, or records where these are compared;
        None where there are no two.
    """

    loss: Nats | None
    attribute: int | None = None
    value: int | None = None
    other: int | None = None
    code: int | None = None


def ldp_level(mechanism: Mechanism) -> Level:
    """The least epsilon of LDP.

    Example:
        >>> from sordino import ChannelTable
        >>> str(ldp_level(ChannelTable([[3, 1], [1, 3], [2, 2], [2, 2]])).loss)
        'ln 3'
    """
    (level,) = _levels(mechanism, lambda weights: [_records(weights, np.arange(len(weights)))])
    return level


def coordinate_levels(mechanism: Mechanism, shape: Shape) -> tuple[Level, ...]:
    """The least budget of each attribute; the witnesses are records that differ in it only.

    Example:
        >>> from sordino import ChannelTable
        >>> levels = coordinate_levels(ChannelTable([[3, 1], [1, 3], [3, 1], [1, 3]]), (2, 2))
        >>> [str(level.loss) for level in levels]
        ['0', 'ln 3']
    """
    sizes = sizes_of(shape)
    return _levels(mechanism, CoordinateDP(["inf"] * len(sizes)).on(sizes).contrasts, of_attributes=True)


def prior_levels(mechanism: Mechanism, prior: Prior | ArrayLike) -> tuple[Level, ...]:
    """The least delta of each attribute under a prior, shape (k_1, .., k_d).

    Example:
        >>> from sordino import ChannelTable
        >>> levels = prior_levels(ChannelTable([[3, 1], [1, 3], [3, 1], [1, 3]]), [[0.5, 0], [0.25, 0.25]])
        >>> [str(level.loss) for level in levels]
        ['ln 2', 'ln 3']
    """
    return _levels(mechanism, Prior.of(prior).contrasts, of_attributes=True)


def rest_levels(mechanism: Mechanism, shape: Shape, rest: Any) -> tuple[Level, ...]:
    """The least delta of each attribute over all priors within a bound on dependence, one number or one for each."""
    sizes = sizes_of(shape)
    return _levels(mechanism, Rest.of(rest, len(sizes)).on(sizes).contrasts, of_attributes=True)


def _records(weights: NDArray[np.object_], among: NDArray[np.intp]) -> Contrast | None:
    """The two records among some that one output tells apart best."""
    own = weights[among]
    most, least = int(own.argmax()), len(own) - 1 - int(own[::-1].argmin())
    if len(own) < 2 or own[most] == 0:
        return None
    return Contrast(int(among[most]), int(among[least]), own[most], own[least])


def _levels(mechanism: Mechanism, contrasts: Contrasts, *, of_attributes: bool = False) -> tuple[Level, ...]:
    worst: list[tuple[Contrast, int] | None] = []
    for code, weights in output_weights(mechanism):
        found = contrasts(weights)
        worst = worst or [None] * len(found)
        for i, contrast in enumerate(found):
            known = worst[i]
            if contrast is not None and (
                known is None or contrast.heavy * known[0].light > contrast.light * known[0].heavy
            ):
                worst[i] = contrast, code
    levels = []
    for i, most in enumerate(worst):
        attribute = i if of_attributes else None
        if most is None:
            levels.append(Level(Nats.of(0), attribute))
        else:
            contrast, code = most
            levels.append(Level(contrast.loss, attribute, contrast.value, contrast.other, code))
    return tuple(levels)


def tightest_average(mechanism: Mechanism, definition: BayesianCoordinateDP) -> tuple[Nats, Level] | None:
    """What is left of the bound of which least is left, and the level; None where nothing is protected."""
    beliefs = definition.beliefs
    if isinstance(beliefs, Prior):
        levels = prior_levels(mechanism, beliefs)
    else:
        levels = rest_levels(mechanism, required_shape(beliefs.shape), beliefs.bounds)
    promised = [*zip(levels, definition.deltas, strict=True)]
    if definition.epsilon is not None:
        promised.append((ldp_level(mechanism), definition.epsilon))
    left = [
        (_slack_of(level, bound), level) for level, bound in promised if bound is not None and level.value is not None
    ]
    return min(left, key=lambda found: found[0], default=None)


def _slack_of(level: Level, bound: Nats) -> Nats:
    """What an exact level leaves of its bound; minus infinity where it is infinite."""
    return Nats.log(0) if level.loss is None else bound - level.loss
