"""Whether the classes of outputs that a mechanism tells are those of its weights.

What the integers of the classes say by themselves is checked of all of them. That they are the mechanism's is read from
`weight` on the representative output of each class: on its ends, and then on as many values as it takes to see the
largest and the least weight that it tells.
"""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ColumnStack, ValueClass
from sordino.exact.messages import shown
from sordino.mechanism.base import Mechanism

LOOKED_AT = 1 << 13
"""Weights looked at on all representatives, beside what it takes to see what they tell: a tenth of a second."""

REPRESENTATIVES = 1 << 18
"""Largest number of classes of one stack that are looked at: a second. Of more, evenly spread ones."""

STEP = "the mechanism does not report its weights as they are; do not use it"
"""Where a mechanism contradicts its own integers."""

ENDS = (0, -1, 1, -2)
"""Values of a part that are looked at first, by their places."""

SOME = 4
"""Values that a class does not list, of those that are looked at."""

EVERY = 1 << 13
"""Weights that are read one by one in any case: ten milliseconds."""

COLUMN = 50
"""What looking at one output takes beside its weights, in weights."""

SCATTER = 2_654_435_761
"""A prime above the number of values: its multiples go through all of them, in step with none of their structures."""


def can_read_all(mechanism: Mechanism) -> bool:
    """Whether a certificate reads every weight of every output."""
    return mechanism.outputs * (mechanism.k + COLUMN) <= EVERY


def scatter_values(values: NDArray[np.intp], size: int) -> Iterator[NDArray[np.intp]]:
    """All values, first `size` of them and then ever more, in an order that goes along with no structure of theirs."""
    first = 0
    while first < len(values):
        places = np.arange(first, min(first + size, len(values)))
        yield values[places * SCATTER % len(values)]
        first, size = first + size, 2 * size


class CheckedClasses:
    """A mechanism's classes of outputs, each stack of them checked as it passes and all of them at the end.

    Checked of each class: it lists different values 0..k-1, each with a whole weight >= 0 on each of its `count` >= 1
    outputs; its representative is an output, and of no class before; there it shows the largest and the least weight
    that it tells of each part, and no weight besides on the values looked at.
    Checked of all: they are not more outputs than the mechanism has, and every value's weights add up to the
    denominator, exactly. So no output is left out but in exchange for another that is claimed in its place.

    Raises:
        SordinoError: while iterating, at the first that is wrong.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._totals = _Totals(mechanism.k)
        self._codes = array("Q")
        self._outputs = 0
        self._room = LOOKED_AT

    def __iter__(self) -> Iterator[ColumnStack]:
        for stack in self._mechanism.stacks():
            _check_integers(stack, self._mechanism)
            self._check_representatives(stack)
            self._codes.extend(stack.codes)
            self._outputs += len(stack) * stack.count
            for part in stack.parts:
                self._totals.add(part.values.ravel(), sum(weight * outputs for weight, outputs in part.weights))
            yield stack
        self._check_all()

    def _check_all(self) -> None:
        step = "the mechanism's columns() leaves out or repeats outputs; do not use it"
        wrong = self._totals.other_than(self._mechanism.denominator)
        if wrong:
            rule = "the weights of every value's outputs must add up to the denominator"
            raise SordinoError(rule, found=f"{wrong} values whose weights do not", step=step)
        most = self._mechanism.outputs
        if self._outputs > most or not _all_differ(np.array(self._codes)):
            raise SordinoError(
                f"classes must share {most} outputs and no representative", found="an output told twice", step=step
            )

    def _check_representatives(self, stack: ColumnStack) -> None:
        """The weights of some values on the representatives are those that the classes tell."""
        every = -(-len(stack) // REPRESENTATIVES)
        codes = stack.codes[::every]
        more = self._room // len(codes)
        for part in stack.parts:
            self._check_part(codes, part.values[::every], {weight for weight, _ in part.weights}, more)
            self._room -= len(codes) * min(more, part.values.shape[1])
        if more:
            # What a class does not list weighs nothing on its outputs.
            among = np.linspace(0, stack.k - 1, SOME).astype(np.intp)
            for place, code in enumerate(codes):
                listed = [part.values[place * every] for part in stack.parts]
                for value in among.tolist():
                    if self._mechanism.weight(value, code) and not any((own == value).any() for own in listed):
                        raise _other_ratio(code)

    def _check_part(self, codes: Sequence[int], values: NDArray[np.intp], told: set[int], more: int) -> None:
        """A part's weights: on the ends, and on `more` values or until they show all that the classes tell."""
        if not values.shape[1]:
            return
        weigh = self._mechanism.weight
        needed = {max(told), min(told)} if values.shape[1] > 1 else set()
        # First and last values show both weights in any class of the package's own.
        ends = values[:, [place % values.shape[1] for place in ENDS]].tolist()
        for place, (code, (first, last, *rest)) in enumerate(zip(codes, ends, strict=True)):
            seen = {weigh(first, code), weigh(last, code)}
            if more or not needed <= seen:
                seen |= {weigh(value, code) for value in rest}
                looked = 0
                for some in scatter_values(values[place], max(more, len(ENDS))):
                    if looked >= more and needed <= seen:
                        break
                    seen |= {weigh(value, code) for value in some.tolist()}
                    looked += len(some)
            if not needed <= seen <= told:
                raise _other_ratio(code)


