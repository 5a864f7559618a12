"""A question of a plan about numbers: means, a covariance matrix or a regression, and how it is asked."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.audit.certificate import Certificate
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import AnswerType
from sordino.document.schema.strict_table import setting
from sordino.domain.attribute import Attribute
from sordino.domain.categories import few
from sordino.domain.interval import Interval
from sordino.domain.moment import Factors, Moment
from sordino.domain.scaled import Completeness, Measured, Ranges
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.printable import join_names
from sordino.query.number import Number
from sordino.query.sampled import Sampled
from sordino.survey.kinds.promised_channel import PromisedQueries, record_text
from sordino.survey.kinds.question import MeanReading, Question, QuestionPart
from sordino.survey.schema.attribute_part import AttributePart
from sordino.survey.schema.expected_part import ExpectedPart, require_somebody

if TYPE_CHECKING:
    from sordino.design.numbers.numbers_accuracy import Expected, NumbersAccuracy
    from sordino.estimation.estimated_moments import AboutNumbers
    from sordino.estimation.moment_estimator import MeanReadings, MomentEstimator
    from sordino.survey.schema.attribute_table import AskedSurvey


class NumbersPart(QuestionPart, ABC):
    """A question about moments of numbers, and how it is answered.

    Attributes:
        numbers: the attributes, in the queries' order; of a regression the target last.
        asked: what is estimated.
        queries: the statistics that are drawn from, their mechanisms' integers and weights, as they are frozen.
        base: of a regression on attributes of categories too, the category of each that the others are compared to;
            answers do not depend on it. None where all are numbers.
        expected: as of shares, of what each statistic reads (`Sampled.statistics_read`).
    """

    numbers: list[str] = setting(min_length=1)
    asked: Literal["mean", "covariance", "regression"]
    queries: dict[str, Any]
    base: dict[str, str] | None = None
    expected: list[ExpectedPart] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.numbers)

    reads_numbers = True

    @property
    def categorical(self) -> frozenset[str]:
        """The attributes among them that are no numbers: features of a regression."""
        return frozenset(self.base or ())

    @property
    def features(self) -> list[str]:
        """Those that may be categories."""
        return []

    def _check(self) -> None:
        if self.base is not None and not (self.base and self.categorical <= set(self.features)):
            found = f"bases of {few([*self.base])}" if self.base else "no base"
            rule = "categories must be features of a regression, each with its base"
            raise SordinoError(rule, found=found, step="get the plan again")

    def require_numbers(self, attributes: Mapping[str, AttributePart]) -> None:
        """Refuse what is asked twice, and categories in place of numbers.

        Raises:
            SordinoError: about other attributes than it can be.
        """
        if len(set(self.numbers)) < len(self.numbers):
            twice = sorted({name for name in self.numbers if self.numbers.count(name) > 1})
            rule = "a question about numbers must be about different ones"
            raise SordinoError(rule, found=f"{few(twice)} twice", step="name each once")
        if any(attributes[name].number is None for name in self.numbers if name not in self.categorical):
            raise SordinoError("a histogram must be of protected values, everything else of numbers")


class MissingError(NamedTuple):
    """All that the error of a share that lacks a number depends on, where each number is estimated by itself.

    Attributes:
        asked: what is estimated.
        promised: the integers of the queries.
        lacking: the share expected to lack each number, by its place.
        expected: what the plan expects of the people, as its document spells it.
        place: of the number.
    """

    asked: str
    promised: PromisedQueries
    lacking: tuple[tuple[int, float], ...]
    expected: str
    place: int


@dataclass(frozen=True)
class NumbersQuestion(Question):
    """A question about moments of numbers as the plan's document says it.

    Attributes:
        part: what is asked, and the queries' integers.
        attributes: in the queries' order; of a regression the target last.
        places: of the attributes among those of the plan.
        epsilon: the most that a report may reveal of the whole record; of these attributes where each question is
            promised by itself.
        least: the smallest delta of the plan, at which plain LDP would have to ask; that epsilon without deltas.
        by_itself: whether each question is promised by itself: attributes have no deltas.
    """

    part: NumbersPart
    attributes: tuple[Attribute, ...]
    places: tuple[int, ...]
    epsilon: Nats
    least: Nats
    by_itself: bool

    @property
    def name(self) -> str:
        return self.name_of(self.attribute_names)

    def name_of(self, names: Sequence[str], join: Callable[[Sequence[str]], str] = join_names) -> str:
        return f"{self.kind} of {join(names)}"

    @cached_property
    def titles(self) -> list[str]:
        """What people read in place of the names of its numbers."""
        return [attribute.title for attribute in self.attributes]

    @property
    def whose(self) -> str:
        """What is asked, and of whom: those who have all numbers that may be missing."""
        return f"{self.title} among those who have all these numbers" if self.of_complete else self.title

    @property
    def asked_in_words(self) -> str:
        return self.title

    def column(self, values: Mapping[str, NDArray[Any]]) -> Measured:
        """The numbers with their ends, by which they are scaled, and clipped where that was asked for."""
        return Measured(tuple(values[name] for name in self.attribute_names), self.intervals)

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """The ends of the numbers, in the unit of the data."""
        return tuple(attribute.interval for attribute in self.attributes)

    @cached_property
    def of_record(self) -> Ranges:
        """The same, by name."""
        ends = self.intervals
        return Ranges(tuple(self.attribute_names), tuple(end.low for end in ends), tuple(end.high for end in ends))

    @property
    def ranges(self) -> Ranges:
        """Of what estimates are about, by name."""
        return self.of_record

    @cached_property
    def promised_queries(self) -> PromisedQueries:
        """The document's integers."""
        return PromisedQueries.of(self.part.queries, self.parts)

    @cached_property
    def query(self) -> Sampled:
        asked = self.promised_queries.queries
        if asked.d != len(self.attribute_names):
            raise SordinoError(f"the queries must be about {len(self.attribute_names)} numbers", found=shown(asked.d))
        self._require_optional(asked)
        if missing := set(self._moments_needed()) - set(self._moments_read(asked)):
            rule, step = "the queries must cover every moment that is needed", "get the plan again"
            raise SordinoError(rule, found=f"{len(missing)} too few", step=step)
        return asked

    def _moments_read(self, asked: Sampled) -> Sequence[Factors]:
        """The moments that queries tell: of complete cases, if estimates are of these."""
        if not self.of_complete:
            return asked.moments_read
        # A device whose plan asks for no complete cases does not wait for what estimates them.
        from sordino.estimation.estimated_moments import read_moments

        return read_moments(asked).moments.names

    def _require_optional(self, asked: Sampled) -> None:
        """Refuse queries that read another number as one that may be missing, or do not tell what means are of."""
        if asked.optional != self.missing_shares.keys():
            rule = "the queries must read the numbers that may be missing as such, and no others"
            raise SordinoError(rule, found=f"places {sorted(asked.optional)}")

    @property
    def told_by(self) -> "AboutNumbers":
        """What reads a tally of its reports."""
        _ = self.query
        return self.promised_queries.reader

    @cached_property
    def unknown(self) -> NDArray[np.float64]:
        """Scaled records of people of whom nothing is known, shape (n, d)."""
        return self.unknown_with({})

    def unknown_with(self, shares: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """The same where the shares of the categories of some attributes are known, by their names."""
        from sordino.design.numbers.numbers_accuracy import unknown_records

        del shares
        return unknown_records(len(self.attribute_names), self._target)

    def spread_readings(self, spread: float) -> "Iterable[MeanReadings]":
        """What is read of people whose numbers spread so little that an estimate may be refused; nothing where none is.

        Args:
            spread: standard deviation, in parts of the range.
        """
        del spread
        return ()

    @property
    def of_complete(self) -> bool:
        """Whether what is told is of those who have all the numbers: all moments are of the same people then."""
        return bool(self.missing_shares)

    def complete_share(self, records: NDArray[np.float64]) -> float | None:
        """The share of complete cases that is expected, where some number may be missing.

        Of numbers of which none is missing among the records the declared shares are; these are independent.
        """
        if not self.missing_shares:
            return None
        unknown = [1 - share for j, share in self.missing_shares.items() if not np.isnan(records[:, j]).any()]
        return prod(unknown) * float(Completeness(tuple(self.missing_shares)).holds(records).mean())

    def mean_reading(self, name: str) -> MeanReading | None:
        """Of a number that everybody has, unless estimates are of complete cases."""
        if self.of_complete or name not in self.attribute_names:
            return None
        place = self.attribute_names.index(name)
        attribute = self.attributes[place]
        if attribute.optional or not isinstance(attribute.domain, Interval):
            return None
        return MeanReading(self.query, place, self.of_record, attribute.domain, self.expected_people)

    @cached_property
    def missing_shares(self) -> dict[int, float]:
        """The numbers that may be missing, by their places, each with the share of people expected to lack it."""
        return {j: attribute.missing_share for j, attribute in enumerate(self.attributes) if attribute.optional}

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """What an answer can be about, in the plan's places, and the most that it can tell."""
        # Looked at first: queries about other numbers have no places here.
        _ = self.query
        return tuple(
            tuple(replace(answer, statistics=tuple(map(self._place_moment, answer.statistics))) for answer in given)
            for given in self.promised_queries.answers
        )

    @property
    def together(self) -> int:
        return max(map(len, self.query.drawn_parts))

    @property
    def channel_name(self) -> str:
        """How it is asked, in a few words."""
        if self.of_complete:
            return "one bit, or that a number is missing"
        if self.missing_shares:
            return f"{self._read} by one of several points, or as missing"
        points = [statistic.points for statistic in self.query.numbers if isinstance(statistic, Number)]
        if any(statistic.k > 2 for statistic in self.query.numbers if not isinstance(statistic, Number)):
            return f"signs of some of {len(self.attribute_names)} numbers together"
        grids = sum(count > 2 for count in points)
        if not grids and self.together == 1:
            numbers = len(self._moments_needed())
            return f"one bit about {'one number' if len(self.attribute_names) == 1 else f'one of {numbers} numbers'}"
        bits = " or by one bit" if grids < len(self.query.numbers) else ""
        return f"{self._read} by one of several points{bits}" if grids else f"{self._read} by one bit"

    @property
    def _read(self) -> str:
        if self.together > 1:
            whole = "both" if len(self.attribute_names) == 2 else f"all {len(self.attribute_names)}"
            some = f"{self.together} of {len(self.attribute_names)}" if len(self.query.queries) > 1 else whole
            return f"{some} numbers, each"
        return "the number" if len(self.attribute_names) == 1 else f"one of {len(self._moments_needed())} numbers"

    @property
    def _target(self) -> int | None:
        """The place of what the others explain; None where nothing is explained."""
        return None

    @cached_property
    @abstractmethod
    def uniform(self) -> Sampled:
        """The queries of plain LDP that keeps the least delta."""

    @property
    def typical_error(self) -> float:
        """Of what is estimated of numbers that are all 0, for whoever they are."""
        from sordino.estimation.moment_estimator import MomentEstimator

        return float((MomentEstimator.of(self.query).noise() / self.people).mean() ** 0.5)

    @property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under LDP of the whole record, at its least slack.

        Raises:
            SordinoError: integers that make no channel.
        """
        _ = self.query
        return self.promised_queries.certificate(self.epsilon)

    @property
    def value_promise(self) -> LDP | None:
        return LDP(self.epsilon) if self.by_itself else None

    @cached_property
    def expected_people(self) -> "MeanReadings | None":
        """What the plan expects to be read of the people; None where nothing is known."""
        if self.part.expected is None:
            return None
        read = self.query.statistics_read
        if len(read) != len(self.part.expected):
            raise SordinoError(f"{len(read)} statistics must be expected", found=shown(len(self.part.expected)))
        return {statistic: part.shares(statistic.k) for statistic, part in zip(read, self.part.expected, strict=True)}

    def expected_document(self, expected: NDArray[np.float64]) -> Any:
        """Of each statistic the shares of what is read, in whole parts."""
        return [ExpectedPart.of(own).dump() for own in self.readings(expected).values()]

    def expected_of_sample(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The scaled records themselves, shape (n, d); means are each of those who have the number."""
        for together in [list(self.missing_shares)] if self.of_complete else [[place] for place in self.missing_shares]:
            has = ~np.isnan(values[:, together]).any(axis=1)
            require_somebody([self.attribute_names[place] for place in together], has)
        return values

    def expected_of_survey(self, survey: "AskedSurvey") -> NDArray[np.float64] | None:
        """Records, each number spread as it is expected to; what is not known spreads as where nothing is."""
        from sordino.survey.schema.expected_people import expected_shares, spread_as_expected

        tables = [survey.attribute[name] for name in self.attribute_names]
        if all(table.expected is None for table in tables):
            return None
        shares = {
            one.name: expected_shares(table.expected, one.finite)
            for one, table in zip(self.attributes, tables, strict=True)
            if one.name in self.part.categorical and table.expected is not None
        }
        return spread_as_expected(self.unknown_with(shares), [(table.expected, table.number) for table in tables])

    def readings(self, records: NDArray[np.float64]) -> "MeanReadings":
        """What is read of people who are like these scaled numbers, shape (n, d), NaN where they are missing.

        Of a number that none of them lacks the declared share is missing.
        """
        return self._readings(self.query, records)

    @cached_property
    def expected_missing(self) -> dict[int, float]:
        """The share of people who lack each number that may be missing, by its place, as the plan expects it."""
        from sordino.query.missing import OptionalNumber

        expected = {} if self.expected_people is None or self.of_complete else self.expected_people
        known = {one.place: float(shares[-1]) for one, shares in expected.items() if isinstance(one, OptionalNumber)}
        return self.missing_shares | known

    @cached_property
    def complete(self) -> float:
        """The share of complete cases that is expected; 1 where no number may be missing."""
        if not self.of_complete:
            return 1.0
        (shares, *_) = self._of_plan.values()
        return 1 - float(shares[-1])

    def forecast(self, records: NDArray[np.float64] | None = None) -> "NumbersAccuracy":
        """How exact the estimates will be, for such people, by default those whom the plan expects."""
        return self._accuracy(self.query, self._of_plan if records is None else self.readings(records))

    def forecast_uniform(self, records: NDArray[np.float64] | None = None) -> "NumbersAccuracy":
        """How exact they would be under plain LDP that keeps the least delta, for such people; by default unknown."""
        people = self.unknown if records is None else records
        return self._accuracy(self.uniform, self._readings(self.uniform, people))

    def missing_error(self, place: int) -> float:
        """The expected standard error of the share that lacks a number, by one report."""

        def work_out() -> float:
            stderr = replace(self, people=1).forecast().stderr
            return stderr[len(self.attribute_names) + list(self.missing_shares).index(place)]

        lacking, expected = tuple(self.missing_shares.items()), self.part.dump(include={"expected"})
        part = MissingError(self.part.asked, self.promised_queries, lacking, record_text(expected), place)
        return self.parts.of(part, work_out)

    def largest_forecast(self) -> "NumbersAccuracy | None":
        """The largest standard errors, whatever people are like; None where the estimates of some people are refused.

        Each by itself; of complete cases among some populations at the ends of their numbers, to some per cent.
        """
        from sordino.design.numbers.numbers_accuracy import ends_of_all, largest_means_given
        from sordino.estimation.moment_estimator import MomentEstimator

        if self.of_complete:
            ends = ends_of_all(len(self.attribute_names))
            found = [self.forecast(records) for records in (self.unknown, *ends)]
            most = np.max([one.stderr for one in found], axis=0)
            return replace(found[0], stderr=tuple(most.tolist()))
        if self.missing_shares:
            names, missing = self.attribute_names, self.missing_shares
            return largest_means_given(names, self.query, self.ranges, self.people, missing)
        return self._largest(MomentEstimator.of(self.query))

    def _accuracy(self, queries: Sampled, readings: "MeanReadings") -> "NumbersAccuracy":
        from sordino.design.numbers.numbers_accuracy import expected_means_given

        if self.missing_shares and not self.of_complete:
            return expected_means_given(self.attribute_names, queries, self.ranges, self.people, readings)
        own = queries is self.query and readings is self._of_plan
        expected = self.likely if own else self._expectation(queries, readings)
        return self._expected(expected)

    def expectation(self, records: NDArray[np.float64] | None = None) -> "Expected":
        """What the estimates are expected to be made of, for such people, by default those whom the plan expects."""
        return self.likely if records is None else self._expectation(self.query, self.readings(records))

    def expectation_of(self, readings: "MeanReadings") -> "Expected":
        """What the estimates are expected to be made of, for people of whom this is read."""
        return self._expectation(self.query, readings)

    @cached_property
    def likely(self) -> "Expected":
        """The same of people whom the plan expects, worked out once: a page asks again whenever a report came."""
        return self._expectation(self.query, self._of_plan)

    has_singles: ClassVar[bool] = True
    """Whether reports that are too few for it may tell its attributes, each by itself."""

    @property
    def rarely_refused(self) -> int | None:
        """From how many reports on, within a tenth, it is rarely refused; None where it always may be."""
        return 0

    @cached_property
    def _of_plan(self) -> "MeanReadings":
        return self.readings(self.unknown) if self.expected_people is None else self.expected_people

    def _readings(self, queries: Sampled, records: NDArray[np.float64]) -> "MeanReadings":
        from sordino.estimation.moment_estimator import mean_readings

        complete = self.complete_share(records) if self.of_complete else None
        lacking = {j: share for j, share in self.missing_shares.items() if not np.isnan(records[:, j]).any()}
        return mean_readings(queries, records, complete, lacking)

    def _expectation(self, queries: Sampled, readings: "MeanReadings") -> "Expected":
        from sordino.design.numbers.numbers_accuracy import Expected, expected_by_tally
        from sordino.estimation.estimated_moments import read_moments

        if self.of_complete:
            return expected_by_tally(queries, read_moments(queries), self.ranges, readings)
        return Expected.of_readings(queries, self.ranges, readings)

    @abstractmethod
    def _expected(self, expected: "Expected") -> "NumbersAccuracy":
        """How exact estimates that are made of this will be."""

    def _largest(self, estimator: "MomentEstimator") -> "NumbersAccuracy | None":
        """The largest errors among people who have all numbers; None where nothing bounds them."""
        del estimator
        return None

    @abstractmethod
    def _moments_needed(self) -> tuple[Factors, ...]:
        """The statistics that tell what is asked."""

    def _place_moment(self, name: Moment) -> Moment:
        return tuple(sorted(self.places[number] for number in name))
