"""`sordino format`: a survey file in the one way of the docs, whatever spellings it is written in."""

import difflib
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

import click

from sordino.cli.options import FILE, STANDARD_STREAM, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say, say_file
from sordino.document.files import LARGEST_FILE, decode_text, read_text, replace_whole, write_text
from sordino.document.kinds import explain_kind
from sordino.errors import SordinoError
from sordino.forms.survey_format import format_survey

WOULD_CHANGE = 1
"""Exit code of --check where the survey has other spellings."""


@click.command("format")
@click.argument("survey", type=FILE)
@click.option("--check", is_flag=True, help="Write nothing: show what would change, and end with exit code 1 if any.")
@click.option("-o", "--output", type=FILE, help="Write a new file instead of SURVEY itself; - for standard output.")
@as_json_option
@click.pass_context
def format_file(context: click.Context, survey: Path, output: Path | None, *, check: bool, as_json: bool) -> None:
    """Rewrite a SURVEY file in the one way of the docs: other spellings become the settings that they stand for.

    It says the same afterwards and has the same plan, with the same hash; its comments, blank lines and order stay.
    Of - standard input is read and standard output written.
    """
    is_piped = survey == STANDARD_STREAM
    output = STANDARD_STREAM if is_piped and output is None and not check else output
    if check and output is not None:
        raise SordinoError("--check writes nothing", found="-o beside it", step="leave one of both out")
    if as_json and output == STANDARD_STREAM:
        step = "leave --json out, or give -o a name"
        raise SordinoError("standard output takes one document", found="--json and -o -", step=step)
    name = "standard input" if is_piped else str(survey)
    before = decode_text(sys.stdin.buffer.read(LARGEST_FILE + 1), name) if is_piped else read_text(survey)
    with nullcontext() if is_piped else explain_kind(survey, "survey"):
        after = format_survey(before, name)
    if output == STANDARD_STREAM:
        say_file(after)
        return
    lines = [
        *difflib.unified_diff(before.splitlines(), after.splitlines(), name, "in the way of the docs", lineterm="")
    ]
    if output is not None:
        write_text(output, after)
    elif lines and not check:
        # A link stays one, and the file keeps who may read it.
        place = survey.resolve()
        with replace_whole(place, overwrite=True) as temporary:
            temporary.write_text(after, encoding="utf-8", newline="\n")
            shutil.copymode(place, temporary)
    if as_json:
        print_json({"survey": name, "changed": bool(lines), "diff": lines})
    elif lines and check:
        say(*lines)
    else:
        say(f"{output or name}: {'written in the way of the docs' if lines or output else 'left as it is'}")
    if lines and check:
        context.exit(WOULD_CHANGE)
