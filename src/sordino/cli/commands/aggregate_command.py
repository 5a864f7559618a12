"""`sordino aggregate`: the tally of reports, as a file."""

from pathlib import Path

import click

from sordino.cli.options import FILE, as_json_option, engine_option, force_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.cli.tally_text import tally
from sordino.document.replace import of_kind, require_free
from sordino.survey.planning.plan import Plan
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.verbs.plan_reports import Engine


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@click.option("-o", "--output", type=FILE, required=True, help="The aggregate to write (JSON).")
@engine_option
@force_option
@as_json_option
def aggregate(
    plan: Path, reports: tuple[Path, ...], output: Path, engine: Engine, *, force: bool, as_json: bool
) -> None:
    """Tally REPORTS of a PLAN: files of reports (for Spark also folders), or aggregates to add up (.json)."""
    frozen = Plan.load(plan)
    again = require_free(output, "an aggregate", of_kind("aggregate"), force=force, inputs=reports)
    total = tally(frozen, reports, engine)
    save_aggregate(frozen, total, output, overwrite=again)
    if as_json:
        print_json({"aggregate": str(output), "n": total.n, "plan": frozen.hash})
        return
    say(f"{output}: the tally of {total.n:,} report{'' if total.n == 1 else 's'}")
