"""The bounds of the Bayesian privacy filter paper beside those here: chords of differences of convex functions.

The logarithm of an answer's probability is f(t) - g(t) with convex f and g of t = theta . x + c. Where g is replaced by
its chord over the range of t, the least sum is a convex program and a lower bound on the least log-probability; with f
and g interchanged, the largest. Branch and bound cuts the range of one t in half. Only to compare with: the promise of
no filter rests on these bounds, which are as loose as the chords, where basic composition may give less.
Source: Bayesian privacy filter paper, Section 5 and Algorithm 5, with its incumbent begun at infinity, the loop while a
gap is open, empty boxes dropped, and (42)-(43) exact also where a linear model's share is cut. The convex programs are
solved by tangents. Cost: some 50 milliseconds for each box.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from sordino.domain.box import Box
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import BoxLoss, LossBounds
from sordino.evidence.box_evidence import BoxEvidence
from sordino.exact.floats import Floats
from sordino.papers.bayesian_filter.health_models import PAPER, PEOPLE, QUESTIONS
from sordino.query.affine import Affine
from sordino.query.logistic import Logistic
from sordino.query.query import Query

Convex = Callable[[float], tuple[float, float]]
"""A number to a convex function's value and slope."""

BOXES = 1
"""Boxes that are cut or left whole for each of the two ends: the bound at the root alone."""

CLOSED = 0.01
"""The gap at which the paper stops."""

FIRST_TANGENTS = 9
"""Of each function, evenly over its range; others are added where the last solution is."""

ROUNDS = 40
"""Largest number of rounds of tangents."""

SETTLED = 1e-6
"""They are close enough then, in nats."""


@dataclass(frozen=True)
class ChordRow:
    """Bounds on the realized loss of one set of answers, in nats.

    Attributes:
        own: the bounds here after as many boxes, or some more that are bounded in one go.
    """

    outputs: str
    chords_root: float
    chords: LossBounds
    root: float
    own: LossBounds
    basic: float


@dataclass(frozen=True)
class Difference:
    """ln Pr(answer) = f(t) - g(t) of t = slopes . x + constant.

    Attributes:
        slopes: shape (d,).
        f, g: convex.
    """

    slopes: Floats
    constant: float
    f: Convex
    g: Convex

    @property
    def negative(self) -> "Difference":
        """Less the logarithm."""
        return Difference(self.slopes, self.constant, self.g, self.f)


def chords(boxes: int = BOXES, advance: Callable[[int], None] = lambda _: None) -> tuple[ChordRow, ...]:
    """Both bounds for all sixteen sets of answers to the models of health data."""
    rows = []
    for outputs in PAPER:
        codes = [int(output) for output in outputs]
        root, bounds = chord_bounds(PEOPLE, QUESTIONS, codes, boxes)
        evidence = (query.evidence(PEOPLE, code) for query, code in zip(QUESTIONS, codes, strict=True))
        loss = BoxLoss.of(sum(evidence, BoxEvidence(PEOPLE)))
        basic = math.fsum(query.epsilon.ceil() for query in QUESTIONS)
        rows.append(ChordRow(outputs, root, bounds, loss.solve(2).bounds.upper, loss.solve(2 * boxes).bounds, basic))
        advance(1)
    return tuple(rows)


def chord_bounds(box: Box, queries: Sequence[Query], outputs: Sequence[int], boxes: int) -> tuple[float, LossBounds]:
    """The upper bound on the loss before any box is cut, and both bounds after some boxes for each end, in nats.

    Source: Bayesian privacy filter paper, Algorithm 5, as corrected.

    To compare with `realized_loss`, whose bounds are closer.

    Example:
        >>> from sordino import Box, LogisticQuery
        >>> queries = [LogisticQuery([1.0], 0.0, "1"), LogisticQuery([-1.0], 0.0, "1")]
        >>> root, bounds = chord_bounds(Box([-1], [1]), queries, [1, 1], boxes=20)
        >>> 0 <= bounds.lower <= bounds.upper <= root
        True
    """
    parts = [difference(query, output) for query, output in zip(queries, outputs, strict=True)]
    ends = [_least(box, parts, boxes), _least(box, [part.negative for part in parts], boxes)]
    root, under, over = (-sum(end[place] for end in ends) for place in range(3))
    return root, LossBounds(over, under)


