"""Commands of each kind that are interrupted, ended or killed at any moment: whole or nothing, and nobody waits."""

import importlib.util
import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from itertools import cycle

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from commands import PROGRAM, run_here
from sordino.process import STOPS
from waits import wait_for

pytestmark = pytest.mark.faults

ROWS = 400_000
SURVEY = """\
version = 1
epsilon = "1"
[attribute.page]
categories = 300
[attribute.age]
number = { low = 0, high = 120 }
[[ask]]
histogram = "page"
[[ask]]
mean = "age"
"""
TERMS = """\
version = 1
epsilon = "1"
[attribute.sleep]
number = { low = 0, high = 12 }
[attribute.age]
number = { low = 0, high = 120 }
"""
QUERY = """\
version = 1
id = "age-1"
collector = "An institute"
epsilon = "0.4"
linear = { theta = { age = 1 }, low = 0, high = 120 }
"""
ASK = "ask new.ledger query.toml --record person.toml"
COMMANDS = {
    "plan": "plan survey.toml --people 1000 -o OUT.json",
    "certify": "certify plan.json",
    "explain": "explain plan.json",
    "report": "report plan.json record.toml -o OUT.jsonl",
    "privatize, CSV": "privatize plan.json people.csv -o OUT.csv",
    "privatize, packed CSV": "privatize plan.json people.csv -o OUT.csv.gz",
    "privatize, Parquet": "privatize plan.json people.parquet -o OUT.parquet",
    "privatize, a key": "privatize plan.json people.parquet -o OUT.parquet --key OUT.key --id id",
    "privatize, two jobs": "privatize plan.json people.parquet -o OUT.csv --jobs 2",
    "privatize, Spark": "privatize plan.json people.parquet -o OUT --engine spark --key OUT.key --id id",
    "aggregate": "aggregate plan.json reports.parquet -o OUT.json",
    "estimate": "estimate plan.json reports.parquet --html OUT.html",
    "estimate, JSON": "estimate plan.json reports.parquet --json",
    "change": "change plan.json reports.parquet plan.json tally.json --html OUT.html",
    "ledger new": "ledger new OUT.ledger terms.toml",
    "ask": f"{ASK} --json",
}
SPARK = os.environ.get("SORDINO_FAULT_SPARK") or (sys.executable if importlib.util.find_spec("pyspark") else None)
"""A Python that has Spark, which no other environment of the Makefile has."""

WITHOUT_SPARK = {
    "no Python with PySpark: make test-spark installs one": SPARK is None,
    "no Java: make test-spark installs it": not shutil.which("java"),
}


def program_of(kind):
    return [SPARK, *PROGRAM[1:]] if kind.endswith("Spark") else PROGRAM


def rows_of(path):
    if path.is_dir():
        return sum(pq.read_metadata(part).num_rows for part in path.glob("part-*"))
    if path.suffix == ".parquet":
        return pq.read_metadata(path).num_rows
    return pa.csv.read_csv(path).num_rows


def is_whole(path):
    """Whether a file is one that a command which ended well would have left."""
    if path.suffix in (".json", ".jsonl"):
        return bool(json.loads(path.read_text()))
    if path.suffix == ".ledger":
        return is_good_ledger(path)
    if path.suffix == ".html":
        return path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    return path.suffix == ".key" or rows_of(path) == ROWS


def is_good_ledger(path):
    """Whether a ledger is whole, and however often it is asked there is one answer."""
    answers = [run_here(*ASK.split(), "--json", folder=path.parent) for _ in range(2)]
    code, output, errors = run_here("ledger", "show", path.name, "--verify", "--json", folder=path.parent)
    assert (code, [answer[0] for answer in answers]) == (0, [0, 0]), (errors, answers)
    shown = json.loads(output)
    assert (shown["damage"], len(shown["entries"])) == ([], 1), output
    assert {json.loads(answer[1])["code"] for answer in answers} == {shown["entries"][0]["code"]}
    return True


