"""Natural spellings of a survey, read into the form that its settings declare.

title = "Customers"                                     # [about] title
[attribute.recommend]
question = "Would you recommend us?"                    # text
scale = [0, 10]                                         # number = { low = -0.5, high = 10.5, bins = 11 }
[attribute.region]
options = ["north", "south"]
public = true                                           # [public.region]
[[ask]]
histogram = "recommend"                                 # distribution
ranges = [[0, 6], [9, 10]]                              # [[-0.5, 6.5], [8.5, 10.5]]
by = "region"                                           # nothing to ask: every report shows it

A survey that is spelled so is the declared one: its plan is the same, byte for byte. What is said twice, or cannot be
meant, is a mistake with the line to write. Whatever else is wrong is left for whoever checks the declared tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.ask_table import WORDS
from sordino.survey.reading.declared_tables import DeclaredTables, rename_settings
from sordino.survey.reading.spelled_attribute import VALUES, SpelledAttribute, read_conditions
from sordino.survey.reading.spelled_protection import labels_of
from sordino.survey.reading.spelled_questions import (
    ASK_WORDS,
    SpelledQuestions,
    asked_words,
    place_bins,
    plan_note,
    take_question,
)
from sordino.survey.schema.own_columns import POSITION

VERSION = 1
"""Of a survey that names none."""

SURVEY_WORDS = {"attributes": "attribute", "variables": "attribute", "questions": "ask"}
"""Words for a survey's tables, each with the declared one."""

ABOUT_WORDS = {
    **{name: name for name in ("title", "purpose", "contact", "reports", "until", "languages", "consent")},
    "name": "title",
    "description": "purpose",
    "language": "languages",
    "asked": "ask",
}
"""Words at the top of a survey that stand in `about`, each with the declared one."""

PROMISES = ("promise", "privacy", "notice", "statement")
"""Words at the top of a survey for what people are told before they answer."""

TOTALS_WORDS = {"population": "totals", "totals": "totals", "weights": "weights"}
"""Tables at the top of a survey of how many people public columns have, each with the setting of these."""

PLAN_WORDS = {
    **dict.fromkeys(("people", "population", "respondents", "participants", "sample_size"), "people"),
    "accuracy": "accuracy",
}
"""Numbers at the top of a survey that a plan is made with, each with the argument."""

DESCRIBED = ("question", "questions", "item", "items")
"""Tables that are attributes where they are described in them, and questions where they name one."""


def declared_tables(given: Mapping[str, Any]) -> DeclaredTables:
    """A survey's tables in their declared form, as far as they can be read.

    Args:
        given: as TOML gives them, unchecked; they are left as they are.
    """
    read = DeclaredTables(dict(given))
    tables = read.tables
    if isinstance(given.get("survey"), dict):
        # A table around all of it says nothing.
        del tables["survey"]
        for word in given["survey"].keys() & tables.keys():
            step = f"write {word} in one of both"
            read.mistakes.append(SordinoError(f"{word} must be said once", found=f"survey.{word} too", step=step))
        tables = read.tables = {**given["survey"], **tables}
        given = tables
    for word in [word for word in DESCRIBED if describes(given.get(word))]:
        rename_settings("", tables, {word: "attribute"}, read.mistakes)
    if isinstance(tables.get("ask"), str):
        tables["asked"] = tables.pop("ask")
    rename_settings("", tables, SURVEY_WORDS, read.mistakes)
    tables.setdefault("version", VERSION)
    _leave_plan_words(read)
    _read_about(read)
    attributes = tables.get("attribute")
    if isinstance(attributes, list) and attributes and all(isinstance(one, dict) for one in attributes):
        attributes = name_attributes(attributes, read.mistakes)
    if not isinstance(attributes, dict):
        return read
    if isinstance(tables.get("ask"), dict):
        tables["ask"] = [tables["ask"]]
    is_listed = isinstance(tables.get("ask"), list)
    own = _read_attributes(read, place_bins(read, attributes) if is_listed else attributes)
    if is_listed or ("ask" not in tables and tables["attribute"]):
        SpelledQuestions(read, own).read_all()
    return read


def _leave_plan_words(read: DeclaredTables) -> None:
    for word, argument in PLAN_WORDS.items():
        if isinstance(read.tables.get(word), int | float | str):
            read.notes.append(plan_note(word, read.tables.pop(word), argument))


def describes(given: Any) -> bool:
    """Whether tables describe attributes: [question.smoker], or [[question]] with values and no word of a question."""
    if isinstance(given, dict):
        return True
    asked = {*WORDS, *ASK_WORDS}
    return (
        isinstance(given, list)
        and bool(given)
        and all(
            isinstance(one, dict) and {"id", "name", "key", *VALUES} & one.keys() and not asked & one.keys()
            for one in given
        )
    )


def name_attributes(given: Sequence[dict[Any, Any]], mistakes: list[SordinoError]) -> dict[Any, Any]:
    """Attributes of a list by their names, or by their numbers."""
    named: dict[Any, Any] = {}
    for i, one in enumerate(given, 1):
        table = dict(one)
        names = [table.pop(word) for word in ("name", "key", "id") if isinstance(table.get(word), str)]
        name = names[0] if names else f"q{i}"
        for _ in names[1:]:
            rule = f"attribute.{name} must have one name"
            mistakes.append(
                SordinoError(rule, found=shown(names[1:]), step="leave all but one of name, key and id out")
            )
        if name in named:
            rule = f"attribute.{name} must be described once"
            mistakes.append(SordinoError(rule, found="two of one name", step="give one of them another name"))
        else:
            named[name] = table
    return named


