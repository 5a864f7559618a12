"""What a plan asks, one line an attribute: its values, what is estimated of it, of whom, and how it is protected.

Whoever wrote the survey sees by it how the survey was read: names are those of the survey, not what people read.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP
from sordino.domain.attribute import Attribute
from sordino.domain.bins import HALF, Bins, plain
from sordino.domain.calendar import iso_date
from sordino.domain.choices import Choices
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.exact.nats import in_nats
from sordino.survey.kinds.question import Question
from sordino.survey.planning.plan import Plan, protection_text
from sordino.survey.schema.attribute_part import AttributePart
from sordino.survey.schema.promise import Definition

FEW = 5
"""Values that are listed."""

TWO = 2

ASKED = "What is asked"
"""Heading of the lines."""

UNASKED = "Who is not asked sends a report too, with {} in place of an answer, through the same channel."


def attribute_lines(plan: Plan) -> tuple[str, ...]:
    """A line for each attribute, public column and series, and one about who is not asked."""
    return (*_lines(plan),)


def _lines(plan: Plan) -> Iterator[str]:
    for public in plan.document.asked_public:
        yield f"{public.name}: one of {_label_list(public.labels)}; public: sent as it is, beside the report"
    if (series := plan.series) is not None:
        column = plan.document.public[-1].columns[0] if plan.document.public else ""
        yield (
            f"{column}: one of {series.periods:,} {series.every}s from {series.start}, by any of its days"
            f" (column {column!r}); public"
        )
    for name, part in plan.document.attributes.items():
        attribute = plan.attributes[name]
        asking = [question for question in plan.questions if name in question.attribute_names]
        bins = next((own for question in asking if (own := question.bins) is not None), attribute.bins)
        asked = dict.fromkeys(question.asked_of(name) for question in asking)
        said = [
            _values(attribute, bins) + _column(attribute),
            ", ".join(asked) or "only decides what else is asked",
            _condition(attribute),
            _protection(part, asking),
        ]
        yield f"{name}: {'; '.join(filter(None, said))}"
    others = dict.fromkeys(own.not_asked or "a missing number" for own in plan.attributes.values() if own.only_if)
    if others:
        yield UNASKED.format(" or ".join(repr(other) if " number" not in other else other for other in others))


def is_bounded(definition: Definition) -> bool:
    """Whether every two values are protected from each other."""
    if isinstance(definition, PairwiseLDP):
        return bool(np.isfinite(definition.floors[~np.eye(definition.k, dtype=np.bool_)]).all())
    return isinstance(definition, LDP | MetricLDP)


def _values(attribute: Attribute, bins: Bins | None) -> str:
    domain = attribute.domain
    if isinstance(domain, Interval):
        return _numbers(attribute, domain, bins)
    if isinstance(domain, Grid):
        return f"place, one of {domain.rows:,} x {domain.columns:,} cells"
    if isinstance(domain, Choices):
        several = "any of" if domain.most == len(domain.labels) else f"up to {domain.most} of"
        return f"{several} {_label_list(domain.labels)}"
    if isinstance(domain.labels, range):
        return f"whole numbers 0 to {domain.k - 1:,}"
    labels = [label for label in domain.labels if label != attribute.not_asked]
    if len(labels) > FEW and all(label.isdecimal() for label in labels):
        numbers = [int(label) for label in labels]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return f"whole numbers {labels[0]} to {labels[-1]}"
    return f"one of {_label_list(labels)}"


def _numbers(attribute: Attribute, domain: Interval, bins: Bins | None) -> str:
    if domain.low % 1 == domain.high % 1 == HALF and (bins is None or bins.is_scale):
        return f"whole numbers {plain(domain.low + HALF)} to {plain(domain.high - HALF)}"
    what, written = ("date", iso_date) if attribute.is_date else ("number", plain)
    ends = attribute.phrasing.with_unit(f"{what} {written(domain.low)} to {written(domain.high)}")
    if bins is None:
        return ends
    return f"{ends}, in {bins.k:,} bins ({_ends(list(map(str, attribute.named_bins(bins).labels[: bins.k])))})"


def _ends(labels: Sequence[str]) -> str:
    return ", ".join(labels) if len(labels) <= TWO else f"{labels[0]}, ... {labels[-1]}"


def _label_list(labels: Sequence[str]) -> str:
    if len(labels) <= FEW + 1:
        return ", ".join(map(str, labels))
    return f"{', '.join(labels[: FEW - 1])}, ... {labels[-1]} ({len(labels):,} in all)"


def _column(attribute: Attribute) -> str:
    own = attribute.columns
    return "" if own == (attribute.name,) else f" (column{'s' * (len(own) > 1)} {', '.join(map(repr, own))})"


def _condition(attribute: Attribute) -> str:
    each = [f"{name} = {' or '.join(labels)}" for name, labels in attribute.only_if]
    return f"asked if {' and '.join(each)}" if each else ""


def _protection(part: AttributePart, asking: Sequence[Question]) -> str:
    if part.delta is not None:
        return f"all values protected, at most {in_nats(part.delta)}"
    if part.protect is None:
        return ""
    amount = protection_text(part.protect)
    own = [question.value_promise for question in asking if question.is_table]
    is_partial = part.protect.sensitive is not None or part.protect.blocks is not None
    if is_partial and own and len(own) == len(asking) and all(one is not None and is_bounded(one) for one in own):
        return f"all its values protected, {amount}: no two cells of its table are unprotected"
    if part.protect.sensitive is not None:
        names = part.labels or list(map(str, range(part.numbers or 0)))
        return f"sensitive: {_label_list([names[value] for value in part.protect.sensitive])}, {amount}"
    if part.protect.blocks is not None:
        return f"protected within its block only, {amount}"
    return f"protected by {amount}" if part.is_protected_whole is False else f"all values protected, {amount}"
