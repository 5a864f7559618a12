"""The command line: `sordino`. What goes wrong ends with one clear message, never with a traceback."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

import click

from sordino.cli.exits import json_is_asked
from sordino.cli.failure import fail, fail_usage, stop
from sordino.cli.lazy import LazyCommand, LazyGroup, ReaderGoneError
from sordino.cli.output import Output
from sordino.errors import SordinoError, UnavailableError
from sordino.process.stops import interrupt_at_stops, is_asked

HELP = """Local differential privacy that protects what is sensitive, as much as it is sensitive, and not more.

A survey becomes a frozen plan; every other command takes the plan:

\b
  sordino plan SURVEY.toml --people N -o PLAN.json
  sordino privatize PLAN.json PEOPLE.csv -o REPORTS.parquet
  sordino estimate PLAN.json REPORTS.parquet --html PAGE.html
"""


PLACE = "sordino.cli.commands"

COMMANDS = {
    "aggregate": LazyCommand(
        f"{PLACE}.aggregate", "aggregate", "Count reports from files, or add up aggregates.", "tables"
    ),
    "answer": LazyCommand(f"{PLACE}.answer", "answer", "Answer a collector's plan once, from a record."),
    "ask": LazyCommand(f"{PLACE}.ledger", "ask", "Answer a query about a record, if the ledger accepts it."),
    "certify": LazyCommand(f"{PLACE}.certify", "certify", "Check a plan's integers against its promise, exactly."),
    "change": LazyCommand(f"{PLACE}.change", "change", "Show what changed between two collections.", "tables"),
    "collector": LazyCommand(
        "sordino.cli.operator.operate_collector",
        "collector",
        "Operate a collector: tokens, keys, acts, backups.",
        "server",
    ),
    "compare": LazyCommand(f"{PLACE}.compare", "compare", "Show two plans side by side.", "plan"),
    "demo": LazyCommand(f"{PLACE}.demo", "demo", "A million simulated people report where they live.", "pages"),
    "dependence": LazyCommand(
        f"{PLACE}.dependence", "dependence", "Bound what attributes reveal about each other.", "tables"
    ),
    "estimate": LazyCommand(f"{PLACE}.estimate", "estimate", "Estimate what a plan asks from its reports.", "tables"),
    "explain": LazyCommand(f"{PLACE}.explain", "explain", "Say in plain words what a report can reveal."),
    "import": LazyCommand("sordino.cli.forms.import_form", "import_form", "Make a survey of an XLSForm.", "import"),
    "invite": LazyCommand(f"{PLACE}.invite", "invite", "Make one-use links for those who may answer a plan."),
    "ledger": LazyCommand(f"{PLACE}.ledger", "ledger", "Keep a person's ledger of everything that was asked."),
    "plan": LazyCommand(
        f"{PLACE}.plan", "plan", "Turn a survey into a frozen plan: mechanisms, integers, a hash.", "plan"
    ),
    "privatize": LazyCommand(
        f"{PLACE}.privatize", "privatize", "Release one report for each row of a table.", "tables"
    ),
    "record": LazyCommand("sordino.cli.registry.record", "record", "Describe a plan for the registry of deployments."),
    "report": LazyCommand(f"{PLACE}.report", "report", "Draw one person's report from a record."),
    "reproduce": LazyCommand(
        "sordino.cli.reproduce.command", "reproduce", "Compute a paper's table or figure anew.", "pages"
    ),
    "serve": LazyCommand(f"{PLACE}.serve", "serve", "Collect a plan's reports over HTTP.", "server"),
}
"""Each command by its name."""


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="sordino")
def cli() -> None:
    """Hold the commands."""


def main() -> None:
    """Run a command; exit code 0 if all went well, otherwise one of `sordino.cli.exits`."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A label that the output's encoding lacks is spelled out.
            stream.reconfigure(errors="backslashreplace")
    output = Output(as_json=json_is_asked())
    # A polite end is like Ctrl-C: files that are not whole are taken away.
    with interrupt_at_stops():
        try:
            with suppress(click.Abort, KeyboardInterrupt):
                _run(output)
            # The interrupt is forgotten with all that it held: what was half-written is gone.
            stop(output)
        finally:
            _give_up_output()


def _run(output: Output) -> None:
    """Run a command and end the process with its exit code."""
    try:
        sys.exit(_command(output))
    except SordinoError as error:
        fail(error, output)
    except click.ClickException as error:
        fail_usage(error, output)
    except (BrokenPipeError, ReaderGoneError):
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        fail(
            UnavailableError(
                "the system must allow it",
                found=(error.strerror or "a refusal").lower(),
                step="look at rights and disk, then run it again",
            ),
            output,
        )


def _command(output: Output) -> int:
    """Run a command; its exit code."""
    try:
        code: int = cli.main(standalone_mode=False, obj=output) or 0
        sys.stdout.flush()
    except Exception:
        # A library in the middle of its work may report an interrupt in words of its own.
        if is_asked():
            raise KeyboardInterrupt from None
        raise
    return code


def _give_up_output() -> None:
    """What could not be printed is given up, or Python would try again at its end and change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            sys.stdout.close()


def _replace_closed_streams() -> None:
    """Have streams in place of those that the caller closed, which Python leaves out.

    Whatever is printed to such an output fails as it does on a full disk: what was not delivered must not count as
    delivered. Messages that nobody can read are dropped.
    """
    if sys.stdin is None:
        # Or the next file would take its number.
        os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = _stream(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stream(os.O_WRONLY)


def _stream(mode: int) -> TextIO:
    return os.fdopen(os.open(os.devnull, mode), "w", encoding="utf-8")
