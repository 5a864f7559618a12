"""Answers that take a second and that many ask for: each worked out once and kept for a while.

Who waits for one waits on the loop, and holds no thread meanwhile: uploads need those. The estimates of a series'
periods that have ended are the same whenever somebody looks: each is known by the plan, the counts of its reports and
what its intervals hold against, so that a late report, or one that is taken back, has it worked out anew. What was not
asked for the longest time is forgotten first.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from sordino.views.group_results import PublicGroup

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


MOST_NUMBERS = 1 << 23
"""Numbers that are kept, if each period has covariances of all of its own: 64 megabytes."""


class PeriodMemory:
    """What is known of periods. Any thread may ask it; of two that ask for the same at once both work it out."""

    def __init__(self, most: int = MOST_NUMBERS) -> None:
        self._most, self._held, self._lock = most, 0, Lock()
        self._known = OrderedDict[Hashable, tuple[PublicGroup, int]]()

    def once(self, key: Hashable, estimate: Callable[[], PublicGroup]) -> PublicGroup:
        """The estimates of a period, worked out unless they are known.

        Args:
            key: all that they depend on.
            estimate: works them out. What it raises, is raised, and not kept.
        """
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key][0]
        made = estimate()
        self._keep(key, made, sum(table.count for tables in made.tables for table in tables) ** 2)
        return made

    def _keep(self, key: Hashable, made: PublicGroup, size: int) -> None:
        with self._lock:
            if key in self._known or size > self._most:
                return
            self._known[key] = made, size
            self._held += size
            while self._held > self._most:
                _, (_, freed) = self._known.popitem(last=False)
                self._held -= freed
