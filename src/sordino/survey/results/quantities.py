"""The quantities that a plan's results tell, each under a key that does not depend on how the plan asked for it.

The share of a cell is the same whatever the order of its attributes; a mean is one of a number, whichever others were
asked with it. Two plans tell the same quantity where keys are equal and its values are the same ones.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, TypeAlias

from sordino.domain.attribute import Attribute
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.estimation.intervals.independent_difference import WithInterval
from sordino.estimation.missing.complete_cases import COMPLETE
from sordino.survey.questions.question import HistogramQuestion, SharesQuestion, TableQuestion
from sordino.survey.results.questions.distribution import DistributionResult
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.rows import EstimateRow
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.result import Result

Ends: TypeAlias = tuple[float, float]

Head: TypeAlias = Mapping[str, Any]
"""What a row says it is about."""


@dataclass(frozen=True)
class Range:
    """The numbers that an attribute can have.

    Attributes:
        edges: its lowest and highest, and those of its bins where it is asked by bins.
        clip: whether a number beyond them counts as the nearest.
        missing: whether some may lack the number, and what is told is of those who have it.
    """

    edges: tuple[float, ...]
    clip: bool
    missing: bool = False


Values: TypeAlias = Mapping[str, Grid | frozenset[str] | Range]
"""By attribute the values that it can have."""


@dataclass(frozen=True)
class MeasuredNumber:
    """One number with its interval.

    Attributes:
        about: what it is, as a row says it.
        number: what the reports tell of it.
        scale: where 0 and 1 are on a scale for numbers of several units: of a share the share itself; of a mean and a
            quantile the ends of the number's range; of a covariance 0 and the largest that two ranges allow; of a
            coefficient 0 and what makes the feature's whole range the target's; NaN of an intercept.
        is_share: whether it is a share of people.
    """

    about: Head
    number: WithInterval
    scale: Ends = (0.0, 1.0)
    is_share: bool = True


Measured: TypeAlias = Mapping[Hashable, MeasuredNumber]
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
    values: Values
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
    measured: dict[Hashable, MeasuredNumber] = {}
    for place, row in enumerate(result.rows()):
        labels = question.labels(place) if isinstance(question, TableQuestion) else [question.domain.label(place)]
        key = frozenset(zip(question.asked, labels, strict=True))
        measured[key] = MeasuredNumber(_head(row), _measured(row, 0.0, 1.0))
    name = question.name
    return Quantities(name, name, ("shares", frozenset(question.asked)), _domains(question), measured)


def _domains(question: SharesQuestion) -> Values:
    """The values of each attribute; of a map where its cells are."""
    attributes = question.attributes if isinstance(question, TableQuestion) else ()
    if isinstance(question, HistogramQuestion):
        attributes = (question.attribute,)
    domains = {attribute.name: attribute.finite for attribute in attributes}
    return {
        name: domain if isinstance(domain, Grid) else frozenset(map(str, domain.labels))
        for name, domain in domains.items()
    }


def _distribution(result: DistributionResult) -> Quantities:
    question, edges = result.question, result.question.domain.edges
    name, rows = question.name, list(result.rows())
    shown = [*result.parts, *rows[question.domain.k :]] if result.parts else []
    values = {name: Range(edges, question.attribute.clip, question.optional)}
    return Quantities(name, name, ("distribution", name), values, _ranges(rows, edges), _ranges(shown, edges))


def _numbers(result: NumbersResult) -> Iterator[Quantities]:
    """Means, covariances or coefficients; then the share of complete cases, if it is of these."""
    question, rows = result.question, list(result.rows())
    ranges = {one.name: _values(one) for one in question.attributes}
    told, others = rows[: len(result.labels)], rows[len(result.labels) :]
    yield from (_coefficients if question.part.asked == "regression" else _moments)(result, told, ranges)
    for row in others:
        measured: Measured = {COMPLETE: MeasuredNumber(_head(row), _measured(row, 0.0, 1.0))}
        key = (COMPLETE, question.part.asked, frozenset(question.asked))
        yield Quantities(question.name, f"{COMPLETE} of the {question.name}", key, ranges, measured)


def _coefficients(result: NumbersResult, rows: Sequence[EstimateRow], ranges: Values) -> Iterator[Quantities]:
    """Those of one regression, all together."""
    question = result.question
    *features, target = question.asked
    *widths, own = (2 * question.ranges.half).tolist()
    measured: Measured = {
        str(row["value"]): MeasuredNumber(_head(row), _measured(row), (0.0, own / width), is_share=False)
        for width, row in zip([nan, *widths], rows, strict=True)
    }
    # What others are compared to is in the names of the rows.
    key, name = ("regression", target, frozenset(features), frozenset(measured)), question.name
    yield Quantities(name, name, key, ranges, measured)


def _moments(result: NumbersResult, rows: Sequence[EstimateRow], ranges: Values) -> Iterator[Quantities]:
    """Means and shares of who lacks a number, or covariances, each by itself."""
    question, asked = result.question, result.question.part.asked
    lacking = [question.asked[place] for place in question.missing]
    for (_, places), row in zip(result.labels, rows, strict=True):
        # After the means the shares of who lacks a number.
        share = places[0] >= len(question.asked)
        names = [lacking[places[0] - len(question.asked)]] if share else [question.asked[place] for place in places]
        kind = "share" if share else asked
        name = f"{kind} of {row['value']}"
        scale = (0.0, 1.0) if share else _scale([question.intervals[question.asked.index(one)] for one in names])
        ends = tuple(float(end[places]) for end in result.possible)
        told = MeasuredNumber({**_head(row), "attribute": name}, _measured(row, *ends), scale, is_share=share)
        # Of complete cases it is of other people where other numbers may be missing.
        others = frozenset(lacking) - frozenset(names) if question.of_complete else frozenset()
        about = kind, frozenset(names), others
        yield Quantities(question.name, name, about, {one: ranges[one] for one in names}, {about: told})


def _scale(ranges: Sequence[Interval]) -> Ends:
    """Of a mean, or a covariance of two numbers in such ranges: the latter's largest is by Popoviciu's bound."""
    first, *others = ranges
    return (0.0, first.width * others[0].width / 4) if others else (first.low, first.high)


def _values(attribute: Attribute) -> frozenset[str] | Range:
    """The values of an attribute of a question about numbers; of one that may be missing, of those who have it."""
    if isinstance(attribute.domain, Interval):
        return Range((attribute.interval.low, attribute.interval.high), attribute.clip, attribute.optional)
    domain = attribute.finite
    return frozenset(map(domain.label, range(domain.k)))


def _ranges(rows: Iterable[Mapping[str, Any]], edges: tuple[float, ...]) -> Measured:
    """Shares of ranges, and quantiles, which lie between the outer edges."""
    measured: dict[Hashable, MeasuredNumber] = {}
    for row in rows:
        head, quantile = _head(row), "quantile" in row
        ends = (edges[0], edges[-1]) if quantile else (0.0, 1.0)
        measured[tuple(head.values())] = MeasuredNumber(head, _measured(row, *ends), ends, is_share=not quantile)
    return measured


def _head(row: Mapping[str, Any]) -> Head:
    """What a row is about."""
    about = ("attribute", "attributes", "value", "from", "to", "quantile")
    return {name: row[name] for name in about if name in row}


def _measured(row: Mapping[str, Any], least: float = -inf, most: float = inf) -> WithInterval:
    return WithInterval(row["estimate"], row.get("stderr", nan), row["low"], row["high"], least, most)
