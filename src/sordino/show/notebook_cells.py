"""What notebooks show of nouns that stand below the words about them: plans, certificates, mechanisms, their estimates.

What the verbs give has cells of its own.
"""

from collections.abc import Iterator

import numpy as np

from sordino.audit.certify import Certificate
from sordino.blocks.block import Block, BlockGroup, Plot
from sordino.blocks.charts import BarChart, Shares
from sordino.blocks.displayed import Displayed
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.sentence import Sentence, limits
from sordino.blocks.summary import numbers_table
from sordino.blocks.tables import TextTable
from sordino.estimation.estimate import Estimate
from sordino.estimation.moments import NormalEstimate
from sordino.mechanism.base import Mechanism
from sordino.show.certificates import certificate_group
from sordino.survey.estimates.rows import IN_ORDER, LARGEST
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.question_rows import QUESTION_HEADER, question_texts
from sordino.words.explain import explain
from sordino.words.explain_plan import explanation

FEW = 10
"""Values, and codes, of a channel that is shown whole."""

INTERVALS = "Each 95% interval holds by itself."
"""Below a table of estimates."""

MOST_QUESTIONS = 40
"""Of a plan that are listed."""


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
    """The first numbers with their intervals."""
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
