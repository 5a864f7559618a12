"""The words of a plan: what people read when they are asked, each text once or by language. No promise depends on it.

It stands in the plan and under its hash, so that what people agreed to is what was asked.

[attribute.smoker]
text = { en = "Do you smoke?", de = "Rauchen Sie?" }            # the question, once or by language
help = "E-cigarettes count too."
labels = { yes = "Yes", no = "No", refused = "Prefer not to say" }
[attribute.weight]
text = "How much do you weigh?"
unit = "kg"
input = "slider"
step = 0.5
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal, Protocol

from sordino.document.schema.limits import Convert, ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.bins import HALF
from sordino.domain.calendar import DATES
from sordino.domain.categories import few
from sordino.domain.phrasing import Phrasing
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.schema.attribute_part import AttributePart
from sordino.survey.schema.public_column import PublicPart

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""A language as BCP 47 has it: `en`, `pt-BR`, `zh-Hant`."""

MOST_STEPS = 10_000
"""Of a slider."""

MISSING = "missing"
"""What stands among the labels of a number that may be missing: a number has no values by name."""

LONGEST_NUMBER = 16
"""Digits of a numbered category."""

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _read_text(found: object) -> object:
    texts = [*found.values()] if isinstance(found, dict) else [found]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise SordinoError("a text must be given, once or by language", found=shown(found))
    return found


LocalText = Annotated[str | dict[str, str], Convert(_read_text)]
"""A text in all languages, or one in each."""


class SurveySectionPart(StrictTable):
    """Questions under a heading, in the order in which they are asked.

    Attributes:
        title, text: perhaps.
        attributes: by name, public columns among them.
    """

    title: LocalText | None = None
    text: LocalText | None = None
    attributes: list[str] = setting(min_length=1)


class WordingPart(StrictTable):
    """How one attribute, or one public column, is asked for.

    Attributes:
        text: the question; without it the attribute's name stands for it.
        help: what makes it easier to answer.
        labels: of values by their names, or digits; of a number that may be missing, of that (`missing`).
        unit: of a number.
        input: how a number is given, unless it is written.
        step: of a slider.
    """

    text: LocalText | None = None
    help: LocalText | None = None
    labels: dict[str, LocalText] | None = None
    unit: LocalText | None = None
    input: Literal["slider", "date"] | None = None
    step: float | None = None

    def _check(self) -> None:
        if (self.input == "slider") != (self.step is not None):
            raise SordinoError("a slider must have a step, and nothing else has one", found=f"{self.input} {self.step}")

    def require_fit(self, name: str, attribute: AttributePart) -> None:
        """Refuse words for values that the attribute does not have, and a number that is given in a way it cannot be.

        Raises:
            SordinoError: naming the attribute.
        """
        self._require_labels(name, partial(may_have_label, attribute))
        if attribute.number is None:
            self._require_no_number(name)
            return
        low, high = attribute.number.low, attribute.number.high
        if self.step is not None and not is_step(self.step, low, high):
            raise SordinoError(f"a slider of {name!r} must go from end to end in 1 to {MOST_STEPS} steps")
        if self.input == "date" and not are_days(low, high):
            raise SordinoError(f"the ends of {name!r} must be dates", found=f"{low:g} to {high:g}")

    def ends_asked(self, low: float, high: float) -> tuple[float, float]:
        """From where to where a number is given: a slider of a whole-number scale stops at its values alone."""
        is_scale = self.step == 1 and low % 1 == high % 1 == HALF and high - low > 1
        return (low + HALF, high - HALF) if is_scale else (low, high)

    def require_fit_public(self, column: PublicPart) -> None:
        """Refuse words for values that a public column does not have, and those of a number.

        Raises:
            SordinoError: naming the column.
        """
        self._require_labels(column.name, column.labels.__contains__)
        self._require_no_number(column.name)

    def in_language(self, language: str) -> Phrasing:
        """The words in one language, each on one line."""
        labels = {name: _on_one_line(words, language) for name, words in (self.labels or {}).items()}
        return Phrasing(_on_one_line(self.text, language), labels, _on_one_line(self.unit, language))

    def _require_labels(self, name: str, is_known: Callable[[str], bool]) -> None:
        if wrong := [label for label in self.labels or () if not is_known(label)]:
            raise SordinoError(f"labels must be about values of {name!r}", found=few(wrong))

    def _require_no_number(self, name: str) -> None:
        if self.unit is not None or self.input is not None:
            raise SordinoError("a unit, a slider and a date must be those of a number", found=shown(name))