def _other_ratio(code: int) -> SordinoError:
    return SordinoError(
        "a column class must attain its largest ratio on its representative output",
        found=f"a different ratio on code {code}",
        step="the mechanism's columns() is wrong; do not use it",
    )


def _check_integers(stack: ColumnStack, mechanism: Mechanism) -> None:
    k = mechanism.k
    if stack.k != k:
        raise SordinoError(f"columns must be about the mechanism's {k} values", found=shown(stack.k))
    if stack.count < 1 or not stack.codes or min(stack.codes) < 0 or max(stack.codes) >= mechanism.outputs:
        found = f"{stack.count} outputs, codes {shown([*stack.codes])}"
        raise SordinoError(f"a class must be of outputs 0..{mechanism.outputs - 1}", found=found, step=STEP)
    for part in stack.parts:
        values = part.values
        if values.ndim != 2 or len(values) != len(stack) or values.dtype.kind not in "iu":
            found = f"an array of {values.dtype}, shape {values.shape}, for {len(stack)} classes"
            raise SordinoError(f"each class of outputs must list values 0..{k - 1}", found=found, step=STEP)
        wrong = any(type(weight) is not int or weight < 0 or outputs < 0 for weight, outputs in part.weights)
        if wrong or sum(outputs for _, outputs in part.weights) != stack.count:
            raise SordinoError("each class of values must have a weight >= 0 on each of the class's outputs")
    if not stack.parts:
        return
    listed = np.concatenate([part.values.ravel().astype(np.intp, copy=False) for part in stack.parts])
    if len(listed) and (listed.min() < 0 or listed.max() >= k):
        # A negative index would be another name of a value.
        found = f"values {listed.min()}..{listed.max()}"
        raise SordinoError(f"each class of outputs must list values 0..{k - 1}", found=found, step=STEP)
    if not _all_differ(listed):
        # A value listed twice would count as two, and hide one that cannot cause the output.
        raise SordinoError("each class of outputs must list a value once", found="one listed twice")


def _all_differ(numbers: NDArray[np.integer]) -> bool:
    if (numbers[1:] > numbers[:-1]).all():
        return True
    ordered = np.sort(numbers)
    return not (ordered[1:] == ordered[:-1]).any()


class _Totals:
    """Sums of weights over all outputs, one for each value: exact, and each sum that occurs is held once."""

    def __init__(self, k: int) -> None:
        self._sums = [0]
        self._place = {0: 0}
        self._own = np.zeros(k, dtype=np.int32)

    def add(self, values: NDArray[np.intp], amount: int) -> None:
        before = self._own[values]
        # Those that occur, in ascending order; `np.unique` loads masked arrays, which a short command never needs.
        occurring = before[:1] if (before == before[:1]).all() else np.flatnonzero(np.bincount(before))
        for place in occurring.tolist():
            total = self._sums[place] + amount
            after = self._place.setdefault(total, len(self._sums))
            if after == len(self._sums):
                self._sums.append(total)
            self._own[values[before == place]] = after

    def other_than(self, denominator: int) -> int:
        counts = np.bincount(self._own, minlength=len(self._sums)).tolist()
        return sum(count for count, total in zip(counts, self._sums, strict=True) if total != denominator)


LARGEST_ENUMERATION = 1 << 21
"""Largest number of weights read: seconds."""


def can_enumerate(mechanism: Mechanism) -> bool:
    """Whether a mechanism's weights are few enough to be read one by one."""
    return mechanism.outputs * mechanism.k <= LARGEST_ENUMERATION


def output_weights(mechanism: Mechanism) -> Iterator[tuple[int, NDArray[np.object_]]]:
    """Every code with its weights on all values, shape (k,)."""
    if not can_enumerate(mechanism):
        raise SordinoError(
            f"a definition of averages is checked on at most {LARGEST_ENUMERATION} weights, one by one",
            found=f"{mechanism.outputs} codes of {mechanism.k} records",
            step="promise LDP, which holds whatever is believed, or ask about fewer values",
        )
    totals = np.zeros(mechanism.k, dtype=object)
    for code in range(mechanism.outputs):
        weights = np.array([mechanism.weight(value, code) for value in range(mechanism.k)], dtype=object)
        if min(weights) < 0:
            raise SordinoError("weights must not be negative", found=f"one on code {code}")
        totals += weights
        yield code, weights
    wrong = int((totals != mechanism.denominator).sum())
    if wrong:
        raise SordinoError(
            "the weights of every value's outputs must add up to the denominator",
            found=f"{wrong} values whose weights do not",
            step="the mechanism's weight() leaves out or repeats outputs; do not use it",
        )


def output_columns(mechanism: Mechanism) -> Iterator[ColumnClass]:
    for code, weights in output_weights(mechanism):
        present = sorted({*weights.tolist()} - {0})
        parts = tuple(ValueClass(np.flatnonzero(weights == weight), ((weight, 1),)) for weight in present)
        if parts:
            yield ColumnClass(mechanism.k, 1, code, parts)
