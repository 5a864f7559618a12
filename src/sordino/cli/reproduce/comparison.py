"""Rows of a reproduced table for `--json`: what the paper prints, what is right in its place, what was found here."""

from dataclasses import asdict
from typing import Any


def comparison(row: Any, **names: str) -> dict[str, Any]:
    """Fields of a row, of which some are called otherwise: `printed`, `corrected`, `found`, `elsewhere`.

    Example:
        >>> from sordino.papers.bayesian_filter.appendix_a import AppendixARow
        >>> comparison(AppendixARow("11", 1.4, 1.5, 1.41), paper="printed")
        {'outputs': '11', 'lower': 1.4, 'upper': 1.5, 'printed': 1.41}
    """
    return {names.get(name, name): value for name, value in asdict(row).items()}
