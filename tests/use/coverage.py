"""How often intervals hold over many surveys of one row of the table, and whether errors are those that were forecast.

Each survey's tally is drawn from the channel; the plan is made once. What is so few that chance explains it is no
mistake: a binomial bound that a true interval passes but once in a million.
"""

import math
import warnings
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from asked import GROUPS, ROWS, People, Row
from drawn import Survey
from scipy.stats import binom
from truths import Truths
from walk import ACCURACY, FAR, MOMENTS, domain_of, plan_of, stream

from sordino import estimate, forecast
from sordino.errors import SordinoError, SordinoWarning

CONFIDENCE = 0.95
BY_CHANCE = 1e-6
MANY_ENOUGH = 300
"""Reports from which on an ordinary survey is answered, and intervals hold no more often than they say: of a few
people, of whom nearly all are the same, intervals that hold often enough hold nearly always."""

ENOUGH = 200
"""Surveys that show a number, for its interval to be judged."""

SAMPLE = 10_000
"""People of the public sample that forecasts are made of."""

MANY_ERRORS = 8.0
"""Of a number from an end of what is possible."""

ROUGH = 0.05
"""By which standard errors may differ from those found, and accuracies from what was asked."""

WORDS = ("question", "kind", "attribute", "term", "group", "given", "within", "minus")
"""Columns that tell a number from all others."""

FORECAST = (0.9, 1.2)
"""Of forecast errors, over those that were found."""


@dataclass
class Figure:
    """What became of one number over many surveys."""

    truth: tuple[float, float]
    ends: tuple[float, float]
    is_difference: bool
    errors: float = 0.0
    shown: int = 0
    held: int = 0
    width: float = 0.0
    squares: float = 0.0
    is_clipped: bool = False

    def add(self, row: dict[str, Any]) -> bool:
        """One survey's row; whether its interval holds a number that is true."""
        low, high = row["conf.low"], row["conf.high"]
        holds = low <= self.truth[1] and high >= self.truth[0]
        self.shown += 1
        self.held += holds
        self.width += high - low
        self.errors += row["std.error"] or 0.0
        self.is_clipped |= low <= self.ends[0] or high >= self.ends[1]
        self.squares += math.inf if row["estimate"] is None else (row["estimate"] - self.truth[0]) ** 2
        return holds

    @property
    def is_narrow(self) -> bool:
        """Whether it is less than half of all that is possible, never cut, and about a single number.

        Of a difference it is not seen whether an interval that it is made of was cut.
        """
        half = (self.ends[1] - self.ends[0]) / 2
        is_plain = self.truth[0] == self.truth[1] and not self.is_clipped and not self.is_difference
        return is_plain and self.width / self.shown < half < math.inf

    @property
    def is_common(self) -> bool:
        """Whether it is so far from all ends that chance is nearly normal: of rare values intervals hold more often."""
        return all(abs(self.truth[0] - end) > MANY_ERRORS * self.error for end in self.ends)

    @property
    def error(self) -> float:
        return math.sqrt(self.squares / self.shown)


@dataclass(frozen=True)
class Covered:
    """What came of all surveys of a row of the table.

    Attributes:
        figures: by the words of their rows.
        answered: surveys that were not refused.
        together: surveys in which all intervals of a question hold, by question.
        unequal: surveys that find groups unequal at the level of 5 %, by question; empty where they are.
        forecasts: errors that were forecast, over those found, by what they are of.
    """

    row: Row
    surveys: int
    answered: int
    figures: dict[tuple[Any, ...], Figure]
    together: dict[str, int]
    unequal: dict[str, int]
    forecasts: dict[str, float]

    @property
    def judged(self) -> dict[tuple[Any, ...], Figure]:
        """Those that enough surveys show."""
        return {key: one for key, one in self.figures.items() if one.shown >= ENOUGH}

    @property
    def shares(self) -> list[float]:
        """How often each interval holds; with `simultaneous`, all of a question."""
        if self.row.option == "simultaneous":
            return [held / self.answered for held in self.together.values()]
        return [one.held / one.shown for one in self.judged.values()]

    @property
    def mistakes(self) -> list[str]:
        """Intervals that hold too seldom or too often, and forecasts that do not come true."""
        if self.row.option == "simultaneous":
            found = [
                f"all of {question} in {held / self.answered:.1%}"
                for question, held in self.together.items()
                if binom.cdf(held, self.answered, CONFIDENCE) < BY_CHANCE
            ]
        else:
            found = []
            for key, one in self.judged.items():
                # Where strata are planned, numbers of all people without weights err less than is said.
                is_large = self.row.reports >= MANY_ENOUGH and (self.row.option != "weights" or key[1] == "weighted")
                often = f"{one.held / one.shown:.1%} of {one.shown}: {key}"
                if binom.cdf(one.held, one.shown, CONFIDENCE) < BY_CHANCE:
                    found.append(f"too seldom, {often}")
                # Intervals of what bins tell hold wherever within them numbers lie, and these lie at one place.
                is_placed = key[3] in MOMENTS or (key[1] == "pooled" and "distribution" in self.row.kind)
                is_large = is_large and not is_placed
                if (
                    is_large
                    and one.is_narrow
                    and one.is_common
                    and binom.sf(one.held - 1, one.shown, CONFIDENCE) < BY_CHANCE
                ):
                    found.append(f"too often, {often}")
                if is_large and one.is_narrow and one.errors > 0 < one.error:
                    ratio, chance = one.errors / one.shown / one.error, FAR / math.sqrt(2 * one.shown)
                    if abs(ratio - 1) > chance + ROUGH:
                        found.append(f"standard errors {ratio:.2f} of those found: {key}")
                if self.row.option == "accuracy" and one.is_narrow and key[1] in ("share", "cell", "mean"):
                    part = one.width / one.shown / (one.ends[1] - one.ends[0])
                    if part > 2 * ACCURACY * (1 + ROUGH):
                        found.append(f"{part / 2:.3f} to either side, asked was {ACCURACY}: {key}")
            found += [
                f"{name} unequal in {count / self.answered:.1%}"
                for name, count in self.unequal.items()
                if binom.sf(count - 1, self.answered, 1 - CONFIDENCE) < BY_CHANCE
            ]
        least, most = FORECAST
        return found + [
            f"a forecast of {ratio:.2f} of what is found: {name}"
            for name, ratio in self.forecasts.items()
            if not least <= ratio <= most
        ]


