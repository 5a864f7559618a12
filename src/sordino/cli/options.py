"""What options and arguments of several commands are."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path)

STANDARD_STREAM = Path("-")
"""The name of a file that means standard input, or standard output."""

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")

engine_option = click.option(
    "--engine",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    help="The engine that reads the tables, DuckDB by default.",
)

force_option = click.option("--force", is_flag=True, help="Overwrite files that an earlier run of this command made.")
"""For what can be made again."""

all_option = click.option("--all", "everything", is_flag=True, help="Print all, of a large survey too.")
"""For what prints one screen."""


class Real(click.types.FloatParamType):
    """A number with a decimal point; of a comma or a per cent sign the same number is given as it must be written.

    Example:
        >>> Real().convert("0.02", None, None)
        0.02
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that a word means.

        Raises:
            BadParameter: no number, or one with a decimal comma or in per cent.
        """
        if isinstance(value, str) and (found := re.fullmatch(r"([0-9]*)([.,][0-9]+)?( ?%)?", value)):
            number = found[1] + (found[2] or "").replace(",", ".")
            if number and found[3]:
                self.fail(f"{value!r} is in per cent: write {Decimal(number) / 100:f}.", param, ctx)
            if number and "," in value:
                self.fail(f"{value!r} has a decimal comma: write {number}.", param, ctx)
        return super().convert(value, param, ctx)


class Whole(click.IntRange):
    """A whole number in a range; not `1_0`, which Python takes for 10.

    Example:
        >>> Whole(1).convert("12", None, None)
        12
    """

    name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that a word means.

        Raises:
            BadParameter: other signs than digits, or beyond the range.
        """
        if isinstance(value, str) and not re.fullmatch(r"[+-]?[0-9]+", value):
            self.fail(f"{value!r} is not a whole number: write its digits alone, as 1000000.", param, ctx)
        return super().convert(value, param, ctx)
