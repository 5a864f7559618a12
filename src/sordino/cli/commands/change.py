"""`sordino change`: what changed between two collections."""

from pathlib import Path

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json, print_table
from sordino.cli.say import say
from sordino.cli.show_result import LARGEST
from sordino.cli.tally import tally
from sordino.survey.planning.plan import Plan
from sordino.survey.results.change import ChangedRow
from sordino.survey.results.coverage import Coverage
from sordino.verbs.change import change_of
from sordino.words.digits import rounded


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE)
@click.argument("later_plan", type=FILE)
@click.argument("later_reports", type=FILE)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of each interval by itself.")
@click.option("--simultaneous", is_flag=True, help="All intervals of a question hold together.")
@as_json_option
def change(
    plan: Path,
    reports: Path,
    later_plan: Path,
    later_reports: Path,
    confidence: float,
    *,
    simultaneous: bool,
    as_json: bool,
) -> None:
    """Show what changed from PLAN and its REPORTS to LATER_PLAN and LATER_REPORTS (files of reports, or aggregates).

    Of each number that both tell the difference, with its standard error and interval: shares, bins, quantiles, means,
    covariances, coefficients of the same attributes with the same values. What cannot be compared is named.
    """
    coverage = Coverage(confidence, simultaneous)
    plans = Plan.load(plan), Plan.load(later_plan)
    before, after = tally(plans[0], (reports,)), tally(plans[1], (later_reports,))
    found = change_of((plans[0], before), (plans[1], after), coverage)
    if as_json:
        head = {"first": plans[0].hash, "second": plans[1].hash, "n": list(found.n)}
        how = {"confidence": confidence, "simultaneous": simultaneous, "not_comparable": dict(found.not_comparable)}
        print_json({**head, **how, "rows": found.rows()})
        return
    title = f"{found.n[0]:,} reports, then {found.n[1]:,}"
    limits = (f"{100 * confidence:.15g}% from", "to")
    for one in found.changed:
        header = (one.name, "before", "after", "change", "std. error", *limits)
        rows = one.shown or one.rows
        largest = ""
        if len(rows) > LARGEST:
            # By what both tell together: whoever picks the largest changes of many finds noise.
            place = sorted(range(len(rows)), key=lambda i: -rows[i].before - rows[i].after)[:LARGEST]
            rows, largest = tuple(rows[i] for i in sorted(place)), f"; the largest of {len(rows):,}"
        print_table(title + largest, header, [_cells(row) for row in rows])
    if simultaneous:
        say("Intervals hold for all numbers of a question together (Bonferroni).", "")
    for name, why in found.not_comparable.items():
        say(f"{name}: not compared; {why}")


def _cells(row: ChangedRow) -> tuple[str, ...]:
    numbers = {name: number for name, number in row.json().items() if isinstance(number, float)}
    told = rounded({**numbers, "stderr": numbers.get("stderr", 0.0)})
    told |= {} if "stderr" in numbers else {"stderr": ""}
    return (row.label, *(told[name] for name in ("before", "after", "change", "stderr", "low", "high")))
