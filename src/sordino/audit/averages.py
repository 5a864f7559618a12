"""Definitions of averages over beliefs, against the exact levels of a mechanism."""

from sordino.audit.levels import Level, ldp_level, prior_levels, rest_levels
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.prior import Prior
from sordino.definition.product import required_shape
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism


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
