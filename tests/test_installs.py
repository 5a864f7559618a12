"""Each role's install: a wheel of these sources, in an environment of its own, runs the commands that belong to it.

The wheel is built once; pip installs each extra alone, with what it brings, from the index that is configured.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from commands import PATIENCE, started
from in_one import in_one
from sordino import plan
from sordino.cli.main import COMMANDS
from sordino.extras import LIBRARIES

ROOT = Path(__file__).parents[1]

MOST_MEGABYTES = 80
"""MiB of all that a device installs, before anything is compiled."""

SURVEY = """
version = 1
epsilon = "1"
[attribute.smoker]
categories = ["yes", "no"]
[attribute.age]
number = { low = 0, high = 100 }
[[ask]]
histogram = "smoker"
[[ask]]
mean = "age"
"""

FILES = {
    "survey.toml": SURVEY,
    "record.toml": 'version = 1\n[record]\nsmoker = "yes"\nage = 44\n',
    "terms.toml": 'version = 1\nepsilon = "1"\n[attribute.age]\nnumber = { low = 0, high = 100 }\n',
    "query.toml": 'version = 1\nid = "1"\ncollector = "x"\nepsilon = "0.4"\n'
    "linear = { theta = { age = 1 }, low = 0, high = 100 }\n",
    "people.csv": "smoker,age\n" + "yes,20\nno,50\nno,80\n" * 2000,
}

BASE = [
    "--version",
    "explain plan.json",
    "certify plan.json",
    "report plan.json record.toml -o report.jsonl",
    "ledger new me.ledger terms.toml",
    "ask me.ledger query.toml --dry-run",
    "ledger show me.ledger",
    "record plan.json -o entry.yaml",
    "format survey.toml -o -",
]
PLANNING = ["plan survey.toml --people 30000 -o own.json", "compare plan.json own.json", "odds 1"]
TABLES = [
    "new --from people.csv --yes -o first.toml",
    "privatize plan.json people.csv -o reports.parquet",
    "aggregate plan.json reports.parquet -o tally.json",
    "estimate plan.json tally.json -o shares.csv",
    "change plan.json tally.json plan.json tally.json",
    "dependence people.csv --survey survey.toml -o bounds.toml",
]
PAGES = [
    "estimate plan.json tally.json --html page.html",
    "record plan.json --html label.html",
    "demo --people 20000 --html demo.html",
    "reproduce --help",
]

ROLES = {
    "": BASE,
    "plan": [*BASE, *PLANNING],
    "tables": [*PLANNING, *TABLES],
    "pages": [*PLANNING, *TABLES, *PAGES],
    "frames": TABLES,
    "spss": [*TABLES, "estimate plan.json tally.json -o shares.sav"],
}
"""The commands of each extra, `server`, `import` and `spark` apart."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy: setuptools leaves a folder beside what it builds."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "PACKAGE.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source])
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A function that installs an extra alone: the folder of the environment."""

    @cache
    def install(extra):
        folder = tmp_path_factory.mktemp(extra or "base")
        done([sys.executable, "-m", "venv", "--without-pip", folder])
        target = f"sordino[{extra}] @ {wheel.as_uri()}" if extra else wheel
        into = ["--python", folder / "bin" / "python"]
        done([sys.executable, "-m", "pip", *into, "install", "--quiet", "--no-compile", target])
        return folder

    return install


@pytest.fixture
def folder(tmp_path):
    plan(tomllib.loads(SURVEY), people=30_000).save(tmp_path / "plan.json")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def done(command, cwd=None):
    """What a process prints that ends well, with nothing of this one's environment."""
    ended = ended_with(command, cwd)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def ended_with(command, cwd=None):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = list(map(str, command))
    return subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_libraries_of_each_extra_are_those_of_the_project():
    """Modules are called as what is installed, but for two, and for those that come along with another."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

    def brought(extra):
        for text in extras[extra]:
            name = text.partition(">")[0].partition("[")[0]
            if name == "sordino":
                for other in text.partition("[")[2].rstrip("]").split(","):
                    yield from brought(other)
            else:
                yield name.replace("-", "_")

    along = {"jinja2": {"markupsafe"}, "fastapi": {"starlette"}}
    for extra, libraries in LIBRARIES.items():
        names = set(brought(extra))
        assert libraries == names.union(*(along.get(name, ()) for name in names)), extra
    assert {command.extra for command in COMMANDS.values()} <= {"", *LIBRARIES}


@pytest.mark.long
@pytest.mark.parametrize("extra", ROLES, ids=lambda extra: extra or "base")
def test_each_role_runs_its_commands(environment, folder, extra):
    sordino = environment(extra) / "bin" / "sordino"
    for line in ROLES[extra]:
        ended = ended_with([sordino, *line.split()], folder)
        assert (ended.returncode, ended.stderr) == (0, ""), line
    assert extra != "plan" or (folder / "own.json").stat().st_size > 1000
    assert extra != "spss" or (folder / "shares.sav").stat().st_size > 500


@pytest.mark.long
@in_one("name", [name for name, command in COMMANDS.items() if command.extra])
def test_a_device_is_told_which_extra_a_command_needs(environment, folder, name):
    words = {
        "aggregate": "plan.json reports.csv",
        "change": "plan.json a.csv plan.json b.csv",
        "collector": "token list reports.sqlite",
        "compare": "plan.json plan.json",
        "demo": "",
        "dependence": "people.csv --survey survey.toml -o bounds.toml",
        "estimate": "plan.json reports.csv",
        "import": "form.xlsx -o new.toml",
        "new": "--from people.csv --yes -o first.toml",
        "odds": "1",
        "plan": "survey.toml --people 1000 -o new.json",
        "privatize": "plan.json people.csv -o reports.csv",
        "reproduce": "context-aware table1",
        "serve": "plan.json --store reports.sqlite --port 0",
    }
    ended = ended_with([environment("") / "bin" / "sordino", name, *words[name].split()], folder)
    extra = COMMANDS[name].extra
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (5, "", 1)
    assert ended.stderr.startswith(f"sordino: this needs the extra '{extra}'; found no ")
    assert ended.stderr.endswith(f": pip install 'sordino[{extra}]'.\n")


@pytest.mark.long
def test_the_library_of_a_device_says_which_extra_a_verb_needs(environment, folder):
    program = (
        "import sordino\nfrom sordino import LDP, RandomizedResponse, certify, estimate, plan, privatize, report\n"
        "mechanism = RandomizedResponse(4, '1')\nassert certify(mechanism, LDP('1')).holds\n"
        "print(len(privatize(mechanism, [0, 1, 2, 3])), report('plan.json', 'record.toml').document['format'])\n"
        "for call in (lambda: plan('survey.toml', people=1000), lambda: privatize('plan.json', 'people.csv')):\n"
        "    try:\n        call()\n    except sordino.SordinoError as error:\n        print(error.step)\n"
        "print(sordino.__version__)"
    )
    assert done([environment("") / "bin" / "python", "-c", program], folder).splitlines() == [
        "4 sordino report",
        "pip install 'sordino[plan]'",
        "pip install 'sordino[tables]'",
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
    ]


@pytest.mark.long
def test_a_device_installs_little(environment):
    (packages,) = environment("").glob("lib/python*/site-packages")
    size = sum(path.stat().st_size for path in packages.rglob("*") if path.suffix != ".pyc" and path.is_file())
    assert size <= MOST_MEGABYTES << 20


@pytest.mark.long
def test_a_collector_is_served_and_answered(environment, folder):
    sordino = environment("server") / "bin" / "sordino"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    serve = [sordino, "serve", "plan.json", "--store", "reports.sqlite", "--port", "0"]
    with started(list(map(str, serve)), cwd=folder, env=clean) as process:
        address = next(line for line in process.stdout if line.startswith("http://")).strip()
        device = environment("") / "bin" / "sordino"
        answer = json.loads(
            done([device, "answer", address, "record.toml", "--store", "me.answers", "--yes", "--json"], folder)
        )
        process.terminate()
        assert "all that was acknowledged is in the store" in process.communicate(timeout=PATIENCE)[0]
    assert answer
