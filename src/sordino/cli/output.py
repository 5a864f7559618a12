"""What a command has put out, and the forms that all commands print in."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from sordino.cli.say import say, say_json, say_table


@dataclass
class Output:
    """What the command that runs has put out.

    Attributes:
        as_json: whether one JSON object is asked for.
        delivered: whether it is out: what fails after that has no object of its own.
    """

    as_json: bool
    delivered: bool = False


def print_json(document: dict[str, Any]) -> None:
    """One object on one line."""
    say_json(json.dumps(document, ensure_ascii=False, allow_nan=False))
    context = click.get_current_context(silent=True)
    output = context and context.find_object(Output)
    if output:
        output.delivered = True


def print_lines(lines: tuple[str, ...]) -> None:
    """Sentences, each with a dash."""
    for line in lines:
        say(f"- {line}")


def print_table(title: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """A table whose first column is text and whose others are numbers."""
    say_table(header, rows, title)
