"""Planted faults: where each stands, and the source with it in place."""

import ast
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sordino"
FAULTS = tomllib.loads((ROOT / "tests" / "mutants" / "faults.toml").read_text(encoding="utf-8"))["fault"]


def planted(fault):
    """The text of the fault's file with the fault in it."""
    text = (PACKAGE / fault["file"]).read_text(encoding="utf-8")
    start, end = places(fault["file"])[fault["within"]]
    own = text.encode()[start:end].decode()
    assert own.count(fault["old"]) == 1, f"`{fault['old']}` must stand once in {fault['within']} of {fault['file']}"
    return text.encode()[:start].decode() + own.replace(fault["old"], fault["new"]) + text.encode()[end:].decode()


@cache
def places(file):
    """Where each function, class and constant of a file begins and ends, in bytes; a method as `Class.method`."""
    text = (PACKAGE / file).read_bytes()
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found = {}

    def note(node, prefix):
        for inner in node.body:
            match inner:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    first = min([inner.lineno, *(decorator.lineno for decorator in inner.decorator_list)])
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    first = inner.lineno
                case _:
                    continue
            found[prefix + name] = lines[first - 1], lines[inner.end_lineno]
            if isinstance(inner, ast.ClassDef):
                note(inner, f"{prefix}{name}.")

    note(ast.parse(text), "")
    return found
