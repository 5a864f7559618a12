"""What a batch of shuffled reports reveals at most: (epsilon, delta) for every pair of values that a definition names.

A pair is protected in a batch by the bound of its definition (a batch is made of single reports), and by the other
reports: `audit.batch_loss` bounds the divergence from above, over all values of the others, and from below, by a test.
The others are honest people who share with the person whatever is public: their reports are of the same stratum,
period and question, and under bounds by blocks of the same block. Nothing is said about pairs that the definition does
not name, and nothing of averages over beliefs (Bayesian coordinate DP).

Channels are collapsed to kinds of codes that weigh alike: a subset of 25 of 1,000 values is one of four kinds for two
values. Kinds come from the classes of outputs that `audit.classes` checks; where pairs of values share equally many
codes that is the mechanism's word, as classes are.

Sees only the `Mechanism` interface: author and checker share no formulas.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, combinations_with_replacement, product
from math import comb, fsum, lcm, prod
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sordino.audit.batch_loss import (
    BatchSize,
    CodeKind,
    Kinds,
    ScoreTest,
    TwoCodes,
    divergence_above,
    largest_ratio,
    least_ratio,
)
from sordino.audit.classes import CheckedClasses, can_enumerate, output_columns
from sordino.audit.overlaps import checked_overlaps
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import LDP, BlockLDP, PairwiseDefinition, PrivacyDefinition
from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnStack, ValueClass
from sordino.exact.amount_text import DIGITS
from sordino.exact.messages import shown
from sordino.exact.nats import Nats, outward, upward
from sordino.mechanism.base import Mechanism

LARGEST_BATCH = 10**9
"""Largest number of reports: beyond, rounding errors of powers are no longer small."""

LARGEST_PAIRS = 1 << 16
"""Largest number of pairs of values that are looked at: some seconds."""

LARGEST_TABLE = 1 << 24
"""Largest number of weights of codes that are looked at one by one."""

LARGEST_LIST = 1 << 16
"""Largest number of codes whose weights of three values are read one by one, for a test."""

COMPOSITIONS = 16
"""Values that all others are tried with, in tests."""

LARGEST_DIFFERENCES = 1024
"""Largest number of ways in which the answers of two records may differ that a whole batch is bounded in by itself."""

LARGEST_SETS = 12
"""Largest number of items of sets of which three are looked at together."""

Joint: TypeAlias = Counter[tuple[int, ...]]
"""How many codes have these weights of some values; the least weight of the others' values last."""


@dataclass(frozen=True)
class PairBounds:
    """How well a batch distinguishes one of two values, at the pair where it does best.

    Attributes:
        value, other: the pair; the batch favours `value`.
        promised: the definition's bound of a single report.
        report_loss: the most that one report distinguishes them by.
        above: the epsilon of the batch with the delta that is asked for; never above `report_loss`.
        below: no smaller one is true, whatever the analysis: a test of the batch attains it.
    """

    value: int
    other: int
    promised: Nats
    report_loss: Nats
    above: Nats
    below: Nats

    @property
    def is_hidden(self) -> bool:
        """Whether the batch is shown to reveal less than one report alone."""
        return self.above < self.report_loss


@dataclass(frozen=True, repr=False)
class BatchCertificate:
    """The bounds of a batch, for each bound of the definition those of its worst pair.

    Attributes:
        size: of the batch.
        delta: the probability with which more may be revealed.
        pairs: by ascending promised bound; empty where no two values are protected from each other.

    Example:
        >>> from sordino import LDP, RandomizedResponse
        >>> batch = certify_batch(RandomizedResponse(2, "1"), LDP("1"), BatchSize(1000), Fraction(1, 10**6))
        >>> round(float(batch.above), 3), round(float(batch.below), 3)
        (0.127, 0.127)
    """

    size: BatchSize
    delta: Fraction
    pairs: tuple[PairBounds, ...]

    def __repr__(self) -> str:
        return batch_line("BatchCertificate", self)

    @property
    def people(self) -> int:
        """How many honest reports are shuffled."""
        return self.size.people

    @property
    def report_loss(self) -> Nats:
        """The most that one report reveals."""
        return max((pair.report_loss for pair in self.pairs), default=Nats.of(0))

    @property
    def above(self) -> Nats:
        """The epsilon of the batch, with its delta, for all pairs."""
        return max((pair.above for pair in self.pairs), default=Nats.of(0))

    @property
    def below(self) -> Nats:
        """What a test of the batch attains on some pair: no smaller epsilon is true."""
        return max((pair.below for pair in self.pairs), default=Nats.of(0))

    @property
    def is_hidden(self) -> bool:
        """Whether the batch is shown to reveal less than one report alone."""
        return self.above < self.report_loss


