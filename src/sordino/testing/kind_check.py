"""What every kind of question must keep, for those of Sordino and for a new one: all that a user can do with it.

A kind is asked in surveys of a few people, alone and beside other questions, with values that are missing and settings
that are wrong. Every verb must work, from the text of the survey to its results, and every mistake must be refused by a
`SordinoError`: whatever else is raised is a fault of the kind. Nothing is said of how exact its estimates are.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sordino.document.formats import PLAN
from sordino.document.sealed import canonical
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.arguments import checked
from sordino.exact.messages.brief import shown
from sordino.mechanism.aggregate import Aggregate
from sordino.show.cells import result_rows
from sordino.survey.kinds import KINDS, name_asked
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.questions_for_sample import statistics_of
from sordino.survey.reading.schema import Survey
from sordino.tables.values import people_table, read_people
from sordino.testing.people import people_of, record_of, release_fixed, texts_in, with_missing
from sordino.verbs.change import change
from sordino.verbs.collect import aggregate, estimate
from sordino.verbs.dependence import dependence
from sordino.verbs.freeze import freeze
from sordino.verbs.plan_results import PlanEstimate
from sordino.verbs.promises import certify, explain
from sordino.verbs.report import report

PEOPLE = 5000
"""Who are asked."""

ACCURACY = 0.3
"""Half-width of intervals, in parts of all that is possible, that people are found for."""

WAYS: Mapping[str, Mapping[str, Any]] = {
    "as a rule": {},
    "all together": {"simultaneous": True},
    "watched": {"watched": True},
    "against forged reports": {"forged": 5},
    "unbiased": {"method": "unbiased"},
}
"""How its tally is estimated."""

WRONG: Sequence[object] = (
    True, 0, -1, 3, 0.5, float("nan"), float("inf"), 10**400, "", "nobody", "x" * 1000,
    [], [0], ["nobody"], ["nobody", "nobody"], [[]], {}, {"nobody": 1}, {"of": 3}, {"target": "nobody"},
)  # fmt: skip
"""What may stand in a setting or in a plan where something else must: each is refused, or means something."""

OTHERS: Mapping[str, Mapping[str, Any]] = {
    "other_categories": {"categories": ["a", "b", "c"]},
    "other_number": {"number": {"low": -1, "high": 1, "bins": 4}},
    "other_map": {"grid": {"south": 0, "north": 2, "west": 0, "east": 2, "rows": 2, "columns": 2}},
}
"""Attributes about which it may be no question of this kind."""

REFUSAL = "a refusal"
"""How what was found begins, where something was refused."""

Mistake = tuple[str, str]
"""The rule that is broken, and what was found."""


@checked
def check_kind(kind: str, asks: Sequence[Mapping[str, Any]], attributes: Mapping[str, Mapping[str, Any]]) -> None:
    """Check a kind of question in all that a user can do with it.

    Args:
        kind: the setting of `[[ask]]` that asks it.
        asks: tables of `[[ask]]` that ask it, as TOML gives them: a way of asking each.
        attributes: the tables of all attributes that they name.

    Raises:
        SordinoError: no kind of that name.
        SordinoErrors: all that does not hold.

    Example:
        >>> check_kind("histogram", [{"histogram": "smoker"}], {"smoker": {"categories": ["yes", "no"]}})
    """
    found = next((one for one in KINDS.values() if kind in one.words), None)
    if found is None:
        known = ", ".join(word for one in KINDS.values() for word in one.words)
        raise SordinoError("a kind of question must stand in KINDS", found=shown(kind), step=f"there are {known}")
    _check(found, asks, attributes)


def _check(kind: AnyKind, asks: Sequence[Mapping[str, Any]], attributes: Mapping[str, Mapping[str, Any]]) -> None:
    mistakes = [*_settings_mistakes(kind)]
    for ask in asks if not mistakes else ():
        asked = _KindTrial(kind, ask, attributes)
        # What cannot be planned has no answers.
        mistakes += list(asked.survey_mistakes()) or [*asked.plan_mistakes(), *asked.answer_mistakes()]
    if mistakes:
        errors = [SordinoError(rule, found=found) for rule, found in dict.fromkeys(mistakes)]
        raise SordinoErrors(f"the kind of question {type(kind).__name__}", errors)


def _settings_mistakes(kind: AnyKind) -> Iterator[Mistake]:
    """Whether it has settings of its own."""
    fields = kind.settings.settings_table()
    if not kind.words or not set(kind.words) <= set(fields):
        yield "the words of a kind must be settings of it", shown(kind.words)
    others = {name for other in KINDS.values() if other is not kind for name in other.settings.settings_table()}
    for name in fields:
        if name in others or name == "weight":
            yield "the settings of a kind must be its own", name
        default = fields[name].default
        if default is None or default() is not None:
            yield "the settings of a kind must be None by default", name


def _try(rule: str, work: Callable[[], object], *, refusal: bool = False) -> Iterator[Mistake]:
    """That something works; or, if it may be refused, raises nothing but a refusal."""
    try:
        work()
    except SordinoError as error:
        if not refusal:
            yield rule, f"{REFUSAL}: {error}"
    except Exception as error:  # noqa: BLE001 - whatever a kind raises is what is looked for
        yield rule, f"{type(error).__name__}: {error}"


def _require_refusal(rule: str, survey: Mapping[str, Any]) -> Iterator[Mistake]:
    """That a survey is refused, and by nothing but a refusal."""
    wrong = list(_try(rule, lambda: Survey.read(dict(survey))))
    if not wrong:
        yield rule, "a survey that is read"
    yield from (one for one in wrong if not one[1].startswith(REFUSAL))


@dataclass(frozen=True)
class _KindTrial:
    """A way of asking a kind."""

    kind: AnyKind
    ask: Mapping[str, Any]
    tables: Mapping[str, Mapping[str, Any]]

    @property
    def word(self) -> str:
        """The setting that says what is asked."""
        return next((word for word in self.kind.words if word in self.ask), "")

    def survey(self, *more: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
        """The tables of a survey: this question and more, with other settings of it."""
        ask = {name: value for name, value in {**self.ask, **changes}.items() if value is not None}
        return self.of_asks(ask, *more)

    def of_asks(self, *asks: Mapping[str, Any], tables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The tables of a survey of some questions; who is not asked about has a delta, if all have."""
        given = deepcopy(dict(self.tables if tables is None else tables))
        used = {name: dict(table) for name, table in given.items() if name in texts_in(asks)}
        return {"version": 1, "epsilon": "8", "attribute": used, "ask": [dict(ask) for ask in asks]}

    @cached_property
    def plan(self) -> Plan:
        return Plan.of(Survey.read(self.survey()), PEOPLE)

    @cached_property
    def people(self) -> pa.Table:
        return people_of(self.plan.attributes, PEOPLE)

    @cached_property
    def tally(self) -> Aggregate:
        return aggregate(self.plan, release_fixed(self.plan, self.people))

    # In a survey

    def survey_mistakes(self) -> Iterator[Mistake]:
        """Whether it is read and planned, and whatever is wrong is refused."""
        found = list(_try("a survey that asks it must be read", lambda: Survey.read(self.survey())))
        found = found or list(_try("a survey that asks it must be planned", lambda: self.plan))
        if found:
            yield from found
            return
        yield from _try("its settings must say what it is about", self._require_names)
        yield from _try("its statistics must be known", lambda: statistics_of(Survey.read(self.survey())))
        sample = self.people
        yield from _try(
            "a sample must bound it, or be refused", partial(dependence, self.survey(), sample), refusal=True
        )
        for name in self.kind.settings.settings_table():
            for value in WRONG:
                rule = f"a wrong {name} must be refused by a SordinoError"
                yield from _try(rule, partial(self._make_plan, {name: value}), refusal=True)
        for other, table in OTHERS.items():
            for name in self.kind.attributes(Survey.read(self.survey()).ask[0].settings):
                rule = f"a question about an attribute that may not fit ({other}) must be refused by a SordinoError"
                tables = {**self.tables, name: table}
                yield from _try(rule, partial(self._make_plan, {}, tables), refusal=True)
        yield from self._place_mistakes()
        if isinstance(self.ask[self.word], list):
            twice = self.survey(**{self.word: [self.ask[self.word][0]] * 2})
            yield from _require_refusal("an attribute that is named twice must be refused", twice)

    def _require_names(self) -> None:
        ask = Survey.read(self.survey()).ask[0]
        names = set(ask.attributes)
        found = self.kind.attribute_references(self.word, self.ask[self.word]).values()
        given = texts_in([each for each in found if not isinstance(each, dict)])
        if ask.kind is not self.kind or not names or given != names or not names <= set(self.tables):
            raise AssertionError(f"{sorted(names)} are named")

    def _make_plan(self, changes: Mapping[str, Any], tables: Mapping[str, Any] | None = None) -> None:
        survey = self.of_asks({**self.ask, **changes}, tables=tables)
        Plan.of(Survey.read(survey), PEOPLE)

    def _place_mistakes(self) -> Iterator[Mistake]:
        """Its settings beside those of another kind are refused."""
        other = {"mean": "other_number"} if self.word != "mean" else {"histogram": "other_categories"}
        for name in self.ask.keys() - {"weight"}:
            survey = self.of_asks({**other, name: self.ask[name]}, tables={**self.tables, **OTHERS})
            yield from _require_refusal(f"{name} beside another question must be refused", survey)

    # In a plan

    def plan_mistakes(self) -> Iterator[Mistake]:
        """Whether its part, its questions and its forecasts are all there."""
        plan = self.plan
        if plan.kinds[0] is not self.kind:
            yield "its part must be its own", type(plan.kinds[0]).__name__
        asking = [KINDS.get(name_asked(part)) for part in self._parts]
        if asking != list(plan.kinds):
            yield "one kind must take a part for its own", shown([type(one).__name__ for one in asking])
        yield from _try("a plan must be what its text says", self._require_text)
        yield from _try("its certificate must hold", self._require_certificate)
        yield from _try("its promise must be explained", lambda: _require(explain(plan)))
        yield from _try("questions must say what they are", self._require_questions)
        yield from _try("what a sample lets expect must be stored", self._require_expected)
        yield from _try("its forecast must be shown", self._require_forecasts)
        yield from _try("people must be found for an accuracy", lambda: freeze(self.survey(), None, ACCURACY))
        yield from self._changed_parts()

    @property
    def _parts(self) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = json.loads(self.plan.bytes)["queries"]
        return parts

    def _require_text(self) -> None:
        again = Plan.of_text(self.plan.bytes.decode(), "the plan")
        if again.bytes != self.plan.bytes or again.hash != self.plan.hash:
            raise AssertionError("another plan")

    def _require_certificate(self) -> None:
        verdict = certify(self.plan)
        if not verdict.holds or set(verdict.questions) != {one.name for one in self.plan.questions}:
            raise AssertionError("a promise that is broken, or a question without a verdict")

    def _require_questions(self) -> None:
        if len({one.name for one in self.plan.questions}) < len(self.plan.questions):
            raise AssertionError("two questions of one name")
        (columns,) = [people.values for people in read_people(self.plan, people_table(self.plan, self.people), None)]
        for question, part, column in zip(self.plan.questions, self.plan.document.queries, columns, strict=True):
            names = question.attribute_names
            if question.kind not in self.kind.words or tuple(names) != part.names or not question.types:
                raise AssertionError(f"a {question.kind} of {names}")
            if not question.asked_in_words or not question.typical_error > 0:
                raise AssertionError("a question without words, or without an error")
            if len(column) != PEOPLE:
                raise AssertionError(f"{len(column)} values of {PEOPLE} people")
            if (question.value_promise is None) != (question.values is None):
                raise AssertionError("a promise about values without values, or values without one")

    def _require_expected(self) -> None:
        held = freeze(self.survey(), PEOPLE, expect=self.people).plan
        again = Plan.of_text(held.bytes.decode(), "the plan")
        if again.bytes != held.bytes or any(one.expected_people is None for one in again.questions):
            raise AssertionError("nothing that is known")

    def _require_forecasts(self) -> None:
        for expect in (None, self.people):
            for forecast in freeze(self.survey(), PEOPLE, expect=expect).forecasts:
                json.dumps([forecast.json(), forecast.warning, forecast.people_needed])
                tables, errors = forecast.tables(), dict(forecast.errors())
                if not forecast.largest_part > 0 or not errors or not all(error > 0 for error in errors.values()):
                    raise AssertionError(f"errors {errors}")
                if not tables or any(len(row) != len(table.header) for table in tables for row in table.rows):
                    raise AssertionError("rows that their header does not fit")

    def _changed_parts(self) -> Iterator[Mistake]:
        """Parts that are none are refused, whoever wrote them."""
        document = json.loads(self.plan.bytes)
        for name in self._parts[0]:
            for value in (None, *(value for value in WRONG if not isinstance(value, float) or isfinite(value))):
                changed = deepcopy(document)
                changed["queries"][0][name] = value
                if value is None:
                    del changed["queries"][0][name]
                yield from _try(f"a part with a wrong {name} must be refused", partial(_read, changed), refusal=True)

    # Of reports

    def answer_mistakes(self) -> Iterator[Mistake]:
        """Whether people can answer, and their answers be estimated."""
        found = list(_try("people must be able to answer it", lambda: self.tally))
        if found:
            yield from found
            return
        yield from _try("one person must be able to answer it", self._require_report)
        for way, options in WAYS.items():
            yield from _try(f"its reports must be estimated, {way}", partial(self._require_results, options))
        yield from _try("its changes must be shown", self._require_change)
        yield from _try("it must be answered beside other questions", self._require_beside)
        yield from _try("missing values must be answered, or refused", self._answer_missing, refusal=True)
        yield from _try("nothing must be estimated from no reports", self._estimate_nothing, refusal=True)

    def _require_report(self) -> None:
        record = record_of(self.people, self.plan.attributes)
        document = report(self.plan, record).document
        if json.loads(json.dumps(document))["question"] not in range(len(self.plan.questions)):
            raise AssertionError("no question")

    def _require_results(self, options: Mapping[str, Any]) -> None:
        found = estimate(self.plan, self.tally, **options)
        for question, result in zip(self.plan.questions, found.results, strict=True):
            rows = list(result_rows(result.blocks()))
            json.dumps(rows, allow_nan=False)
            if result.question is not question or result.n <= 0:
                raise AssertionError("results of other questions")
            count = len(list(result.rows()))
            if question.name not in found.untold and (not count or not list(result.quantities())):
                raise AssertionError("nothing that is estimated")
            if len(rows) < count:
                raise AssertionError(f"{len(rows)} rows that are shown, of {count}")
            if any(not row["low"] <= row["high"] for row in rows):
                raise AssertionError("limits the wrong way round")
            if not all(row["kind"] for row in rows):
                raise AssertionError("rows of no kind")
        self._require_files(found)

    def _require_files(self, found: PlanEstimate) -> None:
        rows = sum(len(list(result.rows())) for result in found.results)
        if found.to_arrow().num_rows < rows:
            raise AssertionError(f"a table of less than {rows} rows")
        with tempfile.TemporaryDirectory() as folder:
            found.save(Path(folder) / "estimates.csv")
            found.page(Path(folder) / "page.html")

    def _require_change(self) -> None:
        rows = change(self.plan, self.tally, self.plan, self.tally).rows()
        if not rows or any(row["change"] != 0 or row["sure"] for row in rows):
            raise AssertionError("a change of nothing")

    def _require_beside(self) -> None:
        """Beside a question about each of its attributes, and about none of them."""
        survey = self.of_asks(
            self.ask, {"mean": "other_number"}, *self._neighbour_asks, tables={**self.tables, **OTHERS}
        )
        plan = Plan.of(Survey.read(survey), PEOPLE)
        people = people_of(plan.attributes, PEOPLE)
        found = estimate(plan, aggregate(plan, release_fixed(plan, people)))
        json.dumps([list(pooled.rows()) for pooled in found.pooled], allow_nan=False)
        if not explain(plan) or not certify(plan).holds:
            raise AssertionError("a promise that is broken, or not explained")

    @property
    def _neighbour_asks(self) -> Iterator[Mapping[str, Any]]:
        """A question of another kind about each attribute that it names."""
        for name in Survey.read(self.survey()).ask[0].attributes:
            if "number" in self.tables[name]:
                if self.word != "mean":
                    yield {"mean": name}
                else:
                    yield {"covariance": [name, "other_number"]}
            elif self.word != "histogram" and not self.kind.of_several:
                yield {"histogram": name}

    def _answer_missing(self) -> None:
        tables = {name: with_missing(table) for name, table in self.tables.items()}
        plan = Plan.of(Survey.read(self.of_asks(self.ask, tables=tables)), PEOPLE)
        tally = aggregate(plan, release_fixed(plan, people_of(plan.attributes, PEOPLE)))
        estimate(plan, tally)

    def _estimate_nothing(self) -> None:
        estimate(self.plan, self.plan.sampled.tally(np.empty(0, dtype=np.uint64)))


def _read(document: Mapping[str, Any]) -> None:
    """Read a plan whose hash is right, whatever stands in it."""
    sealed = PLAN.seal({name: part for name, part in document.items() if name not in ("format", "version", "hash")})
    Plan.of_text(canonical(sealed).decode() + "\n", "the plan")


def _require(found: object) -> None:
    if not found:
        raise AssertionError("nothing")
