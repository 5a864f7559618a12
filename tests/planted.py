"""Planted faults: where each stands, in Python or in the browser client's modules, and the source with it in place."""

import ast
import os
import re
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sordino"


def _faults(name):
    return tomllib.loads((ROOT / "tests" / "mutants" / name).read_text(encoding="utf-8"))["fault"]


FAULTS = _faults("faults.toml")
CLIENT_FAULTS = _faults("client_faults.toml")

DECLARED = re.compile(rb"(?:export )?(?:async )?(?:function\*?|class|const) (\w+)")
METHOD = re.compile(rb"  (?:static |async |get |\*)*(#?\w+)\(.*\{\n")


def own_sixth(faults):
    """The faults to be planted in this run: a sixth of them takes minutes, and who runs the tests says which."""
    sixth = os.environ.get("SORDINO_SIXTH", "")
    return faults[int(sixth) % 6 :: 6] if sixth else faults


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
    return _places_of_javascript(text) if file.endswith(".js") else _places_of_python(text)


def _places_of_python(text):
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


def _places_of_javascript(text):
    """The same of JavaScript, by its form: what begins at the margin ends with the next line there; so do methods."""
    found, at, outer, inner = {}, 0, None, None
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        if begun := DECLARED.match(line):
            outer, inner = (begun[1].decode(), at), None
        elif outer and inner is None and (begun := METHOD.match(line)):
            inner = f"{outer[0]}.{begun[1].decode()}", at
        if inner and line.startswith(b"  }"):
            found[inner[0]], inner = (inner[1], end), None
        if outer and (line.startswith((b"}", b"]", b")")) or (line.rstrip().endswith(b";") and at == outer[1])):
            found[outer[0]], outer = (outer[1], end), None
        at = end
    return found
