"""The error region of a test between two values as a PNG file: what is allowed, and what a mechanism reaches."""

from matplotlib.figure import Figure

from sordino.audit.region import MOST_CODES, ErrorRegion, allowed_errors, reached_errors
from sordino.errors import SordinoError
from sordino.survey.question import HistogramQuestion
from sordino.view.axes import DPI, FAINT, INK, SIZE, png

ALLOWED, REACHED = "#dbe7f3", "#1f3f66"
SIDE = 4.8
"""Inches."""


def error_region(allowed: ErrorRegion, reached: ErrorRegion | None, value: str, other: str) -> bytes:
    """The region of error rates that the promise leaves to anybody, and the boundary that the mechanism attains.

    Args:
        allowed: the boundary of the definition.
        reached: the mechanism's own; None where it is not known.
        value: name of the first value.
        other: name of the second.
    """
    figure = Figure(figsize=(SIDE, SIDE), dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    axes.fill(
        [*allowed.false_alarm, 1], [*allowed.missed, 1], color=ALLOWED, label="errors that the promise allows", zorder=2
    )
    if reached is not None:
        axes.plot(
            reached.false_alarm, reached.missed, color=REACHED, linewidth=1.6, label="best tests of a report", zorder=3
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel(f"says {value} where it is {other}", fontsize=SIZE, color=INK, parse_math=False)
    axes.set_ylabel(f"says {other} where it is {value}", fontsize=SIZE, color=INK, parse_math=False)
    axes.tick_params(labelsize=SIZE, labelcolor=INK, color=FAINT)
    axes.grid(color=FAINT, linewidth=0.8, zorder=0)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    figure.legend(loc="outside upper center", frameon=False, fontsize=SIZE, labelcolor=INK)
    return png(figure)


def question_region(question: HistogramQuestion) -> bytes:
    """The region of the two values that a question's certificate found easiest to tell apart."""
    witness, mechanism, definition = question.certificate.witness, question.mechanism, question.definition
    if witness is None:
        raise SordinoError("a region needs two values that are protected from each other", found=question.name)
    pair = witness.value, witness.other
    allowed = allowed_errors(definition.bound(*pair), definition.bound(*reversed(pair)))
    reached = reached_errors(mechanism, *pair) if mechanism.outputs <= MOST_CODES else None
    return error_region(allowed, reached, *(repr(question.domain.label(value)) for value in pair))
