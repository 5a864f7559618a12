"""The survey file: what is asked of whom, and how sensitive it is. All mistakes of a file are reported at once.

version = 1
epsilon = "2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "0.5"
[attribute.weight]
number = { low = 30, high = 200 }
[attribute.age]
number = { low = 18, high = 90 }
[dependence]
rest = { smoker = 0.2 }
[[ask]]
histogram = "smoker"
[[ask]]
regression = { target = "weight", features = ["age"] }

Names of files, beside or below it:

[attribute.page]
categories = { file = "urls.txt" }
[dependence]
file = "statement.json"

Dates as the ends of a number, days since 1970-01-01:

[attribute.moved]
number = { low = 1990-01-01, high = 2026-12-31, edges = [1990-01-01, 2010-01-01, 2026-12-31] }
[[ask]]
distribution = "moved"
ranges = [[1990-01-01, 2010-01-01]]

What people read beside the questions:

[about]                                                          # all of it may be left out
title = { en = "How we travel", de = "Wie wir unterwegs sind" }  # each text once, or by language
by = "Institute for Transport"
purpose = "To plan buses and cycle paths."
contact = "survey@institute.example"
reports = "Reports are published as totals, and deleted in 2028."
until = 2026-12-31
languages = ["en", "de"]                                         # the first is the default
[about.consent]
text = "I am at least 16 years old and take part of my own will."
[[section]]
title = "About you"
attributes = ["age", "smoker"]

A value cannot be sent in clear and protected at the same time: a public column that is an attribute too, or that copies
the column of one, would reveal what the promise is about.

Whether an attribute is asked says which categories others have. So what protects it must protect these as well, and
nothing may be declared that would take the one to say little about the other.
"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from sordino.definition.combined import combined_definition, largest_bound
from sordino.document.checked_tables import VersionField, is_list_of, try_tables
from sordino.document.files import named_file, read_text, read_toml
from sordino.document.kinds import explain_kind
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute
from sordino.domain.condition import condition_mistakes, related_attributes, revealing_attributes, revealing_places
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import checked, shown
from sordino.exact.nats import Nats
from sordino.survey.reading.ask_table import AskTable
from sordino.survey.reading.mistakes import wrong_columns, wrong_epsilon, wrong_names
from sordino.survey.reading.open_choices import open_choices
from sordino.survey.reading.spellings import declared_tables
from sordino.survey.reading.survey_dates import with_days
from sordino.survey.reading.survey_texts import wrong_texts
from sordino.survey.schema.attribute_part import ProtectPart
from sordino.survey.schema.attribute_table import AskedSurvey, AttributeTable
from sordino.survey.schema.dependence_bounds import DependenceTable
from sordino.survey.schema.own_columns import columns_of, looks
from sordino.survey.schema.promise import Definition, definition_of
from sordino.survey.schema.protect_table import WAYS, Epsilon, level_part, protect_part
from sordino.survey.schema.public_column import OWN_NAMES, PublicTable
from sordino.survey.schema.series_table import SeriesTable, series_mistakes


def public_mistakes(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """Public columns whose names or data are taken: by attributes, by one another, or by reports themselves.

    Args:
        tables: of the survey, unchecked.
    """
    public, attributes = tables.get("public"), tables.get("attribute")
    if not isinstance(public, dict) or not isinstance(attributes, dict):
        return
    protected: dict[str, str] = {}
    for name, attribute in attributes.items():
        given = attribute.get("column") if isinstance(attribute, dict) else None
        if isinstance(attribute, dict) and (given is None or isinstance(given, str) or is_list_of(given, str)):
            own = columns_of(str(name), given, grid="grid" in attribute)
            protected |= {looks(column): str(name) for column in own}
    names: dict[str, str] = {}
    columns: dict[str, str] = {}
    for name, table in public.items():
        where, known = f"public.{name}", [one for one in attributes if looks(str(one)) == looks(name)]
        column = table.get("column") if isinstance(table, dict) else None
        column = column if isinstance(column, str) else name
        if known:
            step = f"leave out [public.{name}] to protect it, or [attribute.{known[0]}] to send it in clear"
            rule = f"{where} must not be an attribute too: what is sent in clear is not protected"
            yield SordinoError(rule, found=f"attribute.{known[0]}", step=step)
        elif looks(column) in protected:
            step = "leave one of them out, or name the column that is public"
            rule = f"{where} must not read the column of an attribute: it would send in clear what is protected"
            yield SordinoError(rule, found=f"{column!r}, which attribute.{protected[looks(column)]} reads", step=step)
        elif looks(name) in OWN_NAMES or not looks(name):
            rule = f"{where} must have another name than the columns that reports have themselves"
            step = f'name it otherwise, as {name}_group, and write column = "{name}" there'
            yield SordinoError(rule, found=shown(name), step=step)
        elif looks(name) in names:
            rule = f"{where} must have a name of its own (case does not count)"
            yield SordinoError(rule, found=shown(names[looks(name)]), step="name it otherwise")
        elif looks(column) in columns:
            rule, found = f"{where} must read a column of its own", f"{column!r}, which {columns[looks(column)]} reads"
            yield SordinoError(rule, found=found, step="leave one of them out, or set `column`")
        names.setdefault(looks(name), str(name))
        columns.setdefault(looks(column), where)


PLACES = (("categories",), ("protect", "sensitive"))
"""The settings of an attribute that may name a file."""

NUMBER = re.compile(r"[0-9]{1,18}")
"""A whole number as everybody reads it."""


def with_listed_files(tables: dict[str, Any], folder: Path) -> tuple[dict[str, Any], list[SordinoError]]:
    """The tables of a survey with the lists that it names, and where its statement lies; and what is wrong with these.

    Args:
        tables: as TOML gives them.
        folder: of the survey.
    """
    complete = deepcopy(tables)
    mistakes: list[SordinoError] = []
    statement = complete.get("dependence")
    if isinstance(statement, dict) and isinstance(statement.get("file"), str):
        try:
            statement["file"] = str(named_file(folder, statement["file"]))
        except SordinoError as error:
            mistakes.append(SordinoError(f"dependence.file: {error.rule}", found=error.found, step=error.step))
    for kind in ("attribute", "public"):
        if isinstance(complete.get(kind), dict):
            mistakes += _read_lists(kind, complete[kind], folder)
    return complete, mistakes


def _read_lists(kind: str, attributes: dict[str, Any], folder: Path) -> list[SordinoError]:
    """Put the lists that attributes or public columns name in their place; what is wrong with them."""
    mistakes: list[SordinoError] = []
    for name, attribute in list(attributes.items()):
        for place in PLACES:
            table = _inner(attribute, place[:-1])
            setting = table.get(place[-1]) if table is not None else None
            if table is None or not (isinstance(setting, dict) and set(setting) == {"file"}):
                continue
            try:
                lines = _lines(setting["file"], folder)
                numbered = place != ("categories",) and type(attribute.get("categories")) is int
                table[place[-1]] = _numbers(setting["file"], lines) if numbered else lines
            except SordinoError as error:
                where = ".".join((kind, name, *place))
                mistakes.append(SordinoError(f"{where}: {error.rule}", found=error.found, step=error.step))
                # Nothing more is said about an attribute whose list could not be read.
                attributes[name] = {"categories": 2 if kind == "attribute" else ["unread"]}
                break
    return mistakes


def _inner(table: Any, path: Sequence[str]) -> dict[str, Any] | None:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _lines(file: object, folder: Path) -> list[str]:
    if not isinstance(file, str):
        raise SordinoError("file must be a name", found=shown(file), step='write { file = "names.txt" }')
    lines = read_text(named_file(folder, file)).split("\n")
    if lines[-1] == "":
        lines.pop()
    names = [line.removesuffix("\r") for line in lines]
    blank = next((i for i, name in enumerate(names) if not name), None)
    if blank is not None or not names:
        found = "nothing" if blank is None else f"a blank line {blank + 1}"
        raise SordinoError(f"{file} must have a name on each line", found=found, step="leave no line blank")
    return names


def _numbers(file: str, lines: Sequence[str]) -> list[int]:
    """The values of numbered categories, which have no names."""
    wrong = next((i for i, line in enumerate(lines) if not NUMBER.fullmatch(line)), None)
    if wrong is not None:
        raise SordinoError(
            f"{file} must have a number on each line",
            found=f"text that is no number in line {wrong + 1}",
            step="write the numbers of the values, as 0 and 7",
        )
    return [int(line) for line in lines]


class ConsentTable(StrictTable):
    """What a person must agree to before anything is drawn.

    Attributes:
        text: of the agreement.
    """

    text: Any


class AboutTable(StrictTable):
    """Who asks and why. Texts and languages are looked at with all others (`text_mistakes`).

    Attributes:
        title: of the survey, and of its pages.
        by: who asks.
        purpose: what for.
        contact: whom to ask about it.
        reports: what happens with the reports.
        until: the last day of the collection.
        languages: of all texts, the default first; by default those that texts name.
        consent: what a person must agree to.
        ask: `drawn` if a form asks only what the question is about that it drew before; by default it asks all.
    """

    title: Any = None
    by: Any = None
    purpose: Any = None
    contact: Any = None
    reports: Any = None
    until: Any = None
    languages: Any = None
    consent: ConsentTable | None = None
    ask: Literal["drawn"] | None = None


class SectionTable(StrictTable):
    """Attributes that are asked for one after the other, under a heading.

    Attributes:
        title, text: perhaps.
        attributes: by name; those that no section names come last. Public columns may stand among them, and come
            first where they do not.
    """

    title: Any = None
    text: Any = None
    attributes: list[str] = setting(min_length=1)


class Survey(StrictTable):
    """A survey file, read and checked.

    Attributes:
        version: of the format, 1.
        epsilon: the loss that a report may cost, for attributes without one of their own.
        attribute: the attributes by name.
        ask: the questions; a person answers one of them, drawn by their weights.
        together: whether histograms are asked together, as tables, where that takes fewer people; by default each is
            asked by itself.
        dependence: what is known of how the attributes depend on each other.
        about: what people read beside the questions.
        section: the order in which they are asked, under headings; by default that of `attribute`.
        public: columns that every report says in clear, by name.
        series: the periods of which each person answers in one.

    Example:
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "1", "ask": [{"histogram": "smoker"}],
        ...     "attribute": {"smoker": {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}}},
        ... })
        >>> survey.definition("smoker").sensitive
        array([0])
    """

    version: VersionField
    epsilon: Epsilon | None = None
    attribute: dict[str, AttributeTable] = setting(min_length=1)
    ask: list[AskTable] = setting(min_length=1)
    together: bool | None = None
    dependence: DependenceTable | None = None
    about: AboutTable | None = None
    section: list[SectionTable] | None = None
    public: dict[str, PublicTable] | None = None
    series: SeriesTable | None = None

    def _check(self) -> None:
        mistakes = [
            *self._protect_mistakes(),
            *self._ask_mistakes(),
            *survey_condition_mistakes(self, self.dependence, self.ask),
        ]
        mistakes += self._coordinate_mistakes() if self.by_coordinates else self._level_mistakes()
        # What is asked of an attribute twice is one mistake, not two.
        mistakes += [] if mistakes else self._repeated_questions()
        if mistakes:
            raise SordinoErrors("the survey", mistakes)

    def _protect_mistakes(self) -> Iterator[SordinoError]:
        for name, attribute in self.attribute.items():
            try:
                counted = attribute.several is None and attribute.number is None
                if self.epsilon is not None and attribute.protect is not None and counted:
                    protect_part(self.attribute_named(name).finite, attribute.protect, self.epsilon)
            except SordinoError as error:
                yield SordinoError(f"attribute.{name}.protect: {error.rule}", found=error.found, step=error.step)

    def _ask_mistakes(self) -> Iterator[SordinoError]:
        before: dict[tuple[str, ...], set[Hashable]] = {}
        for i, ask in enumerate(self.ask):
            asked = before.setdefault(ask.kind.words, set())
            if wrong := several_asked(f"ask.{i}", ask, self):
                yield wrong
            else:
                yield from ask.kind.mistakes(f"ask.{i}", ask.settings, self, asked)
            asked.update(ask.kind.asked_once(ask.settings))

    def _repeated_questions(self) -> Iterator[SordinoError]:
        """Questions whose results could not be told apart by their names."""
        first: dict[str, tuple[str, AskTable]] = {}
        for i, ask in enumerate(self.ask):
            for one in ask.questions:
                name, where = one.kind.question_name(one.settings), f"ask.{i}.{ask.word}"
                other, before = first.setdefault(name, (where, one))
                # What is asked once of an attribute is a mistake of its own.
                if before is not one and not (one.kind.once and one.kind is before.kind):
                    rule = f"{where} must have a different name than {other}"
                    step = "rename an attribute (its `column` may stay), or ask it once, with a larger weight"
                    yield SordinoError(rule, found=f"{name!r} again", step=step)

    def _coordinate_mistakes(self) -> Iterator[SordinoError]:
        """What a promise about each attribute by itself needs."""
        for name, attribute in self.attribute.items():
            if (own := attribute.protect) is not None:
                way = next((way for way in WAYS if getattr(own, way) is not None), None)
                yield SordinoError(
                    f"attribute.{name}.protect must not be set in a survey with deltas or dependence, where each"
                    " attribute is protected by its delta, whatever is asked",
                    found="an epsilon" if way is None else f"`{way}`, which protects some values less",
                    step=f'write delta = "{own.epsilon}" in place of it, which every answer then keeps'
                    if way is None
                    else f"leave `{way}` out: all its values are then protected alike; or leave `delta` and"
                    " `dependence` out: each question is then promised by itself",
                )
            if attribute.delta is not None and self.epsilon is not None and attribute.delta > self.epsilon:
                yield SordinoError(
                    f"attribute.{name}.delta must not exceed epsilon = {self.epsilon}",
                    found=shown(attribute.delta),
                    step="lower it, or raise epsilon",
                )
        yield from self._threshold_mistakes()
        if self.public and self.dependence is not None and self.dependence.file is not None:
            yield SordinoError(
                "dependence.file must not be set in a survey with public columns: its bounds are about all people, and"
                " reports show which group they are of",
                found=f"public.{next(iter(self.public))}",
                step="declare bounds that hold among the people of each group (rest, thresholds)",
            )
        rest = self.dependence.rest if self.dependence is not None else None
        for name in [name for name in rest if name not in self.attribute] if isinstance(rest, dict) else []:
            found = repr(name) + nearest([name], list(self.attribute))
            yield SordinoError(
                "dependence.rest must name attributes of the survey",
                found=found,
                step="write its name as [attribute.NAME] does",
            )

    def _level_mistakes(self) -> Iterator[SordinoError]:
        """Mistakes in protections of attributes that are read as numbers or with them."""
        for i, ask in enumerate(self.ask):
            named = ask.attributes if ask.kind.part.reads_numbers else ()
            for name in [name for name in named if name in self.attribute]:
                own = self.attribute[name].protect
                way = next((way for way in ("metric", "matrix") if own is not None and getattr(own, way)), None)
                if way is not None:
                    yield SordinoError(
                        f"ask.{i}.{ask.word} must be about attributes that have one epsilon for all their values",
                        found=f"{name!r}, which is protected by `{way}`",
                        step=f"leave `{way}` out of its protection, or ask for its histogram",
                    )

    def _threshold_mistakes(self) -> Iterator[SordinoError]:
        """Bounds on distribution functions are of numbers whose distribution is asked, given other attributes."""
        bounds = (self.dependence.thresholds if self.dependence is not None else None) or {}
        asked = [name for ask in self.questions for name in ask.kind.thresholds(ask.settings)]
        for name, given in bounds.items():
            if name not in asked:
                rule = "dependence.thresholds must name numbers whose distribution is asked"
                yield SordinoError(
                    rule, found=repr(name) + nearest([name], asked), step="write its name as [attribute.NAME] does"
                )
            elif name in self.attribute and self.attribute[name].may_be_missing:
                rule = (
                    "dependence.thresholds must be of numbers that everybody has: one that is missing lies beside none"
                )
                step = "bound how much all others depend together (rest)"
                yield SordinoError(rule, found=f"{name!r}, which may be missing", step=step)
            for other in given if isinstance(given, dict) else ():
                if other not in self.attribute or other == name:
                    rule = f"dependence.thresholds.{name} must name other attributes of the survey"
                    yield SordinoError(
                        rule,
                        found=repr(other) + nearest([other], list(self.attribute)),
                        step="write its name as [attribute.NAME] does",
                    )

    @classmethod
    def of(cls, given: object) -> "Survey":
        """A survey as a verb is given it: itself, its tables, or the path of its file.

        Raises:
            SordinoError: something else, or an unreadable file.
            SordinoErrors: all its mistakes.
        """
        match given:
            case Survey():
                return given
            case Path() | str():
                return cls.load(given)
            case Mapping():
                return cls.read(dict(given))
        step = "give a Survey, its tables, or the path of its file"
        raise SordinoError("a survey must be given", found=f"type {type(given).__name__}", step=step)

    @classmethod
    @checked
    def load(cls, path: Path | str) -> "Survey":
        """Read a survey file.

        Raises:
            SordinoError: unreadable.
            SordinoErrors: all its mistakes, each with path, rule, found value and the nearest right name.
        """
        with explain_kind(Path(path), "survey"):
            return cls.read(read_toml(Path(path)), str(path), Path(path).parent)

    @classmethod
    @checked
    def read(cls, tables: dict[str, Any], name: str = "the survey", folder: Path | None = None) -> "Survey":
        """Check the tables of a survey file.

        Args:
            tables: as TOML gives them.
            name: for messages.
            folder: from which the names of listed files are counted; the current one by default.
        """
        if open_places := list(open_choices(tables)):
            raise SordinoErrors(name, open_places)
        spelled = declared_tables(tables)
        tables = spelled.tables
        complete, unreadable = with_listed_files(tables, folder or Path())
        complete, undated = with_days(complete)
        survey, mistakes = try_tables(cls, complete)
        mistakes += [
            *unreadable,
            *wrong_names(tables, [*spelled.mistakes, *mistakes]),
            *wrong_columns(tables),
            *wrong_epsilon(tables),
        ]
        mistakes += [*undated, *wrong_texts(complete), *public_mistakes(tables), *series_mistakes(tables)]
        if mistakes or survey is None or spelled.mistakes:
            raise SordinoErrors(name, [*spelled.mistakes, *spelled.as_written(mistakes)])
        vars(survey)["readings"] = tuple(spelled.notes)
        vars(survey)["notes"] = (*spelled.notes, *spelled.remarks)
        return survey

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """How what may surprise was read, and what is protected more than it seems, for whoever plans it."""
        return ()

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """How what may surprise was read; nothing of declared tables."""
        return ()

    @cached_property
    def by_coordinates(self) -> bool:
        """Whether each attribute is promised a delta of its own, whatever is asked.

        By default numbers have deltas. Once any attribute declares `protect`, each question is promised by itself,
        since a report may then show some values.
        """
        attributes = self.attribute.values()
        if self.dependence is not None or any(attribute.delta is not None for attribute in attributes):
            return True
        has_numbers = any(attribute.number is not None for attribute in attributes)
        return has_numbers and all(attribute.protect is None for attribute in attributes)

    @cached_property
    def questions(self) -> tuple[AskTable, ...]:
        """What a person can be asked, each table by itself."""
        return tuple(question for ask in self.ask for question in ask.questions)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The attributes in the order in which statistics name them: that of the alphabet."""
        return tuple(sorted(self.attribute))

    def attribute_named(self, name: str) -> Attribute:
        """An attribute; with its delta where each is promised one of its own."""
        if name not in self._attributes:
            delta = self.delta(name) if self.by_coordinates else None
            self._attributes[name] = self.attribute[name].attribute(name, delta)
        return self._attributes[name]

    @cached_property
    def _attributes(self) -> dict[str, Attribute]:
        return {}

    def definition(self, name: str) -> Definition:
        """The promise about one attribute's values, by a report about it."""
        domain = self.attribute_named(name).finite
        return definition_of(domain, protect_part(domain, self.attribute[name].protect, self.epsilon))

    def protection(self, name: str) -> ProtectPart:
        """Protection of one attribute, as a plan holds it, where each question is promised by itself.

        Raises:
            SordinoError: there is no epsilon.
        """
        table = self.attribute[name]
        if table.number is None:
            return protect_part(self.attribute_named(name).finite, table.protect, self.epsilon)
        own = self.epsilon if table.protect is None else table.protect.epsilon or self.epsilon
        return level_part(own)

    def delta(self, name: str) -> Nats:
        """The most that a report may tell about an attribute; the survey's epsilon by default."""
        return self.attribute[name].delta or self.epsilon or Nats.of(0)


