"""What a plan's reports say about the shares of an attribute's values, or of a table's cells."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup, Heading, LateSentence, Plot
from sordino.blocks.charts import BarChart, ColumnChart, Floats, MapChart, Shares
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.summary import Summarized
from sordino.blocks.tables import Columns, QuantityTable
from sordino.definition.high_low import HighLowLDP
from sordino.domain.attribute import Domain
from sordino.domain.finite_record import Record
from sordino.domain.grid import Grid
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.estimation.intervals.cluster_errors import ClusterErrors
from sordino.estimation.intervals.finite_people import finite_limits, finite_stderr
from sordino.estimation.intervals.forged import Limits
from sordino.estimation.intervals.nearest_limits import NearestLimits
from sordino.estimation.intervals.quotient import QuotientRows, likely_limits
from sordino.estimation.intervals.simultaneous import draws_noise
from sordino.estimation.joint.among import SharesAmong
from sordino.estimation.joint.table_cells import LARGEST_TABLE, Cells, TableShares
from sordino.estimation.neighbours.choice import Choice, SmoothingRefusal
from sordino.estimation.neighbours.share_prior import LearntChoice
from sordino.estimation.share_estimate import Estimate, Method, estimate, nearest_method
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.supported import SupportMechanism
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import IN_ORDER, LARGEST, UNBIASED, EstimateRow, Numbers, numbers_at
from sordino.survey.kinds.fitted_limits import FITTED_LIMITS, fitted_limits_in_words
from sordino.survey.kinds.limit_batch import LimitBatch
from sordino.survey.kinds.quantities import MeasuredNumber, Quantities, Values, head_of, limits_of
from sordino.survey.kinds.question import Question, SharesQuestion
from sordino.survey.kinds.shares.among_asked import asked_blocks
from sordino.survey.kinds.shares.largest_share import largest_share, names_of, share_of_two
from sordino.survey.kinds.shares.places import CELLS, cell_label
from sordino.survey.kinds.shares.surroundings import numbers_in_order, offer_of, surroundings_of

FITTED = "Fitted ({method}) is a valid distribution near them, for maps and totals; its largest shares are biased low."
LEARNT = (
    "Fitted (empirical-bayes) is a valid distribution near them, for maps and totals. It draws every share towards the"
    " others: for a single value, read the estimate beside it."
)
SMOOTHED = "Fitted (smoothed) also uses the reports about neighbouring values; it is for maps and totals."
"""What the columns of a table of shares are."""

FEWEST_COLUMNS = 16
"""Values in order that are drawn as columns: a chart of fewer shows nothing that bars beside a table do not."""

MOST_CODES = 1 << 17
"""Of a mechanism whose sums are worked out for a figure."""


class QuestionResult(Summarized):
    """What a plan's reports say about one of its questions, as all else knows it."""

    if TYPE_CHECKING:
        # Fields of some, properties of others.
        @property
        def question(self) -> Question:
            """That they answer."""

        @property
        def n(self) -> int:
            """The number of reports."""

        @property
        def coverage(self) -> Coverage:
            """What intervals hold against."""

        @property
        def numbers(self) -> Columns:
            """The columns of its first table."""

    @property
    def shares(self) -> "HistogramResult | None":
        """Itself, if it is about shares of values that are counted."""
        return None

    @property
    def design_effects(self) -> Floats | None:
        """Of each number its variance over that of people drawn one by one; None where no groups are counted."""
        return None

    @abstractmethod
    def with_coverage(self, coverage: Coverage) -> "QuestionResult":
        """The same with other intervals."""

    @abstractmethod
    def quantities(self) -> Iterator[Quantities]:
        """All that it tells, under keys that do not depend on how the plan asked for it."""

    def findings(self) -> Iterator[Finding]:
        """What is worth knowing first; nothing where it says no more than its rows."""
        return self.findings_with(self._columns_for)

    def findings_with(self, columns: Callable[[int | None], Columns]) -> Iterator[Finding]:
        """Findings by the columns of its first table, as shown, or with limits of which so many hold together."""
        del columns
        return iter(())

    def _columns_for(self, count: int | None) -> Columns:
        return self.numbers if count is None else self.with_coverage(self.coverage.for_all(count)).numbers

    def count_clusters(self, without: Sequence["QuestionResult"], errors: ClusterErrors) -> "QuestionResult":
        """Itself, with limits by clusters of what has no standard error.

        Args:
            without: results of the question without each cluster.
            errors: by clusters.
        """
        del without, errors
        return self

    @property
    def leading_name(self) -> str:
        """The quantity that its findings are about, as results of several questions name it; empty of none."""
        return ""

    @abstractmethod
    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Each number for programs."""


@dataclass(frozen=True, eq=False, repr=False)
class HistogramResult(QuestionResult):
    """What a plan's reports say about the shares of an attribute's values, or of a table's cells.

    Attributes:
        question: that they answer.
        estimate: the shares.
        coverage: what intervals hold against.
        batch: of the questions whose limits are looked for together; by default this one alone.
    """

    question: SharesQuestion
    estimate: Estimate
    coverage: Coverage = field(default_factory=Coverage)
    batch: LimitBatch | None = None

    def __post_init__(self) -> None:
        if self.batch is not None and self._left_out is not None:
            self.batch.add(self.question, self.estimate, self._rows_among_asked)

    @classmethod
    def of(
        cls,
        question: SharesQuestion,
        aggregate: Aggregate,
        method: Method | None,
        coverage: Coverage,
        public: NDArray[np.float64] | None,
        batch: LimitBatch | None = None,
    ) -> "HistogramResult":
        """Estimate from the tally of the question's own reports.

        Args:
            question: that they answer.
            aggregate: their tally.
            method: how a distribution is fitted; None for the default, in tables and where what is fitted has intervals
                too the nearest distribution.
            coverage: what intervals hold against.
            public: numbers that may go with the shares, shape (k,); None without any.
            batch: of the questions whose limits are looked for together.
        """
        mechanism, known = question.mechanism, surroundings_of(question.domain, public)
        # The query's tally is that of its mechanism: what was read are its values.
        tally = Aggregate(mechanism.fingerprint, aggregate.n, aggregate.counts)
        subtract = question.part.subtract_totals
        # The margins of a table are read off its cells, and limits are known of the nearest distribution alone.
        if method is None and (question.is_table or coverage.fitted):
            method = nearest_method(mechanism)
        found = estimate(mechanism, tally, method, subtract_totals=subtract, known=known)
        return cls(question, found, coverage, batch)

    @property
    def shares(self) -> "HistogramResult":
        return self

    def with_coverage(self, coverage: Coverage) -> "HistogramResult":
        return replace(self, coverage=coverage)

    @cached_property
    def offer(self) -> Choice | None:
        """What is expected of smoothed shares, where they were not asked for and are nearer to the truth."""
        return offer_of(self.question.domain, self.estimate)

    @cached_property
    def interval(self) -> Limits:
        """Lower and upper limits, shape (k,) each."""
        estimate, each = self.estimate, self.each
        fixed = estimate.interval(each)
        if people := self.coverage.finite:
            fixed = finite_limits(estimate, fixed, people)
        return self._limits(fixed, each, estimate.value, self.stderr, self.moved)

    @cached_property
    def stderr(self) -> NDArray[np.float64]:
        """Standard errors, shape (k,): about a population that people are drawn from, or about those who reported."""
        people = self.coverage.finite
        return finite_stderr(self.estimate, people) if people else self.estimate.stderr

    @cached_property
    def fitted_interval(self) -> Limits | None:
        """Limits of the fitted shares, shape (k,) each; None where none are asked, or none are known to hold."""
        if not (self.coverage.fitted and NearestLimits.applies_to(self.estimate)):
            return None
        return NearestLimits(self.estimate, self.coverage.confidence).limits(np.eye(self.count))

    @cached_property
    def each(self) -> float:
        """The confidence of each value's interval."""
        coverage = self.coverage
        # What holds at all times together, or by clusters, holds together by Bonferroni alone.
        drawn = coverage.simultaneous and not (coverage.watched or coverage.clusters)
        return self.estimate.each_confidence(coverage.confidence) if drawn else coverage.each(self.count)

    @property
    def together(self) -> str:
        """How intervals are made to hold together, if they do: by draws of the noise of all, or by Bonferroni."""
        drawn = draws_noise(self.estimate.mechanism) and not (self.coverage.watched or self.coverage.clusters)
        return "max-|z|" if drawn else "Bonferroni"

    @cached_property
    def moved(self) -> NDArray[np.float64]:
        """How far at most the forged reports can have moved each estimate, shape (k,)."""
        return self.estimate.moved(self.coverage.forged)

    @cached_property
    def cells(self) -> Cells:
        """Of a table its cells with their covariance, worked out once for all that shows them.

        Raises:
            SordinoError: too many cells, or a tally that does not tell how they go together.
        """
        return Cells.of(self.question.shape, self.estimate)

    def sums(self, blocks: Partition) -> tuple[NDArray[np.float64], Limits]:
        """What the values of each block have together, shape (m,), and its limits.

        Raises:
            SordinoError: a tally that does not say how often each code was sent.
        """
        sums, each = self.estimate.sums(blocks), self.coverage.each(blocks.m)
        moved = self.coverage.forged * sums.leverage / self.n
        return sums.value, self._limits(sums.interval(each), each, sums.value, sums.stderr, moved)

    def _limits(
        self,
        fixed: Limits,
        each: float,
        value: NDArray[np.float64],
        stderr: NDArray[np.float64],
        moved: NDArray[np.float64],
    ) -> Limits:
        n, expected, coverage = self.n, self.question.people, self.coverage
        part = coverage.forged / n
        low, high = coverage.limits(fixed, value, stderr, each=each, n=n, expected=expected, moved=moved, part=part)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def largest(self, count: int) -> NDArray[np.intp]:
        """The values with the largest fitted shares, in descending order; without a fit, the largest estimates.

        Among many values the largest estimates are those with the most noise; the fit takes it from them.
        """
        return np.argsort(-self.estimate.by_method, kind="stable")[:count]

    @cached_property
    def excerpt(self) -> NDArray[np.intp]:
        """The values that people read of: all, in the survey's order, or of many the largest."""
        return np.arange(self.count) if self.count <= IN_ORDER else self.largest(LARGEST)

    @property
    def fitted(self) -> NDArray[np.float64] | None:
        """A distribution near the estimate, shape (k,)."""
        return self.estimate.fitted

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.question.domain.k

    def kind(self, _: int) -> str:
        """What a row is."""
        return "cell" if self.question.is_table else "share"

    @cached_property
    def numbers(self) -> Numbers:
        """Of all values, in their own order: estimate, standard error and limits; and what was fitted, if anything."""
        (low, high), fitted = self.interval, self.fitted
        numbers = {"estimate": self.estimate.value, "stderr": self.stderr, "low": low, "high": high}
        numbers |= {} if fitted is None else {"fitted": fitted}
        numbers |= dict(zip(FITTED_LIMITS, self.fitted_interval or (), strict=False))
        return numbers | ({"moved": self.moved} if self.coverage.forged else {})

    @cached_property
    def label(self) -> Callable[[int], str]:
        """Of a value."""
        return self.question.domain.label

    def quantities(self) -> Iterator[Quantities]:
        """The share of each value or cell, whatever the order of its attributes."""
        question, measured = self.question, dict[Hashable, MeasuredNumber]()
        for place, row in enumerate(self.rows()):
            key = frozenset(zip(question.attribute_names, question.labels(place), strict=True))
            measured[key] = MeasuredNumber(head_of(row), limits_of(row, 0.0, 1.0), readable=self._readable(place))
        values: Values = {
            name: domain if isinstance(domain, Grid) else frozenset(map(str, domain.labels))
            for name, domain in question.domains.items()
        }
        yield Quantities(question.name, question.name, ("shares", question.subject), values, measured)

    def rows(self) -> Iterator[EstimateRow]:
        return map(self.row, range(self.count))

    def row(self, value: int) -> EstimateRow:
        """One value's attribute, label, estimate, standard error and limits; and its fitted share, if there is one."""
        return self.question.row_head(value) | numbers_at(self.numbers, value)

    def blocks(self, truth: Floats | None = None, others: Sequence[tuple[str, Floats]] = ()) -> tuple[Block, ...]:
        """What is shown: of places a map, of numbers in order a histogram, the shares with their intervals.

        Args:
            truth: the true shares where a simulation knows them, shape (k,).
            others: what else it maps beside, each with what it is.
        """
        name, domain = self.question.title, self.question.domain
        groups = []
        if isinstance(domain, Grid):
            groups.append(BlockGroup("Map", (Plot(MapChart, lambda: self._map(domain, truth, others)),), name))
        if self._has_columns:
            groups.append(
                BlockGroup(
                    "Histogram",
                    (
                        Plot(
                            ColumnChart,
                            lambda: column_chart(name, domain, self._shares(truth), self.sums, self._readable),
                        ),
                    ),
                    name,
                )
            )
        is_whole = len(self.excerpt) == self.count
        parts: tuple[Block, ...] = self._table(truth), LateSentence(self._suggestion, Purpose.SUGGESTION)
        # What a histogram shows in order is not drawn again.
        if not (is_whole and self._has_columns):
            parts = Plot(BarChart, lambda: self._bars(truth)), *parts
        groups.append(BlockGroup("Shares" if is_whole else "The largest shares", parts, name))
        return self._heading, *groups, *self._asked_blocks()

    def _asked_blocks(self) -> tuple[BlockGroup, ...]:
        attribute, left_out = self.question.histogram_of, self._left_out
        if self.among_asked is None or attribute is None or left_out is None:
            return ()
        places = [value for value in range(self.count) if value != left_out]
        labels, said = [self.label(place) for place in places], [self._readable(place) for place in places]
        missing = attribute.missing if attribute.not_asked is None else None
        unanswered = missing and attribute.phrasing.value(missing)
        return asked_blocks(self.question, labels, said, self.among_asked, self.coverage, self.n, unanswered)

    def findings(self) -> Iterator[Finding]:
        """Of a follow-up question what its rows about those who were asked say, where they say anything."""
        count, own = self.count - 1, self.among_asked
        if not self._follows_up or own is None or not np.isfinite(own.value).all():
            yield from super().findings()
        elif count > 1:
            wide = self.with_coverage(self.coverage.for_all(count)).among_asked or own
            shares = Shares(own.value, own.low, own.high, own.fitted, stderr=own.stderr)
            yield self._share_finding(
                f"{self.question.title}, among those who were asked", shares, (wide.low, wide.high)
            )

    def findings_with(self, columns: Callable[[int | None], Columns]) -> Iterator[Finding]:
        """Which answer has the largest share, of two the share of one; that a question was not asked is none."""
        whom = ", of everybody, asked or not" if self._follows_up else ""
        attribute = self.question.histogram_of
        count = self.count - (attribute is not None and attribute.not_asked is not None)
        if count > 1:
            own, wide = columns(None), columns(count)
            together = wide["low"][:count], wide["high"][:count]
            shares = Shares(own["estimate"], own["low"], own["high"], self.fitted, stderr=own["stderr"]).first(count)
            yield self._share_finding(f"{self.question.title}{whom}", shares, together)

    def _share_finding(self, whose: str, shares: Shares, together: Limits) -> Finding:
        said = whose, names_of(self.question), shares, together, self.coverage.confidence
        return largest_share(*said) if len(shares.estimate) > 2 else share_of_two(*said, self._asked_about)

    @property
    def _follows_up(self) -> bool:
        """Whether only some people are asked, and rows are about these."""
        attribute = self.question.histogram_of
        return self._left_out is not None and attribute is not None and attribute.not_asked is not None

    @property
    def leading_name(self) -> str:
        return self.question.name

    @property
    def _asked_about(self) -> int:
        """Of two answers the one that is sensitive, if only one is, else the first: that is what people write first."""
        promise = self.question.definition
        if isinstance(promise, HighLowLDP) and len(promise.sensitive) == 1:
            return int(promise.sensitive[0])
        return 0

    @cached_property
    def among_asked(self) -> TableShares | None:
        """The shares of all values but one among who was asked, or answered; None if all were, or nothing tells it."""
        coverage = self.coverage
        if self._left_out is None or coverage.watched or coverage.forged:
            return None
        asked, batch = self._among_asked(coverage), self.batch
        try:
            if batch is not None:
                return asked.within(batch.limits(self.question, coverage))
            return asked.within(None if asked.rows is None else likely_limits(*asked.rows))
        except SordinoError:
            # Some tallies do not say how shares go together.
            return None

    @cached_property
    def _left_out(self) -> int | None:
        """The value of who was not asked, the last one, else of who did not answer, beside two others; None of none."""
        attribute = self.question.histogram_of
        if attribute is None or self.count > LARGEST_TABLE:
            return None
        if attribute.not_asked is not None:
            return self.count - 1
        missing = attribute.missing if self.count > 2 else None
        return next(
            (value for value in range(self.count) if missing is not None and self.label(value) == missing), None
        )

    def _among_asked(self, coverage: Coverage) -> SharesAmong:
        every, left_out = np.eye(self.count), self._left_out or 0
        among = np.delete(every, left_out, axis=0)
        return SharesAmong(self.estimate, among, 1 - every[left_out], coverage.each(self.count - 1))

    def _rows_among_asked(self, coverage: Coverage) -> QuotientRows | None:
        return self._among_asked(coverage).rows

    @property
    def _heading(self) -> Heading:
        facts: dict[str, Any] = {"simultaneous": self.together, "each": self.each} if self.coverage.simultaneous else {}
        choice, method = self.estimate.choice, self.estimate.method
        facts |= {"method": method}
        if choice is not None:
            better = not isinstance(choice, SmoothingRefusal) and choice.better
            facts |= {"choice": {**asdict(choice), "better": better}}
        fitted = "" if self.fitted is None else method
        question = self.question
        about = tuple(question.attribute_names)
        return Heading(
            question.name,
            question.kind,
            about,
            self.n,
            facts,
            "shares",
            question.domain.k,
            fitted,
            title=question.title,
        )

    def _table(self, truth: Floats | None) -> QuantityTable:
        k, name = self.count, self.question.name
        is_whole = len(self.excerpt) == k
        return QuantityTable(
            question=name,
            about=self.question.title,
            columns=self.numbers | ({} if truth is None else {"truth": truth}),
            asked=self.question.title,
            label=self.label,
            readable_label=self._readable,
            kind=self.kind,
            key=self.question.row_head,
            confidence=self.coverage.confidence,
            excerpt=self.excerpt.tolist(),
            title=f"{self.n:,} reports; {f'all {k}' if is_whole else f'the largest of {k:,}'} values",
            sentences=self._sentences,
        )

    def _readable(self, value: int) -> str:
        """A value as people read it: in the survey's words, of a map's cell with a place in it."""
        domain = self.question.domain
        return cell_label(domain, value) if isinstance(domain, Grid) else self.question.value_title(value)

    @property
    def _sentences(self) -> tuple[Sentence, ...]:
        method, choice = self.estimate.method, self.estimate.choice
        said = [self.coverage.sentence("value", self.together, counts_finite=True), Sentence(UNBIASED, Purpose.COLUMNS)]
        if self.fitted is not None:
            fitted = {"smoothed": SMOOTHED, "empirical-bayes": LEARNT}.get(method, FITTED.format(method=method))
            said.append(Sentence(fitted, Purpose.COLUMNS))
        if self.coverage.fitted and self.fitted is not None:
            known = fitted_limits_in_words(self.estimate, are_given=self.fitted_interval is not None)
            said.append(Sentence(known, Purpose.COLUMNS))
        if isinstance(choice, LearntChoice):
            said += [Sentence(learnt_in_words(choice), Purpose.METHOD)] if choice.better else []
        elif choice is not None:
            said.append(Sentence(choice_in_words(choice, method), Purpose.METHOD))
        if isinstance(self.question.domain, Grid):
            said.append(Sentence(CELLS, Purpose.COLUMNS))
        return tuple(said)

    def _suggestion(self) -> str:
        return "" if self.offer is None else choice_in_words(self.offer, self.estimate.method, asked=False)

    def _shares(self, truth: Floats | None) -> Shares:
        return Shares(self.estimate.value, *self.interval, self.fitted, truth, self.stderr)

    def _bars(self, truth: Floats | None) -> BarChart:
        labels = map(self._readable, self.excerpt.tolist())
        return BarChart(tuple(labels), self._shares(truth).of(self.excerpt))

    def _map(self, grid: Grid, truth: Floats | None, others: Sequence[tuple[str, Floats]]) -> MapChart:
        smoothed = self.estimate.method == "smoothed"
        title = "Smoothed shares" if smoothed else "Estimate" if self.fitted is None else "Fitted shares"
        known = [] if truth is None else [("Truth", truth)]
        panels = (*known, (title, self.estimate.by_method), *others)
        return MapChart(grid, panels, 1 / self.n, has_titles=len(panels) > 1 or smoothed)

    @property
    def _has_columns(self) -> bool:
        """Whether the values are numbers in order, too many for bars beside a table, and of sums that are known."""
        domain, mechanism = self.question.domain, self.question.mechanism
        if numbers_in_order(domain) is None or domain.k < FEWEST_COLUMNS:
            return False
        # Where each code supports values of all kinds nothing cancels between neighbours, and sums take long.
        has_sums = not isinstance(mechanism, SupportMechanism) and mechanism.counts_codes
        return domain.k <= MOST_COLUMNS or (has_sums and mechanism.outputs <= MOST_CODES)


