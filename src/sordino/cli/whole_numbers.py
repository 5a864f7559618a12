"""Whole numbers as words of a command: digits, as everybody reads them."""

import re
from typing import Any

import click


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
