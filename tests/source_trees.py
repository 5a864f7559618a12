"""All of the package's sources, parsed once for every test that looks at how something is written."""

import ast
from functools import cache
from pathlib import Path

import sordino


@cache
def source_trees():
    """The tree of each file, by its path."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in Path(sordino.__file__).parent.rglob("*.py")}
