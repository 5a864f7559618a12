"""Whether groups of people have the same shares and the same numbers: Wald's tests, one for each question or number.

Shares of a question are tested together, by the covariance that all groups' reports show if the shares are equal, so
that the test holds its level where a value is rare in a small group too. Of other numbers, and where reports do not
tell how shares go together, each is tested by itself: 4.6 to 5.5 % of surveys of equal groups are below 5 %.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.associations.equality import added_by_few_counts
from sordino.estimation.groups.equality import EqualityTest, test_of_equality
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.unbiased import Decoded
from sordino.survey.estimates.quantities import MeasuredNumber, Quantities
from sordino.survey.estimates.shares import HistogramResult
from sordino.survey.results.result import Result

Floats = NDArray[np.float64]

MOST_TESTED = 256
"""Values of a question whose covariance is worked out for a test."""

FEWEST = 2
"""Groups that are compared."""

FEWEST_REPORTS = 30
"""Of each group about a number that is tested: fewer hardly tell its standard error."""

LARGEST_EXCESS = 0.3
"""Of what few counts add to the variance of the statistic of shares, relative to it."""


@dataclass(frozen=True, eq=False)
class GroupTest:
    """Whether groups have the same shares, or the same number.

    Attributes:
        question: that tells them.
        name: of what is tested.
        test: Wald's.
        groups: how many are compared.
        adjusted: the p-value by Holm where it is to hold for all tests together; None where it holds by itself.
    """

    question: str
    name: str
    test: EqualityTest
    groups: int
    adjusted: float | None = None

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = {"statistic": self.test.statistic, "degrees": self.test.degrees, "p_value": self.test.p_value}
        adjusted = {} if self.adjusted is None else {"adjusted_p_value": self.adjusted}
        return {"attribute": self.question, "tested": self.name, "groups": self.groups, **found, **adjusted}


def equality_tests(groups: Sequence[Sequence[Result]], *, all_at_once: bool) -> tuple[GroupTest, ...]:
    """Equality of each question's shares, or of each number, over all groups that tell it.

    Args:
        groups: of each the results of all questions.
        all_at_once: whether p-values are to hold for all tests together too.
    """
    tests = (
        [test for own in zip(*groups, strict=True) for test in _question_tests(own)] if len(groups) >= FEWEST else []
    )
    return _holm(tests) if all_at_once else tuple(tests)


def _question_tests(own: Sequence[Result]) -> Iterator[GroupTest]:
    shares = [one for result in own if (one := result.shares) is not None]
    if len(shares) >= FEWEST and shares[0].count <= MOST_TESTED and tells_covariance(shares[0].question.mechanism):
        name, covariances = shares[0].question.name, _common_covariances(shares)
        if _excess(shares, covariances) <= LARGEST_EXCESS:
            test = test_of_equality([one.estimate.value for one in shares], covariances)
            yield GroupTest(name, f"shares of {name}", test, len(shares))
        return
    told: dict[object, list[tuple[int, Quantities]]] = {}
    for result in (one for one in own if one.n >= FEWEST_REPORTS):
        for quantities in result.quantities():
            told.setdefault(quantities.key, []).append((result.n, quantities))
    for several in told.values():
        if len(several) >= FEWEST:
            yield from _number_tests(several)


def _common_covariances(shares: Sequence[HistogramResult]) -> list[Floats]:
    """The covariance of each group's shares if all groups have the same, which all their reports together tell.

    Equal shares make equal laws of codes: few reports of one group, some of whose codes nobody sent, tell less of it.
    """
    n = sum(one.n for one in shares)
    law = sum((one.n * one.estimate.law for one in shares), np.zeros_like(shares[0].estimate.law)) / n
    question = shares[0].question
    whole = Decoded(question.mechanism, law)
    covariance = whole.covariance(np.eye(shares[0].count), subtract_totals=question.part.subtract_totals)
    return [covariance / one.n for one in shares]


def _excess(shares: Sequence[HistogramResult], covariances: Sequence[Floats]) -> float:
    """What few counts add to the variance of the statistic, relative to it, as `IndependenceTest.excess`.

    A group that is nearly all people moves their common shares, and so differs little from them.
    """
    low, high = shares[0].question.mechanism.contribution_range
    contributions = np.broadcast_to(high - low, shares[0].count)
    n, found = sum(one.n for one in shares), 0.0
    for one, covariance in zip(shares, covariances, strict=True):
        variances = np.diagonal(covariance)
        varying = variances > 0
        added = added_by_few_counts(variances[varying], contributions[varying], one.n)
        found += (1 - one.n / n) ** 2 * added
    return found / (2 * max(shares[0].count - 1, 1) * (len(shares) - 1))


def _number_tests(several: Sequence[tuple[int, Quantities]]) -> Iterator[GroupTest]:
    """Of each number that two groups or more tell with a standard error."""
    parts = [(n, one.shown or one.measured) for n, one in several]
    for key, first in parts[0][1].items():
        told = [(n, part[key]) for n, part in parts if key in part and isfinite(part[key].number.stderr)]
        if len(told) >= FEWEST:
            test = test_of_equality([np.array([one.number.value]) for _, one in told], _variances(told))
            own = first.about["attribute"] if "attribute" in first.about else ", ".join(first.about["attributes"])
            about = f"{own}, {first.label}"
            yield GroupTest(several[0][1].question, about, test, len(told))


def _variances(told: Sequence[tuple[int, MeasuredNumber]]) -> list[Floats]:
    """The variance of each group's number; of a share that of all reports, which says more where it is rare."""
    own = [one.number.stderr**2 for _, one in told]
    if told[0][1].is_share:
        all_reports = sum(n for n, _ in told)
        each = sum(n * n * variance for (n, _), variance in zip(told, own, strict=True)) / all_reports
        own = [each / n for n, _ in told]
    return [np.array([[variance]]) for variance in own]


def _holm(tests: Sequence[GroupTest]) -> tuple[GroupTest, ...]:
    """With p-values that hold for all tests together. Source: Holm 1979."""
    order = sorted(range(len(tests)), key=lambda place: tests[place].test.p_value)
    adjusted, largest = {}, 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(tests) - rank) * tests[place].test.p_value))
        adjusted[place] = largest
    return tuple(replace(test, adjusted=adjusted[place]) for place, test in enumerate(tests))
