"""How a code is drawn, as data: a program of a few operations over whole numbers, and its vectorized interpreter.

A draw is JSON: a whole number; a text of digits, the same; another text, a name: `v`, the value, or an entry of the
mechanism's own record; or a list, an operation and its arguments (docs/plan-format.md has them all). Arguments are
worked out in their order, each once, also where they are not needed: **how many words are drawn never depends on the
value.** Numbers are from 0 to 2^64 - 1 and lists hold such, but thresholds and weights may be 2^64.
Cost: vectorized, and two words a value for most mechanisms, more where one is rejected.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.source import Stream, Words, uniform_below
from sordino.exact.word_arithmetic import select
from sordino.mechanism.draws.code_sets import CodeSet, draw_side, read_set
from sordino.mechanism.draws.operations import ARITHMETIC, outward_rows, require_draw

Number: TypeAlias = "int | Words"
Run: TypeAlias = Callable[[Words, Stream], Number]
"""Works out a number for each value of a batch."""


@dataclass(frozen=True, eq=False)
class Draw:
    """The draw of a mechanism's record.

    Attributes:
        record: as documents hold it: its integers, `k`, `codes` and `draw`.

    Raises:
        SordinoError: a draw that is none: an operation, a set or an entry that there is not, or other arguments.

    Example:
        >>> from sordino.exact.source import SystemSource
        >>> draw = Draw({"k": 3, "codes": "3", "draw": ["%", ["+", "v", 4], "k"]})
        >>> draw.sample(np.arange(3), SystemSource().stream(np.arange(3)))
        array([1, 2, 0], dtype=uint64)
    """

    record: Mapping[str, Any]

    def __post_init__(self) -> None:
        require_draw(self.record)

    def __reduce__(self) -> tuple[type["Draw"], tuple[Mapping[str, Any]]]:
        """For another process the record alone: what was worked out of it is made there again."""
        return Draw, (self.record,)

    @property
    def k(self) -> int:
        """Values are 0..k-1."""
        return int(self.record["k"])

    @property
    def codes(self) -> int:
        """Codes are 0..codes-1."""
        return int(self.record["codes"])

    def sample(self, values: NDArray[np.intp], stream: Stream) -> Words:
        """A code for each value."""
        found = self._run(values.view(np.uint64), stream)
        return np.full(len(values), found, dtype=np.uint64) if isinstance(found, int) else found

    @cached_property
    def code_set(self) -> CodeSet:
        """The set of codes of each value, where a coin chooses between its two sides."""
        draw = self.record["draw"]
        if draw[0] != "sides":
            raise SordinoError("a uniform code must be one of a set and of all others", found=f"a draw by {draw[0]}")
        return self.set_of(draw[2])

    @cached_property
    def _run(self) -> Run:
        return self._number(self.record["draw"])

    def parts(self, name: str) -> list["Draw"]:
        """The draws of other mechanisms, which the record holds."""
        found = self.record[name]
        return [Draw(own) for own in (found if isinstance(found, list) else [found])]

    def constant(self, found: Any) -> int:
        """A number that does not depend on the value."""
        if isinstance(found, str):
            return int(found) if found.isdecimal() else self.constant(self.record[found])
        if isinstance(found, list):
            operation, *arguments = found
            return int(ARITHMETIC[operation](*map(self.constant, arguments)))
        return int(found)

    def numbers(self, found: Any) -> list[Any]:
        """A list, or a list of lists, of numbers that do not depend on the value."""
        if isinstance(found, str):
            return [list(map(int, own)) if isinstance(own, list) else int(own) for own in self.record[found]]
        operation, *arguments = found
        if operation == "list":
            return list(map(self.constant, arguments))
        count, formula = arguments
        places = np.arange(self.constant(count), dtype=np.uint64)
        worked_out = self._number(formula, "i")(places, _NoWords())
        spelled: list[Any] = np.broadcast_to(worked_out, places.shape).tolist()
        return spelled

    def _number(self, found: Any, variable: str = "v") -> Run:
        if found == variable:
            return lambda values, _: values
        if not isinstance(found, list):
            number = self.constant(found)
            return lambda *_: number
        operation, *arguments = found
        if operation in ARITHMETIC:
            return _join_runs(operation, *(self._number(own, variable) for own in arguments))
        if operation == "if":
            return self._if(*(self._number(own, variable) for own in arguments))
        if operation == "at":
            return self._at(arguments[0], self._number(arguments[1], variable))
        drawn: Mapping[str, Callable[..., Run]] = {
            "drop": self._drop, "coin": self._coin, "below": self._below, "pick": self._pick, "sides": self._sides,
            "digits": self._digits, "levels": self._levels, "blocks": self._blocks, "hide": self._hide,
        }  # fmt: skip
        return drawn[operation](*arguments)

    def _at(self, numbers: Any, place: Run) -> Run:
        table = np.array(self.numbers(numbers), dtype=np.uint64)
        return lambda values, stream: table[np.asanyarray(place(values, stream)).astype(np.intp)]

    def _if(self, holds: Run, first: Run, second: Run) -> Run:
        def run(values: Words, stream: Stream) -> Number:
            chosen = np.asanyarray(holds(values, stream)) != 0
            yes, no = (np.asanyarray(own(values, stream)).astype(np.uint64) for own in (first, second))
            return select(chosen, yes, no)

        return run

    def _drop(self) -> Run:
        return lambda _, stream: stream.next() & np.uint64(0)

    def _coin(self, threshold: Any) -> Run:
        """1 where the word is below the threshold, which may be one of a list: 2^64 is no word."""
        listed = isinstance(threshold, list) and threshold[0] == "at"
        choices = self.numbers(threshold[1]) if listed else [self.constant(threshold)]
        place = self._number(threshold[2]) if listed else lambda *_: 0
        last = np.array([max(choice - 1, 0) for choice in choices], dtype=np.uint64)
        never = np.array([choice == 0 for choice in choices])

        def run(values: Words, stream: Stream) -> Words:
            at = np.asanyarray(place(values, stream)).astype(np.intp)
            heads: Words = ((stream.next() <= last[at]) & ~never[at]).astype(np.uint64)
            return heads

        return run

    def _below(self, bound: Any) -> Run:
        number = self.constant(bound)
        return lambda _, stream: uniform_below(number, stream)

    def _pick(self, weights: Any) -> Run:
        """A place by its weight: of one list, or of a row of weights."""
        operation, *arguments = weights if isinstance(weights, list) else ["list"]
        if operation == "at":
            rows, place = self.numbers(arguments[0]), self._number(arguments[1])
        elif operation == "outward":
            above, kinds, factors = map(self.numbers, arguments[:3])
            rows, place = outward_rows(above, kinds, factors), self._number(arguments[3])
        else:
            rows, place = [self.numbers(weights)], lambda *_: 0
        total, ends = sum(rows[0]), _Ends(rows)

        def run(values: Words, stream: Stream) -> Words:
            at = np.broadcast_to(np.asanyarray(place(values, stream)).astype(np.intp), values.shape, subok=True)
            return ends.places(at, uniform_below(total, stream))

        return run

    def set_of(self, found: list[Any]) -> CodeSet:
        """`found` names the set, the value that it is of, and numbers."""
        name, _, *arguments = found
        if name == "translates":
            return read_set(name, [self.constant(arguments[0]), *map(self.numbers, arguments[1:])])
        numbers = list(map(self.constant, arguments))
        return read_set(name, [*numbers[:2], self.k, *numbers[2:]] if name == "points" else numbers)

    def _sides(self, threshold: Any, found: list[Any]) -> Run:
        coin, codes, value = self.constant(threshold), self.set_of(found), self._number(found[1])
        return lambda values, stream: draw_side(codes, coin, np.asanyarray(value(values, stream)).view(np.intp), stream)

    def _digits(self, name: str) -> Run:
        """Each part draws a digit, of its digit of the value; the last ones run fastest."""
        parts = self.parts(name)

        def run(values: Words, stream: Stream) -> Words:
            code = np.zeros(len(values), dtype=np.uint64)
            digits = np.unravel_index(values.view(np.intp), [part.k for part in parts])
            for part, own in zip(parts, digits, strict=True):
                code = code * np.uint64(part.codes) + part.sample(own, stream)
            return code

        return run

    def _levels(self, fan: Any, name: str) -> Run:
        """A part, drawn without looking, of what the value is among neighbours."""
        parts, width = self.parts(name), self.constant(fan)
        firsts = list(accumulate((part.codes for part in parts), initial=0))

        def run(values: Words, stream: Stream) -> Words:
            drawn, codes = uniform_below(len(parts), stream), np.empty(len(values), dtype=np.uint64)
            for level, part in enumerate(parts):
                rows = np.flatnonzero(drawn == level)
                nodes = values[rows].view(np.intp) // width**level
                codes[rows] = part.sample(nodes, stream.take(rows)) + np.uint64(firsts[level])
            return codes

        return run

    def _blocks(self, numbers: Any, name: str) -> Run:
        """The part of the value's block, which is told; codes of different blocks never meet."""
        blocks, parts = Partition.of(np.array(self.numbers(numbers))), self.parts(name)
        kinds = np.searchsorted([part.k for part in parts], blocks.sizes)
        firsts = list(accumulate((parts[kind].codes for kind in kinds.tolist()), initial=0))
        offsets = np.array(firsts[:-1], dtype=np.uint64)

        def run(values: Words, stream: Stream) -> Words:
            at = values.view(np.intp)
            block, codes = blocks.block[at], np.empty(len(values), dtype=np.uint64)
            for kind, part in enumerate(parts):
                rows = np.flatnonzero(kinds[block] == kind)
                if rows.size:
                    codes[rows] = part.sample(blocks.place[at[rows]], stream.take(rows))
            return codes + offsets[block]

        return run

    def _hide(self, numbers: Any, name: str, threshold: Any) -> Run:
        """The part of listed values; of any other its own code, or a uniform one of the part, which hides it."""
        (part,), hidden = self.parts(name), self.constant(threshold)
        listed = np.zeros(self.k, dtype=np.bool_)
        listed[self.numbers(numbers)] = True
        place = np.where(listed, np.cumsum(listed) - 1, 0 - np.cumsum(~listed))

        def run(values: Words, stream: Stream) -> Words:
            own = place[values.view(np.intp)]
            return draw_hidden(own, hidden, part.codes, part.sample, part.code_set.uniform, stream)

        return run