def batch_line(name: str, batch: "BatchCertificate | DrawnBatch") -> str:
    """A batch's bounds in a line, rounded outward."""
    above, alone = (upward(amount, DIGITS) for amount in (batch.above, batch.report_loss))
    below = outward(batch.below.around()[0], DIGITS, up=False)
    shuffled = f"{batch.people:,} shuffled reports, delta {outward(batch.delta, DIGITS, up=True)}"
    return f"{name}: {shuffled}: epsilon {below} to {above} (alone {alone})"


@dataclass(frozen=True)
class PairLaw:
    """The kinds of codes of a channel, for two values and those that the others may have.

    Attributes:
        value, other: two protected values.
        promised: the bound of one report.
        denominator: of the weights.
        kinds: with the least weight of the others' values.
        tests: with the weight of one value that all others have; one for each that is tried.
        only: whether the others have one of the two values, too.
    """

    value: int
    other: int
    promised: Nats
    denominator: int
    kinds: Kinds
    tests: tuple[Kinds, ...] = field(repr=False, compare=False)
    only: bool = False

    @cached_property
    def most(self) -> Fraction:
        """The largest quotient of weights: what a report alone distinguishes them by."""
        return max((Fraction(kind.weight, kind.other) for kind in self.kinds if kind.weight), default=Fraction(1))

    @cached_property
    def two_codes(self) -> tuple[Fraction, Fraction] | None:
        """The probabilities of one of two codes, if there are no more, and two values."""
        if not self.only:
            return None
        merged: dict[Fraction | None, list[int]] = {}
        for count, weight, other, _ in self.kinds:
            if not weight and not other:
                continue
            sums = merged.setdefault(Fraction(weight, other) if other else None, [0, 0])
            sums[0] += count * weight
            sums[1] += count * other
        if len(merged) != 2:
            return None
        first = next(iter(merged.values()))
        return Fraction(first[0], self.denominator), Fraction(first[1], self.denominator)

    @cached_property
    def rank(self) -> float:
        """About how well batches distinguish the two: a chi-square distance."""
        return _distance(self.kinds, self.denominator)

    def above(self, size: BatchSize, wanted: float) -> Callable[[Fraction], Fraction]:
        """An upper bound of the divergence of batches for each factor, by the better of both ways."""
        blanket = self._blanket(size, wanted)
        if self.two_codes is None:
            return blanket
        exact = TwoCodes(self.two_codes, size, wanted)
        return exact.above if size.share == 1 else lambda ratio: min(exact.above(ratio), blanket(ratio))

    def _blanket(self, size: BatchSize, wanted: float) -> Callable[[Fraction], Fraction]:
        return lambda ratio: divergence_above(self.kinds, self.denominator, size, ratio, wanted)

    def lower_bounds(self, size: BatchSize, wanted: float) -> list[ScoreTest | TwoCodes]:
        """Lower bounds of the divergence: for two codes by their distribution, else by the tests that show most."""
        if self.two_codes is not None and size.share == 1:
            return [TwoCodes(self.two_codes, size, wanted)]
        measures = _distance, _decision_share
        best = {max(self.tests, key=lambda own: measure(own, self.denominator)): None for measure in measures}
        return [ScoreTest(kinds, self.denominator, size) for kinds in best]


