"""An attribute of a survey in natural spellings, read into the settings that it declares.

question = "Would you recommend us?"                    # text
scale = [0, 10]                                         # number = { low = -0.5, high = 10.5, bins = 11 }
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from sordino.domain.bins import HALF
from sordino.domain.choices import NONE
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.declared_tables import rename_settings
from sordino.survey.reading.survey_dates import EXAMPLE, as_dates, edges_by, ends_to_write
from sordino.survey.schema.attribute_table import AttributeTable
from sordino.survey.schema.questionnaire_part import LANGUAGE

ATTRIBUTE_WORDS = {
    **dict.fromkeys(("question", "label", "title", "prompt", "ask"), "text"),
    **dict.fromkeys(("hint", "description"), "help"),
    **dict.fromkeys(("options", "choices", "values", "answers", "levels", "choice", "dropdown"), "categories"),
    **dict.fromkeys(("boolean", "bool"), "yes_no"),
    **dict.fromkeys(("range", "between", "numeric", "slider"), "number"),
    **dict.fromkeys(("count", "int"), "integer"),
    **dict.fromkeys(("multiple", "multi", "select_all", "checkboxes", "multiselect"), "several"),
    **dict.fromkeys(("private", "secret"), "sensitive"),
    **dict.fromkeys(("kind", "select"), "type"),
    "date": "dates",
    "population": "totals",
    "currency": "unit",
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
"""Settings of an attribute that are those of its number."""

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
    *("type", "yes_no", "scale", "integer", "dates", "bins", "most", "optional", "required"),
    *("sensitive", "public", "visibility", "epsilon", "totals", "weights"),
)
"""Further settings of an attribute that stand for declared ones."""

PROTECT_SPELLINGS = ("public", "distance")
"""Further settings of a protection that stand for declared ones."""

TYPES = {
    **dict.fromkeys(("number", "numeric", "float", "decimal", "slider"), "number"),
    **dict.fromkeys(("date", "dates", "day"), "dates"),
    **dict.fromkeys(("integer", "int", "scale", "rating", "nps"), "scale"),
    **dict.fromkeys(("boolean", "bool", "yes_no", "yes/no", "yesno"), "yes_no"),
    **dict.fromkeys(("category", "categories", "categorical", "choice", "single", "one", "select"), "categories"),
    **dict.fromkeys(("ordinal", "nominal", "likert", "radio", "dropdown"), "categories"),
    **dict.fromkeys(("multiple", "multi", "several", "set", "checkbox", "checkboxes", "multiselect"), "several"),
    **dict.fromkeys(("all", "many", "any", "select_all", "select all", "select_multiple"), "several"),
}
"""Names of types, each with the setting whose values it has."""

ONE_OF = ("single", "one", "radio", "dropdown")
"""Types of which one value is chosen."""

RECOMMENDING = [0, 10]
"""The scale of a question of type `nps`: how likely somebody is to recommend something."""

ALL = ("all", "everything")
"""Words for all values of an attribute."""

SECRET = ("secret", "private", "hidden", "protected", "confidential")

YES_NO = ["yes", "no"]

YES, NO = ("yes", "true"), ("no", "false")
"""Names of the two values of what is true or false."""

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


UNREAD: Mapping[str, Mapping[str, Any]] = {
    "categories": {"categories": 2},
    "number": {"number": {"low": 0, "high": 1}},
}
"""What stands for an attribute of which nothing more is said."""

OF_VALUES = frozenset(
    {
        "number",
        "grid",
        "categories",
        "several",
        "none",
        "unit",
        "input",
        "step",
        "missing",
        "protect",
        "labels",
        "expected",
    }
)
"""Settings that belong to the values of an attribute."""

CONDITION = re.compile(
    r"\s*(?P<name>.+?)\s*(?P<sign>!=|<>|==?|\bis not\b|\bnot in\b|\bis\b|\bin\b)\s*(?P<value>.+?)\s*"
)
"""A condition in words: `drinks = yes`, `drinks in [yes, sometimes]`, `drinks != never`."""

NOT = ("!=", "<>", "is not", "not in")

AND = re.compile(r"\s+(?:and|&&)\s+")


def _label(value: Any) -> Any:
    """The name of a category that is written as a number, as true or as false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else value


