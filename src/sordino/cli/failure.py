"""How a command fails: one message on the error stream, with `--json` one object on the output, and an exit code."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from typing import Any, NoReturn

import click

from sordino.cli.command_words import command_facts, command_words
from sordino.cli.exits import EXIT_CODES, STOP, STOPPED, error_json
from sordino.cli.output import Output
from sordino.cli.say import say, say_json
from sordino.errors import SordinoError


def fail(error: SordinoError, output: Output) -> NoReturn:
    """End the process as an error asks for."""
    _end(command_words(str(error)), command_facts(error.problem()), EXIT_CODES[error.code], output)


def fail_usage(error: click.ClickException, output: Output) -> NoReturn:
    """End the process after words that are no command."""
    shown = StringIO()
    error.show(shown)
    with suppress(OSError):
        say(*shown.getvalue().rstrip("\n").split("\n"), err=True)
    context = error.ctx if isinstance(error, click.UsageError) else None
    step = f"see {context.command_path} --help" if context is not None else ""
    facts = SordinoError(error.format_message().rstrip("."), step=step).problem()
    _end("", facts, EXIT_CODES["invalid"], output)


def stop(output: Output) -> NoReturn:
    """End the process because somebody stopped it."""
    _end(STOP["rule"], STOP, STOPPED, output)


def _end(message: str, facts: Mapping[str, Any], code: int, output: Output) -> NoReturn:
    # A stream that takes nothing must not hide the exit code.
    with suppress(OSError):
        if message:
            # Of several mistakes each has a line; the names in them have none of their own.
            say(*f"sordino: {message}".split("\n"), err=True)
    with suppress(OSError):
        if output.as_json and not output.delivered:
            say_json(error_json(facts))
    sys.exit(code)
