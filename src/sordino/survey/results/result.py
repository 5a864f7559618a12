"""What a plan's reports say about each of its questions: the results that tables, files and pages show."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Heading, LateSentence
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose
from sordino.errors import SordinoError
from sordino.estimation.intervals.cluster_errors import ClusterErrors
from sordino.estimation.intervals.forged import require_fewer
from sordino.estimation.share_estimate import Method
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.distribution.distribution_result import DistributionResult
from sordino.survey.kinds.estimate_rows import EstimateRow
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.kinds.limit_batch import LimitBatch
from sordino.survey.kinds.numbers.numbers_result import NumbersResult
from sordino.survey.kinds.numbers.single_moments import SingleMoments
from sordino.survey.kinds.quantities import Quantities
from sordino.survey.kinds.question import Question
from sordino.survey.kinds.several.several_result import SeveralResult
from sordino.survey.kinds.shares.joint_fits import fitted_together
from sordino.survey.kinds.shares.shares_result import HistogramResult, QuestionResult
from sordino.survey.kinds.shares.surroundings import Public, require_public
from sordino.survey.kinds.terms import EstimateTerms, Refusal
from sordino.survey.planning.plan import Plan
from sordino.survey.results.cell_tallies import cluster_groups
from sordino.survey.results.clustered_result import ClusteredResult

FEWEST_CLUSTERS = 2
"""Of which reports show how much clusters differ."""


@dataclass(frozen=True, repr=False)
class Untold(QuestionResult):
    """A question that the reports do not answer.

    Attributes:
        question: that they do not answer.
        n: the number of reports.
        why: what is missing, and what to do.
        awaiting: how many reports are expected to answer it, of people whom the plan expects; it may take a second to
            be found.
        suggested: how many of people who are as these reports say; None where they say too little.
        instead: what they do tell of its attributes, each by itself; None where they are too few for that too.
    """

    question: Question
    n: int
    why: SordinoError
    awaiting: Callable[[], int | None] = field(default=lambda: None)
    suggested: Callable[[], int | None] = field(default=lambda: None)
    instead: SingleMoments | None = None

    @cached_property
    def from_reports(self) -> int | None:
        """Reports that are expected to answer it, as these suggest; None where they say too little."""
        return self.suggested()

    @cached_property
    def reports_needed(self) -> int | None:
        """Reports that are expected to answer it: as these suggest, else of people whom the plan expects; or None."""
        return self.awaiting() if self.from_reports is None else self.from_reports

    def with_coverage(self, coverage: Coverage) -> "Untold":
        del coverage
        return self

    def quantities(self) -> Iterator[Quantities]:
        return iter(())

    def findings(self) -> Iterator[Finding]:
        return iter(())

    def rows(self) -> Iterator[EstimateRow]:
        return iter(()) if self.instead is None else self.instead.rows()

    def blocks(self) -> tuple[Block, ...]:
        name, title, instead = (
            self.question.name,
            self.question.title,
            () if self.instead is None else (self.instead.table,),
        )
        facts: dict[str, Any] = {"untold": str(self.why)}
        if self.instead is not None:
            facts |= {"instead": [single.label for single in self.instead.singles]}
        heading = Heading(
            name,
            self.question.kind,
            tuple(self.question.attribute_names),
            self.n,
            facts,
            is_estimated=False,
            title=title,
        )
        why = LateSentence(self.why_in_words, Purpose.REFUSAL)
        return heading, BlockGroup(f"{title}: not estimated from {self.n:,} reports", (why, *instead))

    def why_in_words(self) -> str:
        """Why, what to do, and how many reports are expected to be enough where that is known."""
        if self.reports_needed is None:
            return str(self.why)
        # Forecasts are loaded where something is not told.
        from sordino.survey.kinds.question_forecast import in_two_digits

        reports, known = (
            f"About {in_two_digits(self.reports_needed)} reports",
            self.question.expected_people is not None,
        )
        expected = "the plan expects" if known else "forecasts assume by default"
        if self.from_reports is not None:
            return f"{self.why} {reports} are expected to be enough, if the features vary as these reports suggest."
        if self.reports_needed <= self.n:
            return f"{self.why} {reports} were expected to be enough, if people were as {expected}."
        return (
            f"{self.why} {reports} are expected to be enough, if people are as {expected}; other people may need more."
        )


Result: TypeAlias = HistogramResult | SeveralResult | DistributionResult | NumbersResult | ClusteredResult | Untold
"""What a plan's reports say about one of its questions."""


def results(
    plan: Plan,
    aggregate: Aggregate,
    method: Method | None = None,
    coverage: Coverage | None = None,
    public: Public | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Result, ...]:
    """Estimate all questions of a plan from its tally, each from the reports of the people who answered it.

    Args and returns as of `results_so_far`.

    Raises:
        SordinoError: no question is answered, or a method that no histogram allows.
    """
    found = results_so_far(plan, aggregate, method, coverage, public, progress)
    untold = [result for result in found if isinstance(result, Untold)]
    if len(untold) == len(found) and all(result.instead is None for result in untold):
        # Why one that was answered is not told says more than that others were not.
        raise max(untold, key=lambda result: result.n).why
    return found


