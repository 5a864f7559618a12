"""Estimates on a map for other tools: GeoJSON (RFC 7946), a feature for each cell, with its estimate and interval."""

import json
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from sordino.blocks.block import Plot, blocks_of
from sordino.blocks.charts import MapChart
from sordino.blocks.tables import QuantityTable
from sordino.document.files import write_text
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.show.estimate_rows import tables_of
from sordino.survey.results.result import Result
from sordino.tables.results.tidy import COLUMNS, TEXTS

DIGITS = 9
"""Of a degree: a tenth of a millimetre."""

NAMES = {own: name for name, own in COLUMNS.items() if name not in TEXTS and own}
"""Each number of a cell, and the property that it is: the column of tidy tables."""


def map_features(found: Sequence[Result], question: str | None = None) -> dict[str, Any]:
    """A collection of the cells of each map that was asked, or of one question's.

    Args:
        found: the results of a plan's questions.
        question: the name of one of them.

    Raises:
        SordinoError: none of them is about a map.
    """
    maps = dict(_maps(found))
    wanted = [name for name in maps if question in (None, name)]
    if not wanted:
        known = ", ".join(map(repr, maps)) or "no map"
        found_instead = known if question is None else repr(question)
        raise SordinoError("a map must be estimated for GeoJSON", found=found_instead, step=f"maps are: {known}")
    return {"type": "FeatureCollection", "features": [one for name in wanted for one in _features(name, *maps[name])]}


def _maps(found: Sequence[Result]) -> Iterator[tuple[str, tuple[Grid, QuantityTable]]]:
    for result in found:
        blocks = result.blocks()
        charts = [plot.chart() for plot in blocks_of(Plot, blocks) if plot.of is MapChart]
        for grid in [chart.grid for chart in charts if isinstance(chart, MapChart)]:
            yield from ((result.question.name, (grid, one)) for one in tables_of(blocks) if one.count == grid.k)


def _features(name: str, grid: Grid, table: QuantityTable) -> Iterator[dict[str, Any]]:
    for cell in range(grid.k):
        row, column = divmod(cell, grid.columns)
        south, north = (_edge(grid.south, grid.north, grid.rows, line) for line in (row, row + 1))
        west, east = (_edge(grid.west, grid.east, grid.columns, line) for line in (column, column + 1))
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        known = table.numbers(cell)
        numbers = {name: known[own] for own, name in NAMES.items() if own in known and isfinite(known[own])}
        yield {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
            "properties": {"question": name, "row": row, "column": column, **numbers},
        }


def _edge(low: float, high: float, cells: int, line: int) -> float:
    return round(high if line == cells else low + line * (high - low) / cells, DIGITS)


def write_map(found: Sequence[Result], path: Path, question: str | None = None, *, overwrite: bool = False) -> None:
    """Write `map_features` as a file.

    Raises:
        SordinoError: no map, a file that may not be overwritten, or the system refuses to write.
    """
    write_text(path, json.dumps(map_features(found, question), allow_nan=False) + "\n", overwrite=overwrite)


def is_map_name(path: Path) -> bool:
    """Whether a file's name says that it is GeoJSON."""
    return path.name.lower().endswith(".geojson")


def is_map(path: Path) -> bool:
    """Whether a file is a collection of features."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(64).replace(" ", "").startswith('{"type":"FeatureCollection"')
    except (OSError, UnicodeDecodeError):
        return False
