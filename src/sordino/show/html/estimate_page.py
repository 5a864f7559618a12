"""The page of an estimate: maps, histograms with intervals, the largest values, and what a report can reveal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sordino.blocks.block import Block, Heading, blocks_of
from sordino.blocks.sentence import Purpose, texts
from sordino.exact.amount_text import DIGITS, loss_text_beside
from sordino.exact.nats import upward
from sordino.show.derived import pooled_blocks, poststratified_blocks, within_blocks
from sordino.show.html.block_sections import sections_of
from sordino.show.html.descriptions import region_in_words
from sordino.show.html.figures.error_region import error_region, frequent, region_of, tightest
from sordino.show.html.page import Figure, PageTable, Section, Sentences, render
from sordino.survey.estimates.rows import LARGEST
from sordino.survey.estimates.shares import HistogramResult
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.survey.questions.question import SharesQuestion
from sordino.survey.results.pooled import PooledResult
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.result import Result
from sordino.words.coverage import FINITE, POPULATION
from sordino.words.explain_certificate import certificate_sentences
from sordino.words.explain_plan import Explanation, explanation
from sordino.words.odds_by_attribute import coordinate_sentences

ALIKE = " These two answers are frequent ones; the promise allows as much of them as where least is left."
"""Where others would say nothing to anybody."""

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
) -> str:
    """A self-contained HTML page.

    Args:
        plan: that the reports belong to.
        results: the estimate of each of its questions.
        title: of the page; the attributes' names by default.
        known: what a simulation knows beside.
        poststratified: tables by margins that are known otherwise.
        pooled: quantities that several questions tell.
    """
    known = known or SimulationTruth()
    shown = known.blocks or tuple(result.blocks() for result in results)
    headings = [heading for blocks in shown for heading in blocks_of(Heading, blocks)]
    sections: list[Section] = [known.comparison] if known.comparison is not None else []
    for result, blocks in zip(results, shown, strict=True):
        sections += sections_of(blocks, several=len(results) > 1)
        sections += sections_of(within_blocks([result]))
    for made in (*map(pooled_blocks, pooled), *map(poststratified_blocks, poststratified)):
        sections += sections_of(made)
    sections.append(revealed_section(explanation(plan)))
    if plan.promise is not None:
        sections.append(Section("The certificate of each attribute", (_promise(plan.promise),)))
    shares = {one.question.name: one.shares for one in results}
    counted = {question.name: question for question in plan.about_shares}
    for question, certificate in plan.certificates:
        about = f" for {question.name}" if len(results) > 1 else ""
        said = Sentences(certificate_sentences(certificate, question.values))
        asked = counted.get(question.name)
        region = () if asked is None else _region(asked, shares.get(question.name))
        sections.append(Section(f"The certificate{about}", (said, *region)))
    sections.append(Section("The plan", (Sentences((plan.hash,)),)))
    if known.notes:
        sections.append(Section("The data", (Sentences(known.notes),)))
    reports = sum(heading.n for heading in headings)
    lead = f"{reports:,} reports about {_about(headings)}."
    if any(heading.is_estimated for heading in headings):
        finite = any(one.coverage.finite for one in shares.values() if one is not None)
        lead = " ".join([lead, *(FINITE if finite else POPULATION)])
    return render(title or _title(headings), lead, sections)


def revealed_section(said: Explanation) -> Section:
    """What a report can tell: the sentences that matter most, and the others when they are asked for."""
    more = tuple(Sentences(paragraph.lines, paragraph.heading) for paragraph in said.details)
    return Section("What one report can reveal", (Sentences(texts(said.summary)),), more, "All that it can reveal")


def _title(headings: Sequence[Heading]) -> str:
    names, nouns = [heading.name for heading in headings], {heading.noun for heading in headings}
    if len(nouns) == 1 and (noun := nouns.pop()):
        return f"{noun.capitalize()} of {', '.join(names)}"
    return names[0][0].upper() + names[0][1:] if len(names) == 1 else f"Estimates for {len(names)} questions"


def _about(headings: Sequence[Heading]) -> str:
    """What the reports are about, and how distributions were fitted to them."""
    methods = sorted({heading.method for heading in headings if heading.method})
    fitted = f"; fitted by {' and '.join(methods)}" if methods else ""
    if all(heading.values for heading in headings):
        return f"{sum(heading.values for heading in headings):,} values{fitted}"
    return "; ".join(ABOUT.get(heading.noun, "") + heading.name for heading in headings) + fitted


def _promise(promise: CoordinatePromise) -> PageTable:
    """The most that a report can tell about each attribute, beside what is promised."""
    header = ("attribute", "told at most, nats", "promised, nats", "rests on dependence")
    rows = [
        (
            f"{name}, which of {bins} bins" if (bins := promise.bins_of(i)) else name,
            loss_text_beside(promise.losses[i], promise.deltas[i]),
            upward(promise.deltas[i], DIGITS),
            "yes" if promise.relies(i) else "no",
        )
        for i, name in enumerate(promise.names)
    ]
    level = loss_text_beside(promise.level, promise.epsilon)
    rows.append(("the whole record", level, upward(promise.epsilon, DIGITS), "no"))
    # What each reaches stands in the rows.
    said = (sentence.text for sentence in coordinate_sentences(promise) if sentence.purpose is not Purpose.REACHED)
    return PageTable(header, tuple(rows), " ".join(said))


def _region(question: SharesQuestion, result: HistogramResult | None) -> tuple[Figure, ...]:
    """How well anybody can tell two values by a report: of many values two that are frequent."""
    if question.certificate.witness is None:
        return ()
    pair = tightest(question)
    note = (
        "What a test can decide: whoever tests by a report which of the two answers was given errs at least as often as"
        " the boundary says."
    )
    if result is not None and question.domain.k > LARGEST:
        pair = frequent(question, result.largest(LARGEST).tolist())
        note += ALIKE if pair != tightest(question) else ""
    region = region_of(question, pair)
    return (Figure(error_region(*region), region_in_words(*region), note=note),)
