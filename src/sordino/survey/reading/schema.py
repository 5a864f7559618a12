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
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sordino.document.checked_tables import VersionField, try_tables
from sordino.document.files import read_toml
from sordino.document.kinds import explain_kind
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.arguments import checked
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.survey.attributes.attribute import AttributeTable
from sordino.survey.attributes.protect import Epsilon, protect_part
from sordino.survey.attributes.public_table import PublicTable
from sordino.survey.frozen.dependence_bounds import DependenceTable
from sordino.survey.frozen.own_columns import columns_of
from sordino.survey.frozen.promise import Definition, definition_of
from sordino.survey.reading.about_table import AboutTable, SectionTable
from sordino.survey.reading.ask_table import AskTable
from sordino.survey.reading.conditions import several_asked, survey_condition_mistakes
from sordino.survey.reading.dates import with_days
from sordino.survey.reading.listed import with_listed_files
from sordino.survey.reading.mistakes import wrong_columns, wrong_epsilon, wrong_names
from sordino.survey.reading.open_choices import open_choices
from sordino.survey.reading.public_mistakes import public_mistakes
from sordino.survey.reading.series_table import SeriesTable, series_mistakes
from sordino.survey.reading.texts import wrong_texts


class Survey(StrictTable):
    """A survey file, read and checked.

    Attributes:
        version: of the format, 1.
        epsilon: the loss that a report may cost, for attributes without one of their own.
        attribute: the attributes by name.
        ask: the questions; a person answers one of them, drawn by their weights.
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
    dependence: DependenceTable | None = None
    about: AboutTable | None = None
    section: list[SectionTable] | None = None
    public: dict[str, PublicTable] | None = None
    series: SeriesTable | None = None

    def _check(self) -> None:
        mistakes = [*self._protect_mistakes(), *self._ask_mistakes(), *survey_condition_mistakes(self, self.dependence)]
        if self.by_coordinates:
            mistakes += self._coordinate_mistakes()
        if mistakes:
            raise SordinoErrors("the survey", mistakes)

    def _protect_mistakes(self) -> Iterator[SordinoError]:
        for name, attribute in self.attribute.items():
            try:
                if self.epsilon is not None and attribute.protect is not None and attribute.several is None:
                    protect_part(self.attribute_named(name).finite, attribute.protect, self.epsilon)
            except SordinoError as error:
                yield SordinoError(f"attribute.{name}.protect: {error.rule}", found=error.found, step=error.step)

    def _ask_mistakes(self) -> Iterator[SordinoError]:
        for i, ask in enumerate(self.ask):
            if wrong := several_asked(f"ask.{i}", ask, self):
                yield wrong
                continue
            before = [other.settings for other in self.ask[:i] if other.kind is ask.kind]
            yield from ask.kind.mistakes(f"ask.{i}", ask.settings, self, before)

    def _coordinate_mistakes(self) -> Iterator[SordinoError]:
        """What a promise about each attribute by itself needs."""
        for name, attribute in self.attribute.items():
            if attribute.protect is not None:
                yield SordinoError(
                    f"attribute.{name}.protect must not be set in a survey with numbers, deltas or dependence",
                    found="a promise about pairs of its values",
                    step='write delta = "...", for all its values alike, or ask about it in a survey of its own',
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
        complete, unreadable = with_listed_files(tables, folder or Path())
        complete, undated = with_days(complete)
        survey, mistakes = try_tables(cls, complete)
        mistakes += [*unreadable, *wrong_names(tables, mistakes), *wrong_columns(tables), *wrong_epsilon(tables)]
        mistakes += [*undated, *wrong_texts(complete), *public_mistakes(tables), *series_mistakes(tables)]
        if mistakes or survey is None:
            raise SordinoErrors(name, mistakes)
        return survey

    @property
    def by_coordinates(self) -> bool:
        """Whether each attribute is promised a delta of its own, whatever is asked."""
        attributes = self.attribute.values()
        return self.dependence is not None or any(a.delta is not None or a.number is not None for a in attributes)

    @property
    def questions(self) -> tuple[AskTable, ...]:
        """What a person can be asked, each table by itself."""
        return tuple(question for ask in self.ask for question in ask.questions)

    @property
    def places(self) -> tuple[str, ...]:
        """The attributes in the order in which statistics name them: that of the alphabet."""
        return tuple(sorted(self.attribute))

    def attribute_named(self, name: str) -> Attribute:
        """An attribute; with its delta where each is promised one of its own."""
        table = self.attribute[name]
        columns = columns_of(name, table.column, grid=table.grid is not None)
        clip = table.number is not None and table.number.clip
        delta = self.delta(name) if self.by_coordinates else None
        unasked = table.unasked_label
        return Attribute(name, table.domain(), columns, table.missing_text, clip, delta, table.conditions, unasked)

    def definition(self, name: str) -> Definition:
        """The promise about one attribute's values, by a report about it."""
        domain = self.attribute_named(name).finite
        return definition_of(domain, protect_part(domain, self.attribute[name].protect, self.epsilon))

    def delta(self, name: str) -> Nats:
        """The most that a report may tell about an attribute; the survey's epsilon by default."""
        return self.attribute[name].delta or self.epsilon or Nats.of(0)
