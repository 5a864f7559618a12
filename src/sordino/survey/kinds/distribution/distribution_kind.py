"""The kind of question that asks for the distribution of a number: its bins, quantiles, and the shares of ranges.

[attribute.income]
number = { low = 0, high = 200000, bins = 200 }                # equal ones; or edges = [0, 5000, ..., 200000]
[[ask]]
distribution = "income"
quantiles = [0.1, 0.5, 0.9]
ranges = [[0, 20000], [20000, 50000]]

It is asked by which bin the number lies in, or by one bit about a random threshold between bins. What is asked
decides, by the exact variance of what will be shown (`bins_channel`); spikes count as far as the curve is then not
smoothed. What a bit about a threshold reveals of other attributes is decided by how far distribution functions differ,
and a window of neighbouring bins by twice that at most. So under deltas a bit or a window may be asked at a larger
level than a hierarchy, whose codes stand for nodes here and there. Of a number that may be missing no bound on its
distribution function serves: that it is missing has no place in the order of the bins.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from sordino.document.schema.limits import Convert
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.bins import Bins, plain, shortest
from sordino.domain.interval import read_number
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.distribution.distribution_question import DistributionPart, DistributionQuestion
from sordino.survey.kinds.kind import Kind
from sordino.survey.kinds.numbers.moments_kind import number_mistakes
from sordino.survey.kinds.question import Floats, PlanFacts
from sordino.survey.schema.attribute_part import AttributePart, Text
from sordino.survey.schema.expected_people import read_part_of_people
from sordino.survey.schema.whole_number_scale import AT_EDGES, scale_mistake

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.distribution.distribution_result import DistributionResult
    from sordino.survey.kinds.question_forecast import Forecast
    from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen, EstimateTerms, Refusal
    from sordino.survey.schema.attribute_table import AskedSurvey

OF_A_BIT, OF_A_WINDOW = 1, 2
"""Monotone pieces of the probability of a code over the bins; a plan's certificate counts them in its integers."""

MOST_QUANTILES = 100
"""Of one question; and ranges."""


def read_quantiles(given: object) -> list[str]:
    """Parts of the people between 0 and 1, as decimal texts without an exponent.

    Raises:
        SordinoErrors: all that are none, or stand twice.

    Example:
        >>> read_quantiles([0.1, "0.50"])
        ['0.1', '0.5']
    """
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_QUANTILES:
        found, step = shown(given), "write quantiles = [0.1, 0.5, 0.9]"
        raise SordinoError(f"quantiles must be a list of 1 to {MOST_QUANTILES} numbers", found=found, step=step)
    read: list[str] = []
    mistakes: list[SordinoError] = []
    for each in given:
        try:
            read.append(read_part_of_people(each, "a quantile", "the median is 0.5"))
        except SordinoError as error:
            mistakes.append(error)
    repeated = {text for text in read if read.count(text) > 1}
    mistakes += [
        SordinoError("each quantile must stand once", found=f"{text} again", step="leave it out once")
        for text in sorted(repeated)
    ]
    if mistakes:
        raise SordinoErrors("quantiles", mistakes)
    return read


def read_ranges(given: object) -> list[list[float]]:
    """Pairs of a lower and an upper number.

    Raises:
        SordinoErrors: all that are none, or the wrong way round.

    Example:
        >>> read_ranges([[0, 20000]])
        [[0.0, 20000.0]]
    """
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_QUANTILES:
        found, step = shown(given), "write ranges = [[0, 20000], [20000, 50000]]"
        raise SordinoError(f"ranges must be a list of 1 to {MOST_QUANTILES} pairs of numbers", found=found, step=step)
    read: list[list[float]] = []
    mistakes: list[SordinoError] = []
    for each in given:
        try:
            read.append(_range(each))
        except SordinoError as error:
            mistakes.append(error)
    if mistakes:
        raise SordinoErrors("ranges", mistakes)
    return read


def _range(given: object) -> list[float]:
    if not isinstance(given, list) or len(given) != 2:
        raise SordinoError(
            "a range must be a pair of numbers", found=shown(given), step="write ranges = [[0, 20000], [20000, 50000]]"
        )
    low, high = read_number(given[0], "a range's low end"), read_number(given[1], "a range's high end")
    if not low < high:
        raise SordinoError(
            "a range must go from a lower to a higher number",
            found=f"{plain(low)} to {plain(high)}",
            step="write the lower end first",
        )
    return [low, high]


Quantiles = Annotated[list[str], Convert(read_quantiles)]

RangeList = Annotated[list[list[float]], Convert(read_ranges)]


class DistributionSettings(StrictTable):
    """What is asked.

    Attributes:
        distribution: the number.
        quantiles: parts of the people between 0 and 1, as decimal texts.
        ranges: pairs of edges, whose shares are wanted.
    """

    distribution: Text | None = None
    quantiles: Quantiles | None = None
    ranges: RangeList | None = None


