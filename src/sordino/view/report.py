"""The page of an estimate: maps, the largest values with intervals, and what a report can reveal."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.domain.grid import Grid
from sordino.survey.explain import explain
from sordino.survey.result import Result
from sordino.view.figures import bars, maps
from sordino.view.page import Figure, Section, Sentences, Table, render

LARGEST = 15
"""Values shown in bars and in the table."""


def estimate_page(
    result: Result,
    *,
    title: str = "",
    truth: NDArray[np.float64] | None = None,
    others: Sequence[tuple[str, NDArray[np.float64]]] = (),
    comparison: Table | None = None,
    notes: tuple[str, ...] = (),
) -> str:
    """A self-contained HTML page.

    Args:
        result: the estimate.
        title: of the page; the attribute's name by default.
        truth: shape (k,), the true shares, where they are known (a simulation).
        others: titles and shares of more maps to draw beside.
        comparison: a table to show first.
        notes: sentences about the data, shown last.
    """
    plan, shares = result.plan, result.estimate
    low, high = result.interval
    sections: list[Section] = []
    if isinstance(plan.domain, Grid):
        panels = [("Truth", truth)] if truth is not None else []
        panels += [("Estimate", shares.value), *others]
        sections.append(Figure("Map", maps(plan.domain, panels), f"Maps: {', '.join(name for name, _ in panels)}."))
    if comparison is not None:
        sections.append(comparison)
    top = result.largest(LARGEST)
    labels = [plan.domain.label(int(value)) for value in top]
    note = f"Intervals hold for each value by itself with {result.confidence:.0%} confidence" + (
        ", diamonds are the truth." if truth is not None else "."
    )
    figure = bars(labels, shares.value[top], low[top], high[top], None if truth is None else truth[top])
    sections.append(Figure("Largest shares", figure, f"Bars of the {len(top)} largest shares.", note))
    header = (plan.query.attribute, "share", "std. error", "from", "to", *(["truth"] if truth is not None else []))
    rows = []
    for value, label in zip(top, labels, strict=True):
        numbers = [shares.value[value], shares.stderr[value], low[value], high[value]]
        numbers += [truth[value]] if truth is not None else []
        rows.append((label, *(f"{number:.5f}" for number in numbers)))
    sections.append(Table("The largest values", header, tuple(rows), note))
    sections.append(Sentences("What one report can reveal", explain(plan)))
    sections.append(Sentences("The certificate", (*explain(plan.certificate), f"Plan {plan.hash}.")))
    if notes:
        sections.append(Sentences("The data", notes))
    lead = (
        f"{shares.n:,} reports about {plan.domain.k:,} values; epsilon {plan.document.epsilon}; method {shares.method}."
    )
    return render(title or f"Shares of {plan.query.attribute}", lead, sections)
