"""Where things stand that are known by name: the module of each is loaded when it is first asked for.

A process that reads one plan uses a few of many classes, and to load all of them would take it longer than its work.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


class Homes(Mapping[str, T]):
    """Things by name, in an order; names and order are known without any of them.

    Args:
        places: of each name "module:name", the module without "sordino.".

    Example:
        >>> homes: Homes[type] = Homes({"categories": "domain.categories:Categories", "grid": "domain.grid:Grid"})
        >>> list(homes), homes["grid"].__name__
        (['categories', 'grid'], 'Grid')
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = dict(places)
        self._loaded: dict[str, T] = {}

    def only(self, *names: str) -> "Homes[T]":
        """Some of them, in this order."""
        return Homes({name: self.places[name] for name in names})

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            module, _, own = self.places[name].partition(":")
            self._loaded[name] = getattr(import_module(f"sordino.{module}"), own)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places