def results_so_far(
    plan: Plan,
    aggregate: Aggregate,
    method: Method | None = None,
    coverage: Coverage | None = None,
    public: Public | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Result, ...]:
    """The same of a collection that goes on, of which nothing may be told yet.

    Args:
        plan: that the reports belong to.
        aggregate: their tally.
        method: how distributions are fitted; by default histograms with a learnt distribution where that is expected
            to be nearer, and where tables share attributes, one to all of them (`joint_fit`).
        coverage: what intervals are to hold against; by default each by itself with 95% confidence.
        public: by the names of questions, numbers that are public and may go with the shares of their values, shape
            (k,), for the method "smoothed".
        progress: called with the number of questions estimated since the last call.

    Raises:
        SordinoError: a method that no histogram allows.
    """
    coverage = Coverage() if coverage is None else coverage
    parts = zip(plan.questions, plan.sampled.split(aggregate), strict=True)
    public = public or {}
    require_public([one.name for one in plan.about_shares], public, method)
    estimated: list[Result] = []
    batch = LimitBatch(coverage)
    for kind, (question, own) in zip(plan.kinds, parts, strict=True):
        terms = EstimateTerms(method, coverage, public.get(question.name), batch)
        estimated.append(_result(kind, question, own, terms))
        progress(1)
    found = tuple(estimated)
    found = found if method is not None else _share_fits(found)
    return tuple(_by_clusters(plan, aggregate, found, coverage)) if coverage.clusters else found


def _by_clusters(plan: Plan, aggregate: Aggregate, found: Sequence[Result], coverage: Coverage) -> Iterator[Result]:
    """Results with errors by clusters, each worked out without every cluster in turn.

    Raises:
        SordinoError: as `tallies_by_cluster`.
    """
    parts = [plan.sampled.split(tally) for tally in cluster_groups(plan, aggregate, coverage.clusters)]
    for place, (kind, result) in enumerate(zip(plan.kinds, found, strict=True)):
        own = [part[place] for part in parts if part[place].n]
        if isinstance(result, Untold):
            # What it tells instead has errors of people drawn one by one.
            yield replace(result, instead=None)
        else:
            yield _result_by_clusters(kind, result, own, coverage)


def _result_by_clusters(kind: AnyKind, result: Result, clusters: Sequence[Aggregate], coverage: Coverage) -> Result:
    question, rule = result.question, f"{result.question.name} must have reports of several {coverage.clusters!r}"
    if len(clusters) < FEWEST_CLUSTERS:
        step = "wait for more, or leave clusters out if people were drawn one by one"
        return Untold(question, result.n, SordinoError(rule, found=f"{len(clusters)}", step=step))
    counts, single = np.sum([one.counts for one in clusters], axis=0), replace(coverage, clusters="")
    without = []
    for one in clusters:
        rest = Aggregate(one.fingerprint, result.n - one.n, counts - one.counts)
        found = _result(kind, question, rest, EstimateTerms("unbiased", single, None, LimitBatch(single)))
        if isinstance(found, Untold):
            why = SordinoError(
                f"{rule}, and be estimated without each",
                found=f"{rest.n:,} reports too few for it",
                step="collect more",
            )
            return Untold(question, result.n, why)
        without.append(found)
    errors = ClusterErrors(np.array([one.n for one in clusters]) / result.n)
    return ClusteredResult(result, tuple(without), errors, coverage)


def _share_fits(found: tuple[Result, ...]) -> tuple[Result, ...]:
    joint = [(place, shares) for place, result in enumerate(found) for shares in joint_shares([result])]
    places, shares = [place for place, _ in joint], [result for _, result in joint]
    together = fitted_together([result.question for result in shares], [result.estimate for result in shares])
    agreeing = list(found)
    for place, estimated in together:
        agreeing[places[place]] = replace(shares[place], estimate=estimated)
    return tuple(agreeing)


def joint_shares(found: Iterable[Result]) -> Iterator[HistogramResult]:
    """The results about shares that go together with those of other questions about the same attributes."""
    return (shares for result in found if (shares := result.shares) is not None and shares.question.is_joint)


def _require_bounded(question: Question, n: int, forged: int) -> None:
    require_fewer(forged, n)
    lacking = [number.name for number in question.attributes if number.optional]
    if forged and lacking:
        rule = "what forged reports can move is bounded for numbers that everybody has"
        found = f"{lacking[0]!r}, which may be missing"
        raise SordinoError(rule, found=found, step="estimate it without a number of forged reports")


def _result(kind: AnyKind, question: Question, own: Aggregate, terms: EstimateTerms) -> Result:
    if own.n == 0:
        why = SordinoError(f"{question.name} must have been answered", found="no reports about it", step="collect more")
        return Untold(question, own.n, why)
    try:
        _require_bounded(question, own.n, terms.coverage.forged)
    except SordinoError as error:
        return Untold(question, own.n, error)
    found = kind.result(question, own, terms)
    if isinstance(found, Refusal):
        return Untold(question, own.n, found.why, found.awaiting, found.suggested, found.instead)
    shown: Any = found
    result: Result = shown
    return result
