"""How far evidence on a box tells two values of one number apart, by polynomials of all reports together.

Each term is a polynomial of degree three of its affine form, and a remainder. The polynomials of all reports add to
one, in which what they say cancels as it does in their sum; only remainders add up. Along one number the difference of
the sum is quadratic in the other numbers: its largest value over a box of them is bounded entry by entry (`tops`), or
by a diagonal that makes it concave (`closer`). Where that is not close enough the box is cut in two: on smaller boxes
forms have shorter windows, and remainders fall with the fourth power of these.
Guarantee: no bound is less than the largest difference of sums of terms, whatever the polynomials are: remainders are
looked at on a grid, with what the second derivative allows between its points, and outward by a margin for roundings.
Units: nats. Cost: the same for any number of reports, but for boxes that are cut, which read all of them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.evidence.bound.problem import CELLS, REACHES
from sordino.evidence.bound.remainder import Fit
from sordino.evidence.box_evidence import UNIT, BoxEvidence
from sordino.evidence.shape import Floats

U, V = CELLS[:, 0], CELLS[:, 1]
POWERS = np.stack((U - V, U**2 - V**2, U**3 - V**3))
"""Differences of powers of the two values of each cell, shape (3, cells)."""

LARGEST_CUBE = 32
"""With more numbers polynomials are of degree two: tables of what is quadratic in them are larger than worth it."""

LARGEST_SQUARE = 128
"""With more numbers there are no polynomials, for the same reason, and no bound."""

STEPS = 24
"""Towards the largest value of a concave function; what they leave is in the bound."""

READS = 3 << 17
"""Largest number of values of terms that one improvement reads: some 10 milliseconds."""

MOST_BOXES = 320
"""Of all numbers, where these are few: what a report costs on all of them."""

MOST_COEFFICIENTS = 26_000
"""Of the polynomials on all boxes, about: their bounds need eigenvalues."""

MOST_CUT = 48
"""Largest number of boxes that one improvement cuts."""

ROUNDS = 3

WORTH = 0.05
"""The least part of what a bound is above its goal that remainders must be for a box to be cut."""

ARRAYS = ("number", "centre", "half", "level", "lines", "bends", "rest", "bent")

SLACK = 1e-9
"""Relative; eigenvalues are off by far less."""


@dataclass(frozen=True, eq=False)
class Cubic:
    """Boxes of the other numbers, and what the sum of terms differs by there between two values of a number.

    Attributes:
        number: shape (m,), whose values: its boxes cover the cube.
        centre, half: shape (m, d), of each box; 0 and 1 at the number itself.
        level: shape (m, 3), what stands with differences of powers of the two values.
        lines: shape (m, 2, d), the same for products with each other number; a unit of these is half of the box.
        bends: shape (m, d, d), for products with two of them; none where there are many numbers.
        rest: shape (m, cells), the most that remainders differ by.
        bent: shape (m, 2), the most that remainders turn down, and up, along the number.
        weight: what the roundings of a bound are relative to.
        n: how many terms.
    """

    number: NDArray[np.intp]
    centre: Floats
    half: Floats
    level: Floats
    lines: Floats
    bends: Floats
    rest: Floats
    bent: Floats
    weight: float = 0.0
    n: int = 0

    @classmethod
    def of_no_reports(cls, d: int) -> "Cubic":
        """No reports; one box for each number."""
        boxes = d if d <= LARGEST_SQUARE else 0
        return cls._empty(np.arange(boxes), np.zeros((boxes, d)), np.ones((boxes, d)))

    @classmethod
    def _empty(cls, number: NDArray[np.intp], centre: Floats, half: Floats) -> "Cubic":
        m, d = half.shape
        wide = d if d <= LARGEST_CUBE else 0
        bends, rest = np.zeros((m, wide, wide)), np.zeros((m, len(CELLS)))
        return cls(number, centre, half, np.zeros((m, 3)), np.zeros((m, 2, d)), bends, rest, np.zeros((m, 2)))

    def after(self, report: BoxEvidence, alone: Floats) -> "Cubic":
        """With one more report on the same boxes; `alone`, shape (d,), is the remainder where it is kinked."""
        if not len(self.number):
            return self
        if _smooth(report):
            return self._with(report)
        rest = self.rest + alone[self.number, None]
        return replace(self, rest=rest, weight=self.weight + float(alone.max()), n=self.n + 1)

    def _with(self, evidence: BoxEvidence) -> "Cubic":
        now, places = self, np.arange(len(self.number))
        for terms in evidence.groups:
            fit = Fit.of(terms, self.number, self.centre, self.half, cubic=self.half.shape[1] <= LARGEST_CUBE)
            one, two, three = fit.coefficients
            own, others = fit.own, fit.slopes.copy()
            others[places, :, self.number] = 0.0
            level = np.stack((one * own, two * own**2, three * own**3)).sum(axis=2).T
            parts = np.stack((2 * two * own, 3 * three * own * own), axis=1)
            now = replace(
                now,
                level=now.level + level,
                lines=now.lines + parts @ others,
                rest=now.rest + fit.remainders,
                bent=now.bent + fit.bends,
                weight=now.weight + fit.weight,
                n=now.n + terms.shape.n,
            )
            if now.bends.size:
                weighted = np.swapaxes(others * (3 * three * own)[:, :, None], 1, 2)
                now = replace(now, bends=now.bends + weighted @ others)
        return now

    @cached_property
    def margin(self) -> float:
        """Nats: the roundings of sums of coefficients and of bounds."""
        operations = self.n + self.half.shape[1] ** 2 + 60
        margin: float = 64 * operations * UNIT * self.weight
        return margin

    @cached_property
    def upper(self) -> Floats:
        """Shape (d,): no two values of a number are told further apart."""
        found = np.full(self.half.shape[1], 0.0 if len(self.number) else np.inf)
        np.maximum.at(found, self.number, self.bounds)
        return found

    @cached_property
    def bounds(self) -> Floats:
        """Shape (m,): of each box, with all that the polynomials leave out."""
        turned = np.maximum(self._largest_turns + self.bent, 0.0) * (1 + SLACK)
        found: Floats = (self.closer + self.rest + turned @ REACHES).max(axis=1) + 2 * self.margin
        return found

    @cached_property
    def tops(self) -> Floats:
        """Shape (m, cells): the polynomials' largest difference between each cell's values, no less."""
        lines, steps = np.abs(self._lines), POWERS[0][:, None]
        own = np.diagonal(self.bends, axis1=1, axis2=2)
        if not own.size:
            plain: Floats = self._level + lines.sum(axis=2)
            return plain
        mixed = np.abs(self.bends).sum(axis=(1, 2)) - np.abs(own).sum(axis=1)
        curved = own[:, None, :] * steps
        inner = (curved < 0) & (lines < -2 * curved)
        best = lines + curved
        best[inner] = lines[inner] ** 2 / (-4 * curved[inner])
        found: Floats = self._level + best.sum(axis=2) + mixed[:, None] * np.abs(POWERS[0])
        return found

    @cached_property
    def closer(self) -> Floats:
        """The same, below the tangent of a function that a diagonal made concave."""
        if not self.bends.size:
            return self.tops
        steps, lines, bends = POWERS[0][:, None], self._lines, self.bends
        # Of a diagonal in proportion to the rows' sums no more is needed than all of them.
        rows = np.abs(bends).sum(axis=2)
        scale = np.sqrt(np.maximum(rows, 1e-300))
        spectrum = np.linalg.eigvalsh(bends / (scale[:, :, None] * scale[:, None, :]))
        most, least = (np.maximum(end, 0.0) + SLACK for end in (spectrum[:, -1], -spectrum[:, 0]))
        lift = np.where(POWERS[0] > 0, most[:, None], least[:, None]) * np.abs(POWERS[0])
        diagonal = lift[:, :, None] * rows[:, None, :]
        steepest = 2 * np.abs(steps) * ((most + least)[:, None] * rows)[:, None, :]
        pace = np.minimum(1 / np.maximum(steepest, 1e-300), 1e30)
        point = np.sign(lines)
        for step in range(STEPS + 1):
            bent = (point @ bends) * steps - diagonal * point
            slope = lines + 2 * bent
            if step < STEPS:
                point = np.minimum(np.maximum(point + pace * slope, -1.0), 1.0)
        value = (point * (lines + bent) + np.abs(slope) - slope * point).sum(axis=2)
        found: Floats = np.minimum(self.tops, self._level + value + diagonal.sum(axis=2))
        return found

    def tighten(self, evidence: BoxEvidence, goals: Floats) -> "Cubic":
        """With boxes cut in two where a number's bound is above its goal, shape (d,), the largest bounds first."""
        # A box is never cut along its own number, since any two of its values are compared: one number has no other.
        if len(goals) == 1 or not _smooth(evidence):
            return self
        now, d = self, len(goals)
        room = min(READS // max(2 * self.n * Fit.READS, 1), MOST_CUT)
        most = max(min(MOST_COEFFICIENTS // d**2, MOST_BOXES), d)
        for _ in range(ROUNDS):
            over = now.bounds - goals[now.number]
            # A box of which remainders are no great part would gain nothing.
            over[now.rest.max(axis=1) < WORTH * over] = 0.0
            cut = np.argsort(-over, kind="stable")[: min(room, most - len(over), int((over > 0).sum()))]
            if not cut.size:
                break
            now, room = now._cut(evidence, cut), room - len(cut)
        return now

    def _cut(self, evidence: BoxEvidence, boxes: NDArray[np.intp]) -> "Cubic":
        along = np.repeat(self._along(evidence, boxes), 2)
        centre, half = (np.repeat(part[boxes], 2, axis=0) for part in (self.centre, self.half))
        places = np.arange(len(centre))
        half[places, along] /= 2
        centre[places, along] += np.where(places % 2, 1.0, -1.0) * half[places, along]
        parts = Cubic._empty(np.repeat(self.number[boxes], 2), centre, half)._with(evidence)  # noqa: SLF001 - of this class
        stay = np.ones(len(self.number), dtype=np.bool_)
        stay[boxes] = False
        arrays: Any = {name: np.concatenate((getattr(self, name)[stay], getattr(parts, name))) for name in ARRAYS}
        found = replace(self, **arrays, weight=max(self.weight, parts.weight))
        # No other box's bounds are worked out again.
        found.__dict__["closer"] = np.concatenate((self.closer[stay], parts.closer))
        return found

    def _along(self, evidence: BoxEvidence, boxes: NDArray[np.intp]) -> NDArray[np.intp]:
        """In which number to cut boxes: the one that moves the most of terms that move far."""
        total = np.zeros((len(boxes), self.half.shape[1]))
        for terms in evidence.groups:
            moved = np.abs(terms.slopes) * self.half[boxes][:, None, :]
            own = np.abs(terms.slopes[:, self.number[boxes]]).T
            total += (own[:, :, None] * moved.sum(axis=2, keepdims=True) ** 3 * moved).sum(axis=1)
        total[np.arange(len(boxes)), self.number[boxes]] = -1.0
        places: NDArray[np.intp] = total.argmax(axis=1)
        return places

    @cached_property
    def _largest_turns(self) -> Floats:
        """Shape (m, 2): the most that the polynomials turn down, and up, along the number."""
        _, two, three = self.level.T
        spread = 6 * np.abs(three) + 2 * np.abs(self.lines[:, 1]).sum(axis=1)
        return np.stack((spread - 2 * two, spread + 2 * two), axis=1)

    @cached_property
    def _level(self) -> Floats:
        """Shape (m, cells)."""
        return self.level @ POWERS

    @cached_property
    def _lines(self) -> Floats:
        """Shape (m, cells, d)."""
        lines: Floats = np.einsum("mpd,pc->mcd", self.lines, POWERS[:2])
        return lines


def _smooth(evidence: BoxEvidence) -> bool:
    return all(np.isfinite(terms.shape.most_bent).all() for terms in evidence.groups)
