"""The verdict on a plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, nan
from typing import TYPE_CHECKING

from sordino.audit.batch_certificate import DrawnBatch, beliefs_after_shuffling, certify_drawn
from sordino.audit.certificate import Certificate
from sordino.blocks.arrow_rows import NUMBER, TEXT, TRUTH, ArrowRows, rows_table
from sordino.blocks.displayed import WithFigures
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.definition.bounds import LARGEST_EPSILON
from sordino.definition.pairwise import LDP
from sordino.exact.amount_text import loss_text_of
from sordino.exact.nats import Nats
from sordino.show.certificates import WITHOUT_BOUND, certificate_blocks, losses_group
from sordino.survey.planning.coordinates import CoordinatePromise
from sordino.survey.planning.plan import Plan
from sordino.verbs.mechanism_verbs import are_apart, drawn_queries
from sordino.words.explain_certificate import batch_paragraph, plan_certificates

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class PlanCertificate(ArrowRows, WithCell, WithFigures):
    """The verdict on a plan's integers, exact on every output.

    Attributes:
        plan: that is checked.
        batch: what a batch of its shuffled reports reveals, where that was asked for.

    Example:
        >>> from sordino import certify, plan
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> verdict = certify(plan({**asked, "ask": [{"histogram": "smoker"}]}, people=1000))
        >>> verdict.holds, list(verdict.questions)
        (True, ['smoker'])
    """

    plan: Plan
    batch: DrawnBatch | None = None

    def __bool__(self) -> bool:
        # Whoever asks `if certify(plan)` asks whether it holds.
        return self.holds

    def __repr__(self) -> str:
        found = list(self._rows())
        # A question may have the name of an attribute.
        named = {
            "attribute": "{}",
            "record": "the whole record",
            "question": "{}" if self.promise is None else "question {}",
        }
        rows = [
            (named[kind].format(name), _loss_words(loss, bound), _verdict(holds=holds))
            for kind, name, loss, bound, holds in found[:MOST_ROWS]
        ]
        lines = lines_of(self._title, ("", "revealed at most", "verdict"), rows, len(found), "to_arrow()")
        return lines if self.batch is None else f"{lines}\n{self.batch}"

    def to_arrow(self) -> "pa.Table":
        """A row for each attribute with a promise of its own, for the whole record then, and for each question.

        `revealed`: the most that a report can reveal, in nats, rounded up; infinite where it decides between values
        that are protected from each other. `promised`: the bound, of a question where least of it is left.
        """
        types = {"kind": TEXT, "name": TEXT, "revealed": NUMBER, "promised": NUMBER, "holds": TRUTH}
        rows = [
            (kind, name, _float(loss, inf), _float(bound, nan if loss is None else inf), holds)
            for kind, name, loss, bound, holds in self._rows()
        ]
        return rows_table(types, {name: [row[at] for row in rows] for at, name in enumerate(types)})

    def _rows(self) -> Iterator[tuple[str, str, Nats | None, Nats | None, bool]]:
        """Kind, name, the largest loss (None: infinite), its bound (None: nothing is protected) and the verdict."""
        if (promise := self.promise) is not None:
            for name, loss, delta in zip(promise.names, promise.losses, promise.deltas, strict=True):
                yield "attribute", name, loss, delta, loss <= delta
            yield "record", "", promise.level, promise.epsilon, promise.level <= promise.epsilon
        for name, found in self._by_place:
            if found.witness is None:
                yield "question", name, Nats.of(0), None, found.holds
            elif found.witness.loss is None:
                yield "question", name, None, None, found.holds
            else:
                yield "question", name, found.witness.loss, found.slack + found.witness.loss, found.holds

    def notebook_cell(self) -> NotebookCell:
        """The verdict on attributes and questions, in a figure, tables and sentences."""
        drawn = losses_group(self.plan)
        blocks = (*(() if drawn is None else (drawn,)), *certificate_blocks(self.plan))
        return NotebookCell(self._title, [("", blocks)], f"certificate {self.plan.hash}")

    @property
    def _title(self) -> str:
        return f"PlanCertificate: {_verdict(holds=self.holds)}"

    @property
    def holds(self) -> bool:
        """Whether all that is promised is kept."""
        kept_by_each = all(found.holds for _, found in self._by_place)
        return kept_by_each and (self.promise is None or self.promise.holds)

    @cached_property
    def questions(self) -> Mapping[str, Certificate]:
        """The verdict on each question by its name, codes as reports have them."""
        return dict(self._by_place)

    @cached_property
    def _by_place(self) -> tuple[tuple[str, Certificate], ...]:
        """The name and verdict of each question; one of a name that stands before has a number too."""
        numbers = [(q, q.certificate) for q in self.plan.questions if q.value_promise is None]
        found = [(question.name, certificate) for question, certificate in (*self.plan.certificates, *numbers)]
        names = [name for name, _ in found]
        return tuple(
            (name if name not in names[:i] else f"{name} ({names[:i].count(name) + 1})", certificate)
            for i, (name, certificate) in enumerate(found)
        )

    @property
    def promise(self) -> CoordinatePromise | None:
        """What is promised about each attribute by itself, and what is reached; None where there are no deltas."""
        return self.plan.promise

    @property
    def lines(self) -> tuple[str, ...]:
        """The verdict in sentences."""
        shuffled = () if self.batch is None else (batch_paragraph(self.batch),)
        return tuple(
            f"{paragraph.heading}: {line}" if paragraph.heading else line
            for paragraph in (*plan_certificates(self.plan), *shuffled)
            for line in paragraph.lines
        )


def certify_plan_batch(plan: Plan, people: int, delta: Fraction) -> DrawnBatch:
    """Bound what a batch of a plan's shuffled reports reveals about one person.

    Args:
        plan: whose questions each of the people is drawn for one of.
        people: how many honest reports of one public group, period and block are shuffled.
        delta: the probability with which more may be revealed.

    Raises:
        SordinoError: a plan with a delta for an attribute, or questions that are answered together; as of
            `certify_drawn`.
    """
    if (promise := plan.promise) is not None and any(delta < promise.epsilon for delta in promise.deltas):
        raise beliefs_after_shuffling("an attribute with a delta of its own")
    weights = plan.sampled.weights
    asked, names, drawn = [], [], []
    for question, weight in zip(plan.questions, weights, strict=True):
        promised = question.value_promise or LDP(plan.epsilon or LARGEST_EPSILON)
        for query, share in drawn_queries(question.query, Fraction(weight, sum(weights))):
            drawn.append((query, share))
            asked.append((query.mechanism, promised, share))
            names.append(question.title)
    # Of who is not asked one question another one knows the answer.
    is_free = not any(attribute.only_if for question in plan.questions for attribute in question.attributes)
    return certify_drawn(asked, people, delta, tuple(names), apart=is_free and are_apart(drawn))


def _float(amount: Nats | None, otherwise: float) -> float:
    return otherwise if amount is None else amount.ceil()


def _loss_words(loss: Nats | None, bound: Nats | None) -> str:
    if loss is None:
        return WITHOUT_BOUND
    return "nothing is protected" if bound is None else loss_text_of(loss, bound)


def _verdict(*, holds: bool) -> str:
    return "holds" if holds else "does NOT hold"