def several_asked(where: str, ask: AskTable, survey: AskedSurvey) -> SordinoError | None:
    """That a question asks of several categories as if one applied, or the other way round."""
    named = [name for name in ask.attributes if name in survey.attribute]
    wrong = [name for name in named if (survey.attribute[name].several is not None) != ask.kind.of_several]
    if not wrong:
        return None
    if ask.kind.of_several:
        step = f'write several = 3 beside its categories, or ask for histogram = "{wrong[0]}"'
        rule = f"{where}.{ask.word} must be about categories of which several apply"
        return SordinoError(rule, found=shown(wrong[0]), step=step)
    found, step = f"{wrong[0]!r}, of which several apply", f'ask for several = "{wrong[0]}"'
    return SordinoError(f"{where}.{ask.word} must be about attributes with one value a person", found=found, step=step)


def survey_condition_mistakes(
    survey: AskedSurvey, dependence: DependenceTable | None, asks: Sequence[AskTable]
) -> Iterator[SordinoError]:
    """What is wrong with conditions between attributes, beside what is declared of their dependence and asked."""
    attributes = {name: survey.attribute_named(name) for name in survey.attribute}
    found = list(condition_mistakes(attributes))
    for name, error in found:
        yield SordinoError(f"attribute.{name}: {error.rule}", found=error.found, step=error.step)
    if found:
        return
    related = related_attributes(attributes)
    yield from _dependence_mistakes(dependence, related)
    if any(attribute.delta is not None for attribute in attributes.values()):
        return
    for name, attribute in attributes.items():
        own = survey.attribute[name].protect
        level = own.epsilon if own is not None and own.epsilon is not None else survey.epsilon
        for other, _ in attribute.only_if:
            protect = survey.attribute[other].protect
            if protect is not None and (protect.metric is not None or protect.matrix is not None):
                rule = f"attribute.{name}.only_if must not be about what is protected by distances or a matrix"
                yield SordinoError(rule, found=shown(other), step="protect it as a whole, by blocks, or as sensitive")
                continue
            least = protect.epsilon if protect is not None and protect.epsilon is not None else survey.epsilon
            if level is not None and least is not None and level > least:
                rule = (
                    f"attribute.{name} must be protected at least as well as attribute.{other}, about which it says"
                    " something for certain: whether it is asked"
                )
                yield SordinoError(rule, found=f"epsilon {level} above {least}", step="lower its epsilon")
    yield from _weaker_reports(survey, attributes, asks)


