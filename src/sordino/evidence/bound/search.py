"""The largest value of any sum over the cube: branch and bound on boxes, many at a time.

The leaves are boxes that cover the cube, each with an upper bound; the largest bounds the maximum, at any time.
When a term is added, each leaf's bound grows by the term's largest value on it and the partition stays; only leaves
that matter are bounded anew. A leaf that is bounded is split next, in the coordinate that moves its loosest terms.
Cost: about 35 microseconds for each box bounded, at 30 terms of 9 numbers.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.bound.problem import Problem
from sordino.evidence.box_evidence import BoxEvidence
from sordino.evidence.shape import Shape

AT_ONCE = 64
"""Boxes bounded in one go."""

FIELDS = ("low", "high", "bound", "start", "along")

FINENESS = 18
"""Pieces that a box is cut into, times the dimension, at most; two at least."""

MOST_LEAVES = 8192
"""A cover of more leaves is not carried over to the next sum: it begins again with the whole cube."""

ASCENT_ROUNDS = 6
"""Steps uphill from the best point of each go."""

CLOSED = 1e-10
"""Bounds that close are not improved, in nats."""


Boxes: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

ROUNDS = 5
"""Gradient steps for each box; more bring the bounds closer, but not as much as more boxes in the same time."""


AVERAGED = 5
"""Rounds whose slopes are averaged: where the maximum lies on a kink, the right slopes are between those beside it."""


STILL = 1e-6
"""A step that is no step, in coordinates of the cube."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """What is known of m boxes.

    Attributes:
        bound: shape (m,), no point of the box has a larger sum (but for the evidence's margin).
        point: shape (m, d), where the sum of the envelopes is about largest.
        value: shape (m,), the sum there.
        along: shape (m,), the coordinate in which to split the box.
    """

    bound: NDArray[np.float64]
    point: NDArray[np.float64]
    value: NDArray[np.float64]
    along: NDArray[np.intp]


def relax(problem: Problem, low: NDArray[np.float64], high: NDArray[np.float64], start: NDArray[np.float64]) -> Relaxed:
    """Bound the sum over m boxes within the cube; the bound is valid at any point.

    For any slopes b, the sum over i of f_i(t_i(y)) is at most the sum of max over t of (f_i(t) - b_i t) in the range of
    t_i, plus the largest b . t(y) over the box, which is a sum over the coordinates: no linear program is solved. Good
    slopes are those of the concave envelopes at the point where the sum of the envelopes is largest: there the bound is
    that sum, and near it more by what is left for a Frank-Wolfe step to gain. Accelerated projected gradients find it.
    Cost: about 12 products of an (m, d) and a (d, n) matrix.

    Args:
        low, high, start: shape (m, d), the boxes' ends, and points to begin from.
    """
    shape, slopes = problem.shape, problem.slopes
    least, largest = problem.ranges(low, high)
    envelope = Envelope.of(shape, least, largest)
    steps = problem.steps
    point = np.minimum(np.maximum(start, low), high)
    ahead, speed, tilts = point, np.ones((len(point), 1)), []
    if shape.convex:
        # The envelopes are chords: their sum is affine, and largest at a corner of the box.
        tilts = [envelope.left[1]]
        point = np.where(tilts[0] @ slopes > 0, high, low)
    for _ in range(0 if shape.convex else ROUNDS):
        t = problem.forms(ahead)
        tilts.append(envelope.slope(t))
        moved = np.minimum(np.maximum(ahead + steps * problem.pull(tilts[-1], ahead), low), high)
        change = moved - point
        if np.abs(change).max() <= STILL:
            # Most often all coordinates have come to a bound.
            break
        # Momentum that points downhill starts again from nothing.
        speed = np.where(((ahead - moved) * change).sum(axis=1, keepdims=True) > 0, 1.0, speed)
        faster = (1 + np.sqrt(1 + 4 * speed * speed)) / 2
        ahead = moved + ((speed - 1) / faster) * change
        point, speed = moved, faster
    t = np.minimum(np.maximum(problem.forms(point), least), largest)
    late = np.stack(tilts[-AVERAGED:])
    mean = late.mean(axis=0)
    tilts = [mean]
    if shape.kinked:
        tilts.append(envelope.slope(t))
        jump = np.argmax((late.max(axis=0) - late.min(axis=0)) * (largest - least), axis=1)
        tilts += _balanced_slopes(problem, mean, jump)
    bound = _dual(problem, (low, high), (least, largest), np.stack(tilts)).min(axis=0)
    value = shape.value(t)
    loose = np.maximum(envelope.above(t, value), 0)
    return Relaxed(bound, point, value.sum(axis=1), _along(problem, high - low, loose))


@dataclass(frozen=True, eq=False)
class Envelope:
    """About the least concave functions above some functions on intervals: lines from the ends to where they touch.

    Attributes:
        left: where the line from the left end touches, and its slope.
        right: the same from the right end; None where no kind of function has such a line.
    """

    shape: Shape
    ends: Boxes
    left: Boxes
    right: Boxes | None

    @classmethod
    def of(cls, shape: Shape, low: NDArray[np.float64], high: NDArray[np.float64]) -> "Envelope":
        # A chord between points a rounding apart may be steeper than the function; the margin knows of no such slopes.
        (touch, chord), steepest = shape.tangent(low, high), shape.steepest
        left, right = (touch, np.minimum(np.maximum(chord, -steepest), steepest)), None
        if shape.two_sided:
            touch, chord = shape.tangent_right(low, high)
            right = touch, np.minimum(np.maximum(chord, -steepest), steepest)
        return cls(shape, (low, high), left, right)

    def slope(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        slope = np.where(t < self.left[0], self.left[1], self.shape.slope(t))
        return slope if self.right is None else np.where(t > self.right[0], self.right[1], slope)

    def above(self, t: NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far it is above the functions, whose values are given."""
        (low, high), (touch, chord) = self.ends, self.left
        gap = np.where(t < touch, self.shape.value(low) + chord * (t - low) - value, 0)
        if self.right is None:
            return gap
        touch, chord = self.right
        return np.where(t > touch, self.shape.value(high) + chord * (t - high) - value, gap)


def _dual(problem: Problem, box: Boxes, span: Boxes, tilt: NDArray[np.float64]) -> NDArray[np.float64]:
    """The bounds of any slopes b, shape (..., m, n): shape (..., m)."""
    terms = problem.shape.offset(tilt, *span) + tilt * problem.intercepts
    bound: NDArray[np.float64] = terms.sum(axis=-1) + problem.highest(tilt, *box)
    return bound


def _balanced_slopes(problem: Problem, tilt: NDArray[np.float64], jump: NDArray[np.intp]) -> list[NDArray[np.float64]]:
    """Slopes in which one term's is chosen anew, so that it balances the pull in one of the coordinates.

    At a kink any slope between those beside it gives the same offset, so the bound as a function of it is piecewise
    affine, with its bends where a coordinate's pull vanishes: the least bound is among these.
    """
    rows = np.arange(len(tilt))
    own = problem.slopes[jump]
    rest = tilt @ problem.slopes - tilt[rows, jump][:, None] * own
    with np.errstate(over="ignore"):
        # What is too large for a float is cut in the next line.
        balance = np.divide(-rest, own, out=np.zeros_like(rest), where=own != 0)
    balance = np.minimum(np.maximum(balance, 0), problem.shape.steepest[jump][:, None])
    found = []
    for column in balance.T:
        tried = tilt.copy()
        tried[rows, jump] = column
        found.append(tried)
    return found


def _along(problem: Problem, width: NDArray[np.float64], loose: NDArray[np.float64]) -> NDArray[np.intp]:
    absolute = problem.absolute
    share = loose / np.maximum(width @ absolute.T, 1e-300) + 1e-12
    along: NDArray[np.intp] = np.argmax((share @ absolute) * width, axis=1)
    return along


@dataclass(frozen=True, eq=False)
class Leaves:
    """Boxes that cover the cube.

    Attributes:
        low, high: shape (m, d).
        bound: shape (m,), upper bounds on the sum in each box.
        start: shape (m, d), a point near the box's maximum.
        along: shape (m,), the coordinate in which to split; -1 where the box must be bounded first.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    bound: NDArray[np.float64]
    start: NDArray[np.float64]
    along: NDArray[np.intp]

    @classmethod
    def whole(cls, d: int, bound: float) -> "Leaves":
        """The cube itself."""
        ends = np.ones((1, d))
        return cls(-ends, ends, np.array([bound]), np.zeros((1, d)), np.array([-1]))

    def replace_at(self, places: NDArray[np.intp], by: "Leaves") -> "Leaves":
        """These leaves but for some, and others in their stead."""
        stay = np.ones(len(self.bound), dtype=np.bool_)
        stay[places] = False
        rest = self.subset(stay)
        return Leaves(*(np.concatenate((getattr(rest, name), getattr(by, name))) for name in FIELDS))

    def with_terms(self, added: Problem) -> "Leaves":
        """The same for a sum of more terms: each bound grows by their largest values on the box."""
        least, largest = added.ranges(self.low, self.high)
        bound = self.bound + added.shape.highest(least, largest).sum(axis=1)
        return replace(self, bound=bound, along=np.full(len(bound), -1))

    def subset(self, which: NDArray[np.bool_]) -> "Leaves":
        return Leaves(*(getattr(self, name)[which] for name in FIELDS))


@dataclass(frozen=True, eq=False)
class Search:
    """What is known of the maximum of some evidence's sum, or of less its minimum.

    Attributes:
        top: whether the largest sum is sought, or less the smallest.
        lower: the value at `point`.
        point: shape (d,), the best one found.
    """

    evidence: BoxEvidence
    top: bool
    leaves: Leaves
    lower: float
    point: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: BoxEvidence, point: NDArray[np.float64], upper: float = np.inf, *, top: bool) -> "Search":
        """Begin with the whole cube."""
        problem = Problem.of(evidence, top=top)
        leaves = Leaves.whole(problem.d, min(upper, problem.ceiling))
        return cls(evidence, top, leaves, float(problem.value(point[None, :])[0]), point)

    @cached_property
    def upper(self) -> float:
        return float(self.leaves.bound.max())

    def with_report(self, evidence: BoxEvidence, report: BoxEvidence) -> "Search":
        """Each leaf's bound grows by the new terms' largest values on it."""
        added = Problem.of(report, top=self.top)
        if len(self.leaves.bound) > MOST_LEAVES:
            return Search.of(evidence, self.point, self.upper + added.ceiling, top=self.top)
        lower = self.lower + float(added.value(self.point[None, :])[0])
        return Search(evidence, self.top, self.leaves.with_terms(added), lower, self.point)

    @cached_property
    def problem(self) -> Problem:
        return Problem.of(self.evidence, top=self.top)

    def tighten(self, enough: float) -> tuple["Search", int]:
        """Bound the leaves with the largest bounds, or their parts."""
        bound = self.leaves.bound
        top = np.flatnonzero(bound > max(self.lower + CLOSED, enough))
        if not top.size:
            return self, 0
        if top.size > AT_ONCE:
            top = top[np.argpartition(-bound[top], AT_ONCE)[:AT_ONCE]]
        boxes = self._boxes(top)
        # Only this sum has its maximum on these faces: with another term the whole boxes count again.
        found = relax(self.problem, *self.problem.faces(boxes.low, boxes.high), boxes.start)
        # A bound that is no number says nothing.
        leaves = Leaves(boxes.low, boxes.high, np.fmin(boxes.bound, found.bound), found.point, found.along)
        lower, point = self._climb(found)
        better = Search(self.evidence, self.top, self.leaves.replace_at(top, leaves), lower, point)
        # The same sum, with the same step sizes.
        better.__dict__["problem"] = self.problem
        return better, len(boxes.bound)

    def _boxes(self, top: NDArray[np.intp]) -> Leaves:
        """The leaves themselves where they were not bounded yet, else their parts."""
        own = Leaves(*(getattr(self.leaves, name)[top] for name in FIELDS))
        split = np.flatnonzero(own.along >= 0)
        if not split.size:
            return own
        # A go over few boxes costs as much as one over many: cut finer.
        parts = max(min(AT_ONCE // len(top), FINENESS // own.low.shape[1]), 2)
        along, rows = own.along[split], np.arange(len(split))
        first, last = own.low[split, along], own.high[split, along]
        cuts = first[:, None] + (last - first)[:, None] * (np.arange(1, parts) / parts)
        if parts == 2:
            # Between the middle and the maximum of the envelopes: there they are looser than the function.
            cuts = (cuts + own.start[split, along][:, None]) / 2
        edges = np.column_stack((first, cuts, last))
        pieces = [own.subset(own.along < 0)]
        for part in range(parts):
            low, high = own.low[split], own.high[split]
            low[rows, along], high[rows, along] = edges[:, part], edges[:, part + 1]
            pieces.append(Leaves(low, high, own.bound[split], own.start[split], np.full(len(split), -1)))
        return Leaves(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in FIELDS))

    @cached_property
    def incumbent(self) -> float:
        """The value some steps uphill from the best point found."""
        return self._uphill(self.point)[0]

    def _climb(self, found: Relaxed) -> tuple[float, NDArray[np.float64]]:
        """The best point known after some steps uphill from the best of the boxes' points."""
        best = int(np.argmax(found.value))
        if float(found.value[best]) < self.lower:
            return self.lower, self.point
        return self._uphill(found.point[best])

    def _uphill(self, start: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The best point known after some steps uphill from a point."""
        problem, point = self.problem, start
        for _ in range(ASCENT_ROUNDS):
            tilt = problem.shape.slope(problem.forms(point))
            point = np.minimum(np.maximum(point + problem.steps * problem.pull(tilt, point), -1.0), 1.0)
        values = problem.value(np.stack((start, point)))
        best = int(np.argmax(values))
        if float(values[best]) > self.lower:
            return float(values[best]), (start, point)[best]
        return self.lower, self.point
