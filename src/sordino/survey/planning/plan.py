"""The plan: a survey's promise frozen into mechanisms with integer thresholds, public and hashed.

Every later step (privatize, aggregate, estimate, certify, explain) takes the plan and nothing else; it reads the
integers of the document, so that what is sampled is what was certified.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certificate import Certificate
from sordino.blocks.arrow_rows import ArrowRows
from sordino.blocks.displayed import Displayed
from sordino.distinct import DistinctParts
from sordino.document.files import json_object, read_text, write_text
from sordino.document.formats import PLAN
from sordino.document.kinds import explain_kind
from sordino.document.replace import of_kind, require_free
from sordino.document.sealed import sealed_bytes
from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories
from sordino.domain.condition import with_conditions
from sordino.domain.phrasing import NO_WORDS, Phrasing
from sordino.errors import DamagedError, RefusedError, SordinoError
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import Nats, in_nats, outward
from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate, foreign_code
from sordino.printable import printable
from sordino.query.sampled import Sampled
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.kinds.question import PlanFacts, Question, QuestionPart, SharesQuestion
from sordino.survey.planning.coordinates import CoordinatePromise
from sordino.survey.planning.plan_fields import PlanDocument, dump, kind_of, seal, unseal
from sordino.survey.planning.question_rows import QUESTION_HEADER, question_table, question_texts
from sordino.survey.schema.amounts import canonical_epsilon
from sordino.survey.schema.attribute_part import MOST_PEOPLE, AttributePart, ProtectPart, attribute_of
from sordino.survey.schema.dependence_bounds import dependence_of
from sordino.survey.schema.public_column import PublicPart

if TYPE_CHECKING:
    import pyarrow as pa

    from sordino.domain.calendar import Series
    from sordino.survey.planning.expectations import Expectations
    from sordino.survey.reading.survey_file import Survey

UNSENDABLE = (1 << 64) - 1
"""The number of no report of a plan with public columns: for what came as a code or a cell that is none."""

MOST_CELLS = 1 << 32
"""Combinations of public values."""


@dataclass(frozen=True)
class PublicCells:
    """The combinations of the values of a plan's public columns, which reports name in clear; one without columns.

    A cell is a whole number: the places of the values in their columns, the last column counting fastest. A report's
    number is cell x outputs + code, so that one number of at most 64 bits says all that a report does; without public
    columns it is the code. The code is drawn by the same channel in every cell: what is known of a cell was known
    before.

    Attributes:
        parts: the public columns.
        outputs: how many codes the plan's queries have.

    Raises:
        SordinoError: more numbers of reports than 64 bits have.

    Example:
        >>> region = PublicPart(name="region", labels=["north", "south"], columns=["region"])
        >>> cells = PublicCells((region,), outputs=3)
        >>> cells.join(np.array([2, 0]), np.array([0, 1])).tolist()
        [2, 3]
        >>> cells.labels(1)
        {'region': 'south'}
    """

    parts: tuple[PublicPart, ...]
    outputs: int

    def __post_init__(self) -> None:
        if self.count > MOST_CELLS or (self.parts and self.count * self.outputs > UNSENDABLE):
            raise SordinoError(
                "a code and its public values must fit into 64 bits",
                found=f"{self.count:,} combinations of public values, and {self.outputs:,} codes",
                step="merge public values, or ask less",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the public columns."""
        return tuple(part.name for part in self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each column has."""
        return tuple(len(part.labels) for part in self.parts)

    @cached_property
    def count(self) -> int:
        """How many cells there are."""
        return prod(self.shape)

    @property
    def last_number(self) -> int:
        """The largest number of a report."""
        return self.count * self.outputs - 1

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The public columns as they are read from a table or a record."""
        return tuple(
            Attribute(part.name, Categories(part.labels), tuple(part.columns), part.missing) for part in self.parts
        )

    @property
    def cell_bytes(self) -> int:
        """Bytes of a cell where reports are packed; none without public columns."""
        return -(-(self.count - 1).bit_length() // 8)

    def join(self, codes: Words, cells: NDArray[np.integer]) -> Words:
        """The numbers of reports, as they are drawn or as they came: those of no report get a number of none."""
        if not self.parts:
            return codes
        own = cells.astype(np.uint64)
        numbers: Words = own * np.uint64(self.outputs) + codes.astype(np.uint64)
        numbers[(codes >= np.uint64(self.outputs)) | (own >= np.uint64(self.count))] = np.uint64(UNSENDABLE)
        return numbers

    def split(self, numbers: Words) -> tuple[Words, Words]:
        """Of reports the codes and the cells."""
        if not self.parts:
            return numbers, np.zeros(len(numbers), dtype=np.uint64)
        cells, codes = np.divmod(numbers, np.uint64(self.outputs))
        return codes, cells

    def periods(self, numbers: Words) -> NDArray[np.int64]:
        """Of reports of a series the places of their periods: the last public column, which counts fastest."""
        _, cells = self.split(numbers)
        return (cells % np.uint64(self.shape[-1])).astype(np.int64)

    def cell(self, places: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
        """The cells of people, from the place of each one's value in each column."""
        found = np.zeros(len(places[0]) if places else 0, dtype=np.int64)
        for own, count in zip(places, self.shape, strict=True):
            found = found * count + own
        return found

    def places(self, cell: int) -> tuple[int, ...]:
        """The place of the value in each column."""
        found = []
        for count in reversed(self.shape):
            cell, place = divmod(cell, count)
            found.append(place)
        return tuple(reversed(found))

    def labels(self, cell: int) -> dict[str, str]:
        """The value in each column, by its name."""
        return {part.name: part.labels[place] for part, place in zip(self.parts, self.places(cell), strict=True)}

    def of_labels(self, given: object) -> int | None:
        """The cell of the values of all columns, by their names; None where they are something else."""
        if not isinstance(given, Mapping) or given.keys() != set(self.names):
            return None
        cell = 0
        for part in self.parts:
            label = given[part.name]
            if not isinstance(label, str) or label not in part.labels:
                return None
            cell = cell * len(part.labels) + part.labels.index(label)
        return cell


MOST_ON_A_SCREEN = 24
"""Questions that a terminal shows one by one."""

MOST_NAMED = 3
"""Attributes of whose promises a line speaks."""

MOST_DIGITS = 9
"""Of a decimal that stands for an amount."""

EPSILON, DISTANCE, BOUNDS = "epsilon {}", "epsilon {} for each unit of distance", "bounds for pairs of values"


def promised_text(epsilon: str | None, attributes: Mapping[str, AttributePart]) -> str:
    """The epsilons and deltas of a plan.

    Args:
        epsilon: of the whole record, in nats, where attributes have a delta.
        attributes: of the plan, by name.
    """
    if epsilon is not None:
        whole = f"{EPSILON.format(_amount(epsilon))} of the whole record"
        below = {name: _amount(own.delta) for name, own in attributes.items() if own.delta not in {None, epsilon}}
        return f"{whole}; {_by_name({n: f'delta {own}' for n, own in below.items()})}" if below else whole
    each = {name: protection_text(own.protect) for name, own in attributes.items() if own.protect is not None}
    ways = set(each.values())
    return ways.pop() if len(ways) == 1 else _by_name(each)


def _by_name(texts: Mapping[str, str]) -> str:
    named = [f"{text} of {name}" for name, text in list(texts.items())[:MOST_NAMED]]
    more = len(texts) - len(named)
    return ", ".join(named) + (f", and {more:,} more" if more else "")


def protection_text(protect: ProtectPart) -> str:
    """The epsilon of an attribute, and whether it is for each unit of distance."""
    if protect.epsilon is None:
        return BOUNDS
    return (EPSILON if protect.metric is None else DISTANCE).format(_amount(protect.epsilon))


def _amount(text: str | None) -> str:
    amount = Nats.of(text or "0")
    if amount.ratio != 1:
        return str(amount)
    decimal = outward(amount.rational, MOST_DIGITS, up=True)
    return decimal if Fraction(decimal) == amount.rational else str(amount)


Progress: TypeAlias = Callable[[int], None]

MOST_VALUES = 1 << 24
"""Values of all histograms together: some four of the largest, since each is certified whenever a plan is read."""


@checked_class
@dataclass(frozen=True, repr=False)
class Plan(ArrowRows, Displayed):
    """A frozen plan of a survey.

    Attributes:
        document: all there is; what follows is derived from it.
        language: in which results are shown; None for the first of the survey.

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
    language: str | None = field(default=None, compare=False)

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
        from sordino.survey.planning.expectations import expected_of_survey
        from sordino.survey.planning.plan_design import design_plan
        from sordino.survey.reading.survey_file import Survey

        asked = Survey.of(survey)
        plan = cls(seal(design_plan(asked, people, progress)))
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
            return cls.of_text(read_text(Path(path), marked=False), str(path), progress)

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
        # One plan, one text: nothing that another reader could take differently (a key twice, 1.0 for 1, another end).
        frozen = plan.bytes.decode()
        if text != frozen and text.strip() == frozen.strip():
            raise PLAN.change_error("other blanks or line feeds around it than the one line feed at its end", name)
        PLAN.require_spelling(text, frozen, name)
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
        values = sum(question.certified_values for question, _ in promised)
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

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write the canonical bytes.

        Args:
            path: of the file.
            overwrite: whether another plan of that name is replaced; reports may exist that need it.
        """
        target = Path(path)
        if not (target.is_file() and read_text(target, marked=False).encode() == self.bytes):
            again = require_free(target, "a plan", of_kind("plan"), force=overwrite)
            write_text(target, self.bytes.decode(), overwrite=again)

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
        question: Question = kind.question(part, share, max(1, int(self.people * share)), self._facts)
        return question

    def questions_asked_by(
        self, queries: Sequence[dict[str, Any]], protects: Mapping[str, dict[str, Any]]
    ) -> tuple[Question, ...]:
        """The questions of the plan if its attributes were asked and protected otherwise; nothing of it is certified.

        Args:
            queries: in the words of a plan, as many as it has.
            protects: of attributes by name, likewise.
        """
        read = {name: ProtectPart.read_value(protect) for name, protect in protects.items()}
        facts = self._facts._replace(protects={**self._facts.protects, **read})
        parts = [kind.part.read_value(query) for kind, query in zip(self.kinds, queries, strict=True)]
        asked = zip(self.kinds, parts, self.questions, strict=True)
        return tuple(kind.question(part, own.share, own.people, facts) for kind, part, own in asked)

    @cached_property
    def parts(self) -> DistinctParts:
        """What questions have in common that are alike in all that it depends on."""
        return DistinctParts()

    @cached_property
    def _facts(self) -> PlanFacts:
        attributes, epsilon = self.attributes, self.document.epsilon
        protects = {name: own.protect for name, own in self.document.attributes.items()}
        deltas = dict.fromkeys(each.delta for each in attributes.values() if each.delta is not None)
        whole, places = None if epsilon is None else canonical_epsilon(epsilon), enumerate(self.places)
        named = {name: place for place, name in places}
        return PlanFacts(attributes, protects, named, whole, min(deltas, default=None), self.parts)

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes by name."""
        asked = {} if self.document.words is None else self.document.words.attributes
        dates = {name for name, words in asked.items() if words.input == "date"}
        said = self.phrasings
        return {
            name: attribute_of(name, part, is_date=name in dates, phrasing=said.get(name))
            for name, part in self.document.attributes.items()
        }

    @cached_property
    def phrasings(self) -> Mapping[str, Phrasing]:
        """How attributes and public columns are said in the plan's language, as far as the survey has words."""
        words = self.document.words
        if words is None:
            return {}
        language = self.language or words.languages[0]
        said = {name: own.in_language(language) for name, own in words.attributes.items()}
        texts = Counter(own.text for own in said.values())
        return {name: replace(own, is_shared=texts[own.text] > 1) for name, own in said.items()}

    def quoted_title(self, name: str) -> str:
        """The question of an attribute or a public column within a sentence, or its name in quotation marks."""
        return self.phrasings.get(name, NO_WORDS).quoted_title(name)

    def in_language(self, language: str | None) -> "Plan":
        """This plan, whose results are shown in one of the survey's languages.

        Raises:
            SordinoError: another language.
        """
        words = self.document.words
        languages = [] if words is None else words.languages
        if language is not None and language not in languages:
            known = f"take one of {', '.join(languages)}" if languages else "leave it out: the survey has no words"
            raise SordinoError(
                "a questionnaire must be shown in a language of its own", found=shown(language), step=known
            )
        return self if language is None else replace(self, language=language)

    @property
    def is_drawn_first(self) -> bool:
        """Whether the question is drawn before a person answers, who is then asked only what it needs."""
        words = self.document.words
        return words is not None and words.ask == "drawn" and len(self.questions) > 1

    def asked_names(self, question: int | None = None) -> list[str]:
        """The attributes that a person is asked for, each after those that decide whether it is asked.

        Args:
            question: place of the only one that is asked; all by default.
        """
        asked = self.questions if question is None else (self.questions[question],)
        return with_conditions((name for one in asked for name in one.attribute_names), self.attributes)

    @property
    def is_large(self) -> bool:
        """Whether it has more questions than a screen shows one by one."""
        return len(self.questions) > MOST_ON_A_SCREEN

    @property
    def about_shares(self) -> tuple[SharesQuestion, ...]:
        """The questions about the shares of values, or of cells."""
        return tuple(shares for question in self.questions if (shares := question.shares) is not None)

    @cached_property
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
            tuple(self.attributes[name].title for name in places),
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