def _distance(kinds: Kinds, denominator: int) -> float:
    """The sum of squared differences of two values' probabilities over those of the others, where these have any."""
    return fsum(count * (weight - other) ** 2 / (third * denominator) for count, weight, other, third in kinds if third)


def _decision_share(kinds: Kinds, denominator: int) -> float:
    """How likely the other value's code is one that neither x nor any other person sends."""
    return fsum(kind.codes * kind.other / denominator for kind in kinds if not kind.third and not kind.weight)


def certify_batch(
    mechanism: Mechanism, definition: PrivacyDefinition, size: BatchSize, delta: Fraction
) -> BatchCertificate:
    """Bound what a batch of shuffled reports reveals, for every pair of values that the definition names.

    Args:
        mechanism: through which each of the people reports.
        definition: that a single report keeps.
        size: how many honest reports are shuffled.
        delta: the probability with which more may be revealed.

    Raises:
        SordinoError: no such size or delta; a definition of averages, or of too many pairs; a channel of too many
            codes that weigh differently for different pairs.
    """
    require_batch(size, delta)
    return _certify_laws(pair_laws(mechanism, definition), size, delta)


def _certify_laws(laws: Sequence["PairLaw"], size: BatchSize, delta: Fraction) -> BatchCertificate:
    by_bound: dict[Nats, list[PairLaw]] = {}
    for law in laws:
        by_bound.setdefault(law.promised, []).append(law)
    pairs = (_worst(found, size, delta) for _, found in sorted(by_bound.items(), key=lambda each: each[0]))
    return BatchCertificate(size, delta, tuple(pairs))


def require_batch(size: BatchSize, delta: Fraction) -> None:
    """Refuse a batch that no bound is about.

    Raises:
        SordinoError: a number of reports below 1, or too large; a delta outside 1e-15..1.
    """
    if not 1 <= size.people <= LARGEST_BATCH:
        rule, step = f"a batch must be of 1 to {LARGEST_BATCH:,} honest reports", "say how many are shuffled together"
        raise SordinoError(rule, found=shown(size.people), step=step)
    if not Fraction(1, 10**15) <= delta < 1:
        step = "a usual one is 1e-6, far below one over the number of people"
        raise SordinoError("a batch's delta must be at least 1e-15 and below 1", found=f"{float(delta):g}", step=step)


def _worst(laws: Sequence[PairLaw], size: BatchSize, delta: Fraction) -> PairBounds:
    """The bounds of that pair which has the largest one; every pair is looked at."""
    wanted = float(delta)
    first, *others = sorted(laws, key=lambda law: law.rank, reverse=True)
    worst, ratio = first, least_ratio(first.above(size, wanted), first.most, delta)
    for law in others:
        if law.most <= ratio:
            continue
        above = law.above(size, wanted)
        if above(ratio) > delta:
            worst, ratio = law, least_ratio(above, law.most, delta)
    alone = max(law.most for law in laws)
    tests = [(law, test) for law in {first: None, worst: None} for test in law.lower_bounds(size, wanted)]
    below = max(largest_ratio(test.about, test.below, law.most, delta) for law, test in tests)
    return PairBounds(
        worst.value, worst.other, worst.promised, Nats.log(alone), Nats.log(ratio), Nats.log(min(below, ratio))
    )


@dataclass(frozen=True, repr=False)
class DrawnBatch:
    """The bounds of a batch of people each of whom is drawn for one of several questions, unseen.

    Attributes:
        parts: of each question, for somebody known to be drawn for it: how many others are is left to chance.
        above, below: of the whole record, whose every answer may differ, where nobody sees who was drawn for which.
        names: of the questions, where they have any.
    """

    parts: tuple[BatchCertificate, ...]
    above: Nats
    below: Nats
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return batch_line("DrawnBatch", self)

    @property
    def people(self) -> int:
        """How many honest reports are shuffled."""
        return self.parts[0].size.people

    @property
    def delta(self) -> Fraction:
        """The probability with which more may be revealed."""
        return self.parts[0].delta

    @property
    def report_loss(self) -> Nats:
        """The most that one report reveals."""
        return max(part.report_loss for part in self.parts)

    @property
    def is_hidden(self) -> bool:
        """Whether the batch is shown to reveal less than one report alone."""
        return self.above < self.report_loss


