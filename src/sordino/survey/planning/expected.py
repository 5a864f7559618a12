"""What the people of a survey are expected to be like, question by question: for forecasts, and for nothing else.

A plan holds what its forecasts need of it, as shares: of values, cells and bins, and of what is read of numbers. No row
of a sample is in it.

A public sample says it of everything together. What the survey says of each attribute is taken to be independent of the
others, but for a regression's target, which the features explain as much as where nothing is known.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.survey.attributes.expected import expected_bins, expected_quantiles, expected_shares
from sordino.survey.frozen.expected_part import ExpectedPart, round_as_stored
from sordino.survey.frozen.plan_fields import dump, seal
from sordino.survey.planning.plan import Plan, Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion

if TYPE_CHECKING:
    from sordino.survey.reading.schema import Survey

Floats = NDArray[np.float64]

Expectations: TypeAlias = Sequence[Floats | None]
"""For each question of a plan the share of each value, cell or bin, shape (k,); or scaled numbers of people, shape
(n, d). None where nothing is known."""

SampleValues: TypeAlias = Sequence[NDArray[Any]]
"""For each question of a plan the values of some people: indices, numbers, shape (n,); scaled numbers, shape (n, d)."""


def nothing_expected(plan: Plan) -> Expectations:
    """Nothing is known of the people."""
    return (None,) * len(plan.questions)


def with_expected(plan: Plan, expected: Expectations) -> Plan:
    """The same plan, which expects such people: its hash is another one, what its reports reveal is not."""
    content = dump(plan.document)
    queries = [
        part if own is None else part | {"expected": _stored(question, own)}
        for question, part, own in zip(plan.questions, content["queries"], expected, strict=True)
    ]
    content = {name: part for name, part in content.items() if name != "hash"}
    return Plan(seal(content | {"queries": queries}))


def _stored(question: Question, own: Floats) -> Any:
    if isinstance(question, NumbersQuestion):
        return [_part(shares) for shares in question.readings(own).values()]
    return _part(question.expected(own) if isinstance(question, DistributionQuestion) else own)


def _part(shares: Floats) -> dict[str, Any]:
    return ExpectedPart.of(shares).model_dump(exclude_none=True)


def expected_of_sample(plan: Plan, values: SampleValues) -> Expectations:
    """People like those of a sample.

    Raises:
        SordinoError: a sample in which nobody has what a question is of.
    """
    return [_of_values(question, own) for question, own in zip(plan.questions, values, strict=True)]


def expected_of_survey(plan: Plan, survey: "Survey") -> Expectations:
    """People as the survey's settings `expected` say."""
    return [_of_survey(question, survey) for question in plan.questions]


def _of_values(question: Question, values: NDArray[Any]) -> Floats:
    if isinstance(question, NumbersQuestion):
        # Means are each of those who have the number; all else is of those who have all of them.
        places = list(question.missing)
        for together in [places] if question.of_complete else [[place] for place in places]:
            has = ~np.isnan(values[:, together]).any(axis=1)
            _require_somebody([question.asked[place] for place in together], has)
        return values
    if isinstance(question, DistributionQuestion):
        values = question.statistic.locate(values)
        _require_somebody(question.asked, values < question.domain.k)
    return round_as_stored(np.bincount(values, minlength=question.mechanism.k) / len(values))


def _require_somebody(names: Sequence[str], has: NDArray[np.bool_]) -> None:
    if not has.any():
        raise SordinoError(
            f"in a sample somebody must have {' and '.join(map(repr, names))}",
            found="nobody",
            step="give another one, or none",
        )


def _of_survey(question: Question, survey: "Survey") -> Floats | None:
    known = [survey.attribute[name].expected for name in question.asked]
    if all(expected is None for expected in known):
        return None
    if isinstance(question, NumbersQuestion):
        return _records(question, survey)
    if isinstance(question, DistributionQuestion):
        return round_as_stored(expected_bins(known[0], question.domain))
    shares = np.ones(1)
    for name, expected in zip(question.asked, known, strict=True):
        domain = survey.named(name).finite
        own = np.full(domain.k, 1 / domain.k) if expected is None else expected_shares(expected, domain)
        shares = np.multiply.outer(shares, own).reshape(-1)
    return round_as_stored(shares)


def _records(question: NumbersQuestion, survey: "Survey") -> Floats:
    """Each number as it is expected to spread; what is not known spreads as in `unknown_records`."""
    shares = {name: survey.attribute[name].expected for name in question.part.categorical}
    domains = {name: survey.named(name).finite for name in question.part.categorical}
    records = question.unknown_with(
        {name: expected_shares(own, domains[name]) for name, own in shares.items() if own is not None}
    ).copy()
    for place, name in enumerate(question.asked):
        table = survey.attribute[name]
        if table.expected is not None and table.number is not None:
            # The middle of its part of the people, in the order of what it replaces: numbers go together as before.
            parts = _ranks(records[:, place]) / len(records)
            records[:, place] = expected_quantiles(table.expected, table.number, parts)
    return records


def _ranks(numbers: Floats) -> Floats:
    """How many are below each number, and half of those that are equal to it."""
    ordered = np.sort(numbers)
    ranks: Floats = (np.searchsorted(ordered, numbers, "left") + np.searchsorted(ordered, numbers, "right")) / 2
    return ranks
