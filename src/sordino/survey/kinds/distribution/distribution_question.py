"""A question of a plan about the distribution of a number: its bins, and how they are asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.audit.answers import monotone_pieces
from sordino.audit.certificate import Certificate
from sordino.definition.pairwise import LDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.document.codec import OF_BINS, OF_OPTIONAL_BINS
from sordino.document.schema.limits import ValueLimits
from sordino.domain.attribute import Attribute
from sordino.domain.bins import Bins
from sordino.domain.categories import few
from sordino.domain.scaled import Ranges
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.hierarchy import HierarchyResponse
from sordino.mechanism.window import WindowResponse
from sordino.query.bin import Bin, BinMiddles
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.survey.kinds.promised_channel import PromisedChannel, record_text
from sordino.survey.kinds.question import CountedDomain, ForgedWeight, MeanReading, Question, QuestionPart
from sordino.survey.schema.amounts import canonical_amount
from sordino.survey.schema.attribute_part import BETWEEN_0_AND_1, require_one_of
from sordino.survey.schema.expected_part import ExpectedPart, require_somebody, round_as_stored

if TYPE_CHECKING:
    from sordino.estimation.moment_estimator import MeanReadings
    from sordino.survey.schema.attribute_table import AskedSurvey


class DistributionPart(QuestionPart):
    """A question about the distribution of a number, and how it is answered.

    Attributes:
        distribution: the number.
        epsilon: for every two bins alike, in nats, as text.
        bins, edges: exactly one; how many equal bins, or where they begin and end.
        mechanism: over the bins: its name and its integers, as they are frozen.
        spikes: where many people are thought to have equal numbers: what is fitted is not smoothed, and quantiles are
            edges.
        quantiles: that are told, as decimal texts; answers do not depend on them.
        ranges: whose shares are told, from an edge to an edge; answers do not depend on them.
        expected: as of shares, of what is read.
    """

    distribution: str
    epsilon: str
    bins: int | None = None
    edges: list[float] | None = None
    mechanism: dict[str, Any]
    spikes: Literal[True] | None = None
    quantiles: list[Annotated[str, ValueLimits(pattern=f"^{BETWEEN_0_AND_1}$")]]
    ranges: list[Annotated[list[float], ValueLimits(min_length=2, max_length=2)]]
    expected: ExpectedPart | None = None

    def _check(self) -> None:
        require_one_of(self, "bins", "edges")
        if wrong := [ends for ends in self.ranges if not ends[0] < ends[1]]:
            step = "write the lower number first"
            raise SordinoError("a range must go from a lower to a higher number", found=shown(wrong[0]), step=step)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.distribution,)

    @property
    def once(self) -> str:
        return self.distribution

    reads_numbers = True

    @property
    def thresholds(self) -> frozenset[str]:
        return frozenset([self.distribution])


MOST_SHOWN = 15
"""Bins whose shares are shown; of more the shares of parts of the range, and the distribution function."""

PARTS = 65
"""Shares of people below an edge that stand for all of them, where an error is to be the largest of all."""


class AskedDistribution(NamedTuple):
    """All that errors of a distribution depend on.

    Attributes:
        channel: the integers with their promise.
        bins: in the unit of the data.
        people: who are expected to be asked.
        least: the smallest delta of the plan.
        ranges: whose shares are asked, each from an edge to an edge.
        quantiles: that are asked, as decimal texts.
        spikes: whether many people are thought to have equal numbers.
        missing: the share expected to lack the number.
        expected: what the plan expects of the people, as its document spells it.
    """

    channel: PromisedChannel
    bins: Bins
    people: int
    least: Nats
    ranges: tuple[tuple[float, ...], ...]
    quantiles: tuple[str, ...]
    spikes: bool
    missing: float
    expected: str


class TypicalError(NamedTuple):
    """All that the typical error of a distribution function depends on."""

    asked: AskedDistribution


class FunctionWeight(NamedTuple):
    """All that the weight of a forged report in a distribution function depends on."""

    channel: PromisedChannel


@dataclass(frozen=True)
class DistributionQuestion(Question):
    """A question about the bins of a number as the plan's document says it.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attribute: that it is about.
        place: of the attribute among those of the plan.
        least: the smallest delta of the plan, at which plain LDP would have to ask.
    """

    part: DistributionPart
    attribute: Attribute
    place: int
    least: Nats

    kind = "distribution"

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def form(self) -> str:
        return f"distribution in {self.domain.k:,} bins"

    @property
    def bins(self) -> Bins:
        return self.domain

    def quantile_title(self, quantile: str) -> str:
        """Quantile as people read it: 'median', or 'quantile 0.9'."""
        return "median" if quantile == "0.5" else f"quantile {quantile}"

    def asked_of(self, name: str) -> str:
        """Distribution with its quantiles and ranges; shares where neither is asked for."""
        del name
        ranges = [f"share of {self.domain.title(*ends)}" for ends in self.part.ranges]
        return ", ".join(["distribution", *map(self.quantile_title, self.part.quantiles), *ranges])

    @property
    def whose(self) -> str:
        """Of the number, and of whom: those who have one that may be missing."""
        return f"{self.title} among those who have it" if self.optional else self.title

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The number."""
        return (self.attribute,)

    @property
    def value_promise(self) -> LDP:
        return self.definition

    @property
    def reads_fitted(self) -> bool:
        return bool(self.part.quantiles)

    @property
    def asked_in_words(self) -> str:
        """On which side of a threshold the number lies, or in which bin."""
        if self.cuts is not None:
            return f"{self.quoted_title}, whether it lies below one of {self.cuts:,} thresholds, drawn at random"
        wider = ", or of fewer wider ones," if (self.levels or 1) > 1 else ""
        missing = ", or that it is missing" if self.optional else ""
        return f"{self.quoted_title}, in which of {self.domain.k:,} bins{wider} it lies{missing}"

    @property
    def forged_weight(self) -> ForgedWeight:
        from sordino.estimation.number_distribution import function_leverage

        within = "the share of all people who have a number below any" if self.optional else "the distribution function"
        people = self.parts.of(FunctionWeight(self.channel), lambda: function_leverage(self.mechanism))
        return ForgedWeight(people, within)

    @property
    def typical_error(self) -> float:
        part = TypicalError(self.asked_distribution)
        return self.parts.of(part, lambda: float((self.errors() ** 2).mean() ** 0.5))

    @cached_property
    def asked_distribution(self) -> "AskedDistribution":
        """All that errors of this question depend on."""
        expected = record_text(self.part.dump(include={"expected"}))
        asked = tuple(map(tuple, self.part.ranges)), tuple(self.part.quantiles), bool(self.part.spikes)
        known = self.attribute.missing_share, expected
        return AskedDistribution(self.channel, self.domain, self.people, self.least, *asked, *known)

    @cached_property
    def domain(self) -> Bins:
        """The bins.

        Raises:
            SordinoError: edges that do not cover the number's range; a range that does not begin and end at them.
        """
        ends = self.attribute.interval
        part = self.part
        bins = Bins.equal(ends, part.bins) if part.bins is not None else Bins.from_edges(part.edges or (), ends)
        if any(bins.edge(end) is None for pair in part.ranges for end in pair):
            raise SordinoError(
                "a range must begin and end at edges of the bins",
                found=few([f"{end:g}" for pair in part.ranges for end in pair if bins.edge(end) is None]),
                step="take edges of the bins, or declare `edges`",
            )
        return bins

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The ranges whose shares are asked, by the places of their edges."""
        edge = self.domain.edges.index
        return tuple((edge(low), edge(high)) for low, high in self.part.ranges)

    @cached_property
    def net_ranges(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Of a whole-number scale with two ranges, one at each end: the upper, from whose share the lower's is taken.

        As of a scale from 0 to 10 promoters (9 and 10) and detractors (0 to 6).
        """
        if len(self.ranges) != 2 or not self.domain.are_whole or self.attribute.is_date:
            return None
        lower, upper = sorted(self.ranges)
        is_net = lower[0] == 0 and lower[1] <= upper[0] and upper[1] == self.domain.k
        return (upper, lower) if is_net else None

    @property
    def net_title(self) -> str:
        """What is subtracted from what in `net_ranges`, as people read it: '9 to 10 minus 0 to 6'."""
        edges = self.domain.edges
        return " minus ".join(self.domain.title(edges[first], edges[last]) for first, last in self.net_ranges or ())

    @cached_property
    def expected_people(self) -> NDArray[np.float64] | None:
        """The shares of what is read that the plan expects, shape (k,); None where nothing is known."""
        return None if self.part.expected is None else self.part.expected.shares(self.domain.k + self.optional)

    @property
    def tells_moments(self) -> bool:
        """Whether a bin says how large its numbers are on average: not where spikes stand anywhere within it."""
        return not self.part.spikes or self.domain.is_scale

    def mean_reading(self, name: str) -> MeanReading | None:
        """Of a number that everybody has."""
        if name != self.name or self.optional or not self.tells_moments:
            return None
        statistic, ends = BinMiddles(self.domain), self.attribute.interval
        query = Sampled((Query(statistic, self.mechanism),), (1,))
        known: MeanReadings | None = None if self.expected_people is None else {statistic: self.expected_people}
        return MeanReading(query, 0, Ranges.of({name: (ends.low, ends.high)}), ends, known, self.domain)

    @property
    def definition(self) -> LDP:
        """The promise: any two bins, and that there is no number, are protected from each other alike."""
        return LDP(canonical_amount(self.part.epsilon))

    @cached_property
    def channel(self) -> PromisedChannel:
        """The document's integers under the document's promise."""
        kinds, k = OF_OPTIONAL_BINS if self.optional else OF_BINS, self.domain.k + self.optional
        return PromisedChannel.of(self.part.mechanism, self.definition, k, self.parts, kinds)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism, made of the document's integers."""
        return self.channel.mechanism

    @property
    def optional(self) -> bool:
        """Whether the number may be missing: then the last value that is read says so."""
        return self.attribute.optional

    @cached_property
    def statistic(self) -> Bin:
        """What is read of a record."""
        return Bin(self.attribute.name, self.domain, self.optional)

    @cached_property
    def values(self) -> CountedDomain:
        has_names = self.attribute.is_date or self.domain.are_whole
        return self.attribute.named_bins(self.domain) if has_names else self.statistic

    @property
    def cuts(self) -> int | None:
        """How many thresholds there are, if a report is a bit about one of them; None if it is about bins."""
        mechanism = self.mechanism
        return mechanism.cuts if isinstance(mechanism, WindowResponse) else None

    @property
    def levels(self) -> int | None:
        """How many levels there are, if a report is about the node of one; None if it is about bins or thresholds."""
        mechanism = self.mechanism
        return len(mechanism.inner) if isinstance(mechanism, HierarchyResponse) else None

    @cached_property
    def query(self) -> Query:
        return Query(self.statistic, self.mechanism)

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """The numbers of some people; where the plan clips, one beyond an end counts as that end."""
        numbers = values[self.attribute.name]
        return np.clip(numbers, self.domain.edges[0], self.domain.edges[-1]) if self.attribute.clip else numbers

    def expected_document(self, expected: NDArray[np.float64]) -> Any:
        return ExpectedPart.of(self.expected_errors(expected)).dump()

    def expected_of_sample(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The shares of the bins, and of who lacks the number if it may be missing."""
        places = self.statistic.locate(values)
        require_somebody(self.attribute_names, places < self.domain.k)
        return round_as_stored(np.bincount(places, minlength=self.mechanism.k) / len(places))

    def expected_of_survey(self, survey: "AskedSurvey") -> NDArray[np.float64] | None:
        from sordino.survey.schema.expected_people import expected_bins

        given = survey.attribute[self.name].expected
        return None if given is None else round_as_stored(expected_bins(given, self.domain))

    @property
    def types(self) -> tuple[AnswerType, ...]:
        """What an answer is about, and the most that it can tell.

        A bin is not linear in the number: of other attributes bounds on its mean say nothing about it, only those for
        all others together, or of windows those for its distribution function. That a number is missing has no place in
        the order of the bins, and a code of a hierarchy stands for nodes here and there.
        """
        pieces = monotone_pieces(self.mechanism) if isinstance(self.mechanism, WindowResponse) else 0
        return ((Answer(((self.place,),), self.certificate.level(self.definition.epsilon), pieces=pieces),),)

    @property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return self.channel.certificate

    @property
    def level(self) -> float:
        """Nats that the mechanism may cost."""
        return self.definition.epsilon.floor()

    @cached_property
    def uniform(self) -> Mechanism:
        """The best way to ask the same if every attribute had the smallest delta, and nothing bounded their dependence.

        Of a plan that promises the same level of every attribute the best way there is, whatever the plan's own.
        """
        from sordino.design.numbers.bins_channel import BinLevels, BinsAsked, bins_channel

        spikes, missing = bool(self.part.spikes), self.attribute.missing_share
        asked = BinsAsked.of(self.domain, self.part.ranges, len(self.part.quantiles), spikes=spikes, missing=missing)
        _, mechanism = bins_channel(asked, BinLevels.uniform(min(self.least, self.definition.epsilon)))
        return mechanism

    def errors(self, shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Expected standard errors of the distribution function at each edge between two bins, shape (k - 1,).

        For people with these shares of what is read, by default those whom the plan expects, else evenly spread ones of
        whom the declared share lacks a number that may be missing; the function is that of those who have it.
        """
        return self._errors(self.mechanism, self._edges, shares)

    def errors_uniform(self, shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The same at the smallest delta."""
        return self._errors(self.uniform, self._edges, shares)

    def range_errors(self, shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Expected standard errors of the share of each range that is asked, shape (ranges,), of people as above."""
        return self._errors(self.mechanism, self._within, shares)

    def range_errors_uniform(self, shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The same at the smallest delta."""
        return self._errors(self.uniform, self._within, shares)

    def net_errors(self, shares: NDArray[np.float64] | None = None, *, uniform: bool = False) -> NDArray[np.float64]:
        """Expected standard error of the difference of `net_ranges`, shape (1,), (0,) without; of people as above.

        Args:
            shares: of what is read.
            uniform: whether at the smallest delta.
        """
        from sordino.estimation.range_shares import net_functional

        if self.net_ranges is None:
            return np.zeros(0)
        mechanism = self.uniform if uniform else self.mechanism
        return 2 * self._errors(mechanism, net_functional(*self.net_ranges, self.domain.k), shares)

    def bin_error(self, shares: NDArray[np.float64] | None = None, *, uniform: bool = False) -> float:
        """Root mean square of the expected standard errors of the bins' shares, of people as above."""
        mechanism = self.uniform if uniform else self.mechanism
        errors = self._errors(mechanism, np.eye(self.domain.k, dtype=np.float64), shares)
        return float(np.sqrt((errors**2).mean()))

    def quantile_error(
        self, quantile: str, shares: NDArray[np.float64] | None = None, *, uniform: bool = False
    ) -> float:
        """Expected standard error of a quantile in the unit of the data, of people as above.

        The error of the distribution function at the edges of the bin that holds the quantile, over the density there
        (delta method); infinite where nobody is expected in that bin.
        """
        read = self.expected_errors(shares)[: self.domain.k]
        parts = read / read.sum()
        place = min(int(np.searchsorted(np.cumsum(parts), float(quantile))), self.domain.k - 1)
        edges = self._edges[max(place - 1, 0) : place + 1]
        mechanism = self.uniform if uniform else self.mechanism
        density = parts[place] / self.domain.widths[place]
        return float(self._errors(mechanism, edges, shares).max() / density) if density > 0 else inf

    def _errors(
        self, mechanism: Mechanism, inside: NDArray[np.float64], shares: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        from sordino.estimation.range_shares import errors_of

        return (
            errors_of(mechanism.without_cache, inside, self.expected_errors(shares), self.people)
            if len(inside)
            else np.zeros(0)
        )

    @property
    def _edges(self) -> NDArray[np.float64]:
        """The bins below each edge, shape (k - 1, k)."""
        from sordino.estimation.subpopulation import below_edges

        return below_edges(self.domain.k)

    @property
    def _within(self) -> NDArray[np.float64]:
        """Those in each range that is asked, shape (ranges, k)."""
        from sordino.estimation.range_shares import inside_ranges

        return inside_ranges(self.ranges, self.domain.k)

    def largest_error(self, shares: NDArray[np.float64] | None = None, *, whole: bool = False) -> float:
        """The largest standard error of what is asked for, of such people or any whatever.

        Of the share of each range, and of the function at the edges beside each quantile, which may be any of unknown
        people; of the function at each edge where neither is asked for, and of the whole. Of a number that may be
        missing, whatever those are like who have it; the declared share lacks it.
        """
        ranges = self._within
        told = ranges[~ranges.all(axis=1)]
        if whole or self.part.quantiles or not len(told):
            told = np.concatenate([self._edges if whole else self._edges_told(shares), told])
        if shares is not None:
            return float(self._errors(self.mechanism, told, shares).max())
        if self.optional:
            return self._largest_given(told)
        from sordino.design.accuracy import worst_variance

        contributions = np.stack([self.mechanism.without_cache.code_values(own) for own in told])
        moments = self.mechanism.adjoint(contributions**2)
        own, others = (np.where(side, moments, 0).max(axis=1) for side in (told > 0, told == 0))
        return float(np.sqrt(worst_variance(own, others).max() / self.people))

    def _edges_told(self, shares: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The bins below each edge at which the function is asked for, shape (edges, k)."""
        if shares is None or not self.part.quantiles:
            return self._edges
        bins = self.expected_errors(shares)[: self.domain.k]
        above = np.searchsorted(np.cumsum(bins / bins.sum())[:-1], list(map(float, self.part.quantiles)))
        beside: NDArray[np.float64] = self._edges[np.unique(np.clip([above - 1, above], 0, self.domain.k - 2))]
        return beside

    def _largest_given(self, told: NDArray[np.float64]) -> float:
        """By shares r of those inside: their people in the worst bin there, and the others in the worst outside."""
        mechanism, k, missing = self.mechanism.without_cache, self.domain.k, self.attribute.missing_share
        given = mechanism.code_values(np.append(np.ones(k), 0.0))
        most = 0.0
        counted = np.stack([mechanism.code_values(np.append(own, 0.0)) for own in told])
        side = np.append(told, np.zeros((len(told), 1)), axis=1) > 0
        for part in np.linspace(0, 1, PARTS):
            moments = mechanism.adjoint((counted - part * given) ** 2)
            inside = np.where(side, moments, 0).max(axis=1)
            outside = np.where(side, 0, moments)[:, :k].max(axis=1)
            variance = (1 - missing) * (part * inside + (1 - part) * outside) + missing * moments[:, k]
            most = max(most, float(variance.max()))
        return float(np.sqrt(most / self.people) / (1 - missing))

    def expected_errors(self, shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The shares of all that is read, of people as for `errors`; those of the bins alone will do."""
        shares = self.expected_people if shares is None else shares
        bins = self.domain.widths / self.domain.ends.width if shares is None else shares
        if not self.optional or len(bins) > self.domain.k:
            return bins
        missing = self.attribute.missing_share
        return np.append(bins * (1 - missing), missing)