def certify_drawn(
    asked: Sequence[tuple[Mechanism, PrivacyDefinition, Fraction]],
    people: int,
    delta: Fraction,
    names: tuple[str, ...] = (),
    *,
    apart: bool = False,
) -> DrawnBatch:
    """Bound what a batch reveals about people each of whom is drawn for one of several questions.

    Args:
        asked: the mechanism and the promise of each question, and how likely each person is drawn for it.
        people: how many honest reports are shuffled, of all questions.
        delta: the probability with which more may be revealed.
        names: of the questions.
        apart: whether records may have any values of all questions together, as where no attribute is in two.

    Raises:
        SordinoError: as of `certify_batch`.
    """
    # Questions that are asked alike have equal bounds.
    found: dict[tuple[str, str, Fraction], BatchCertificate] = {}
    laws: dict[tuple[str, str, Fraction], tuple[PairLaw, ...]] = {}
    keys = [
        (mechanism.fingerprint, str(definition.epsilon if isinstance(definition, LDP) else id(definition)), share)
        for mechanism, definition, share in asked
    ]
    for key, (mechanism, definition, share) in zip(keys, asked, strict=True):
        if key not in found:
            require_batch(BatchSize(people, share), delta)
            laws[key] = pair_laws(mechanism, definition)
            found[key] = _certify_laws(laws[key], BatchSize(people, share), delta)
    parts = tuple(found[key] for key in keys)
    if len(asked) == 1:
        return DrawnBatch(parts, parts[0].above, parts[0].below, names)
    drawn = [
        (times * key[2], _QuestionDivergence(laws[key], BatchSize(people, key[2]), float(delta)))
        for key, times in Counter(keys).items()
        if laws[key]
    ]
    if not drawn:
        return DrawnBatch(parts, Nats.of(0), Nats.of(0), names)
    # Delta averaged over the draw of the one question: true even where it is known who was drawn for which.
    most = max(own.most for _, own in drawn)
    above = least_ratio(lambda ratio: sum((s * own.above(ratio, 1) for s, own in drawn), Fraction(0)), most, delta)
    if above < most and sum((s * own.above(above) for s, own in drawn), Fraction(0)) > delta:
        # Another pair is the worst one of a question.
        above = least_ratio(lambda ratio: sum((s * own.above(ratio) for s, own in drawn), Fraction(0)), most, delta)
    whole = _WholeBatch([(laws[key], key[2], times) for key, times in Counter(keys).items() if laws[key]], people)
    ratio = min(above, whole.above(above, delta))
    return DrawnBatch(parts, Nats.log(ratio), Nats.log(min(ratio, whole.below(most, delta, apart=apart))), names)


