"""Blocks of what was found, for whoever reads no further: a sentence of each topic, before anything else.

Guarantee: which question a topic's sentence is of does not depend on the reports, but on the survey's order; within a
question, and over all pairs and groups that are looked at, limits hold together where the largest or the clearest is
chosen. So each sentence is wrong as rarely as its interval says.
"""

from collections.abc import Iterator, Sequence

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.digits import round_row
from sordino.blocks.finding import Finding, Topic, in_brackets
from sordino.blocks.sentence import Purpose, Sentence
from sordino.show.associations import associations_in_words
from sordino.show.series import changes_in_words
from sordino.survey.results.associations import Associations
from sordino.survey.results.groups import REST, ClearestDifference, GroupedResults
from sordino.survey.results.over_time.plan_series import PlanSeries
from sordino.survey.results.result import Result, Untold

TITLE = "What was found"

MOST_NAMED = 3
"""Questions without an estimate that are named."""


def finding_blocks(
    results: Sequence[Result],
    found: Associations,
    groups: GroupedResults | None = None,
    series: PlanSeries | None = None,
) -> Iterator[Block]:
    """The first finding of each topic, or that nothing can be said.

    Args:
        results: of a plan, in its order.
        found: how attributes of tables go together.
        groups: estimates by groups of people.
        series: estimates of each period.
    """
    about_all = [*_about_several(found, groups), *_over_time(series)]
    findings = [*about_all, *(finding for result in results for finding in result.findings())]
    first = {finding.topic: finding for finding in reversed(findings)}
    said = [Sentence(first[topic].text, Purpose.FINDING) for topic in Topic if topic in first]
    said += [Sentence(text, Purpose.FINDING) for text in _not_estimated(results)]
    if said:
        yield BlockGroup(TITLE, tuple(said))


def _about_several(found: Associations, groups: GroupedResults | None) -> Iterator[Finding]:
    """Of attributes of tables, and of groups of people."""
    if found.pairs:
        yield Finding(Topic.ASSOCIATION, associations_in_words(found))
    if groups is not None and groups.differences:
        clearest = groups.clearest()
        text = f"By {groups.name}: no group differs from {_others(groups)} beyond noise."
        if clearest is not None:
            text = _difference_in_words(clearest, groups)
        yield Finding(Topic.GROUPS, text)


def _over_time(series: PlanSeries | None) -> Iterator[Finding]:
    """Of the first question that is estimated over time the clearest change."""
    if series is not None and series.questions and (said := next(changes_in_words(series.questions[0], series), "")):
        yield Finding(Topic.SERIES, said)


def _difference_in_words(clearest: ClearestDifference, groups: GroupedResults) -> str:
    """Which group has how much more or less than others."""
    row, sign = clearest.row, 1 if clearest.row.together.value > 0 else -1
    ends = sorted((sign * row.together.low, sign * row.together.high))
    scale = 100 if row.is_share else 1
    numbers = dict(zip(("estimate", "low", "high"), (sign * row.together.value, *ends), strict=True))
    texts = round_row({name: scale * number for name, number in numbers.items()})
    texts["estimate"] += " percentage points" if row.is_share else ""
    share = in_brackets(texts, groups.coverage.confidence, "all differences")
    side = "higher" if sign > 0 else "lower"
    group, of = clearest.of.group, "the share of " if row.is_share else ""
    about = row.label if row.label in clearest.question else f"{row.label} ({clearest.question})"
    return f"By {groups.name}: {of}{about} is {side} in {group} than among {_others(groups)}, by {share}."


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
