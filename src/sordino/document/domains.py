"""Domains of attributes as documents hold them, and back: one pair of words for each kind, whatever the document.

A new kind is its domain, and a line in each of these two functions.
"""

from collections.abc import Mapping
from typing import Any

from sordino.domain.attribute import AttributeDomain
from sordino.domain.categories import Categories
from sordino.domain.choices import NONE, Choices
from sordino.domain.grid import LARGEST, Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.exact.messages import shown

KINDS = ("labels", "numbers", "grid", "number")
"""The words that begin a domain: named categories, how many numbered ones, a map, or a number's ends."""


def domain_words(domain: AttributeDomain) -> dict[str, Any]:
    """The words of a domain, ready for JSON.

    Example:
        >>> domain_words(Categories(range(3))), domain_words(Interval(18, 90))
        ({'numbers': 3}, {'number': {'low': 18.0, 'high': 90.0}})
    """
    match domain:
        case Grid():
            edges = {edge: float(getattr(domain, edge)) for edge in ("south", "north", "west", "east")}
            return {"grid": {**edges, "rows": domain.rows, "columns": domain.columns}}
        case Interval():
            return {"number": {"low": domain.low, "high": domain.high}}
        case Choices():
            words = {"labels": list(domain.labels), "several": domain.most, "none": domain.none}
            return words | ({} if domain.not_asked is None else {"not_asked": domain.not_asked})
        case Categories(labels=range()):
            return {"numbers": domain.k}
        case Categories():
            return {"labels": list(domain.labels)}


def domain_of(words: Mapping[str, Any]) -> AttributeDomain:
    """The domain that words say; other words beside them do not matter.

    Raises:
        SordinoError: none of these words, or several, or no such domain.
    """
    found, several = {kind: words[kind] for kind in KINDS if words.get(kind) is not None}, words.get("several")
    if several is None and words.get("none") is not None:
        step = "write several = 3 beside categories"
        raise SordinoError("`none` must stand beside several", found="no several", step=step)
    if several is not None and "labels" not in found:
        other = "their number" if "numbers" in found else ", ".join(found) or "none of them"
        step = 'write categories = ["bus", "car"]'
        raise SordinoError("categories of which several apply must have names", found=other, step=step)
    match found:
        case {"labels": labels, **more} if not more:
            if several is None:
                return Categories(labels)
            return Choices(labels, several, words.get("none") or NONE, words.get("not_asked"))
        case {"numbers": count, **more} if not more:
            if not 1 <= count <= LARGEST:
                raise SordinoError("numbered categories must be 1 to 2^31", found=shown(count))
            return Categories(range(count))
        case {"grid": edges, **more} if not more:
            return Grid(**edges)
        case {"number": {"low": low, "high": high}, **more} if not more:
            return Interval(low, high)
        case _:
            raise SordinoError(
                "an attribute must be categories, a grid or a number",
                found=", ".join(found) or "none of them",
                step="give it one of them",
            )