class _WholeBatch:
    """A batch in which nobody sees who was drawn for which question: one channel from records to questions and codes.

    Args:
        drawn: of questions that are asked alike the laws, how likely people are drawn for each, and how many there are.
        people: how many honest reports are shuffled.
    """

    def __init__(self, drawn: Sequence[tuple[Sequence["PairLaw"], Fraction, int]], people: int) -> None:
        self._drawn, self._size = drawn, BatchSize(people)
        self._whole = lcm(*(laws[0].denominator * share.denominator for laws, share, _ in drawn))

    def above(self, known: Fraction, delta: Fraction) -> Fraction:
        """An upper bound of the factor by the blanket, over all in which two records may differ, question by question.

        Args:
            known: a bound that is as good; it is given back where there is too much to differ in.
            delta: the probability with which more may be revealed.
        """
        choices = [_choices(laws) for laws, _, _ in self._drawn]
        ways = prod(comb(len(one) + times - 1, times) for one, (_, _, times) in zip(choices, self._drawn, strict=True))
        if ways > LARGEST_DIFFERENCES:
            return known
        most = max(law.most for laws, _, _ in self._drawn for law in laws)
        each = (
            [[(kinds, number) for kinds in some] for some in combinations_with_replacement(choices[number], times)]
            for number, (_, _, times) in enumerate(self._drawn)
        )
        differences = [self._kinds([*chain.from_iterable(chosen)]) for chosen in product(*each)]
        ratio = Fraction(1)
        for kinds in sorted(differences, key=lambda own: _distance(own, self._whole), reverse=True):
            divergence = partial(divergence_above, kinds, self._whole, self._size, wanted=float(delta))
            if divergence(ratio) > delta:
                ratio = least_ratio(divergence, most, delta)
        return ratio

    def below(self, most: Fraction, delta: Fraction, *, apart: bool) -> Fraction:
        """The largest factor that a test shows.

        Two records differ in one question at least, where questions are apart in all: what is sent about the others is
        as likely of both, one code.
        """
        tried = [[(number, 1)] for number in range(len(self._drawn))]
        if apart:
            tried.append([(number, times) for number, (_, _, times) in enumerate(self._drawn)])
        found = Fraction(1)
        for differing, measure in product(tried, (_distance, _decision_share)):
            parts = []
            for number, times in differing:
                worst = max(self._drawn[number][0], key=lambda law: law.rank)
                most_telling = [measure(kinds, worst.denominator) for kinds in worst.tests]
                parts += [(worst.tests[most_telling.index(max(most_telling))], number)] * times
            test = ScoreTest(self._kinds(parts), self._whole, self._size)
            found = max(found, largest_ratio(test.about, test.below, most, delta))
        return found

    def _kinds(self, parts: Sequence[tuple[Kinds, int]]) -> Kinds:
        """The kinds of all codes, by those of some questions; of all others one code."""
        found: Counter[tuple[int, int, int]] = Counter()
        for kinds, number in parts:
            laws, share, _ = self._drawn[number]
            times = self._whole * share.numerator // (laws[0].denominator * share.denominator)
            for codes, weight, other, third in kinds:
                found[times * weight, times * other, times * third] += codes
        rest = self._whole - sum(codes * weights[0] for weights, codes in found.items())
        return (*(CodeKind(codes, *weights) for weights, codes in found.items()), CodeKind(1, rest, rest, rest))


def _choices(laws: Sequence["PairLaw"]) -> list[Kinds]:
    """In what two records may differ at one question: the kinds of its pairs of values, and of equal values.

    A value that no pair is protected at is the only one of its block, which all others have, too: its codes are as
    likely of everybody, which is in the middle of what equal values of others are, and so distinguishes no better.
    """
    equal = {
        tuple(sorted(CodeKind(kind.codes, kind[at], kind[at], kind.third) for kind in law.kinds))
        for law in laws
        for at in (1, 2)
    }
    return [*(law.kinds for law in laws), *equal]


class _QuestionDivergence:
    """The divergence of batches of the people who are drawn for one question, over all its pairs of values."""

    def __init__(self, laws: Sequence["PairLaw"], size: BatchSize, wanted: float) -> None:
        self.most = max(law.most for law in laws)
        ranked = sorted(laws, key=lambda law: law.rank, reverse=True)
        self._bounds = [(law.most, law.above(size, wanted)) for law in ranked]

    def above(self, ratio: Fraction, pairs: int | None = None) -> Fraction:
        """An upper bound for a factor, over all pairs or those that are probably the worst."""
        return max((bound(ratio) for most, bound in self._bounds[:pairs] if most > ratio), default=Fraction(0))


def pair_laws(mechanism: Mechanism, definition: PrivacyDefinition) -> tuple[PairLaw, ...]:
    """The kinds of codes of all pairs of values that are named, those that are alike once.

    Raises:
        SordinoError: as of `certify_batch`; a pair that one report distinguishes without bound.
    """
    if definition.certificate_basis == "averages":
        raise beliefs_after_shuffling(type(definition).__name__)
    if mechanism.set_sizes is not None:
        found = list(_laws_of_sets(mechanism, definition))
    else:
        found = list(_laws_of_values(mechanism, cast("PairwiseDefinition", definition)))
    laws = {(law.promised, law.kinds, law.only): law for law in reversed(found)}
    if any(kind.weight and not kind.other for law in laws.values() for kind in law.kinds):
        step = "certify the mechanism without a batch first"
        raise SordinoError("a report must not decide between protected values", found="one that does", step=step)
    return tuple(laws.values())


