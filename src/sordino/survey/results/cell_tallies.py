"""A plan's tally by the public values that its reports name: the reports of each group of people."""

import csv
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from sordino.document.schema.nearest import nearest
from sordino.domain.phrasing import NO_WORDS
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_label
from sordino.survey.planning.plan import Plan

MOST_GROUPS = 1000
"""That are estimated together."""


def columns_of(plan: Plan, by: str) -> tuple[str, ...]:
    """Public columns as a command names them, with commas between; none of an empty text.

    A name that holds a comma may stand in quotes, and must where it could be several.

    Raises:
        SordinoError: a name of one column that is also the names of several.
    """
    if not by:
        return ()
    try:
        parts = tuple(next(csv.reader([by], skipinitialspace=True)))
    except csv.Error:  # line breaks: no such column, as whoever looks it up says
        parts = (by,)
    if by not in plan.cells.names or parts == (by,):
        return parts
    if all(part in plan.cells.names for part in parts):
        rule, found = "groups must be by public columns of one meaning", f"{by!r}, which is one column and several"
        one, several = (",".join(f'"{name}"' for name in names) for names in ((by,), parts))
        raise SordinoError(rule, found=found, step=f"write {one} for the one, {several} for the others")
    return (by,)


def group_titles(plan: Plan, by: Sequence[str]) -> dict[str, str]:
    """What people read as each group of `group_tallies`, by its label: values in the survey's words."""
    parts = [plan.cells.parts[plan.cells.names.index(name)] for name in by]
    labels = product(*(part.labels for part in parts))
    words = [plan.phrasings.get(name, NO_WORDS).value for name in by]
    return {join_label(own): join_label([said(one) for said, one in zip(words, own, strict=True)]) for own in labels}


def group_tallies(plan: Plan, aggregate: Aggregate, by: Sequence[str]) -> list[tuple[str, Aggregate]]:
    """The tally of each group, in the order of their values, those without reports among them.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        by: public columns, each once.

    Raises:
        SordinoError: no such public column, or too many groups.
        RefusedError: a tally that does not say which groups its reports are of.
    """
    names = plan.cells.names
    unknown = [name for name in by if name not in names]
    if unknown or not by or len(set(by)) < len(by):
        known = f"public are: {', '.join(names)}" if names else "a survey names them as [public.NAME]"
        found = repr(unknown[0]) + nearest(unknown[:1], names) if unknown else shown(list(by))
        raise SordinoError("groups must be by public columns of the plan, each once", found=found, step=known)
    at = [names.index(name) for name in by]
    count = prod(plan.cells.shape[place] for place in at)
    if count > MOST_GROUPS:
        step = "group by fewer columns"
        raise SordinoError(f"groups must be at most {MOST_GROUPS:,}", found=f"{count:,}", step=step)
    require_cells(plan, aggregate)
    nobody = plan.sampled.tally(np.empty(0, dtype=np.uint64))
    tallies = dict.fromkeys(product(*(range(plan.cells.shape[place]) for place in at)), nobody)
    for cell, counts in aggregate.cells.items():
        places = plan.cells.places(cell)
        own = Aggregate(aggregate.fingerprint, plan.sampled.reports(counts), counts)
        tallies[tuple(places[place] for place in at)] += own
    labels = [plan.cells.parts[place].labels for place in at]
    return [
        (join_label([own[place] for own, place in zip(labels, places, strict=True)]), tally)
        for places, tally in tallies.items()
    ]


def reports_by_cell(plan: Plan, aggregate: Aggregate) -> dict[int, int]:
    """How many reports name each public cell, of a tally that says which."""
    return {cell: plan.sampled.reports(own) for cell, own in aggregate.cells.items()}


def group_counts(plan: Plan, reports: Mapping[int, int], name: str) -> dict[str, int]:
    """How many reports name each value of a public column, from how many name each cell."""
    at = plan.cells.names.index(name)
    places = np.array([*reports], dtype=np.int64) // prod(plan.cells.shape[at + 1 :]) % plan.cells.shape[at]
    counts = np.zeros(plan.cells.shape[at], dtype=np.int64)
    np.add.at(counts, places, [*reports.values()])
    return dict(zip(plan.cells.parts[at].labels, counts.tolist(), strict=True))


def require_cells(plan: Plan, aggregate: Aggregate) -> None:
    """Refuse a tally that does not say which public values each of its reports names.

    Raises:
        RefusedError: with how many reports say nothing of it.
    """
    rest = aggregate.n - sum(plan.sampled.reports(counts) for counts in aggregate.cells.values())
    if rest:
        raise RefusedError(
            "estimates by groups need a tally by public values",
            found=f"{rest:,} reports without any",
            step="aggregate the reports of this plan again",
        )
