"""What a page shows of quantities that several questions tell."""

from sordino.page.page import MOST_LINES, PageTable, Section
from sordino.survey.results.pooled import PooledResult
from sordino.words.coverage import coverage_in_words
from sordino.words.digits import rounded


def pooled_section(result: PooledResult) -> Section:
    """The pooled numbers, and which questions they are of."""
    rows = list(result.rows())[:MOST_LINES]
    lines = tuple((result.label(place), *rounded(row).values()) for place, row in enumerate(rows))
    questions = "; ".join(result.questions)
    note = (
        f"Pooled from {len(result.questions):,} questions ({questions}), each weighted by its precision for people as"
        f" all of them show together. {coverage_in_words('number', result.coverage, 'Bonferroni')}"
    )
    header = (result.name, "estimate", "std. error", "from", "to")
    return Section(f"All that is told of {result.name}", (PageTable(header, lines, note),))
