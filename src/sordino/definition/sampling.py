"""What a person's answers are about, and how much each can tell: the sampling rule and the mixture rule.

A public type is drawn without looking at the record; given the type, its answers are independent given the record. A
person answers once. For attribute i, what a type tells is at most

    a + ln(1 + q (e^b - 1)),

a the levels of its answers that touch i, added; b those of the others; q the largest total variation between the laws
of all that the others are about, together, given two values of i. Where the only answer is about one statistic s, and
linear in it, it is ln(1 + q_i(s) (e^level - 1)), whether or not s touches i; where it is about a table, a combination
of categories that do not touch i, the same with the q of the table's law; where it is about a category together with
the sign of a number, with the q of the law of both (`Dependence.of_category_sign`). Where the only answer is about the
bins of a number, through a channel whose codes have probabilities that rise or fall in few pieces from bin to bin, the
same with what bounds on the number's distribution function make of it (`Dependence.of_thresholds`). Where the only
answer sends signs with errors drawn from a table, the loss is told exactly from the table (the smallest bound that
holds for every belief within q).

A number's q_i(s) may be half the largest gap of its conditional means, and that bounds nothing but what is linear in
it: two laws with one mean can differ in everything else, so that several levels of the number tell them apart. A bit
is linear up to the rounding of float64: with a bound on means, and only then, it can tell 2^-52 (e^level + 1) nats
more than is said here, 1e-12 at level 8 and nothing to rely on beyond 30.

Guarantee: results are exact, or rounded against the user in the 40th digit. Source: BCDP paper, Assumption 1 and
Definition 4, read per statistic; the rules are proved where they are used (`dependent_loss`, `table_loss`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from sordino.definition.bounded_dependence import BoundOnVariation, Dependence, read_variation
from sordino.domain.moment import Moment, all_places
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import FIRST_DIGITS, Nats, NatsLike, exponential

NOTHING = Nats(Fraction(0))

PAIR = 2


@dataclass(frozen=True)
class Answer:
    """One answer of a type: about some statistics together, through a channel.

    Attributes:
        statistics: all that the channel looks at. Categories that it looks at together stand one by one: two places in
            one statistic are the product of two numbers, and bounds for it serve no other function of them.
        level: the LDP level of the channel over all values of these statistics, rounded up.
        errors: for a channel that sends one sign for each of some numbers, each number rounded to a sign at random by
            itself: the weight of each pattern of wrong signs, 2^m whole numbers >= 1, bit c for the c-th of the
            statistics. Empty for any other channel.
        table: whether the statistics are categories whose combination is looked at as one value: the bounds for this
            combination serve it, and none for its parts.
        signed: whether the statistics are a category and, after it, a number of which nothing but the sign is looked
            at, together or as their product: the bounds for the category with this sign serve it.
        linear: whether the probability of each code is linear in the one statistic: of a number one bit is, several
            levels are not; of a category everything is. Only then do bounds for this statistic alone serve; else those
            for the rest do.
        pieces: of a channel over the bins of one number: in how many monotone pieces the probability of each code rises
            or falls from bin to bin, at most; 0 of any other channel.
    """

    statistics: tuple[Moment, ...]
    level: Nats
    errors: tuple[int, ...] = ()
    linear: bool = False
    table: bool = False
    signed: bool = False
    pieces: int = 0

    def __post_init__(self) -> None:
        otherwise = self.linear or self.errors or self.table or self.signed
        if self.pieces and (otherwise or list(map(len, self.statistics)) != [1]):
            raise SordinoError("an answer about bins must be about one number", found=shown(self.statistics))
        if self.table or self.signed:
            places = [place for statistic in self.statistics for place in statistic]
            if self.linear or self.errors or len(places) != len(self.statistics) or len(set(places)) < len(places):
                raise SordinoError("a table must be of the values of different attributes", found=shown(places))
            if self.signed and (self.table or len(places) != PAIR):
                raise SordinoError("a sign must be read with one category", found=shown(places))
        if self.linear and len(self.statistics) != 1:
            raise SordinoError("a linear answer must be about one statistic", found=str(len(self.statistics)))
        if not self.errors:
            return
        plain = all(len(statistic) == 1 for statistic in self.statistics)
        if not plain or len(set(self.statistics)) < len(self.statistics):
            raise SordinoError("a table of errors must be about the signs of different numbers", found="products")
        if len(self.errors) != 1 << len(self.statistics) or min(self.errors) < 1:
            raise SordinoError(
                f"a table of errors about {len(self.statistics)} signs must have {1 << len(self.statistics)} weights "
                ">= 1",
                found=f"{len(self.errors)}, the least {min(self.errors)}",
            )
        if Nats.log(Fraction(max(self.errors), min(self.errors))) > self.level:
            raise SordinoError("an answer's level must not be below its table's", found=shown(self.level))

    @property
    def places(self) -> frozenset[int]:
        return all_places(self.statistics)

    @property
    def sole_statistic(self) -> Moment | None:
        """The one statistic whose own bounds serve it, if there is such a one: one sign is linear in its number."""
        return self.statistics[0] if len(self.statistics) == 1 and (self.linear or self.errors) else None


AnswerType: TypeAlias = tuple[Answer, ...]
"""The answers that are given together when the type is drawn."""


def sampling_deltas(types: Sequence[AnswerType], dependence: Dependence) -> tuple[Nats, ...]:
    """For each attribute, a bound on what one report tells of it to whoever believes within the dependence bounds.

    The types are what a person can be drawn to answer, once.

    Example:
        >>> coin = Answer(((1,),), Nats.of("ln 3"), linear=True)
        >>> [str(delta) for delta in sampling_deltas([(coin,)], Dependence.bounded(["1/2", 1]))]
        ['ln 2', 'ln 3']
    """
    # Many types have equal totals, which are compared exactly.
    totals = {answers: _total(answers) for answers in types}
    rank = {total: place for place, total in enumerate(sorted(set(totals.values()), reverse=True))}
    distinct = sorted(totals, key=lambda answers: rank[totals[answers]])
    touching: list[list[AnswerType]] = [[] for _ in range(dependence.d)]
    for answers in distinct:
        for place in sorted(_places(answers)):
            if place >= dependence.d:
                raise SordinoError(
                    f"answers must be about {dependence.d} attributes", found=f"one about {shown(place)}"
                )
            touching[place].append(answers)
    losses = _Losses(dependence)
    untouched = losses.other_losses([(answers, _total(answers), _places(answers)) for answers in distinct])

    @cache
    def largest(found: frozenset[Nats]) -> Nats:
        return max(found)

    return tuple(
        largest(frozenset({NOTHING, *(losses.touching_loss(i, answers) for answers in touching[i]), *untouched(i)}))
        for i in range(dependence.d)
    )


def served_alone(types: Sequence[AnswerType]) -> frozenset[Moment]:
    """The statistics whose own bounds `sampling_deltas` may look at.

    Tables, categories with a number's sign and bins have bounds of their kind; all else takes those of the rest.
    """
    alone = {answer.sole_statistic for answers in types for answer in answers if answer.sole_statistic is not None}
    # Of two signs with a common table, the other one.
    pairs = {
        name
        for answers in types
        for one in answers
        if one.errors and len(one.statistics) == 2
        for name in one.statistics
    }
    return frozenset(alone | pairs)


def sampling_level(types: Sequence[AnswerType]) -> Nats:
    """The LDP level of one report: the largest sum of levels of a type's answers."""
    return max({_total(answers) for answers in types}, default=NOTHING)


