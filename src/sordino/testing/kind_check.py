"""What every kind of question must keep, for those of Sordino and for a new one: all that a user can do with it.

A kind is asked in surveys of a few people, alone and beside other questions, with values that are missing and settings
that are wrong. Every verb must work, from the text of the survey to its results, and every mistake must be refused by a
`SordinoError`: whatever else is raised is a fault of the kind. Nothing is said of how exact its estimates are.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from math import isfinite
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.document.formats import PLAN
from sordino.document.sealed import canonical
from sordino.domain.attribute import Attribute
from sordino.domain.choices import NONE, Choices
from sordino.domain.condition import with_conditions
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.keyed import KeyedSource
from sordino.exact.messages import checked, shown
from sordino.mechanism.channel import Aggregate
from sordino.show.estimate_rows import result_rows
from sordino.survey.kinds import KINDS, name_asked
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.questions_for_sample import statistics_of
from sordino.survey.reading.survey_file import Survey
from sordino.tables.values import people_table, read_people
from sordino.verbs.change import change
from sordino.verbs.collect import aggregate, estimate, privatize
from sordino.verbs.make_plan import make_plan
from sordino.verbs.plan_results import PlanEstimate
from sordino.verbs.promises import certify, explain
from sordino.verbs.report import report
from sordino.verbs.state_dependence import dependence

REFUSAL = "a refusal"
"""Beginning of what was found, where something was refused."""

PEOPLE = 5000
"""Who are asked."""

ACCURACY = 0.3
"""Half-width of intervals, in parts of all that is possible, that people are found for."""

FORGED = 5
"""Reports that are forged."""

FORGERIES = 8
"""Codes at most that are sent in the place of honest ones."""

ALIKE = 1.5
"""Factor within which a standard error is forecast of people who are known."""

SLACK = 0.01
"""Part of an interval's width within which another holds it: its own error is an estimate."""

LACKING = 0.1
"""The part of the people who lack what may be missing."""


def people_of(attributes: Mapping[str, Attribute], count: int) -> pa.Table:
    """A row for each of some people, always the same ones.

    Args:
        attributes: by name; each is independent of the others, but for who is asked.
        count: of the people.
    """
    rng = np.random.default_rng(11)
    columns = {name: _columns(attribute, count, rng) for name, attribute in attributes.items()}
    for name in with_conditions(attributes, attributes):
        for other, labels in attributes[name].only_if:
            (given,), (decides,) = columns[name].values(), columns[other].values()
            given[:] = [value if label in labels else None for value, label in zip(given, decides, strict=True)]
    return pa.table({name: values for own in columns.values() for name, values in own.items()})


