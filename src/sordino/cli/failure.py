"""How a command fails: one message on the error stream, with `--json` one object on the output, and an exit code."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

import click

from sordino.cli.exits import EXIT_CODES, STOP, STOPPED, error_json
from sordino.cli.show import Output
from sordino.errors import SordinoError


def fail(error: SordinoError, output: Output) -> NoReturn:
    """End the process as an error asks for."""
    _end(str(error), error.facts(), EXIT_CODES[error.code], output)


def fail_usage(error: click.ClickException, output: Output) -> NoReturn:
    """End the process after words that are no command."""
    with suppress(OSError):
        error.show()
    context = error.ctx if isinstance(error, click.UsageError) else None
    step = f"see {context.command_path} --help" if context is not None else ""
    facts = SordinoError(error.format_message().rstrip("."), step=step).facts()
    _end("", facts, EXIT_CODES["invalid"], output)


def stop(output: Output) -> NoReturn:
    """End the process because somebody stopped it."""
    _end(STOP["rule"], STOP, STOPPED, output)


def _end(message: str, facts: Mapping[str, Any], code: int, output: Output) -> NoReturn:
    # A stream that takes nothing must not hide the exit code.
    with suppress(OSError):
        if message:
            click.echo(f"sordino: {message}", err=True)
    with suppress(OSError):
        if output.as_json and not output.delivered:
            click.echo(error_json(facts))
    sys.exit(code)
