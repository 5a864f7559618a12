"""The cells of a gallery's file: `# %%` begins one of code, `# %% [markdown]` one of text, whose lines are comments."""

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples" / "gallery"

SOURCES = sorted(FOLDER.glob("*.py"))
"""A file for each notebook."""

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}

MARK = re.compile(r"^# %%( \[markdown\])?$", re.MULTILINE)


def cells(text: str) -> list[tuple[str, str]]:
    """The kind of each cell, code or markdown, and its source."""
    before, *parts = MARK.split(text)
    if before.strip():
        raise ValueError("a gallery's file must begin with a cell")
    found = zip(parts[::2], parts[1::2], strict=True)
    return [("code", own.strip()) if mark is None else ("markdown", _uncommented(own.strip())) for mark, own in found]


def _uncommented(text: str) -> str:
    lines = text.splitlines()
    if not all(line.startswith("#") for line in lines):
        raise ValueError("a cell of text must be comments")
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)


def notebook(path: Path) -> dict[str, Any]:
    """A file as a notebook that has not run, in the format 4.5."""
    made = []
    for place, (kind, source) in enumerate(cells(path.read_text(encoding="utf-8"))):
        cell = {"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": source}
        made.append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
    return {"cells": made, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