def _is_labelled(given: Any) -> bool:
    """Whether a value stands with its label, or with labels by language, and nothing else."""
    said = {*given} - {"value"} if isinstance(given, dict) and "value" in given else {None}
    return said <= {"label"} or all(isinstance(word, str) and LANGUAGE.fullmatch(word) for word in said)


def _is_text(given: Any) -> bool:
    """Whether a text stands there, or one by language."""
    by_language = given if isinstance(given, dict) else {}
    return isinstance(given, str) or (bool(by_language) and all(LANGUAGE.fullmatch(str(word)) for word in by_language))


def _range_names(number: Mapping[str, Any]) -> str:
    """Categories to write in place of a number: the ranges between its edges, or its two halves."""
    low, high = number.get("low"), number.get("high")
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return '["2024", "2025"]'
    edges = number.get("edges", [low, (low + high) / 2, high])
    steps = [1 if float(edge).is_integer() and edge != edges[-1] else 0 for edge in edges[1:]]
    names = [f'"{first:g} to {last - step:g}"' for first, last, step in zip(edges, edges[1:], steps, strict=False)]
    return f"[{', '.join(names)}]"


def is_dated(number: Any) -> bool:
    """Whether both ends of a number are dates."""
    return isinstance(number, dict) and all(isinstance(number.get(end), date) for end in ("low", "high"))


def _value(value: Any, table: Mapping[str, Any]) -> Any:
    """The category of an attribute that a written value means: true is yes where its values are called so."""
    label, labels = _label(value), labels_of(table)
    if not isinstance(label, str) or label in labels:
        return label
    same = next((names for names in (YES, NO) if label.lower() in names), ())
    return next((name for name in same if name in labels), value)


def read_conditions(attributes: Mapping[str, Any]) -> list[SordinoError]:
    """Put the conditions of attributes into their declared form, in their places; what is wrong with them."""
    wrong: list[SordinoError] = []
    for name, table in attributes.items():
        if not isinstance(table, dict) or not isinstance(table.get("only_if"), str | dict):
            continue
        table["only_if"], mistakes = _conditions(f"attribute.{name}", table["only_if"], attributes)
        wrong += mistakes
        if mistakes:
            # Nothing more is said about what depends on it.
            del table["only_if"]
            table.pop("not_asked", None)
        elif "number" in table and "missing" not in table and "not_asked" not in table:
            _expect_unasked(table, attributes)
    return wrong


def _conditions(where: str, given: Any, attributes: Mapping[str, Any]) -> tuple[Any, list[SordinoError]]:
    """A condition as `only_if` declares it, attributes with their categories; and what is wrong with it."""

    def table_of(name: str) -> Mapping[str, Any]:
        table = attributes.get(name)
        return table if isinstance(table, dict) else {}

    if isinstance(given, dict):
        listed = {name: own if isinstance(own, list) else [own] for name, own in given.items()}
        read = {name: [_value(each, table_of(name)) for each in own] for name, own in listed.items()}
        return {name: own if isinstance(given[name], list) else own[0] for name, own in read.items()}, []
    whole = CONDITION.fullmatch(given)
    whole = None if whole is not None and whole["sign"] in NOT else whole
    known = whole and _value(whole["value"].strip("'\""), table_of(whole["name"])) in labels_of(table_of(whole["name"]))
    read = {}
    for part in [given] if known else AND.split(given):
        found = CONDITION.fullmatch(part)
        name = part.strip() if found is None else found["name"]
        if found is None and name in attributes:
            read[name] = _value(True, table_of(name))
        elif found is not None and " or " not in part and not found["name"].endswith(("<", ">")):
            texts = found["value"].strip("[]").split(",") if found["value"].startswith("[") else [found["value"]]
            values = [_value(text.strip().strip("'\""), table_of(name)) for text in texts]
            if found["sign"] in NOT and {*values} <= {*labels_of(table_of(name))}:
                values = [label for label in labels_of(table_of(name)) if label not in values]
            if name in read:
                before = read[name] if isinstance(read[name], list) else [read[name]]
                values = [value for value in before if value in values]
            read[name] = values[0] if len(values) == 1 else values
        else:
            rule = f"{where}.only_if must say which category an attribute has"
            step = 'write only_if = "smoker = yes", or only_if = { smoker = ["yes", "sometimes"] }'
            return None, [SordinoError(rule, found=shown(given), step=step)]
    return read, []


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


