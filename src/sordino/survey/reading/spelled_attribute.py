"""An attribute of a survey in natural spellings, read into the settings that it declares.

question = "Would you recommend us?"                    # text
scale = [0, 10]                                         # number = { low = -0.5, high = 10.5, bins = 11 }
"""

import operator
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, floor
from typing import Any

from sordino.document.schema.nearest import nearest
from sordino.domain.bins import FEWEST_BINS, HALF, MOST_BINS, MOST_ON_SCALE, plain
from sordino.domain.choices import NONE
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.declared_tables import DeclaredTables, rename_settings
from sordino.survey.reading.spelled_bins import (
    bins_of_width,
    edges_within,
    ends_in_text,
    even_starts,
    group_starts,
    scale_edges,
    whole_range,
    width_of,
)
from sordino.survey.reading.spelled_protection import (
    MOST_RANGES_WRITTEN,
    OF_VALUES,
    SpelledProtection,
    label_of,
    labels_of,
    value_of,
)
from sordino.survey.reading.survey_dates import EXAMPLE, as_dates, edges_by, ends_to_write, step_of
from sordino.survey.schema.attribute_table import AttributeTable, NumberTable
from sordino.survey.schema.protect_table import WAYS
from sordino.survey.schema.questionnaire_part import LANGUAGE

ATTRIBUTE_WORDS = {
    **dict.fromkeys(("question", "label", "title", "prompt", "ask"), "text"),
    **dict.fromkeys(("hint", "description", "note", "comment", "info"), "help"),
    **dict.fromkeys(("options", "choices", "values", "answers", "levels", "choice", "dropdown"), "categories"),
    **dict.fromkeys(("choose_one", "select_one"), "categories"),
    **dict.fromkeys(("boolean", "bool"), "yes_no"),
    **dict.fromkeys(("range", "between", "numeric", "numbers", "slider"), "number"),
    **dict.fromkeys(("count", "int", "integers", "whole"), "integer"),
    **dict.fromkeys(("multiple", "multi", "select_all", "checkboxes", "multiselect"), "several"),
    **dict.fromkeys(("choose_all", "check_all"), "several"),
    **dict.fromkeys(("private", "secret"), "sensitive"),
    **dict.fromkeys(("kind", "select"), "type"),
    "date": "dates",
    "population": "totals",
    **dict.fromkeys(("currency", "units"), "unit"),
    **dict.fromkeys(("field", "variable"), "column"),
    **dict.fromkeys(("bands", "brackets"), "groups"),
    **dict.fromkeys(("ordinal", "sorted"), "ordered"),
    "resolution": "step",
    "every": "step",
    **dict.fromkeys(("stars", "likert", "rating"), "scale"),
    **dict.fromkeys(("max_selected", "max_choices"), "most"),
    **dict.fromkeys(("depends_on", "show_if", "visible_if", "ask_if", "if", "when", "condition"), "only_if"),
}
"""Words for an attribute's settings, each with the declared one or one of `ATTRIBUTE_SPELLINGS`."""

END_WORDS = {
    **dict.fromkeys(("min", "minimum", "from", "start"), "low"),
    **dict.fromkeys(("max", "maximum", "to", "end"), "high"),
}
"""Words for the ends of a number."""

ENDS = (*END_WORDS, "low", "high")
"""Settings of an attribute that are the ends of its number."""

OF_NUMBER = tuple(word for word in NumberTable.settings_table() if word not in ENDS)
"""Further settings of an attribute that are those of its number."""

HEADINGS = ("title", "label")
"""Words for the text of an attribute that are its heading beside one of `ASKED_IN`."""

ASKED_IN = ("text", "question", "prompt", "ask")

VALUES = (
    "categories",
    "number",
    "grid",
    "scale",
    "dates",
    "yes_no",
    "type",
    "stars",
    "options",
    "choices",
    "values",
    "answers",
    "levels",
)
"""Settings by which a table is known to describe an attribute."""

ATTRIBUTE_SPELLINGS = (
    *ENDS,
    *OF_NUMBER,
    *("type", "choose", "yes_no", "scale", "integer", "decimals", "dates", "bin_width", "groups", "ordered", "most"),
    *("optional", "required"),
    *("sensitive", "public", "visibility", "epsilon", "totals", "weights"),
)
"""Further settings of an attribute that stand for declared ones."""

TYPES = {
    **dict.fromkeys(("number", "numeric", "float", "decimal", "slider"), "number"),
    **dict.fromkeys(("date", "dates", "day"), "dates"),
    **dict.fromkeys(("integer", "int", "scale", "rating", "nps"), "scale"),
    **dict.fromkeys(("boolean", "bool", "yes_no", "yes/no", "yesno"), "yes_no"),
    **dict.fromkeys(("category", "categories", "categorical", "choice", "single", "one", "select"), "categories"),
    **dict.fromkeys(("ordinal", "nominal", "likert", "radio", "dropdown"), "categories"),
    **dict.fromkeys(("multiple", "multi", "several", "set", "checkbox", "checkboxes", "multiselect"), "several"),
    **dict.fromkeys(("all", "many", "any", "select_all", "select all", "select_multiple"), "several"),
    **dict.fromkeys(("all that apply", "any that apply", "select all that apply", "all_that_apply"), "several"),
}
"""Names of types, each with the setting whose values it has."""

ALL_THAT_APPLY = re.compile(
    r"\b(?:all|any) (?:of )?(?:the (?:options |answers )?)?that (?:apply|applies)\b|\bselect all\b", re.IGNORECASE
)
"""In a text that people read: several may be chosen."""

ONE_OF = ("single", "one", "radio", "dropdown")
"""Types of which one value is chosen."""

RECOMMENDING = [0, 10]
"""The scale of a question of type `nps`: how likely somebody is to recommend something."""

OF_VALUES_ASKED = ("histogram", "distribution", "median", "quartiles", "quantiles", "ranges", "table", "tables", "nps")
"""Words of what is asked of a number's values, one by one or in ranges."""

OF_NUMBERS_ASKED = ("mean", "covariance", "distribution", "median", "quartiles", "quantiles", "ranges", "above", "nps")
"""Words of what is asked of numbers alone."""

YES_NO = ["yes", "no"]

NO_ANSWER = "no answer"
"""The category of whoever leaves an optional question out."""

EXPECTED_TO_SKIP = "0.1"
"""The share of the people who are expected to leave an optional number out; no promise depends on it."""

NONE_OF_SEVERAL = frozenset({"none", "none of these", "none of them", "none of the above"})
"""Last categories that say that none of several applies."""

MOST_STARS = 10
"""The largest value of a scale that begins at 1 where one number is said: `scale = 5`, `stars = 5`."""

MOST_STOPS = 1000
"""Values of a whole-number scale: the bins that a number can have."""


CONDITION = re.compile(
    r"\s*(?P<name>.+?)\s*(?P<sign>!=|<>|==?|\bis not\b|\bnot in\b|\bis\b|\bin\b|\bhas\b|\bincludes\b|\bcontains\b)"
    r"\s*(?P<value>.+?)\s*"
)
"""A condition in words: `drinks = yes`, `drinks in [yes, sometimes]`, `drinks != never`."""

