"""What a plan's reports say about the distribution of a number: bins, ranges, quantiles and moments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Heading, Plot
from sordino.blocks.charts import DensityChart, Floats, FunctionChart
from sordino.blocks.digits import DISTANCES
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import NET, Columns, QuantityTable
from sordino.domain.bins import HALF, MISSING, plain
from sordino.domain.calendar import iso_date
from sordino.errors import SordinoError
from sordino.estimation.intervals.cluster_errors import ClusterErrors
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import at_least_as_wide, errors_to_either_side
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.estimation.number_distribution import BinnedMoment, DistributionEstimate, Limits
from sordino.estimation.range_shares import RangeShares
from sordino.estimation.share_estimate import Method
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.distribution.distribution_question import MOST_SHOWN, DistributionQuestion
from sordino.survey.kinds.estimate_rows import UNBIASED, Numbers, numbers_at
from sordino.survey.kinds.fitted_limits import CURVE
from sordino.survey.kinds.number_findings import middle_finding
from sordino.survey.kinds.quantities import DEVIATION, MEAN, Quantities, Range, measured_ranges
from sordino.survey.kinds.shares.shares_result import QuestionResult

Row: TypeAlias = dict[str, str | float]

PARTS = 8
"""Of a number's range, of which people are shown the shares where the bins are many."""

DECILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""That words name where a survey asks for no quantiles."""

FITTED = "Fitted ({method}) is a valid distribution near them; quantiles are read from it."
"""What a column of a table of bins is."""

NET_SENTENCE = Sentence("The share of the upper range minus that of the lower, in percentage points.", Purpose.COLUMNS)
"""What the difference of two ranges is."""

LAST = 6
"""Of a distribution's tables in files: after bins, ranges, who has no number, quantiles and moments come the parts."""

MOMENTS = {"mean": MEAN, "sd": DEVIATION}
"""Kinds of rows that are moments of the number, each with what a row says that it is."""

MOMENTS_SENTENCE = Sentence(
    "Numbers are taken to be spread evenly within their bins; intervals allow for numbers that all lie at one end.",
    Purpose.COLUMNS,
)
"""Where within a bin numbers lie; of bins that hold one whole number each nothing needs to be said."""

SHARES = frozenset({"bin", "range", MISSING})
"""Kinds of rows that are shares of people."""

ROW = "row"
"""What each interval is about: all rows of a distribution hold together where intervals do."""