def record_of(people: pa.Table, attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    """The first of them as a record's tables."""
    row = people.slice(0, 1).to_pylist()[0]
    values = {name: [row[column] for column in one.columns] for name, one in attributes.items()}
    named = {name: own[0] for name, own in values.items() if len(own) == 1 and own[0] is not None}
    places = {name: {"latitude": own[0], "longitude": own[1]} for name, own in values.items() if len(own) == 2}
    return {"version": 1, "record": named | places}


def _columns(attribute: Attribute, count: int, rng: np.random.Generator) -> dict[str, list[Any]]:
    domain = attribute.domain
    if isinstance(domain, Grid):
        latitude, longitude = rng.uniform(size=(2, count))
        north = domain.south + latitude * (domain.north - domain.south)
        east = domain.west + longitude * (domain.east - domain.west)
        return dict(zip(attribute.columns, (north.tolist(), east.tolist()), strict=True))
    if isinstance(domain, Interval):
        numbers = domain.low + rng.beta(2, 3, count) * domain.width
        values = [None if lacks else number for number, lacks in _with_lacking(numbers.tolist(), attribute, rng)]
    elif isinstance(domain, Choices):
        sizes = rng.integers(domain.most + 1, size=count)
        lists = [rng.choice(domain.labels, size, replace=False).tolist() for size in sizes]
        values = [None if lacks else own for own, lacks in _with_lacking(lists, attribute, rng)]
    else:
        places: NDArray[np.intp] = rng.integers(domain.k - (attribute.not_asked is not None), size=count)
        labels = [domain.label(int(place)) for place in places]
        values = [None if lacks else label for label, lacks in _with_lacking(labels, attribute, rng)]
    return {attribute.columns[0]: values}


def _with_lacking(values: list[Any], attribute: Attribute, rng: np.random.Generator) -> list[tuple[Any, bool]]:
    lacking = rng.random(len(values)) < (LACKING if attribute.missing is not None else 0.0)
    return list(zip(values, lacking.tolist(), strict=True))


def with_missing(table: Mapping[str, Any]) -> dict[str, Any]:
    """An attribute that some people lack."""
    if "number" in table:
        return {**table, "missing": 0.1}
    if "several" in table:
        return {**table, "missing": NONE}
    labels = table.get("categories")
    return {**table, "missing": labels[-1]} if isinstance(labels, list) else dict(table)


def release_fixed(plan: Plan, people: pa.Table) -> pa.Table:
    """The same reports of these people in every run."""
    named = people.append_column("person", pa.array(range(people.num_rows)))
    return privatize(plan, named, KeyedSource(bytes(32), "check"), id_column="person")


def texts_in(setting: object) -> set[str]:
    """All texts of a setting, however deep; of a table those of its values."""
    if isinstance(setting, str):
        return {setting}
    inner = setting.values() if isinstance(setting, dict) else setting if isinstance(setting, list | tuple) else ()
    return {text for each in inner for text in texts_in(each)}


def require_forecast(expected: Mapping[str, float], plan: Plan, tally: Aggregate) -> None:
    """That standard errors were forecast of what is shown: as many one by one, else none beyond all of them."""
    forecast, found = sorted(expected.values()), sorted(_errors(plan, tally))
    if not found:
        return
    if len(forecast) == len(found):
        is_alike = all(one <= ALIKE * own and own <= ALIKE * one for one, own in zip(forecast, found, strict=True))
    else:
        is_alike = found[0] <= ALIKE * forecast[0] and forecast[-1] <= ALIKE * found[-1]
    if not is_alike:
        digits = [", ".join(f"{one:.3g}" for one in errors) for errors in (forecast, [found[0], found[-1]])]
        raise AssertionError(f"standard errors of {digits[0]}, of results whose least and largest are {digits[1]}")


def require_widened(plan: Plan, people: pa.Table, tally: Aggregate) -> None:
    """That intervals against forged reports hold those of the honest reports, whichever code some are replaced by."""
    honest = list(_intervals(plan, tally, 0))
    for forged in _forged_tallies(plan, people):
        for (low, high), (own_low, own_high) in zip(_intervals(plan, forged, FORGED), honest, strict=True):
            slack = SLACK * (own_high - own_low)
            if low > own_low + slack or high < own_high - slack:
                found = f"{low:.6g} to {high:.6g}, and {own_low:.6g} to {own_high:.6g} of honest reports alone"
                raise AssertionError(f"an interval against {FORGED} forged reports from {found}")


def _errors(plan: Plan, tally: Aggregate) -> Iterator[float]:
    for result in estimate(plan, tally).results:
        for row in result.rows():
            error = row.get("stderr")
            if isinstance(error, float) and error > 0:
                yield error


def _intervals(plan: Plan, tally: Aggregate, forged: int) -> Iterator[tuple[float, float]]:
    for result in estimate(plan, tally, forged=forged).results:
        for row in result.rows():
            low, high = row.get("low"), row.get("high")
            if isinstance(low, float) and isinstance(high, float):
                yield low, high


def _forged_tallies(plan: Plan, people: pa.Table) -> Iterator[Aggregate]:
    codes = release_fixed(plan, people).column("code").to_numpy().astype(np.uint64)
    known = np.unique(codes)
    for place in np.unique(np.linspace(0, len(known) - 1, FORGERIES).astype(int)):
        yield plan.tally(np.concatenate([np.full(FORGED, known[place]), codes[FORGED:]]))


WAYS: Mapping[str, Mapping[str, Any]] = {
    "as a rule": {},
    "all together": {"simultaneous": True},
    "watched": {"watched": True},
    "against forged reports": {"forged": FORGED},
    "unbiased": {"method": "unbiased"},
}
"""Ways to estimate a kind's tally."""

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


class KindMistake(NamedTuple):
    """What does not hold.

    Attributes:
        cause: what was raised; None where nothing was.
    """

    rule: str
    found: str
    cause: Exception | None = None


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
    raise_mistakes(f"the kind of question {type(kind).__name__}", mistakes)


def _settings_mistakes(kind: AnyKind) -> Iterator[KindMistake]:
    fields = kind.settings.settings_table()
    if not kind.words or not set(kind.words) <= set(fields):
        yield KindMistake("the words of a kind must be settings of it", shown(kind.words))
    others = {name for other in KINDS.values() if other is not kind for name in other.settings.settings_table()}
    for name in fields:
        if name in others or name == "weight":
            yield KindMistake("the settings of a kind must be its own", name)
        default = fields[name].default
        if default is None or default() is not None:
            yield KindMistake("the settings of a kind must be None by default", name)


def _require_refusal(rule: str, survey: Mapping[str, Any]) -> Iterator[KindMistake]:
    wrong = list(attempt(rule, lambda: Survey.read(dict(survey))))
    if not wrong:
        yield KindMistake(rule, "a survey that is read")
    yield from (one for one in wrong if not one.found.startswith(REFUSAL))


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

    def survey_mistakes(self) -> Iterator[KindMistake]:
        """Whether it is read and planned, and whatever is wrong is refused."""
        found = list(attempt("a survey that asks it must be read", lambda: Survey.read(self.survey())))
        found = found or list(attempt("a survey that asks it must be planned", lambda: self.plan))
        if found:
            yield from found
            return
        yield from attempt("its settings must say what it is about", self._require_names)
        yield from attempt("its statistics must be known", lambda: statistics_of(Survey.read(self.survey())))
        sample = self.people
        yield from attempt(
            "a sample must bound it, or be refused", partial(dependence, self.survey(), sample), refusal=True
        )
        for name in self.kind.settings.settings_table():
            for value in WRONG:
                rule = f"a wrong {name} must be refused by a SordinoError"
                yield from attempt(rule, partial(self._make_plan, {name: value}), refusal=True)
        for other, table in OTHERS.items():
            for name in self.kind.attributes(Survey.read(self.survey()).ask[0].settings):
                rule = f"a question about an attribute that may not fit ({other}) must be refused by a SordinoError"
                tables = {**self.tables, name: table}
                yield from attempt(rule, partial(self._make_plan, {}, tables), refusal=True)
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

    def _place_mistakes(self) -> Iterator[KindMistake]:
        other = {"mean": "other_number"} if self.word != "mean" else {"histogram": "other_categories"}
        for name in self.ask.keys() - {"weight"}:
            survey = self.of_asks({**other, name: self.ask[name]}, tables={**self.tables, **OTHERS})
            rule = f"{name} beside another question must be read as one of its own, or be refused by a SordinoError"
            yield from attempt(rule, partial(Survey.read, survey), refusal=True)

    # In a plan

    def plan_mistakes(self) -> Iterator[KindMistake]:
        """Whether its part, its questions and its forecasts are all there."""
        plan = self.plan
        if plan.kinds[0] is not self.kind:
            yield KindMistake("its part must be its own", type(plan.kinds[0]).__name__)
        asking = [KINDS.get(name_asked(part)) for part in self._parts]
        if asking != list(plan.kinds):
            yield KindMistake("one kind must take a part for its own", shown([type(one).__name__ for one in asking]))
        yield from attempt("a plan must be what its text says", self._require_text)
        yield from attempt("its certificate must hold", self._require_certificate)
        yield from attempt("its promise must be explained", lambda: _require(explain(plan)))
        yield from attempt("questions must say what they are", self._require_questions)
        yield from attempt("what a sample lets expect must be stored", self._require_expected)
        yield from attempt("its forecast must be shown", self._require_forecasts)
        yield from attempt("people must be found for an accuracy", lambda: make_plan(self.survey(), None, ACCURACY))
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
        called = [self.kind.question_name(one.settings) for one in Survey.read(self.survey()).questions]
        if called != [one.name for one in self.plan.questions]:
            raise AssertionError("a question of another name")
        (columns,) = [people.values for people in read_people(self.plan, people_table(self.plan, self.people), None)]
        for question, part, column in zip(self.plan.questions, self.plan.document.queries, columns, strict=True):
            names = question.attribute_names
            if question.kind not in self.kind.words or tuple(names) != part.names or not question.types:
                raise AssertionError(f"a {question.kind} of {names}")
            if not question.asked_in_words or not question.typical_error > 0:
                raise AssertionError("a question without words, or without an error")
            if len(column) != PEOPLE:
                raise AssertionError(f"{len(column)} values of {PEOPLE} people")
            if question.values is not None and question.value_promise is None:
                raise AssertionError("values without a promise about them")

    def _require_expected(self) -> None:
        held = make_plan(self.survey(), PEOPLE, expect=self.people).plan
        again = Plan.of_text(held.bytes.decode(), "the plan")
        if again.bytes != held.bytes or any(one.expected_people is None for one in again.questions):
            raise AssertionError("nothing that is known")

    def _require_forecasts(self) -> None:
        for expect in (None, self.people):
            for forecast in make_plan(self.survey(), PEOPLE, expect=expect).forecasts:
                json.dumps([forecast.json(), forecast.warning, forecast.people_needed])
                tables, errors = forecast.tables(), {error.name: error.plan for error in forecast.errors()}
                if not forecast.largest_part > 0 or not errors or not all(error > 0 for error in errors.values()):
                    raise AssertionError(f"errors {errors}")
                if expect is not None:
                    require_forecast(errors, self.plan, self.tally)
                if not tables or any(len(row) != len(table.header) for table in tables for row in table.rows):
                    raise AssertionError("rows that their header does not fit")

    def _changed_parts(self) -> Iterator[KindMistake]:
        document = json.loads(self.plan.bytes)
        for name in self._parts[0]:
            for value in (None, *(value for value in WRONG if not isinstance(value, float) or isfinite(value))):
                changed = deepcopy(document)
                changed["queries"][0][name] = value
                if value is None:
                    del changed["queries"][0][name]
                yield from attempt(f"a part with a wrong {name} must be refused", partial(_read, changed), refusal=True)

    # Of reports

    def answer_mistakes(self) -> Iterator[KindMistake]:
        """Whether people can answer, and their answers be estimated."""
        found = list(attempt("people must be able to answer it", lambda: self.tally))
        if found:
            yield from found
            return
        yield from attempt("one person must be able to answer it", self._require_report)
        for way, options in WAYS.items():
            yield from attempt(f"its reports must be estimated, {way}", partial(self._require_results, options))
        rule = "intervals against forged reports must hold those of honest ones"
        yield from attempt(rule, lambda: require_widened(self.plan, self.people, self.tally))
        yield from attempt("its changes must be shown", self._require_change)
        yield from attempt("it must be answered beside other questions", self._require_with_others)
        yield from attempt("missing values must be answered, or refused", self._answer_missing, refusal=True)
        yield from attempt("nothing must be estimated from no reports", self._estimate_nothing, refusal=True)

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

    def _require_with_others(self) -> None:
        survey = self.of_asks(
            self.ask, {"mean": "other_number"}, *self._neighbour_asks, tables={**self.tables, **OTHERS}
        )
        plan = Plan.of(Survey.read(survey), PEOPLE)
        people = people_of(plan.attributes, PEOPLE)
        found = estimate(plan, aggregate(plan, release_fixed(plan, people)))
        json.dumps(found.views.json(), allow_nan=False)
        if not explain(plan) or not certify(plan).holds:
            raise AssertionError("a promise that is broken, or not explained")

    @property
    def _neighbour_asks(self) -> Iterator[Mapping[str, Any]]:
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


def attempt(rule: str, work: Callable[[], object], *, refusal: bool = False) -> Iterator[KindMistake]:
    """That something works; or, if it may be refused, raises nothing but a refusal."""
    try:
        work()
    except SordinoError as error:
        if not refusal:
            yield KindMistake(rule, f"{REFUSAL} at {_place(error)}: {error}", error)
    except Exception as error:  # noqa: BLE001 - whatever a kind raises is what is looked for
        yield KindMistake(rule, f"{type(error).__name__} at {_place(error)}: {error}", error)


def raise_mistakes(what: str, mistakes: Iterable[KindMistake]) -> None:
    """Raise all mistakes at once, each with what caused it, the first one's traceback before all.

    Raises:
        SordinoErrors: there are some.
    """
    errors = []
    for rule, found, cause in {mistake[:2]: mistake for mistake in reversed([*mistakes])}.values():
        error = SordinoError(rule, found=found)
        error.__cause__ = cause
        errors.append(error)
    if errors:
        errors.reverse()
        raise SordinoErrors(what, errors) from next((one.__cause__ for one in errors if one.__cause__), None)


def _place(error: Exception) -> str:
    """The file and line that raised it; of a library's error those that called the library."""
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in Path(frame.filename).parts] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}"
