"""Blocks of what was found, for whoever reads no further: a sentence of each question, before anything else.

Guarantee: which questions have a sentence does not depend on the reports, but on the survey: the first of its order,
tables after all others. Within a question, and over all pairs and groups that are looked at, limits hold together where
the largest or the clearest is chosen. So each sentence is wrong as rarely as its interval says. Those that claim
something beyond noise stand first.
"""

from collections.abc import Iterator, Sequence

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.digits import round_row
from sordino.blocks.finding import Finding, Topic, in_brackets
from sordino.blocks.sentence import Purpose, Sentence
from sordino.show.associations import associations_in_words
from sordino.show.series import changed_quantities, changes_in_words
from sordino.survey.results.associations import Associations
from sordino.survey.results.groups import REST, ClearestDifference, GroupedResults
from sordino.survey.results.over_time.plan_series import PlanSeries
from sordino.survey.results.result import Result, Untold

TITLE = "What was found"

TABLE = "table"
"""The kind of questions that stand after the others."""

MOST_NAMED = 3
"""Questions without an estimate that are named."""

MOST_QUESTIONS = 8
"""Whose findings are said."""

BY_ITSELF = "Each of these sentences holds by itself, with its own confidence."


def finding_blocks(
    results: Sequence[Result],
    found: Associations,
    groups: GroupedResults | None = None,
    series: PlanSeries | None = None,
) -> Iterator[Block]:
    """The findings of the first questions, the sure ones first, and how many more questions there are.

    Args:
        results: of a plan, in its order.
        found: how attributes of tables go together.
        groups: estimates by groups of people.
        series: estimates of each period.
    """
    in_order = sorted(results, key=lambda result: result.question.kind == TABLE)
    own = [finding for result in in_order[:MOST_QUESTIONS] for finding in result.findings()]
    findings = [*_about_several(found, groups), *_over_time(series), *own]
    findings.sort(key=lambda finding: (not finding.is_sure, finding.topic.value))
    said = [finding.text for finding in findings]
    said += [BY_ITSELF] if len(said) > 1 else []
    said += _not_said(sum(not isinstance(result, Untold) for result in in_order[MOST_QUESTIONS:]))
    said += _not_estimated(results)
    if said:
        yield BlockGroup(TITLE, tuple(Sentence(text, Purpose.FINDING) for text in said))


def _not_said(count: int) -> Iterator[str]:
    """Of so many questions nothing is said here."""
    if count > 0:
        yield f"The findings of {count:,} more question{'' if count == 1 else 's'} stand with their estimates."


def _about_several(found: Associations, groups: GroupedResults | None) -> Iterator[Finding]:
    """Of attributes of tables, and of groups of people."""
    if found.pairs:
        error = 1 - found.pairs[0].table.coverage.confidence
        is_sure = any(adjusted is not None and adjusted <= error for adjusted in found.adjusted)
        yield Finding(Topic.ASSOCIATION, associations_in_words(found), is_sure)
    if groups is not None and groups.differences:
        clearest = groups.clearest()
        text = f"By {groups.name}: no group differs from {_others(groups)} beyond noise."
        if clearest is not None:
            text = _difference_in_words(clearest, groups)
        yield Finding(Topic.GROUPS, text, clearest is not None)


def _over_time(series: PlanSeries | None) -> Iterator[Finding]:
    """Of the first questions that are estimated over time the clearest change."""
    if series is None:
        return
    for question in series.questions[:MOST_QUESTIONS]:
        if said := next(changes_in_words(question, series), ""):
            yield Finding(Topic.SERIES, said, bool(changed_quantities(question)))


def _difference_in_words(clearest: ClearestDifference, groups: GroupedResults) -> str:
    """Which group has how much more or less than others."""
    row, sign = clearest.row, 1 if clearest.row.together.value > 0 else -1
    ends = sorted((sign * row.together.low, sign * row.together.high))
    scale = 100 if row.is_share else 1
    numbers = dict(zip(("estimate", "low", "high"), (sign * row.together.value, *ends), strict=True))
    texts = round_row({name: scale * number for name, number in numbers.items()})
    texts["estimate"] += " percentage points" if row.is_share else " days" if row.has_dates else ""
    share = in_brackets(texts, groups.coverage.confidence, "all differences")
    side = ("later", "earlier") if row.has_dates else ("higher", "lower")
    group, of = clearest.of.group, "the share of " if row.is_share else ""
    about = row.label if row.label in clearest.question else f"{row.label} ({clearest.question})"
    return f"By {groups.name}: {of}{about} is {side[sign < 0]} in {group} than among {_others(groups)}, by {share}."


def _others(groups: GroupedResults) -> str:
    minus = groups.differences[0].minus
    return "all other people" if minus == REST else minus


def _not_estimated(results: Sequence[Result]) -> Iterator[str]:
    """Which questions the reports do not answer."""
    names = [result.question.name for result in results if isinstance(result, Untold)]
    if not names:
        return
    reports = sum(result.n for result in results)
    if len(names) == len(results):
        yield f"Nothing can be estimated yet: {reports:,} report{'' if reports == 1 else 's'} are too few."
        return
    rest = f"; and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    yield f"Not estimated from so few reports: {'; '.join(names[:MOST_NAMED])}{rest}."