COMPARED = re.compile(r"\s*(?P<name>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<value>-?[0-9]+)\s*")
"""A condition on a number."""

COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

NOT = ("!=", "<>", "is not", "not in")

INSTEAD = {
    ("time", "clock", "hour", "duration"): 'write number = [0, 24] and unit = "h"',
    (
        "default",
        "fallback",
        "na",
        "nan",
        "null",
        "empty",
    ): 'write missing = "NAME", a category that an empty answer counts as',
    ("anonymous", "anonymize", "anonymise", "privacy", "protected", "noise", "randomize"): (
        "leave it out: all values are protected unless they are public"
    ),
    ("mandatory", "must"): "write required = true",
    ("order", "position", "page", "section"): "leave it out: attributes are asked in the order that they have here",
}
"""Of settings that are none, what to write in place of them."""

ELSEWHERE = "leave it out; docs/reference.md lists the settings under Attributes"

OR = re.compile(r"\s+(?:or|\|\|)\s+")
AND = re.compile(r"\s+(?:and|&&)\s+")


def _is_labelled(given: Any) -> bool:
    """Whether a value stands with its label, or with labels by language, and nothing else."""
    said = {*given} - {"value"} if isinstance(given, dict) and "value" in given else {None}
    return said <= {"label"} or all(isinstance(word, str) and LANGUAGE.fullmatch(word) for word in said)


def _are_by_language(labels: Any, values: Sequence[str]) -> bool:
    """Whether labels are lists by language, and no labels of values that are called like languages."""
    is_table = isinstance(labels, dict) and bool(labels) and not {*map(str, labels)} & {*map(str, values)}
    return is_table and all(LANGUAGE.fullmatch(str(one)) and isinstance(own, list) for one, own in labels.items())


def _is_text(given: Any) -> bool:
    """Whether a text stands there, or one by language."""
    by_language = given if isinstance(given, dict) else {}
    return isinstance(given, str) or (bool(by_language) and all(LANGUAGE.fullmatch(str(word)) for word in by_language))


def _range_names(number: Mapping[str, Any]) -> str:
    """Categories to write in place of a number: the ranges between its edges, of its width, or its halves."""
    low, high = number.get("low"), number.get("high")
    if is_dated(number):
        return _date_names(number["low"], number["high"])
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return '["2024", "2025"]'
    width, edges = number.get("width"), number.get("edges", [low, (low + high) / 2, high])
    if isinstance(width, int | float) and (high - low) / MOST_RANGES_WRITTEN <= width < high - low:
        edges = [low + i * width for i in range(ceil((high - low) / width))] + [high]
    steps = [1 if float(edge).is_integer() and edge != edges[-1] else 0 for edge in edges[1:]]
    names = [f'"{first:g} to {last - step:g}"' for first, last, step in zip(edges, edges[1:], steps, strict=False)]
    return f"[{', '.join(names)}]"


def _date_names(low: date, high: date) -> str:
    """Categories to write in place of dates: days of a month, months of some years, else years."""
    days = (high - low).days + 1
    if days <= MOST_RANGES_WRITTEN:
        names = [str(low + timedelta(days=day)) for day in range(max(days, 0))]
    elif (months := 12 * (high.year - low.year) + high.month - low.month + 1) <= MOST_RANGES_WRITTEN:
        places = range(12 * low.year + low.month - 1, 12 * low.year + low.month - 1 + months)
        names = [f"{place // 12}-{place % 12 + 1:02}" for place in places]
    else:
        names = [str(year) for year in range(low.year, high.year + 1)]
    return f"[{', '.join(map(shown, names))}]"


def is_dated(number: Any) -> bool:
    """Whether both ends of a number are dates."""
    return isinstance(number, dict) and all(isinstance(number.get(end), date) for end in ("low", "high"))


def read_conditions(read: DeclaredTables, attributes: Mapping[str, Any], public: Collection[str]) -> None:
    """Put the conditions of attributes into their declared form, in their places.

    Args:
        public: what is sent in clear, which decides nothing.
    """
    for name, table in attributes.items():
        if not isinstance(table, dict) or not isinstance(table.get("only_if"), str | dict):
            continue
        table["only_if"], mistakes = _conditions(f"attribute.{name}", table["only_if"], attributes)
        if clear := next((one for one in table["only_if"] or () if one in public and one not in attributes), None):
            rule, step = f"attribute.{name}.only_if must be about what is protected", "leave the condition out, and"
            step += (
                " write optional = true: whoever is not asked has no answer"
                if "number" in table
                else (" add a category for whoever is not asked")
            )
            mistakes = [SordinoError(rule, found=f"{clear!r}, which is public", step=step)]
        read.mistakes += mistakes
        if mistakes:
            # Nothing more is said about what depends on it.
            del table["only_if"]
            table.pop("not_asked", None)
        elif "number" in table and "missing" not in table and "not_asked" not in table:
            _expect_unasked(table, attributes)
        if len(table.get("only_if") or ()) > 1:
            listed = {one: own if isinstance(own, list) else [own] for one, own in table["only_if"].items()}
            said = " and ".join(f"{one!r} is {' or '.join(map(shown, own))}" for one, own in listed.items())
            read.notes.append(f"attribute.{name} is asked only of those for whom all of it holds: {said}.")
    epsilon = read.tables.get("epsilon")
    asked = {name: table for name, table in attributes.items() if isinstance(table, dict)}
    partly = [name for name, table in asked.items() if table.get("only_if") and _sensitive_of(table)]
    partly = [name for name in partly if asked[name]["protect"].get("epsilon", epsilon) is not None]
    for name in partly:
        # Reports that show some values show who was asked: it is protected as a whole, by a protection of its own.
        asked[name]["protect"] = {"epsilon": asked[name]["protect"].get("epsilon", epsilon)}
    for name in partly:
        said = f"attribute.{name} is protected, all its values alike: whether somebody was asked must not show"
        if shows := _showing_unasked(name, asked, epsilon):
            # Who shows that nothing was asked shows no sensitive value: reports about the others may.
            del asked[name]["protect"]
            about = " and ".join(map(repr, shows))
            said = f"attribute.{name} is protected, all its values alike; reports about {about} can still show that"
            said += f" somebody was not asked. Leave protect out at attribute.{shows[0]} to hide that too"
        read.notes.append(f"{said}.")


def _sensitive_of(table: Mapping[str, Any]) -> list[str]:
    """The values of an attribute that alone are sensitive; none where that is not what protects it."""
    protect = table.get("protect")
    named = protect.get("sensitive") if isinstance(protect, dict) and {*protect} <= {"sensitive", "epsilon"} else None
    is_known = isinstance(named, list) and named and {*map(str, named)} <= {*labels_of(table)}
    return [*map(str, named or ())] if is_known else []