class QuestionnairePart(StrictTable):
    """What people read: who asks and why, what they agree to, and the questions in their order.

    Attributes:
        languages: of the texts; the first is shown where a person's own is none of them.
        title: of the survey.
        by: who asks.
        purpose: what for.
        contact: whom to ask about it.
        reports: what happens with the reports.
        until: when it ends, a date.
        consent: what a person agrees to before anything is drawn.
        ask: `drawn` if a form draws its question first, and asks only what that one is about; by default it asks all.
        sections: all attributes of the plan, each once; public columns among them are asked for there, all others
            first.
        attributes: how they and public columns are asked for; of none where its name is all there is.
    """

    languages: list[str] = setting(min_length=1)
    title: LocalText | None = None
    by: LocalText | None = None
    purpose: LocalText | None = None
    contact: LocalText | None = None
    reports: LocalText | None = None
    until: Annotated[str, ValueLimits(min_length=10, max_length=10)] | None = None
    consent: LocalText | None = None
    ask: Literal["drawn"] | None = None
    sections: list[SurveySectionPart] = setting(min_length=1)
    attributes: dict[str, WordingPart]

    def _check(self) -> None:
        wrong = [language for language in self.languages if not LANGUAGE.fullmatch(language)]
        if wrong or len(set(self.languages)) < len(self.languages):
            raise SordinoError("languages must be codes of BCP 47, each once", found=few(self.languages))
        if self.until is not None and not _is_day(self.until):
            raise SordinoError("until must be a date", found=shown(self.until))
        for words in self._texts():
            if not isinstance(words, str) and set(words) != set(self.languages):
                rule = "a text must be in all languages, or in each of them"
                raise SordinoError(rule, found=f"one in {few([*words])}")

    @property
    def order(self) -> list[str]:
        """The attributes, and public columns among them, as they are asked for."""
        return [name for section in self.sections for name in section.attributes]

    def require_fit(self, attributes: Mapping[str, AttributePart], public: Sequence[PublicPart]) -> None:
        """Refuse words that are not about the attributes and public columns of the plan.

        Raises:
            SordinoError: another attribute, one twice or left out, or words that do not fit it.
        """
        columns = {column.name: column for column in public}
        named = [name for name in self.order if name in columns]
        if sorted(self.order) != sorted([*attributes, *set(named)]):
            rule = "sections must have each attribute of the plan once, and each public column at most once"
            raise SordinoError(rule, found=few(self.order))
        for name, wording in self.attributes.items():
            if name in columns:
                wording.require_fit_public(columns[name])
            elif name in attributes:
                wording.require_fit(name, attributes[name])
            else:
                raise SordinoError("words must be about attributes or public columns of the plan", found=shown(name))

    def _texts(self) -> Iterator[LocalText]:
        yield from _texts_given(self.title, self.by, self.purpose, self.contact, self.reports, self.consent)
        for section in self.sections:
            yield from _texts_given(section.title, section.text)
        for wording in self.attributes.values():
            yield from _texts_given(wording.text, wording.help, wording.unit, *(wording.labels or {}).values())


def in_language(words: LocalText, language: str) -> str:
    """A text in one of the survey's languages."""
    return words if isinstance(words, str) else words[language]


def _on_one_line(words: LocalText | None, language: str) -> str:
    return "" if words is None else " ".join(in_language(words, language).split())


def may_have_label(attribute: AttributePart, name: str) -> bool:
    """Whether it is a value of categories, that none of several applies, or that a number is missing.

    Numbered categories are not listed: here nothing bounds yet how many there are.
    """
    if attribute.labels is not None:
        return name in attribute.labels or name == attribute.none
    if attribute.numbers is not None:
        is_number = name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER
        return is_number and str(int(name)) == name and int(name) < attribute.numbers
    return name == MISSING and attribute.number is not None and attribute.missing is not None


def is_step(step: float, low: float, high: float) -> bool:
    """Whether so many steps lead from one end to the other."""
    if not step > 0:
        return False
    steps = (high - low) / step
    return 1 <= steps <= MOST_STEPS and abs(steps - round(steps)) <= 1e-6


def are_days(low: float, high: float) -> bool:
    """Whether both ends are dates, in days since 1970-01-01."""
    return low == int(low) and high == int(high) and DATES[0] <= low and high <= DATES[1]


def _texts_given(*words: LocalText | None) -> Iterator[LocalText]:
    return (each for each in words if each is not None)


def _is_day(text: str) -> bool:
    if not DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


INPUTS = ("text", "slider", "date")
"""How a number can be given."""

YEARS = range(1800, 2201)
"""Ends of a date that, where both are such, are years and no days since 1970-01-01."""


class Wording(Protocol):
    """The settings that say how a number is given."""

    @property
    def unit(self) -> Any:
        """Of the number."""

    @property
    def input(self) -> Any:
        """One of `INPUTS`."""

    @property
    def step(self) -> float | None:
        """Of a slider."""


def slider_step(step: float | None) -> float:
    """Of a slider: 1 by default."""
    return 1.0 if step is None else step


def input_mistakes(table: Wording, ends: tuple[float, float] | None) -> Iterator[SordinoError]:
    """What is wrong with how an attribute is given.

    Args:
        table: of the attribute.
        ends: of a number; None for all other attributes.
    """
    if ends is None:
        for setting in ("unit", "input", "step"):
            if getattr(table, setting) is not None:
                step = "leave it out, or declare a number"
                yield SordinoError(f"{setting} must be of a number", found="an attribute without one", step=step)
        return
    if table.input is not None and table.input not in INPUTS:
        rule = 'input must be "text", "slider" or "date"'
        yield SordinoError(rule, found=shown(table.input), step="take one of these, or leave it out")
    by = slider_step(table.step)
    if table.step is not None and table.input != "slider":
        step = 'write input = "slider", or leave step out'
        yield SordinoError("step must be that of a slider", found=f"step = {by:g}", step=step)
    elif table.input == "slider" and not is_step(by, *ends):
        rule = f"a slider must go from {ends[0]:g} to {ends[1]:g} in 1 to {MOST_STEPS:,} whole steps"
        yield SordinoError(rule, found=f"steps of {by:g}", step="write step = ... so that it does")
    if table.input == "date" and all(end in YEARS for end in ends):
        low, high = (f"{end:g}" for end in ends)
        step = f"write low = {low}-01-01, high = {high}-12-31"
        yield SordinoError("the ends of a date must be dates, not years", found=f"{low} and {high}", step=step)
    elif table.input == "date" and not are_days(*ends):
        step = f"write dates, as low = 1930-01-01, or whole days since 1970-01-01 from {DATES[0]} to {DATES[1]}"
        yield SordinoError("the ends of a date must be days", found=f"{ends[0]:g} and {ends[1]:g}", step=step)
