"""`sordino report`: one person's report, drawn on their own device."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.survey.answering.plan_report import PlanReport
from sordino.survey.schema.series_table import PERIOD
from sordino.verbs.report import report as draw

if TYPE_CHECKING:
    from sordino.once.agent.turn import Turn

OTHERWISE = {"later": "still to come", "over": "over"}
"""A period that does not run today."""


@click.command()
@click.argument("plan", type=FILE)
@click.argument("record", type=FILE)
@click.option("-o", "--output", type=FILE, help="The report to write (.jsonl); never overwrites a file.")
@as_json_option
def report(plan: Path, record: Path, output: Path | None, *, as_json: bool) -> None:
    """Draw one person's report from a RECORD (TOML), by the PLAN.

    Prints the report as one line of JSON, or writes it with -o; `sordino aggregate` reads files of such lines. Every
    run is a separate release: send one report, and send the same one again if it may not have arrived.
    """
    made = draw(plan, record, output=output)
    turn = _turn(made)
    if turn is not None:
        _say_if_otherwise(turn)
    if output is None:
        print_json(made.document)
        return
    if as_json:
        print_json({"report": str(output), **made.document})
        return
    say(f"{output}: a report about {made.plan.questions[made.question].name}")
    if turn is not None:
        say(f"It is of {turn.name}. Each person answers in one {turn.series.every}, drawn or assigned beforehand.")
    say("This was a release. A second report about the same person is another one, and their losses add.")


def _turn(made: PlanReport) -> "Turn | None":
    """The period that the record names; None of a plan that asks at one time."""
    series = made.plan.series
    if series is None:
        return None
    # What keeps a person's period is not loaded for other plans.
    from sordino.once.agent.turn import Turn

    return Turn(series, series.labels.index(made.document["public"][PERIOD]))


def _say_if_otherwise(turn: "Turn") -> None:
    from sordino.once.agent.turn import utc_today

    state = turn.state(utc_today())
    if state != "now":
        line = (
            f"The report is of {turn.name}, which is {OTHERWISE[state]}; collectors take reports of a period that runs."
        )
        say(line, err=True)
