"""What a page shows of a table of two attributes: the shares of one within each value of the other, in rows."""

import re

from sordino.page.page import MOST_LINES, PageTable, Section, Sentences
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.table import TOO_FEW_IN_WORDS, TableResult
from sordino.words.coverage import coverage_in_words

INTERVAL = re.compile(r"\(.*\)")

NOTE = "Each row adds up to 100%: the share of each value among the people of the row, right on average or nearly. "
FITTED = " In brackets what the fitted distribution says of it."

POSTSTRATIFIED = (
    "The cells are scaled until the known attributes have the shares that were given (raking). These are taken to be"
    " known without error: what the reports say of them counts no longer."
)


def table_sections(result: TableResult) -> list[Section]:
    """Row percentages, if they are few enough to be read."""
    shares = result.read_across()
    if shares is None:
        return []
    note = NOTE + coverage_in_words("share", result.coverage, "Bonferroni") + (FITTED if shares.fitted else "")
    note += f" {TOO_FEW_IN_WORDS}" if shares.has_unknown else ""
    cells = tuple((name, *map(_in_lines, told)) for name, *told in shares.cells)
    return [Section(f"Shares of {shares.of} within {shares.given}", (PageTable(shares.header, cells, note),))]


def _in_lines(cell: str) -> str:
    """A share, its interval and what was fitted, each of which stays in one line where there is no room for all."""
    return INTERVAL.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), cell)


def poststratified_section(result: Poststratified) -> Section:
    """A table by margins that are known otherwise: what they do not say of single attributes, and cells."""
    table, header, lines = result.table, *result.lines(MOST_LINES)
    title = f"Shares of {table.question.name}, with {' and '.join(result.known)} as they are known"
    if result.why:
        return Section(title, (Sentences((f"Not told: {result.why}",)),))
    note = f"{POSTSTRATIFIED} {coverage_in_words('share', table.coverage, 'Bonferroni')}"
    return Section(title, (PageTable(header, lines, note),))
