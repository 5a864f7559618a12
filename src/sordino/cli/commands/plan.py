"""`sordino plan`: a survey frozen into a plan."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json, print_lines, print_table
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.cli.terminal.explanations import (
    least_certificate,
    print_certificates,
    print_explanation,
    promise_json,
    promise_rows,
)
from sordino.cli.terminal.forecasts import (
    accuracy_json,
    accuracy_sentence,
    epsilon_sentences,
    forecast_json,
    print_forecast,
    print_series_forecast,
    print_warnings,
)
from sordino.cli.whole_numbers import Whole
from sordino.errors import SordinoError
from sordino.survey.forecasts.forecast import Forecast
from sordino.survey.frozen.parts import MOST_PEOPLE
from sordino.survey.planning.gain_of_bounds import what_a_bound_buys
from sordino.survey.planning.least_epsilon import EPSILONS, MOST_PLANS
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.series_forecast import series_forecast
from sordino.survey.reading.open_epsilon import open_survey
from sordino.survey.reading.schema import Survey
from sordino.verbs.freeze import freeze
from sordino.words.explain_plan import explanation


@click.command()
@click.argument("survey", type=FILE)
@click.option(
    "--people",
    type=Whole(1, MOST_PEOPLE),
    help="The number of people expected to answer; sets the expected errors.",
)
@click.option(
    "--accuracy",
    type=float,
    help="The half-width that every interval should have; 0.01 is one percentage point. Instead of --people it sets the"
    " number of people; with --people, the least epsilon of a survey without one.",
)
@click.option("--confidence", type=float, help="The confidence of the intervals for --accuracy, 0.95 by default.")
@click.option("-o", "--output", type=FILE, required=True, help="The plan to write (JSON).")
@click.option("--expect", type=FILE, help="For the forecasts: a public sample of people like those who will answer.")
@click.option(
    "--floor", is_flag=True, help="Also show how close the plan is to the best possible; may search for some seconds."
)
@as_json_option
def plan(
    survey: Path,
    people: int | None,
    accuracy: float | None,
    confidence: float | None,
    output: Path,
    expect: Path | None,
    *,
    floor: bool,
    as_json: bool,
) -> None:
    """Turn a SURVEY file into a frozen plan: mechanisms, integer thresholds, a content hash.

    Shows what a report can reveal, how accurate the estimates will be, and what uniform protection would cost. Warns
    about questions for which there are too few people. Give the number of people, or the accuracy you want for every
    question. Give both, of a survey without an epsilon, and the least epsilon that gives the accuracy is found, in two
    digits. A public sample (one row per person, with the survey's columns) improves the forecasts and changes nothing
    else; instead, the survey may state what it expects of its attributes. A plan never overwrites another, since
    reports that need it may exist.
    """
    if confidence is not None and accuracy is None:
        step = "give --accuracy, or leave --confidence out"
        raise SordinoError("a confidence must be of an accuracy", found="--confidence alone", step=step)
    is_open = people is not None and accuracy is not None
    with_epsilon = open_survey(survey) if is_open else lambda _: Survey.load(survey)
    asked = with_epsilon(EPSILONS[-1])
    total = len(asked.questions) * (MOST_PLANS if is_open else 1)
    with progress("plan", total) as advance:
        sure = 0.95 if confidence is None else confidence
        frozen = freeze(survey if is_open else asked, people, accuracy, sure, expect, advance)
        made, found = frozen.plan, frozen.forecasts
        over_time = series_forecast(made, found)
        asked = asked if frozen.least is None else with_epsilon(frozen.least.epsilon)
        buys = what_a_bound_buys(asked, made)
        said = explanation(made, floor=floor)
    made.save(output)
    with progress("forecasts", len(found)) as advance:
        for forecast in found:
            forecast.tables()
            advance(1)
    if as_json:
        print_json(
            {
                "plan": str(output),
                "hash": made.hash,
                "people": made.people,
                "accuracy": accuracy and accuracy_json(frozen, accuracy),
                **({} if frozen.least is None else {"least_epsilon": frozen.least._asdict()}),
                "code_bits": made.sampled.code_bits,
                "certificate": least_certificate(made),
                "promise": made.promise and promise_json(made.promise),
                "expected_from": _source(expect, asked),
                "warnings": list(frozen.warnings),
                "questions": _questions(made, found, floor=floor),
                **({} if over_time is None else {"series": over_time.json()}),
                "explanation": said.json(),
                "a_bound_buys": list(buys),
            }
        )
        return
    say(f"{output}: {made.hash}")
    if accuracy is not None:
        say(accuracy_sentence(frozen), *epsilon_sentences(frozen), "")
    print_warnings(frozen.warnings)
    for forecast in found:
        print_forecast(forecast)
    if over_time is not None:
        print_series_forecast(over_time)
    if made.promise is not None:
        header = ("nats revealed about", "delta", "at most", "rests on dependence")
        print_table("", header, promise_rows(made.promise))
    print_explanation(said, f"sordino explain {output} --all", floor=floor)
    print_lines(buys)
    print_certificates(made)
    print_lines(said.missing_words)


def _source(expect: Path | None, survey: Survey) -> str | None:
    """Where what is expected of the people comes from."""
    if expect is not None:
        return str(expect)
    return "survey" if any(table.expected is not None for table in survey.attribute.values()) else None


def _questions(plan: Plan, found: Sequence[Forecast], *, floor: bool) -> list[dict[str, Any]]:
    """The questions of a plan for programs."""
    certificates = {question.name: certificate for question, certificate in plan.certificates}
    return [forecast_json(forecast, certificates.get(forecast.question.name), floor=floor) for forecast in found]
