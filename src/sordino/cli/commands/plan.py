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
    forecast_json,
    print_forecast,
    print_warnings,
)
from sordino.cli.whole_numbers import Whole
from sordino.errors import SordinoError
from sordino.survey.forecasts.forecast import Forecast
from sordino.survey.frozen.parts import MOST_PEOPLE
from sordino.survey.planning.forecast import warnings
from sordino.survey.planning.gain_of_bounds import what_a_bound_buys
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey
from sordino.verbs.freeze import freeze
from sordino.words.explain_plan import explanation


@click.command()
@click.argument("survey", type=FILE)
@click.option(
    "--people",
    type=Whole(1, MOST_PEOPLE),
    help="How many are expected to answer; sets the expected errors.",
)
@click.option(
    "--accuracy",
    type=float,
    help="Instead: as many as it takes for intervals that reach so far to each side, 0.01 for a percentage point.",
)
@click.option("--confidence", type=float, help="Of the intervals of an accuracy, 0.95 by default.")
@click.option("-o", "--output", type=FILE, required=True, help="The plan to write (JSON).")
@click.option("--expect", type=FILE, help="A public sample of people like those who will answer, for the forecasts.")
@click.option("--floor", is_flag=True, help="Also how near the best possible, where that takes a search of seconds.")
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
    """Freeze a SURVEY file into a plan: mechanisms, integer thresholds, a content hash.

    Shows what a report can reveal, how exact the estimates will be, and what uniform protection would cost; warns of
    what cannot be expected to be answered. Give the number of people, or the accuracy that is wanted for everything
    that the survey asks. A public sample (a row for each person, with the survey's columns) makes the forecasts better
    and changes nothing else; a survey may say what it expects of its attributes instead. A plan is never overwritten by
    another one, since reports may exist that need it.
    """
    if confidence is not None and accuracy is None:
        step = "give --accuracy, or leave --confidence out"
        raise SordinoError("a confidence must be of an accuracy", found="--confidence alone", step=step)
    asked = Survey.load(survey)
    with progress("plan", None):
        frozen = freeze(asked, people, accuracy, 0.95 if confidence is None else confidence, expect)
        made, found = frozen.plan, frozen.forecasts
        buys = what_a_bound_buys(asked, made)
        said = explanation(made, floor=floor)
    made.save(output)
    with progress("forecasts", None):
        for forecast in found:
            forecast.tables()
    if as_json:
        print_json(
            {
                "plan": str(output),
                "hash": made.hash,
                "people": made.people,
                "accuracy": accuracy and accuracy_json(frozen, accuracy),
                "code_bits": made.sampled.code_bits,
                "certificate": least_certificate(made),
                "promise": made.promise and promise_json(made.promise),
                "expected_from": _source(expect, asked),
                "warnings": list(warnings(found)),
                "questions": _questions(made, found, floor=floor),
                "explanation": said.json(),
                "a_bound_buys": list(buys),
            }
        )
        return
    say(f"{output}: {made.hash}")
    if accuracy is not None:
        say(accuracy_sentence(frozen), "")
    print_warnings(warnings(found))
    for forecast in found:
        print_forecast(forecast)
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