def _weaker_reports(
    survey: AskedSurvey, attributes: Mapping[str, Attribute], asks: Sequence[AskTable]
) -> Iterator[SordinoError]:
    """Questions that reveal more of whether an attribute is asked than the protection that is declared for it.

    Where none is declared for it by itself, `explain` says what they reveal.
    """
    rule = "attribute.{}.protect must hold for reports about what decides whether it is asked"
    for name, others in revealing_attributes(attributes).items():
        own = survey.attribute[name].protect
        least = None if own is None else own.epsilon or survey.epsilon
        if least is None:
            continue
        for i, ask in enumerate(asks):
            known = (one for one in ask.questions if all(other in attributes for other in one.attributes))
            places = ((one, revealing_places(name, others, one.attributes)) for one in known)
            found, step = next(filter(any, (_weaker_report(survey, *each, least) for each in places)), ("", ""))
            if found:
                step += f", or leave attribute.{name}.protect out: `explain` then says what such a report shows"
                yield SordinoError(rule.format(name), found=f"ask.{i} about {found}", step=step)


def _weaker_report(survey: AskedSurvey, ask: AskTable, places: Sequence[int], least: Nats) -> tuple[str, str]:
    """What a question reveals of its attributes at some places beyond an epsilon, and what to write there, in words.

    Both are empty where it reveals no more.
    """
    names = ask.attributes
    if not places:
        return "", ""
    try:
        most = _level(survey, names) if ask.kind.part.reads_numbers else _largest_bound(survey, names, places)
    except SordinoError:  # a mistake of its own
        return "", ""
    about = " and ".join(repr(names[place]) for place in places)
    partly = [
        names[place]
        for place in places
        if (own := survey.attribute[names[place]].protect) and (own.sensitive or own.blocks)
    ]
    if most is None:
        step = f"leave attribute.{(*partly, names[places[0]])[0]}.protect out, which protects all its values"
        return f"{about}, which can show for certain who was asked: only some of its values are protected", step
    if most > least:
        return f"{about} at epsilon {most} above {least}", f'write epsilon = "{least}" there'
    return "", ""


