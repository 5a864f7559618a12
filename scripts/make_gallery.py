"""The notebooks of examples/gallery: each file with cells runs, and its notebook holds what it showed.

make gallery writes them. With --check nothing is written, and a notebook whose file prints other words than it shows is
named. Numbers are not compared: the last digits of a solved plan depend on the processor, with them its hash, and with
that the noise of every report. Pictures and tables of HTML depend on the machine's fonts and libraries.
"""

import argparse
import re
import sys
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient

from gallery_cells import FOLDER, SOURCES, notebook

NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]\d+)?")

SECONDS = 300
"""That a cell may take."""


def run(path: Path) -> Any:
    """The notebook of a file, after it ran in the file's folder."""
    made = nbformat.from_dict(notebook(path))
    with TemporaryDirectory() as folder:
        # Sockets of the kernel's owner alone, not ports of the machine.
        place = {"metadata": {"path": str(FOLDER)}}
        client = NotebookClient(made, timeout=SECONDS, coalesce_streams=True, resources=place)
        client.km = AsyncKernelManager(transport="ipc", ip=f"{folder}/kernel")
        client.execute()
    for cell in made.cells:
        cell.metadata.pop("execution", None)
    made.metadata.pop("language_info", None)
    nbformat.validate(made)
    return made


def texts(made: Any) -> list[str]:
    """What the cells printed."""
    return [
        "".join(one["text"] for one in cell.get("outputs", []) if one["output_type"] == "stream")
        for cell in made["cells"]
    ]


def words_of(line: str) -> list[str]:
    """A line without its numbers."""
    return NUMBER.sub("#", line).split()


def first_change(held: list[str], made: list[str]) -> str | None:
    """Where two runs print different words first: the cell and its first line that differs, of both."""
    for cell, (one, other) in enumerate(zip_longest(held, made, fillvalue="")):
        for before, now in zip_longest(one.splitlines(), other.splitlines(), fillvalue=""):
            if words_of(before) != words_of(now):
                return f"cell {cell}: {before!r} held, {now!r} printed"
    return None


def main() -> None:
    """Run all files, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="all by default")
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    given = parser.parse_args()
    known, stale = {path.stem: path for path in SOURCES}, []
    if unknown := [name for name in given.names if name not in known]:
        sys.exit(f"a notebook must be one of {', '.join(known)}; found {', '.join(unknown)}")
    for path in map(known.__getitem__, given.names or known):
        made, place = run(path), path.with_suffix(".ipynb")
        if not given.check:
            nbformat.write(made, place)
        elif change := first_change(texts(nbformat.read(place, 4)) if place.exists() else [], texts(made)):
            stale.append(f"{place.name}, {change}")
        print(path.stem, flush=True)
    if stale:
        lines = "\n".join(stale)
        sys.exit(f"a notebook must show what its file prints; found\n{lines}\nmake gallery writes them anew")


if __name__ == "__main__":
    main()
