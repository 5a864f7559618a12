"""The verdict on a plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from typing import TYPE_CHECKING

from sordino.audit.certify import Certificate
from sordino.blocks.arrow_rows import NUMBER, TEXT, TRUTH, ArrowRows, rows_table
from sordino.blocks.displayed import Displayed
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.show.certificates import certificate_blocks
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.words.explain_certificate import plan_certificates

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class PlanCertificate(ArrowRows, WithCell, Displayed):
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

    def __bool__(self) -> bool:
        # Whoever asks `if certify(plan)` asks whether it holds.
        return self.holds

    def __repr__(self) -> str:
        found = list(self.questions.items())
        rows = [(name, _verdict(holds=one.holds)) for name, one in found[:MOST_ROWS]]
        return lines_of(self._title, ("", "verdict"), rows, len(found), "lines")

    def to_arrow(self) -> "pa.Table":
        """A row for each attribute with a promise of its own, for the whole record then, and for each question.

        `revealed`: the most that a report can reveal, in nats, rounded up; infinite where it decides between values
        that are protected from each other. `promised`: the bound, of a question where least of it is left.
        """
        types = {"kind": TEXT, "name": TEXT, "revealed": NUMBER, "promised": NUMBER, "holds": TRUTH}
        rows = list(self._rows())
        return rows_table(types, {name: [row[at] for row in rows] for at, name in enumerate(types)})

    def _rows(self) -> Iterator[tuple[str, str, float, float, bool]]:
        if (promise := self.promise) is not None:
            for name, loss, delta in zip(promise.names, promise.losses, promise.deltas, strict=True):
                yield "attribute", name, loss.ceil(), delta.ceil(), loss <= delta
            yield "record", "", promise.level.ceil(), promise.epsilon.ceil(), promise.level <= promise.epsilon
        for name, found in self.questions.items():
            if found.witness is None:
                yield "question", name, 0.0, inf, found.holds
            elif found.witness.loss is None:
                yield "question", name, inf, nan, found.holds
            else:
                bound = found.slack + found.witness.loss
                yield "question", name, found.witness.loss.ceil(), bound.ceil(), found.holds

    def notebook_cell(self) -> NotebookCell:
        """The verdict on attributes and questions, in tables and sentences."""
        return NotebookCell(self._title, [("", tuple(certificate_blocks(self.plan)))], f"certificate {self.plan.hash}")

    @property
    def _title(self) -> str:
        return f"PlanCertificate: {_verdict(holds=self.holds)}"

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
