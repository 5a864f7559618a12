"""The plan: a survey's promise frozen into mechanisms with integer thresholds, public and hashed.

Every later step (privatize, aggregate, estimate, certify, explain) takes the plan and nothing else; it reads the
integers of the document, so that what is sampled is what was certified.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certify import Certificate
from sordino.blocks.arrow_rows import ArrowRows
from sordino.blocks.displayed import Displayed
from sordino.document.files import json_object, read_text, write_text
from sordino.document.formats import PLAN
from sordino.document.kinds import explain_kind
from sordino.document.sealed import sealed_bytes
from sordino.domain.attribute import Attribute
from sordino.errors import DamagedError, RefusedError, SordinoError
from sordino.exact.messages.arguments import checked, checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats, in_nats, outward
from sordino.exact.source import Words
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import foreign_code
from sordino.printable import printable
from sordino.query.sampled import Sampled
from sordino.survey.frozen.amounts import canonical_epsilon
from sordino.survey.frozen.dependence_bounds import dependence_of
from sordino.survey.frozen.parts import MOST_PEOPLE
from sordino.survey.frozen.promise import attribute_of
from sordino.survey.frozen.promised import promised_text
from sordino.survey.frozen.question_part import QuestionPart
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.planning.plan_fields import PlanDocument, dump, kind_of, seal, unseal
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.survey.questions.facts import PlanFacts
from sordino.survey.questions.public_cells import PublicCells
from sordino.survey.questions.question import Question, SharesQuestion
from sordino.survey.questions.question_rows import QUESTION_HEADER, question_table, question_texts

if TYPE_CHECKING:
    import pyarrow as pa

    from sordino.domain.answers.series import Series
    from sordino.survey.planning.expected import Expectations
    from sordino.survey.reading.schema import Survey

Progress: TypeAlias = Callable[[int], None]

MOST_VALUES = 1 << 24
"""Values of all histograms together: some four of the largest, since each is certified whenever a plan is read."""


@checked_class
@dataclass(frozen=True, repr=False)
class Plan(ArrowRows, Displayed):
    """A frozen plan of a survey.

    Attributes:
        document: all there is; what follows is derived from it.

    Example:
        >>> from sordino import Survey
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "ln 3",
        ...     "attribute": {"smoker": {"categories": ["yes", "no"]}}, "ask": [{"histogram": "smoker"}],
        ... })
        >>> Plan.of(survey, people=1000).certificate.holds
        True
    """

    document: PlanDocument

    def __repr__(self) -> str:
        # A device prints no plan.
        from sordino.blocks.summary import MOST_ROWS, lines_of

        asked = self.questions
        rows = question_texts(asked[:MOST_ROWS])
        title, *lines = lines_of(self.title, ("", *QUESTION_HEADER[1:]), rows, len(asked), "to_arrow()").split("\n")
        return "\n".join([title, f"  promised: {printable(self.promise_text)}", *lines])

    @property
    def title(self) -> str:
        """What it is, in a line."""
        count = len(self.questions)
        return f"Plan of {count:,} question{'' if count == 1 else 's'} for {self.people:,} people, {self.hash}"

    @property
    def promise_text(self) -> str:
        """The epsilon, and what is promised about single attributes, in a line; `explain` says what it means."""
        return promised_text(self.document.epsilon, self.document.attributes)

    @property
    def epsilon(self) -> Nats | None:
        """The largest that it promises, of distances for each unit; None where all have bounds for pairs of values."""
        own = (each.protect.epsilon for each in self.document.attributes.values() if each.protect is not None)
        return max((canonical_epsilon(one) for one in (self.document.epsilon, *own) if one is not None), default=None)

    def to_arrow(self) -> "pa.Table":
        """A row for each question: its name, what is asked of which attributes, of how many people, in how many bits.

        `share` is the share of the people who are asked it.
        """
        return question_table(self.questions)

    @classmethod
    @checked
    def of(cls, survey: "Survey", people: int, progress: Progress = lambda _: None) -> "Plan":
        """Choose mechanisms for a survey and freeze them.

        Args:
            survey: a checked survey.
            people: how many are expected to answer, for the expected errors.
            progress: called with the number of questions whose mechanism is chosen since the last call.
        """
        cls.require_people(people)
        # Surveys and designs are for who makes plans: who reads one does not wait for them.
        from sordino.survey.planning.choose import choose
        from sordino.survey.planning.expected import expected_of_survey
        from sordino.survey.reading.schema import Survey

        asked = Survey.of(survey)
        plan = cls(seal(choose(asked, people, progress)))
        known = expected_of_survey(plan.questions, asked)
        plan = plan.with_expected(known) if any(own is not None for own in known) else plan
        plan.check("the plan", "report this as a defect of Sordino")
        return plan

    @staticmethod
    def require_people(people: int) -> None:
        """Refuse a number of people that no plan expects.

        Raises:
            SordinoError: none, or too many.
        """
        if not 1 <= people <= MOST_PEOPLE:
            rule, step = f"people must be at least 1 and at most {MOST_PEOPLE}", "say how many are expected to answer"
            raise SordinoError(rule, found=shown(people), step=step)

    def for_people(self, people: int) -> "Plan":
        """The same plan for another number of people: its mechanisms do not depend on it, its hash does."""
        content = dump(self.document) | {"people": people}
        return Plan(seal({name: part for name, part in content.items() if name != "hash"}))

    def with_expected(self, expected: "Expectations") -> "Plan":
        """The same plan, which expects such people: its hash is another one, what its reports reveal is not."""
        content = dump(self.document)
        queries = [
            part if own is None else part | {"expected": question.expected_document(own)}
            for question, part, own in zip(self.questions, content["queries"], expected, strict=True)
        ]
        content = {name: part for name, part in content.items() if name != "hash"}
        return Plan(seal(content | {"queries": queries}))

    @classmethod
    @checked
    def load(cls, path: Path | str, progress: Progress = lambda _: None) -> "Plan":
        """Read a plan file and certify it again.

        Args:
            path: of the file.
            progress: called with the number of questions certified since the last call.

        Raises:
            SordinoError: no plan, or of a newer version.
            DamagedError: changed after it was frozen.
            RefusedError: breaking its own promise.
        """
        with explain_kind(Path(path), "plan"):
            return cls.of_text(read_text(Path(path)), str(path), progress)

    @classmethod
    @checked
    def of_text(cls, text: str, name: str, progress: Progress = lambda _: None) -> "Plan":
        """Read the text of a plan's file and certify it again.

        Args:
            text: all of it.
            name: of what it comes from, for messages.
            progress: as of `load`.

        Raises:
            SordinoError: no plan, or of a newer version.
            DamagedError: changed after it was frozen.
            RefusedError: breaking its own promise.
        """
        document = json_object(text, name)
        PLAN.require(document, name)
        plan = cls(unseal(document, name))
        try:
            plan.check(name, "do not use it; make the plan again", progress)
            _ = plan.cells
        except DamagedError as error:
            # What a mechanism says of its record names no file.
            raise PLAN.foreign(f"{error.rule}; found {error.found}", name) from None
        # One plan, one text: nothing that another reader could take differently (a key twice, 1.0 for 1).
        PLAN.require_spelling(text.strip().encode(), plan.bytes.strip(), name)
        return plan

    def check(self, name: str, step: str, progress: Progress = lambda _: None) -> None:
        """Refuse a plan that breaks its promise.

        Args:
            name: of the plan, for the message.
            step: what to do then.
            progress: called with the number of questions certified since the last call.

        Raises:
            SordinoError: more values than can be certified in some seconds.
            RefusedError: it breaks its promise.
        """
        promised = [(one, promise) for one in self.questions if (promise := one.value_promise) is not None]
        values = sum(question.values.k for question, _ in promised if question.values is not None)
        if values > MOST_VALUES:
            raise SordinoError(
                f"the histograms and tables of {name} must have at most {MOST_VALUES} values together",
                found=f"{values:,}",
                step="ask fewer of them, or take coarser values",
            )
        # What they expect is read once: shares of other values are no plan's.
        _ = [question.expected_people for question in self.questions]
        found = []
        for question in self.questions:
            if question.value_promise is not None and not question.certificate.holds:
                found.append(f"a mechanism that loses {_excess(question.certificate)} more than promised")
            progress(1)
        declared = [promise.epsilon for _, promise in promised]
        if self.promise is not None and max(declared, default=Nats.of(0)) > self.promise.epsilon:
            found.append("a question that declares a larger epsilon than the plan")
        if self.promise is not None and not self.promise.holds:
            found.append(f"answers that reveal more than promised about {', '.join(self.promise.violations)}")
        if found:
            raise RefusedError(f"{name} must keep its own promise", found="; ".join(found), step=step)

    def save(self, path: Path | str) -> None:
        """Write the canonical bytes, never over another file: reports may exist that need it."""
        target = Path(path)
        if not (target.is_file() and read_text(target).encode() == self.bytes):
            write_text(target, self.bytes.decode())

    @cached_property
    def bytes(self) -> bytes:
        """The canonical bytes, the hash first, with a line feed at the end."""
        return sealed_bytes(dump(self.document)) + b"\n"

    @property
    def hash(self) -> str:
        """The content hash."""
        return self.document.hash

    @property
    def tag(self) -> int:
        """What each report carries of the hash: its first 64 bits."""
        return int(self.hash.removeprefix("sha256:")[:16], 16)

    @property
    def people(self) -> int:
        """How many people are expected to answer."""
        return self.document.people

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions, in the order of the survey; a person answers one of them."""
        total = sum(part.weight for part in self.document.queries)
        asked = zip(self.kinds, self.document.queries, strict=True)
        return tuple(self._question(kind, part, Fraction(part.weight, total)) for kind, part in asked)

    @cached_property
    def cells(self) -> PublicCells:
        """What reports say in clear beside their codes: one cell, of no values, without public columns."""
        return PublicCells(tuple(self.document.public or ()), self.sampled.outputs)

    @cached_property
    def series(self) -> "Series | None":
        """The periods of which each person answers in one; None of a plan that asks at one time."""
        return None if self.document.series is None else self.document.series.series

    def tally(self, numbers: Words, *, drawn: bool = False) -> Aggregate:
        """What reports add up to, all and by their public cells.

        Args:
            numbers: of the reports (`PublicCells`): their codes, where the plan has no public columns.
            drawn: whether they were drawn by the plan, and need no look.

        Raises:
            SordinoError: one that the plan cannot send.
        """
        if not self.cells.parts:
            return self.sampled.tally(numbers, drawn=drawn)
        codes, cells = self.cells.split(numbers.astype(np.uint64, copy=False))
        if not drawn and (position := self.first_invalid(numbers)) is not None:
            raise foreign_code(self.cells.last_number + 1, position)
        # In few bytes, which sort fast.
        order = np.argsort(cells.astype(np.min_scalar_type(self.cells.count)), kind="stable")
        found, starts = np.unique(cells[order], return_index=True)
        parts = np.split(codes[order], starts[1:])
        own = {
            cell: self.sampled.tally(part, drawn=True).counts for cell, part in zip(found.tolist(), parts, strict=False)
        }
        total = sum(own.values(), self.sampled.tally(codes[:0]).counts)
        return Aggregate(self.sampled.fingerprint, len(codes), total, own)

    def first_invalid(self, numbers: Words) -> int | None:
        """The position of the first report that the plan cannot send."""
        if not self.cells.parts:
            return self.sampled.first_invalid(numbers)
        wrong = ~self.sendable(numbers.astype(np.uint64, copy=False))
        return int(np.argmax(wrong)) if wrong.any() else None

    def sendable(self, numbers: Words) -> NDArray[np.bool_]:
        """Which numbers a report of the plan can have."""
        below = numbers <= np.uint64(self.cells.last_number)
        codes, _ = self.cells.split(np.where(below, numbers, 0).astype(np.uint64))
        return below & ~self.sampled.are_impossible(codes)

    @cached_property
    def kinds(self) -> tuple[AnyKind, ...]:
        """Of each question the kind."""
        return tuple(map(kind_of, self.document.queries))

    def _question(self, kind: AnyKind, part: QuestionPart, share: Fraction) -> Question:
        attributes, epsilon = self.attributes, self.document.epsilon
        protects = {name: own.protect for name, own in self.document.attributes.items()}
        least = min((each.delta for each in attributes.values() if each.delta is not None), default=None)
        whole = None if epsilon is None else canonical_epsilon(epsilon)
        facts = PlanFacts(attributes, protects, self.places, whole, least)
        question: Question = kind.question(part, share, max(1, int(self.people * share)), facts)
        return question

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes by name."""
        asked = {} if self.document.words is None else self.document.words.attributes
        dates = {name for name, words in asked.items() if words.input == "date"}
        return {
            name: attribute_of(name, part, is_date=name in dates) for name, part in self.document.attributes.items()
        }

    @property
    def about_shares(self) -> tuple[SharesQuestion, ...]:
        """The questions about the shares of values, or of cells."""
        return tuple(shares for question in self.questions if (shares := question.shares) is not None)

    @property
    def places(self) -> tuple[str, ...]:
        """The attributes in the order in which statistics name them: that of the alphabet."""
        return tuple(sorted(self.document.attributes))

    @cached_property
    def promise(self) -> CoordinatePromise | None:
        """What is promised about each attribute by itself; None where attributes have no deltas."""
        document, places = self.document, self.places
        if document.epsilon is None:
            return None
        return CoordinatePromise(
            places,
            tuple(self.attributes[name].delta or Nats.of(0) for name in places),
            canonical_epsilon(document.epsilon),
            dependence_of(document.dependence, places),
            tuple(answers for question in self.questions for answers in question.types),
            (document.dependence and document.dependence.bins) or {},
            tuple(question.certificate for question in self.questions if question.value_promise is None),
            tuple(document.dependence.ground) if document.dependence else (),
        )

    @cached_property
    def sampled(self) -> Sampled:
        """What a person is asked: one of the questions, drawn without looking at the record."""
        weights = tuple(part.weight for part in self.document.queries)
        return Sampled(tuple(question.query for question in self.questions), weights)

    @cached_property
    def certificates(self) -> tuple[tuple[Question, Certificate], ...]:
        """The questions with a promise about their values and the verdict on each, its codes as reports have them."""
        firsts = zip(self.questions, self.sampled.offsets, strict=False)
        return tuple((q, q.certificate.after(first)) for q, first in firsts if q.value_promise is not None)

    @property
    def certificate(self) -> Certificate | None:
        """The certificate with the least slack: if it holds, those of all histograms do; None without histograms."""
        return min((certificate for _, certificate in self.certificates), key=lambda found: found.slack, default=None)


def _excess(certificate: Certificate) -> str:
    if not certificate.slack.is_finite:
        return "infinitely"
    return in_nats(outward(-Fraction(certificate.slack.floor()), 3, up=True))
