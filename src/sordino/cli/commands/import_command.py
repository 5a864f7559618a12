"""`sordino import`: a form made for other tools, as a survey in which the promises are still to be made."""

from dataclasses import asdict
from pathlib import Path

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json, print_lines
from sordino.cli.say import say
from sordino.document.files import require_new, write_text
from sordino.errors import SordinoError
from sordino.forms.form import read_form
from sordino.forms.survey_text import survey_text
from sordino.forms.workbook import read_workbook
from sordino.survey.reading.open_choices import CHOOSE

MOST_LEFT_OUT = 20
"""Most left-out lines that a terminal shows; the survey's file has all."""


@click.command("import")
@click.argument("form", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="The survey to write (.toml), never over another file.")
@as_json_option
def import_form(form: Path, output: Path, *, as_json: bool) -> None:
    """Make a survey file of an XLSForm (.xlsx), as ODK and KoboToolbox use them.

    No form says what a report may reveal: each such place holds "CHOOSE", and `sordino plan` refuses the survey until
    all are set. What cannot be asked is left out, and listed.
    """
    require_new(output)
    survey = survey_text(read_form(read_workbook(form)), form.name)
    if not survey.attributes:
        reasons = "; ".join(f"{one.where}: {one.why}" for one in survey.left_out[:MOST_LEFT_OUT])
        step = "see `sordino import --help` for what can be asked"
        found = f"no such question ({reasons})" if reasons else "no such question"
        raise SordinoError(f"{form} must have a question that can be asked", found=found, step=step)
    write_text(output, survey.text)
    if as_json:
        left_out = [asdict(one) for one in survey.left_out]
        counts = {"attributes": survey.attributes, "choices": survey.choices, "left_out": left_out}
        print_json({"survey": str(output), **counts})
        return
    say(f"{output}: {survey.attributes} attributes, and {survey.choices} places with {CHOOSE!r} to set before a plan")
    if survey.left_out:
        say("Left out, or otherwise than in the form:")
        print_lines(tuple(f"{one.where}: {one.why}" for one in survey.left_out[:MOST_LEFT_OUT]))
        if (more := len(survey.left_out) - MOST_LEFT_OUT) > 0:
            say(f"... {more:,} more, at the end of {output}")