def _showing_unasked(name: str, attributes: Mapping[str, Mapping[str, Any]], epsilon: Any) -> list[str]:
    """What decides whether an attribute is asked, and shows for certain at most that it was not; none if more may show.

    Who was asked has sensitive values of these, so that no report favours any answer to the attribute by more than
    the survey's epsilon.
    """
    ancestors: dict[str, list[str]] = {}

    def deciders(one: str, before: tuple[str, ...] = ()) -> list[str]:
        if one not in ancestors and one not in before:
            others = [*(attributes.get(one, {}).get("only_if") or ())]
            ancestors[one] = list(
                dict.fromkeys([*others, *(far for o in others for far in deciders(o, (*before, one)))])
            )
        return ancestors.get(one, [])

    deciding = deciders(name)
    revealing = {one for one in attributes if one in deciding or {*deciders(one)} & {*deciding}}
    shows = []
    for one in sorted(revealing, key=[*attributes].index):
        protect = attributes[one].get("protect")
        sensitive = {*_sensitive_of(attributes[one])}
        is_alike = protect is None or (isinstance(protect, dict) and protect.get("epsilon", epsilon) == epsilon)
        if not is_alike or "delta" in attributes[one] or (protect and {*protect} - {"epsilon"} and not sensitive):
            return []
        if sensitive:
            wanted = [
                attributes[own]["only_if"].get(one) for own in (name, *deciding) if attributes[own].get("only_if")
            ]
            labels = {label for each in wanted for label in (each if isinstance(each, list) else [each])} - {None}
            if not {*map(str, labels)} <= sensitive:
                return []
            shows.append(one)
    return shows


