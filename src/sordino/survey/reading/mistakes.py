"""What is wrong with a survey beyond each of its tables by itself, told whatever else is wrong."""

from collections.abc import Iterator, Sequence
from typing import Any

from sordino.document.checked_tables import is_list_of
from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.reading.ask_table import named_attributes
from sordino.survey.schema.own_columns import columns_of, shared_columns

FOUND = "or have the least one found: plan it with people and an accuracy"
"""What else can be done where a survey has no epsilon."""


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
    once: set[tuple[AnyKind, str]] = set()
    for where, kind, name in named:
        if name not in attributes:
            yield _unknown_name(where, name, list(attributes), tables.get("public"))
        elif (kind, name) in once:
            step = "ask it once, with a larger weight"
            yield SordinoError(f"{where} must name an attribute once", found=f"{name!r} again", step=step)
        if kind.once:
            once.add((kind, name))
    asked = {name for _, _, name in named}
    tables_of = [table for table in attributes.values() if isinstance(table, dict)]
    deciding = {name for table in tables_of for name in _names_of(table.get("only_if"))}
    if any(mistake.rule.startswith("ask.") for mistake in mistakes):
        return
    if not asked <= set(attributes) or len({where.split(".")[1] for where, _, _ in named}) < len(asks):
        # A question about a misspelt attribute is one mistake, not two.
        return
    for name, attribute in attributes.items():
        if name not in asked | deciding and not (isinstance(attribute, dict) and "delta" in attribute):
            step = "add an [[ask]], give it a delta to be protected from the other questions, or take it out"
            yield SordinoError(f"attribute.{name} must be asked", found="no question about it", step=step)


def _unknown_name(where: str, name: str, attributes: list[str], public: object) -> SordinoError:
    found, step = repr(name) + nearest([name], attributes), "write its name as [attribute.NAME] does, or add it"
    if isinstance(public, dict) and name in public:
        found = f"{name!r}, a public column, which every report shows"
        out = "it out of the features" if where.endswith(".features") else "the question out"
        step = f"leave {out}: `sordino.estimate` has its groups (`by`)"
    return SordinoError(f"{where} must name an attribute of the survey", found=found, step=step)


def _names_of(conditions: object) -> list[str]:
    """The attributes that decide whether one is asked, of settings that nobody has checked."""
    return [name for name in conditions if isinstance(name, str)] if isinstance(conditions, dict) else []


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
            f"attribute.{second} must read a different column (case does not count)",
            found=f"{column!r}, which attribute.{first} reads",
            step="take one of them out, or set `column`",
        )


def wrong_epsilon(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """An attribute without an epsilon of its own needs the survey's."""
    attributes = tables.get("attribute")
    if "epsilon" in tables or not isinstance(attributes, dict):
        return
    tables_of = [attribute for attribute in attributes.values() if isinstance(attribute, dict)]
    by_itself = any("protect" in one for one in tables_of) and not any("delta" in one for one in tables_of)
    for attribute in attributes.values():
        alone = isinstance(attribute, dict) and "number" in attribute and "protect" not in attribute
        if alone or (isinstance(attribute, dict) and "delta" in attribute):
            of_record = "the whole record, whatever is believed"
            most = "the most that a report reveals about "
            most += "an attribute without an epsilon of its own" if by_itself else of_record
            step = f'write epsilon = "2", {most}, {FOUND}'
            yield SordinoError("epsilon must be given", step=step)
            return
        protect = attribute.get("protect") if isinstance(attribute, dict) else None
        metric = protect.get("metric") if isinstance(protect, dict) else None
        own = {"epsilon", "matrix"} & {*(protect if isinstance(protect, dict) else ())}
        if not own and not (isinstance(metric, dict) and "epsilon" in metric):
            yield SordinoError(
                "epsilon must be given", step=f'write epsilon = "1", give each attribute its own, {FOUND}'
            )
            return
