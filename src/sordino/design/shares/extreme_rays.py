"""Columns that a pairwise definition allows, up to scale: the cone of such vectors, and a search over its extreme rays.

A column v >= 0 of a channel is allowed iff v_x' >= floor[x, x'] v_x for all pairs, where floor[x, x'] = e^(-E[x, x'])
and 0 where the pair is not protected. A channel with the least variance needs extreme rays of that cone only. There
are up to (2k-2 choose k-1) of them, so for larger k they are found when they are wanted: by ascent from many starts,
along moves that raise or lower one value until another of its bounds is tight, and pull along whatever must follow.

Shapes: rays are rows, shape (n, k), with their largest entry 1. Nothing here is a guarantee: an overlooked ray costs
accuracy, never privacy.

A quick search among the columns that bounds allow, for the one that would bring a channel most.

What a column would bring is a convex function of it, known in closed form: so changes of one entry are told apart by a
few operations each, and those that pull others along are tried in the order of what their own entry brings.

Shapes: rays are rows, shape (n, k). Nothing here is a guarantee: what is overlooked costs accuracy, never privacy.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.exact.floats import Floats

Score: TypeAlias = Callable[[Floats], Floats]
"""Scores rays of shape (..., k) as shape (...): the same for every multiple of a ray, convex along segments of the
cone's section."""

