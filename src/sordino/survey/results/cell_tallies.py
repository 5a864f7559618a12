"""A plan's tally by the public values that its reports name: the reports of each group of people."""

import csv
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sordino.document.schema.nearest import nearest
from sordino.domain.phrasing import NO_WORDS
from sordino.errors import RefusedError, SordinoError
from sordino.estimation.intervals.cluster_errors import group_clusters
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
    nobody, tallies = plan.sampled.tally(np.empty(0, dtype=np.uint64)), tallies_by(plan, aggregate, at)
    labels = [plan.cells.parts[place].labels for place in at]
    return [
        (join_label([own[place] for own, place in zip(labels, places, strict=True)]), tallies.get(places, nobody))
        for places in product(*(range(len(own)) for own in labels))
    ]


def tallies_by(plan: Plan, aggregate: Aggregate, at: Sequence[int]) -> dict[tuple[int, ...], Aggregate]:
    """The tallies of people who share the values of some public columns, by the places of these, ascending.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        at: the places of the columns.
    """
    counts: dict[tuple[int, ...], NDArray[np.int64]] = {}
    cells: dict[tuple[int, ...], dict[int, NDArray[np.int64]]] = {}
    for cell, own in aggregate.cells.items():
        places = plan.cells.places(cell)
        key = tuple(places[place] for place in at)
        counts[key] = counts[key] + own if key in counts else own
        cells.setdefault(key, {})[cell] = own
    return {
        key: Aggregate(aggregate.fingerprint, n, counts[key], cells[key])
        for key in sorted(counts)
        if (n := plan.sampled.reports(counts[key]))
    }


def tallies_by_cluster(plan: Plan, aggregate: Aggregate, column: str) -> dict[str, Aggregate]:
    """The tally of each cluster of people who sent reports, by its value of a public column.

    Raises:
        SordinoError: no such public column.
        RefusedError: a tally that does not say which clusters its reports are of.
    """
    names = plan.cells.names
    if column not in names:
        known = f"public are: {', '.join(names)}" if names else "a survey names them as [public.NAME]"
        found = repr(column) + nearest([column], names)
        raise SordinoError("people must have been drawn by a public column of the plan", found=found, step=known)
    require_cells(plan, aggregate)
    at = names.index(column)
    labels = plan.cells.parts[at].labels
    return {labels[place]: tally for (place,), tally in tallies_by(plan, aggregate, [at]).items()}


def cluster_groups(plan: Plan, aggregate: Aggregate, column: str) -> list[Aggregate]:
    """The tallies of clusters, of many of them some together (`group_clusters`).

    Raises:
        SordinoError, RefusedError: as `tallies_by_cluster`.
    """
    tallies = [*tallies_by_cluster(plan, aggregate, column).values()]
    groups: dict[int, list[Aggregate]] = {}
    for group, tally in zip(group_clusters([tally.n for tally in tallies]).tolist(), tallies, strict=True):
        groups.setdefault(group, []).append(tally)
    return [
        Aggregate(
            aggregate.fingerprint,
            sum(tally.n for tally in own),
            np.sum([tally.counts for tally in own], axis=0),
            {cell: counts for tally in own for cell, counts in tally.cells.items()},
        )
        for _, own in sorted(groups.items())
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
