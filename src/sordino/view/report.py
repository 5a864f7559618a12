"""The page of an estimate: maps, histograms with intervals, the largest values, and what a report can reveal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.exact.nats import upward
from sordino.survey.coordinates import CoordinatePromise
from sordino.survey.explain import explain
from sordino.survey.odds_by_attribute import kept
from sordino.survey.plan import Plan
from sordino.survey.question import HistogramQuestion
from sordino.survey.result import HistogramResult, NumbersResult, Result, Untold
from sordino.view.figures import bars, maps
from sordino.view.histogram import MOST, columns
from sordino.view.numbers import numbers_sections
from sordino.view.page import Figure, Section, Sentences, Table, render
from sordino.view.region import question_region

LARGEST = 15
"""Values shown in bars and in the table."""

READING = (
    "The estimate is right on average and what the standard error and the interval are about; noise can take it below"
    " zero, where intervals begin."
)
FITTED = (
    " The fitted share is that of the distribution near it: for maps, and for sums of many values. Its largest shares"
    " tend to be too low, for what noise adds to the smallest is taken from them."
)
"""What the numbers of a share are."""


@dataclass(frozen=True, eq=False)
class Known:
    """What a simulation knows beside its estimate.

    Attributes:
        truth: shape (k,), the true shares.
        others: titles and shares of more maps to draw beside.
        comparison: a table to show first.
        notes: sentences about the data, shown last.
    """

    truth: NDArray[np.float64] | None = None
    others: Sequence[tuple[str, NDArray[np.float64]]] = ()
    comparison: Table | None = None
    notes: tuple[str, ...] = field(default=())


def estimate_page(plan: Plan, results: Sequence[Result], title: str = "", known: Known | None = None) -> str:
    """A self-contained HTML page.

    Args:
        plan: that the reports belong to.
        results: the estimate of each of its questions.
        title: of the page; the attributes' names by default.
        known: what a simulation of a single question knows beside.
    """
    known = known or Known()
    sections: list[Section] = [known.comparison] if known.comparison is not None else []
    for result in results:
        if isinstance(result, Untold):
            sections.append(Sentences(f"{result.question.name}: not told by {result.n:,} reports", (str(result.why),)))
        elif isinstance(result, NumbersResult):
            sections += numbers_sections(result)
        else:
            sections += _sections(result, known, several=len(results) > 1)
    sections.append(Sentences("What one report can reveal", explain(plan)))
    if plan.promise is not None:
        sections.append(_promise(plan.promise))
    for question, certificate in plan.certificates:
        about = f" for {question.name}" if len(results) > 1 else ""
        sections.append(Sentences(f"The certificate{about}", explain(certificate)))
        sections += _region(question, about)
    sections.append(Sentences("The plan", (plan.hash,)))
    if known.notes:
        sections.append(Sentences("The data", known.notes))
    reports = sum(result.n for result in results)
    return render(title or _title(results), f"{reports:,} reports about {_about(results)}.", sections)


def _title(results: Sequence[Result]) -> str:
    names = [result.question.name for result in results]
    if all(isinstance(result, HistogramResult) for result in results):
        return f"Shares of {', '.join(names)}"
    return names[0][0].upper() + names[0][1:] if len(names) == 1 else f"Estimates for {len(names)} questions"


def _about(results: Sequence[Result]) -> str:
    """What the reports are about, and how distributions were fitted to them."""
    shares = [result for result in results if isinstance(result, HistogramResult)]
    if len(shares) == len(results):
        values = sum(result.question.domain.k for result in shares)
        return f"{values:,} values{_methods(shares)}"
    method = _methods(shares)
    named = (f"shares of {one.question.name}" if one in shares else one.question.name for one in results)
    return "; ".join(named) + method


def _methods(shares: Sequence[HistogramResult]) -> str:
    methods = sorted({result.estimate.method for result in shares if result.fitted is not None})
    return f"; fitted by {' and '.join(methods)}" if methods else ""


def _promise(promise: CoordinatePromise) -> Table:
    """The most that a report can tell about each attribute, beside what is promised."""
    header = ("attribute", "told at most, nats", "promised, nats", "rests on dependence")
    rows = [
        (
            f"{name}, which of {bins} bins" if (bins := promise.binned(i)) else name,
            upward(promise.reached[i], 6),
            upward(promise.deltas[i], 6),
            "yes" if promise.relies(i) else "no",
        )
        for i, name in enumerate(promise.names)
    ]
    rows.append(("the whole record", upward(promise.level, 6), upward(promise.epsilon, 6), "no"))
    verdict, *each = kept(promise)
    note = " ".join([verdict, *each[len(rows) :]])
    return Table("The certificate of each attribute", header, tuple(rows), note)


def _sections(result: HistogramResult, known: Known, *, several: bool) -> list[Section]:
    """A question's map, bars and table."""
    domain, shares, truth, fitted = result.question.domain, result.estimate, known.truth, result.fitted
    low, high = result.interval
    about = f" of {result.question.name}" if several else ""
    sections: list[Section] = []
    if isinstance(domain, Grid):
        panels = [("Truth", truth)] if truth is not None else []
        panels += [("Fitted shares" if fitted is not None else "Estimate", shares.by_method), *known.others]
        words = f"Maps: {', '.join(name for name, _ in panels)}."
        sections.append(Figure(f"Map{about}", maps(domain, panels, 1 / result.n), words))
    if isinstance(domain, Categories) and isinstance(domain.labels, range) and LARGEST < domain.k <= MOST:
        drawn = columns(shares.value, low, high, result.question.name, truth)
        sections.append(Figure(f"Histogram{about}", drawn, f"Columns of all {domain.k} shares."))
    few = domain.k <= LARGEST
    # A few values stand in their own order, as in the survey; of many the largest come first.
    top = np.arange(domain.k) if few else result.largest(LARGEST)
    labels = [domain.label(int(value)) for value in top]
    note = f"Intervals hold for each value by itself with {100 * result.confidence:.15g}% confidence" + (
        ", diamonds are the truth." if truth is not None else "."
    )
    figure = bars(labels, shares.value[top], low[top], high[top], None if truth is None else truth[top])
    heading = f"Histogram{about}" if few else f"Largest shares{about}"
    sections.append(Figure(heading, figure, f"Bars of {'all' if few else 'the'} {len(top)} shares shown.", note))
    named = {"estimate": shares.value, "std. error": shares.stderr, "from": low, "to": high}
    named |= {"fitted": fitted} if fitted is not None else {}
    named |= {"truth": truth} if truth is not None else {}
    numbers = np.stack([column[top] for column in named.values()], axis=1)
    rows = tuple((label, *(f"{number:z.5f}" for number in row)) for label, row in zip(labels, numbers, strict=True))
    header = (result.question.name, *named)
    note = f"{note} {READING}" + (FITTED if fitted is not None else "")
    sections.append(Table(f"{'All' if few else 'The largest'} values{about}", header, rows, note))
    return sections


def _region(question: HistogramQuestion, about: str) -> list[Section]:
    """How well anybody can tell the two values by a report that the certificate found easiest to tell apart."""
    witness = question.certificate.witness
    if witness is None:
        return []
    return [
        Figure(
            f"What a test can decide{about}",
            question_region(question),
            "The error rates of tests by one report.",
            "Whoever tests by a report which of the two answers was given errs at least as often as the boundary says.",
        )
    ]
