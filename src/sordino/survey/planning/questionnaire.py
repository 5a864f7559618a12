"""A survey's words for people as a plan holds them: all attributes in their order, texts once or in each language."""

from typing import Any

from sordino.survey.attributes.attribute import AttributeTable
from sordino.survey.attributes.public_table import PublicTable
from sordino.survey.attributes.wording import slider_step
from sordino.survey.reading.schema import Survey
from sordino.survey.reading.texts import OF_ABOUT, languages_of

WORDED = {"about", "section", "attribute", "public"}
"""The tables of a survey that have texts."""


def questionnaire(survey: Survey) -> dict[str, Any] | None:
    """The words of a survey; None where it has none.

    Args:
        survey: checked.
    """
    wordings = {name: _public_wording(table) for name, table in (survey.public or {}).items()}
    wordings |= {name: _wording_part(table) for name, table in survey.attribute.items()}
    named = {name: words for name, words in wordings.items() if words}
    if survey.about is None and survey.section is None and not named:
        return None
    sections = [section.dump() for section in survey.section or ()]
    listed = {name for section in sections for name in section["attributes"]}
    if rest := [name for name in survey.attribute if name not in listed]:
        sections.append({"attributes": rest})
    words: dict[str, Any] = {"languages": languages_of(survey.dump(include=WORDED))}
    if (about := survey.about) is not None:
        words |= about.dump(include=set(OF_ABOUT))
        words |= {} if about.until is None else {"until": about.until.isoformat()}
        words |= {} if about.consent is None else {"consent": about.consent.text}
    return words | {"sections": sections, "attributes": named}


def _public_wording(table: PublicTable) -> dict[str, Any]:
    """What a public column's table says to people."""
    return table.dump(include={"text", "help", "labels"})


def _wording_part(table: AttributeTable) -> dict[str, Any]:
    """What an attribute's table says to people."""
    words = {name: getattr(table, name) for name in ("text", "help", "labels", "unit")}
    if table.input == "slider":
        words |= {"input": "slider", "step": slider_step(table.step)}
    elif table.input == "date":
        words |= {"input": "date"}
    return {name: own for name, own in words.items() if own is not None}
