"""Knowledge gained about a statement, and the most that evidence can teach about any.

A statement says of each value how likely it is to be true, f(x) in [0, 1]; somebody with beliefs Q holds it for true
with Q(f), and the knowledge gain of reports V is ln Q(f | V) - ln Q(f), in nats. Its limit over all statements and
beliefs is the realized loss, ln max_x Pr(V | x) - ln min_x Pr(V | x): never passed, and approached by one statement.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.floats import Floats
from sordino.exact.messages import checked

TOLERANCE = 1e-9
"""How far the sum of beliefs may be from one."""


@dataclass(frozen=True, eq=False)
class Proposition:
    """A statement and somebody's beliefs.

    Attributes:
        truth: shape (k,): how likely the statement is to be true of each value.
        beliefs: shape (k,): how likely each value is held to be.
    """

    truth: Floats
    beliefs: Floats


@checked
def knowledge_gain(evidence: FiniteEvidence, truth: ArrayLike, beliefs: ArrayLike) -> float:
    """Ln Q(f | V) - ln Q(f) in nats, to float accuracy; minus infinity where the reports refute the statement.

    Source: Bayesian privacy filter paper, (4) and (5), in logarithms.

    Args:
        truth: f, shape (k,), each in [0, 1].
        beliefs: Q, shape (k,), adding up to 1.

    Example:
        >>> from sordino.papers import FiniteEvidence
        >>> evidence = FiniteEvidence.of_weights([3, 1], 4)
        >>> round(knowledge_gain(evidence, truth=[1, 0], beliefs=[0.5, 0.5]), 6)
        0.405465
    """
    f, q = (np.asarray(numbers, dtype=np.float64) for numbers in (truth, beliefs))
    k = len(evidence.log)
    if f.shape != (k,) or q.shape != (k,):
        raise SordinoError(f"a statement and beliefs must be about {k} values", found=f"shapes {f.shape}, {q.shape}")
    if not ((f >= 0) & (f <= 1)).all() or not (q >= 0).all() or abs(q.sum() - 1) > TOLERANCE:
        rule = "a statement must lie in [0, 1], and beliefs must be at least 0 and sum to 1"
        found = f"a statement in [{f.min():.6g}, {f.max():.6g}] and beliefs that sum to {q.sum():.6g}"
        raise SordinoError(rule, found=found, step="scale the beliefs, and cut the statement")
    likelihood = np.exp(evidence.log - evidence.log.max())
    held, seen = float(f @ q), float(likelihood @ q)
    if held == 0 or seen == 0:
        raise SordinoError("the statement and the reports must be possible under the beliefs", found="probability 0")
    known = float((likelihood * f) @ q)
    return math.log(known) - math.log(seen) - math.log(held) if known else -math.inf


def learning_limit(evidence: FiniteEvidence) -> float:
    """The realized loss: no knowledge gain about any statement is further from 0, whatever is believed; rounded up.

    Source: Bayesian privacy filter paper, Definition 3.1, in logarithms.

    Example:
        >>> from sordino.papers import FiniteEvidence
        >>> round(learning_limit(FiniteEvidence.of_weights([3, 1], 4)), 6)  # ln 3
        1.098612
    """
    most, least = float(evidence.log.max()), float(evidence.log.min())
    if len(evidence.log) == 1 or math.isinf(most) or (most == least and evidence.radius == 0):
        return 0.0
    spread = most - least
    return math.nextafter(spread + 2 * evidence.radius, math.inf) + math.ulp(spread)


def tight_statement(evidence: FiniteEvidence, below: float) -> Proposition:
    """A statement about which the gain is within `below` nats of the limit.

    "It is the likeliest value", held by somebody who takes that value, rarely, or the least likely one to be true: the
    rarer, the more is gained. With p = (e^below - 1) / (e^limit - 1) the gain is the limit less `below`.

    Source: Bayesian privacy filter paper, Lemma 3.2 with its probability in closed form.

    Example:
        >>> from math import log
        >>> from sordino.papers import FiniteEvidence, knowledge_gain
        >>> evidence = FiniteEvidence.of_weights([3, 1], 4)
        >>> hard = tight_statement(evidence, 0.001)
        >>> round(knowledge_gain(evidence, hard.truth, hard.beliefs) - log(3), 6)
        -0.001
    """
    limit = learning_limit(evidence)
    if not below > 0 or math.isinf(limit):
        raise SordinoError("a finite limit must be approached to a distance above 0", found=f"{limit} and {below}")
    most, least = int(evidence.log.argmax()), int(evidence.log.argmin())
    truth, beliefs = np.zeros(len(evidence.log)), np.zeros(len(evidence.log))
    truth[most] = 1.0
    share = min(1.0, math.expm1(below) / math.expm1(limit)) if limit > 0 else 1.0
    beliefs[least] = 1 - share
    beliefs[most] += share
    return Proposition(truth, beliefs)
