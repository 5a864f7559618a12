"""The texts of a survey file for people, each once or by language, and what is wrong with them, whatever else is."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from sordino.document.checked_tables import is_list_of
from sordino.document.schema.nearest import nearest
from sordino.domain.choices import NONE
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.schema.questionnaire_part import LANGUAGE, MISSING

DEFAULT = "en"
"""The language of texts that name none."""

OF_ABOUT = ("title", "by", "purpose", "contact", "reports")
OF_SECTION = ("title", "text")
OF_ATTRIBUTE = ("text", "help", "unit")

ASKED = ("attribute", "public")
"""The tables of what people are asked for, by name."""


def texts_of(tables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each text of a survey's tables: where it stands, and what stands there."""
    about = _table(tables.get("about"))
    yield from _texts_of("about", about, OF_ABOUT)
    yield from _texts_of("about.consent", _table(about.get("consent")), ("text",))
    for i, section in enumerate(_list(tables.get("section"))):
        yield from _texts_of(f"section.{i}", _table(section), OF_SECTION)
    for where, table in _asked_tables(tables):
        yield from _texts_of(where, table, OF_ATTRIBUTE)
        labels = _table(table.get("labels"))
        yield from _texts_of(f"{where}.labels", labels, tuple(labels))


def languages_of(tables: Mapping[str, Any]) -> list[str]:
    """The languages of a survey: those that it declares, otherwise those that its texts name, in their order."""
    declared = _table(tables.get("about")).get("languages")
    if is_list_of(declared, str) and declared:
        return list(declared)
    named = dict.fromkeys(language for _, text in texts_of(tables) if isinstance(text, dict) for language in text)
    return [*named] or [DEFAULT]


def wrong_texts(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    """Texts that are none, or lack a language of the survey; languages, labels, sections and a date that do not fit."""
    wrong = list(_wrong_languages(tables))
    yield from wrong
    # Which languages a text lacks is not known while some are none.
    languages = [] if wrong else languages_of(tables)
    for where, text in texts_of(tables):
        yield from _wrong_text(where, text, languages)
    yield from _wrong_labels(tables)
    yield from _wrong_sections(tables)
    until = _table(tables.get("about")).get("until")
    if until is not None and (not isinstance(until, date) or isinstance(until, datetime)):
        yield SordinoError("about.until must be a date", found=shown(until), step="write until = 2026-12-31")


def _wrong_languages(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    declared = _table(tables.get("about")).get("languages")
    if declared is not None and not (is_list_of(declared, str) and declared and len(set(declared)) == len(declared)):
        step = 'write languages = ["en", "de"], the default first'
        yield SordinoError("about.languages must be a list, each language once", found=shown(declared), step=step)
        return
    wrong = [language for language in languages_of(tables) if not LANGUAGE.fullmatch(language)]
    if wrong:
        step = 'write a text once, or by language: { en = "...", de = "..." }'
        yield SordinoError("a language must be a code of BCP 47, as en or pt-BR", found=shown(wrong[0]), step=step)


def _wrong_text(where: str, text: Any, languages: list[str]) -> Iterator[SordinoError]:
    if isinstance(text, str):
        if not text.strip():
            yield SordinoError(f"{where} must be a text", found="an empty one", step="write it, or leave it out")
        return
    if not isinstance(text, dict) or not text:
        step = 'write it in quotes, or by language: { en = "...", de = "..." }'
        yield SordinoError(f"{where} must be a text", found=shown(text), step=step)
        return
    for language, own in text.items():
        if not isinstance(own, str) or not own.strip():
            found = "an empty one" if isinstance(own, str) else shown(own)
            yield SordinoError(f"{where}.{language} must be a text", found=found, step="write it in quotes")
    if missing := [language for language in languages if language not in text]:
        found = f"none in {_quoted_list(missing)}"
        rule = f"{where} must be in each language of the survey"
        yield SordinoError(rule, found=found, step="write it, or write it once for all languages")
    if foreign := [language for language in text if languages and language not in languages]:
        found = _quoted_list(foreign) + nearest(foreign, languages)
        step = "add it to about.languages, or take it out"
        yield SordinoError(f"{where} must be in the languages of the survey", found=found, step=step)


def _wrong_labels(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    for name, table in _asked_tables(tables):
        labels = table.get("labels")
        if labels is None:
            continue
        where = f"{name}.labels"
        if not isinstance(labels, dict) or not labels:
            step = 'write labels = { yes = "Yes", no = "No" }'
            yield SordinoError(f"{where} must be a table of values", found=shown(labels), step=step)
            continue
        known = _label_names(table)
        if known is None:
            continue
        for label in labels:
            if label not in known:
                found = repr(label) + nearest([label], list(known))
                owner = "public column" if name.startswith("public.") else "attribute"
                yield SordinoError(f"{where} must name values of the {owner}", found=found, step=_label_step(table))


def _label_names(attribute: Mapping[str, Any]) -> Mapping[str, None] | None:
    """What can have a label; None where the attribute's values are wrong themselves."""
    categories: Any = attribute.get("categories")
    if is_list_of(categories, str):
        none = [str(attribute.get("none", NONE))] if "several" in attribute else []
        return dict.fromkeys([*categories, *none])
    if type(categories) is int:
        return {str(value): None for value in range(min(categories, 1 << 12))}
    if "number" in attribute:
        return {MISSING: None} if "missing" in attribute else {}
    return {} if "grid" in attribute else None


def _label_step(attribute: Mapping[str, Any]) -> str:
    if "number" in attribute:
        return 'a number that may be missing has one label: labels = { missing = "I have none" }'
    return "only categories have labels" if "grid" in attribute else "write them as categories does"


def _wrong_sections(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    asked = [name for kind in ASKED for name in _table(tables.get(kind))]
    first: dict[str, int] = {}
    for i, section in enumerate(_list(tables.get("section"))):
        names: Any = _table(section).get("attributes")
        for name in names if is_list_of(names, str) else ():
            where = f"section.{i}.attributes"
            if asked and name not in asked:
                found = repr(name) + nearest([name], asked)
                step = "write its name as [attribute.NAME] or [public.NAME] does"
                rule = f"{where} must name attributes or public columns of the survey"
                yield SordinoError(rule, found=found, step=step)
            elif name in first:
                found = f"{name!r}, which section.{first[name]} has"
                yield SordinoError(f"{where} must name each attribute once", found=found, step="take it out of one")
            first.setdefault(name, i)


def _asked_tables(tables: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for kind in ASKED:
        yield from ((f"{kind}.{name}", _table(table)) for name, table in _table(tables.get(kind)).items())


def _table(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _texts_of(where: str, table: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    return ((f"{where}.{name}", table[name]) for name in names if table.get(name) is not None)


def _quoted_list(names: list[str]) -> str:
    return ", ".join(map(repr, names))
