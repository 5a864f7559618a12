"""`sordino report`: one person's report, drawn on their own device."""

from pathlib import Path

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.verbs.report import report as draw


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
    if output is None:
        print_json(made.document)
        return
    if as_json:
        print_json({"report": str(output), **made.document})
        return
    say(f"{output}: a report about {made.plan.questions[made.question].name}")
    say("This was a release. A second report about the same person is another one, and their losses add.")
