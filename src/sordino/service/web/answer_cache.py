"""Answers that many ask for and that take a second: worked out once each, one after the other, and kept for a while.

Who waits for one waits on the loop, and holds no thread meanwhile: uploads need those.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_KEPT = 4
"""Answers of a kind."""


class AnswerCache(Generic[T]):
    """The last answers, by what they depend on. Ask it on one loop."""

    def __init__(self) -> None:
        self._turn, self._kept = asyncio.Lock(), OrderedDict[Hashable, T]()

    async def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """An answer, worked out on a thread of its own unless it is kept.

        Args:
            key: all that the answer depends on.
            make: works it out. What it raises, is raised, and not kept.
        """
        async with self._turn:
            if key not in self._kept:
                self._kept[key] = await asyncio.to_thread(make)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]
