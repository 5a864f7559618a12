"""Two plans side by side: what a report can reveal, how exact the answers will be, how many people and bits."""

from collections.abc import Mapping
from dataclasses import dataclass

from sordino.exact.nats import Nats
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.plan import Plan


@dataclass(frozen=True)
class ComparedRow:
    """One thing in both plans.

    Attributes:
        about: what is compared.
        label: of what.
        cells: in the first and in the second plan; None where a plan has no such thing, or nothing bounds it.
    """

    about: str
    label: str
    cells: tuple[float | None, float | None]

    def json(self) -> dict[str, str | float | None]:
        """For programs."""
        return {"about": self.about, "of": self.label, "first": self.cells[0], "second": self.cells[1]}


@dataclass(frozen=True)
class Compared:
    """Some rows under a title.

    Attributes:
        title: of the table.
        about: what the rows' labels are.
        rows: all of them.
    """

    title: str
    about: str
    rows: tuple[ComparedRow, ...]


def comparison(first: Plan, second: Plan) -> tuple[Compared, ...]:
    """What a report can reveal in nats, rounded up; expected standard errors; and what it takes."""
    told = _rows("told", _loss_by_attribute(first), _loss_by_attribute(second))
    errors = _rows("stderr", _errors(first), _errors(second))
    takes = _rows("takes", _takes(first), _takes(second))
    return (
        Compared("What a report can reveal", "nats at most about", told),
        Compared("What will be known", "expected standard error", errors),
        Compared("What it takes", "", takes),
    )


def _rows(about: str, first: Mapping[str, float], second: Mapping[str, float]) -> tuple[ComparedRow, ...]:
    names = dict.fromkeys([*first, *second])
    return tuple(ComparedRow(about, name, (first.get(name), second.get(name))) for name in names)


def _loss_by_attribute(plan: Plan) -> dict[str, float]:
    """By attribute, whatever is asked; of plans without deltas by what is asked."""
    if plan.promise is not None:
        reached = zip(plan.promise.names, plan.promise.losses, strict=True)
        return {name: amount.ceil() for name, amount in reached} | {"the whole record": plan.promise.level.ceil()}
    return {
        question.name: Nats.of(promise.epsilon).ceil()
        for question in plan.questions
        if (promise := question.value_promise) is not None
    }


def _errors(plan: Plan) -> dict[str, float]:
    return {error.name: error.plan for forecast in forecasts(plan) for error in forecast.errors()}


def _takes(plan: Plan) -> dict[str, float]:
    asked = {f"people asked for {question.name}": float(question.people) for question in plan.questions}
    return {"people": float(plan.people), **asked, "bits a report": float(plan.sampled.code_bits)}