@dataclass(frozen=True, eq=False, repr=False)
class DistributionResult(QuestionResult):
    """What a plan's reports say about the distribution of a number.

    Attributes:
        question: that they answer.
        estimate: of the bins, the distribution function and its quantiles.
        coverage: what the intervals of bins, ranges and quantiles hold against; of the band, which holds everywhere.
        width_factor: by which limits of the function at each edge are wider at a confidence, shape (k - 1,), where
            people were drawn in groups; None where they were drawn one by one.
    """

    question: DistributionQuestion
    estimate: DistributionEstimate
    coverage: Coverage
    width_factor: Callable[[float], Floats] | None = None

    together = "Bonferroni"
    """How intervals are made to hold together, if they do."""

    @classmethod
    def of(
        cls, question: DistributionQuestion, aggregate: Aggregate, method: Method | None, coverage: Coverage
    ) -> "DistributionResult":
        """Estimate from the tally of the question's own reports."""
        mechanism = question.mechanism
        # The query's tally is that of its mechanism: what was read are its values.
        tally = Aggregate(mechanism.fingerprint, aggregate.n, aggregate.counts)
        # What is smoothed by default is not smoothed twice.
        own = None if method == "smoothed" else method
        spikes = bool(question.part.spikes)
        found = DistributionEstimate.of(mechanism, tally, question.domain, question.level, own, spikes=spikes)
        return cls(question, found, coverage)

    def with_coverage(self, coverage: Coverage) -> "DistributionResult":
        return replace(self, coverage=coverage)

    def count_clusters(self, without: Sequence[QuestionResult], errors: ClusterErrors) -> "DistributionResult":
        functions = [one.estimate.function for one in without if isinstance(one, DistributionResult)]
        ratio = errors.stderr(self.estimate.function, np.array(functions)) / self.estimate.stderr

        def factor_at(each: float) -> Floats:
            return np.maximum(ratio * errors.away(each) / errors_to_either_side(each), 1)

        return replace(self, width_factor=factor_at)

    @property
    def why(self) -> SordinoError | None:
        """Why nothing is estimated: the reports allow that nobody has the number; None where it is estimated."""
        if self.estimate.subpopulation.tells(self._errors, self.n):
            return None
        rule = f"{self.question.name}: a distribution needs reports that show that somebody has the number"
        return SordinoError(
            rule, found="too few to rule out that nobody has it", step=self.coverage.step("leave it out")
        )

    def reports_needed(self) -> int | None:
        """From how many reports on it is expected to be told, where it is not."""
        from sordino.survey.kinds.reports_needed import reports_for_distribution

        return reports_for_distribution(self.question, self._errors_of)

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def fitted(self) -> NDArray[np.float64] | None:
        """The fitted share of each bin, shape (k,)."""
        return self.estimate.fitted

    @property
    def each(self) -> float:
        """The confidence of each interval, those of the parts among them."""
        return self.coverage.each(self.count + self._parts)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits of each bin's share, shape (k,) each."""
        return self._bins["low"], self._bins["high"]

    @property
    def _errors(self) -> float:
        return self._errors_of(self.n)

    def _errors_of(self, n: int) -> float:
        return self.coverage.errors(n, self.question.people, self.each)

    @cached_property
    def band(self) -> Limits:
        """Limits of the distribution function at all edges together, shape (k + 1,) each."""
        confidence = self.coverage.confidence
        return self.estimate.band(
            confidence, self._away(self.estimate.critical(confidence) * self.estimate.stderr, confidence)
        )

    @cached_property
    def quantiles(self) -> list[tuple[str, float, float, float]]:
        """Each quantile that is asked: its part of the people, and the number with its limits."""
        return [(text, *self.quantile(float(text))) for text in self.question.part.quantiles]

    @cached_property
    def moments(self) -> list[Row]:
        """The mean and the standard deviation, each with its own interval; none of bins with spikes somewhere within.

        The square of the deviation errs as the mean square about the estimated mean does, whose own variance is added.
        """
        edges, name = self.question.domain.edges, self.question.name
        if not self.question.tells_moments:
            return []
        mean = self._moment(self.estimate.mean, edges[0], edges[-1])
        center = float(np.clip(mean["estimate"], edges[0], edges[-1]))
        most = (edges[-1] - edges[0]) ** 2 / 4
        square = self._moment(self.estimate.square(center), 0.0, most)
        own = mean["stderr"] ** 2
        value, error = square["estimate"] + own, square["stderr"]
        ends = value - error, value + error
        least, middle, largest = (sqrt(min(max(one, 0.0), most)) for one in (ends[0], value, ends[1]))
        # Limits of the square are about a center that is itself estimated, so that the upper one may be too low.
        high = square["high"] + own
        found = {"estimate": middle, "stderr": (largest - least) / 2}
        found |= {"low": sqrt(max(square["low"], 0.0)), "high": sqrt(min(high, most))}
        if "fitted" in square:
            # About the fitted mean, not about the estimated one.
            found["fitted"] = sqrt(max(square["fitted"] - (mean["fitted"] - center) ** 2, 0.0))
        if self.coverage.forged:
            found["moved"] = sqrt(middle**2 + square["moved"]) - middle
        return [{"attribute": name, "value": MEAN, **mean}, {"attribute": name, "value": DEVIATION, **found}]

    def _moment(self, moment: BinnedMoment, least: float, most: float) -> dict[str, float]:
        """What is told of the mean of what bins count, which lies between two ends."""
        (first, last), ends = moment.ends, {"low": least, "high": most}
        width = last - first or 1.0
        row = numbers_at(self._columns(moment.share, moment.offset / width, moment.farthest / width), 0)
        found = {name: width * number + (0.0 if name in DISTANCES else first) for name, number in row.items()}
        # What is cut at an end says nothing; what is no number, of whom nobody may be, stays none.
        found |= {name: end for name, end in ends.items() if row[name] == (name == "high")}
        value = found["estimate"]
        low, high = possible_limits(value, (found["low"], found["high"]), (least, most))
        return found | {"low": float(low), "high": float(high)}

    def quantile(self, part: float) -> tuple[float, float, float]:
        """Where the curve reaches a part of the people, and the limits of that quantile; on a scale its values."""
        reach = self.estimate.reach(part, self.each) * self.estimate.errors_at(part)
        value, low, high = self.estimate.quantile(part, self.each, self._away(reach, self.each))
        if not self.question.domain.is_scale:
            return value, low, high
        least, most = low + HALF, max(low + HALF, high - HALF)
        # The curve ends in the value's bin, of spikes where that begins.
        own = floor(value + HALF) if self.estimate.spikes else ceil(value - HALF)
        return min(max(float(own), least), most), least, most

    def _away(self, fixed: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
        """How far limits are from the function at each edge, if as far as this at one time: at all edges and times."""
        fixed = fixed if self.width_factor is None else fixed * self.width_factor(confidence)
        value, stderr, edges = np.zeros_like(fixed), self.estimate.stderr, self.question.domain.k - 1
        moved = self.coverage.forged * self.estimate.below.leverage / self.n
        return self._widen((-fixed, fixed), value, stderr, moved, bonferroni(confidence, edges))[1]

    def _widen(
        self,
        fixed: Limits,
        value: NDArray[np.float64],
        stderr: NDArray[np.float64],
        moved: NDArray[np.float64],
        each: float,
    ) -> Limits:
        n, expected, part = self.n, self.question.people, self.coverage.forged / self.n
        return self.coverage.limits(fixed, value, stderr, each=each, n=n, expected=expected, moved=moved, part=part)

    @cached_property
    def _bins(self) -> Numbers:
        return self._columns(self.estimate.of_bins)

    @cached_property
    def ranges(self) -> list[Row]:
        """The share of each range that is asked, with the limits of an interval that holds by itself."""
        return self._range_rows(self.question.ranges)

    @cached_property
    def parts(self) -> list[Row]:
        """The same of parts of the range with as many bins each; none where bins are few enough to be shown."""
        edges = np.linspace(0, self.question.domain.k, self._parts + 1).round().astype(np.intp).tolist()
        return self._range_rows(list(pairwise(edges)))

    @cached_property
    def net_row(self) -> Row | None:
        """The share of a scale's upper range minus that of its lower one (`net_ranges`), with its own interval."""
        if self.question.net_ranges is None:
            return None
        columns = self._columns(self.estimate.net_share(*self.question.net_ranges))
        doubled = {name: 2 * column - (name not in DISTANCES) for name, column in columns.items()}
        edges = self.question.domain.edges
        upper, lower = (self._ends(edges[first], edges[last]) for first, last in self.question.net_ranges)
        return {"attribute": self.question.name, "value": upper, "minus": lower, **numbers_at(doubled, 0)}

    @property
    def _parts(self) -> int:
        return PARTS if self.question.domain.k > MOST_SHOWN else 0

    def _range_rows(self, ranges: Sequence[tuple[int, int]]) -> list[Row]:
        return self._rows(ranges, self._columns(self.estimate.range_shares(ranges))) if ranges else []

    def _columns(self, shares: RangeShares, offset: float = 0.0, farthest: float = 0.0) -> Numbers:
        """What is told of the shares of some ranges, bins among them.

        Args:
            offset: the standard deviation of an error that is not the reports'.
            farthest: how large that error can be.
        """
        forged, fitted = self.coverage.forged, self.fitted
        moved = forged * shares.leverage / self.n if forged else np.zeros_like(shares.value)
        fixed, stderr = shares.within(self._errors), np.hypot(shares.stderr, offset)
        fixed = fixed[0] - farthest, fixed[1] + farthest
        low, high = self._widen(fixed, shares.value, stderr, moved, self.each)
        if shares.subpopulation.optional:
            stderr = at_least_as_wide(stderr, fixed, self._errors)
        columns = {"estimate": shares.value, "stderr": stderr}
        columns |= {"low": np.clip(low, 0, 1), "high": np.clip(high, 0, 1)}
        columns |= {} if fitted is None else {"fitted": shares.inside @ fitted}
        return columns | ({"moved": moved} if forged else {})

    def _rows(self, ranges: Iterable[tuple[int, int]], columns: Numbers) -> list[Row]:
        name, edges = self.question.name, self.question.domain.edges
        return [
            {"attribute": name, "from": edges[first], "to": edges[last], **numbers_at(columns, place)}
            for place, (first, last) in enumerate(ranges)
        ]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._kinds)

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        """Of the rows: bins, ranges, their difference, who lacks a number that may be missing, quantiles, moments."""
        question, net = self.question, [NET] if self.question.net_ranges else []
        missing = [MISSING] if question.optional else []
        asked = ["range"] * len(question.ranges) + net + missing + ["quantile"] * len(question.part.quantiles)
        moments = MOMENTS if question.tells_moments else ()
        return ("bin",) * question.domain.k + (*asked, *moments)

    def _places(self, kind: str) -> range:
        """Of the rows of one kind, which stand together."""
        first = self._kinds.index(kind) if kind in self._kinds else 0
        return range(first, first + self._kinds.count(kind))

    def quantities(self) -> Iterator[Quantities]:
        """Bins, ranges and quantiles; of many bins people are shown parts of the range instead."""
        question, edges = self.question, self.question.domain.edges
        name, rows = question.name, [(row, self._readable(place)) for place, row in enumerate(self.rows())]
        parts = [(part, self._ends_read(float(part["from"]), float(part["to"]))) for part in self.parts]
        shown = [*parts, *rows[question.domain.k :]] if parts else []
        values = {name: Range(edges, question.attribute.clip, question.optional)}
        is_date = question.attribute.is_date
        measured, instead = (measured_ranges(part, edges, is_date=is_date) for part in (rows, shown))
        yield Quantities(name, name, ("distribution", name), values, measured, instead)

    def kind(self, place: int) -> str:
        """What a row is: a bin, a range, a difference of two, missing or a quantile."""
        return self._kinds[place]

    def label(self, place: int) -> str:
        """Of one row in a table."""
        kind = self.kind(place)
        at = place - self._places(kind).start
        if kind == NET and self.net_row is not None:
            return f"{self.net_row['value']} minus {self.net_row['minus']}"
        if kind in ("bin", "range"):
            return self._ends(*self._ends_at(place))
        if kind in MOMENTS:
            return MOMENTS[kind]
        return MISSING if kind == MISSING else f"quantile {self.quantiles[at][0]}"

    def _ends_at(self, place: int) -> tuple[float, float]:
        """From where to where a bin or a range goes, by the place of its row."""
        question, k = self.question, self.question.domain.k
        first, last = (place, place + 1) if place < k else question.ranges[place - k]
        return question.domain.edges[first], question.domain.edges[last]

    def _readable(self, place: int) -> str:
        """Label of one row with the unit of its ends."""
        label, kind = self.label(place), self.kind(place)
        if kind == MISSING:
            return self.question.attribute.phrasing.value(label)
        if kind in ("bin", "range"):
            return self._ends_read(*self._ends_at(place))
        return self._with_unit(self.question.net_title if kind == NET else label)

    def _ends_read(self, low: float, high: float) -> str:
        """From where to where as people read it, in whole numbers on their scale."""
        is_date = self.question.attribute.is_date
        return self._ends(low, high) if is_date else self._with_unit(self.question.domain.title(low, high))

    def _with_unit(self, text: str) -> str:
        attribute = self.question.attribute
        return text if attribute.is_date else attribute.phrasing.with_unit(text)

    def _ends(self, low: float, high: float) -> str:
        """From where to where: dates, if the number is one."""
        written = iso_date if self.question.attribute.is_date else plain
        return f"{written(low)} to {written(high)}"

    @cached_property
    def numbers(self) -> Numbers:
        """Of all rows the columns of a table; what a row has not, as a quantile its standard error, is NaN."""
        rows = list(self.rows())
        return {name: np.array([row.get(name, np.nan) for row in rows], dtype=np.float64) for name in self._names}

    @property
    def _names(self) -> tuple[str, ...]:
        names = ("estimate", "stderr", "low", "high", *(() if self.fitted is None else ("fitted",)))
        return (*names, "moved") if self.coverage.forged else names

    def rows(self) -> Iterator[Row]:
        """All bins, the ranges and quantiles that are asked, who lacks the number, its mean and standard deviation."""
        yield from self._rows(pairwise(range(self.question.domain.k + 1)), self._bins)
        yield from self.ranges
        if self.net_row is not None:
            yield self.net_row
        if self.missing_row is not None:
            yield self.missing_row
        for text, value, low, high in self.quantiles:
            yield {"attribute": self.question.name, "quantile": text, "estimate": value, "low": low, "high": high}
        yield from self.moments

    @cached_property
    def missing_row(self) -> Row | None:
        """The share of the people who lack the number; None where everybody has it."""
        if self.estimate.missing_share is None:
            return None
        value, stderr = self.estimate.missing_share
        (low,), (high,) = possible_limits(value, self.estimate.missing_limits(self._errors))
        told = {"estimate": value, "stderr": stderr, "low": float(low), "high": float(high)}
        return {"attribute": self.question.name, "value": MISSING} | told

    def findings_with(self, columns: Callable[[int | None], Columns]) -> Iterator[Finding]:
        del columns
        question, (value, low, high) = self.question, self.quantile(0.5)
        row, possible = {"estimate": value, "low": low, "high": high}, question.domain.edges
        inward, is_date = HALF if question.domain.is_scale else 0.0, question.attribute.is_date
        ends = possible[0] + inward, possible[-1] - inward
        yield middle_finding(
            self._with_unit(question.whose), "median", row, ends, self.coverage.confidence, is_date=is_date
        )

    def blocks(self) -> tuple[Block, ...]:
        """The bins with their histogram, the distribution function with its quantiles, who has no number, the ranges.

        Of many bins each is mostly noise: people read parts of the range, programs both.
        """
        name, whose, k = self.question.title, self.question.whose, self.question.domain.k
        bins = f"all {k} bins" if not self.parts else ""
        rows = [self._table(bins, range(k), 0, self._columns_sentences, () if self.parts else None)]
        rows += [self._parts_table] if self.parts else []
        groups = [BlockGroup(f"Histogram of {whose}", (Plot(DensityChart, self._density), *rows))]
        quantiles = (
            self._table(f"the distribution of {whose}", self._places("quantile"), 4, self._quantile_sentences),
        )
        function = (Plot(FunctionChart, self._function), *(quantiles if self.quantiles else ()))
        groups.append(BlockGroup(f"Distribution function of {whose}", function))
        if self.moments:
            said = () if self.question.domain.is_scale else (MOMENTS_SENTENCE,)
            moments = self._table("moments", range(self.count - len(self.moments), self.count), 5, said)
            groups.append(BlockGroup(f"Mean and standard deviation of {whose}", (moments,)))
        if missing_place := self._places(MISSING):
            missing = self._table("people without a number", missing_place, 3, about=f"{name}, of all people")
            groups.append(BlockGroup(f"Without {name}", (missing,)))
        if self.ranges:
            ranges = [self._table("ranges", self._places("range"), 2)]
            ranges += [self._table("difference", net, 2, (NET_SENTENCE,))] if (net := self._places(NET)) else []
            groups.append(BlockGroup(f"Ranges of {whose}", tuple(ranges)))
        return self._heading, *groups

    @property
    def _heading(self) -> Heading:
        facts = {"simultaneous": self.together, "each": self.each} if self.coverage.simultaneous else {}
        method, name = self.estimate.method, self.question.name
        fitted = "" if self.fitted is None else method
        about = tuple(self.question.attribute_names)
        return Heading(
            name,
            "distribution",
            about,
            self.n,
            facts | {"method": method},
            "distribution",
            method=fitted,
            title=self.question.title,
        )

    def _table(
        self,
        title: str,
        places: range,
        order: int,
        sentences: tuple[Sentence, ...] = (),
        excerpt: Sequence[int] | None = None,
        about: str = "",
    ) -> QuantityTable:
        """Some of the rows, with the columns that these have."""
        first, rows = places.start, list(self.rows())[places.start : places.stop]
        names = [name for name in self.numbers if all(name in row for row in rows)]
        numbers = ("estimate", "stderr", "low", "high", "fitted", "moved")
        keys = [{name: value for name, value in row.items() if name not in numbers} for row in rows]
        return QuantityTable(
            question=self.question.name,
            about=about or self.question.title,
            columns={name: self.numbers[name][places.start : places.stop] for name in names},
            asked=self.question.title,
            label=lambda place: self.label(first + place),
            readable_label=lambda place: self._readable(first + place),
            kind=lambda place: self.kind(first + place),
            key=keys.__getitem__,
            confidence=self.coverage.confidence,
            excerpt=excerpt,
            title=f"{self.n:,} reports; {title}",
            noun="difference" if self._kinds[first] == NET else "estimate",
            are_shares=self._kinds[first] in SHARES,
            in_points=lambda place: self.kind(first + place) == NET,
            sentences=(self.coverage.sentence(ROW, self.together), *sentences),
            order=order,
            is_date=lambda place: self.question.attribute.is_date and self.kind(first + place) in ("quantile", "mean"),
        )

    @property
    def _parts_table(self) -> QuantityTable:
        """Parts of the range with many bins each, which are read in their place."""
        name, numbers = self.question.name, self._names
        ends = [(float(row["from"]), float(row["to"])) for row in self.parts]
        return QuantityTable(
            question=name,
            about=self.question.title,
            columns={column: np.array([row[column] for row in self.parts], dtype=np.float64) for column in numbers},
            asked=self.question.title,
            label=lambda place: self._ends(*ends[place]),
            readable_label=lambda place: self._ends_read(*ends[place]),
            kind=lambda _: "part",
            key=lambda place: {"attribute": name, "from": ends[place][0], "to": ends[place][1]},
            confidence=self.coverage.confidence,
            title=f"{self.n:,} reports; parts of {self.question.domain.k} bins",
            sentences=(self.coverage.sentence(ROW, self.together), *self._columns_sentences),
            order=LAST,
        )

    @property
    def _columns_sentences(self) -> tuple[Sentence, ...]:
        texts = [UNBIASED]
        if self.fitted is not None:
            texts += [FITTED.format(method=self.estimate.method), *([CURVE] if self.coverage.fitted else [])]
        return tuple(Sentence(text, Purpose.COLUMNS) for text in texts)

    @property
    def _quantile_sentences(self) -> tuple[Sentence, ...]:
        """What a quantile is, and where within a bin it is taken to lie."""
        what = "A quantile is the smallest number that this part of the people do not exceed"
        how = "; it is read from the fitted curve."
        if self.estimate.spikes:
            how = ". With declared spikes it is the lower edge of its bin, without interpolation."
        if self.question.domain.is_scale:
            how = ": one of the scale's, as the limits are."
        return (Sentence(what + how, Purpose.COLUMNS),)

    def _density(self) -> DensityChart:
        shares = self.estimate.of_bins.value if self.fitted is None else self.fitted
        how = "Unbiased shares" if self.fitted is None else f"Fitted by {self.estimate.method}"
        rest = "; the table of estimates has the unbiased shares of all bins" if self.parts else ""
        return density_chart(self.question, shares, self._readable, f"{how}{rest}.")

    def _function(self) -> FunctionChart:
        note = f"With {100 * self.coverage.confidence:.15g} % confidence the whole function lies within the band."
        note += "" if self.coverage.watched else " This holds for one look, not for many looks while reports come in."
        asked = tuple((float(text), value, low, high) for text, value, low, high in self.quantiles)
        described = asked or tuple((part, *self.quantile(part)) for part in DECILES)
        edges, function = np.array(self.question.domain.edges), self.estimate.fitted_function
        steps = self.estimate.spikes
        whose, is_date = self.question.whose, self.question.attribute.is_date
        return FunctionChart(whose, edges, function, self.band, asked, described, steps, note, is_date)


def density_chart(
    question: DistributionQuestion, shares: Floats, label: Callable[[int], str], note: str
) -> DensityChart:
    """The bins with their shares.

    Args:
        question: whose bins they are.
        shares: of the bins, shape (k,).
        label: of a bin, by its place.
        note: how the shares were made.
    """
    densest = label(int(np.argmax(shares / question.domain.widths)))
    edges = np.array(question.domain.edges)
    return DensityChart(question.whose, edges, shares, densest, note, question.attribute.is_date)
