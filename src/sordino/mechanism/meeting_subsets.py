"""Subsets that meet the set: a random subset of the items, which shares some with the person's set with higher odds.

Guarantee: eps-LDP, exactly, between any two sets. A value is a set of L of K items, a code one of w, both by their
rank. Of the codes `on` share at least t items with a value and `off` fewer, as many for every value. Over
2^64 on off, the former weigh off T and the latter on (2^64 - T), with T the largest integer that
off T <= on e^eps (2^64 - T) allows. L = t = 1 is subset selection. Its tally counts how often each item was in a code:
a code holds an item of the person's set with probability a and another one with b, so that the share of item i is
(c_i / n - b) / (a - b). Cost: two words a value, log2 C(K, w) bits a report, K + 1 counters.
Source: PrivSet (Wang, Huang, Nie, Wang, Xu, Yang; INFOCOM 2018) is t = 1.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from hashlib import sha256
from math import lcm
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.combinatorics.meeting_sizes import MeetingSizes
from sordino.exact.combinatorics.subsets import members
from sordino.exact.entries import LARGEST_NUMBER, Entries
from sordino.exact.messages import checked, checked_class, shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import LARGEST_WIDE_BOUND, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.supported import Reading, Support, SupportMechanism

LARGEST_ITEMS = 1 << 14
"""Largest number of items: tables of each size and item stay small."""

LARGEST_LIST = 1 << 12
"""Largest number of sets of which each has a weight or a probability in a list."""


@checked_class
@dataclass(frozen=True, init=False, eq=True)
class MeetingSubsets(Mechanism):
    """Subsets of K items that meet a set of L of them.

    Attributes:
        items, chosen, size, least: as of `MeetingSizes`; there are k = C(items, chosen) values.
        threshold: the coin's T: a code meets the value with probability T / 2^64.

    Example:
        >>> mechanism = MeetingSubsets((23, 3, 2, 1), "1")
        >>> mechanism.k, mechanism.outputs, mechanism.code_bits
        (1771, 253, 8)
    """

    name: ClassVar[str] = "meeting"

    items: int
    chosen: int
    size: int
    least: int
    threshold: int

    def __init__(self, subsets: tuple[int, int, int, int], epsilon: NatsLike) -> None:
        self._set_subsets(subsets)
        bound, (on, off) = read_epsilon(epsilon), self.sides
        self._set_threshold(largest_threshold(bound, off, on))
        # Rounded down, the threshold of a tiny epsilon could make a code of the set less likely than another, which
        # also reveals it.
        if bound < Nats.log(Fraction(on * (WORD - self.threshold), off * self.threshold)):
            rule = f"epsilon must be larger than a 64-bit coin's granularity for {self.k} sets"
            raise SordinoError(rule, found=repr(str(bound)), step="raise epsilon")

    @classmethod
    @checked
    def from_threshold(cls, subsets: tuple[int, int, int, int], threshold: int) -> Self:
        """The channel of a frozen plan, with its own integers; certify tells what it guarantees."""
        mechanism = cls.__new__(cls)
        mechanism._set_subsets(subsets)
        mechanism._set_threshold(threshold)
        return mechanism

    @classmethod
    @checked
    def from_record(cls, entries: Entries, promise: object = None) -> Self:
        del promise
        entries.whole("k")
        subsets = (entries.whole("items"), entries.whole("chosen"), entries.whole("size"), entries.whole("least"))
        return cls.from_threshold(subsets, entries.integer("threshold"))

    def _set_subsets(self, subsets: tuple[int, int, int, int]) -> None:
        sizes = MeetingSizes(*subsets)
        items, chosen, size, least = sizes
        if not 2 <= items <= LARGEST_ITEMS:
            raise SordinoError(f"subsets must be of 2 to {LARGEST_ITEMS} items", found=shown(items))
        for number, what in ((chosen, "a set"), (size, "a subset that meets it")):
            if not 1 <= number < items:
                raise SordinoError(f"{what} must hold 1 to {items - 1} of {items} items", found=shown(number))
        fewest, most = max(0, size + chosen - items), min(size, chosen)
        if not fewest < least <= most:
            rule = f"a subset of {size} of {items} items meets a set of {chosen} in at least {fewest + 1} to {most}"
            raise SordinoError(rule, found=shown(least))
        if sizes.values > LARGEST_NUMBER:
            raise SordinoError("there must be at most 2^53 sets", found=f"C({items}, {chosen})")
        if sizes.codes > LARGEST_WIDE_BOUND:
            raise SordinoError("there must be at most 2^64 subsets that can be sent", found=f"C({items}, {size})")
        values = sizes.values, *sizes
        for name, value in zip(("k", "items", "chosen", "size", "least"), values, strict=True):
            object.__setattr__(self, name, value)

    def _set_threshold(self, threshold: int) -> None:
        if not 0 < threshold < WORD:
            raise SordinoError("a coin's threshold must lie in 1..2^64-1", found=shown(threshold))
        object.__setattr__(self, "threshold", threshold)

    @property
    def sizes(self) -> MeetingSizes:
        """Of the values and the codes."""
        return MeetingSizes(self.items, self.chosen, self.size, self.least)

    @property
    def set_sizes(self) -> tuple[int, int, int]:
        return self.items, self.chosen, self.size

    @cached_property
    def sides(self) -> tuple[int, int]:
        """How many codes meet a value, and how many do not."""
        return self.sizes.sides

    @property
    def record(self) -> dict[str, Any]:
        return {"k": self.k, **self.sizes._asdict(), "threshold": str(self.threshold)}

    @property
    def draw(self) -> Any:
        return ["sides", "threshold", ["meeting", "v", "items", "chosen", "size", "least"]]

    @property
    def parameters(self) -> str:
        sizes = f"items={self.items} chosen={self.chosen} size={self.size} least={self.least}"
        return f"meeting {sizes} threshold={self.threshold}"

    @property
    def outputs(self) -> int:
        return self.sizes.codes

    @property
    def denominator(self) -> int:
        """2^64 on off."""
        on, off = self.sides
        return WORD * on * off

    @cached_property
    def weights(self) -> tuple[int, int]:
        """Of a code that does not meet the value, on (2^64 - T), and of one that does, off T."""
        on, off = self.sides
        return on * (WORD - self.threshold), off * self.threshold

    @property
    def weight_ends(self) -> tuple[int, int]:
        return max(self.weights), min(self.weights)

    def weight(self, value: int, code: int) -> int:
        own, held = _items_of(value, self.items, self.chosen), _items_of(code, self.items, self.size)
        return self.weights[len(own & held) >= self.least]

    @cached_property
    def holding_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a code holds an item of the value, and another one."""
        return self.sizes.holding_chances(Fraction(self.threshold, WORD))

    @property
    def pair_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a code holds two items of which the value has one, and two of which it has none."""
        return self.sizes.pair_chances(Fraction(self.threshold, WORD))

    @cached_property
    def answer(self) -> "ItemAnswer":
        """What reports say about one item: whether it is in the code."""
        return ItemAnswer(*self.holding_chances)

    def answer_tally(self, own: Aggregate, item: int) -> Aggregate:
        """The tally of `answer` about an item, of a tally of codes."""
        held = own.counts[item]
        return Aggregate(self.answer.fingerprint, own.n, np.array([own.n - held, held]))

    @property
    def informative(self) -> bool:
        """Never of sets, of whose items alone a tally says how common they are (`answer`)."""
        return False

    @property
    def counters(self) -> int:
        """For each item the codes that hold it; then all codes."""
        return self.items + 1

    @property
    def counts_codes(self) -> bool:
        return False

    def forward(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """How likely a code is to hold each item; and that there is one."""
        hit, miss = map(float, self.holding_chances)
        own, total = p @ self._has_item, p.sum(axis=-1, keepdims=True)
        return np.concatenate((hit * own + miss * (total - own), total), axis=-1)

    def adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        hit, miss = map(float, self.holding_chances)
        each, has = weights[..., :-1], self._has_item
        held = each @ has.T
        expected: NDArray[np.float64] = hit * held + miss * (each.sum(axis=-1, keepdims=True) - held)
        return expected + weights[..., -1:]

    def decode(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refused.

        Raises:
            SordinoError: always, since a tally of items does not tell the shares of sets.
        """
        del law
        raise SordinoError("a tally of items shows how common each item is", found="a question about sets of items")

    def evidence(self, code: int) -> FiniteEvidence:
        self._require_listed()
        return super().evidence(code)

    def probabilities(self) -> NDArray[np.float64]:
        self._require_listed()
        return super().probabilities()

    def reports(self, counters: NDArray[np.integer]) -> int:
        return int(counters[-1])

    def possible(self, counters: NDArray[np.integer]) -> bool:
        held, total = counters[..., :-1], counters[..., -1:]
        return bool((held <= total).all()) and bool((held.sum(axis=-1, keepdims=True) == self.size * total).all())

    def block_shares(self, law: NDArray[np.float64]) -> NDArray[np.float64]:
        return law[..., -1:]

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        held = members(codes, self.items, self.size) + group[:, np.newaxis] * self.items
        counts = np.bincount(held.ravel(), minlength=groups * self.items).reshape(groups, self.items)
        return np.column_stack((counts, counts.sum(axis=1) // self.size)).astype(np.int64)

    @cached_property
    def _has_item(self) -> NDArray[np.float64]:
        """Whether each set has each item, shape (k, items)."""
        self._require_listed()
        has = np.zeros((self.k, self.items))
        own = members(np.arange(self.k, dtype=np.uint64), self.items, self.chosen)
        np.put_along_axis(has, own, 1.0, axis=1)
        return has

    def _require_listed(self) -> None:
        if self.k > LARGEST_LIST:
            rule = f"what is worked out set by set must be about at most {LARGEST_LIST} sets"
            raise SordinoError(rule, found=f"{self.k:,}")


@lru_cache(maxsize=1 << 12)
def _items_of(number: int, items: int, size: int) -> frozenset[int]:
    """The items of the subset of a rank."""
    return frozenset(members(np.array([number], dtype=np.uint64), items, size)[0].tolist())


@dataclass(frozen=True)
class ItemAnswer(SupportMechanism):
    """Whether a code holds one item: a channel from whether the person has it, 0 for no and 1 for yes, both ways.

    It is read, never drawn: a code answers about all items at once.

    Attributes:
        hit, miss: the probabilities of yes of who has the item, and of who has not.
    """

    k: int = field(init=False, default=2)
    hit: Fraction
    miss: Fraction

    @property
    def outputs(self) -> int:
        return 2

    @property
    def parameters(self) -> str:
        return f"item hit={self.hit} miss={self.miss}"

    @property
    def denominator(self) -> int:
        return lcm(self.hit.denominator, self.miss.denominator)

    def weight(self, value: int, code: int) -> int:
        yes = self.hit if value else self.miss
        return int((yes if code else 1 - yes) * self.denominator)

    @cached_property
    def reading(self) -> Reading:
        """Of no and yes, each supported by its own code."""
        hit, miss = float(self.hit), float(self.miss)
        return Reading.of(np.array([1 - miss, hit]), np.array([1 - hit, miss]), alone=False)

    @property
    def excess(self) -> NDArray[np.float64]:
        """Nothing: what a report adds to no and to yes adds up to 1."""
        return np.zeros(2)

    def support(self, counters: NDArray[np.float64]) -> Support:
        return Support(counters, np.broadcast_to(counters.sum(axis=-1, keepdims=True), counters.shape))


@dataclass(frozen=True, eq=False)
class ReadSets(Mechanism):
    """Subsets that meet one of some sets, as values 0..k-1: of those that can be read of a record, few of all sets.

    A person's filter looks at it; nothing is drawn by it.

    Attributes:
        subsets: of all sets.
        sets: their values, shape (k,).
    """

    k: int = field(init=False)
    subsets: MeetingSubsets
    sets: NDArray[np.intp]

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", len(self.sets))

    @property
    def parameters(self) -> str:
        return f"{self.subsets.parameters} of the sets {sha256(self.sets.astype('<i8').tobytes()).hexdigest()}"

    @property
    def outputs(self) -> int:
        return self.subsets.outputs

    @property
    def denominator(self) -> int:
        return self.subsets.denominator

    def weight(self, value: int, code: int) -> int:
        return self.subsets.weight(int(self.sets[value]), code)

    @property
    def weight_ends(self) -> tuple[int, int]:
        return self.subsets.weight_ends

    def marks(self, codes: Words) -> tuple[tuple[int, ...], NDArray[np.integer]]:
        """The two weights, and whether each code meets each set, shape (n, k)."""
        own, items = self.subsets, self.subsets.items
        held = np.zeros((len(codes), items), dtype=np.int16)
        np.put_along_axis(held, members(codes, items, own.size), 1, axis=1)
        shared = np.zeros((len(codes), self.k), dtype=np.int16)
        for place in self._members.T:
            shared += held[:, place]
        return own.weights, (shared >= own.least).astype(np.int8)

    @cached_property
    def _members(self) -> NDArray[np.intp]:
        """The items of each set, shape (k, L)."""
        return members(self.sets.view(np.uint64), self.subsets.items, self.subsets.chosen)
