"""`sordino change`: what changed between two collections."""

from pathlib import Path

import click

from sordino.cli.options import FILE, Real, as_json_option, force_option
from sordino.cli.output import print_json
from sordino.cli.results import print_blocks
from sordino.cli.say import say
from sordino.cli.tally_text import tally
from sordino.cli.writable import require_writable
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.tables.results.change_rows import is_changes
from sordino.verbs.change import change_of
from sordino.views.collection_changes import INDEPENDENT, change_blocks
from sordino.words.coverage_sentences import POPULATION


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE)
@click.argument("later_plan", type=FILE)
@click.argument("later_reports", type=FILE)
@click.option(
    "--confidence", type=Real(), default=0.95, show_default=True, help="The confidence of each single interval."
)
@click.option("--simultaneous", is_flag=True, help="All intervals of a question hold together.")
@click.option("--clusters", metavar="COLUMN", help="The public column by which people were drawn in groups.")
@click.option("-o", "--output", type=FILE, help="All changes as a table (.csv, .csv.gz or .parquet).")
@click.option("--html", type=FILE, help="A self-contained page: both collections side by side, and the changes.")
@force_option
@as_json_option
def change(
    plan: Path,
    reports: Path,
    later_plan: Path,
    later_reports: Path,
    confidence: float,
    output: Path | None,
    html: Path | None,
    *,
    clusters: str | None,
    simultaneous: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Show what changed from PLAN and its REPORTS to LATER_PLAN and LATER_REPORTS (files of reports, or aggregates).

    For each number that both collections estimate, prints the difference with its standard error and interval: shares,
    bins, quantiles, means, covariances and coefficients of the same attributes with the same values. Names what cannot
    be compared.
    """
    coverage = Coverage(confidence, simultaneous, clusters=clusters or "")
    table_again, page_again = require_writable(output, html, "a table of changes", is_changes, force=force)
    plans = Plan.load(plan), Plan.load(later_plan)
    before, after = tally(plans[0], (reports,)), tally(plans[1], (later_reports,))
    found = change_of((plans[0], before), (plans[1], after), coverage)
    if output is not None:
        found.save(output, overwrite=table_again)
    if html is not None:
        found.page(html, overwrite=page_again)
    if as_json:
        head = {"first": plans[0].hash, "second": plans[1].hash, "n": list(found.n)}
        how = {"confidence": confidence, "simultaneous": simultaneous, "not_comparable": dict(found.not_comparable)}
        how |= {"over_time": list(found.view.over_time)} if found.view.over_time else {}
        print_json({**head, **how, "rows": found.rows()})
        return
    say(f"{found.n[0]:,} reports, then {found.n[1]:,}")
    for one in found.changed:
        print_blocks(change_blocks(one, coverage))
    for why in found.not_comparable.values():
        say(f"Not compared: {why}")
    say(*found.view.over_time, INDEPENDENT, *POPULATION)
    for path in filter(None, (output, html)):
        say(f"{path}: written")
    if output is None and any(len(one.rows) > len(one.first()) for one in found.changed):
        say("All changes: -o FILE, or --json.")