def dependent_loss(level: NatsLike, variation: BoundOnVariation) -> Nats:
    """The loss ln(1 + q (e^level - 1)) through something that depends on the attribute within total variation q.

    Given two values of the attribute its law is (1 - q) R + q A and (1 - q) R + q B. A channel's probabilities lie
    within a factor e^level, say from 1 to e^level; so the ratio is largest where R meets 1, A e^level and B 1.

    Example:
        >>> str(dependent_loss("ln 5", "1/4"))
        'ln 2'
    """
    amount, q = Nats.of(level), read_variation(variation)
    if amount.sign() < 0:
        raise SordinoError("a level must not be negative", found=shown(amount))
    if q in (0, 1):
        return amount if q else NOTHING
    return Nats.log(1 - q + q * _factor(amount)[1])


def largest_level(delta: NatsLike, variation: BoundOnVariation) -> Nats | None:
    """The largest level whose `dependent_loss` is at most delta, rounded down; None where there is no limit (q = 0).

    Example:
        >>> str(largest_level("ln 2", "1/4"))
        'ln 5'
    """
    amount, q = Nats.of(delta), read_variation(variation)
    if amount.sign() < 0:
        raise SordinoError("a delta must not be negative", found=shown(amount))
    if q == 0:
        return None
    if q == 1:
        return amount
    return Nats.log(1 + max(_factor(amount)[0] - 1, Fraction(0)) / q)