def beliefs_after_shuffling(found: str) -> SordinoError:
    """What is said where an attribute's delta is asked of a batch."""
    return SordinoError(
        "nothing is known of averages over beliefs once reports are shuffled",
        found=found,
        step="give LDP, blocks, sensitive values or distances",
    )


def _laws_of_sets(mechanism: Mechanism, definition: PrivacyDefinition) -> Iterator[PairLaw]:
    """Of two sets that share so many items, of each such number; the others have any set, in tests one without these.

    Of c, u, v and t items of a code in both sets, in one, in the other and in the third, there are as many codes as
    ways to choose them.
    """
    if not isinstance(definition, LDP):
        raise SordinoError("sets of items must be protected from each other alike", found=type(definition).__name__)
    items, chosen, size = mechanism.set_sizes or (0, 0, 0)
    fewest = max(0, chosen + size - items)
    weights = {fewest + place: own.weight for place, own in enumerate(checked_overlaps(mechanism))}
    least = min(weights.values())
    for both in range(max(0, 2 * chosen - items), chosen):
        apart = chosen - both
        third = chosen if chosen <= LARGEST_SETS and items >= 3 * chosen - both else 0
        rest = items - chosen - apart - third
        joint: Joint = Counter()
        for c, u, v, t in product(*(range(min(part, size) + 1) for part in (both, apart, apart, third))):
            left = size - c - u - v - t
            if 0 <= left <= rest:
                ways = comb(both, c) * comb(apart, u) * comb(apart, v) * comb(third, t) * comb(rest, left)
                joint[weights[c + u], weights[c + v], weights[t] if third else weights[c + v], least] += ways
        # Ranks of sets of the first items, and of as many of which the first ones are left out.
        other = sum(comb(place + apart, place + 1) for place in range(chosen))
        yield PairLaw(
            0, other, definition.epsilon, mechanism.denominator, _kinds(joint, 3), (_kinds(joint, 2),), only=False
        )


def _laws_of_values(mechanism: Mechanism, definition: PairwiseDefinition) -> Iterator[PairLaw]:
    """Of each pair of values that is named, of those that classes of outputs treat alike one."""
    alike = isinstance(definition, LDP | BlockLDP | HighLowLDP)
    if not alike and mechanism.k**2 > LARGEST_PAIRS:
        raise _too_many(mechanism.k**2)
    classes = _Classes(mechanism)
    seen: set[tuple[tuple[int, ...], ...]] = set()
    looked_at = 0
    for among in _components(definition, mechanism.k):
        marks: list[tuple[int, ...]] = classes.marks(among) if alike else [(value,) for value in among.tolist()]
        if isinstance(definition, HighLowLDP):
            marks = [(*own, kind) for own, kind in zip(marks, definition.is_sensitive[among].tolist(), strict=True)]
        groups: dict[tuple[int, ...], list[int]] = {}
        for value, mark in zip(among.tolist(), marks, strict=True):
            groups.setdefault(mark, []).append(value)
        key = tuple(sorted(mark for mark, values in groups.items() for _ in values))
        if key in seen:
            continue
        seen.add(key)
        looked_at += len(groups) ** 2
        if looked_at > LARGEST_PAIRS:
            raise _too_many(looked_at)
        for one, two in product(groups.values(), repeat=2):
            value, other = one[0], two[1 if one is two and len(two) > 1 else 0]
            bound = None if value == other else definition.bound(value, other)
            if bound is not None:
                yield _law(classes, value, other, bound, among, groups.values())


def _too_many(pairs: int) -> SordinoError:
    rule, step = f"a batch's bound looks at no more than {LARGEST_PAIRS:,} pairs of values", "protect them by blocks"
    return SordinoError(rule, found=f"{pairs:,}", step=step)


