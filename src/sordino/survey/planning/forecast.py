"""What a plan will show once people have answered, and what it cannot be expected to answer: before anybody is asked.

Forecasts are of the estimates that are shown. They rest on what the people are like, as the plan holds it; where
nothing is known all values are taken to be alike and numbers to spread by a fifth of their range.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from unicodedata import normalize

from sordino.distinct import DistinctParts
from sordino.errors import SordinoError
from sordino.printable import HIDDEN
from sordino.survey.kinds.question import Floats
from sordino.survey.kinds.question_forecast import Forecast
from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
from sordino.survey.kinds.shares.joined_histogram import joined_histograms
from sordino.survey.kinds.shares.shares_forecast import JoinedForecast
from sordino.survey.planning.expectations import Expectations
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.attribute_part import MOST_PEOPLE
from sordino.survey.schema.public_column import LEAST_REPORTS


def forecasts(plan: Plan, expected: Expectations | None = None) -> tuple[Forecast, ...]:
    """What each question of a survey will show: of histograms asked together, each by itself.

    Args:
        plan: frozen.
        expected: what the people who will answer are like, question by question; by default, and where nothing is said
            of a question, what the plan expects.
    """
    given = (None,) * len(plan.questions) if expected is None else expected
    joint, known = [], []
    for question, own in zip(plan.questions, given, strict=True):
        if (shares := question.shares) is not None and shares.is_joint:
            joint.append(shares)
            known.append(shares.expected_people if own is None else own)
    fitted, asked = FittedForecast(joint, known), zip(plan.kinds, plan.questions, given, strict=True)
    alone = [() if question.is_joined else (kind.forecast(question, own, fitted),) for kind, question, own in asked]
    first = next((place for place, question in enumerate(plan.questions) if question.is_joined), len(alone))
    return tuple(chain(*alone[:first], _joined_forecasts(plan, given, fitted.parts), *alone[first:]))


def _joined_forecasts(plan: Plan, given: Sequence[Floats | None], parts: DistinctParts) -> Iterator[JoinedForecast]:
    """What the histograms will show in whose place the plan asks tables."""
    known = {
        question.name: question.shares.expected_people if own is None else own
        for question, own in zip(plan.questions, given, strict=True)
        if question.is_joined and question.shares is not None
    }
    for histogram in joined_histograms(plan.questions):
        yield JoinedForecast(histogram, tuple(known[table.name] for table in histogram.tables), parts)


def require_learnable(found: Sequence[Forecast]) -> None:
    """Refuse a survey of which no question could be answered by however many people.

    Raises:
        SordinoError: an epsilon so small that nothing can be learned.
    """
    needed = [forecast.people_needed for forecast in found]
    if all(number is None or number > MOST_PEOPLE for number in needed):
        raise SordinoError(
            "a survey must ask something that can be learned",
            found=f"reports that would need more than {MOST_PEOPLE:,} people",
            step="raise epsilon, or protect fewer values from each other",
        )


def warnings(found: Sequence[Forecast]) -> tuple[str, ...]:
    """What cannot be expected to be answered."""
    return tuple(forecast.warning for forecast in found if forecast.warning is not None)


def group_warnings(plan: Plan) -> Iterator[str]:
    """Which public groups cannot be expected to be estimated by themselves.

    By the totals of the survey, if people of all groups answer alike; else as if all groups were of the same size.
    """
    for part in plan.cells.parts:
        totals = part.totals or [1] * len(part.labels)
        expected = [plan.people * total // sum(totals) for total in totals]
        few = [count for count in expected if count < LEAST_REPORTS]
        if few:
            which = f"{len(few):,} of {len(expected):,} groups by {part.name!r} {'is' if len(few) == 1 else 'are'}"
            yield (
                f"{which} expected to send fewer than {LEAST_REPORTS} reports, as few as {min(few):,}; such groups are"
                " not estimated by themselves."
            )


def lookalike_warnings(plan: Plan) -> Iterator[str]:
    """Which values of an attribute or a public column nobody can distinguish by what is shown of them."""
    words = {} if plan.document.words is None else plan.document.words.attributes
    named = {name: part.labels or () for name, part in plan.document.attributes.items()}
    for name, labels in (named | {part.name: part.labels for part in plan.cells.parts}).items():
        given = {} if name not in words else words[name].labels or {}
        texts = [text for text in given.values() if not isinstance(text, str)]
        for language in sorted({language for text in texts for language in text}) or [""]:
            yield from _lookalikes(
                name, {label: _label_in(label, given.get(label), language) for label in labels}, language
            )


def _label_in(label: str, text: str | dict[str, str] | None, language: str) -> str:
    return text.get(language, label) if isinstance(text, dict) else text or label


def _lookalikes(name: str, shown: Mapping[str, str], language: str) -> Iterator[str]:
    first: dict[str, str] = {}
    for label, text in shown.items():
        seen = " ".join(normalize("NFC", HIDDEN.sub("", text)).split())
        if (other := first.setdefault(seen, label)) != label:
            where = f" in the language {language!r}" if language else ""
            yield (
                f"{name}: the values {other!r} and {label!r} look alike{where}, as {seen!r}; people and readers of"
                " results cannot distinguish them."
            )
