"""A question of a plan about numbers: means, a covariance matrix or a regression, and how it is asked."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.audit.answers import AnswersCertificate, certify_answers
from sordino.definition.dependence import Dependence
from sordino.definition.sampling import AnswerType
from sordino.design.numbers.numbers_accuracy import Expected, NumbersAccuracy, expected_numbers, unknown_records
from sordino.design.numbers.sampled_mean import SampledMean
from sordino.design.numbers.sampled_moments import SampledMoments
from sordino.document.codec import NUMBER_CHANNELS, thaw
from sordino.domain.interval import Interval
from sordino.domain.ranges import Ranges
from sordino.domain.statistic import Statistic
from sordino.errors import SordinoError
from sordino.estimation.moments import covariance_statistics
from sordino.estimation.regression import regression_statistics
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.mechanism.number import NumberChannel
from sordino.query.query import Query
from sordino.query.statistic import Values
from sordino.survey.frozen.parts import AttributePart
from sordino.survey.frozen.plan_fields import NumbersPart


@dataclass(frozen=True)
class NumbersQuestion:
    """A question about numbers as the plan's document says it.

    Attributes:
        part: what is asked, and the channel's integers.
        attributes: in the channel's order; of a regression the target last.
        places: of the attributes among those of the plan.
        share: of the people, who answer it.
        people: how many are expected to.
        least: the smallest delta of the plan, at which plain LDP would have to ask.
    """

    part: NumbersPart
    attributes: tuple[AttributePart, ...]
    places: tuple[int, ...]
    share: Fraction
    people: int
    least: Nats

    @property
    def asked(self) -> list[str]:
        """The names of the attributes that it asks for, in the channel's order."""
        return self.part.numbers

    @property
    def name(self) -> str:
        """What is asked, of what."""
        if self.part.asked == "regression":
            return f"regression of {self.asked[-1]} on {', '.join(self.asked[:-1])}"
        return f"{self.part.asked} of {', '.join(self.asked)}"

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """The ends of the numbers, in the unit of the data."""
        return tuple(_interval(attribute) for attribute in self.attributes)

    @cached_property
    def ranges(self) -> Ranges:
        """The same, by name."""
        ends = self.intervals
        return Ranges(tuple(self.asked), tuple(end.low for end in ends), tuple(end.high for end in ends))

    @cached_property
    def channel(self) -> NumberChannel:
        """The channel, made of the document's integers."""
        channel = thaw(self.part.channel, NUMBER_CHANNELS, where="channel")
        if channel.d != len(self.asked):
            raise SordinoError(f"the channel must be about {len(self.asked)} numbers", found=shown(channel.d))
        if not set(self._needed()) <= set(channel.moments.names):
            raise SordinoError("the channel must tell every statistic that is needed", found="some of them")
        return channel

    @cached_property
    def query(self) -> Query:
        """What is drawn and answered."""
        return Query(Values(*self.asked), self.channel)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """What an answer can be about, in the plan's places, and the most that it can tell."""
        return tuple(
            tuple(replace(answer, statistics=tuple(map(self._placed, answer.statistics))) for answer in answers)
            for answers in self.channel.types
        )

    @property
    def channel_name(self) -> str:
        """How it is asked, in a few words."""
        return self.channel.description

    @cached_property
    def uniform(self) -> NumberChannel:
        """The channel of plain LDP that keeps the least delta."""
        d = len(self.asked)
        deltas, unknown = [self.least] * d, Dependence.unknown(d)
        if self.part.asked == "mean":
            return SampledMean(deltas, self.least, unknown)
        target = d - 1 if self.part.asked == "regression" else None
        return SampledMoments(deltas, self.least, unknown, target=target)

    @cached_property
    def certificate(self) -> AnswersCertificate:
        """The exact verdict on the document's integers: whether they keep what `types` says.

        Raises:
            SordinoError: integers whose answers are not as `types` says.
        """
        return certify_answers(self.channel)

    def forecast(self, records: NDArray[np.float64] | None = None) -> NumbersAccuracy:
        """How exact the estimates will be, for people who are like these scaled numbers, shape (n, d)."""
        return expected_numbers(self.part.asked, self.asked, self.channel, self.ranges, self.people, records)

    def forecast_uniform(self, records: NDArray[np.float64] | None = None) -> NumbersAccuracy:
        """How exact they would be under plain LDP that keeps the least delta."""
        return expected_numbers(self.part.asked, self.asked, self.uniform, self.ranges, self.people, records)

    def expecting(self, records: NDArray[np.float64] | None = None) -> Expected:
        """What the estimates are expected to be made of."""
        target = len(self.asked) - 1 if self.part.asked == "regression" else None
        people = unknown_records(len(self.asked), target) if records is None else records
        return Expected.of(self.channel, self.ranges, people)

    def _needed(self) -> tuple[Statistic, ...]:
        """The statistics that tell what is asked."""
        places = range(len(self.asked))
        match self.part.asked:
            case "mean":
                return tuple((j,) for j in places)
            case "covariance":
                return covariance_statistics(places)
            case "regression":
                return regression_statistics(places[-1], places[:-1])

    def _placed(self, name: Statistic) -> Statistic:
        return tuple(sorted(self.places[number] for number in name))


def _interval(attribute: AttributePart) -> Interval:
    if attribute.number is None:
        raise SordinoError("a question about numbers must be about numbers", found="other values")
    return Interval(attribute.number.low, attribute.number.high)
