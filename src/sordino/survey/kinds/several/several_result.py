"""What a plan's reports say about categories of which several apply: the share of the people to whom each does.

The shares add up to more than 1 where people have several; each is unbiased. By combination a share is a sum of shares
of one channel, and its limits follow from what each code adds to it (`mean_limits`). By category it is that of those
who were asked about it. By meeting every report says of each category whether it is in the code: a count of reports
that is binomial.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from sordino.blocks.block import Block, BlockGroup, Heading, Plot
from sordino.blocks.charts import BarChart, Shares
from sordino.blocks.finding import Finding
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import Columns, QuantityTable
from sordino.errors import SordinoError
from sordino.estimation.intervals.mean_limits import FEWEST, limits_by_codes
from sordino.estimation.joint.among import ratio_shares, shares_among
from sordino.estimation.joint.table_cells import TableShares
from sordino.estimation.share_estimate import Estimate, estimate
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.meeting_subsets import MeetingSubsets
from sordino.query.sampled import Sampled
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.estimate_rows import UNBIASED, EstimateRow, Numbers, numbers_at
from sordino.survey.kinds.quantities import MeasuredNumber, Quantities, head_of, limits_of
from sordino.survey.kinds.question import Floats
from sordino.survey.kinds.several.several_question import SeveralQuestion
from sordino.survey.kinds.shares.among_asked import asked_blocks
from sordino.survey.kinds.shares.largest_share import largest_share
from sordino.survey.kinds.shares.shares_result import QuestionResult

SEVERAL = "More than one may apply to a person: shares of categories may add up to more than 100 %."
"""What the estimates are."""

NO = np.array([[1.0, 0.0]])
"""Of two values, no and yes, the share of the first."""


@dataclass(frozen=True, eq=False, repr=False)
class SeveralResult(QuestionResult):
    """What a plan's reports say about categories of which several apply.

    Attributes:
        question: that they answer.
        estimates: of the combinations; or of no and yes for each mark, by meeting all of the same reports.
        fillers: by meeting, of no and yes for each dummy but the last: whether fewer categories apply than some number.
        n: the number of reports.
        coverage: what intervals hold against.
    """

    question: SeveralQuestion
    estimates: tuple[Estimate, ...]
    fillers: tuple[Estimate, ...]
    n: int
    coverage: Coverage = field(default_factory=Coverage)

    @classmethod
    def of(cls, question: SeveralQuestion, own: Aggregate, coverage: Coverage) -> "SeveralResult":
        """Estimate from the tally of the question's own reports.

        Args:
            question: that they answer.
            own: their tally.
            coverage: what intervals hold against.

        Raises:
            SordinoError: no report about one of the categories, of which one is drawn for each person.
        """
        mechanism, choices = question.mechanism, question.choices
        if isinstance(mechanism, MeetingSubsets):
            found_each, fillers = (
                tuple(estimate(mechanism.answer, mechanism.answer_tally(own, item)) for item in items.tolist())
                for items in (choices.item_of_marks, choices.items_at_most)
            )
            return cls(question, found_each, fillers, own.n, coverage)
        tallies = question.query.split(own) if isinstance(question.query, Sampled) else (own,)
        if not all(tally.n for tally in tallies):
            found = f"no report about {choices.marks[[tally.n for tally in tallies].index(0)]!r}"
            rule = f"{question.name}: there must be a report about each category, one of which is drawn for each person"
            raise SordinoError(rule, found=found, step=coverage.step("fewer categories"))
        found_each = tuple(
            estimate(
                mechanism,
                Aggregate(mechanism.fingerprint, tally.n, tally.counts),
                subtract_totals=question.part.subtract_totals,
            )
            for tally in tallies
        )
        return cls(question, found_each, (), own.n, coverage)

    def with_coverage(self, coverage: Coverage) -> "SeveralResult":
        return replace(self, coverage=coverage)

    @property
    def marks(self) -> tuple[str, ...]:
        """What shares are of."""
        return self.question.choices.marks

    @property
    def each(self) -> float:
        """The confidence of each interval."""
        return self.coverage.each(len(self.marks))

    @cached_property
    def functionals(self) -> Floats:
        """Of the mechanism's values those whose shares are estimated, shape (marks, k); by category of a single one."""
        return self.question.asked_way.functionals

    @cached_property
    def numbers(self) -> Numbers:
        """Of all marks: estimate, standard error and limits."""
        return self._numbers(self.estimates, self.functionals, self.each)

    @cached_property
    def counts(self) -> Numbers | None:
        """The same of who has at least 2, 3, ... categories; None where nothing shows how many apply."""
        choices = self.question.choices
        each = self.coverage.each(choices.most - 1)
        if choices.most == 1 or self.question.by_category:
            return None
        if self.question.by_meeting:
            # Who has fewer has the dummy.
            return self._numbers(self.fillers, NO, each)
        return self._numbers(self.estimates, choices.has_at_least(choices.values).T.astype(np.float64), each)

    def _numbers(self, estimates: Sequence[Estimate], functionals: Floats, each: float) -> Numbers:
        rows = [self._of_estimate(one, functionals, each) for one in estimates]
        names = [name for name in rows[0] if name != "moved" or self.coverage.forged]
        return {name: np.concatenate([row[name] for row in rows]) for name in names}

    def _of_estimate(self, found: Estimate, functionals: Floats, each: float) -> Numbers:
        coverage, n = self.coverage, found.n
        value, stderr = functionals @ found.value, np.sqrt(found.variances(functionals))
        added = found.contributions(functionals)
        if n < FEWEST:
            fixed = np.zeros_like(value), np.ones_like(value)
        elif self.question.by_mark:
            low, high = found.interval(each)
            place = functionals.argmax(axis=1)
            fixed = low[place], high[place]
        else:
            fixed = limits_by_codes(added, found.law, n, 1 - each)
        moved = coverage.forged * np.ptp(added, axis=1) / n
        expected = max(1, self.question.people // self.question.asked_way.times)
        part = coverage.forged / n
        low, high = coverage.limits(fixed, value, stderr, each=each, n=n, expected=expected, moved=moved, part=part)
        limits = {"low": np.clip(low, 0, 1), "high": np.clip(high, 0, 1)}
        return {"estimate": value, "stderr": stderr, **limits, "moved": moved}

    def row_head(self, place: int) -> dict[str, Any]:
        """What a row is about."""
        return {"attribute": self.question.name, "value": self.marks[place]}

    def rows(self) -> Iterator[EstimateRow]:
        for place in range(len(self.marks)):
            yield self.row_head(place) | numbers_at(self.numbers, place)

    def quantities(self) -> Iterator[Quantities]:
        name = self.question.name
        measured = {
            row["value"]: MeasuredNumber(head_of(row), limits_of(row, 0.0, 1.0), readable=title)
            for row, title in zip(self.rows(), self._mark_titles, strict=True)
        }
        values: Mapping[str, frozenset[str]] = {name: frozenset(self.marks)}
        yield Quantities(name, name, ("several", name), values, cast("Any", measured))

    def blocks(self) -> tuple[Block, ...]:
        question, numbers = self.question, self.numbers
        count = len(question.choices.labels)
        others = " and ".join(map(repr, self._mark_titles[count:]))
        facts: dict[str, Any] = {"way": question.part.way}
        facts |= {"simultaneous": "Bonferroni", "each": self.each} if self.coverage.simultaneous else {}
        about = tuple(question.attribute_names)
        heading = Heading(
            question.name, question.kind, about, self.n, facts, "shares", len(self.marks), title=question.title
        )
        table = QuantityTable(
            question=question.name,
            about=question.title,
            columns=numbers,
            asked=self.question.title,
            label=self.marks.__getitem__,
            readable_label=self._mark_titles.__getitem__,
            kind=lambda _: "share",
            key=self.row_head,
            confidence=self.coverage.confidence,
            title=f"{self.n:,} reports; all {count} categories, and {others}",
            sentences=(
                self.coverage.sentence("category"),
                Sentence(SEVERAL, Purpose.COLUMNS),
                Sentence(UNBIASED, Purpose.COLUMNS),
            ),
        )
        chart = Plot(BarChart, lambda: BarChart(self._mark_titles, self._shares))
        among = asked_blocks(question, self.marks[:-1], self._mark_titles[:-1], self.among_asked, self.coverage, self.n)
        return heading, BlockGroup("Shares", (chart, table), question.title), *self._count_blocks, *among

    @property
    def _count_blocks(self) -> tuple[BlockGroup, ...]:
        """A table of how many categories apply, where reports show it."""
        question, counts = self.question, self.counts
        if counts is None:
            return ()
        name = question.name

        def label(place: int) -> str:
            return f"at least {place + 2} apply"

        table = QuantityTable(
            question=name,
            about=f"{question.title}, how many apply",
            columns=counts,
            asked=question.title,
            label=label,
            kind=lambda _: "share",
            key=lambda place: {"attribute": name, "value": label(place)},
            confidence=self.coverage.confidence,
            title=f"{self.n:,} reports; how many categories apply",
            sentences=(self.coverage.sentence("number"), Sentence(UNBIASED, Purpose.COLUMNS)),
            order=1,
        )
        return (BlockGroup("How many apply", (table,), question.title),)

    @cached_property
    def _mark_titles(self) -> tuple[str, ...]:
        """The marks as people read them."""
        return tuple(map(self.question.attribute.phrasing.value, self.marks))

    @property
    def _shares(self) -> Shares:
        numbers = self.numbers
        return Shares(numbers["estimate"], numbers["low"], numbers["high"], stderr=numbers["stderr"])

    def findings_with(self, columns: Callable[[int | None], Columns]) -> Iterator[Finding]:
        count, confidence = len(self.question.choices.labels), self.coverage.confidence
        own, wide = columns(None), columns(count)
        together = wide["low"][:count], wide["high"][:count]
        title, nouns = self.question.title, ("category", "categories")
        shares = Shares(own["estimate"], own["low"], own["high"], stderr=own["stderr"]).first(count)
        yield largest_share(title, lambda at: repr(self._mark_titles[at]), shares, together, confidence, nouns)

    @cached_property
    def among_asked(self) -> TableShares | None:
        """The shares of all marks but the last among who was asked; None where everybody is, or nothing tells it."""
        coverage, count = self.coverage, len(self.marks) - 1
        if self.question.choices.not_asked is None or coverage.watched or coverage.forged:
            return None
        each = coverage.each(count)
        if self.question.part.way == "combination":
            (found,) = self.estimates
            told = shares_among(found, self.functionals[:-1], 1 - self.functionals[-1], each)
            return replace(told, fitted=None)
        value, variance = self.numbers["estimate"], self.numbers["stderr"] ** 2
        # Reports about different marks are of different people, unless each is about all of them.
        shared = np.zeros(count) if self.question.by_category else self._covariance_with_unasked
        errors = variance[:-1], float(variance[-1]), shared
        return ratio_shares(value[:-1], 1 - float(value[-1]), errors, each)

    @property
    def _covariance_with_unasked(self) -> Floats:
        """Of the estimated shares of all marks but the last, by meeting, with that of who was not asked.

        Nobody has both: a code holds two items with one probability if the person has one of them, and with another if
        the person has neither.
        """
        mechanism = cast("MeetingSubsets", self.question.mechanism)
        (hit, miss), (one, none) = (
            tuple(map(float, pair)) for pair in (mechanism.holding_chances, mechanism.pair_chances)
        )
        value = self.numbers["estimate"]
        together = none + (one - none) * (value[:-1] + value[-1])
        held = miss + (hit - miss) * value
        covariance: Floats = (together - held[:-1] * held[-1]) / ((hit - miss) ** 2 * self.n)
        return covariance
