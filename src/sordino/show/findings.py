"""Blocks of what was found, for whoever reads no further: a sentence of each question, before anything else.

Guarantee: which questions have a sentence does not depend on the reports, but on the survey: the first of its order,
tables after all others. Within a question, and over all pairs and groups that are looked at, limits hold together where
the largest or the clearest is chosen. So each sentence is wrong as rarely as its interval says. Those that claim
something beyond noise stand first.
"""

from collections.abc import Iterable, Iterator, Sequence

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.survey.results.result import Result, Untold
from sordino.views.view import View

TITLE = "What was found"

TABLE = "table"
"""The kind of questions that stand after the others."""

MOST_NAMED = 3
"""Questions without an estimate that are named."""

MOST_QUESTIONS = 8
"""Whose findings are said."""

BY_ITSELF = "Each of these sentences holds by itself, with its own confidence."


def finding_blocks(results: Sequence[Result], views: Iterable[View] = ()) -> Iterator[Block]:
    """The findings of views and of the first questions, the sure ones first, and how many more questions there are.

    Args:
        results: of a plan, in its order.
        views: what is made of several of them.
    """
    # What is asked in place of histograms has its findings in theirs.
    asked = [result for result in results if not result.question.is_joined]
    in_order = sorted(asked, key=lambda result: result.question.kind == TABLE)
    views = list(views)
    own = [finding for result in in_order[:MOST_QUESTIONS] for finding in findings_of(result, views)]
    findings = [*(finding for view in views for finding in view.findings()), *own]
    findings.sort(key=lambda finding: (not finding.is_sure, finding.topic.value))
    said = [finding.text for finding in findings]
    said += [BY_ITSELF] if len(said) > 1 else []
    said += _not_said(sum(not isinstance(result, Untold) for result in in_order[MOST_QUESTIONS:]))
    said += _not_estimated(results)
    if said:
        yield BlockGroup(TITLE, tuple(Sentence(text, Purpose.FINDING) for text in said))


def findings_of(result: Result, views: Iterable[View]) -> Iterable[Finding]:
    """The findings of a question; of what several questions tell, by the reports of all of them."""
    told = (found for view in views if (found := view.findings_of(result)) is not None)
    return next(told, None) or result.findings()


def _not_said(count: int) -> Iterator[str]:
    if count > 0:
        yield f"The findings of {count:,} more question{'' if count == 1 else 's'} stand with their estimates."


def _not_estimated(results: Sequence[Result]) -> Iterator[str]:
    names = [result.question.title for result in results if isinstance(result, Untold)]
    if not names:
        return
    reports = sum(result.n for result in results)
    if len(names) == len(results):
        yield f"Nothing can be estimated yet: {reports:,} report{'' if reports == 1 else 's'} are too few."
        return
    rest = f"; and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    yield f"Not estimated from so few reports: {'; '.join(names[:MOST_NAMED])}{rest}."
