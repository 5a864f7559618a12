"""What `plan` prints of its forecasts: expected errors beside uniform protection, and what cannot be answered."""

from collections.abc import Sequence
from math import inf, isfinite, nextafter
from typing import Any

from sordino.audit.certify import Certificate
from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.cli.terminal.explanations import certificate_json
from sordino.design.accuracy import Accuracy
from sordino.design.histograms.shares_accuracy import LARGEST, SharesAccuracy
from sordino.domain.bins import plain
from sordino.estimation.unbiased import leverage
from sordino.survey.planning.above_floor import above_floor
from sordino.survey.planning.forecast import CurveForecast, Forecast, NumbersForecast, SharesForecast
from sordino.survey.planning.plan import Question
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.verbs.freeze import Frozen

ALIKE = (
    "Expected if all values are equally common. The fitted shares are nearer to the truth where most people have a few"
    " of the values: the smaller number is for shares of one over the rank (Zipf's law), of attributes that do not"
    " depend on each other. Give a public sample for what is likelier: --expect SAMPLE."
)
"""What the expected errors of shares rest on."""

EVENLY = (
    "Expected if people are evenly spread between the ends: the fitted function is less near where the distribution is"
    " less smooth."
)
"""What the expected errors of a distribution function rest on."""

FIFTH = (
    "Expected if the features have a standard deviation of a fifth of their ranges, do not go together, and explain"
    " half of the target; give a public sample for what is likelier: --expect SAMPLE."
)
"""What the expected errors of coefficients rest on."""

OF_BINS = (
    " Of a distribution these are of the share of people below each edge and in each range that is asked; those of its"
    " bins may reach up to twice as far."
)
"""Which intervals of a distribution an accuracy is about."""

OF_CATEGORIES = "Categories are taken to be equally common, and to go with nothing."
"""The same of features that are no numbers."""


def work_out(forecast: Forecast) -> None:
    """All that is printed of a forecast, once and for all: of many values it takes a while."""
    if isinstance(forecast, NumbersForecast):
        error_rows(forecast)
    elif isinstance(forecast, CurveForecast):
        curve_rows(forecast)
    else:
        accuracy_rows(forecast)
        candidate_rows(forecast)


def print_forecast(forecast: Forecast) -> None:
    """How exact the answers to a question of a plan will be, beside uniform protection and other mechanisms."""
    question = forecast.question
    title = f"{question.name}, at {question.people:,} people"
    if isinstance(forecast, NumbersForecast):
        print_table(title, ("expected standard error", "this plan", "uniform LDP"), error_rows(forecast))
        if not forecast.is_known and forecast.question.part.asked == "regression":
            say(FIFTH, *([OF_CATEGORIES] if forecast.question.part.base else []), "")
        return
    if isinstance(forecast, CurveForecast):
        print_table(title, ("expected", "this plan", "uniform LDP"), curve_rows(forecast))
        say(EVENLY if forecast.shares is None else "", "")
        return
    print_table(title, ("expected", "this plan", "uniform LDP"), accuracy_rows(forecast))
    if forecast.shares is None:
        say(ALIKE, "")
    header = ("mechanisms that keep the promise", "std. error", "people for this plan's")
    print_table("", header, candidate_rows(forecast))


def curve_rows(forecast: CurveForecast) -> list[tuple[str, ...]]:
    """The expected standard errors of a distribution function, and those under LDP at the least delta."""
    question, plan, uniform = forecast.question, forecast.plan, forecast.uniform
    return [
        ("standard error of the distribution function", f"{plan.typical:.3g}", f"{uniform.typical:.3g}"),
        ("... at the worst edge of a bin", f"{plan.largest:.3g}", f"{uniform.largest:.3g}"),
        ("error of the fitted function", f"{forecast.fitted:.3g}", f"{forecast.fitted_uniform:.3g}"),
        *(
            (f"standard error of the share from {plain(low)} to {plain(high)}", f"{own:.3g}", f"{other:.3g}")
            for (low, high), own, other in zip(question.part.ranges, plan.ranges, uniform.ranges, strict=True)
        ),
        ("bits a report", str(question.mechanism.code_bits), str(question.uniform.code_bits)),
    ]


def print_warnings(lines: tuple[str, ...]) -> None:
    """What cannot be expected to be answered, where nobody overlooks it."""
    for line in lines:
        say(f"WARNING: {line}", bold=True)
    if lines:
        say()


def error_rows(forecast: NumbersForecast) -> list[tuple[str, ...]]:
    """The expected standard errors of a question about numbers, and those under LDP at the least delta."""
    question, plan, other = forecast.question, forecast.plan, forecast.uniform
    rows = [
        (label, f"{error:.3g}", f"{uniform:.3g}")
        for label, error, uniform in zip(plan.labels, plan.stderr, other.stderr, strict=True)
    ]
    bits = (str(question.query.code_bits), str(question.uniform.code_bits))
    return [*rows, (f"bits a report ({question.channel_name})", *bits)]


