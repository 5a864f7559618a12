"""The page of an estimate: maps, histograms with intervals, the largest values, and what a report can reveal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sordino.domain.grid import Grid
from sordino.exact.amount_text import DIGITS, loss_text_beside
from sordino.exact.nats import upward
from sordino.page.descriptions import map_in_words, region_in_words, shares_in_words
from sordino.page.distribution_sections import distribution_sections
from sordino.page.figures.bars import Shares, bars
from sordino.page.figures.error_region import error_region, frequent, region_of, tightest
from sordino.page.figures.maps import maps
from sordino.page.histogram_sections import histogram_figures
from sordino.page.number_sections import instead_table, numbers_section
from sordino.page.page import Figure, PageTable, Section, Sentences, render
from sordino.page.pooled_sections import pooled_section
from sordino.page.table_sections import poststratified_section, table_sections
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.survey.questions.question import SharesQuestion
from sordino.survey.results.pooled import PooledResult
from sordino.survey.results.poststratified import Poststratified
from sordino.survey.results.questions.distribution import DistributionResult
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.rows import LARGEST
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.result import Result, Untold
from sordino.survey.results.table import table_results
from sordino.words.coverage import POPULATION, coverage_in_words, untold_in_words
from sordino.words.digits import rounded_share
from sordino.words.explain_certificate import certificate_sentences
from sordino.words.explain_plan import Explanation, explanation
from sordino.words.odds_by_attribute import kept
from sordino.words.sentence import Purpose, texts
from sordino.words.smoothing_choice import choice_in_words

READING = (
    "The estimate is right on average and what the standard error and the interval are about; noise can take it below"
    " zero, where intervals begin."
)
FITTED = (
    " The fitted share is that of the distribution near it: for maps, and for sums of many values. Its largest shares"
    " tend to be too low, for what noise adds to the smallest is taken from them."
)
"""What the numbers of a share are."""

ALIKE = " These two answers are frequent ones; the promise allows as much of them as where least is left."
"""Where others would say nothing to anybody."""

CENTRE = "centre of the cell, degrees north, east"
CELLS = " A cell is named by its centre: degrees north, negative in the south; then degrees east, negative in the west."


@dataclass(frozen=True, eq=False)
class SimulationTruth:
    """What a simulation knows beside its estimate.

    Attributes:
        truth: shape (k,), the true shares.
        others: titles and shares of more maps to draw beside.
        comparison: a section to show first.
        notes: sentences about the data, shown last.
    """

    truth: NDArray[np.float64] | None = None
    others: Sequence[tuple[str, NDArray[np.float64]]] = ()
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
        known: what a simulation of a single question knows beside.
        poststratified: tables by margins that are known otherwise.
        pooled: quantities that several questions tell.
    """
    known = known or SimulationTruth()
    sections: list[Section] = [known.comparison] if known.comparison is not None else []
    for result in results:
        if isinstance(result, Untold):
            sections.append(_untold(result))
        elif isinstance(result, NumbersResult):
            sections.append(numbers_section(result))
        elif isinstance(result, DistributionResult):
            sections += distribution_sections(result)
        else:
            sections += _sections(result, known, several=len(results) > 1)
            sections += [section for table in table_results([result]) for section in table_sections(table)]
    sections += map(pooled_section, pooled)
    sections += map(poststratified_section, poststratified)
    sections.append(revealed_section(explanation(plan)))
    if plan.promise is not None:
        sections.append(Section("The certificate of each attribute", (_promise(plan.promise),)))
    shares = {one.question.name: one for one in results if isinstance(one, HistogramResult)}
    for question, certificate in plan.certificates:
        about = f" for {question.name}" if len(results) > 1 else ""
        said = Sentences(certificate_sentences(certificate, question.values))
        region = _region(question, shares.get(question.name)) if isinstance(question, SharesQuestion) else ()
        sections.append(Section(f"The certificate{about}", (said, *region)))
    sections.append(Section("The plan", (Sentences((plan.hash,)),)))
    if known.notes:
        sections.append(Section("The data", (Sentences(known.notes),)))
    reports = sum(result.n for result in results)
    lead = f"{reports:,} reports about {_about(results)}."
    if not all(isinstance(result, Untold) for result in results):
        lead = " ".join([lead, *POPULATION])
    return render(title or _title(results), lead, sections)


def _untold(result: Untold) -> Section:
    said = (Sentences((untold_in_words(result),)),)
    instead = () if result.instead is None else (instead_table(result.instead),)
    return Section(f"{result.question.name}: not told by {result.n:,} reports", (*said, *instead))


def revealed_section(said: Explanation) -> Section:
    """What a report can tell: the sentences that matter most, and the others when they are asked for."""
    more = tuple(Sentences(paragraph.lines, paragraph.heading) for paragraph in said.details)
    return Section("What one report can reveal", (Sentences(texts(said.summary)),), more, "All that it can reveal")


def _title(results: Sequence[Result]) -> str:
    names = [result.question.name for result in results]
    if all(isinstance(result, HistogramResult) for result in results):
        return f"Shares of {', '.join(names)}"
    if all(isinstance(result, DistributionResult) for result in results):
        return f"Distribution of {', '.join(names)}"
    return names[0][0].upper() + names[0][1:] if len(names) == 1 else f"Estimates for {len(names)} questions"


