"""The error region of a test between two values: what is allowed, and what a mechanism reaches. Lengths are points."""

from collections.abc import Iterable
from itertools import combinations, islice

import numpy as np
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MultipleLocator

from sordino.audit.region import MOST_CODES, ErrorRegion, allowed_errors, reached_errors
from sordino.definition.metric import MetricLDP
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.page.figures.axes import SIZE, WIDTH, Sign, legend, legend_height, quiet
from sordino.page.figures.colours import BAR, INK, MARK, RULE
from sordino.page.figures.drawing import area, sheet
from sordino.page.figures.lettering import fit
from sordino.survey.questions.question import SharesQuestion

LEFT, RIGHT, BELOW = 46, 24, 48
SIGNS: list[Sign] = [
    ("errors that the promise allows: on and above this line", {"color": BAR, "linewidth": 3}),
    ("best tests of a report", {"color": MARK, "linewidth": 1.8, "linestyle": (0, (5, 2))}),
]
TRIED = 6
"""Pairs of frequent values whose curves are computed at most."""

MOST_BY_WAYS = 1 << 10
"""Codes of a channel by distances at most: each weight is worked out along the way from a code to a value."""

NAME = 14
"""Letters of a value's name at most."""


def error_region(allowed: ErrorRegion, reached: ErrorRegion | None, value: str, other: str) -> Drawing:
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
    drawing = sheet(WIDTH, top + side + BELOW)
    legend(drawing, SIZE, signs)
    axes = area(drawing, LEFT, top, side, side)
    axes.fill([*allowed.false_alarm, 1], [*allowed.missed, 1], color=BAR, alpha=0.2, linewidth=0, zorder=2)
    axes.plot(allowed.false_alarm, allowed.missed, **SIGNS[0][1], zorder=3)
    if reached is not None:
        axes.plot(reached.false_alarm, reached.missed, **SIGNS[1][1], zorder=4)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.xaxis.set_major_locator(MultipleLocator(0.2))
    axes.yaxis.set_major_locator(MultipleLocator(0.2))
    quiet(axes, SIZE)
    axes.grid(color=RULE, linewidth=1, zorder=0)
    axes.set_xlabel(f"how often it says {one} for {two}", fontsize=SIZE, color=INK, parse_math=False)
    upward = f"upward: how often it says {two} for {one}"
    drawing.text(4 / WIDTH, 1 - (top - 10) / (top + side + BELOW), upward, fontsize=SIZE, color=INK, parse_math=False)
    return drawing


def question_region(question: SharesQuestion) -> Drawing:
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
    bounds, curves = _bounds(question, easiest), _curves(question, easiest)
    ways = (pair for one, two in combinations(values, 2) for pair in ((one, two), (two, one)))
    alike = (pair for pair in ways if _bounds(question, pair) == bounds)
    return next((pair for pair in islice(alike, TRIED) if _same(_curves(question, pair), curves)), easiest)


def region_of(question: SharesQuestion, pair: Pair) -> tuple[ErrorRegion, ErrorRegion | None, str, str]:
    """What the promise allows for two values that it protects, what reports reach, and their names."""
    value, other = (question.domain.label(value) for value in pair)
    return *_curves(question, pair), value, other


def _bounds(question: SharesQuestion, pair: Pair) -> tuple[Nats | None, Nats | None]:
    """Those of the first value over the second, and back."""
    one, two = pair
    return question.definition.bound(one, two), question.definition.bound(two, one)


def _curves(question: SharesQuestion, pair: Pair) -> tuple[ErrorRegion, ErrorRegion | None]:
    """What the promise allows, and what reports reach where they are few enough to know."""
    mechanism = question.mechanism
    most = MOST_BY_WAYS if isinstance(question.definition, MetricLDP) else MOST_CODES
    reached = reached_errors(mechanism, *pair) if mechanism.outputs <= most else None
    return allowed_errors(*_bounds(question, pair)), reached


def _same(curves: tuple[ErrorRegion, ErrorRegion | None], others: tuple[ErrorRegion, ErrorRegion | None]) -> bool:
    """Whether tests reach the same error rates."""
    one, two = curves[1], others[1]
    if one is None or two is None:
        return one is two
    pairs = ((one.false_alarm, two.false_alarm), (one.missed, two.missed))
    return all(left.shape == right.shape and np.allclose(left, right, rtol=0, atol=1e-12) for left, right in pairs)