def accuracy_rows(forecast: SharesForecast) -> list[tuple[str, ...]]:
    """This plan beside uniform protection."""
    question, plan, uniform, distance = forecast.question, forecast.plan, forecast.uniform, forecast.distance
    more = uniform.total_variance / plan.total_variance
    people = f"{question.people * more:,.0f}" if isfinite(more) else "no number suffices"
    rows = [("standard error of a share", f"{plan.stderr:.3g}", f"{uniform.stderr:.3g}")]
    if forecast.shares is None and plan.one_block is not None:
        rows.append(("... if all people are in one block", f"{plan.one_block:.3g}", f"{uniform.stderr:.3g}"))
    if forecast.shares is not None and len(forecast.shares) > LARGEST:
        rows.append((f"... of the {LARGEST} largest", f"{plan.largest:.3g}", f"{uniform.largest:.3g}"))
    return [
        *rows,
        ("total variation of the fitted shares", _range(distance.plan), _range(distance.uniform)),
        ("people needed for the same squared error", f"{question.people:,}", people),
        ("bits a report", str(question.mechanism.code_bits), str(question.uniform.code_bits)),
    ]


def _range(distances: Sequence[float]) -> str:
    return " to ".join(f"{distance:.3g}" for distance in distances)


def candidate_rows(forecast: SharesForecast) -> list[tuple[str, ...]]:
    """What other mechanisms that keep the promise would give."""
    best, people = forecast.plan.total_variance, forecast.question.people
    return [
        (name, f"{found.stderr:.3g}", f"{people * found.total_variance / best:,.0f}")
        for name, found in forecast.candidates.items()
        if isfinite(found.total_variance)
    ]


def forecast_json(forecast: Forecast, certificate: Certificate | None, *, floor: bool) -> dict[str, Any]:
    """A question of a plan for programs, with the certificate of a histogram; its floor by a search, if asked for."""
    question = forecast.question
    head = {
        "attribute": question.name,
        "share": str(question.share),
        "people": question.people,
        "code_bits": question.query.code_bits,
        "warning": forecast.warning,
        "people_needed": forecast.people_needed,
        "above_floor": _above_floor(question, search=floor),
    }
    if isinstance(forecast, NumbersForecast):
        numbers = forecast.question
        return head | {
            "asked": numbers.part.asked,
            "mechanism": numbers.channel_name,
            "attributes": numbers.asked,
            "queries": numbers.part.queries,
            "expected": forecast.plan.json(),
            "expected_uniform": forecast.uniform.json(),
            "refused": forecast.refused,
        }
    if isinstance(forecast, CurveForecast):
        curve = forecast.question
        return head | {
            "asked": "distribution",
            "mechanism": curve.part.mechanism,
            "certificate": certificate and {"attribute": curve.name, **certificate_json(certificate, curve.values)},
            "expected": forecast.plan.json() | {"fitted": forecast.fitted},
            "expected_uniform": forecast.uniform.json() | {"fitted": forecast.fitted_uniform},
        }
    shares = forecast.question
    weighs = leverage(shares.mechanism, subtract_totals=shares.part.subtract_totals)
    return head | {
        "mechanism": shares.part.mechanism,
        "certificate": certificate and {"attribute": shares.name, **certificate_json(certificate, shares.domain)},
        "expected": _shares_json(forecast.plan, forecast.distance.plan, question.people),
        "expected_uniform": _shares_json(forecast.uniform, forecast.distance.uniform, question.people),
        "candidates": {name: _candidate_json(found, question.people) for name, found in forecast.candidates.items()},
        "leverage": _finite(weighs),
    }


def accuracy_sentence(frozen: Frozen) -> str:
    """How many people an accuracy takes, and which question most of them."""
    forecast, width = frozen.widest()
    bins = any(isinstance(one.question, DistributionQuestion) for one in frozen.forecasts)
    return (
        f"{frozen.plan.people:,} people: every {100 * frozen.confidence:.15g}% interval is expected to reach at most"
        f" {width:.3g} to each side, in parts of all that is possible; the widest is of {forecast.question.name}."
        f"{OF_BINS if bins else ''}"
    )


def accuracy_json(frozen: Frozen, wanted: float) -> dict[str, Any]:
    """The same for programs."""
    forecast, width = frozen.widest()
    return {"wanted": wanted, "confidence": frozen.confidence, "expected": width, "widest": forecast.question.name}


def _above_floor(question: Question, *, search: bool) -> float | None:
    """By how much the variance exceeds the least that is proved of all channels, relatively; rounded up.

    At equal shares, or at the number that is worst for it. Null where nothing is proved, or nobody asked to
    search.
    """
    above = above_floor(question, search=search)
    return None if above is None else max(0.0, nextafter(float(above), inf))


def _shares_json(accuracy: SharesAccuracy, distances: Sequence[float], people: int) -> dict[str, float | None]:
    """Expected errors for programs; `squared_error` is summed over the values. Null for infinity.

    `total_variation_concentrated` is there where nothing is known of the people.
    """
    return {
        "stderr": _finite(accuracy.stderr),
        "stderr_largest": _finite(accuracy.largest),
        "stderr_one_block": accuracy.one_block,
        "squared_error": _finite(accuracy.total_variance / people),
        "total_variation": _finite(distances[-1]),
    } | ({"total_variation_concentrated": _finite(distances[0])} if len(distances) > 1 else {})


def _candidate_json(accuracy: Accuracy, people: int) -> dict[str, float | None]:
    return {"stderr": _finite(accuracy.stderr), "squared_error": _finite(accuracy.total_variance / people)}


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