def _about(results: Sequence[Result]) -> str:
    """What the reports are about, and how distributions were fitted to them."""
    shares = [result for result in results if isinstance(result, HistogramResult | DistributionResult)]
    if all(isinstance(result, HistogramResult) for result in results):
        values = sum(result.question.domain.k for result in shares)
        return f"{values:,} values{_methods(shares)}"
    method = _methods(shares)
    named = (_named(one) for one in results)
    return "; ".join(named) + method


def _named(result: Result) -> str:
    kinds = {HistogramResult: "shares of ", DistributionResult: "the distribution of "}
    return kinds.get(type(result), "") + result.question.name


def _methods(shares: Sequence[HistogramResult | DistributionResult]) -> str:
    methods = sorted({result.estimate.method for result in shares if result.fitted is not None})
    return f"; fitted by {' and '.join(methods)}" if methods else ""


def _promise(promise: CoordinatePromise) -> PageTable:
    """The most that a report can tell about each attribute, beside what is promised."""
    header = ("attribute", "told at most, nats", "promised, nats", "rests on dependence")
    rows = [
        (
            f"{name}, which of {bins} bins" if (bins := promise.binned(i)) else name,
            loss_text_beside(promise.reached[i], promise.deltas[i]),
            upward(promise.deltas[i], DIGITS),
            "yes" if promise.relies(i) else "no",
        )
        for i, name in enumerate(promise.names)
    ]
    level = loss_text_beside(promise.level, promise.epsilon)
    rows.append(("the whole record", level, upward(promise.epsilon, DIGITS), "no"))
    # What each reaches stands in the rows.
    said = (sentence.text for sentence in kept(promise) if sentence.purpose is not Purpose.REACHED)
    return PageTable(header, tuple(rows), " ".join(said))


def _sections(result: HistogramResult, known: SimulationTruth, *, several: bool) -> list[Section]:
    """A question's map, histogram, and bars beside their table."""
    domain, name = result.question.domain, result.question.name
    shares = Shares(result.estimate.value, *result.interval, result.fitted, known.truth)
    about = f" of {name}" if several else ""
    sections: list[Section] = []
    if isinstance(domain, Grid):
        sections.append(Section(f"Map{about}", _maps(domain, result, known)))
    histogram = histogram_figures(result, shares)
    if histogram:
        sections.append(Section(f"Histogram{about}", histogram))
    top = result.excerpt
    few = len(top) == domain.k
    labels = [domain.label(int(value)) for value in top]
    shown = shares.of(top)
    parts: list[Figure | PageTable] = [_table(result, labels, shown, top)]
    # What a histogram shows in order is not drawn again.
    if not (histogram and few):
        parts.insert(0, Figure(bars(labels, shown), shares_in_words(labels, shown), note=_bars_in_words(shown)))
    return [*sections, Section(f"{'Shares' if few else 'The largest shares'}{about}", tuple(parts))]


def _bars_in_words(shown: Shares) -> str:
    """What the numbers beside the bars are."""
    fitted = "" if shown.fitted is None else "; bars are the fitted shares"
    return f"The numbers on the right are the estimates, drawn as dots{fitted}."


def _maps(grid: Grid, result: HistogramResult, known: SimulationTruth) -> tuple[Figure, ...]:
    """What was fitted, and with it what a simulation knows."""
    panels = [("Truth", known.truth)] if known.truth is not None else []
    smoothed = result.estimate.method == "smoothed"
    title = "Smoothed shares" if smoothed else "Fitted shares" if result.fitted is not None else "Estimate"
    panels += [(title, result.estimate.by_method), *known.others]
    one = 1 / result.n
    drawings = maps(grid, [shares for _, shares in panels], one)
    alone = len(panels) == 1 and not smoothed
    return tuple(
        Figure(drawing, map_in_words(grid, title, shares, one), "" if alone else title, wide=True)
        for drawing, (title, shares) in zip(drawings, panels, strict=True)
    )


def _table(result: HistogramResult, labels: Sequence[str], shown: Shares, top: NDArray[np.intp]) -> PageTable:
    """Some values' estimates."""
    named = {"estimate": shown.estimate, "std. error": result.estimate.stderr[top], "from": shown.low, "to": shown.high}
    named |= {"fitted": shown.fitted} if shown.fitted is not None else {}
    named |= {"truth": shown.truth} if shown.truth is not None else {}
    named |= {"moved at most": result.moved[top]} if result.coverage.forged else {}
    told = [dict(zip(named, numbers, strict=True)) for numbers in np.stack(list(named.values()), axis=1).tolist()]
    rows = tuple(
        (label, *rounded_share({**row, "stderr": row["std. error"]}, list(named)))
        for label, row in zip(labels, told, strict=True)
    )
    note = f"{coverage_in_words('value', result.coverage, result.together)} {READING}"
    note += FITTED if shown.fitted is not None and result.estimate.method != "smoothed" else ""
    if result.estimate.choice is not None:
        note += " " + choice_in_words(result.estimate.choice, result.estimate.method)
    if isinstance(result.question.domain, Grid):
        return PageTable((f"{result.question.name}: {CENTRE}", *named), rows, note + CELLS)
    return PageTable((result.question.name, *named), rows, note)


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
