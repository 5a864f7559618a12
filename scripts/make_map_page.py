"""What examples/gallery/map draws from: people by cell, and a plan for each position of its sliders.

.venv/bin/python scripts/make_map_page.py; the file holds public things alone. People are simulated in proportion to the
populations of the places of the United States (GeoNames, CC BY 4.0).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from sordino import Plan, Survey
from sordino.demo.simulated_people import draw_people

PLACE = Path(__file__).parents[1] / "examples" / "gallery" / "map" / "plans.json"

GRID: dict[str, Any] = {"south": 25, "north": 50, "west": -125, "east": -65, "rows": 24, "columns": 36}

PEOPLE = 20_000

BLOCKS = (2, 4, 6, 12)
"""Cells to a side of a block: divisors of rows and columns."""

EPSILONS = ("1/4", "1/2", "1", "3/2", "2", "3")
"""The browser client reads no tally of so many values and codes as uniform protection has at 4."""


def make_plan(epsilon: str, block: int | None) -> str:
    """The text of a plan, uniform without a block."""
    home = {"grid": GRID} if block is None else {"grid": GRID, "protect": {"blocks": [block, block]}}
    survey = {"version": 1, "epsilon": epsilon, "attribute": {"home": home}, "ask": [{"histogram": "home"}]}
    return Plan.of(Survey.read(survey), PEOPLE).bytes.decode()


def people() -> list[int]:
    """How many people live in each cell: those of the demo who live on this map."""
    latitude, longitude = draw_people(2 * PEOPLE)
    inside = (latitude > GRID["south"]) & (latitude < GRID["north"])
    inside &= (longitude > GRID["west"]) & (longitude < GRID["east"])
    rows = ((latitude[inside] - GRID["south"]) / (GRID["north"] - GRID["south"]) * GRID["rows"]).astype(int)
    columns = ((longitude[inside] - GRID["west"]) / (GRID["east"] - GRID["west"]) * GRID["columns"]).astype(int)
    cells = (rows * GRID["columns"] + columns)[:PEOPLE]
    return [int(count) for count in np.bincount(cells, minlength=GRID["rows"] * GRID["columns"])]


def contents() -> dict[str, Any]:
    """All of the file."""
    return {
        "grid": {"rows": GRID["rows"], "columns": GRID["columns"]},
        "people": people(),
        "blocks": list(BLOCKS),
        "epsilons": list(EPSILONS),
        "plans": {
            "uniform": {epsilon: make_plan(epsilon, None) for epsilon in EPSILONS},
            "blocks": {f"{block} {epsilon}": make_plan(epsilon, block) for block in BLOCKS for epsilon in EPSILONS},
        },
    }


if __name__ == "__main__":
    PLACE.write_text(f"{json.dumps(contents(), indent=1)}\n", encoding="utf-8")