def difference(query: Query, output: int) -> Difference:
    """The two convex functions of an answer, by the query's epsilon."""
    low = 1 / (math.exp(float(query.epsilon)) + 1)
    model = query.model
    high, theta = 1 - low, np.array(model.theta)
    if isinstance(model, Logistic):
        alpha, beta = (high, low) if output else (low, high)
        return Difference(theta, model.intercept, _softplus(alpha, beta), _softplus(1.0, 1.0))
    if not (isinstance(model, Affine) and model.truncate):
        raise SordinoError("chords are drawn for logistic and truncated linear models", found=model.parameters)
    rise = (high - low) / (model.high - model.low)
    share = rise * (model.intercept - model.low) + low
    slopes, constant = (rise * theta, share) if output else (-rise * theta, 1 - share)
    return Difference(slopes, constant, lambda t: (max(0.0, (low - t) / low), -float(t < low) / low), _bent(low, high))


def _softplus(alpha: float, beta: float) -> Convex:
    """ln(alpha e^t + beta)."""

    def at(t: float) -> tuple[float, float]:
        first, second = math.log(alpha) + t, math.log(beta)
        value = max(first, second) + math.log1p(math.exp(-abs(first - second)))
        return value, math.exp(first - value)

    return at


def _bent(low: float, high: float) -> Convex:

    def at(t: float) -> tuple[float, float]:
        if t >= high:
            return -math.log(high), 0.0
        return (-math.log(t), -1 / t) if t >= low else (-math.log(low) - (t - low) / low, -1 / low)

    return at


def _least(box: Box, parts: Sequence[Difference], boxes: int) -> tuple[float, float, float]:
    """The least sum: its bound at the root, its bound after some boxes, and the least value found."""
    middle, spread = (np.array([part.slopes for part in parts]) @ side for side in (box.centre, np.diag(box.reach)))
    constants, reach = np.array([part.constant for part in parts]), np.abs(spread).sum(axis=1)
    whole = middle + constants - reach, middle + constants + reach
    root, found = _relax(box, parts, whole)
    order, queue = count(), [(root, 0, whole)]
    for _ in range(boxes - 1):
        if found - queue[0][0] <= CLOSED:
            break
        _, _, (low, high) = heapq.heappop(queue)
        along = int(np.argmax((high - low) / (whole[1] - whole[0])))
        half = (low[along] + high[along]) / 2
        for side in (0, 1):
            cut = low.copy(), high.copy()
            cut[1 - side][along] = half
            bound, value = _relax(box, parts, cut)
            found = min(found, value)
            # An empty box has an infinite bound.
            if bound < found:
                heapq.heappush(queue, (bound, next(order) + 1, cut))
        if not queue:
            return root, found, found
    return root, min(queue[0][0], found), found


def _relax(box: Box, parts: Sequence[Difference], span: tuple[Floats, Floats]) -> tuple[float, float]:
    """The least sum with chords for the g, and the sum itself at that record; infinite where the box is empty."""
    slopes, constants = np.array([part.slopes for part in parts]), np.array([part.constant for part in parts])
    n, d = slopes.shape
    ends = [[part.g(float(t)) for part, t in zip(parts, side, strict=True)] for side in span]
    tilt = np.array([(b[0] - a[0]) / max(w, 1e-12) for a, b, w in zip(*ends, span[1] - span[0], strict=True)])
    base = np.array([a[0] for a in ends[0]]) + tilt * (constants - span[0])
    cost = np.concatenate((-tilt @ slopes, np.ones(n)))
    rows = [np.hstack((slopes, np.zeros((n, n)))), np.hstack((-slopes, np.zeros((n, n))))]
    limits = [span[1] - constants + SETTLED, constants - span[0] + SETTLED]
    from scipy.optimize import linprog

    sides = [*zip(box.low, box.high, strict=True), *((None, None) for _ in parts)]
    bound, value, touching = -math.inf, math.inf, list(np.linspace(*span, FIRST_TANGENTS))
    for _ in range(ROUNDS):
        for points in touching:
            touch = np.array([part.f(float(t)) for part, t in zip(parts, points, strict=True)])
            rows.append(np.hstack((touch[:, 1:] * slopes, -np.eye(n))))
            limits.append(touch[:, 1] * (points - constants) - touch[:, 0])
        solved = linprog(cost, np.vstack(rows), np.concatenate(limits), bounds=sides)
        if solved.x is None:
            return math.inf, math.inf
        points = slopes @ solved.x[:d] + constants
        touching = [points]
        convex = np.array([part.f(float(t))[0] for part, t in zip(parts, points, strict=True)])
        bound = float(solved.fun - base.sum())
        value = float(convex.sum() - sum(part.g(float(t))[0] for part, t in zip(parts, points, strict=True)))
        if convex.sum() - solved.x[d:].sum() <= SETTLED:
            break
    return bound, value