SLOW = {"two tables": 200, "mean, some missing": 500, "distribution, some missing": 500}
"""Surveys of kinds whose estimate takes long, as where it is simulated whether a fit of tables together is shown."""


def surveys_of(row: Row, most: int = 2_000) -> int:
    return min(most, SLOW.get(row.kind, most))


MEANS = [Row("mean", epsilon, n, "falling", "alone") for epsilon in ("0.5", "1", "3") for n in (300_000, 3_000_000)]
"""Where intervals failed once."""


COUNTED = 40
"""Rows that are counted with each change."""


def counted_rows() -> list[Row]:
    """Of each kind two at most, and none of those whose estimate takes longest."""
    found: list[Row] = [*MEANS]
    for row in ROWS:
        if row.kind != "two tables" and sum(one.kind == row.kind for one in found) < 2 and len(found) < COUNTED:
            found.append(row)
    return found


def sample_of(people: People) -> pa.Table:
    """People like all of some, as a table of a public sample."""
    times = [round(SAMPLE * share) for share in people.mixed().tolist()]
    one_by_one = [record for record, n in zip(people.records, times, strict=True) for _ in range(n)]
    return pa.Table.from_pylist([record | {"g": group} for record in one_by_one for group in GROUPS])


def cover(row: Row, surveys: int) -> Covered | None:
    """Many surveys of a row; None where it is refused."""
    truths = Truths(row.people)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SordinoWarning)
        try:
            frozen = plan_of(row)
        except SordinoError:
            return None
        people = Survey(frozen, row.people)
        reports = frozen.people if row.option == "accuracy" else row.reports
        answered = 0
        unequal: dict[str, int] = {}
        random = stream("coverage", row)
        figures: dict[tuple[Any, ...], Figure] = {}
        together: dict[str, int] = defaultdict(int)
        by = ["g"] if row.option == "groups" else []
        for _ in range(surveys):
            try:
                found = estimate(
                    frozen, people.tally(reports, random), simultaneous=row.option == "simultaneous", by=by
                )
            except SordinoError:  # too few reports
                continue
            answered += 1
            all_hold: dict[str, bool] = {}
            rows = found.to_tidy().to_pylist()
            truths.note(rows)
            for one in rows:
                if one["kind"] == "equality" and row.people.are_alike and one["p.value"] is not None:
                    name = f"{one['term']} of {one['question']}"
                    unequal[name] = unequal.get(name, 0) + (one["p.value"] < 1 - CONFIDENCE)
                if one["conf.low"] is None:
                    continue
                key = tuple(
                    one[name] for name in ("question", "kind", "attribute", "term", "group", "given", "within", "minus")
                )
                if key not in figures:
                    figures[key] = Figure(truths.of(one), domain_of(one), one["minus"] is not None)
                if not math.isnan(figures[key].truth[0]):
                    holds = figures[key].add(one)
                    all_hold[one["question"]] = all_hold.get(one["question"], True) and holds
            for question in frozen.questions:  # where nothing is said, nothing is wrong
                together[question.name] += all_hold.get(question.name, True)
        # Strata of planned sizes err less than people who are drawn from everybody.
        forecasts = {} if row.people.are_strata else forecast_ratios(frozen, figures, sample_of(row.people))
    return Covered(row, surveys, answered, figures, together, unequal, forecasts)


def forecast_ratios(frozen, figures: dict[tuple[Any, ...], Figure], sample: pa.Table) -> dict[str, float]:
    """Of each quantity that is forecast, the error expected of such people over that of the rows that it is of."""
    found: dict[str, float] = {}
    try:
        expected = forecast(frozen, expect=sample).to_arrow().to_pylist()
    except SordinoError:  # features of such people do not vary
        return found
    # Where nobody lacks a number, the estimate knows that no share is below 0: it errs less than was forecast.
    sure = {name for (name, kind, *_), figure in figures.items() if kind == "missing" and figure.truth[0] in (0, 1)}
    for one in (one for one in expected if one["question"] not in sure):
        name = one["quantity"].removeprefix(one["question"] + ": ")
        own = []
        for (question, kind, _, term, group, *_), figure in figures.items():
            of_shares = kind in ("share", "cell") and name.startswith("share of")
            if question == one["question"] and group is None and (of_shares or name in (term, f"{term} {kind}")):
                own.append(figure)
        if own and all(figure.is_narrow for figure in own):
            error = math.sqrt(sum(figure.error**2 for figure in own) / len(own))
            if error > 0:
                found[one["quantity"]] = one["stderr"] / error
    return found