MOST_COLUMNS = 400
"""Values that are drawn one by one."""

RUNS = 100
"""Columns at most where each is a run of values: noise that neighbours share cancels within a run."""


def column_chart(
    name: str,
    domain: Domain | Record,
    shares: Shares,
    sums: Callable[[Partition], tuple[Floats, Limits]],
    label: Callable[[int], str],
) -> ColumnChart:
    """The shares of all values, or of runs of values where these are too many.

    Args:
        name: of the attribute.
        domain: its values.
        shares: of all.
        sums: what the values of each block have together, with limits.
        label: of a value, as people read it.
    """
    numbers = numbers_in_order(domain)
    at = np.arange(domain.k, dtype=np.float64) if numbers is None else numbers
    labels = list(map(label, range(domain.k)))
    if domain.k <= MOST_COLUMNS:
        return ColumnChart(name, tuple(labels), shares, at)
    run = -(-domain.k // RUNS)
    runs = Partition.of(np.arange(domain.k) // run)
    value, limits = sums(runs)
    fitted, true = (None if column is None else runs.totals(column) for column in (shares.fitted, shares.truth))
    ends = [(block * run, min((block + 1) * run, domain.k) - 1) for block in range(runs.m)]
    return ColumnChart(
        f"{name}, in runs of {run:,} values",
        tuple(labels[first] if first == last else f"{labels[first]} to {labels[last]}" for first, last in ends),
        Shares(value, *limits, fitted, true),
        np.array([(at[first] + at[last]) / 2 for first, last in ends]),
    )


OWN = "The estimates and their intervals use the reports alone; smoothed shares have no intervals."


def learnt_in_words(choice: LearntChoice) -> str:
    """A sentence about shares that were fitted with a learnt distribution.

    Example:
        >>> learnt_in_words(LearntChoice(0.1, 0.2)).split(", ")[0]
        'Judging by the reports'
    """
    return (
        f"Judging by the reports, the fitted shares are expected to be {choice.learnt:.3f} from the truth (total"
        f" variation), the nearest distribution to the estimates {choice.nearest:.3f}."
    )


def choice_in_words(choice: Choice | SmoothingRefusal, method: str, *, asked: bool = True) -> str:
    """A sentence or three.

    Args:
        choice: what is expected, or why nothing is.
        method: by which the shares were fitted.
        asked: whether smoothed shares were asked for.

    Example:
        >>> choice_in_words(Choice(0.1, 0.2, 0.5), "simplex", asked=False).split(":")[0]
        'Offered, not used'
    """
    if isinstance(choice, SmoothingRefusal):
        return (
            f"Not smoothed, although requested: with this plan's mechanism {choice.why}, so it is unknown whether"
            f" smoothing would be an improvement. {method} is used instead."
        )
    distances = f"{choice.smoothed:.3f} from the truth (total variation), the nearest distribution {choice.nearest:.3f}"
    if not asked:
        return (
            f"Offered, not used: the method smoothed. Judging by the reports, shares smoothed by their neighbours are"
            f" expected to be {distances}."
        )
    if method == "smoothed":
        return (
            f"Smoothed: each share is fitted with the help of its neighbours and of the spread of all shares. Judging"
            f" by the reports, these shares are expected to be {distances}. {OWN}"
        )
    return (
        f"Not smoothed, although requested: the reports allow shares for which smoothing would not be clearly better;"
        f" its distance to the truth may be {choice.worst:.2f} times that of {method}, which is used instead."
    )
