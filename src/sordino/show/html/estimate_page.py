"""The page of an estimate: maps, histograms with intervals, the largest values, and what a report can reveal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from sordino.blocks.block import Block, Heading, blocks_of
from sordino.blocks.sentence import texts
from sordino.show.associations import association_blocks
from sordino.show.certificates import promise_group
from sordino.show.derived import pooled_blocks, poststratified_blocks, within_blocks
from sordino.show.findings import finding_blocks
from sordino.show.groups import grouped_blocks
from sordino.show.html.block_sections import sections_of
from sordino.show.html.descriptions import region_in_words
from sordino.show.html.figures.privacy.error_region import error_region, frequent, region_of, tightest
from sordino.show.html.page import Figure, Fold, PageTable, Section, SectionPart, Sentences, render
from sordino.show.series import series_blocks
from sordino.show.weighted import weighted_blocks
from sordino.survey.estimates.rows import LARGEST
from sordino.survey.estimates.shares import HistogramResult
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.question import SharesQuestion
from sordino.survey.results.associations import associations
from sordino.survey.results.groups import GroupedResults
from sordino.survey.results.over_time.plan_series import PlanSeries
from sordino.survey.results.pooled import PooledResult
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.result import Result
from sordino.survey.results.weighted import Unweighted, Weighted
from sordino.words.coverage import FINITE, POPULATION
from sordino.words.explain_certificate import certificate_sentences
from sordino.words.explain_plan import Explanation, explanation
from sordino.words.explain_questionnaire import survey_title

ALIKE = " These two answers are frequent; the promise allows as much for them as for the tightest case."
"""Where others would say nothing to anybody."""

TABLE = "table"
"""What a heading says of a table's question."""

CHECKED = "How this was checked"
"""The section of all certificates."""

MANY = 4
"""Tables of which each is folded, so that what all of them show stands first."""

MOST_ROWS = 60
"""Of tables by groups, or weighted, that stand open together."""

ABOUT = {"shares": "shares of ", "distribution": "the distribution of "}
"""What reports are about, before the question's name."""


@dataclass(frozen=True, eq=False)
class SimulationTruth:
    """What a simulation knows beside its estimate.

    Attributes:
        blocks: of the results, with the truth beside the estimates; their own by default.
        comparison: a section to show first.
        notes: sentences about the data, shown last.
    """

    blocks: Sequence[Sequence[Block]] = ()
    comparison: Section | None = None
    notes: tuple[str, ...] = field(default=())


def estimate_page(
    plan: Plan,
    results: Sequence[Result],
    title: str = "",
    known: SimulationTruth | None = None,
    poststratified: Sequence[Poststratified] = (),
    pooled: Sequence[PooledResult] = (),
    groups: GroupedResults | None = None,
    weighted: Weighted | Unweighted | None = None,
    *,
    series: PlanSeries | None = None,
) -> str:
    """A self-contained HTML page.

    Args:
        plan: that the reports belong to.
        results: the estimate of each of its questions.
        title: of the page; by default the survey's own, or its attributes' names.
        known: what a simulation knows beside.
        poststratified: tables by margins that are known otherwise.
        pooled: quantities that several questions tell.
        groups: estimates by groups of people.
        weighted: estimates by known totals of public groups.
        series: estimates of each period.
    """
    known = known or SimulationTruth()
    shown = known.blocks or tuple(result.blocks() for result in results)
    headings = [heading for blocks in shown for heading in blocks_of(Heading, blocks)]
    sections: list[Section] = [known.comparison] if known.comparison is not None else []
    related = associations(results)
    sections += sections_of((*finding_blocks(results, related, groups, series), *association_blocks(related)))
    sections += sections_of(() if series is None else series_blocks(series))
    about_questions = [
        [*sections_of(blocks, several=len(results) > 1), *sections_of(within_blocks([result]))]
        for result, blocks in zip(results, shown, strict=True)
    ]
    about_several = [sections_of(pooled_blocks(one)) for one in pooled]
    tables = [place for place, heading in enumerate(headings) if heading.asked == TABLE]
    is_long = _has_many_tables(headings)
    sections += chain(*(each for place, each in enumerate(about_questions) if not (is_long and place in tables)))
    if is_long:
        sections += _folded_sections("From several questions together", about_several, [one.name for one in pooled])
        names = [_name(headings[place], about_questions[place]) for place in tables]
        sections += _folded_sections("Each table", [about_questions[place] for place in tables], names)
    else:
        sections += chain(*about_several)
    sections += chain(*(sections_of(poststratified_blocks(one)) for one in poststratified))
    sections += map(_with_folded_tables, sections_of(() if weighted is None else weighted_blocks(weighted)))
    sections += () if groups is None else _grouped_sections(groups)
    explained = explanation(plan)
    sections += [*questionnaire_sections(explained), revealed_section(explained)]
    certified = _certificates(plan, results)
    if plan.promise is not None:
        certified = [*sections_of((promise_group(plan.promise),)), *certified]
    sections += _folded_sections(CHECKED, [[one] for one in certified], [one.title for one in certified])
    sections.append(Section("The plan", (Sentences((plan.hash,)),)))
    if known.notes:
        sections.append(Section("The data", (Sentences(known.notes),)))
    reports = sum(heading.n for heading in headings)
    lead = f"{reports:,} reports about {_about(headings)}."
    if any(heading.is_estimated for heading in headings):
        finite = any(one.shares is not None and one.shares.coverage.finite for one in results)
        lead = " ".join([lead, *(FINITE if finite else POPULATION)])
    return render(title or survey_title(plan) or _title(headings), lead, sections)


