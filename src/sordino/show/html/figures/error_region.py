"""The error region of a test between two values: what is allowed, and what a mechanism reaches. Lengths are points."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations, islice

import numpy as np

from sordino.audit.region import MOST_CODES, ErrorRegion, allowed_errors, code_weights, reached_errors
from sordino.definition.metric import MetricLDP
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.show.html.figures.axes import SIZE, WIDTH
from sordino.show.html.figures.colours import BAR, MARK
from sordino.show.html.figures.lettering import fit
from sordino.show.html.figures.scenes.legend import Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane
from sordino.show.html.figures.scenes.scene import Outline, Scene, Text
from sordino.survey.kinds.question import SharesQuestion

LEFT, RIGHT, BELOW = 46, 24, 48
SIGNS = [
    Sign("errors that the promise allows: on or above this line", Stroke(BAR, 3)),
    Sign("best tests of a report", Stroke(MARK, 1.8, dash=(9, 3.6))),
]
TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
TRIED = 6
"""Pairs of frequent values whose curves are computed at most."""

MOST_BY_WAYS = 1 << 10
"""Codes of a channel by distances at most: each weight is worked out along the way from a code to a value."""

NAME = 14
"""Letters of a value's name at most."""


def error_region(allowed: ErrorRegion, reached: ErrorRegion | None, value: str, other: str) -> Scene:
    """The region of error rates that the promise leaves to anybody, and the boundary that the mechanism attains.

    Args:
        allowed: the boundary of the definition.
        reached: the mechanism's own; None where it is not known.
        value: name of the first value.
        other: name of the second.
    """
    signs = SIGNS if reached is not None else SIGNS[:1]
    one, two = (
        f"\N{LEFT SINGLE QUOTATION MARK}{fit(name, NAME)}\N{RIGHT SINGLE QUOTATION MARK}" for name in (value, other)
    )
    top = legend_height(SIZE, len(signs)) + 24
    side = WIDTH - LEFT - RIGHT
    scene = Scene(WIDTH, top + side + BELOW)
    legend(scene, SIZE, signs)
    plane = Plane(scene, LEFT, top, side, side, (0, 1), (0, 1))
    plane.guides_upright(TICKS)
    plane.guides_level(TICKS)
    edges = [(curve, sign.stroke) for curve, sign in zip((allowed, reached), SIGNS, strict=True)]
    within = [*_places(plane, allowed), (LEFT + side, top)]
    scene.add(Outline([within], fill=BAR, opacity=0.2, closed=True))
    for curve, line in edges:
        if curve is not None and line is not None:
            scene.add(Outline([_places(plane, curve)], line.colour, line.thick, dash=line.dash))
    texts = [f"{number:.1f}" for number in TICKS]
    plane.axis_left(TICKS, texts, SIZE)
    plane.axis_below(TICKS, texts, SIZE, [f"how often it says {one} for {two}"])
    scene.add(Text(4, top - 10, f"upward: how often it says {two} for {one}", SIZE))
    return scene


def _places(plane: Plane, curve: ErrorRegion) -> list[tuple[float, float]]:
    return list(zip(plane.x(curve.false_alarm).tolist(), plane.y(curve.missed).tolist(), strict=True))


def question_region(question: SharesQuestion) -> Scene:
    """The region of the two values that a question's certificate found easiest to tell apart."""
    return error_region(*region_of(question, tightest(question)))


Pair = tuple[int, int]


def tightest(question: SharesQuestion) -> Pair:
    """The two values that a question's certificate found easiest to tell apart.

    Raises:
        SordinoError: no two values are protected from each other.
    """
    witness = question.certificate.witness
    if witness is None:
        raise SordinoError("a region needs two values that are protected from each other", found=question.name)
    return witness.value, witness.other


def frequent(question: SharesQuestion, values: Iterable[int]) -> Pair:
    """The first two of these values, the most frequent first, with the region of those easiest to tell apart.

    Of thousands of values the easiest say nothing to anybody: a map's first cells may lie in an ocean. So others stand
    for them, but none of whom the promise allows less, or reports reach less. The easiest where there are no others.
    """
    easiest = tightest(question)
    # Of a value that is in several pairs the weights are worked out once.
    weights = cache(lambda value: code_weights(question.mechanism, value))
    bounds, curves = _bounds(question, easiest), _curves(question, easiest, weights)
    ways = (pair for one, two in combinations(values, 2) for pair in ((one, two), (two, one)))
    alike = (pair for pair in ways if _bounds(question, pair) == bounds)
    return next((pair for pair in islice(alike, TRIED) if _same(_curves(question, pair, weights), curves)), easiest)


def region_of(question: SharesQuestion, pair: Pair) -> tuple[ErrorRegion, ErrorRegion | None, str, str]:
    """What the promise allows for two values that it protects, what reports reach, and their names."""
    value, other = (question.value_title(value) for value in pair)
    return *_curves(question, pair), value, other


def _bounds(question: SharesQuestion, pair: Pair) -> tuple[Nats | None, Nats | None]:
    one, two = pair
    return question.definition.bound(one, two), question.definition.bound(two, one)


def _curves(
    question: SharesQuestion, pair: Pair, weights: Callable[[int], list[int]] | None = None
) -> tuple[ErrorRegion, ErrorRegion | None]:
    mechanism = question.mechanism
    most = MOST_BY_WAYS if isinstance(question.definition, MetricLDP) else MOST_CODES
    reached = reached_errors(mechanism, *pair, weights) if mechanism.outputs <= most else None
    return allowed_errors(*_bounds(question, pair)), reached


def _same(curves: tuple[ErrorRegion, ErrorRegion | None], others: tuple[ErrorRegion, ErrorRegion | None]) -> bool:
    one, two = curves[1], others[1]
    if one is None or two is None:
        return one is two
    pairs = ((one.false_alarm, two.false_alarm), (one.missed, two.missed))
    return all(left.shape == right.shape and np.allclose(left, right, rtol=0, atol=1e-12) for left, right in pairs)