def _law(
    classes: "_Classes",
    value: int,
    other: int,
    bound: Nats,
    among: NDArray[np.intp],
    groups: Iterable[Sequence[int]],
) -> PairLaw:
    joint = classes.joint((value, other), among)
    if joint is None:
        raise SordinoError(
            "a batch's bound needs to know on which codes two values weigh alike",
            found="a channel that tells it for no pair, with too many codes to list",
            step="ask about fewer values",
        )
    thirds = [next((one for one in group if one not in (value, other)), None) for group in groups]
    found = (classes.joint((value, other, one), among) for one in thirds[:COMPOSITIONS] if one is not None)
    tests = [_kinds(three, 2) for three in found if three is not None]
    third = next((one for one in thirds if one is not None), None)
    if third is not None and not tests:
        tests += classes.kinds_by_weight((value, other, third))
    tests += [tuple(CodeKind(*kind[:3], kind[own]) for kind in _kinds(joint, 2)) for own in (1, 2)]
    denominator = classes.denominator
    kinds = _kinds(joint, 2)
    if any(sum(kind.codes * kind[own] for kind in kinds) != denominator for own in (1, 2)):
        raise SordinoError(
            "the weights of every value's outputs must add up to the denominator",
            found="kinds of codes that leave some out",
            step="the mechanism's columns() is wrong; do not use it",
        )
    return PairLaw(value, other, bound, denominator, kinds, tuple(tests), only=len(among) == 2)


def _kinds(joint: Joint, third: int) -> Kinds:
    """By two weights and that at the place `third`, in one order."""
    found: Counter[tuple[int, int, int]] = Counter()
    for weights, count in joint.items():
        found[weights[0], weights[1], weights[third]] += count
    return tuple(CodeKind(count, *weights) for weights, count in sorted(found.items()) if count)


def _components(definition: PairwiseDefinition, k: int) -> Iterator[NDArray[np.intp]]:
    """The values that the others have: all, or those of the block that everybody of the batch is known to be in."""
    if isinstance(definition, BlockLDP | PairwiseLDP):
        partition = definition.partition if isinstance(definition, BlockLDP) else definition.components
        yield from (partition.values(block) for block in range(partition.m) if partition.sizes[block] > 1)
    else:
        yield np.arange(k)


