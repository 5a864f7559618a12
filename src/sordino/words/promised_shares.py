"""What is promised about the values that a question about shares asks for: an attribute's, or a table's cells."""

from collections.abc import Iterator

from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.grid import Grid
from sordino.survey.questions.question import HistogramQuestion, SharesQuestion, TableQuestion
from sordino.words.odds import promise
from sordino.words.odds_by_distance import distance_promise
from sordino.words.sentence import Sentence

FEW = 5
"""Values whose names are spelled out at most."""


def promised(question: SharesQuestion, report: str) -> tuple[Sentence, ...]:
    """The promise about the values, their names where they are few.

    Args:
        question: of a plan.
        report: what a report is called.
    """
    definition, domain = question.definition, question.domain
    metric = question.protect.metric if isinstance(question, HistogramQuestion) else None
    if isinstance(question, HistogramQuestion) and metric and isinstance(definition, MetricLDP | PairwiseLDP):
        return distance_promise(definition, metric, question.protect.epsilon or "", question.domain, report)
    labels = tuple(domain.label(value) for value in range(domain.k)) if domain.k <= FEW else None
    return promise(definition, labels, report)


def about_values(question: SharesQuestion) -> Iterator[str]:
    """What a block is, what a missing answer counts as, and what a cell of a table tells of its attributes."""
    if isinstance(question, TableQuestion):
        yield from _about_cells(question)
        attributes = question.attributes
    elif isinstance(question, HistogramQuestion):
        yield from _about_blocks(question)
        attributes = (question.attribute,)
    for attribute in attributes:
        if attribute.missing is not None:
            about = f" to {attribute.name!r}" if len(attributes) > 1 else ""
            yield f"A missing answer{about} counts as {attribute.missing!r} and is protected as that category is."


def asked_values(question: SharesQuestion) -> str:
    """What somebody is asked for."""
    if isinstance(question, TableQuestion):
        names = " and ".join(map(repr, question.asked))
        return f"{names} together, one of {question.domain.k:,} combinations of their values"
    return f"{question.name!r}, one of {question.domain.k:,} values"


def _about_blocks(question: HistogramQuestion) -> Iterator[str]:
    blocks, domain = question.protect.blocks, question.domain
    if blocks and blocks.tiles:
        height, width = blocks.tiles
        divides = isinstance(domain, Grid) and not domain.rows % height and not domain.columns % width
        yield f"A block is {'' if divides else 'at most '}{height} x {width} cells of the map."


def _about_cells(question: TableQuestion) -> Iterator[str]:
    yield (
        "An answer is a combination of values, and the report is about all of them at once: whatever it tells of the"
        " combination, it may tell of any one of them."
    )
    if not question.protects:
        return
    match question.definition:
        case BlockLDP():
            yield "Combinations are in one block if their values are, of each attribute."
        case HighLowLDP():
            yield "A combination is sensitive if one of its values is."
        case MetricLDP():
            yield "How far combinations are apart is the sum of how far their values are."
        case PairwiseLDP():
            yield (
                "Between two combinations it may tell what it may tell between their values, added up, but never more"
                " than the most that it may tell of one attribute."
            )
        case LDP():
            if any(protect.sensitive is not None for protect in question.protects):
                yield "All combinations are protected: each has a value of an attribute all of whose values are."
