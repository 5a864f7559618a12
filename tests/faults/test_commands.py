"""Commands of each kind that are interrupted, ended or killed at any moment: whole or nothing, and nobody waits."""

import importlib.util
import json
import shutil
import signal
import time
from contextlib import suppress
from itertools import cycle

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

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
COMMANDS = {
    "plan": "plan survey.toml --people 1000 -o OUT.json",
    "certify": "certify plan.json",
    "explain": "explain plan.json",
    "privatize, CSV": "privatize plan.json people.csv -o OUT.csv",
    "privatize, packed CSV": "privatize plan.json people.csv -o OUT.csv.gz",
    "privatize, Parquet": "privatize plan.json people.parquet -o OUT.parquet",
    "privatize, a key": "privatize plan.json people.parquet -o OUT.parquet --key OUT.key --id id",
    "privatize, two jobs": "privatize plan.json people.parquet -o OUT.csv --jobs 2",
    "privatize, Spark": "privatize plan.json people.parquet -o OUT --engine spark --key OUT.key --id id",
    "aggregate": "aggregate plan.json reports.parquet -o OUT.json",
    "estimate": "estimate plan.json reports.parquet --html OUT.html",
}
if importlib.util.find_spec("pyspark") is None or not shutil.which("java"):
    del COMMANDS["privatize, Spark"]


def rows_of(path):
    if path.is_dir():
        return sum(pq.read_metadata(part).num_rows for part in path.glob("part-*"))
    if path.suffix == ".parquet":
        return pq.read_metadata(path).num_rows
    return pa.csv.read_csv(path).num_rows


def is_whole(path):
    """Whether a file is one that a command which ended well would have left."""
    if path.suffix == ".json":
        return bool(json.loads(path.read_text()))
    if path.suffix == ".html":
        return path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    return path.suffix == ".key" or rows_of(path) == ROWS


def gone(process):
    with suppress(psutil.NoSuchProcess):
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory, begin, finish):
    """People, their plan and their reports."""
    root = tmp_path_factory.mktemp("faults")
    (root / "survey.toml").write_text(SURVEY)
    numbers = np.arange(ROWS)
    people = pa.table({"page": numbers % 300, "age": numbers % 120 + 0.5, "id": numbers})
    pq.write_table(people, root / "people.parquet", row_group_size=1 << 17)
    pa.csv.write_csv(people, root / "people.csv")
    for words in (COMMANDS["plan"], COMMANDS["privatize, Parquet"]):
        out = words.replace("OUT.json", "plan.json").replace("OUT.parquet", "reports.parquet")
        process = begin(*out.split(), cwd=root)
        finish(process)
        assert process.returncode == 0
    return root


@pytest.fixture(scope="module")
def durations():
    """Seconds that each kind took the first time, undisturbed."""
    return {}


def undisturbed(folder, begin, finish, words):
    begun = time.monotonic()
    process = begin(*words.replace("OUT", "first").split(), cwd=folder)
    _, errors = finish(process, late=600)
    assert process.returncode == 0, errors
    return time.monotonic() - begun


def test_a_command_that_is_stopped_leaves_what_is_whole_or_nothing(folder, durations, tries, dice, begin, finish):
    kinds = cycle(COMMANDS)
    for draw in dice(0.35):
        kind = next(kinds)
        if kind not in durations:
            durations[kind] = undisturbed(folder, begin, finish, COMMANDS[kind])
        number = draw.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
        wait = draw.uniform(0, 1.1) * durations[kind]
        with tries(f"{number.name} to {kind}").one(f"after {wait:.2f} seconds"):
            attempt(folder, begin(*COMMANDS[kind].replace("OUT", "new").split(), cwd=folder), number, wait, finish)
        for left in [*folder.glob("new*"), *folder.glob(".new*"), *folder.glob("first*")]:
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def attempt(folder, process, number, wait, finish):
    """One signal; what must hold after it."""
    time.sleep(wait)
    children = []
    with suppress(psutil.NoSuchProcess):
        children = psutil.Process(process.pid).children(recursive=True)
    _, errors = finish(process, number)
    # Before Sordino's first line Python itself ends.
    python_alone = process.returncode in (-number, 1) and "in main" not in errors
    assert process.returncode in (0, 130) or python_alone, f"exit code {process.returncode}: {errors}"
    assert "Traceback" not in errors or python_alone, errors
    for path in folder.glob("new*"):
        assert is_whole(path), f"{path.name} is half a file"
    hidden = [path.name for path in folder.glob(".new*")]
    assert not hidden or number == signal.SIGKILL, f"left: {hidden}"
    wait_for(lambda: all(map(gone, children)), f"the end of {children}")
