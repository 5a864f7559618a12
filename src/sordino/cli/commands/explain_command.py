"""`sordino explain`: what a report under a plan can reveal, in plain words."""

from contextlib import nullcontext
from pathlib import Path

import click

from sordino.cli.explanations import print_asked, print_explanation, print_questionnaire, promise_json
from sordino.cli.options import FILE, all_option, as_json_option
from sordino.cli.output import print_json
from sordino.cli.progress import progress
from sordino.survey.planning.plan import Plan
from sordino.words.explain_plan import explanation


@click.command()
@click.argument("plan", type=FILE)
@all_option
@click.option(
    "--floor", is_flag=True, help="Also show how close the plan is to the best possible; may search for some seconds."
)
@click.option("--language", help="Of the questionnaire, as en or pt-BR; the survey's first by default.")
@as_json_option
def explain(plan: Path, language: str | None, *, everything: bool, floor: bool, as_json: bool) -> None:
    """Say in plain words what a report under a PLAN can reveal, and what is not protected.

    What people read when they are asked comes first. Then the five sentences that matter; --all and --json have all
    of them.
    """
    frozen = Plan.load(plan)
    with progress("floor", None) if floor else nullcontext():
        said = explanation(frozen, floor=floor, language=language)
    if as_json:
        promise = frozen.promise and promise_json(frozen.promise)
        print_json({"plan": frozen.hash, **said.json(), "promise": promise})
        return
    in_short = frozen.is_large and not everything
    print_questionnaire(said, in_short=in_short)
    if not in_short:
        print_asked(said)
    print_explanation(said, None if everything else f"sordino explain {plan} --all", floor=floor)