def gone(process):
    with suppress(psutil.NoSuchProcess):
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory, begin, finish):
    """People, their plan and their reports."""
    root = tmp_path_factory.mktemp("faults")
    (root / "survey.toml").write_text(SURVEY)
    (root / "record.toml").write_text("version = 1\n[record]\npage = 7\nage = 44\n")
    (root / "person.toml").write_text("version = 1\n[record]\nsleep = 7.5\nage = 44\n")
    (root / "terms.toml").write_text(TERMS)
    (root / "query.toml").write_text(QUERY)
    numbers = np.arange(ROWS)
    people = pa.table({"page": numbers % 300, "age": numbers % 120 + 0.5, "id": numbers})
    pq.write_table(people, root / "people.parquet", row_group_size=1 << 17)
    pa.csv.write_csv(people, root / "people.csv")
    made = {"plan": "plan", "privatize, Parquet": "reports", "aggregate": "tally", "ledger new": "base"}
    for kind, name in made.items():
        process = begin(*COMMANDS[kind].replace("OUT", name).split(), cwd=root)
        _, errors = finish(process)
        assert process.returncode == 0, errors
    return root


@pytest.fixture(scope="module")
def durations():
    """Seconds that each kind took the first time, undisturbed."""
    return {}


def clean(folder, kind):
    """What earlier commands left is taken away; whoever is asked has a ledger."""
    for left in [*folder.glob("new*"), *folder.glob(".new*"), *folder.glob("first*")]:
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    if kind == "ask":
        for path in folder.glob("base.ledger*"):
            shutil.copy(path, folder / path.name.replace("base", "new"))


def undisturbed(folder, begin, finish, kind):
    clean(folder, kind)
    begun = time.monotonic()
    process = begin(*COMMANDS[kind].replace("OUT", "first").split(), program=program_of(kind), cwd=folder)
    _, errors = finish(process, late=600)
    assert process.returncode == 0, errors
    return time.monotonic() - begun


def test_a_command_that_is_stopped_leaves_what_is_whole_or_nothing(
    folder, durations, tries, dice, leave_out, begin, finish
):
    missing = [reason for reason, holds in WITHOUT_SPARK.items() if holds]
    if missing:
        leave_out("privatize, Spark", missing[0])
    wanted = [kind for kind in COMMANDS if not (missing and kind.endswith("Spark"))]
    kinds = cycle(wanted)
    for draw in dice(0.35, len(wanted)):
        kind = next(kinds)
        if kind not in durations:
            durations[kind] = undisturbed(folder, begin, finish, kind)
        clean(folder, kind)
        number = draw.choice([*STOPS, signal.SIGKILL])
        wait = draw.uniform(0, 1.1) * durations[kind]
        with tries(f"{number.name} to {kind}").one(f"after {wait:.2f} seconds"):
            words = COMMANDS[kind].replace("OUT", "new").split()
            attempt(folder, begin(*words, program=program_of(kind), cwd=folder), number, wait, finish)
            if kind == "ask":
                assert (folder / "new.ledger").exists()
        clean(folder, kind)


def attempt(folder, process, number, wait, finish):
    """One signal; what must hold after it."""
    time.sleep(wait)
    children = []
    with suppress(psutil.NoSuchProcess):
        children = psutil.Process(process.pid).children(recursive=True)
    output, errors = finish(process, number)
    # Before Sordino's first line Python itself ends.
    python_alone = process.returncode in (-number, 1) and "in main" not in errors
    assert process.returncode in (0, 130) or python_alone, f"exit code {process.returncode}: {errors}"
    assert "Traceback" not in errors or python_alone, errors
    if "--json" in process.args and process.returncode in (0, 130):
        printed = json.loads(output)
        assert process.returncode == 0 or printed["error"]["code"] == "stopped"
    # What stands beside a ledger is part of it.
    for path in [path for path in folder.glob("new*") if not path.name.startswith("new.ledger-")]:
        assert is_whole(path), f"{path.name} is half a file"
    hidden = [path.name for path in folder.glob(".new*")]
    assert not hidden or number == signal.SIGKILL, f"left: {hidden}"
    wait_for(lambda: all(map(gone, children)), f"the end of {children}")
