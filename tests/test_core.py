"""The core by itself: what the papers prove needs numpy, scipy and cryptography alone, and knows no survey.

`make check` forbids imports of the rest; here the rest is not there, nor any other library.
"""

import ast
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

import sordino
from commands import PATIENCE
from sordino import _HOMES
from sordino.extras import LIBRARIES as EXTRAS

TESTS = Path(__file__).parent
HOUSE = Path(sordino.__file__).parent

CORE = (
    *("exact", "domain", "evidence", "definition", "mechanism", "query", "accounting", "audit", "design"),
    "estimation",
)
BELOW = ("blocks", "distinct", "errors", "extras", "printable")
"""What the core stands on."""

PAPERS = ("papers",)
"""Whose mechanisms the suites of the core hold to the same rules."""

LIBRARIES = ("numpy", "scipy", "cryptography", "_cffi_backend")
"""With what cryptography needs."""

TOOLS = ("pytest", "hypothesis", "mpmath")

ALONE = """
import sys
from pathlib import Path

missing, rooms = set(sys.argv[1].split(",")), set(sys.argv[2].split(","))

class Missing:
    def find_spec(self, name, path=None, target=None):
        top, _, inner = name.partition(".")
        if top in missing or top == "sordino" and inner and inner.partition(".")[0] not in rooms:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""

LOAD = """
sys.path.insert(0, sys.argv[3])
from importlib import import_module
for path in sorted(Path(sys.argv[3]).rglob("*.py")):
    import_module(".".join(path.relative_to(sys.argv[3]).with_suffix("").parts).removesuffix(".__init__"))
assert sys.modules["sordino"].__file__.startswith(sys.argv[3])
"""

RUN = """
from types import ModuleType
import pytest
for name in ("surveys", "commands", "handlers"):
    sys.modules[name] = ModuleType(name, "PYTEST_DONT_REWRITE")  # fixtures of the rest
sys.exit(pytest.main(["-q", "-p", "no:xdist", "-p", "no:cacheprovider", *sys.argv[3:]]))
"""


def done_alone(program, missing, rooms, *words, patience=PATIENCE):
    command = [sys.executable, "-c", ALONE + program, ",".join(missing), ",".join(rooms), *words]
    ended = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, timeout=patience, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]


def test_the_core_loads_where_there_is_nothing_else(tmp_path):
    package = tmp_path / "sordino"
    for name in (*CORE, *BELOW):
        if (HOUSE / name).is_dir():
            shutil.copytree(HOUSE / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(HOUSE / f"{name}.py", package / f"{name}.py")
    shutil.copy(HOUSE / "__init__.py", package)
    done_alone(LOAD, packages_distributions().keys() - {*LIBRARIES, "sordino"}, (*CORE, *BELOW), str(tmp_path))


@cache
def needs(path):
    """The rooms and libraries that a file of tests imports, by the files beside it too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module="sordino", names=names):
                found |= {_HOMES.get(alias.name, alias.name).split(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)) if module.startswith("sordino."):
                found.add(module.split(".")[1])
            case ast.ImportFrom(module=str(module)) | ast.Import(names=[ast.alias(name=module)]):
                helper = TESTS / f"{module}.py"
                found |= needs(helper) if helper.exists() else {module.split(".")[0]}
    return frozenset(found)


def needs_core_alone(path):
    return needs(path) <= {*CORE, *BELOW, *PAPERS, *LIBRARIES, *TOOLS, *sys.stdlib_module_names}


@pytest.mark.long
@pytest.mark.parametrize("room", CORE)
def test_suites_of_the_core_run_without_the_rest(room):
    every = sorted((TESTS / room).rglob("test_*.py"))
    files = [path for path in every if needs_core_alone(path)]
    assert len(files) > len(every) / 2
    product = {"click", *chain.from_iterable(EXTRAS.values())} - {*LIBRARIES}
    done_alone(RUN, product, (*CORE, *BELOW, *PAPERS), *map(str, files), patience=20 * PATIENCE)
