"""What is promised about the values that a question about shares asks for: an attribute's, or a table's cells.

A promise by distances is in the unit that they are counted in: numbers, kilometres, steps of a tree. Numbers round
against the promise, as in `words.odds`.
"""

from fractions import Fraction

from sordino.blocks.sentence import Sentence, limits
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.metric_tree import total
from sordino.domain.attribute import Domain
from sordino.domain.great_circle import cell_sizes
from sordino.domain.grid import Grid
from sordino.domain.record import Record
from sordino.survey.frozen.amounts import canonical_amount, canonical_number
from sordino.survey.frozen.parts import MetricPart
from sordino.survey.questions.question import SharesQuestion
from sordino.words.odds import SAME, factor, promise

FEW = 5
"""Values whose names are spelled out at most."""


def promise_sentences(question: SharesQuestion, report: str) -> tuple[Sentence, ...]:
    """The promise about the values, their names where they are few.

    Args:
        question: of a plan.
        report: what a report is called.
    """
    definition, domain = question.definition, question.domain
    if (
        question.metric is not None
        and isinstance(definition, MetricLDP | PairwiseLDP)
        and not isinstance(domain, Record)
    ):
        metric, epsilon = question.metric
        return _distance_promise(definition, metric, epsilon, domain, report)
    labels = tuple(domain.label(value) for value in range(domain.k)) if domain.k <= FEW else None
    return promise(definition, labels, report)


def _distance_promise(
    definition: MetricLDP | PairwiseLDP, metric: MetricPart, epsilon: str, domain: Domain, report: str = "one report"
) -> tuple[Sentence, ...]:
    """Sentences about a promise by distances.

    Args:
        definition: the promise.
        metric: how far apart values lie, in a plan's words.
        epsilon: for each unit, in a plan's words.
        domain: the values.
        report: what a report is called.
    """
    once = canonical_amount(epsilon)
    # Names that are nobody's answer stand between all others, so that no two are a single step apart.
    first = 2 if metric.tree is not None and isinstance(definition, PairwiseLDP) else 1
    near, far = (_apart(metric, times) for times in (first, 2 * first))
    near_factor, far_factor = (factor(total([(once, times)])) for times in (first, 2 * first))
    what = "answers" if metric.map is None else "places"
    grows = (
        f"The further apart two {what} lie, the less they are protected from each other: whatever else somebody knows,"
        f" {report} changes the odds between two {near} by a factor of at most {near_factor}, between two {far} by at"
        f" most {far_factor}, and so on."
    )
    ends = (
        f"Far apart, little is protected: {report} may change the odds between the two {what} that lie furthest"
        f" apart by a factor of up to {factor(definition.epsilon)}."
    )
    cells = [_cells(domain)] if isinstance(domain, Grid) and metric.map is not None else []
    return (*limits(grows, ends, *cells), SAME)


def _apart(metric: MetricPart, times: int) -> str:
    """So many units of distance, in words."""
    if metric.map is not None:
        return f"{_decimal_text(times * canonical_number(metric.map.per))} {metric.map.unit} apart"
    if metric.per is not None:
        return f"that differ by {_decimal_text(times * canonical_number(metric.per))}"
    if metric.positions is not None:
        return f"whose positions differ by {times}"
    if metric.lengths:
        return f"with a way of length {times} between them on the tree"
    return "that are a step apart on the tree" if times == 1 else f"that are {times} steps apart on the tree"


def _cells(grid: Grid) -> str:
    height, narrow, wide = cell_sizes(grid)
    width = f"{narrow:.3g}" if f"{narrow:.3g}" == f"{wide:.3g}" else f"{narrow:.3g} to {wide:.3g}"
    return (
        f"How far two places lie apart is counted between the centres of their cells, over a sphere of the size of the"
        f" Earth; a cell is {height:.3g} km from south to north and {width} km from west to east."
    )


def _decimal_text(number: Fraction) -> str:
    """A number as people write it: a decimal where it is a short one."""
    for digits in range(7):
        shifted = number * 10**digits
        if shifted.denominator == 1:
            whole, rest = divmod(shifted.numerator, 10**digits)
            return f"{whole:,}" + (f".{rest:0{digits}}" if digits else "")
    return str(number)
