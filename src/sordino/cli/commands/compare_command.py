"""`sordino compare`: two plans side by side."""

from pathlib import Path

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json, print_table
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.survey_comparison import comparison


@click.command()
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@as_json_option
def compare(first: Path, second: Path, *, as_json: bool) -> None:
    """Show the plans FIRST and SECOND side by side: what a report can reveal, expected errors, people, bits.

    Errors are those that `plan` expects where nothing is known of the people. What one plan lacks is left blank.
    """
    plans = Plan.load(first), Plan.load(second)
    sides = comparison(*plans)
    if as_json:
        head = {"first": plans[0].hash, "second": plans[1].hash, "same": plans[0].hash == plans[1].hash}
        print_json({**head, "rows": [row.json() for side in sides for row in side.rows]})
        return
    for side in sides:
        cells = [(row.label, *("" if cell is None else _short(cell) for cell in row.cells)) for row in side.rows]
        print_table(side.title, (side.about, str(first), str(second)), cells)


def _short(cell: float) -> str:
    return f"{cell:,.0f}" if cell == int(cell) else f"{cell:.3g}"
