"""Pages of a plan: its estimates with all that a report can reveal, a change of two collections, and the dashboard.

The dashboard is the page of all estimates with a bar above and one script, which asks its own collector and nobody else
for how many reports there are, and, with a token that is typed in and kept in the page's memory alone, for the page of
estimates, whose parts take the place of its own. Nothing comes from another address; the policy names the script by its
hash.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from markupsafe import Markup

from sordino.blocks.block import Block, Heading, blocks_of
from sordino.blocks.sentence import texts
from sordino.blocks.tables import QuantityTable
from sordino.distinct import DistinctParts
from sordino.exact.amount_text import loss_text_of
from sordino.show.certificates import promise_group
from sordino.show.findings import BY_ITSELF, TITLE, finding_blocks, findings_of
from sordino.show.html.block_sections import sections_of
from sordino.show.html.descriptions import region_in_words
from sordino.show.html.figures.error_region import error_region, frequent, region_of, tightest
from sordino.show.html.page import (
    POLICY,
    BarGroup,
    BarRow,
    BarTable,
    Figure,
    Fold,
    PageTable,
    Section,
    SectionPart,
    Sentences,
    fill,
    hash_of,
    render,
    render_searched,
    script_of,
)
from sordino.survey.kinds.estimate_rows import LARGEST
from sordino.survey.kinds.promised_channel import PromisedChannel
from sordino.survey.kinds.question import SharesQuestion
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Result, Untold
from sordino.views.collection_changes import INDEPENDENT, CollectionChanges
from sordino.views.view import Folding, View, Views
from sordino.words.coverage_sentences import FINITE, POPULATION
from sordino.words.explain_certificate import certificate_sentences
from sordino.words.explain_plan import Explanation, explanation
from sordino.words.explain_questionnaire import section_titles, survey_title

ALIKE = " These two answers are frequent; the promise allows as much for them as for the tightest case."
"""Where others would say nothing to anybody."""

ALL_OF_IT = (
    "What else it can reveal, and the certificate of each question, stand in what explain and certify say of the plan."
)
"""Where the rest is, of a large survey."""

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
    views: Views | None = None,
) -> str:
    """A self-contained HTML page.

    Args:
        plan: that the reports belong to.
        results: the estimate of each of its questions.
        title: of the page; by default the survey's own, or its attributes' names.
        known: what a simulation knows beside.
        views: what is made of several results.
    """
    if plan.is_large and known is None:
        return _large_page(plan, results, title, views)
    known = known or SimulationTruth()
    shown = known.blocks or tuple(result.blocks() for result in results)
    headings = [heading for blocks in shown for heading in blocks_of(Heading, blocks)]
    sections: list[Section] = [known.comparison] if known.comparison is not None else []
    before, after = ([], []) if views is None else views.before_and_after("page")
    sections += sections_of(finding_blocks(results, views or ()))
    sections += chain.from_iterable(_view_sections(view) for view in before)

    def blocks_beside(result: Result) -> Iterator[Block]:
        return chain.from_iterable(view.question_blocks(result) for view in views or ())

    about_questions = [
        [*sections_of(blocks, several=len(results) > 1), *sections_of(blocks_beside(result))]
        for result, blocks in zip(results, shown, strict=True)
    ]
    is_long = _has_many_tables(headings)
    is_joined = [one.question.is_joined and "together" in (views or ()) for one in results]
    tables = [place for place, one in enumerate(headings) if one.asked == TABLE and (is_long or is_joined[place])]
    sections += chain(*(each for place, each in enumerate(about_questions) if place not in tables))
    by_parts = [view for view in after if view.folding is Folding.PARTS]
    sections += chain.from_iterable(_view_sections(view, is_long=is_long) for view in by_parts)
    if tables:
        names = [_name(headings[place], about_questions[place]) for place in tables]
        sections += _folded_sections("Each table", [about_questions[place] for place in tables], names)
    sections += chain.from_iterable(_view_sections(view) for view in after if view not in by_parts)
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
    about = ", ".join(dict.fromkeys(name for heading in headings for name in heading.attributes))
    lead = f"{reports:,} reports about {about if any(is_joined) else _about(headings)}."
    if any(heading.is_estimated for heading in headings):
        finite = any(one.shares is not None and one.shares.coverage.finite for one in results)
        lead = " ".join([lead, *(FINITE if finite else POPULATION)])
    return render(title or survey_title(plan) or _title(headings), lead, sections)


def _large_page(plan: Plan, results: Sequence[Result], title: str, views: Views | None) -> str:
    """The page of a large survey: what was found, by section, then the questions of each section in a few bytes.

    It has no pictures of single questions, and no certificate of each: what is as large as
    that, `sordino explain` and `certify` show.
    """
    before, after = ([], []) if views is None else views.before_and_after("page")
    explained, coverage = explanation(plan), next(one.coverage for one in results if not isinstance(one, Untold))
    by_section = tuple(_by_section(plan, results))
    found = tuple(
        (name, finding.text) for name, own in by_section for finding in islice(findings_of(own[0], views or ()), 1)
    )
    sections = [Section(TITLE, (PageTable(("first question of", "what was found"), found, BY_ITSELF),))]
    sections += chain.from_iterable(_view_sections(view) for view in before)
    for name, own in by_section:
        groups = BarTable(tuple(map(_bar_group, own)), f"{100 * coverage.confidence:.15g} % interval")
        sections.append(Section(name, (groups,)))
    sections += chain.from_iterable(_view_sections(view, is_long=True) for view in after)
    sections += questionnaire_sections(explained)
    sections.append(Section("What one report can reveal", (Sentences((*texts(explained.summary), ALL_OF_IT)),)))
    if (least := plan.certificate) is not None:
        holds = f"All {len(plan.certificates):,} certificates hold; the tightest case:"
        question = min(plan.certificates, key=lambda each: each[1].slack)[0]
        sections.append(Section(CHECKED, (Sentences((holds, *certificate_sentences(least, question))),)))
    sections.append(Section("The plan", (Sentences((plan.hash,)),)))
    reports = sum(result.n for result in results)
    said = (coverage.sentence("number").text, *(FINITE if coverage.finite else POPULATION))
    lead = f"{reports:,} reports about {len(results):,} questions. {' '.join(said)}"
    return render_searched(title or survey_title(plan) or f"{len(results):,} questions", lead, sections)


def _by_section(plan: Plan, results: Sequence[Result]) -> Iterator[tuple[str, list[Result]]]:
    """The questions of each section of the survey, by their first attribute; all others at the end."""
    left = {result.question.name: result for result in results if not result.question.is_joined}
    for title, names in section_titles(plan):
        own = [one for one in left.values() if one.question.attribute_names[0] in names]
        if own:
            yield title or "Questions", own
        left = {name: one for name, one in left.items() if one not in own}
    if left:
        yield "Other questions" if len(left) < len(results) else "Questions", [*left.values()]


def _bar_group(result: Result) -> BarGroup:
    reports = f"{result.n:,} report{'' if result.n == 1 else 's'}"
    note = f"not estimated from {reports}" if isinstance(result, Untold) else reports
    tables = blocks_of(QuantityTable, result.blocks())
    return BarGroup(result.question.title, note, tuple(row for table in tables for row in _bar_rows(table)))


def _bar_rows(table: QuantityTable) -> Iterator[BarRow]:
    for place in table.readable:
        numbers = table.numbers(place)
        texts, is_share = table.texts(place), table.is_share(place)
        ends = [100 * numbers[name] for name in ("estimate", "low", "high")]
        interval = f"{texts['low'].removesuffix(' %')} to {texts['high']}"
        bar = (ends[0], ends[1], ends[2]) if is_share else None
        label = table.label_read(place)
        # A single number is the question itself; a value may have a name that is part of its question.
        is_question = label == table.question_read if is_share else label in table.question_read
        yield BarRow(table.noun if is_question else label, texts["estimate"], interval, bar)


def questionnaire_sections(said: Explanation) -> tuple[Section, ...]:
    """What people were asked, where the survey has words for it: who asks, and the questions when they are wanted."""
    if not said.questionnaire:
        return ()
    about, *sections = said.questionnaire
    questions = tuple(Sentences(paragraph.lines, paragraph.heading) for paragraph in sections)
    # Its title is the page's.
    return (Section("What people are asked", (Sentences(about.lines),), (Fold("The questions", questions),)),)


def _folded_sections(title: str, groups: Sequence[Sequence[Section]], names: Sequence[str]) -> Iterator[Section]:
    folds = tuple(
        Fold(name, tuple(part for section in group for part in _with_title(section, alone=len(group) == 1)))
        for name, group in zip(names, groups, strict=True)
    )
    if folds:
        yield Section(title, (), folds)


def _view_sections(view: View, *, is_long: bool = False) -> Iterator[Section]:
    parts = [(part, sections_of(part.blocks)) for part in view.parts()]
    sections = [section for _, own in parts for section in own]
    match view.folding:
        case Folding.PARTS if is_long:
            yield from _folded_sections(view.fold_title, [own for _, own in parts], [part.name for part, _ in parts])
        case Folding.TABLES:
            yield from map(_with_folded_tables, sections)
        case Folding.SECTIONS if _row_count(sections) > MOST_ROWS:
            for part, own in parts:
                titles = [one.title for one in own]
                yield from own if part.stays_open else _folded_sections(view.fold_title, [[one] for one in own], titles)
        case _:
            yield from sections


def _with_folded_tables(section: Section) -> Section:
    if _row_count([section]) <= MOST_ROWS:
        return section
    tables = [part for part in section.parts if isinstance(part, PageTable)]
    others = tuple(part for part in section.parts if not isinstance(part, PageTable))
    return Section(section.title, others, (*section.folds, *(Fold(table.header[0], (table,)) for table in tables)))


def _row_count(sections: Sequence[Section]) -> int:
    return sum(len(part.rows) for one in sections for part in one.parts if isinstance(part, PageTable))


def _name(heading: Heading, sections: Sequence[Section]) -> str:
    """Of a question; that it is not estimated, where it is not."""
    return heading.readable if heading.is_estimated or not sections else sections[0].title


def _with_title(section: Section, *, alone: bool) -> Iterator[SectionPart]:
    """The parts of a section within another; its title above them, unless it is alone."""
    parts = iter(section.parts)
    if not alone:
        yield Sentences((), section.title)
    yield from parts


def _certificates(plan: Plan, results: Sequence[Result]) -> list[Section]:
    shares = {one.question.name: one.shares for one in results}
    counted = {question.name: question for question in plan.about_shares}
    sections, drawn, amount = [], DistinctParts(), cache(loss_text_of)
    for question, certificate in plan.certificates:
        about = f" for {question.title}" if len(results) > 1 else ""
        said = Sentences(certificate_sentences(certificate, question, amount))
        asked = counted.get(question.name)
        region = () if asked is None else _region(asked, shares.get(question.name), drawn)
        sections.append(Section(f"The certificate{about}", (said, *region)))
    return sections


def revealed_section(said: Explanation) -> Section:
    """What a report can reveal: the sentences that matter most, and the others when they are asked for."""
    more = tuple(Sentences(paragraph.lines, paragraph.heading) for paragraph in said.details)
    folds = (Fold("All that it can reveal", more),) if more else ()
    return Section("What one report can reveal", (Sentences(texts(said.summary)),), folds)


def _has_many_tables(headings: Sequence[Heading]) -> bool:
    return sum(heading.asked == TABLE for heading in headings) >= MANY


def _title(headings: Sequence[Heading]) -> str:
    names, nouns = [heading.readable for heading in headings], {heading.noun for heading in headings}
    if _has_many_tables(headings):
        attributes = {name for heading in headings for name in heading.attributes}
        return f"{len(headings)} questions about {len(attributes)} attributes"
    if len(nouns) == 1 and (noun := nouns.pop()):
        return f"{noun.capitalize()} of {', '.join(names)}"
    return names[0][0].upper() + names[0][1:] if len(names) == 1 else f"Estimates for {len(names)} questions"


def _about(headings: Sequence[Heading]) -> str:
    methods = sorted({heading.method for heading in headings if heading.method})
    fitted = f"; fitted by {' and '.join(methods)}" if methods else ""
    if all(heading.values for heading in headings):
        return f"{sum(heading.values for heading in headings):,} values{fitted}"
    if _has_many_tables(headings):
        return ", ".join(dict.fromkeys(name for heading in headings for name in heading.attributes)) + fitted
    return "; ".join(ABOUT.get(heading.noun, "") + heading.readable for heading in headings) + fitted


class RegionPart(NamedTuple):
    """All that a figure of how well a report distinguishes two values shows.

    Attributes:
        channel: the integers with their promise.
        pair: the two values.
        labels: their names.
        note: below the figure.
    """

    channel: PromisedChannel
    pair: tuple[int, int]
    labels: tuple[str, str]
    note: str


def _region(question: SharesQuestion, result: HistogramResult | None, drawn: DistinctParts) -> tuple[Figure, ...]:
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

    def draw() -> Figure:
        region = region_of(question, pair)
        return Figure(error_region(*region), region_in_words(*region), note=note)

    labels = question.value_title(pair[0]), question.value_title(pair[1])
    return (drawn.of(RegionPart(question.channel, pair, labels, note), draw),)


def change_page(view: CollectionChanges, title: str = "") -> str:
    """A self-contained HTML page of what changed.

    Args:
        view: all that is said of it.
        title: of the later survey; none if empty.
    """
    sections = [section for part in view.parts() for section in sections_of(part.blocks)]
    lead = f"{view.n[0]:,} reports, then {view.n[1]:,}. {INDEPENDENT} {' '.join(POPULATION)}"
    return render(f"{title}: what changed" if title else "What changed", lead, sections)


def dashboard(plan: Plan) -> str:
    """The page of a plan's collection before anything is asked: what a report can reveal, which is public."""
    script = script_of("dashboard.js")
    policy = f"{POLICY}; script-src '{hash_of(script)}'; connect-src 'self'; base-uri 'none'; form-action 'none'"
    about = ", ".join(question.title for question in plan.questions)
    lead = f"A collection of reports about {about}. The answers themselves stay on people's devices."
    said = explanation(plan)
    sections = [*questionnaire_sections(said), revealed_section(said)]
    more = {"policy": policy, "script": Markup(script), "people": str(plan.people)}  # noqa: S704 - our own file
    return fill("dashboard.html", survey_title(plan) or "Dashboard", lead, sections, **more)
