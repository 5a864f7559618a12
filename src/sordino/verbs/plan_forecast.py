"""What a plan's questions will show once people have answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, isfinite, sqrt
from typing import TYPE_CHECKING

from sordino.blocks.arrow_rows import COUNT, NUMBER, TEXT, ArrowRows, rows_table
from sordino.blocks.block import BlockGroup
from sordino.blocks.digits import error_in_percent, round_row, to_span
from sordino.blocks.displayed import Displayed
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.sentence import Sentence, limits
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.blocks.tables import TextTable
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.printable import printable
from sordino.survey.kinds.question_forecast import Forecast, in_two_digits
from sordino.survey.planning.forecast import group_warnings, lookalike_warnings, warnings
from sordino.survey.planning.least_epsilon import LeastEpsilon
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.sample_size import half_width, people_with, periods_of
from sordino.words.explain_plan import distance_warnings

if TYPE_CHECKING:
    import pyarrow as pa


MOST_FORMS = 16
"""Kinds of question that have a row of their own."""

MOST_QUANTITIES = 24
"""Quantities that have a row of their own in a table of all."""

NEEDED = "People needed: in the whole survey, for intervals a tenth as wide as all that is possible."


def _first_of(lines: Sequence[str], of: str) -> tuple[str, ...]:
    """The first line, and how many more there are."""
    more = f" So with {len(lines) - 1:,} more {of}." if len(lines) > 1 else ""
    return tuple(f"{line}{more}" for line in lines[:1])


def _percent(part: float) -> str:
    return error_in_percent(part) if isfinite(part) else "nothing learned"


def _people_in_all(one: Forecast) -> int | None:
    return None if one.people_needed is None else ceil(one.people_needed / one.question.share)


def _form_row(form: str, own: Sequence[Forecast]) -> tuple[str, ...]:
    people, needed = [one.question.people for one in own], [_people_in_all(one) for one in own]
    errors = [one.assumed_part for one in own]
    known = [number for number in needed if number is not None]
    enough = in_two_digits(max(known)) if len(known) == len(needed) else "no number"
    return (
        f"{len(own):,} x {form}",
        to_span([f"{least:,}" for least in (min(people), max(people))]),
        to_span([_percent(error) for error in (min(errors), max(errors))]),
        enough,
    )


@dataclass(frozen=True, eq=False, repr=False)
class PlanForecast(ArrowRows, WithCell, Displayed):
    """A plan, and what is expected of it.

    Attributes:
        plan: of the survey.
        forecasts: what each of its questions will show.
        confidence: of the intervals whose half-widths are said.
        least: the epsilon, where it was found for an accuracy.
        readings: how what may surprise in the survey was read.

    Example:
        >>> from sordino import forecast, plan
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> forecast(plan({**asked, "ask": [{"histogram": "smoker"}]}, people=10_000))
        PlanForecast of 1 question at 10,000 people, 95 % intervals
          promised: epsilon 1
                           std. error  half-width
          share of smoker       0.011       0.021
    """

    plan: Plan
    forecasts: tuple[Forecast, ...]
    confidence: float
    least: LeastEpsilon | None = None
    readings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names, errors, widths = self._errors
        rows = [
            (name, *round_row({"stderr": error, "half-width": width}).values())
            for name, error, width in zip(names[:MOST_ROWS], errors, widths, strict=False)
        ]
        lines = lines_of(self._title, ("", "std. error", "half-width"), rows, len(names), "to_arrow()").split("\n")
        lines.insert(1, f"  promised: {printable(self.plan.promise_text)}")
        return "\n".join([*lines, *(f"  WARNING: {printable(warning)}" for warning in self.warnings[:MOST_ROWS])])

    @property
    def _title(self) -> str:
        count, sure = len(self.forecasts), f"{100 * self.confidence:.15g} % intervals"
        return f"PlanForecast of {count:,} question{'' if count == 1 else 's'} at {self.plan.people:,} people, {sure}"

    def notebook_cell(self) -> NotebookCell:
        """What is expected of each question, beside uniform protection."""
        parts = [("", (BlockGroup("Warnings", limits(*self.warnings)),))] if self.warnings else []
        parts += [(one.question.name, (_group(one),)) for one in self.forecasts]
        return NotebookCell(self._title, parts, f"forecast {self.plan.hash} {self.confidence} {self.warnings}")

    def to_arrow(self) -> "pa.Table":
        """A row for each quantity that will be estimated: its expected standard error, and half of its interval.

        Where nothing can be learned both are infinite. `reports`: how many are expected about its question.
        `people_needed`: how many must be asked its question for an interval that says something; null where no number
        suffices.
        """
        types = {"question": TEXT, "quantity": TEXT, "stderr": NUMBER, "half_width": NUMBER}
        types |= {"reports": COUNT, "people_needed": COUNT}
        names, errors, widths = self._errors
        of = [one for one in self.forecasts for _ in one.errors()]
        columns = {
            "question": [one.question.name for one in of],
            "quantity": names,
            "stderr": errors,
            "half_width": widths,
            "reports": [one.question.people for one in of],
            "people_needed": [one.people_needed for one in of],
        }
        return rows_table(types, columns)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What far values hardly keep, what so few people cannot be expected to answer, and which values look alike."""
        plan = self.plan
        few = (*warnings(self.forecasts), *group_warnings(plan))
        return (*distance_warnings(plan), *few, *lookalike_warnings(plan))

    def table(self) -> TextTable:
        """A row for each quantity: who are asked, its standard error and interval, and people under uniform LDP."""
        reach, rows = errors_to_either_side(self.confidence), []
        for one in self.forecasts:
            for error in one.errors():
                times = (error.uniform / error.plan) ** 2 if error.plan > 0 and isfinite(error.plan) else inf
                own = error.text(error.plan), error.text(reach * error.plan)
                uniform = in_two_digits(ceil(one.question.people * times)) if isfinite(times) else "no number"
                rows.append((error.name, f"{one.question.people:,}", *own, uniform))
        shown = rows[:MOST_QUANTITIES]
        interval = f"{100 * self.confidence:.15g} % interval, \N{PLUS-MINUS SIGN}"
        header = ("expected", "people asked", "std. error", interval, "uniform LDP: people")
        more = f"{len(rows) - len(shown):,} more quantities are not listed here." if len(rows) > len(shown) else ""
        assumed = dict.fromkeys(one.assumption for one in self.forecasts if one.assumption)
        what = "; ".join(text.removeprefix("Assumes ").removesuffix(".") for text in assumed)
        said = f"Assumes {what}. For a better forecast, give a public sample (`expect`)." if what else ""
        return TextTable("", header, tuple(shown), limits(*filter(None, (more, said))))

    def overview(self) -> TextTable:
        """The kinds of question, most frequent first: people who are asked each, their errors, and people needed."""
        forms: dict[str, list[Forecast]] = {}
        for one in self.forecasts:
            forms.setdefault(one.question.form, []).append(one)
        frequent = sorted(forms.items(), key=lambda form: -len(form[1]))
        rows = [_form_row(form, own) for form, own in frequent[:MOST_FORMS]]
        rest = [one for _, own in frequent[MOST_FORMS:] for one in own]
        rows += [_form_row(f"other kinds, {len(frequent) - MOST_FORMS:,}", rest)] if rest else []
        header = ("questions", "asked, each", "std. error, % of range", "people needed")
        return TextTable("", header, tuple(rows), limits(NEEDED))

    def overview_sentences(self) -> Iterator[str]:
        """The best and the worst forecast, and what to do about the worst."""
        by_error = sorted(self.forecasts, key=lambda one: one.assumed_part)
        for which, one in (("Best", by_error[0]), ("Worst", by_error[-1])):
            yield f"{which} forecast: {one.question.title}, a standard error of {_percent(one.assumed_part)}."
        needed = [_people_in_all(one) for one in self.forecasts]
        enough = max(people for people in needed if people is not None) if None not in needed else None
        asked = f"each person answers one of {len(self.forecasts):,} questions: fewer questions need fewer people"
        more = "No number of people is enough for all" if enough is None else f"{in_two_digits(enough)} people would do"
        yield f"{more}; {asked}."

    def joined_sentences(self) -> Iterator[str]:
        """How many people asking histograms together saves; nothing where each is asked by itself."""
        gains = [one.gain for one in self.forecasts if one.gain is not None]
        if not gains or not min(gains) < inf:
            return
        tables = [question for question in self.plan.questions if question.is_joined]
        people = sum(table.people for table in tables)
        yield joining_in_words([len(one.attributes) for one in tables], len(gains), people, people * min(gains))

    def grouped_warnings(self) -> tuple[str, ...]:
        """The same with one line for all attributes, one for all questions, and one for all groups."""
        far = tuple(distance_warnings(self.plan))
        found, groups = warnings(self.forecasts), tuple(group_warnings(self.plan))
        alike = tuple(lookalike_warnings(self.plan))
        few = (*_first_of(found, "questions"), *_first_of(groups, "public columns"))
        return (*_first_of(far, "attributes"), *few, *_first_of(alike, "values"))

    def widest(self) -> tuple[Forecast, float]:
        """The question with the widest interval, of one period in a series, and half of it in parts of all possible."""
        times = sqrt(periods_of(self.plan))
        widths = [(times * half_width(forecast, self.confidence), forecast) for forecast in self.forecasts]
        width, forecast = max(widths, key=lambda found: found[0])
        return forecast, width

    def people_as_assumed(self, accuracy: float) -> int | None:
        """About how many people give an accuracy, if they are as the tables assume; None if as many as otherwise."""
        if all(one.assumed_part == one.largest_part for one in self.forecasts):
            return None
        needed = [self._people_with(one, one.assumed_part, accuracy) for one in self.forecasts]
        return max((people for people in needed if people is not None), default=None)

    def people_at_worst(self, accuracy: float) -> tuple[tuple[Forecast, int | None], ...]:
        """About how many people give an accuracy whatever they are like, of what is assumed to be another; or none."""
        rest = [one for one in self.forecasts if one.worst_part > one.largest_part]
        return tuple((one, self._people_with(one, one.worst_part, accuracy)) for one in rest)

    def people_for_whole(self, accuracy: float) -> tuple[tuple[Forecast, int | None], ...]:
        """About how many people give an accuracy to more than was asked for, which is shown too."""
        rest = [(one, one.whole_part) for one in self.forecasts]
        return tuple((one, self._people_with(one, part, accuracy)) for one, part in rest if part is not None)

    def _people_with(self, forecast: Forecast, part: float, accuracy: float) -> int | None:
        return people_with(self.plan, forecast, part, accuracy, self.confidence)

    @cached_property
    def _errors(self) -> tuple[list[str], list[float], list[float]]:
        found = [error for one in self.forecasts for error in one.errors()]
        reach = errors_to_either_side(self.confidence)
        return [one.name for one in found], [one.plan for one in found], [reach * one.plan for one in found]


def joining_in_words(at_a_time: Sequence[int], count: int, people: float, alone: float) -> str:
    """How many people questions take together and one at a time.

    Args:
        at_a_time: how many attributes each table has.
        count: of the questions.
        people: needed together.
        alone: needed for the same errors one at a time.
    """
    least, most = min(at_a_time), max(at_a_time)
    times = f"{least}" if least == most else f"{least} to {most}"
    fewer, more = in_two_digits(ceil(people)), in_two_digits(ceil(alone))
    return f"{count:,} questions asked {times} at a time: {fewer} people instead of {more} for the same errors."


def _group(forecast: Forecast) -> BlockGroup:
    question = forecast.question
    tables = tuple(
        TextTable("", table.header, tuple(table.rows), tuple(map(Sentence, table.notes))) for table in forecast.tables()
    )
    return BlockGroup(f"{question.name}, at {question.people:,} people", tables)
