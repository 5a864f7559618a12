"""What a page shows of a table of two attributes: the shares of one within each value of the other, in rows."""

from sordino.page.page import PageTable, Section
from sordino.survey.results.table import TableResult
from sordino.words.coverage import coverage_in_words

NOTE = "Each row adds up to 100%: the share of each value among the people of the row, right on average or nearly. "
FITTED = " In brackets what the fitted distribution says of it."


def table_sections(result: TableResult) -> list[Section]:
    """Row percentages, if they are few enough to be read."""
    shares = result.read_across()
    if shares is None:
        return []
    note = NOTE + coverage_in_words("share", result.coverage, "Bonferroni") + (FITTED if shares.fitted else "")
    return [Section(f"Shares of {shares.of} within {shares.given}", (PageTable(shares.header, shares.cells, note),))]
