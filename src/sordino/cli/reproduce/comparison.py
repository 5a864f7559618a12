"""Rows of a reproduced table for `--json`: what the paper prints, what is right in its place, what was found here.

`-o` draws a figure, and writes beside the picture what `--json` prints.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sordino.cli.options import FILE
from sordino.cli.picture import draw, require_picture
from sordino.cli.say import say
from sordino.document.files import read_json, replace_whole
from sordino.document.replace import require_free
from sordino.errors import SordinoError

if TYPE_CHECKING:
    from sordino.show.html.figures.drawing import Picture

output_option = click.option(
    "-o", "--output", type=FILE, help="Draw the curves too (.png, .svg), and write their data beside them (.json)."
)


def comparison(row: Any, **names: str) -> dict[str, Any]:
    """Fields of a row, of which some are called otherwise: `printed`, `corrected`, `found`, `elsewhere`.

    Example:
        >>> from sordino.papers.bayesian_filter.appendix_a import AppendixARow
        >>> comparison(AppendixARow("11", 1.4, 1.5, 1.41), paper="printed")
        {'outputs': '11', 'lower': 1.4, 'upper': 1.5, 'printed': 1.41}
    """
    return {names.get(name, name): value for name, value in asdict(row).items()}


@dataclass(frozen=True)
class FigureFiles:
    """A picture, and its data in a file of the same name that ends in .json.

    Attributes:
        output: the picture; None for no files.
        overwrite: whether each of the two is replaced.
    """

    output: Path | None
    overwrite: tuple[bool, bool]

    @classmethod
    def of(cls, output: Path | None, *, force: bool) -> "FigureFiles":
        """Raises: SordinoError, before any work, where a file cannot be written."""
        picture = require_picture(output, force=force)
        if output is None:
            return cls(None, (False, False))
        return cls(
            output, (picture, require_free(output.with_suffix(".json"), "a figure's data", _is_data, force=force))
        )

    def write(self, drawing: "Callable[[], Picture]", document: dict[str, Any]) -> dict[str, Any]:
        """Both files, if there is a name for them; the document with their names."""
        picture, data = self.overwrite
        if self.output is None:
            return document
        document |= draw(self.output, drawing, overwrite=picture)
        beside = self.output.with_suffix(".json")
        with replace_whole(beside, overwrite=data) as temporary:
            temporary.write_text(json.dumps(document, allow_nan=False) + "\n", encoding="utf-8")
        return document | {"data": str(beside)}

    def say(self) -> None:
        """What was written."""
        if self.output is not None:
            say(f"{self.output} and {self.output.with_suffix('.json')}: written")


def _is_data(path: Path) -> bool:
    try:
        return {"figure", "rows"} <= read_json(path).keys()
    except SordinoError:
        return False
