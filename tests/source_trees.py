"""The package's sources, parsed for tests that look at how something is written."""

import ast
import re
from pathlib import Path

import sordino


def source_trees(pattern):
    """The tree of each file in which a regular expression is found, by its path: to parse all takes seconds."""
    sources = {path: path.read_text(encoding="utf-8") for path in Path(sordino.__file__).parent.rglob("*.py")}
    return {path: ast.parse(source) for path, source in sources.items() if re.search(pattern, source)}
