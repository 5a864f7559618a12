"""What `plan` prints of its forecasts: expected errors beside uniform protection, and what cannot be answered."""

from math import inf, nextafter
from typing import Any

from sordino.audit.certify import Certificate
from sordino.cli.command_words import command_words
from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.cli.terminal.explanations import certificate_json
from sordino.exact.nats import Nats
from sordino.survey.forecasts.forecast import Forecast
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.series_forecast import STEPS, SeriesForecast
from sordino.survey.questions.question import Question
from sordino.verbs.plan_forecast import PlanForecast
from sordino.words.odds import PRIOR, beliefs, factor

OF_BINS = (
    " For a distribution these intervals are for the share of people below each edge and in each requested range; those"
    " of its bins may be up to twice as wide."
)
"""Which intervals of a distribution an accuracy is about."""


def print_forecast(forecast: Forecast) -> None:
    """How exact the answers to a question of a plan will be, beside uniform protection and other mechanisms."""
    own = f"{forecast.question.name}, at {forecast.question.people:,} people"
    for table in forecast.tables():
        print_table(own if table.title is None else table.title, table.header, table.rows)
        if table.notes:
            say(*map(command_words, table.notes), "")


def print_warnings(lines: tuple[str, ...]) -> None:
    """What cannot be expected to be answered, where nobody overlooks it."""
    for line in lines:
        say(f"WARNING: {line}", bold=True)
    if lines:
        say()


def forecast_json(forecast: Forecast, certificate: Certificate | None, *, floor: bool) -> dict[str, Any]:
    """A question of a plan for programs, with its certificate; its floor by a search, if asked for."""
    question, values = forecast.question, forecast.question.values
    head = {
        "attribute": question.name,
        "share": str(question.share),
        "people": question.people,
        "code_bits": question.query.code_bits,
        "warning": forecast.warning,
        "people_needed": forecast.people_needed,
        "above_floor": _above_floor(question, search=floor),
    }
    if values is not None:
        known = certificate and {"attribute": question.name, **certificate_json(certificate, values)}
        head |= {"certificate": known}
    return head | forecast.json()


def accuracy_sentence(frozen: PlanForecast) -> str:
    """How many people an accuracy takes, and which question most of them."""
    forecast, width = frozen.widest()
    bins = any(one.question.part.thresholds for one in frozen.forecasts)
    series = frozen.plan.series
    of = "" if series is None else f" of one {series.every}"
    return (
        f"{frozen.plan.people:,} people: every {100 * frozen.confidence:.15g}% interval{of} has an expected half-width"
        f" of at most {width:.3g} of its possible range; the widest is that of {forecast.question.name}."
        f"{OF_BINS if bins else ''}"
    )


def epsilon_sentences(frozen: PlanForecast) -> tuple[str, ...]:
    """The epsilon that was found for an accuracy, what it reveals, and how to keep it; nothing where none was."""
    found = frozen.least
    if found is None:
        return ()
    smaller = ""
    if found.smaller_width is not None:
        own, width = frozen.widest()[1], found.smaller_width
        digits = next(digits for digits in (*range(3, 17), 17) if f"{own:.{digits}g}" != f"{width:.{digits}g}")
        smaller = f" (with {found.smaller} the half-width would be {width:.{digits}g})"
    least = f"epsilon = {found.epsilon} is the least in two digits that gives this{smaller}."
    again = f'The plan holds it. To make the same plan again, write epsilon = "{found.epsilon}" into the survey.'
    return f"{least} {_odds(frozen.plan, Nats.of(found.epsilon))}", again


def _odds(plan: Plan, epsilon: Nats) -> str:
    """What an epsilon reveals, where it bounds a loss as it is; distances are multiplied by it."""
    protects = [own.protect for own in plan.document.attributes.values()]
    if any(own is not None and (own.metric is not None or own.bounds is not None) for own in protects):
        return "Below it is said what it reveals: of some attributes it is the loss for each unit of distance."
    most, least = beliefs(epsilon)
    return (
        "Where answers are protected by it, a report changes the odds between two of them by a factor of at most"
        f" {factor(epsilon)}: a suspicion of {PRIOR} % rises to at most {most} % and falls no lower than {least} %."
    )


def print_series_forecast(found: SeriesForecast) -> None:
    """The widest interval of each question in one period, and of the smoothed curve."""
    every = found.series.every
    walks = (f"steps of {100 * step:.3g} %" for step in STEPS[1:])
    header = ("widest 95% interval, \N{PLUS-MINUS SIGN}", f"one {every}", "smoothed, steady", *walks)
    rows = [(row.question, _width(row.one_period), *(_width(width) for width in row.smoothed)) for row in found.rows]
    print_table(f"Over time: about {found.people:,} people each {every}", header, rows)
    say(
        f"In % of all that is possible, of shares percentage points. Steps: the usual change from one {every} to the"
        f" next, if the number goes by a random walk around a line; a smoothed number is about so near.",
        "",
    )


def _width(width: float) -> str:
    return f"{100 * width:.2g} %" if width < 1 else "nothing"


def accuracy_json(frozen: PlanForecast, wanted: float) -> dict[str, Any]:
    """The same for programs."""
    forecast, width = frozen.widest()
    return {"wanted": wanted, "confidence": frozen.confidence, "expected": width, "widest": forecast.question.name}


def _above_floor(question: Question, *, search: bool) -> float | None:
    """By how much the variance exceeds the least that is proved of all channels, relatively; rounded up.

    At equal shares, or at the number that is worst for it. Null where nothing is proved, or nobody asked to
    search.
    """
    above = question.above_floor(search=search)
    return None if above is None else max(0.0, nextafter(float(above), inf))
