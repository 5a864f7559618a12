"""What is made once for each distinct part of a plan or a survey, however many questions have such a part.

A part is all that something depends on, in public numbers: the integers of a channel as a document spells them, an
exact promise, a number of values, of people, shares of a population. Two parts are the same where all of these are
equal, and nowhere else: names take no part in it, nor does what was wished for when the integers were chosen, so that
integers that somebody changed are a part of their own. Nobody's answers are in it.

Whoever needs such things holds the table (a plan, a choice of mechanisms, a set of forecasts), and it ends with that:
it has at most as many parts as there are questions, times the few kinds of them.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class DistinctParts:
    """What was made of each distinct part.

    Attributes:
        made: how many parts of each class something was made of.

    Example:
        >>> parts, seen = DistinctParts(), []
        >>> [parts.of(("channel", 4), lambda: seen.append(4)) for _ in range(3)], seen
        ([None, None, None], [4])
    """

    def __init__(self) -> None:
        self._found: dict[tuple[type, Hashable], Any] = {}
        self.made: Counter[type] = Counter()

    def of(self, part: Hashable, make: Callable[[], T]) -> T:
        """What is made of a part.

        Args:
            part: all that it depends on; parts of different classes are different.
            make: makes it; what this raises is raised for each question.
        """
        key = type(part), part
        if key not in self._found:
            self._found[key] = make()
            self.made[type(part)] += 1
        found: T = self._found[key]
        return found