def draw_hidden(
    place: NDArray[np.intp],
    hidden: int,
    codes: int,
    sample: Callable[[NDArray[np.intp], Stream], Words],
    uniform: Callable[[Stream], Words],
    stream: Stream,
) -> Words:
    """Codes of listed values, at their places, and of others, at -1 minus theirs, which hide among these.

    Both ways are gone for every value, by the same words: their time does not tell which one counts.
    """
    # Few mechanisms hide values.
    from sordino.exact.source import twin_streams

    other = place < 0
    first, words = twin_streams(stream, len(place))
    code = sample(place * ~other, first)
    told = (words.next() >= np.uint64(min(hidden, WORD - 1))) & np.bool_(hidden < WORD)
    behind = uniform(words)
    itself = (-1 - place).astype(np.uint64) + np.uint64(codes)
    return select(other, select(told, itself, behind), code)


def _join_runs(operation: str, first: Run, second: Run) -> Run:
    join = ARITHMETIC[operation]

    def run(values: Words, stream: Stream) -> Number:
        one, other = (np.asanyarray(own(values, stream)).astype(np.uint64) for own in (first, second))
        joined: Words = join(one, other)
        return joined

    return run


class _Ends:
    """Searches by halves in rows of weights, as many steps for every row and number.

    `lasts` has the last word of each place along each row, shape (rows, 2^m), `beyond` whether all words are beyond it.
    Rows are filled up with places that no word is beyond.
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self.size = 1 << (len(rows[0]) - 1).bit_length()
        ends = [[*accumulate(row[:-1])] + [WORD] * (self.size + 1 - len(row)) for row in rows]
        self.lasts = np.array([[max(end - 1, 0) for end in row] for row in ends], dtype=np.uint64)
        beyond = np.array([[end == 0 for end in row] for row in ends])
        self.beyond = beyond if beyond.any() else None

    def places(self, rows: NDArray[np.intp], choice: Words) -> Words:
        """The place of each row's weights that the number is in."""
        step, first = self.size, rows * self.size
        found = first.copy()
        while step > 1:
            step //= 2
            at = found + (step - 1)
            above = choice > self.lasts.take(at)
            if self.beyond is not None:
                above |= self.beyond.take(at)
            found += step * above
        return (found - first).view(np.uint64)


class _NoWords:
    """A stream for what draws nothing."""

    def next(self) -> Words:
        raise SordinoError("what a list holds must not be drawn", found="a random word")

    def take(self, rows: Any) -> "_NoWords":
        del rows
        return self