def _level(survey: AskedSurvey, names: Sequence[str]) -> Nats:
    """Least epsilon of the attributes that a question about numbers reads."""
    tables = (survey.attribute[name].protect for name in names)
    levels = [survey.epsilon if own is None else own.epsilon or survey.epsilon for own in tables]
    return min((level for level in levels if level is not None), default=Nats.of(0))


def _largest_bound(survey: AskedSurvey, names: Sequence[str], places: Sequence[int]) -> Nats | None:
    """Of two answers to a question about some attributes that differ in those at some places alone."""
    protects = [survey.attribute[one].protect for one in names]
    if survey.attribute[names[0]].several is not None:
        # Combinations are protected as a whole; they are no values of a domain.
        return survey.epsilon if protects[0] is None else protects[0].epsilon or survey.epsilon
    domains = [survey.attribute_named(one).table_domain for one in names]
    parts = [protect_part(*each, survey.epsilon) for each in zip(domains, protects, strict=True)]
    promises = [definition_of(*each) for each in zip(domains, parts, strict=True)]
    shape = [domain.k for domain in domains]
    return largest_bound(combined_definition(promises, shape), shape, places)


def _dependence_mistakes(dependence: DependenceTable | None, related: list[str]) -> Iterator[SordinoError]:
    """Nothing bounds how much others depend on an attribute that decides whether one is asked."""
    rest = None if dependence is None else dependence.rest
    bound = {name: rest.get(name) if isinstance(rest, dict) else rest for name in related}
    for name, given in bound.items():
        if isinstance(given, Fraction) and given < 1:
            rule = f"dependence.rest must be 1 for {name!r}, of which another attribute tells for certain by only_if"
            step = "name the attributes that it holds for, without this one"
            yield SordinoError(rule, found=shown(given), step=step)
