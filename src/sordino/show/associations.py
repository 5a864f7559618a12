"""Blocks of which attributes go together: of one pair a sentence, of several a matrix and the strongest first."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import AssociationChart
from sordino.blocks.digits import round_row
from sordino.blocks.finding import in_brackets
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.survey.results.associations import Association, Associations

TITLE = "Which attributes go together"

STRONGEST = 10
"""Pairs that people read of many; files and JSON have all."""

SMALLEST_P = 1e-4
"""What is smaller is not told apart."""

NUMBERS = ("estimate", "low", "high")
"""Of Cramér's V."""

STRENGTH = (
    "Cramér's V is 0 where two attributes are independent and 1 where one determines the other; it is corrected for"
    " what noise adds, and 'from' is 0 where the reports do not rule out independence."
)
TESTED = "p is the probability of cells as far from independence as these, or farther, if the two were independent."
CORRECTED = "'p of {count}' is corrected for looking at all {count} pairs that are tested (Holm)."
CORRECTED_FOR_ALL = "corrected for looking at all of them"
UNTESTED = "Where it says 'too few reports to test' a test would not err as often as it says."


def association_blocks(found: Associations) -> Iterator[Block]:
    """How attributes of tables go together.

    Args:
        found: each two attributes that tables are about.
    """
    if len(found.pairs) == 1:
        text = association_in_words(found.pairs[0], found.adjusted[0])
        yield BlockGroup(TITLE, (Sentence(text, Purpose.METHOD), Sentence(STRENGTH, Purpose.COLUMNS)))
    elif found.pairs:
        plot = Plot(AssociationChart, lambda: association_chart(found))
        yield BlockGroup(TITLE, (plot, _table(found)))


def associations_in_words(found: Associations) -> str:
    """Of one pair whether it is related; of several the strongest whose interval, which holds for all, excludes 0."""
    if len(found.pairs) == 1:
        return association_in_words(found.pairs[0], found.adjusted[0])
    tested = sum(adjusted is not None for adjusted in found.adjusted)
    if not tested:
        return "No pair of attributes is tested: the reports are too few, or the cells too many."
    confidence, pairs = found.pairs[0].table.coverage.confidence, f"all {tested:,} pairs"
    enough = (1 - confidence) / tested
    place = next((at for at in found.strongest if (p := found.pairs[at].p_value) is not None and p <= enough), None)
    if place is None:
        return f"None of the {tested:,} tested pairs of attributes is related beyond noise, {CORRECTED_FOR_ALL}."
    pair = replace(found.pairs[place], each=bonferroni(confidence, tested))
    texts = in_brackets(dict(zip(NUMBERS, _strength(pair), strict=True)), confidence, pairs)
    related = sum(one is not None and one <= 1 - confidence for one in found.adjusted)
    first, second = pair.names
    of_all = f" Of {pairs} {related:,} {'is' if related == 1 else 'are'} related, {CORRECTED_FOR_ALL}."
    return f"{first} and {second} are related: Cramér's V is {texts}.{of_all}"


def association_in_words(pair: Association, adjusted: float | None) -> str:
    """Whether two attributes are related, how surely and how strongly."""
    first, second = pair.names
    if pair.strength is None or adjusted is None:
        return f"{first} and {second}: {pair.why}."
    limits, error = _strength(pair), 1 - pair.table.coverage.confidence
    if adjusted <= error:
        value, low, high = limits
        return f"{first} and {second} are related ({_probability(adjusted)}): Cramér's V is {value} ({low} to {high})."
    return f"{first} and {second} may be independent ({_probability(adjusted)}): Cramér's V is at most {limits[-1]}."


def association_chart(found: Associations) -> AssociationChart:
    """The strengths as a matrix."""
    names = found.names
    values = np.full((len(names), len(names)), np.nan)
    sure = np.zeros(values.shape, dtype=np.bool_)
    for pair, adjusted in zip(found.pairs, found.adjusted, strict=True):
        row, column = map(names.index, pair.names)
        if pair.strength is not None and adjusted is not None:
            values[row, column] = values[column, row] = pair.strength.value
            sure[row, column] = sure[column, row] = adjusted <= 1 - pair.table.coverage.confidence
    return AssociationChart(names, values, sure)


def _table(found: Associations) -> TextTable:
    tested = sum(adjusted is not None for adjusted in found.adjusted)
    header = ("attributes", "Cramér's V", "from", "to", "p", f"p of {tested}")
    rows = tuple(_row(found.pairs[place], found.adjusted[place]) for place in found.strongest[:STRONGEST])
    said = [Sentence(STRENGTH, Purpose.COLUMNS), Sentence(TESTED, Purpose.COLUMNS)]
    said.append(Sentence(CORRECTED.format(count=tested), Purpose.COLUMNS))
    if tested < len(found.pairs):
        said.append(Sentence(UNTESTED, Purpose.COLUMNS))
    count = len(found.pairs)
    title = f"All {count} pairs" if count <= STRONGEST else f"The strongest {STRONGEST} of {count} pairs"
    return TextTable(f"{TITLE}: {title.lower()}", header, rows, (found.pairs[0].table.coverage.sentence("pair"), *said))


def _row(pair: Association, adjusted: float | None) -> tuple[str, ...]:
    name = " and ".join(pair.names)
    if pair.strength is None or adjusted is None or pair.p_value is None:
        return (name, pair.why, "", "", "", "")
    return (
        name,
        *_strength(pair),
        *(_probability(number).removeprefix("p = ").removeprefix("p ") for number in (pair.p_value, adjusted)),
    )


def _strength(pair: Association) -> tuple[str, ...]:
    """Cramér's V and its limits; nothing without a test."""
    found = pair.strength
    numbers = () if found is None else (found.value, found.low, found.high)
    return tuple(round_row(dict(zip(NUMBERS, numbers, strict=True))).values()) if numbers else ()


def _probability(number: float) -> str:
    return f"p = {number:.4f}" if number >= SMALLEST_P else f"p < {SMALLEST_P:.4f}"
