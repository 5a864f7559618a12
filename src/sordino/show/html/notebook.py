"""What a notebook shows: the page's sections, with the page's style around them alone, and single figures.

Self-contained, without scripts, and legible on dark and light screens: it has a ground of its own, whose colours follow
the notebook's theme where it says so (Jupyter, VS Code) and the screen's elsewhere.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

import numpy as np

from sordino.audit.certificate import Certificate
from sordino.blocks.block import Block, BlockGroup, Plot, blocks_of
from sordino.blocks.charts import BarChart, Shares
from sordino.blocks.displayed import Displayed
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.sentence import Sentence, limits
from sordino.blocks.summary import numbers_table
from sordino.blocks.tables import TextTable
from sordino.errors import SordinoError
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.share_estimate import Estimate
from sordino.exact.messages import shown
from sordino.mechanism.base import Mechanism
from sordino.show.certificates import certificate_group
from sordino.show.html.block_sections import sections_of
from sordino.show.html.chart_figures import figures_of
from sordino.show.html.page import Figure, fragment
from sordino.survey.kinds.estimate_rows import IN_ORDER, LARGEST
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.question_rows import QUESTION_HEADER, question_texts
from sordino.words.explain_plan import explanation
from sordino.words.explain_promise import explain

MOST_SECTIONS = 12
"""Of a notebook's cell; the page has all."""

FEW = 10
"""Values, and codes, of a channel that is shown whole."""

INTERVALS = "Each 95 % interval holds by itself."
"""Below a table of estimates."""

MOST_QUESTIONS = 40
"""Of a plan that are listed."""


def cell_html(noun: Displayed) -> str:
    """The elements of a notebook's cell.

    Args:
        noun: what the cell has made.
    """
    cell = notebook_cell(noun)
    groups = [block for _, blocks in cell.parts for block in blocks if isinstance(block, BlockGroup)]
    name = f"s{sha256(cell.about.encode()).hexdigest()[:12]}"
    count = len(groups) - MOST_SECTIONS
    more = f"{count:,} more section{'' if count == 1 else 's'}: {cell.rest}." if count > 0 else ""
    return fragment(cell.lead, sections_of(groups[:MOST_SECTIONS]), name, more)


def figure_of(noun: Displayed, question: str | None, number: int) -> Figure:
    """One figure, drawn.

    Args:
        noun: the result that it is of.
        question: the part of the cell that it is of; any by default.
        number: which of these, from 1.

    Raises:
        SordinoError: no such figure.
    """
    cell = notebook_cell(noun)
    names = list(dict.fromkeys(name for name, blocks in cell.parts if any(blocks_of(Plot, blocks))))
    if question is not None and question not in names:
        known = ", ".join(shown(name) for name in names if name)
        step = f"drawn are: {known or 'none'}" if known or not names else "leave the question out: one figure shows all"
        raise SordinoError("a figure must be of a question", found=shown(question), step=step)
    if not names:
        rule, step = "a figure must be of a result that is drawn", "print it"
        raise SordinoError(rule, found="words and numbers alone", step=step)
    drawn = list(islice(_figures(cell, question), number if number > 0 else None))
    if number < 1 or len(drawn) < number:
        rule = f"figures are numbered from 1 to {len(drawn)}"
        raise SordinoError(rule, found=shown(number), step="choose one of these")
    return drawn[-1]


def _figures(cell: NotebookCell, question: str | None) -> Iterator[Figure]:
    for name, blocks in cell.parts:
        if question in (None, name):
            for plot in blocks_of(Plot, blocks):
                yield from figures_of(plot.chart())


def notebook_cell(noun: Displayed) -> NotebookCell:
    """What a notebook shows of whatever it can show."""
    match noun:
        case WithCell():
            return noun.notebook_cell()
        case Estimate():
            return NotebookCell(noun.title, [("", (_shares(noun),))], f"{noun.title} {noun.value} {noun.stderr}")
        case NormalEstimate():
            return NotebookCell(noun.title, [("", (_numbers(noun),))], f"{noun.title} {noun.value} {noun.stderr}")
        case Plan():
            return NotebookCell(noun.title, [("", tuple(_plan(noun)))], noun.hash)
        case Certificate():
            drawn = certificate_group(noun)
            said = BlockGroup("The certificate", limits(*explain(noun)))
            return NotebookCell(noun.title, [("", (said,) if drawn is None else (drawn, said))], repr(noun))
        case Mechanism():
            return NotebookCell(_mechanism_title(noun), [("", tuple(_mechanism(noun)))], repr(noun))
    message = f"a notebook shows nothing of a {type(noun).__name__}"
    raise AssertionError(message)


def _shares(found: Estimate) -> BlockGroup:
    """The shares with their intervals; of many values the largest."""
    low, high = found.interval()
    count = len(found.value)
    shares = Shares(found.value, low, high, found.fitted, stderr=found.stderr)
    largest = np.argsort(-shares.best_known, kind="stable")[:LARGEST]
    places = np.arange(count) if count <= IN_ORDER else largest
    columns = {"estimate": found.value, "stderr": found.stderr, "low": low, "high": high}
    columns |= {} if found.fitted is None else {"fitted": found.fitted}
    table = numbers_table("value", columns, places.tolist())
    chart = BarChart(tuple(map(str, places.tolist())), shares.of(places))
    title = "Shares" if count <= IN_ORDER else f"The {LARGEST} largest shares of {count:,}"
    return BlockGroup(title, (Plot(BarChart, lambda: chart), table, Sentence(INTERVALS)))


def _numbers(found: NormalEstimate) -> BlockGroup:
    count = found.value.size
    table = numbers_table("place", found.columns, range(min(count, IN_ORDER)))
    title = "Estimates" if count <= IN_ORDER else f"The first {IN_ORDER} of {count:,} estimates"
    return BlockGroup(title, (table, Sentence(INTERVALS)))


def _plan(plan: Plan) -> Iterator[Block]:
    said = explanation(plan)
    yield BlockGroup("What one report can reveal", said.summary)
    rows = tuple(question_texts(plan.questions[:MOST_QUESTIONS]))
    more = len(plan.questions) - len(rows)
    note = (Sentence(f"{more:,} more questions: to_arrow()."),) if more else ()
    yield BlockGroup("What people are asked", (TextTable("", QUESTION_HEADER, rows, note),))


def _mechanism_title(mechanism: Mechanism) -> str:
    return f"{type(mechanism).__name__} of {mechanism.k:,} values by {mechanism.outputs:,} codes"


def _mechanism(mechanism: Mechanism) -> Iterator[Block]:
    said = limits(*explain(mechanism))
    if mechanism.k > FEW or mechanism.outputs > FEW:
        yield BlockGroup("A report", said)
        return
    header = ("value", *(f"code {code}" for code in range(mechanism.outputs)))
    rows = (
        (str(value), *(f"{probability:.4f}" for probability in row))
        for value, row in enumerate(mechanism.probabilities().tolist())
    )
    table = TextTable("", header, tuple(rows), (Sentence("The probability of each code, given the value."),))
    yield BlockGroup("A report", (*said, table))
