"""The verdict on a plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sordino.audit.certify import Certificate
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.words.explain_certificate import plan_certificates


@dataclass(frozen=True, eq=False, repr=False)
class PlanCertificate:
    """The verdict on a plan's integers, exact on every output.

    Attributes:
        plan: that is checked.

    Example:
        >>> from sordino import certify, plan
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> verdict = certify(plan({**asked, "ask": [{"histogram": "smoker"}]}, people=1000))
        >>> verdict.holds, list(verdict.questions)
        (True, ['smoker'])
    """

    plan: Plan

    def __repr__(self) -> str:
        title = f"PlanCertificate: {_verdict(holds=self.holds)}"
        found = list(self.questions.items())
        rows = [(name, _verdict(holds=one.holds)) for name, one in found[:MOST_ROWS]]
        return lines_of(title, ("", "verdict"), rows, len(found), "lines")

    @property
    def holds(self) -> bool:
        """Whether all that is promised is kept."""
        kept_by_each = all(found.holds for found in self.questions.values())
        return kept_by_each and (self.promise is None or self.promise.holds)

    @cached_property
    def questions(self) -> Mapping[str, Certificate]:
        """The verdict on each question by its name, codes as reports have them."""
        numbers = {q.name: q.certificate for q in self.plan.questions if q.value_promise is None}
        return {question.name: found for question, found in self.plan.certificates} | numbers

    @property
    def promise(self) -> CoordinatePromise | None:
        """What is promised about each attribute by itself, and what is reached; None where there are no deltas."""
        return self.plan.promise

    @property
    def lines(self) -> tuple[str, ...]:
        """The verdict in sentences."""
        return tuple(
            f"{paragraph.heading}: {line}" if paragraph.heading else line
            for paragraph in plan_certificates(self.plan)
            for line in paragraph.lines
        )


def _verdict(*, holds: bool) -> str:
    return "holds" if holds else "does NOT hold"
