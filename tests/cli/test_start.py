"""The first moments of a process: Ctrl-C while libraries load, too little memory, libraries that are not there."""

import ast
import random
import resource
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import sordino
from commands import PATIENCE, started
from sordino.process import STOPS, put_back
from waits import stop, wait_for

SLOW = "import pathlib, time\npathlib.Path('loading').touch()\ntime.sleep(600)\n"
MEBIBYTE = 1 << 20


def test_the_installed_command_is_what_the_tests_start(program):
    (command,) = entry_points(group="console_scripts", name="sordino")
    module, name = command.value.split(":")
    assert f"from {module} import {name}; {name}()" == program[-1]


def test_python_runs_the_command_as_a_module():
    module = [sys.executable, "-m", "sordino"]
    shown = subprocess.run([*module, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert shown.stdout == f"python -m sordino, version {version('sordino')}\n"
    unknown = subprocess.run([*module, "nothing"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (unknown.returncode, "No such command 'nothing'" in unknown.stderr) == (2, True)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("library", "number"), [("numpy", signal.SIGTERM), ("matplotlib", signal.SIGINT), ("duckdb", signal.SIGHUP)]
)
def test_stopped_while_libraries_load(released, program, monkeypatch, library, number):
    (released / "slow").mkdir()
    (released / "slow" / f"{library}.py").write_text(SLOW)
    before = sorted(path.name for path in released.iterdir())
    source = str(Path(sordino.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", f"{released / 'slow'}:{source}")
    command = [*program, "estimate", "plan.json", "reports.csv", "--html", "page.html"]
    with started(command) as process:
        wait_for((released / "loading").exists, "libraries load", process=process)
        output, errors = stop(process, number)
    assert (process.returncode, output) == (130, "")
    assert errors.strip() == "sordino: stopped; nothing half-written was left"
    (released / "loading").unlink()
    assert sorted(path.name for path in released.iterdir()) == before


@pytest.mark.long
@pytest.mark.parametrize("number", STOPS, ids=["interrupted", "terminated", "hung up"])
def test_stopped_at_any_moment(folder, program, number):
    """Whole or nothing, 130 or done; before Sordino's first line Python itself dies of the signal."""
    draw = random.Random(number)
    for i in range(25):
        before = sorted(path.name for path in folder.iterdir())
        plan = folder / f"plan{i}.json"
        command = [*program, "plan", "survey.toml", "--people", "1000", "-o", plan]
        with started(command) as process:
            time.sleep(draw.uniform(0.0, 2.0))
            _, errors = stop(process, number)
        after = sorted(path.name for path in folder.iterdir())
        if process.returncode == 0:
            assert after == sorted([*before, plan.name])
        else:
            assert after == sorted([*before, plan.name] if plan.exists() else before)
            python_alone = process.returncode in (-number, 1) and "in main" not in errors
            assert process.returncode == 130 or python_alone, errors
            assert ("Traceback" in errors) <= python_alone


def test_a_library_that_is_not_there(released, program, monkeypatch):
    (released / "broken").mkdir()
    (released / "broken" / "duckdb.py").write_text("raise ImportError('libduckdb.so: no such file')\n")
    source = str(Path(sordino.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", f"{released / 'broken'}:{source}")
    done = subprocess.run(
        [*program, "estimate", "plan.json", "reports.csv"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.count("\n") == 1
    assert "libduckdb.so" in done.stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="limits of address space are not kept there")
@pytest.mark.parametrize("mebibytes", [250, 600])
def test_too_little_memory_is_said_at_once(released, program, mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MEBIBYTE,) * 2)

    done = subprocess.run(
        [*program, "explain", "plan.json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        preexec_fn=limit,
    )
    assert (done.returncode, done.stdout) == (5, "")
    assert f"found {mebibytes} MiB" in done.stderr
    assert "Traceback" not in done.stderr


def test_memory_that_runs_out_is_one_message(run, monkeypatch, capsys):
    from sordino.cli import main, start

    def exhausted():
        raise MemoryError

    monkeypatch.setattr(main, "main", exhausted)
    with put_back(), pytest.raises(SystemExit) as end:
        start.main()
    assert end.value.code == 5
    assert "must be memory" in capsys.readouterr().err


ENDING = """
import atexit, sys
from sordino.cli import main, start
class Held:
    def __del__(self):
        print("taken apart")
held = Held()
def command():
    atexit.register(print, "what was asked for the end")
    sys.exit(3)
main.main = command
start.main()
"""


def test_what_was_asked_for_the_end_is_done_and_nothing_taken_apart():
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (3, "what was asked for the end\n", "")


def test_nothing_large_loads_before_signals_are_heard():
    code = "import sys, sordino.cli.start; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "scipy", "click", "duckdb", "pyarrow", "pydantic", "cryptography"}


LIBRARIES = {
    "click", "cryptography", "duckdb", "jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "pydantic", "rich",
    "scipy",
}  # fmt: skip

LOADS = """
import contextlib, io, sys, sordino
libraries = {*sys.argv[1].split()}
def tell(what):
    print(what, *sorted(libraries & {name.split(".")[0] for name in sys.modules}), file=sys.stderr)
def run(*words):
    sys.argv = ["sordino", *words]
    with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        main()
    tell(words[0])
tell("sordino")
dir(sordino)
tell("names")
from sordino.cli.main import main
run("--help")
run("--version")
run("ledger", "--help")
run("explain", "plan.json")
run("certify", "plan.json")
run("plan", "survey.toml", "--people", "1000", "-o", "again.json", "--json")
run("report", "plan.json", "me.toml")
run("answer", "--yes", "https://127.0.0.1:1/plans/sha256:" + "0" * 64, "me.toml", "--store", "answers.sqlite")
run("privatize", "plan.json", "people.csv", "-o", "new.csv")
run("aggregate", "plan.json", "new.csv", "-o", "tally.json")
run("estimate", "plan.json", "tally.json", "--json")
run("estimate", "plan.json", "tally.json", "--html", "page.html")
"""
"""Commands one after another in one process: each may have loaded what it needs, and what those before it need."""


@pytest.mark.parametrize("last", ["aggregate", pytest.param("estimate", marks=pytest.mark.long)])
def test_only_what_is_needed_is_loaded(released, last):
    (released / "me.toml").write_text('version = 1\n[record]\ncolour = "red"\n')
    program = "".join(line for line in LOADS.splitlines(keepends=True) if last == "estimate" or "estimate" not in line)
    done = subprocess.run(
        [sys.executable, "-c", program, " ".join(LIBRARIES)],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    loaded = [(what, set(rest)) for what, *rest in map(str.split, done.stderr.splitlines())]
    plans = {"click", "cryptography", "numpy"}
    tables = plans | {"duckdb", "pyarrow"}
    expected = [
        ("sordino", set()),
        ("names", set()),
        ("--help", {"click"}),
        ("--version", {"click"}),
        ("ledger", plans),
        ("explain", plans),
        ("certify", plans),
        ("plan", plans),
        ("report", plans),
        ("answer", plans),
        ("privatize", tables),
        ("aggregate", tables),
        ("estimate", tables | {"scipy"}),
        ("estimate", LIBRARIES - {"pandas", "pydantic"}),
    ]
    assert loaded == [(what, libraries) for what, libraries in expected if last == "estimate" or what != "estimate"]


PRIVATIZES = {
    "audit",
    "blocks",
    "cli",
    "definition",
    "document",
    "domain",
    "evidence",
    "exact",
    "mechanism",
    "query",
    "survey",
}
READS = {"tables", "verbs"}

ONE_ROW = """
import sys
from sordino.cli.start import main
sys.argv = ["sordino", *sys.argv[1:]]
try:
    main()
finally:
    print("loaded", *sys.modules)
"""


@pytest.mark.parametrize(
    ("words", "rooms"),
    [
        ("privatize plan.json people.csv -o new.csv", PRIVATIZES | READS),
        ("privatize plan.json people.csv -o new.parquet", PRIVATIZES | READS),
        ("estimate plan.json reports.csv --json", PRIVATIZES | READS | {"estimation", "words", "show", "views"}),
    ],
)
def test_only_the_rooms_that_are_needed_are_loaded(released, words, rooms):
    """Nothing that plans, draws or accounts, and no pandas, which pyarrow loads where arrays go its own way."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_ROW, *words.split()], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert "show" in rooms or not {"sordino.blocks.block", "sordino.blocks.charts"} & set(loaded)
    own = {name.split(".")[1] for name in loaded if name.startswith("sordino.")}
    assert own - {"distinct", "errors", "extras", "homes", "printable", "process"} == rooms
    assert not {"pandas", "pyarrow.compute", "pyarrow.parquet", "sordino.survey.planning.plan_design"} & set(loaded)


def test_public_names_are_those_that_type_checkers_see():
    stub = ast.parse(Path(sordino.__file__).with_suffix(".pyi").read_text())
    imported = {
        alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    [listed] = [ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign)]
    assert sorted(listed) == sorted(imported) == sordino.__all__
    for name, module in imported.items():
        assert getattr(sordino, name) is getattr(sys.modules[module], name)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = sordino.no_such_name
