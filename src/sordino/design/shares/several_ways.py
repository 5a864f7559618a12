"""Ways to ask for categories of which several apply, and how exact the shares of the categories are by each.

By *combination*: all categories that apply are one value of one channel; the share of a category is the sum of those of
the combinations that have it. By *category*: one of the categories (or that none applies, or that it was not asked) is
drawn, publicly and uniformly, and the person answers yes or no about it. By *meeting*: what applies is filled up with
dummies to a set of as many items for everybody, and answered by a random subset that meets it (`MeetingSubsets`).

Guarantee: epsilon between any two combinations, whichever way: by combination and by meeting by the channel's
certificate, which is about all sets; by category since the draw is public and looks at nothing, and whichever category
is drawn, the answer is one of two values of a channel with that epsilon. Variances are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import comb
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.definition.pairwise import LDP
from sordino.design.accuracy import subtracting_helps, worst_variance
from sordino.design.coarse import coarse, coarse_number
from sordino.distinct import DistinctParts
from sordino.domain.choices import Choices
from sordino.errors import SordinoError
from sordino.estimation.unbiased import Functionals
from sordino.exact.combinatorics.meeting_sizes import MeetingSizes
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.meeting_subsets import MeetingSubsets

Way = Literal["combination", "category", "meeting"]

MOST_CODES = 1 << 13
"""Of a channel over combinations: what each adds to each share is worked out."""

YES = np.array([[0.0, 1.0]])
"""Of two values the share of the second."""

Floats = NDArray[np.float64]


class SeveralDesign(NamedTuple):
    """All that the choice of a way depends on.

    Attributes:
        code_bits: of a report at most.
        combinations: the shares of all combinations that people are expected to have, as the bytes of floats; None
            where they are not listed.
        marks: those of the marks, likewise.
    """

    choices: Choices
    epsilon: Nats
    code_bits: int
    combinations: bytes | None
    marks: bytes


class PromisedWays(NamedTuple):
    """All that the ways to ask that keep a promise depend on.

    Attributes:
        code_bits: of a report at most.
        marks: the shares of the marks that people are expected to have, as the bytes of floats.
    """

    choices: Choices
    epsilon: Nats
    code_bits: int
    marks: bytes


@dataclass(frozen=True, eq=False)
class SeveralWay:
    """A way to ask.

    Attributes:
        way: which.
        mechanism: over the combinations, over no and yes, or over sets of items.
        subtract_totals: whether estimates are shifted to the total.
        choices: the categories.
    """

    way: Way
    mechanism: Mechanism
    subtract_totals: bool
    choices: Choices

    @property
    def functionals(self) -> Floats:
        """Of what is answered those values whose shares are asked, shape (marks, k); else of a single mark."""
        return self.choices.applies(self.choices.values).T.astype(np.float64) if self.way == "combination" else YES

    @property
    def times(self) -> int:
        """One person answers about one of so many marks."""
        return len(self.choices.marks) if self.way == "category" else 1

    @property
    def answers(self) -> Mechanism:
        """What reports say: about combinations, or of a mark whether it applies."""
        return self.mechanism.answer if isinstance(self.mechanism, MeetingSubsets) else self.mechanism

    def variances(self, combinations: Floats | None, marks: Floats) -> Floats:
        """Of the estimated share of each mark, times the number of reports, shape (marks,).

        Args:
            combinations: the shares of all combinations, shape (k,); None where they are not listed.
            marks: those of the marks, shape (marks,).
        """
        found = self._shares
        if self.way == "combination":
            return np.full(len(marks), np.inf) if combinations is None else found.expected_variances(combinations)
        each = np.stack([1 - marks, marks])
        return self.times * np.concatenate([found.expected_variances(own) for own in each.T])

    @cached_property
    def _shares(self) -> Functionals:
        return Functionals(self.answers, self.functionals, self.subtract_totals)

    def largest_variance(self) -> float:
        """That of the share of a mark whatever people are like, times the number of reports."""
        rows, squares = self._shares.weights, self._shares.squares_of_value
        own = np.where(rows == 1, squares, -np.inf).max(axis=1)
        others = np.where(rows == 0, squares, -np.inf).max(axis=1)
        return float(self.times * worst_variance(own, others).max())

    def leverage(self) -> float:
        """How many people one forged report can weigh in the share of a mark, at most."""
        each = self.answers.contributions(self.functionals, subtract_totals=self.subtract_totals)
        return float(self.times * np.ptp(each, axis=1).max())


def ways_to_ask(choices: Choices, epsilon: Nats, code_bits: int, marks: Floats) -> Iterator[SeveralWay]:
    """All ways that fit.

    Of channels over the combinations those whose tallies say how often each code was sent; of subsets that meet a set
    those with the least summed variance.

    Args:
        choices: the categories.
        epsilon: between any two combinations.
        code_bits: of a report at most.
        marks: the shares of the marks that people are expected to have, shape (marks,).
    """
    # Who reads a plan designs nothing.
    from sordino.design.shares.best_mechanism import best_mechanism, candidates

    bits = code_bits - (len(choices.marks) - 1).bit_length()
    yield SeveralWay("category", best_mechanism(2, LDP(epsilon), bits), subtract_totals=False, choices=choices)
    sizes = best_meeting_sizes(choices.items, choices.most, float(epsilon), marks, code_bits)
    meeting = None if sizes is None else _meeting_of(sizes, epsilon)
    if meeting is not None:
        yield SeveralWay("meeting", meeting, subtract_totals=False, choices=choices)
    if not choices.is_listed:
        return
    try:
        made = candidates(choices.k, LDP(epsilon), code_bits, designed=False)
    except SordinoError:
        # No channel over so many values fits into a report.
        return
    for mechanism in made.values():
        if mechanism.informative and mechanism.counts_codes and mechanism.outputs <= MOST_CODES:
            yield SeveralWay("combination", mechanism, subtracting_helps(mechanism), choices)


def _meeting_of(sizes: MeetingSizes, epsilon: Nats) -> MeetingSubsets | None:
    """The channel; none where a coin is too coarse for the epsilon."""
    try:
        made = MeetingSubsets(sizes, epsilon)
    except SordinoError:
        return None
    return made if made.answer.informative else None


def best_way(choices: Choices, epsilon: Nats, combinations: Floats | None, marks: Floats, code_bits: int) -> SeveralWay:
    """The way with the least summed variance of the shares of the marks, for people with these shares."""
    ways = list(ways_to_ask(choices, epsilon, code_bits, marks))
    return min(ways, key=lambda own: coarse_number(float(own.variances(combinations, marks).sum())))


def distinct_best_way(
    choices: Choices, epsilon: Nats, shares: tuple[Floats | None, Floats], code_bits: int, parts: DistinctParts
) -> SeveralWay:
    """`best_way` of unnamed categories, worked out once for all questions that are asked alike.

    Args:
        choices: the categories.
        epsilon: between any two combinations.
        shares: of the combinations and of the marks, as of `best_way`.
        code_bits: of a report at most.
        parts: what was worked out for other questions.
    """
    unnamed, (combinations, marks) = choices.without_names, shares
    listed = None if combinations is None else combinations.tobytes()
    design = SeveralDesign(unnamed, epsilon, code_bits, listed, marks.tobytes())
    return parts.of(design, lambda: best_way(unnamed, epsilon, combinations, marks, code_bits))


def best_meeting_sizes(items: int, chosen: int, epsilon: float, shares: Floats, code_bits: int) -> MeetingSizes | None:
    """The sizes with the least summed variance of the shares of some items; None where none fits.

    A code of size w holds item i with probability r = b + (a - b) p of share p, so that n times the variance of the
    estimated share is r (1 - r) / (a - b)^2. All sizes and all numbers of shared items from 1 to L are compared, in
    floats; the channel itself is made of integers.

    Args:
        items, chosen: how many items there are, and how many each person has.
        epsilon: between any two sets, in nats.
        shares: of the items that are estimated, shape (m,).
        code_bits: of a report at most.
    """
    if MeetingSizes(items, chosen, 1, 1).values > LARGEST_NUMBER:
        return None
    # As many codes are of a size as leave out so many items; up to half of them they grow.
    few = [*takewhile(lambda size: comb(items, size) <= 1 << code_bits, range(1, items // 2 + 1))]
    sizes = sorted({*few, *(items - size for size in few)})
    if not sizes:
        return None
    variances = coarse(_meeting_variances(items, chosen, np.array(sizes), epsilon, shares))
    # Of equals the first one: the smallest code.
    row, column = np.unravel_index(int(np.argmin(variances)), variances.shape)
    if not np.isfinite(variances[row, column]):
        return None
    return MeetingSizes(items, chosen, sizes[int(row)], int(column) + 1)


def _meeting_variances(items: int, chosen: int, sizes: NDArray[np.intp], epsilon: float, shares: Floats) -> Floats:
    """N times the summed variance, shape (sizes, L), of codes that share at least 1, 2, ..., L items."""
    shared, rest = np.arange(chosen + 1), items - chosen
    beside = sizes[:, np.newaxis] - shared
    fits = (beside >= 0) & (beside <= rest)
    factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, items + 1)))))
    within = _log_choose(factorials, chosen, shared) + _log_choose(factorials, rest, np.clip(beside, 0, rest))
    counts = np.where(fits, np.exp(within - _log_choose(factorials, items, sizes)[:, np.newaxis]), 0.0)
    # The chance of a uniform code to share fewer items than t, and at least t; and what it then shares on average.
    sums = np.stack([counts, shared * counts])
    off, held_off = np.cumsum(sums, axis=2)[:, :, :-1]
    on, held_on = np.cumsum(sums[:, :, ::-1], axis=2)[:, :, -2::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        lie = np.exp(-epsilon)
        own = (held_on + lie * held_off) / (on + lie * off)
        hit, miss = own / chosen, (sizes[:, np.newaxis] - own) / rest
        gap = hit - miss
        first, second = shares.sum(), (shares**2).sum()
        found = len(shares) * miss * (1 - miss) + gap * (1 - 2 * miss) * first - gap**2 * second
        variances: Floats = np.where((on > 0) & (off > 0) & (gap > 0), found / gap**2, np.inf)
    return variances


def _log_choose(factorials: Floats, items: int, chosen: NDArray[np.intp]) -> Floats:
    found: Floats = factorials[items] - factorials[chosen] - factorials[items - chosen]
    return found