Moves: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Pairs of values: the one whose weight bounds from below that of the other."""

LARGEST_BOUND = 44.36
"""Nats. Somewhat below 64 ln 2: no integer weight could use more."""

LARGEST_LISTED = 10
"""Up to this many values the starts hold one ray for each set of them; beyond, for single ones, all and drawn sets."""

ALIKE = 9
"""Rays are one where they agree to this many decimal digits."""

TIGHT = 1e-9
"""A bound holds with equality up to this relative error."""

LARGEST_BATCH = 1 << 22
"""Entries of the candidates scored at once: 32 MB."""


def floors(bounds: Floats) -> Floats:
    """The least entry at x' beside an entry 1 at x: e^(-E[x, x']), shape (k, k), for the bounds' closure E.

    Bounds that follow along paths are taken in, so that a single step of a move pulls along all that must follow.
    Finite bounds beyond a word count as a word's.
    """
    closed = bounds.copy()
    for middle in range(len(closed)):
        closed = np.minimum(closed, closed[:, middle, None] + closed[None, middle, :])
    return np.where(np.isinf(closed), 0.0, np.exp(-np.minimum(closed, LARGEST_BOUND)))


def starting_rays(floor: Floats, draws: np.random.Generator) -> Floats:
    """One ray around each set of values: 1 on the set, and as little elsewhere as the bounds allow."""
    k = len(floor)
    sets = list(_sets(k))
    if k > LARGEST_LISTED:
        chosen = draws.random((4 * k, k)) < draws.random((4 * k, 1))
        sets.extend(tuple(np.flatnonzero(row).tolist()) for row in chosen if row.any())
    return distinct(np.stack([floor[list(members)].max(axis=0) for members in sets]))


def random_rays(floor: Floats, count: int, draws: np.random.Generator) -> Floats:
    """Vectors of the cone (seldom extreme) with levels drawn over the whole range that the bounds allow."""
    k = len(floor)
    depth = np.maximum(np.ceil(-np.log2(floor[floor > 0].min())), 2.0)
    # Levels of all sizes: halvings, and what is between two of them.
    halvings = draws.random((count, k)) * draws.random((count, 1)) * depth
    level = np.ldexp(2 - (halvings - np.floor(halvings)), -1 - np.floor(halvings).astype(np.intc))
    # Part of the values take no level of their own, so that rays of few values are drawn too.
    level[draws.random((count, k)) < draws.random((count, 1))] = 0.0
    level[np.arange(count), draws.integers(k, size=count)] = 1.0
    return scale((level[:, :, None] * floor).max(axis=1))


def climb(rays: Floats, floor: Floats, score: Score) -> Floats:
    """Extreme rays reached from these by steepest ascent; the same number, in the same order."""
    rays = scale(rays)
    value = score(rays)
    moves = needed_moves(floor)
    batch = max(1, LARGEST_BATCH // (2 * (len(moves[0]) + len(floor)) * len(floor)))
    active = np.arange(len(rays))
    while len(active):
        moved = np.zeros(len(active), dtype=np.bool_)
        for start in range(0, len(active), batch):
            index = active[start : start + batch]
            candidates = _neighbours(rays[index], floor, moves)
            scores = score(candidates)
            best = np.argmax(scores, axis=1)
            top = scores[np.arange(len(index)), best]
            better = top > value[index] + 1e-12 * np.abs(value[index])
            rays[index[better]] = scale(candidates[np.flatnonzero(better), best[better]])
            value[index[better]] = top[better]
            moved[start : start + batch] = better
        active = active[moved]
    return np.stack([_extreme(ray, floor, score) for ray in rays])


def distinct(rays: Floats) -> Floats:
    """The rays without repetitions, in the order of their first appearance."""
    _, first = np.unique(np.round(scale(rays), ALIKE), axis=0, return_index=True)
    return scale(rays)[np.sort(first)]


def _sets(k: int) -> Iterator[tuple[int, ...]]:
    """All sets of values where they are few, else those of one and all values."""
    for size in range(1, k + 1):
        if k <= LARGEST_LISTED or size in (1, k):
            yield from combinations(range(k), size)


def needed_moves(floor: Floats) -> Moves:
    """The bounded pairs whose bounds no two others imply: on a line neighbours alone, in most matrices all.

    A pair is left out for two with larger floors only, so that each that is left out follows from pairs that are kept.
    """
    bounded = (floor > 0) & ~np.eye(len(floor), dtype=np.bool_)
    steps = np.where(bounded & (floor < 1), floor, 0.0)
    implied = np.stack([(row[:, None] * steps).max(axis=0) for row in steps]) >= floor * (1 - TIGHT)
    heavy, light = np.nonzero(bounded & ~implied)
    return heavy, light


def _neighbours(rays: Floats, floor: Floats, moves: Moves) -> Floats:
    """All single moves, shape (n, number of moves, k), not scaled; a row of zeros where nothing is left.

    For each pair (x, z): x rises to v_z / floor[x, z], where its bound with z is tight, and lifts every other value to
    floor[x] of that; or z falls to floor[x, z] v_x, and no other may stay above that over its own floor at z. A value
    that does not bound all others rises for ever, which is the ray around it; one that not all others bound falls to 0.
    """
    heavy, light = moves
    between = floor[moves]
    raised = np.maximum(rays[:, None, :], (rays[:, light] / between)[..., None] * floor[heavy])
    above = floor.T[light]
    level = (rays[:, heavy] * between)[..., None]
    lowered = np.minimum(rays[:, None, :], np.where(above > 0, level / np.where(above > 0, above, 1.0), np.inf))
    alone = floor[(floor == 0).any(axis=1)]
    gone = np.where(floor.T[(floor == 0).any(axis=0)] > 0, 0.0, rays[:, None, :])
    return np.concatenate([raised, lowered, np.broadcast_to(alone, (len(rays), *alone.shape)), gone], axis=1)


def _extreme(ray: Floats, floor: Floats, score: Score) -> Floats:
    """An extreme ray that scores no less: parts that no tight bound joins are scaled until one does.

    A ray is extreme iff its tight bounds join all its non-zero entries. Otherwise scaling one part moves along a
    segment of the section, on which a convex score is largest at an end.
    """
    for _ in range(2 * len(ray)):
        part = _part(ray, floor)
        if part.all():
            return ray
        inside, outside = part & (ray > 0), ~part & (ray > 0)
        reach = floor[np.ix_(inside, outside)] * ray[inside][:, None] / ray[outside][None, :]
        back = floor[np.ix_(outside, inside)] * ray[outside][:, None] / ray[inside][None, :]
        up = np.where(inside, ray, 0.0) if reach.max() == 0 else np.where(inside, ray / reach.max(), ray)
        down = np.where(inside, ray * back.max(), ray)
        ends = scale(np.stack([up, down]))
        ray = ends[int(np.argmax(score(ends)))]
    return ray


def _part(ray: Floats, floor: Floats) -> NDArray[np.bool_]:
    """The values that tight bounds join to the largest entry; zeros count as joined."""
    tight = (ray[None, :] <= floor * ray[:, None] * (1 + TIGHT)) & (ray[:, None] > 0) & (ray[None, :] > 0)
    joined = tight | tight.T
    reached = np.zeros(len(ray), dtype=np.bool_)
    reached[np.argmax(ray)] = True
    for _ in ray:
        reached |= joined[reached].any(axis=0)
    reached[ray == 0] = True
    return reached


def scale(rays: Floats) -> Floats:
    """Rays with their largest entry 1; zeros stay."""
    top = rays.max(axis=-1, keepdims=True)
    return rays / np.where(top > 0, top, 1.0)


SETTLED = 4
"""Largest number of changes of single entries, for each value."""

TRIED = 32
"""Moves that are tried at once."""

STEPS = 40
"""Largest number of moves of a ray, beside changes of single entries."""


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
