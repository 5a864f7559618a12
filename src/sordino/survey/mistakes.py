"""What is wrong with a survey's tables, in our words: path, rule, found value, the nearest right name."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.brief import shown
from sordino.survey.ask import AskTable, RegressionTable, named_attributes
from sordino.survey.attribute import AttributeTable, GridTable, NumberTable
from sordino.survey.columns import columns_of, shared_columns
from sordino.survey.dependence import DependenceTable
from sordino.survey.parts import Part
from sordino.survey.protect import ProtectTable, is_list_of, nearest

TABLES: Mapping[tuple[str, ...], type[Part]] = {
    ("ask",): AskTable,
    ("ask", "regression"): RegressionTable,
    ("attribute",): AttributeTable,
    ("attribute", "grid"): GridTable,
    ("attribute", "number"): NumberTable,
    ("attribute", "protect"): ProtectTable,
    ("dependence",): DependenceTable,
}
"""The tables of a survey, by their path without numbers and attributes' names."""


def all_mistakes(survey: type[Part], tables: dict[str, Any], error: ValidationError) -> list[SordinoError]:
    """All that is wrong with the tables: first the unknown settings, then what these hid."""
    known = deepcopy(tables)
    unknown = [details for details in error.errors() if details["type"] == "extra_forbidden"]
    for details in unknown:
        *path, name = details["loc"]
        table: Any = known
        for part in path:
            table = table[part]
        table.pop(name, None)
    rest = error.errors()
    if unknown:
        try:
            survey.model_validate(known)
            rest = []
        except ValidationError as hidden:
            rest = hidden.errors()
    return [mistake for details in (*unknown, *rest) for mistake in in_our_words(survey, details)]


def wrong_names(tables: dict[str, Any], mistakes: Sequence[SordinoError] = ()) -> Iterator[SordinoError]:
    """Questions name attributes, each histogram once, and each attribute is asked for, whatever else is wrong.

    Args:
        tables: of the survey, unchecked.
        mistakes: that are known already: a wrong question may be the one that asks for an attribute.
    """
    attributes, asks = tables.get("attribute"), tables.get("ask")
    if not isinstance(attributes, dict) or not isinstance(asks, list):
        return
    named = list(named_attributes(asks))
    histograms: set[str] = set()
    for where, kind, name in named:
        if name not in attributes:
            found = repr(name) + nearest([name], list(attributes))
            yield SordinoError(f"{where} must name an attribute of the survey", found=found)
        elif kind == "histogram" and name in histograms:
            step = "ask it once, with a larger weight"
            yield SordinoError(f"{where} must name an attribute once", found=f"{name!r} again", step=step)
        if kind == "histogram":
            histograms.add(name)
    asked = {name for _, _, name in named}
    if any(mistake.rule.startswith("ask.") for mistake in mistakes):
        return
    if not asked <= set(attributes) or len({where.split(".")[1] for where, _, _ in named}) < len(asks):
        # A question about a misspelt attribute is one mistake, not two.
        return
    for name, attribute in attributes.items():
        if name not in asked and not (isinstance(attribute, dict) and "delta" in attribute):
            step = "add an [[ask]], give it a delta to be protected from the other questions, or take it out"
            yield SordinoError(f"attribute.{name} must be asked", found="no question about it", step=step)


def wrong_columns(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """Attributes that read the same column cannot be independent, whatever is declared of them."""
    attributes = tables.get("attribute")
    if not isinstance(attributes, dict):
        return
    columns = {}
    for name, attribute in attributes.items():
        given = attribute.get("column") if isinstance(attribute, dict) else None
        if isinstance(attribute, dict) and (given is None or isinstance(given, str) or is_list_of(given, str)):
            columns[name] = columns_of(str(name), given, grid="grid" in attribute)
    for first, second, column in shared_columns(columns):
        yield SordinoError(
            f"attribute.{second} must read a column of its own (case does not count)",
            found=f"{column!r}, which attribute.{first} reads",
            step="take one of them out, or set `column`",
        )


def wrong_epsilon(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """An attribute without an epsilon of its own needs the survey's."""
    attributes = tables.get("attribute")
    if "epsilon" in tables or not isinstance(attributes, dict):
        return
    for attribute in attributes.values():
        if isinstance(attribute, dict) and {"number", "delta"} & set(attribute):
            step = 'write epsilon = "2": no report tells more of a whole record, whatever is believed'
            yield SordinoError("epsilon must be given", step=step)
            return
        protect = attribute.get("protect") if isinstance(attribute, dict) else None
        if not isinstance(protect, dict) or not ({"epsilon", "matrix"} & set(protect)):
            yield SordinoError("epsilon must be given", step='write epsilon = "1", or give each attribute its own')
            return


def in_our_words(survey: type[Part], details: ErrorDetails) -> list[SordinoError]:
    """One of pydantic's findings: path, rule, found value, nearest right name."""
    raw = details["loc"]
    path = ".".join(str(part) for part in raw)
    original = details.get("ctx", {}).get("error")
    if isinstance(original, SordinoError):
        several = original.errors if isinstance(original, SordinoErrors) else [original]
        where = f"{path}: " if path else ""
        return [SordinoError(f"{where}{error.rule}", found=error.found, step=error.step) for error in several]
    if details["type"] == "extra_forbidden":
        known = _settings(survey, raw[:-1])
        hint = nearest([str(raw[-1])], known)
        return [SordinoError(f"{path} must be a known setting" + hint, step=f"known here are {', '.join(known)}")]
    if details["type"] == "missing":
        return [SordinoError(f"{path} must be given", step="write version = 1" if raw == ("version",) else "")]
    if details["type"] == "too_short":
        return [SordinoError(f"{path} must not be empty")]
    rule = details["msg"].replace("Input should", "must").replace("valid ", "").replace("dictionary", "table")
    rule = rule.replace("a integer", "a whole number").replace("a boolean", "true or false")
    rule = rule.split(" or instance of")[0]
    # One question alone is still one of a list.
    step = "write [[ask]] in double brackets" if raw == ("ask",) and isinstance(details["input"], dict) else ""
    return [SordinoError(f"{path} {rule[0].lower()}{rule[1:]}", found=shown(details["input"]), step=step)]


def _settings(survey: type[Part], path: Sequence[int | str]) -> list[str]:
    """The settings of the table at a path."""
    table = TABLES.get(tuple(part for part in path if isinstance(part, str) and part not in _names(path)), survey)
    return list(table.model_fields)


def _names(path: Sequence[int | str]) -> set[int | str]:
    """The parts of a path that the survey's author chose: attributes."""
    return set(path[1:2]) if path and path[0] == "attribute" else set()