def _read_about(read: DeclaredTables) -> None:
    tables = read.tables
    for word in [word for word in PROMISES if isinstance(tables.get(word), str | dict)]:
        step = 'write consent = "...", which people read and agree to before they answer'
        rule = f"{word} must be the text of a consent"
        read.mistakes.append(SordinoError(rule, found=shown(tables.pop(word)), step=step))
    about = dict(tables["about"]) if isinstance(tables.get("about"), dict) else {}
    if "about" in tables and not isinstance(tables["about"], dict):
        return
    for word, name in ABOUT_WORDS.items():
        if word not in tables:
            continue
        value = tables.pop(word)
        if name in about:
            rule, found = f"about.{name} must be said once: {word} means the same", f"about.{name} and {word}"
            read.mistakes.append(SordinoError(rule, found=found, step=f"leave {word} out"))
        else:
            about[name] = value
    if "language" in about:
        rename_settings("about.", about, {"language": "languages"}, read.mistakes)
    if isinstance(about.get("languages"), str):
        about["languages"] = [about["languages"]]
    consent = about.get("consent")
    if isinstance(consent, str) or (isinstance(consent, dict) and consent and "text" not in consent):
        about["consent"] = {"text": consent}
    if about or "about" in tables:
        tables["about"] = about


def _read_attributes(read: DeclaredTables, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Put attributes and public columns into their declared form; what is asked at them, by their names."""
    given = read.tables.get("public", {})
    if isinstance(given, str):
        given = [given]
    named = {name for name in given if isinstance(name, str)} if isinstance(given, list) else set()
    listed: dict[str, Any] = given if isinstance(given, dict) else {}
    declared: dict[str, Any] = {}
    public: dict[str, Any] = {}
    asked: dict[str, Any] = {}
    words = asked_words(read.tables.get("ask"), {**listed, **attributes})
    about = read.tables.get("about")
    languages = about.get("languages") if isinstance(about, dict) else None
    languages = languages if isinstance(languages, list) else []
    for kind, tables in (("public", listed), ("attribute", attributes)):
        for name, table in tables.items():
            settings = dict(table) if isinstance(table, dict) else {}
            asked[name] = take_question(settings)
            one = SpelledAttribute(f"{kind}.{name}", settings, words.get(name, ()), languages)
            one.read()
            in_clear = kind == "public" or ((one.is_public or name in named) and name not in listed)
            if in_clear and one.is_private:
                rule = f"{kind}.{name} must not be both public and not public"
                step = "leave public out to protect it"
                read.mistakes.append(SordinoError(rule, found="public = false", step=step))
            if in_clear and one.is_sensitive:
                rule = f"{kind}.{name} must not be both sensitive and public: what is public is sent in clear"
                step = "leave public out to protect it"
                read.mistakes.append(SordinoError(rule, found="sensitive = true", step=step))
            if in_clear:
                one.declare_public()
                read.moved |= {name} if kind == "attribute" else set()
            else:
                one.declare_protected()
            read.mistakes += one.mistakes
            read.notes += one.notes
            (public if in_clear else declared)[name] = one.table if isinstance(table, dict) else table
            read.scales |= {name} if one.is_scale else set()
    read_conditions(read, declared, public)
    _read_positions(read, declared)
    _read_totals(read, public)
    read.tables["attribute"] = declared
    is_known = isinstance(given, dict | list) and all(isinstance(name, str) for name in given)
    if is_known and named <= public.keys() and (public or "public" in read.tables):
        read.tables["public"] = public
    return asked


def _read_positions(read: DeclaredTables, attributes: dict[str, Any]) -> None:
    """Two maps cannot read the same position: each reads columns with its name."""
    maps = {name: own for name, own in attributes.items() if isinstance(own, dict) and "grid" in own}
    unnamed = [name for name, own in maps.items() if "column" not in own]
    if len(unnamed) > 1:
        for name in unnamed:
            maps[name]["column"] = [f"{name}_{part}" for part in POSITION]
        listed = "; ".join(f"attribute.{name} has column = {shown(maps[name]['column'])}" for name in unnamed)
        read.notes.append(f"Each map reads a position of its own: {listed}.")


def _read_totals(read: DeclaredTables, public: dict[str, Any]) -> None:
    """Put how many people public columns have into these: a table for each, or one whose categories one column has."""
    for word in [word for word in TOTALS_WORDS if word in read.tables]:
        setting, given = TOTALS_WORDS[word], read.tables.pop(word)
        tables = given if isinstance(given, dict) else {}
        known = {name: labels_of(own) for name, own in public.items() if isinstance(own, dict)}
        fitting = [name for name, labels in known.items() if tables and all(label in labels for label in tables)]
        tables = {fitting[0]: tables} if len(fitting) == 1 else tables
        if not tables or not tables.keys() <= known.keys():
            step = f"write {setting} = {{ north = 12000, south = 8000 }} at [attribute.region] with public = true"
            step += ", or leave it out and give a file of totals to `sordino.estimate` (`totals`)"
            rule = f"{word} must be a table of numbers by category for each public column"
            read.mistakes.append(SordinoError(rule, found=shown(given), step=step))
            continue
        for name, own in tables.items():
            if setting in public[name]:
                rule, step = f"{word}.{name} must be said once", f"leave it out there, or at public.{name}"
                read.mistakes.append(SordinoError(rule, found=f"{setting} of the column", step=step))
            public[name] = {**public[name], setting: own}
