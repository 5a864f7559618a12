"""An attribute of a survey that is asked only because of earlier answers: what its settings may say.

[attribute.packs]
categories = ["1", "2", "3 or more"]
only_if = { smoker = "yes" }                                   # or a list of categories; all must hold of several
not_asked = "does not smoke"                                   # "not asked" by default
"""

from collections.abc import Iterator
from typing import Any, Protocol

from sordino.document.checked_tables import is_list_of
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.protect import WAYS


class ConditionalTable(Protocol):
    """The settings that are looked at."""

    @property
    def only_if(self) -> Any:
        """The attributes that decide whether it is asked."""

    @property
    def not_asked(self) -> str | None:
        """The category of who is not."""

    @property
    def grid(self) -> Any:
        """A map."""

    @property
    def number(self) -> Any:
        """A number."""

    @property
    def missing(self) -> Any:
        """What a missing value counts as."""

    @property
    def protect(self) -> Any:
        """How values differ in what protects them."""


def condition_settings_mistakes(table: ConditionalTable) -> Iterator[SordinoError]:
    """What is wrong with the conditions, whatever the other attributes are."""
    given = table.only_if
    if given is None:
        if table.not_asked is not None:
            step = 'write only_if = { smoker = "yes" }, or leave it out'
            yield SordinoError("not_asked must stand beside only_if", found=shown(table.not_asked), step=step)
        return
    names = [given[name] for name in given] if isinstance(given, dict) else []
    if not names or not all(isinstance(own, str) or (own and is_list_of(own, str)) for own in names):
        rule = "only_if must name attributes, each with one of its categories or a list of them"
        yield SordinoError(rule, found=shown(given), step='write only_if = { smoker = "yes" }')
    if table.grid is not None:
        step = "ask for it in categories, or of everybody"
        yield SordinoError("what is asked only if something holds must be no map", found="a grid", step=step)
    if table.number is not None and (table.missing is None or table.not_asked is not None):
        rule = "a number that is not asked is missing: `missing` must say of how many, and not_asked nothing"
        step = 'write missing = "0.7" if seven of ten are expected to have no number, whyever'
        yield SordinoError(rule, found="no `missing`" if table.missing is None else "not_asked", step=step)
    ways = [name for name in WAYS if table.protect is not None and getattr(table.protect, name) is not None]
    if ways:
        rule = "what is asked only if something holds must be protected as a whole, or reports could show who was asked"
        yield SordinoError(rule, found=f"the setting `{ways[0]}`", step="leave it out, or ask everybody")
