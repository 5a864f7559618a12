"""What a promise means, and what one answer to a query can reveal, in plain words: odds, beliefs, what is unprotected.

A query reads a value of the record and answers through a finite channel, so whatever no two values exceed, no two
records exceed. Of several queries each person answers one, so that a report reveals what the worst of them does, at
most; the losses of answers that one report gives together add. Numbers round against the promise: the most that can be
learned is rounded up, never down. Cost: a certificate for each mechanism, and a pass over its weights where attributes
are read together. Source: the bounds on posterior odds of the context-aware LDP paper, Section 3.2, with the evidence
of one report.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby
from typing import TypeAlias

from sordino.accounting.approximate import ApproximateFilter
from sordino.accounting.filter import BayesianFilter
from sordino.accounting.joint_filter import JointFilter
from sordino.accounting.odometer import Odometer
from sordino.accounting.quota import QuotaFilter
from sordino.audit.certificate import Certificate, Witness, certify
from sordino.audit.classes import can_enumerate
from sordino.audit.levels import coordinate_levels
from sordino.audit.loss_certificate import LossCertificate
from sordino.blocks.sentence import texts
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.bounds import LARGEST_EPSILON
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.people_needed import people_needed
from sordino.errors import SordinoError
from sordino.estimation.unbiased import leverage
from sordino.exact.messages import checked
from sordino.exact.nats import Nats, outward
from sordino.mechanism.base import Mechanism
from sordino.mechanism.record_channel import RecordChannel
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.statistic import Values, attribute_list
from sordino.query.together import Together
from sordino.survey.kinds.question_forecast import in_two_digits
from sordino.survey.planning.plan import Plan
from sordino.words.explain_certificate import certificate_sentences, verdict_sentences
from sordino.words.explain_filter import counted_sentences
from sordino.words.explain_plan import codes_sentence, explanation, forged_sentence
from sordino.words.odds import example_sentences, factor, promise

Questions: TypeAlias = Query | Together | Sampled
"""Whatever is asked without a plan."""

Losses: TypeAlias = Mapping[str | int, Nats | None]
"""Losses by attribute; None where a loss has no limit."""

FEW = 8
"""Questions that are spelled out, at most."""

POINTS = 5
"""Percentage points of a share, to each side, for which people are counted."""

Z = 1.96
"""Standard errors to each side of an interval of 95 %."""


def query_sentences(asked: Questions) -> tuple[str, ...]:
    """What is asked, how far one report can change odds, where it changes them most, and what is sent.

    Raises:
        SordinoError: a mechanism whose outputs do not add up, or are not as it tells.

    Example:
        >>> from sordino import Number, RandomizedResponse
        >>> sentences = query_sentences(Query(Number(0, 3), RandomizedResponse(3, "ln 3")))
        >>> for sentence in sentences[:2] + sentences[4:5]: print(sentence)
        Each person is asked for attribute 0, rounded at random to one of 3 points of its range.
        Whatever else somebody knows, one report changes the odds between any two values of attribute 0 by a factor of at most 3.
        Tightest case: code 0 is at most 3 times as probable for -1 as for 0.
    """  # noqa: E501 - a sentence as it is
    drawn = tuple(_answers(asked))
    worst = max(drawn, key=lambda answers: (answers.loss is None, answers.loss or Nats.of(0)))
    odds = _limitless_sentences(drawn) if worst.loss is None else _factor_sentences(drawn, worst.loss)
    alone = worst.queries[0] if len(drawn) == len(worst.queries) == 1 else None
    return (
        *_what_is_asked(drawn),
        *odds,
        *(_tightest_case(query, name=alone is None) for query in worst.queries if _reveals(query, worst.loss)),
        codes_sentence(asked.code_bits),
        *(() if alone is None else _about_shares(alone)),
    )


@dataclass(frozen=True)
class _Answers:
    """What somebody can be drawn to answer.

    Attributes:
        share: of the people who are.
        queries: one, or several that one report answers.
    """

    share: Fraction
    queries: tuple[Query, ...]

    @property
    def description(self) -> str:
        """What is asked for."""
        first = [query.statistic.description for query in self.queries[:FEW]]
        more = [f"{len(self.queries) - FEW} more"] if len(self.queries) > FEW else []
        return "; ".join([*first, *more]) + (", all in one report" if len(self.queries) > 1 else "")

    @cached_property
    def loss(self) -> Nats | None:
        """The most that a report reveals about a whole record; None where that has no limit."""
        return _total([_largest_loss(query.mechanism) for query in self.queries])

    @property
    def attribute_losses(self) -> Losses:
        """The most that a report reveals about each attribute to somebody who knows all others of the record."""
        found: dict[str | int, list[Nats | None]] = {}
        for query in self.queries:
            for name, loss in _attribute_losses(query).items():
                found.setdefault(name, []).append(loss)
        return {name: _total(losses) for name, losses in found.items()}


def _answers(asked: Questions, share: Fraction = Fraction(1)) -> Iterator[_Answers]:
    if isinstance(asked, Sampled):
        for query, weight in zip(asked.queries, asked.weights, strict=True):
            yield from _answers(query, share * weight / sum(asked.weights))
    else:
        yield _Answers(share, asked.queries if isinstance(asked, Together) else (asked,))


def _what_is_asked(drawn: Sequence[_Answers]) -> Iterator[str]:
    if len(drawn) == 1:
        yield f"Each person is asked for {drawn[0].description}."
        return
    yield (
        f"Each person is randomly assigned one of {len(drawn):,} questions, whatever their answers are; the report"
        " shows which one."
    )
    for answers in drawn[:FEW]:
        yield f"About {outward(100 * answers.share, 3, up=False)} % are asked for {answers.description}."
    if len(drawn) > FEW:
        yield f"The other {len(drawn) - FEW:,} questions are not listed here."


def _factor_sentences(drawn: Sequence[_Answers], most: Nats) -> Iterator[str]:
    if not most.sign():
        yield "A report reveals nothing: each code is equally probable for all answers."
        return
    names = dict.fromkeys(name for answers in drawn for name in answers.attribute_losses)
    alone = f"values of {attribute_list([*names])}"
    whom = alone if len(names) == 1 else "records, and so between any two values of an attribute,"
    yield (
        f"Whatever else somebody knows, one report changes the odds between any two {whom} by a factor of at most"
        f" {factor(most)}."
    )
    if any(len(answers.queries) > 1 for answers in drawn):
        yield "If one report answers several questions, their factors multiply; this is included here."
    yield from texts(example_sentences(most, "A suspicion"))
    yield from _by_attribute(drawn)


def _by_attribute(drawn: Sequence[_Answers]) -> Iterator[str]:
    """For somebody who knows all other attributes; nothing where there is one."""
    most: dict[str | int, Nats] = {}
    for answers in drawn:
        for name, loss in answers.attribute_losses.items():
            most[name] = max(most.get(name, Nats.of(0)), loss or Nats.of(0))
    if len(most) < 2:
        return
    alike: dict[str, list[str | int]] = {}
    for name in sorted(most, key=lambda name: most[name], reverse=True):
        alike.setdefault(factor(most[name]), []).append(name)
    each = [f"{own} for {attribute_list(names)}" for own, names in alike.items()]
    if len(each) > FEW:
        each = [*each[: FEW - 1], f"less than {[*alike][FEW - 2]} for all others"]
    yield f"For somebody who already knows all other attributes, the factor is at most {'; '.join(each)}."


def _limitless_sentences(drawn: Sequence[_Answers]) -> Iterator[str]:
    yield "Not all answers are protected from each other: a report can rule out a value with certainty."
    finite = [answers.loss for answers in drawn if answers.loss is not None]
    if finite:
        yield f"Questions that protect all their answers change odds by a factor of at most {factor(max(finite))}."
    yield "To see what is promised, certify the mechanism against its own definition."


def _tightest_case(query: Query, *, name: bool) -> str:
    witness, statistic = _witness(query.mechanism), query.statistic
    if witness is None:
        raise AssertionError("only a query that reveals something has a tightest case")
    of = f", about {attribute_list(statistic.attribute_names)}" if name else ""
    code = "some code" if witness.code is None else f"code {witness.code:,}"
    value, other = statistic.label(witness.value), statistic.label(witness.other)
    if witness.loss is None:
        return f"Tightest case{of}: {code} can be sent for {value} and never for {other}."
    return f"Tightest case{of}: {code} is at most {factor(witness.loss)} times as probable for {value} as for {other}."


def _about_shares(query: Query) -> Iterator[str]:
    if not isinstance(query.statistic, Values):
        return
    yield forged_sentence(leverage(query.mechanism))
    if query.mechanism.informative:
        people = people_needed(query.mechanism, stderr=POINTS / 100 / Z)
        yield (
            f"About {in_two_digits(people)} people are needed to estimate each share within {POINTS} percentage points"
            " with 95 % confidence."
        )


def _reveals(query: Query, whole: Nats | None) -> bool:
    """Whether a query has a tightest case that says something: where there is no limit, one that is the reason."""
    loss = _largest_loss(query.mechanism)
    return loss is None if whole is None else loss is not None and loss.sign() > 0


def _attribute_losses(query: Query) -> Losses:
    statistic, mechanism = query.statistic, query.mechanism
    if statistic.axes and can_enumerate(mechanism):
        names, sizes = zip(*statistic.axes, strict=True)
        return dict(zip(names, _coordinate_losses(mechanism, sizes), strict=True))
    return dict.fromkeys(statistic.attribute_names, _largest_loss(mechanism))


def _total(losses: Sequence[Nats | None]) -> Nats | None:
    finite = [loss for loss in losses if loss is not None]
    return sum(finite, start=Nats.of(0)) if len(finite) == len(losses) else None


def _largest_loss(mechanism: Mechanism) -> Nats | None:
    witness = _witness(mechanism)
    return Nats.of(0) if witness is None else witness.loss


@lru_cache(maxsize=1 << 10)
def _witness(mechanism: Mechanism) -> Witness | None:
    """Where the mechanism reveals most; None where it has one value."""
    return certify(mechanism, LDP(LARGEST_EPSILON)).witness


@lru_cache(maxsize=1 << 10)
def _coordinate_losses(mechanism: Mechanism, sizes: tuple[int, ...]) -> tuple[Nats | None, ...]:
    return tuple(level.loss for level in coordinate_levels(mechanism, sizes))


@checked
def explain(thing: object) -> tuple[str, ...]:
    """Sentences about a definition, a mechanism, a query, a certificate, a plan, a filter or an odometer.

    Raises:
        SordinoError: nothing that can be explained.

    Example:
        >>> for line in explain(LDP("ln 1.8")): print(line)
        Whatever else somebody knows, one report changes the odds between any two answers by a factor of at most 1.8.
        A suspicion of 10 % rises to at most 16.67 % and falls no lower than 5.81 %.
        A second report about the same answer multiplies the factors.
    """
    match thing:
        case LDP() | BlockLDP() | HighLowLDP() | PairwiseLDP() | MetricLDP() | CoordinateDP() | BayesianCoordinateDP():
            return texts(promise(thing))
        case Certificate() | LossCertificate():
            return verdict_sentences(thing) if isinstance(thing, LossCertificate) else certificate_sentences(thing)
        case Mechanism() | RecordChannel():
            return _record_channel(thing) if isinstance(thing, RecordChannel) else _mechanism(thing)
        case Query() | Together() | Sampled():
            return query_sentences(thing)
        case Plan():
            return explanation(thing).lines
        case BayesianFilter() | JointFilter() | QuotaFilter() | ApproximateFilter() | Odometer():
            return counted_sentences(thing)
        case _:
            raise SordinoError(
                "only a definition, mechanism, query, certificate, plan, filter or odometer can be explained",
                found=type(thing).__name__,
                step="give it one of these",
            )


def _mechanism(mechanism: Mechanism) -> tuple[str, ...]:
    return (
        codes_sentence(mechanism.code_bits),
        forged_sentence(leverage(mechanism)),
    )


def _record_channel(channel: RecordChannel) -> tuple[str, ...]:
    """What is asked, what one report can reveal, and what is sent."""
    asked = f"Each person is asked for {channel.d:,} number{'' if channel.d == 1 else 's'} together."
    return (asked, *_loss_sentences(channel.losses, channel.epsilon), codes_sentence(channel.code_bits))


def _loss_sentences(losses: Sequence[Nats], epsilon: Nats) -> tuple[str, ...]:
    if not epsilon.sign():
        return ("A report reveals nothing: each code is equally probable for all records.",)
    whole = (
        "Whatever else somebody knows, one report changes the odds between any two records, and so between any two"
        f" values of a number, by a factor of at most {factor(epsilon)}."
    )
    examples = texts(example_sentences(epsilon, "A suspicion"))
    order = sorted(range(len(losses)), key=lambda place: losses[place])
    alike = [(loss, [*places]) for loss, places in groupby(order, key=lambda place: losses[place])]
    if [loss for loss, _ in alike] == [epsilon]:
        return (whole, *examples)
    each = [f"{factor(loss)} for {_numbers(places)}" for loss, places in alike]
    if len(each) > FEW:
        each = [*each[: FEW - 1], f"{factor(epsilon)} for all others"]
    known = f"For somebody who already knows all other numbers, the factor is at most {'; '.join(each)}."
    unknown = (
        "Somebody who does not know them can learn more of a number, from what the report reveals of the others:"
        " certify it with a bound on their dependence."
    )
    return (whole, *examples, known, unknown)


def _numbers(places: Sequence[int]) -> str:
    if len(places) > FEW:
        return f"{len(places):,} numbers"
    return f"number{'s' * (len(places) > 1)} {', '.join(map(str, places))}"
