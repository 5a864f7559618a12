"""Blocks of which attributes go together: of one pair a sentence, of several a matrix and the strongest first."""

from collections.abc import Iterator

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import AssociationChart
from sordino.blocks.digits import round_row
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.estimation.associations.cramers_v import Strength
from sordino.survey.results.associations import Association, Associations

TITLE = "Which attributes go together"

STRONGEST = 10
"""Pairs that people read of many; files and JSON have all."""

SMALLEST_P = 1e-4
"""What is smaller is not told apart."""

STRENGTH = (
    "Cramér's V is 0 where two attributes are independent and 1 where one determines the other; it is corrected for"
    " what noise adds, and 'from' is 0 where the reports do not rule out independence."
)
TESTED = "p is the probability of cells as far from independence as these, or farther, if the two were independent."
CORRECTED = "'p of {count}' is corrected for looking at all {count} pairs that are tested (Holm)."
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


def association_in_words(pair: Association, adjusted: float | None) -> str:
    """Whether two attributes are related, how surely and how strongly."""
    first, second = pair.names
    if pair.strength is None or adjusted is None:
        return f"{first} and {second}: {pair.why}."
    limits, error = _strength(pair.strength), 1 - pair.table.coverage.confidence
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
    name, strength = " and ".join(pair.names), pair.strength
    if strength is None or adjusted is None or pair.p_value is None:
        return (name, pair.why, "", "", "", "")
    return (
        name,
        *_strength(strength),
        *(_probability(number).removeprefix("p = ").removeprefix("p ") for number in (pair.p_value, adjusted)),
    )


def _strength(found: Strength) -> tuple[str, ...]:
    """Cramér's V and its limits."""
    return tuple(round_row({"value": found.value, "low": found.low, "high": found.high}).values())


def _probability(number: float) -> str:
    return f"p = {number:.4f}" if number >= SMALLEST_P else f"p < {SMALLEST_P:.4f}"