class DistributionKind(Kind[DistributionSettings, DistributionPart, DistributionQuestion]):
    """The distribution of a number."""

    def attributes(self, settings: DistributionSettings) -> tuple[str, ...]:
        return (settings.distribution or "",)

    def mistakes(
        self, where: str, settings: DistributionSettings, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        """It is of a number that has bins; ranges begin and end at edges of these."""
        del before
        names = self.attributes(settings)
        yield from number_mistakes(f"{where}.distribution", names, survey)
        number = survey.attribute[names[0]].number if names[0] in survey.attribute else None
        if number is None:
            return
        ranges, is_date = settings.ranges or (), survey.attribute[names[0]].input == "date"
        try:
            bins = number.default_bins
            scale = None if is_date else scale_mistake(bins, ranges, by_hand=number.edges is not None)
            word = "ranges" if ranges else "distribution"
            for error in _range_mistakes(ranges, bins) if scale is None else [scale]:
                yield SordinoError(f"{where}.{word}: {error.rule}", found=error.found, step=error.step)
        except SordinoError as error:
            yield SordinoError(f"{where}.distribution: {error.rule}", found=error.found, step=error.step)

    def statistics(
        self, settings: DistributionSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        from sordino.design.sample_questions import DistributionFunction

        del categories
        yield DistributionFunction(places[settings.distribution or ""])

    def thresholds(self, settings: DistributionSettings) -> Sequence[str]:
        return self.attributes(settings)

    def choose(self, settings: DistributionSettings, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """By bins, a window of them, nodes of a hierarchy or a bit about a threshold.

        A bin is not linear in the number: bounds on the dependence of its mean serve it not, only those for all others
        together, and those for its distribution function; and of the number itself a report tells all that the channel
        does.
        """
        from sordino.design.numbers.bins_channel import BinLevels, BinsAsked, bins_channel
        from sordino.document.codec import encode
        from sordino.survey.kinds.terms import Chosen

        (name,) = self.attributes(settings)
        number = survey.attribute[name].number
        if number is None:
            raise SordinoError("a distribution must be of a number", found=name, step="ask for its histogram")
        bins, place = number.default_bins, terms.places[name]
        level = wider = widest = terms.limits.of_attribute(place)
        if not survey.attribute[name].may_be_missing:
            wider, widest = (terms.limits.of_bins(place, pieces) for pieces in (OF_A_WINDOW, OF_A_BIT))
        spikes, missing = bool(number.spikes), survey.attribute_named(name).missing_share
        quantiles, ranges = settings.quantiles or [], settings.ranges or []
        asked = BinsAsked.of(bins, ranges, len(quantiles), spikes=spikes, missing=missing)
        level, mechanism = bins_channel(asked, BinLevels(level, wider, widest))
        cut = {"bins": bins.k} if number.edges is None else {"edges": list(bins.edges)}
        part = {"distribution": name, "epsilon": str(level), **cut, "mechanism": encode(mechanism)}
        part |= {"quantiles": quantiles, "ranges": ranges}
        return Chosen(part | ({"spikes": True} if spikes else {}))

    def check_part(self, part: DistributionPart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        del has_deltas
        if attributes[part.distribution].number is None:
            raise SordinoError("a histogram must be of protected values, everything else of numbers")

    def question(self, part: DistributionPart, share: Fraction, people: int, plan: PlanFacts) -> DistributionQuestion:
        name = part.distribution
        _, least = plan.amounts([name])
        return DistributionQuestion(part, share, people, plan.parts, plan.attributes[name], plan.places[name], least)

    def forecast(self, question: DistributionQuestion, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        from sordino.survey.kinds.distribution.distribution_forecast import DistributionForecast

        return DistributionForecast(question, question.expected_people if expected is None else expected, fitted.parts)

    def result(
        self, question: DistributionQuestion, own: Aggregate, terms: "EstimateTerms"
    ) -> "DistributionResult | Refusal":
        """The bins, the function, quantiles and ranges; nothing where nobody may have the number."""
        from sordino.survey.kinds.distribution.distribution_result import DistributionResult
        from sordino.survey.kinds.terms import Refusal

        found = DistributionResult.of(question, own, terms.method, terms.coverage)
        return found if found.why is None else Refusal(found.why, found.reports_needed)


def _range_mistakes(ranges: Sequence[Sequence[float]], bins: Bins) -> Iterator[SordinoError]:
    """Ends of ranges that are no edges of the bins, since reports tell bins and nothing between their edges."""
    for number in dict.fromkeys(end for ends in ranges for end in ends):
        if bins.edge(number) is None:
            nearest = bins.nearest(number)
            # An edge of many digits is nobody's wish.
            near = f"take {plain(nearest)}, or " if float(plain(nearest)) == nearest else ""
            step = f"{near}declare `edges` of the number that hold it"
            yield SordinoError(AT_EDGES, found=shortest(number), step=step)


DISTRIBUTION = DistributionKind(("distribution",), DistributionSettings, DistributionPart, once=True)
