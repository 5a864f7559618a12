"""What a plan's questions will show once people have answered."""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

from sordino.blocks.arrow_rows import COUNT, NUMBER, TEXT, ArrowRows, rows_table
from sordino.blocks.block import BlockGroup
from sordino.blocks.digits import round_row
from sordino.blocks.displayed import Displayed
from sordino.blocks.notebook_cell import NotebookCell, WithCell
from sordino.blocks.sentence import Sentence, limits
from sordino.blocks.summary import MOST_ROWS, lines_of
from sordino.blocks.tables import TextTable
from sordino.estimation.intervals.share_interval import errors_to_either_side
from sordino.printable import printable
from sordino.survey.kinds.question_forecast import Forecast
from sordino.survey.planning.forecast import group_warnings, lookalike_warnings, warnings
from sordino.survey.planning.least_epsilon import LeastEpsilon
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.sample_size import half_width, people_with, periods_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class PlanForecast(ArrowRows, WithCell, Displayed):
    """A plan, and what is expected of it.

    Attributes:
        plan: of the survey.
        forecasts: what each of its questions will show.
        confidence: of the intervals whose half-widths are said.
        least: the epsilon, where it was found for an accuracy.

    Example:
        >>> from sordino import forecast, plan
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> forecast(plan({**asked, "ask": [{"histogram": "smoker"}]}, people=10_000))
        PlanForecast of 1 question at 10,000 people, 95% intervals
          promised: epsilon 1
                           std. error  half-width
          share of smoker       0.011       0.021
    """

    plan: Plan
    forecasts: tuple[Forecast, ...]
    confidence: float
    least: LeastEpsilon | None = None

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
        count, sure = len(self.forecasts), f"{100 * self.confidence:.15g}% intervals"
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
        """What so few people cannot be expected to answer, and which values look alike."""
        return (*warnings(self.forecasts), *group_warnings(self.plan), *lookalike_warnings(self.plan))

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
        return [name for name, _ in found], [error for _, error in found], [reach * error for _, error in found]


def _group(forecast: Forecast) -> BlockGroup:
    question = forecast.question
    tables = tuple(
        TextTable("", table.header, tuple(table.rows), tuple(map(Sentence, table.notes))) for table in forecast.tables()
    )
    return BlockGroup(f"{question.name}, at {question.people:,} people", tables)
