"""The quantities that a plan's results tell, each under a key that does not depend on how the plan asked for it.

The share of a cell is the same whatever the order of its attributes; a mean is one of a number, whichever others were
asked with it. Two plans tell the same quantity where keys are equal and its values are the same ones.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, TypeAlias

from sordino.domain.grid import Grid
from sordino.estimation.intervals.apart import WithInterval
from sordino.survey.questions.question import HistogramQuestion, SharesQuestion, TableQuestion
from sordino.survey.results.distribution import DistributionResult
from sordino.survey.results.result import HistogramResult, NumbersResult, Result

Head: TypeAlias = Mapping[str, Any]
"""What a row says it is about."""

Measured: TypeAlias = Mapping[Hashable, tuple[Head, WithInterval]]
"""Numbers under their keys."""


@dataclass(frozen=True)
class Quantities:
    """What one question tells, or a part of it that may be told elsewhere by itself.

    Attributes:
        question: that tells it.
        name: of it.
        key: what it is about.
        values: what values it is about: the same in both, or the two are not comparable.
        measured: each number under its key, with what a row says that it is about.
        shown: the same of what people are shown in place of numbers that are too many and too fine; else nothing.
    """

    question: str
    name: str
    key: Hashable
    values: Hashable
    measured: Measured
    shown: Measured = field(default_factory=dict)


def quantities_of(result: Result) -> Iterator[Quantities]:
    """All that a result tells; of a question that is not answered nothing."""
    if isinstance(result, HistogramResult):
        yield _shares(result)
    elif isinstance(result, DistributionResult):
        yield _distribution(result)
    elif isinstance(result, NumbersResult):
        yield from _numbers(result)


def _shares(result: HistogramResult) -> Quantities:
    question = result.question
    measured: dict[Hashable, tuple[Head, WithInterval]] = {}
    for place, row in enumerate(result.rows()):
        labels = question.labels(place) if isinstance(question, TableQuestion) else [question.domain.label(place)]
        key = frozenset(zip(question.asked, labels, strict=True))
        measured[key] = _head(row), _measured(row, 0.0, 1.0)
    name = question.name
    return Quantities(name, name, ("shares", frozenset(question.asked)), _domains(question), measured)


def _domains(question: SharesQuestion) -> Hashable:
    """The values of each attribute; of a map where its cells are."""
    attributes = question.attributes if isinstance(question, TableQuestion) else ()
    if isinstance(question, HistogramQuestion):
        attributes = (question.attribute,)
    domains = {attribute.name: attribute.finite for attribute in attributes}
    return frozenset(
        (name, domain if isinstance(domain, Grid) else frozenset(domain.labels)) for name, domain in domains.items()
    )


def _distribution(result: DistributionResult) -> Quantities:
    question, edges = result.question, result.question.domain.edges
    name, rows = question.name, list(result.rows())
    shown = [*result.parts, *rows[question.domain.k :]] if result.parts else []
    values = (edges, question.attribute.clip)
    return Quantities(name, name, ("distribution", name), values, _ranges(rows, edges), _ranges(shown, edges))


def _numbers(result: NumbersResult) -> Iterator[Quantities]:
    question, asked = result.question, result.question.part.asked
    ends = {one.name: (one.interval.low, one.interval.high, one.clip) for one in question.attributes}
    rows = [(_head(row), _measured(row)) for row in result.rows()]
    if asked == "regression":
        *features, target = question.asked
        measured = {head["value"]: (head, number) for head, number in rows}
        key, name = ("regression", target, frozenset(features)), question.name
        yield Quantities(name, name, key, frozenset(ends.items()), measured)
        return
    for (_, places), (head, number) in zip(result.labels, rows, strict=True):
        names = frozenset(question.asked[place] for place in places)
        values = frozenset((name, ends[name]) for name in names)
        name = f"{asked} of {head['value']}"
        yield Quantities(question.name, name, (asked, names), values, {names: ({**head, "attribute": name}, number)})


def _ranges(rows: Iterable[Mapping[str, Any]], edges: tuple[float, ...]) -> Measured:
    """Shares of ranges, and quantiles, which lie between the outer edges."""
    measured: dict[Hashable, tuple[Head, WithInterval]] = {}
    for row in rows:
        head, ends = _head(row), (edges[0], edges[-1]) if "quantile" in row else (0.0, 1.0)
        measured[tuple(head.values())] = head, _measured(row, *ends)
    return measured


def _head(row: Mapping[str, Any]) -> Head:
    """What a row is about."""
    about = ("attribute", "attributes", "value", "from", "to", "quantile")
    return {name: row[name] for name in about if name in row}


def _measured(row: Mapping[str, Any], least: float = -float("inf"), most: float = float("inf")) -> WithInterval:
    return WithInterval(row["estimate"], row.get("stderr", nan), row["low"], row["high"], least, most)