class _Classes:
    """A channel's checked classes of outputs: of which kinds the codes are for some values together.

    Those with one weight of each value stand in a table, a row a class.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism, self.denominator = mechanism, mechanism.denominator
        stacks = list(CheckedClasses(mechanism))
        if not all(map(_is_known, stacks)) and can_enumerate(mechanism):
            stacks = [ColumnStack.of(column) for column in output_columns(mechanism)]
        single = [one for one in stacks if len(one) == 1 and all(len(part.weights) == 1 for part in one.parts)]
        self._stacks = [one for one in stacks if not any(one is other for other in single)] if single else stacks
        if len(single) * mechanism.k > LARGEST_TABLE:
            rule = f"a batch's bound looks at no more than {LARGEST_TABLE:,} weights"
            raise SordinoError(rule, found=f"{len(single) * mechanism.k:,}", step="ask about fewer values")
        self._weights = sorted({0, *(part.weights[0][0] for one in single for part in one.parts)})
        place = {weight: number for number, weight in enumerate(self._weights)}
        self._table = np.zeros((len(single), mechanism.k), dtype=np.int64)
        self._counts = [one.count for one in single]
        for row, one in zip(self._table, single, strict=True):
            for part in one.parts:
                row[part.values[0]] = place[part.weights[0][0]]
        # Of the other stacks each value's class and its part, or -1.
        self._row = np.full((len(self._stacks), mechanism.k), -1)
        self._part = np.full((len(self._stacks), mechanism.k), -1)
        for at, stack in enumerate(self._stacks):
            for number, part in enumerate(stack.parts):
                self._row[at, part.values] = np.arange(len(stack))[:, np.newaxis]
                self._part[at, part.values] = number

    @cached_property
    def _mark(self) -> NDArray[np.intp]:
        """Equal for values that are treated alike, in whichever class of a stack, shape (k,)."""
        treated = np.vstack((self._part, self._table))
        return np.unique(treated, axis=1, return_inverse=True)[1].ravel()

    def marks(self, among: NDArray[np.intp]) -> list[tuple[int, ...]]:
        """Equal for values of a block that are treated alike: in the same class, where the block is in several."""
        rows = self._row[:, among]
        spread = rows[(rows != rows[:, :1]).any(axis=1)]
        return list(map(tuple, np.vstack((self._mark[among], spread)).T.tolist()))

    def joint(self, values: tuple[int, ...], among: NDArray[np.intp]) -> Joint | None:
        """How many codes have which weights of the values, and which least one among others; None if unknown."""
        found: Joint = Counter()
        if len(self._table):
            least = self._table[:, among].min(axis=1)
            columns = np.column_stack((self._table[:, list(values)], least))
            for numbers, count in zip(columns.tolist(), self._counts, strict=True):
                found[tuple(self._weights[number] for number in numbers)] += count
        for at, stack in enumerate(self._stacks):
            for row in {self._row[at, value].item() for value in values} - {-1}:
                places = [self._part[at, one].item() if self._row[at, one] == row else -1 for one in values]
                own = _joint_of(stack, places)
                if own is None:
                    return None
                least = self._least(at, row, among)
                for weights, count in own.items():
                    found[*weights, least] += count
        return found

    def kinds_by_weight(self, values: tuple[int, int, int]) -> Iterator[Kinds]:
        """The kinds of codes of three values, from each weight; of too many codes none."""
        if self._mechanism.outputs <= LARGEST_LIST:
            weigh = self._mechanism.weight
            every = range(self._mechanism.outputs)
            yield _kinds(Counter(tuple(weigh(one, code) for one in values) for code in every), 2)

    def _least(self, at: int, row: int, among: NDArray[np.intp]) -> int:
        """The least weight that any of the others' values is said to have on codes of a class."""
        if (self._row[at, among] != row).any():
            return 0
        parts = self._stacks[at].parts
        numbers: list[int] = np.unique(self._part[at, among]).tolist()
        least: int = min(weight for number in numbers for weight, _ in parts[number].weights)
        return least


def _is_known(stack: ColumnStack) -> bool:
    """Whether a stack tells on how many codes any two values weigh alike."""
    several = [part for part in stack.parts if len([1 for _, count in part.weights if count]) > 1]
    return len(several) <= 1 and all(part.shared and len(part.weights) == 2 for part in several)


def _joint_of(stack: ColumnStack, places: Sequence[int]) -> Joint | None:
    """How many codes of a class have which weights of values in these parts; -1 where one weighs nothing."""
    parts: list[ValueClass | None] = [None if place < 0 else stack.parts[place] for place in places]
    several = [at for at, part in enumerate(parts) if part is not None and len(part.weights) > 1]
    fixed = [0 if part is None else part.weights[0][0] for part in parts]
    if not several:
        return Counter({tuple(fixed): stack.count})
    part = cast("ValueClass", parts[several[0]])
    if len({places[at] for at in several}) > 1 or len(several) > 1 + len(part.shared) or len(part.weights) != 2:
        return None
    (first, held), (second, _) = part.weights
    # Codes on which so many chosen values have the first weight, by inclusion and exclusion.
    meet = (stack.count, held, *part.shared)
    found: Joint = Counter()
    for are_first in product((True, False), repeat=len(several)):
        ones, rest = sum(are_first), len(several) - sum(are_first)
        count = sum((-1) ** more * comb(rest, more) * meet[ones + more] for more in range(rest + 1))
        if count < 0:
            raise SordinoError(
                "pairs of values must share a possible number of codes",
                found=shown(part.shared),
                step="the mechanism's columns() is wrong; do not use it",
            )
        weights = list(fixed)
        for at, is_first in zip(several, are_first, strict=True):
            weights[at] = first if is_first else second
        found[tuple(weights)] += count
    return found
