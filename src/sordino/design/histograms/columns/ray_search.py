"""A quick search among the columns that bounds allow, for the one that would bring a channel most.

What a column would bring is a convex function of it, known in closed form: so changes of one entry are told apart by a
few operations each, and those that pull others along are tried in the order of what their own entry brings.

Shapes: rays are rows, shape (n, k). Nothing here is a guarantee: what is overlooked costs accuracy, never privacy.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.design.histograms.columns.extreme_rays import LARGEST_BATCH, Moves, needed_moves, scale
from sordino.exact.arrays import Floats

SETTLED = 4
"""Changes of single entries at most, for each value."""

TRIED = 32
"""Moves that are tried at once."""

STEPS = 40
"""Moves of a ray at most, beside changes of single entries."""


class Worth:
    """What a ray would bring on the section prior . v = 1: |A u|^2 - l . u for u = 1 + s (v - 1).

    All is told by d = v - 1, so that rays that are nearly flat, and stretched by much, lose no digits.
    """

    def __init__(self, matrix: Floats, price: Floats, prior: Floats, stretch: float) -> None:
        """`matrix` is A, symmetric; `price` is l, `stretch` s."""
        square = matrix @ matrix
        flat = square.sum(axis=1)
        self.prior, self.constant = prior, float(flat.sum() - price.sum())
        self.square, self.linear = stretch**2 * square, stretch * (2 * flat - price)
        # A change of one entry by e, and then of all by what brings the vector back to the section.
        self.own = np.diag(self.square) - 2 * prior * self.square.sum(axis=1) + prior**2 * self.square.sum()
        self.along = self.linear - prior * self.linear.sum()

    def __call__(self, rays: Floats) -> Floats:
        """The worth of multiples of rays, shape (..., k), on the section; none of rows of zeros."""
        height = rays @ self.prior
        gone = height <= 0
        apart = rays / np.where(gone, 1.0, height)[..., None] - 1
        worth = ((apart @ self.square + self.linear) * apart).sum(axis=-1) + self.constant
        return np.where(gone, -np.inf, worth)

    def slopes(self, rays: Floats) -> Floats:
        """How much the worth grows with each entry of rays of shape (n, k), but for a factor of each ray."""
        apart = rays / (rays @ self.prior)[:, None] - 1
        slope = 2 * apart @ self.square + self.linear
        return np.asarray(slope - (slope * (1 + apart)).sum(axis=-1)[:, None] * self.prior)

    def best_change(self, rays: Floats, entries: Floats) -> tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]:
        """The best change of one entry of each ray: where, to what, and whether it is better than none.

        Args:
            rays: shape (n, k), none of zeros.
            entries: what each may become, shape (c, n, k).
        """
        n, k = rays.shape
        height = (rays @ self.prior)[:, None]
        apart = rays / height - 1
        slope = apart @ self.square
        crossed = 2 * (slope - slope.sum(axis=-1)[:, None] * self.prior)
        curved, straight = (slope * apart).sum(axis=-1)[:, None], (self.linear * apart).sum(axis=-1)[:, None]
        above = height + (entries - rays) * self.prior
        left = height / np.where(above > 0, above, 1.0)
        moved = (entries - rays) / np.where(above > 0, above, 1.0)
        worth = left * (left * curved + straight) + moved * (left * crossed + moved * self.own + self.along)
        worth = np.where(above > 0, worth, -np.inf).transpose(1, 0, 2).reshape(n, -1)
        best = np.argmax(worth, axis=1)
        now = (curved + straight)[:, 0]
        better = worth[np.arange(n), best] > now + 1e-10 * np.abs(now + self.constant)
        place = best % k
        return place, entries[best // k, np.arange(n), place], np.asarray(better)


def approach(rays: Floats, floor: Floats, worth: Worth) -> Floats:
    """Vectors of the cone that are worth more, after changes of entries and moves that pull others along.

    The same number, in the same order.
    """
    rays = settle(rays, floor, worth)
    moves = needed_moves(floor)
    active = np.arange(len(rays) if len(moves[0]) else 0)
    batch = max(1, LARGEST_BATCH // max(2 * len(moves[0]), TRIED * len(floor)))
    for _ in range(STEPS):
        left = []
        for start in range(0, len(active), batch):
            index = active[start : start + batch]
            tried = _promising_moves(rays[index], floor, moves, worth)
            worths = worth(tried)
            best = np.argmax(worths, axis=1)
            now = worth(rays[index])
            better = worths[np.arange(len(index)), best] > now + 1e-10 * np.abs(now)
            left.append(index[better])
            rays[index[better]] = settle(tried[np.flatnonzero(better), best[better]], floor, worth)
        active = np.concatenate([active[:0], *left])
    return rays


def _promising_moves(rays: Floats, floor: Floats, moves: Moves, worth: Worth) -> Floats:
    """The moves whose own entry promises most, shape (n, TRIED, k).

    For each bounded pair (x, z): x rises until its bound with z is tight and lifts what must follow, or z falls.
    """
    heavy, light = moves
    slopes, between = worth.slopes(rays), floor[moves]
    up, down = rays[:, light] / between, rays[:, heavy] * between
    promised = np.concatenate([slopes[:, heavy] * (up - rays[:, heavy]), slopes[:, light] * (down - rays[:, light])], 1)
    chosen = np.argsort(-promised, axis=1, kind="stable")[:, :TRIED]
    falls, pair = chosen >= len(heavy), chosen % len(heavy)
    entry = np.take_along_axis(np.concatenate([up, down], axis=1), chosen, axis=1)[:, :, None]
    beside = floor.T[light[pair]]
    lowered = np.minimum(rays[:, None, :], np.where(beside > 0, entry / np.where(beside > 0, beside, 1.0), np.inf))
    raised = np.maximum(rays[:, None, :], entry * floor[heavy[pair]])
    return np.where(falls[:, :, None], lowered, raised)


def settle(rays: Floats, floor: Floats, worth: Worth) -> Floats:
    """Vectors of the cone that no change of one entry alone improves; the same number, in the same order.

    Beside the others an entry can lie between the largest that theirs ask for and the least that it may ask of theirs;
    a convex score is largest at one of these ends.
    """
    rays = scale(rays)
    off = (floor > 0) & ~np.eye(len(floor), dtype=np.bool_)
    least, most = np.where(off, floor, 0.0), np.where(off, 1 / np.where(off, floor, 1.0), np.inf)
    batch = max(1, LARGEST_BATCH // floor.size)
    for start in range(0, len(rays), batch):
        active = np.arange(start, min(start + batch, len(rays)))
        for _ in range(SETTLED * len(floor)):
            now = rays[active]
            low = (now[:, :, None] * least).max(axis=1)
            with np.errstate(invalid="ignore"):
                high = np.nanmin(now[:, None, :] * most, axis=2)
            # What nothing bounds stays where it is.
            high = np.where(np.isfinite(high), high, now)
            place, value, better = worth.best_change(now, np.stack([low, high]))
            active, place, value = active[better], place[better], value[better]
            if not len(active):
                break
            rays[active, place] = value
            rays[active] = scale(rays[active])
    return rays
