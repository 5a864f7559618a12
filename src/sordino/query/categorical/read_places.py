"""What statistics of categories have in common: how a place of a record is read, and what places they can be about."""

import numpy as np
from numpy.typing import NDArray

from sordino.domain.coded import MOST_CATEGORIES, categories_of
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.query.number import require_places
from sordino.query.reader import Floats, Places

FEWEST = 2
"""Categories of an attribute: one tells nothing."""


def category_at(records: Floats, rows: Places | None, which: Places | None, places: Places, count: int) -> Places:
    """The category of each person who was drawn, shape (p,)."""
    return categories_of(number_at(records, rows, which, places), count)


def number_at(records: Floats, rows: Places | None, which: Places | None, places: Places) -> Floats:
    """The number at each person's place, shape (p,)."""
    people = np.arange(len(records)) if rows is None else rows
    chosen: NDArray[np.intp] = places[:1] if which is None else places.take(which)
    return records[people, chosen]


def require_two(one: int, other: int) -> None:
    """Refuse what are no two places."""
    require_places((one, other))
    if one == other:
        raise SordinoError("two attributes must be read together", found=f"place {one} twice")


def require_categories(count: int) -> None:
    """Refuse another number of categories than can be read."""
    if type(count) is not int or not FEWEST <= count <= MOST_CATEGORIES:
        raise SordinoError(f"there must be {FEWEST} to {MOST_CATEGORIES} categories", found=shown(count))