def _table_of(name: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    table = attributes.get(name)
    return table if isinstance(table, dict) else {}


def _conditions(where: str, given: Any, attributes: Mapping[str, Any]) -> tuple[Any, list[SordinoError]]:
    """A condition as `only_if` declares it, attributes with their categories; and what is wrong with it."""
    if isinstance(given, dict):
        return _table_of_conditions(where, given, attributes)
    whole = CONDITION.fullmatch(given)
    whole = None if whole is not None and whole["sign"] in NOT else whole
    own = {} if whole is None else _table_of(whole["name"], attributes)
    known = whole and value_of(whole["value"].strip("'\""), own) in labels_of(own)
    if not known and len(either := OR.split(given)) > 1:
        return _either(where, given, either, attributes)
    return _all_of(where, given, [given] if known else AND.split(given), attributes)


def _table_of_conditions(
    where: str, given: Mapping[str, Any], attributes: Mapping[str, Any]
) -> tuple[Any, list[SordinoError]]:
    if several := next((name for name in given if _table_of(name, attributes).get("several")), None):
        rule = f"{where}.only_if must be about a choice of one category"
        step = _condition_step(several, _table_of(several, attributes))
        return None, [SordinoError(rule, found=f"{several!r}, of which several may apply", step=step)]
    listed = {name: own if isinstance(own, list) else [own] for name, own in given.items()}
    read = {name: [value_of(each, _table_of(name, attributes)) for each in own] for name, own in listed.items()}
    return {name: own if isinstance(given[name], list) else own[0] for name, own in read.items()}, []


def _either(
    where: str, given: str, either: Sequence[str], attributes: Mapping[str, Any]
) -> tuple[Any, list[SordinoError]]:
    """One of some conditions: of one attribute its values; of different ones nobody can be asked because of either."""
    parts = [part for one in either if (part := COMPARED.fullmatch(one) or CONDITION.fullmatch(one)) is not None]
    names = [name for name in attributes if any(part["name"] == name for part in parts)]
    is_plain = len(parts) == len(either) and not any(
        part["sign"] in (*NOT, *COMPARISONS) or AND.search(part[0]) for part in parts
    )
    if is_plain and len({part["name"] for part in parts}) == 1:
        values = [part["value"].strip("'\"") for part in parts]
        return _conditions(where, {parts[0]["name"]: values}, attributes)
    if len(names) < 2:
        rule = f"{where}.only_if must say which category an attribute has"
        return None, [SordinoError(rule, found=shown(given), step=_condition_step("", {}))]
    any_of = "_or_".join(names)
    step = f'write [attribute.{any_of}] with yes_no = true, which asks for both, and only_if = "{any_of} = yes"'
    return None, [SordinoError(f"{where}.only_if must not join attributes by or", found=shown(given), step=step)]


def _all_of(
    where: str, given: str, parts: Sequence[str], attributes: Mapping[str, Any]
) -> tuple[Any, list[SordinoError]]:
    read: dict[str, Any] = {}
    for part in parts:
        found = CONDITION.fullmatch(part)
        name = part.strip() if found is None else found["name"]
        compared = COMPARED.fullmatch(part)
        name = name if compared is None else compared["name"]
        own = _table_of(name, attributes)
        if own.get("several"):
            rule = f"{where}.only_if must be about a choice of one category"
            value = "" if found is None or found["sign"] in NOT else found["value"].strip("'\"")
            step = _condition_step(name, own, value)
            return None, [SordinoError(rule, found=f"{name!r}, of which several may apply", step=step)]
        if found is None and name in attributes and compared is None:
            read[name] = value_of(True, own)
        elif found is not None and compared is None:
            texts = found["value"].strip("[]").split(",") if found["value"].startswith("[") else [found["value"]]
            values = [value_of(text.strip().strip("'\""), own) for text in texts]
            if found["sign"] in NOT and not {*values} <= {*labels_of(own)}:
                rule = f"{where}.only_if must say which category {name!r} must not have"
                return None, [SordinoError(rule, found=shown(given), step=_condition_step(name, own))]
            if found["sign"] in NOT:
                values = [label for label in labels_of(own) if label not in values]
            if name in read:
                before = read[name] if isinstance(read[name], list) else [read[name]]
                values = [value for value in before if value in values]
            read[name] = values[0] if len(values) == 1 else values
        else:
            rule = f"{where}.only_if must say which category an attribute has"
            step = _condition_step(name, own, "" if compared is None else f"{compared['sign']} {compared['value']}")
            return None, [SordinoError(rule, found=shown(given), step=step)]
    return read, []


def _condition_step(name: str, table: Mapping[str, Any], wanted: str = "") -> str:
    """The line to write where a condition is none.

    Args:
        wanted: the value that it is about, or a sign and a number; empty where nothing is said.
    """
    if table.get("several"):
        one = re.sub(r"\W+", "_", wanted) if wanted in labels_of(table) else f"any_{name}"
        return f'ask for it by itself: write [attribute.{one}] with yes_no = true, and only_if = "{one} = yes"'
    labels, number = labels_of(table), table.get("number")
    names, is_whole = [*map(str, labels)], all(re.fullmatch("-?[0-9]+", str(label)) for label in labels)
    low, high = (number.get(end) if isinstance(number, dict) else None for end in ("low", "high"))
    if isinstance(low, int | float) and isinstance(high, int | float):
        values = range(ceil(low), floor(high) + 1)
        names, is_whole = ([*map(str, values)], True) if len(values) <= MOST_RANGES_WRITTEN else ([], False)
    sign, _, limit = wanted.partition(" ")
    some = [one for one in names if is_whole and sign in COMPARISONS and COMPARISONS[sign](int(one), int(limit))]
    some = some or names[:1]
    if not names:
        return 'write only_if = "smoker = yes", or only_if = { smoker = ["yes", "sometimes"] }'
    listed = shown(some[0]) if len(some) == 1 else f"[{', '.join(map(shown, some))}]"
    as_names = "" if labels else f"write categories = [{', '.join(map(shown, names))}] at attribute.{name}, and "
    return f"{as_names or 'write '}only_if = {{ {name} = {listed} }}"


def _expect_unasked(table: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    """A number lacks a value where it is not asked: of so many as if the people were evenly spread."""
    asked = Fraction(1)
    for name, values in table["only_if"].items():
        labels = labels_of(own) if isinstance(own := attributes.get(name), dict) else ()
        named = values if isinstance(values, list) else [values]
        if not labels or any(value not in labels for value in named):
            return
        asked *= Fraction(len({*map(str, named)}), len(labels))
    if asked < 1:
        table["missing"] = f"{float(1 - asked):.3g}"


def _with_meanings(said: Any, words: Mapping[str, Any]) -> Any:
    """A text with what values are called behind it, in each language that all of them have."""
    texts = [text for text in (said, *words.values()) if isinstance(text, dict)]

    def in_one(language: str) -> str:
        own = {value: text[language] if isinstance(text, dict) else text for value, text in words.items()}
        meanings = ", ".join(f"{value} = {text}" for value, text in own.items())
        before = said[language] if isinstance(said, dict) else said
        return meanings if before is None else f"{before} ({meanings})"

    return {one: in_one(one) for one in texts[0] if all(one in text for text in texts)} if texts else in_one("")


class SpelledAttribute(SpelledProtection):
    """One attribute while its spellings are read: its values, and how sensitive they are.

    Attributes:
        asked: words of what is asked of it.
        languages: that the survey declares, the default first.
    """

    def __init__(
        self, where: str, table: dict[str, Any], asked: Collection[str] = (), languages: Sequence[Any] = ()
    ) -> None:
        super().__init__(where, table)
        self.asked, self.languages = asked, languages
        self.is_fractional = str(table.get("type")).lower() in ("float", "decimal")

    def read(self) -> None:
        """Put all settings into their declared form."""
        table = self.table
        number = table.get("number")
        self.is_declared = isinstance(number, dict) and {"low", "high"} <= number.keys() <= {
            *NumberTable.settings_table()
        }
        if isinstance(table.get("protect"), dict):
            table["protect"] = dict(table["protect"])
        self._heading()
        rename_settings(f"{self.where}.", table, ATTRIBUTE_WORDS, self.mistakes)
        self._choose()
        for step in (self._type, self._whole, self._yes_no, self._most, self._groups, self._ends, self._dates):
            step()
        for step in (self._bins, self._scale, self._stops, self._scale_values, self._categories, self._several):
            step()
        for step in (self._unknown, self._optional, self._protect, self._sensitive):
            step()
        for step in (self._visibility, self._public, self._epsilon):
            step()
        self._note_order()
        self._note_choice()

    def _heading(self) -> None:
        """A title beside a question is its heading, which stands with it where nothing else does."""
        words = self.table.keys()
        heading = next((word for word in HEADINGS if word in words), None)
        helps = {"help", *(word for word, name in ATTRIBUTE_WORDS.items() if name == "help")}
        if heading is not None and {*ASKED_IN} & words and not helps & words:
            self.table["help"] = self.table.pop(heading)

    def _whole(self) -> None:
        """What says that a number is whole; and what says nothing more: decimals, and that values are in order."""
        table = self.table
        decimals, is_ordered = table.pop("decimals", None), table.pop("ordered", None)
        self.is_fractional |= bool(decimals)
        self.is_ordered = is_ordered is True
        if is_ordered not in (None, True, False):
            table["ordered"] = is_ordered
            self._wrong(
                "ordered", "must be true or false", "leave it out: values stand in the order that they have here"
            )
        if decimals is not None and (type(decimals) is not int or decimals < 0):
            table["decimals"] = decimals
            self._wrong("decimals", "must be how many there are", "leave it out: a number may have any")
        elif decimals:
            self.notes.append(f"{self.where}.decimals changes nothing: a number may have any.")
        is_flag = isinstance(table.get("integer"), bool)
        ends = [word for word in ("number", *ENDS) if word in table]
        if is_flag and not ends and "scale" not in table and table["integer"]:
            return
        is_whole = (table.pop("integer") if is_flag else False) or (type(decimals) is int and decimals == 0)
        if is_whole and "scale" not in table and "integer" not in table:
            number = table.pop("number", None) if ends else None
            beside = {end: table.pop(end) for end in ENDS if end in table}
            if number is not None or beside:
                table["integer"] = beside if number in (None, True) else number
                table |= beside if number not in (None, True) else {}

    def _note_order(self) -> None:
        """Say of values in order that near ones are protected as far ones are."""
        protect = self.table.get("protect") or {}
        if self.is_ordered and not self.is_public and len(labels_of(self.table)) > 2:
            near = f"{self._places()} protects near values more than far ones"
            alike = "sensitive values are" if "sensitive" in protect else "all values are"
            if not {*protect} - {"sensitive", "epsilon"}:
                self.notes.append(f"{self.where}.ordered changes nothing: {alike} protected alike; {near}.")

    def _choose(self) -> None:
        """How many values are chosen, in a word: several, or one, which is what values are without it."""
        if "choose" not in self.table:
            return
        given = self.table["choose"]
        kind = TYPES.get(given.lower().strip()) if isinstance(given, str) else None
        is_several = kind == "several"
        if not is_several and kind != "categories":
            values = "categories" not in self.table and isinstance(given, list) and bool(given)
            step = f"write categories = {shown(given)}, and " if values else "write "
            step += 'choose = "all" where all that apply may be chosen; leave it out where one is'
            self._wrong("choose", 'must be "all" or "one"', step, "categories" if values else "")
        elif self.table.get("several", is_several) in (True, False) and self.table.get("several") is not (
            not is_several
        ):
            del self.table["choose"]
            self.table |= {"several": True} if is_several else {}
        elif is_several and self.table["several"] is not False:
            # A list of the values, or how many of them: it says more.
            del self.table["choose"]
        else:
            self._wrong("choose", "must not contradict several", "leave one of both out")

    def _note_choice(self) -> None:
        """Say of a choice of one whose text lets people choose several that it is one."""
        texts = [own for word in ("text", "help") for own in [self.table.get(word)]]
        texts = [one for own in texts for one in (own.values() if isinstance(own, dict) else [own])]
        said = next((found[0] for one in texts if (found := ALL_THAT_APPLY.search(str(one)))), None)
        if said is not None and labels_of(self.table) and not self.table.get("several") and not self.is_public:
            told = f"is a choice of one, though people read “{said}”; several = true lets them choose all that apply"
            self.notes.append(f"{self.where} {told}.")

    def _type(self) -> None:
        if "type" not in self.table:
            return
        given = self.table["type"]
        kind = TYPES.get(given.lower()) if isinstance(given, str) else None
        if kind is None:
            step = f"write {self.EXAMPLES['categories']}, or {self.EXAMPLES['number']}"
            self._wrong("type", "must be left out: the values say what an attribute is", step)
        elif given.lower() in ONE_OF and (word := next((w for w in ("several", "most") if self.table.get(w)), None)):
            step = f"leave type out where several may be chosen, or {word} where one is"
            self._wrong("type", f"must not stand beside {word}: it is a choice of one", step)
        elif given.lower() == "nps" and not _is_recommending(self.table.get("scale", RECOMMENDING)):
            step = f"write scale = {RECOMMENDING}, or leave type out to keep another scale"
            self._wrong("type", f"must not stand beside another scale than {RECOMMENDING}", step)
        elif given.lower() == "nps":
            del self.table["type"]
            self.table.setdefault("scale", list(RECOMMENDING))
        elif kind in ("yes_no", "several"):
            del self.table["type"]
            self.table.setdefault(kind, True)
        elif kind == "scale" and "number" in self.table:
            del self.table["type"]
            self.table.setdefault("integer", self.table.pop("number"))
        elif kind == "scale" and {*ENDS} & self.table.keys():
            del self.table["type"]
            self.table["integer"] = {end: self.table.pop(end) for end in ENDS if end in self.table}
        elif kind in self.table or (kind in ("number", "dates") and {*ENDS, "number", "scale"} & self.table.keys()):
            del self.table["type"]
        else:
            unread = "categories" if kind == "categories" else "number"
            self._wrong("type", "must come with its values", f"write {self.EXAMPLES[kind]} instead", unread)

    EXAMPLES = {
        "categories": 'categories = ["yes", "no"]',
        "number": "number = [0, 120]",
        "scale": "scale = [0, 10]",
        "dates": EXAMPLE,
    }

    def _yes_no(self) -> None:
        if "yes_no" not in self.table:
            return
        if self.table["yes_no"] is not True:
            step = f"write yes_no = true, or {self.EXAMPLES['categories']}"
            self._wrong("yes_no", "must be true", step, "categories")
        elif isinstance(own := self.table.get("categories"), list) and len(own) != len(YES_NO):
            step = f"leave yes_no out to ask for these {len(own)} values, or categories to ask for yes and no"
            self._wrong("yes_no", f"must have two values beside it, not {len(own)}", step)
        else:
            del self.table["yes_no"]
            self.table.setdefault("categories", list(YES_NO))

    def _most(self) -> None:
        """How many of several may be chosen: of what may have several, `max` is that too."""
        table = self.table
        is_number = any(word in table for word in ("number", "scale", "integer", "dates", *ENDS) if word != "max")
        if "categories" in table and not is_number and type(table.get("max")) is int and "several" not in table:
            # At most one is what a choice is anyway.
            table |= {} if table["max"] == 1 else {"several": True}
        if table.get("several") and "number" not in table and type(table.get("max")) is int:
            table["most"] = table.pop("max")
        elif "categories" in table and table.get("max") == 1:
            del table["max"]
        if "most" in table and table.get("several", True) is not True:
            self._wrong("most", "must not stand beside another `several`", "leave one of both out")
        elif "most" in table:
            table["several"] = table.pop("most")

    def _ends(self) -> None:
        """A number as a pair of ends, with other words for them, or with its ends beside it."""
        table = self.table
        for setting in [name for name in ("number", "scale", "integer", "dates") if name in table]:
            given = table[setting] = ends_in_text(table[setting]) or table[setting]
            if isinstance(given, list) and len(given) == 2:
                table[setting] = dict(zip(("low", "high"), given, strict=True))
            elif isinstance(given, dict):
                table[setting] = dict(given)
                words = {**END_WORDS, "by": "step", "every": "step"} if setting == "dates" else END_WORDS
                rename_settings(f"{self.where}.{setting}.", table[setting], words, self.mistakes)
            elif setting in ("number", "dates") and (given is not True or not {*ENDS} & table.keys()):
                step = f"write {self.EXAMPLES[setting]}: the least and the largest"
                self._wrong(setting, "must have two ends", step, "number")
                return
        beside = {end: table.pop(end) for end in (*ENDS, *OF_NUMBER) if end in table}
        if beside:
            setting = next((name for name in ("scale", "integer", "dates") if name in table), "number")
            rename_settings(f"{self.where}.", beside, END_WORDS, self.mistakes)
            given = table.get(setting)
            own: dict[Any, Any] = given if isinstance(given, dict) else {}
            for word in own.keys() & beside.keys():
                rule = f"{self.where}.{setting}.{word} must be said once"
                self.mistakes.append(SordinoError(rule, found=f"{word} beside it", step=f"leave {word} out there"))
            table[setting] = own | beside
        for setting in ("number", "scale", "integer", "dates"):
            number = table.get(setting)
            if isinstance(number, dict):
                # A list of bins is their edges, which go from the least number to the largest.
                edges = number.pop("bins") if isinstance(number.get("bins"), list) else number.get("edges")
                if isinstance(edges, list) and edges and "bins" not in number:
                    table[setting] = {"low": edges[0], "high": edges[-1], "edges": edges, **number}

    def _groups(self) -> None:
        """Groups of a number are its bins; of what has no other values they are its categories."""
        table = self.table
        words = ("number", "scale", "integer", "dates", *ENDS)
        is_number = any(word in table for word in words)
        for word in ("groups", "ranges", "bins"):
            given = table.get(word)
            if not isinstance(given, list) or not given or (word == "bins" and not self._are_group_names(given)):
                continue
            if not is_number and "categories" not in table and all(isinstance(one, str) for one in given):
                table["categories"] = table.pop(word)
            elif (
                word != "ranges"
                and (edges := self._edges_of_groups(given))
                and not {"edges", "bins"} & ({*table} - {word})
            ):
                table["edges"] = edges
                del table[word]
        left = ["groups"] if "groups" in table else []
        for word in [*left, *(["bins"] if self._are_group_names(table.get("bins")) else [])]:
            step = "write edges = [18, 30, 65] for a number, or categories in place of it"
            self._wrong(word, "must be where its groups begin, each after the one before", step)

    @staticmethod
    def _are_group_names(given: Any) -> bool:
        """Whether bins are named, and not cut by days."""
        is_named = isinstance(given, list) and bool(given) and all(isinstance(one, str) for one in given)
        return is_named and not any(isinstance(day, date) for day in as_dates(given))

    @staticmethod
    def _edges_of_groups(groups: Sequence[Any]) -> list[Any] | None:
        if all(isinstance(one, str) for one in groups):
            return group_starts(groups)
        return [*groups] if all(isinstance(one, int | float) for one in groups) else None

    def _bins(self) -> None:
        """Bins from end to end, whatever of them is written: edges between the ends, or a width."""
        table = self.table
        number = next(
            (table[word] for word in ("number", "scale", "integer") if isinstance(table.get(word), dict)), None
        )
        if number is None:
            if "bin_width" in table:
                self._wrong(
                    "bin_width", "must be of a number with its ends", f"write {self.EXAMPLES['number']} beside it"
                )
            return
        low, high = number.get("low"), number.get("high")
        widths = [table.pop("bin_width")] if "bin_width" in table else []
        widths += [number.pop("bins")] if isinstance(number.get("bins"), dict) else []
        if widths:
            width = width_of(widths[0]) if isinstance(widths[0], dict) else widths[0]
            # Of whole numbers both ends have a value.
            is_whole = "number" not in table or bool(table["number"] is not number)
            count = bins_of_width(width, low, high + 1 if is_whole and type(high) is int else high)
            from_last = bins_of_width(width, low, high) if is_whole and count is None else None
            if (
                from_last is not None
                and from_last > 1
                and all(type(one) is int for one in (low, high, width))
                and len(widths) == 1
                and not {"bins", "edges"} & number.keys()
            ):
                number["edges"] = [low + i * width for i in range(from_last + 1)]
                self.notes.append(f"{self.where}.bins: the last goes from {high - width} to {high}, both within.")
            elif count is None or len(widths) > 1 or {"bins", "edges"} & number.keys():
                rule = f"{self.where}.bins must be of one width, from end to end"
                step = "write bins = 10, or edges = [...] with where each begins"
                self.mistakes.append(SordinoError(rule, found=shown(widths[0]), step=step))
            else:
                number["bins"] = count
        if "edges" not in number:
            return
        whole = whole_range(number["edges"], low, high)
        if whole is None and (inner := edges_within(number["edges"], low, high)) is not None:
            rule = f"{self.where}.edges must lie between the ends of the number"
            step = f"write edges = {inner}, or number = [{min(low, *number['edges'])}, {max(high, *number['edges'])}]"
            self.mistakes.append(SordinoError(rule, found=shown(number.pop("edges")), step=step))
        elif whole is not None and whole != number["edges"]:
            said = ", ".join(str(edge) if isinstance(edge, date) else plain(edge) for edge in whole)
            self.notes.append(f"{self.where}.edges go on to the ends of the number: {said}.")
            number["edges"] = whole

    def _dates(self) -> None:
        """A number whose ends are dates, with bins by a step of the calendar."""
        table = self.table
        number = table.get("number")
        if isinstance(number, dict) and "step" in number and "step" not in table:
            table["step"] = number.pop("step")
        dates = table.get("dates", number)
        if isinstance(dates, dict):
            dates |= {word: as_dates(dates[word]) for word in ("low", "high", "edges") if word in dates}
        if not isinstance(dates, dict) or ("dates" not in table and not is_dated(dates)):
            return
        if "dates" in table and number is not None:
            self._wrong("number", "must not stand beside dates", "leave number out: dates says it")
        if not is_dated(dates):
            table["dates"] = [dates.get("low"), dates.get("high")]
            self._wrong("dates", "must have two dates as its ends", f"write {ends_to_write(*table['dates'])}", "number")
            return
        table["number"] = table.pop("dates", number)
        rename_settings(f"{self.where}.number.", dates, {"every": "step"}, self.mistakes)
        steps = [dates.pop("step")] if "step" in dates else []
        steps += [table.pop("step")] if isinstance(table.get("step"), str) else []
        steps += [dates.pop("bins")] if isinstance(dates.get("bins"), str) else []
        if len(steps) > 1 or (steps and "edges" in dates):
            found, step = shown(steps[0]), "leave all but one of step, bins and edges out"
            self.mistakes.append(SordinoError(f"{self.where}.step must be said once", found=found, step=step))
            return
        if not steps and type(dates["low"]) is type(dates["high"]) is date and {"edges", "bins"}.isdisjoint(table):
            steps += self._whole_days(dates)
        try:
            low, high = dates["low"], dates["high"]
            dates |= {"edges": edges_by(steps[0], low, high)} if steps else {}
            if steps and len(edges_by(steps[0], low, high + timedelta(days=1))) > len(dates["edges"]):
                self.notes.append(f"{self.where}: the last {steps[0]} has {high} too, with which another one begins.")
        except SordinoError as error:
            self.mistakes.append(SordinoError(f"{self.where}: {error.rule}", found=error.found, step=error.step))

    def _whole_days(self, dates: dict[str, Any]) -> list[str]:
        """Bins of whole days, as even as they can be: as many as are wanted, or in a table of a few days one each.

        The last one has the last day; of one day each it ends where the next day begins. Where shares are asked and
        nothing is wanted it is one each of a month of days; of more the step of the calendar that is given back.
        """
        low, high, bins = dates["low"], dates["high"], dates.get("bins")
        days, is_bare = (high - low).days, dates.keys() == {"low", "high"} and not self.is_declared
        in_table = dates.keys() == {"low", "high"} and days <= MOST_ON_SCALE and {"table", "tables"} & {*self.asked}
        are_shares = is_bare and "histogram" in self.asked and not {*self.asked} & {*OF_NUMBERS_ASKED}
        if are_shares and (step := step_of(low, high)) is not None:
            self.notes.append(f'{self.where} is cut by the {step}; write step = "month" or bins = 20 for other bins.')
            return [step]
        in_table = in_table or are_shares
        if 0 < days < MOST_BINS and (in_table or (type(bins) is int and bins == days + 1 and "edges" not in dates)):
            dates |= {"high": high + timedelta(days=1), "edges": [low + timedelta(days=i) for i in range(days + 2)]}
            dates.pop("bins", None)
            self.notes.append(f'{self.where}: each day from {low} to {high} is a bin; every = "week" makes fewer.')
        elif type(bins) is int and FEWEST_BINS <= bins <= min(days, MOST_BINS) and days % bins and "edges" not in dates:
            starts = [low + timedelta(days=i * days // bins) for i in range(bins)]
            dates["edges"] = [*starts, high]
            del dates["bins"]
            first = ", ".join(map(str, starts[:3]))
            self.notes.append(f"{self.where}.bins are of whole days, as even as they can be: they begin on {first} ...")
        return []

    def _scale(self) -> None:
        """A whole-number scale: bins from half to half, and a slider that stops at its values."""
        self._whole_steps()
        self._numbered_categories()
        setting = next((name for name in ("scale", "integer") if name in self.table), None)
        if setting is None:
            return
        given = self.table[setting]
        if setting == "scale" and isinstance(given, list) and given and all(isinstance(one, str) for one in given):
            self.table["categories"] = self.table.pop("scale")
            return
        if type(given) is int and 1 < given <= MOST_STARS:
            given = {"low": 1, "high": given}
        if (
            isinstance(given, list)
            and given
            and all(type(one) is int for one in given)
            and given == [*range(given[0], given[0] + len(given))]
        ):
            given = {"low": given[0], "high": given[-1]}
        low, high = (given.get("low"), given.get("high")) if isinstance(given, dict) else (None, None)
        if type(low) is not int or type(high) is not int or not low < high:
            step = f"write {setting} = [0, 10]: the least and the largest"
            self._wrong(setting, "must be two whole numbers", step, "number")
            return
        del self.table[setting]
        if "labels" in given:
            self.table.setdefault("labels", given["labels"])
            given = {word: own for word, own in given.items() if word != "labels"}
        if high - low < MOST_STOPS:
            self.is_scale = True
            bins = self._whole_bins(given, high - low + 1)
            given = {
                **{word: own for word, own in given.items() if word != "bins"},
                **bins,
                "low": low - HALF,
                "high": high + HALF,
            }
            self.table.setdefault("input", "slider")
        elif setting == "scale":
            self.table["scale"] = given
            step = f"write number = [{low}, {high}]"
            self._wrong("scale", f"must have at most {MOST_STOPS:,} values", step, "number")
            return
        if "number" in self.table:
            self.table["number"], step = [low, high], f"leave number out: {setting} says it"
            self._wrong("number", f"must not stand beside {setting}", step)
        self.table["number"] = given

    def _whole_steps(self) -> None:
        """A number in steps of one between whole numbers is a whole-number scale."""
        number = self.table.get("number")
        if self.is_declared or not isinstance(number, dict) or {"scale", "integer"} & self.table.keys():
            return
        low, high = number.get("low"), number.get("high")
        if type(low) is not int or type(high) is not int or not low < high:
            return
        if number.keys() == {"low", "high", "bins"} and number["bins"] == high - low + 1 <= MOST_STOPS:
            # As many bins as there are whole numbers are these, and no parts between them.
            self.table["integer"] = self.table.pop("number")
            self.notes.append(f"{self.where} is read as scale = [{low}, {high}]: a bin for each whole number.")
        elif self.table.get("step") == 1 and high - low < MOST_STOPS:
            self.table["integer"] = self.table.pop("number")
            del self.table["step"]
        elif (
            number.keys() == {"low", "high"}
            and high - low <= MOST_ON_SCALE
            and not {"step", "edges", "bins", "input"} & self.table.keys()
            and not self.is_fractional
            and {*self.asked} & {*OF_VALUES_ASKED}
        ):
            # Hundreds of bins between two neighbouring whole numbers, of a few people's answers, say nothing.
            self.table["integer"] = self.table.pop("number")
            parts = f"number = [{low}, {high}] and bins = {2 * (high - low)}"
            said = f"is read as scale = [{low}, {high}], in whole numbers; for answers between them write {parts}"
            self.notes.append(f"{self.where} {said}.")

    def _numbered_categories(self) -> None:
        """Categories that are whole numbers, one after the other, are a scale where something of numbers is asked."""
        given = self.table.get("categories")
        if not isinstance(given, list) or not {*self.asked} & {*OF_NUMBERS_ASKED} or "number" in self.table:
            return
        whole = [int(one) if isinstance(one, str) and re.fullmatch("-?[0-9]{1,4}", one) else one for one in given]
        is_alone = not {"several", "protect", "scale", "integer", "labels", "missing", "only_if"} & self.table.keys()
        is_alone &= not isinstance(self.table.get("sensitive"), list | str) and not self.table.get("optional")
        if (
            len(given) < FEWEST_BINS
            or not is_alone
            or "only_if" in self.asked
            or not all(type(one) is int for one in whole)
        ):
            return
        if whole == [*range(whole[0], whole[0] + len(whole))] and not self.table.get("public"):
            del self.table["categories"]
            self.table["scale"] = whole
            self.notes.append(f"{self.where} is read as scale = [{whole[0]}, {whole[-1]}]: its numbers are asked for.")

    def _whole_bins(self, given: Mapping[str, Any], values: int) -> dict[str, Any]:
        """Bins of a whole-number scale: one for each value, unless fewer are wanted."""
        edges, bins = given.get("edges"), given.get("bins")
        if isinstance(edges, list) and len(edges) > 2 and bins is None and all(type(edge) is int for edge in edges):
            return {"edges": scale_edges(edges)}
        low, high = given["low"], given["high"]
        if type(bins) is int and 1 < bins < values and values % bins and edges is None:
            starts = even_starts(low, high, bins)
            first = ", ".join(map(str, starts[:3])) + (" ..." if bins > 3 else "")
            told = f"are as even as whole numbers can be: they begin with {first}, and the last goes to {high}"
            self.notes.append(f"{self.where}.bins {told}.")
            return {"edges": scale_edges([*starts, high])}
        if bins is not None and (type(bins) is not int or bins < 1 or values % bins):
            rule = f"{self.where}.bins must be at most its {values} values"
            step = "leave bins out for one each, or write edges = [...] with the first value of each"
            self.mistakes.append(SordinoError(rule, found=shown(bins), step=step))
        elif bins is not None and bins > 1:
            return {"bins": bins}
        return {"bins": values}

    def _stops(self) -> None:
        """A step is that of a slider, and the width of bins where nothing else says it."""
        number = self.table.get("number")
        if "step" not in self.table or not isinstance(number, dict) or not isinstance(number.get("low"), int | float):
            return
        self.table.setdefault("input", "slider")
        if not self.is_declared and not {"bins", "edges"} & number.keys():
            count = bins_of_width(self.table["step"], number["low"], number.get("high"))
            number |= {"bins": count} if count is not None and FEWEST_BINS <= count <= MOST_BINS else {}

    def _scale_values(self) -> None:
        """What values of a scale are called: people give its numbers, and read beside them what they mean.

        A number's values are all protected alike. So where only some of a scale's are, its values are categories.
        """
        table, number = self.table, self.table.get("number")
        if not self.is_scale or not isinstance(number, dict):
            return
        values = [str(value) for value in range(round(number["low"] + HALF), round(number["high"] + HALF))]
        self._labels_by_language(values)
        labels = table.get("labels")
        if isinstance(labels, list) and labels and all(map(_is_text, labels)):
            middle = [values[len(values) // 2]] if len(values) % 2 else []
            ends = [values[0], *(middle if len(labels) == len(middle) + 2 else ()), values[-1]]
            places = values if len(labels) == len(values) else ends
            if len(labels) != len(places):
                rule = f"must be one for each of its {len(values)} values, or two for its ends"
                self._wrong("labels", rule, 'write labels = ["not at all", "very much"]')
                return
            labels = dict(zip(places, labels, strict=True))
        named = {str(value): own for value, own in labels.items()} if isinstance(labels, dict) else {}
        words = {value: own for value, own in named.items() if value in values and _is_text(own)}
        protect = table.get("protect")
        holders = [one for one in (table, protect) if isinstance(one, dict)]
        ways = {"distance", *WAYS} - {"sensitive"}
        is_partly = any(isinstance(one.get("sensitive"), list) and one["sensitive"] for one in holders)
        if is_partly or (isinstance(protect, dict) and ways & protect.keys()):
            self.is_scale = False
            table["categories"], names = values, {own: value for value, own in words.items() if isinstance(own, str)}
            for word in ("number", "unit", "input", "step"):
                table.pop(word, None)
            table |= {"labels": named} if named else {}
            for one in holders:
                if isinstance(one.get("sensitive"), list):
                    one["sensitive"] = [
                        names.get(name, name) if isinstance(name, str) else name for name in one["sensitive"]
                    ]
        elif words:
            table["help"] = _with_meanings(table.get("help"), words)
            rest = {value: own for value, own in named.items() if value not in words}
            table |= {"labels": rest}
            if not rest:
                del table["labels"]

    def _categories(self) -> None:
        """Numbers, true and false by their names; tables of a value and its label, or its labels by language."""
        given = self.table.get("categories")
        by_label = given if isinstance(given, dict) and not {"file", "labels"} & {*given, *self.table} else {}
        if len(by_label) > 1 and all(map(_is_text, by_label.values())):
            self.table["labels"], given = by_label, [*by_label]
        if not isinstance(given, list):
            return
        if given and "labels" not in self.table and all(map(_is_labelled, given)):
            said = {label_of(one["value"]): {key: own for key, own in one.items() if key != "value"} for one in given}
            labels = {name: own.get("label", own) for name, own in said.items() if own}
            self.table |= {"labels": labels} if labels else {}
            given = [one["value"] for one in given]
        self.table["categories"] = [*map(label_of, given)]
        self._labels_by_language(self.table["categories"])

    def _labels_by_language(self, values: Sequence[str]) -> None:
        """Labels that are listed by language, in the order of the values, as those of each value.

        In a language that lists none, where it is the survey's default, values stand for themselves.
        """
        labels: Any = self.table.get("labels")
        if not _are_by_language(labels, values):
            return
        texts = [own for own in (self.table.get("text"), labels) if isinstance(own, dict)]
        default = next(iter(self.languages or texts[0]), None)
        listed = {default: [*values], **labels} if isinstance(default, str) else labels
        wrong = next((one for one, own in labels.items() if len(own) != len(values)), None)
        if wrong is not None:
            step = f"write {wrong} = [...] with a label for each of {shown([*values])}"
            self._wrong("labels", f"must be {len(values)} in each language, in the order of its values", step)
            return
        self.table["labels"] = {
            value: {one: own[i] for one, own in listed.items()} for i, value in enumerate(map(str, values))
        }

    def _several(self) -> None:
        """As many as there are categories; a last one that says that none applies is no category."""
        if isinstance(self.table.get("several"), list) and "categories" not in self.table:
            self.table["categories"], self.table["several"] = self.table["several"], True
            self._categories()
        given, labels = self.table.get("several"), self.table.get("categories")
        if given is False:
            del self.table["several"]
        elif given is True and isinstance(labels, list):
            if "none" not in self.table and labels and str(labels[-1]).lower() in NONE_OF_SEVERAL:
                self.table |= {"none": labels[-1], "categories": labels[:-1]}
                said = f"{labels[-1]!r} is read as none of the others, and stands with none of them"
                self.notes.append(f"{self.where}: {said}.")
            self.table["several"] = len(self.table["categories"])

    def _unknown(self) -> None:
        """An only list under an unknown word means the values: names, or the ends of a number."""
        known = {*AttributeTable.settings_table(), *ATTRIBUTE_SPELLINGS}
        lists = [word for word in self.table.keys() - known if isinstance(self.table[word], list) and self.table[word]]
        if len(lists) == 1 and not {"categories", "number", "grid"} & self.table.keys():
            given = self.table[lists[0]]
            kind = "number" if len(given) == 2 and all(isinstance(one, int | float) for one in given) else "categories"
            step = f"write {kind} = {shown(given)}"
            step += ", and several = true beside it where all that apply may be chosen" if kind == "categories" else ""
            self._wrong(lists[0], "must be a known setting", step, kind)
        for word in [word for word in self.table if word not in known]:
            near = nearest([str(word)], sorted(known))
            step = next(
                (line for words, line in INSTEAD.items() if str(word).lower() in words), "" if near else ELSEWHERE
            )
            unread = "" if {"categories", "number", "grid"} & self.table.keys() else "number"
            self._wrong(word, f"must be a known setting{near if step in ('', ELSEWHERE) else ''}", step, unread)

    def _optional(self) -> None:
        for word in ("optional", "required"):
            if not isinstance(self.table.get(word, True), bool):
                self._wrong(word, "must be true or false", f"write {word} = true, or leave it out")
        optional = self.table.pop("optional", None)
        required = self.table.pop("required", None)
        if optional is not None and optional is required:
            rule = f"{self.where}.optional must not contradict required"
            self.mistakes.append(SordinoError(rule, found=f"both {shown(optional)}", step="leave one of both out"))
        if not (optional is True or required is False) or "missing" in self.table:
            return
        labels = self.table.get("categories")
        if isinstance(labels, list) and "several" not in self.table:
            self.table |= {"categories": [*labels, NO_ANSWER], "missing": NO_ANSWER}
            self.skipped = NO_ANSWER
            return
        if "several" in self.table:
            none = self.table.get("none", NONE)
            rule = f"{self.where}.optional must not stand beside several: of whoever names none it is known already"
            step = f'leave optional out, or write missing = "{none}" to count whoever skips it so'
            self.mistakes.append(SordinoError(rule, found="optional", step=step))
        elif "number" in self.table:
            self.table["missing"] = EXPECTED_TO_SKIP
        else:
            rule = f"{self.where}.optional must be of named categories, or of a number"
            step = "name the categories, one of them for no answer, and write it as `missing`"
            self.mistakes.append(SordinoError(rule, found="optional", step=step))

    def declare_public(self) -> None:
        """Names for the values of what is sent in clear; nothing protects it."""
        table = self.table
        number = table.get("number")
        if self.is_scale and isinstance(number, dict):
            values = range(round(number["low"] + HALF), round(number["high"] + HALF))
            table["categories"] = [str(value) for value in values]
            del table["number"], table["input"]
        elif isinstance(number, dict) and "categories" not in table:
            step = f"write categories = {_range_names(number)}, which the data then have in place of numbers"
            self._wrong("number", "must be categories where it is public", step)
            self.table = {word: own for word, own in table.items() if word not in OF_VALUES} | {"categories": YES_NO}
            return
        if {"protect", "delta"} & table.keys():
            word = "protect" if "protect" in table else "delta"
            self._wrong(word, "must not stand beside public: what is public is sent in clear", f"leave {word} out")

    def declare_protected(self) -> None:
        """Without what only a public column has."""
        for word in [word for word in ("totals", "weights") if word in self.table]:
            step = f"write public = true beside it, where it may be known, or leave {word} out"
            self._wrong(word, "must be of a public column", step)


def _is_recommending(scale: Any) -> bool:
    """Whether a scale, as it is written, is that of a question of type `nps`."""
    if isinstance(scale, dict):
        ends = {END_WORDS.get(word, word): value for word, value in scale.items()}
        scale = [ends.get("low"), ends.get("high")]
    return scale is True or scale in (RECOMMENDING, [*range(RECOMMENDING[0], RECOMMENDING[1] + 1)])