def table_loss(errors: Sequence[int], position: int, variation: BoundOnVariation) -> Nats:
    """What signs with errors from a table tell of the number at a position, exactly, for beliefs within q of the rest.

    F(s, u) is the weight of a code where its own sign is s and the others are u. Given a value of the number, or a bin
    that it falls in, the law of u is (1 - q) R + q A, or (1 - q) R + q B given another one. Within a bin its own sign
    may go with u in any way; so the ratio is largest where one u under R, and the extremes under A and B meet, each
    with the own sign that makes most of it. Two numbers can have the same sign, so equal signs count too. All codes are
    alike but for the names of the signs.

    Example:
        >>> str(table_loss((4, 2, 2, 1), 0, 0)), str(table_loss((4, 2, 2, 1), 0, 1))
        ('ln 2', 'ln 4')
    """
    q = read_variation(variation)
    bit = 1 << position
    own = {(weight, errors[pattern | bit]) for pattern, weight in enumerate(errors) if not pattern & bit}
    same, other = q.denominator - q.numerator, q.numerator
    most, least = other * max(errors), other * min(errors)
    return Nats.log(max(Fraction(same * max(pair) + most, same * min(pair) + least) for pair in own))


class _Losses:
    """What types tell of an attribute; the same losses come up again and again, and each is worked out once."""

    def __init__(self, dependence: Dependence) -> None:
        self._dependence = dependence
        self._through_others, self._through_table = cache(dependent_loss), cache(table_loss)

    def touching_loss(self, i: int, answers: AnswerType) -> Nats:
        """Through a type that touches attribute i."""
        if len(answers) == 1 and answers[0].sole_statistic is not None:
            return self._through_others(answers[0].level, self._dependence.of(i, answers[0].sole_statistic))
        if len(answers) == 1 and answers[0].errors:
            statistics = answers[0].statistics
            others = [statistic for statistic in statistics if statistic != (i,)]
            # One other sign is linear in its number.
            variation = self._dependence.of(i, others[0]) if len(others) == 1 else self._dependence.of_rest(i)
            return self._through_table(answers[0].errors, statistics.index((i,)), variation)
        rest = tuple(answer for answer in answers if i not in answer.places)
        level = _total(tuple(answer for answer in answers if i in answer.places))
        return level + self._through_others(_total(rest), self._variation(i, rest))

    def other_losses(
        self, by_level: Sequence[tuple[AnswerType, Nats, frozenset[int]]]
    ) -> Callable[[int], Iterator[Nats]]:
        """Through those types, of falling level, that do not touch an attribute, as long as they can matter."""

        def losses(i: int) -> Iterator[Nats]:
            for answers, level, places in by_level:
                if i not in places:
                    variation = self._variation(i, answers)
                    yield self._through_others(level, variation)
                    if variation == self._dependence.of_rest(i):
                        # All that follow have a lower level, and no larger variation.
                        return

        return losses

    def _variation(self, i: int, others: AnswerType) -> Fraction:
        """The q of attribute i for answers that do not touch it: of what it looks at if it is alone."""
        if len(others) == 1 and others[0].table:
            return self._dependence.of_table(i, tuple(sorted(others[0].places)))
        if len(others) == 1 and others[0].signed:
            (category,), (number,) = others[0].statistics
            return self._dependence.of_category_sign(i, (category, number))
        if len(others) == 1 and others[0].pieces:
            ((number,),) = others[0].statistics
            return self._dependence.of_thresholds(i, number, others[0].pieces)
        alone = others[0].sole_statistic if len(others) == 1 else None
        return self._dependence.of_rest(i) if alone is None else self._dependence.of(i, alone)


def _places(answers: AnswerType) -> frozenset[int]:
    return frozenset(place for answer in answers for place in answer.places)


def _total(answers: AnswerType) -> Nats:
    # Most types are one answer: its level is the sum.
    return answers[0].level if len(answers) == 1 else sum((answer.level for answer in answers), NOTHING)


def _factor(amount: Nats) -> tuple[Fraction, Fraction]:
    """Rationals around e^amount, whose distance is below 1e-39 of e^amount - 1; equal where it is rational."""
    # Small amounts need more digits, for what counts is how far the factor is above 1.
    digits = FIRST_DIGITS + max(0, len(str(amount.rational.denominator)) - len(str(abs(amount.rational.numerator))))
    low, high = exponential(amount.rational, digits + int(abs(amount.rational)))
    return amount.ratio * low, amount.ratio * high