def labels_of(table: Mapping[str, Any]) -> Sequence[Any]:
    labels = table.get("categories")
    return labels if isinstance(labels, list) else ()


class SpelledAttribute:
    """One attribute while its spellings are read.

    Attributes:
        where: it stands.
        table: its settings.
        mistakes: in them.
        is_scale: whether its numbers are whole ones, each with a bin.
        is_public: whether it is sent in clear.
        is_private: whether it is said not to be.
        is_sensitive: whether it is said to be.
        is_partly_sensitive: whether values of it are named as such, beside the attribute's other settings.
        skipped: the category of whoever leaves it out, which the survey does not name; empty without one.
    """

    def __init__(self, where: str, table: dict[str, Any]) -> None:
        self.where, self.table = where, table
        self.mistakes: list[SordinoError] = []
        self.is_scale = self.is_public = self.is_private = self.is_sensitive = self.is_partly_sensitive = False
        self.skipped = ""

    def read(self) -> None:
        """Put all settings into their declared form."""
        table = self.table
        rename_settings(f"{self.where}.", table, ATTRIBUTE_WORDS, self.mistakes)
        for step in (self._type, self._yes_no, self._most, self._ends, self._dates, self._scale, self._stops):
            step()
        for step in (self._categories, self._several, self._unknown, self._optional, self._protect, self._sensitive):
            step()
        for step in (self._visibility, self._public, self._epsilon):
            step()

    def _wrong(self, setting: str, rule: str, step: str, unread: str = "") -> None:
        """Note a mistake, and take the setting away.

        Args:
            setting: that is wrong.
            rule: for it.
            step: with the line to write.
            unread: what the attribute is, of whose values nothing more is said; empty if they are known.
        """
        found = shown(self.table.pop(setting))
        self.mistakes.append(SordinoError(f"{self.where}.{setting} {rule}", found=found, step=step))
        if unread:
            self.table = {name: own for name, own in self.table.items() if name not in OF_VALUES}
            self.table.update(UNREAD[unread])

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
        if table.get("several") and "number" not in table and type(table.get("max")) is int:
            table["most"] = table.pop("max")
        if "most" in table and table.get("several", True) is not True:
            self._wrong("most", "must not stand beside another `several`", "leave one of both out")
        elif "most" in table:
            table["several"] = table.pop("most")

    def _ends(self) -> None:
        """A number as a pair of ends, with other words for them, or with its ends beside it."""
        table = self.table
        for setting in [name for name in ("number", "scale", "integer", "dates") if name in table]:
            given = table[setting]
            if isinstance(given, list) and len(given) == 2:
                table[setting] = dict(zip(("low", "high"), given, strict=True))
            elif isinstance(given, dict):
                table[setting] = dict(given)
                rename_settings(f"{self.where}.{setting}.", table[setting], END_WORDS, self.mistakes)
            elif setting in ("number", "dates") and (given is not True or not {*ENDS} & table.keys()):
                step = f"write {self.EXAMPLES[setting]}: the least and the largest"
                self._wrong(setting, "must have two ends", step, "number")
                return
        beside = {end: table.pop(end) for end in (*ENDS, "bins") if end in table}
        if beside:
            setting = next((name for name in ("scale", "integer", "dates") if name in table), "number")
            rename_settings(f"{self.where}.", beside, END_WORDS, self.mistakes)
            given = table.get(setting)
            own: dict[Any, Any] = given if isinstance(given, dict) else {}
            for word in own.keys() & beside.keys():
                rule = f"{self.where}.{setting}.{word} must be said once"
                self.mistakes.append(SordinoError(rule, found=f"{word} beside it", step=f"leave {word} out there"))
            table[setting] = own | beside
        for setting in ("number", "dates"):
            number = table.get(setting)
            if isinstance(number, dict):
                # A list of bins is their edges, which go from the least number to the largest.
                edges = number.pop("bins") if isinstance(number.get("bins"), list) else number.get("edges")
                if isinstance(edges, list) and edges and "bins" not in number:
                    table[setting] = {"low": edges[0], "high": edges[-1], "edges": edges, **number}

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
        try:
            dates |= {"edges": edges_by(steps[0], dates["low"], dates["high"])} if steps else {}
        except SordinoError as error:
            self.mistakes.append(SordinoError(f"{self.where}: {error.rule}", found=error.found, step=error.step))

    def _scale(self) -> None:
        """A whole-number scale: bins from half to half, and a slider that stops at its values."""
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
            step = "write what they mean into help"
            rule = f"{self.where}.{setting} must have no labels: people read its numbers"
            self.mistakes.append(SordinoError(rule, found=shown(given["labels"]), step=step))
            given = {word: own for word, own in given.items() if word != "labels"}
        if high - low < MOST_STOPS:
            self.is_scale = True
            given = {**given, "low": low - HALF, "high": high + HALF, "bins": high - low + 1}
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

    def _stops(self) -> None:
        """A step is that of a slider."""
        number = self.table.get("number")
        if "step" in self.table and isinstance(number, dict) and isinstance(number.get("low"), int | float):
            self.table.setdefault("input", "slider")

    def _categories(self) -> None:
        """Numbers, true and false by their names; tables of a value and its label, or its labels by language."""
        given = self.table.get("categories")
        by_label = given if isinstance(given, dict) and not {"file", "labels"} & {*given, *self.table} else {}
        if len(by_label) > 1 and all(map(_is_text, by_label.values())):
            self.table["labels"], given = by_label, [*by_label]
        if not isinstance(given, list):
            return
        if given and "labels" not in self.table and all(map(_is_labelled, given)):
            said = {_label(one["value"]): {key: own for key, own in one.items() if key != "value"} for one in given}
            labels = {name: own.get("label", own) for name, own in said.items() if own}
            self.table |= {"labels": labels} if labels else {}
            given = [one["value"] for one in given]
        self.table["categories"] = [*map(_label, given)]

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
            self.table["several"] = len(self.table["categories"])

    def _unknown(self) -> None:
        """An only list under an unknown word means the values: names, or the ends of a number."""
        known = {*AttributeTable.settings_table(), *ATTRIBUTE_SPELLINGS}
        lists = [word for word in self.table.keys() - known if isinstance(self.table[word], list) and self.table[word]]
        if len(lists) != 1 or {"categories", "number", "grid"} & self.table.keys():
            return
        given = self.table[lists[0]]
        kind = "number" if len(given) == 2 and all(isinstance(one, int | float) for one in given) else "categories"
        self._wrong(lists[0], "must be a known setting", f"write {kind} = {shown(given)}", kind)

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

    def _protect(self) -> None:
        """What stands in a protection and says that there is none, or how far values lie apart."""
        if self.table.get("protect") == "public":
            self.table["protect"] = {"public": True}
        given = self.table.get("protect")
        if not isinstance(given, dict) or not {*PROTECT_SPELLINGS, "sensitive"} & given.keys():
            return
        protect = self.table["protect"] = dict(given)
        if isinstance(shows := protect.get("public"), list):
            others = ", ".join(f'"{label}"' for label in labels_of(self.table) if label not in shows)
            step = f"write protect = {{ sensitive = [{others}] }}: the others can show"
            place = f"{self.where}.protect.public"
            self.mistakes.append(SordinoError(f"{place} must be true", found=shown(protect.pop("public")), step=step))
        if "public" in protect and self.table.setdefault("public", protect["public"]) is not protect["public"]:
            self._wrong("public", "must be said once", "leave it out here, or in protect")
        protect.pop("public", None)
        if protect.get("sensitive") is True or protect.get("sensitive") in ALL:
            del protect["sensitive"]
            self.is_sensitive = True
        if "distance" in protect:
            self._distance(protect)
        if not protect:
            del self.table["protect"]

    def _distance(self, protect: dict[Any, Any]) -> None:
        """A distance at which two values are protected by epsilon is that of a metric, where values have one."""
        given, rule = protect.pop("distance"), ""
        if "metric" in protect:
            rule, step = "must be said once: metric means the same", "leave distance out"
        elif "number" in self.table:
            rule = "must not be of a number, whose values are all protected from each other alike"
            step = (
                "leave distance out; or, to protect near values more than far ones, ask for ranges: write"
                ' categories = ["0 to 999", "1000 to 1999", "2000 or more"] and protect = { metric = [0, 1, 2] }'
            )
        else:
            protect["metric"] = given if isinstance(given, list) else {"per": given}
        if rule:
            where = f"{self.where}.protect.distance"
            self.mistakes.append(SordinoError(f"{where} {rule}", found=shown(given), step=step))

    def _sensitive(self) -> None:
        """Sensitive values beside those of the attribute: a list of them, never one word, which could mean all."""
        if self.table.get("protect") in (True, *ALL):
            # All its values alike, as they are without it.
            del self.table["protect"]
            self.is_sensitive = True
        elif "protect" in self.table and not isinstance(self.table["protect"], dict):
            step = "leave it out to protect all its values alike, or write public = true to send it in clear"
            self._wrong("protect", "must be a table", step)
        protect, labels = self.table.get("protect"), labels_of(self.table)
        own = dict(protect) if isinstance(protect, dict) else {}
        self.is_sensitive |= "sensitive" in self.table and self.table["sensitive"] is not False
        if "sensitive" in self.table and "protect" in self.table and (own != protect or "sensitive" in own):
            self._wrong("sensitive", "must be said once", "leave out `sensitive`, or `protect`")
        elif "sensitive" in self.table:
            given = self.table["sensitive"]
            names = {*map(_label, given)} if isinstance(given, list) and labels else set()
            if isinstance(given, bool) or given in ALL or (names and names >= {*labels} - {self.skipped}):
                # All its values alike, as they are without it; what need not be protected is public.
                del self.table["sensitive"]
            elif not isinstance(given, list):
                one = _label(given) if isinstance(given, str | int | float) else "yes"
                step = (
                    "write sensitive = true to protect all its values alike, or"
                    f' sensitive = ["{one}"] to protect this value alone: the others can then show'
                )
                self._wrong("sensitive", "must be true, or a list of the values that are sensitive", step)
            else:
                own["sensitive"] = self.table.pop("sensitive")
                self.is_partly_sensitive = True
        if isinstance(own.get("sensitive"), list):
            listed = [name if (name := _label(one)) in labels else one for one in own["sensitive"]]
            own["sensitive"] = (
                [*listed, self.skipped] if self.skipped and listed and self.skipped not in listed else listed
            )
        if own:
            self.table["protect"] = own

    def _visibility(self) -> None:
        given = self.table.get("visibility")
        if given == "public" and "public" not in self.table:
            del self.table["visibility"]
            self.table["public"] = True
        elif isinstance(given, str) and given in SECRET and self.is_partly_sensitive:
            step = "leave visibility out, or write sensitive = true"
            self._wrong("visibility", "must not stand beside values that alone are sensitive", step)
        elif isinstance(given, str) and given in SECRET:
            del self.table["visibility"]
            self.is_sensitive = True
        elif "visibility" in self.table:
            step = "leave it out to protect all its values, or write public = true to send it in clear"
            self._wrong("visibility", 'must be "public" or "private"', step)

    def _public(self) -> None:
        given = self.table.get("public")
        if given is not None and not isinstance(given, bool):
            self._wrong("public", "must be true or false", "write public = true to send it in clear with each report")
        self.is_private = given is False
        self.is_public = self.table.pop("public", False)

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

    def _epsilon(self) -> None:
        """An epsilon of its own is a protection."""
        protect = self.table.get("protect", {})
        if "epsilon" not in self.table or not isinstance(protect, dict):
            return
        if "epsilon" in protect:
            self._wrong("epsilon", "must be said once", "leave out `epsilon`, or that of `protect`")
        else:
            self.table["protect"] = {**protect, "epsilon": self.table.pop("epsilon")}


def _is_recommending(scale: Any) -> bool:
    """Whether a scale, as it is written, is that of a question of type `nps`."""
    if isinstance(scale, dict):
        ends = {END_WORDS.get(word, word): value for word, value in scale.items()}
        scale = [ends.get("low"), ends.get("high")]
    return scale is True or scale in (RECOMMENDING, [*range(RECOMMENDING[0], RECOMMENDING[1] + 1)])