def questionnaire_sections(said: Explanation) -> tuple[Section, ...]:
    """What people were asked, where the survey has words for it: who asks, and the questions when they are wanted."""
    if not said.questionnaire:
        return ()
    about, *sections = said.questionnaire
    questions = tuple(Sentences(paragraph.lines, paragraph.heading) for paragraph in sections)
    # Its title is the page's.
    return (Section("What people are asked", (Sentences(about.lines),), (Fold("The questions", questions),)),)


def _folded_sections(title: str, groups: Sequence[Sequence[Section]], names: Sequence[str]) -> Iterator[Section]:
    """One section in which each group of sections is folded."""
    folds = tuple(
        Fold(name, tuple(part for section in group for part in _with_title(section, alone=len(group) == 1)))
        for name, group in zip(names, groups, strict=True)
    )
    if folds:
        yield Section(title, (), folds)


def _grouped_sections(groups: GroupedResults) -> list[Section]:
    """By groups: of many rows those of each question are folded; reports, and whether groups are equal, are not."""
    sections = sections_of(grouped_blocks(groups))
    if _row_count(sections) <= MOST_ROWS:
        return sections
    last = len(sections) - bool(groups.tests)
    each = sections[1:last]
    folded = _folded_sections(f"Estimates by {groups.name}", [[one] for one in each], [one.title for one in each])
    return [sections[0], *folded, *sections[last:]]


def _with_folded_tables(section: Section) -> Section:
    """The same, its tables folded where they have many rows together."""
    if _row_count([section]) <= MOST_ROWS:
        return section
    tables = [part for part in section.parts if isinstance(part, PageTable)]
    others = tuple(part for part in section.parts if not isinstance(part, PageTable))
    return Section(section.title, others, (*section.folds, *(Fold(table.header[0], (table,)) for table in tables)))


def _row_count(sections: Sequence[Section]) -> int:
    """Of all tables."""
    return sum(len(part.rows) for one in sections for part in one.parts if isinstance(part, PageTable))


def _name(heading: Heading, sections: Sequence[Section]) -> str:
    """Of a question; that it is not estimated, where it is not."""
    return heading.name if heading.is_estimated or not sections else sections[0].title


def _with_title(section: Section, *, alone: bool) -> Iterator[SectionPart]:
    """The parts of a section within another; its title above them, unless it is alone."""
    parts = iter(section.parts)
    if not alone:
        yield Sentences((), section.title)
    yield from parts


def _certificates(plan: Plan, results: Sequence[Result]) -> list[Section]:
    """How each question was checked."""
    shares = {one.question.name: one.shares for one in results}
    counted = {question.name: question for question in plan.about_shares}
    sections = []
    for question, certificate in plan.certificates:
        about = f" for {question.name}" if len(results) > 1 else ""
        said = Sentences(certificate_sentences(certificate, question.values))
        asked = counted.get(question.name)
        region = () if asked is None else _region(asked, shares.get(question.name))
        sections.append(Section(f"The certificate{about}", (said, *region)))
    return sections


def revealed_section(said: Explanation) -> Section:
    """What a report can reveal: the sentences that matter most, and the others when they are asked for."""
    more = tuple(Sentences(paragraph.lines, paragraph.heading) for paragraph in said.details)
    folds = (Fold("All that it can reveal", more),) if more else ()
    return Section("What one report can reveal", (Sentences(texts(said.summary)),), folds)


def _has_many_tables(headings: Sequence[Heading]) -> bool:
    """Whether there are too many tables to name them all."""
    return sum(heading.asked == TABLE for heading in headings) >= MANY


def _title(headings: Sequence[Heading]) -> str:
    names, nouns = [heading.name for heading in headings], {heading.noun for heading in headings}
    if _has_many_tables(headings):
        attributes = {name for heading in headings for name in heading.attributes}
        return f"{len(headings)} questions about {len(attributes)} attributes"
    if len(nouns) == 1 and (noun := nouns.pop()):
        return f"{noun.capitalize()} of {', '.join(names)}"
    return names[0][0].upper() + names[0][1:] if len(names) == 1 else f"Estimates for {len(names)} questions"


def _about(headings: Sequence[Heading]) -> str:
    """What the reports are about, and how distributions were fitted to them."""
    methods = sorted({heading.method for heading in headings if heading.method})
    fitted = f"; fitted by {' and '.join(methods)}" if methods else ""
    if all(heading.values for heading in headings):
        return f"{sum(heading.values for heading in headings):,} values{fitted}"
    if _has_many_tables(headings):
        return ", ".join(dict.fromkeys(name for heading in headings for name in heading.attributes)) + fitted
    return "; ".join(ABOUT.get(heading.noun, "") + heading.name for heading in headings) + fitted


def _region(question: SharesQuestion, result: HistogramResult | None) -> tuple[Figure, ...]:
    """How well a report distinguishes two values: of many values two that are frequent."""
    if question.certificate.witness is None:
        return ()
    pair = tightest(question)
    note = (
        "What a test can decide: any test that guesses from a report which of the two answers was given errs at least"
        " as often as the boundary shows."
    )
    if result is not None and question.domain.k > LARGEST:
        pair = frequent(question, result.largest(LARGEST).tolist())
        note += ALIKE if pair != tightest(question) else ""
    region = region_of(question, pair)
    return (Figure(error_region(*region), region_in_words(*region), note=note),)
