"""How the time of each command grows with what is asked: from file to file, as its user waits for it."""

import io
import json
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pairs import ROOT, rounded

sys.path.insert(0, str(ROOT / "tests"))
from kinds_of_survey import KINDS, Asked

TITLE = "Growing, command by command"
NOTE = (
    "Processor seconds of a command from file to file, without the start of its process (about one second more), after "
    "a first run of the smallest size that is not measured: 20,000 people, epsilon 1 (4 of regressions), few of the "
    "values frequent. `size` is the number of values, or of numbers, bins or attributes. `>`: stopped there; `-`: "
    "refused. What a layer alone takes stands under the next heading. `SIZES=20,500` takes other sizes, `KIND=line` "
    "the kinds with that in their name."
)
COMMANDS = (
    "plan",
    "privatize",
    "aggregate",
    "estimate",
    "estimate --html",
    "estimate --simultaneous",
    "estimate --method smoothed",
    "certify",
    "explain",
    "report",
    "change",
    "dependence",
)
HEADER = ("what is asked", "size", *COMMANDS)

SIZES = tuple(map(int, os.environ.get("SIZES", "2,5,12,20,30,80,200,500,1300,3500").split(",")))
PEOPLE = 20_000
LIMIT = 60
"""Processor seconds after which a command is stopped."""


def rows() -> Iterator[tuple[str, ...]]:
    wanted = os.environ.get("KIND")
    with tempfile.TemporaryDirectory() as name:
        for number, (kind, asked) in enumerate(KINDS.items()):
            if wanted is not None and wanted not in kind:
                continue
            sizes = [size for size in SIZES if asked.least <= size <= asked.most]
            measured(asked, sizes[0], Path(name) / f"{number} first")
            for size in sizes:
                found = measured(asked, size, Path(name) / f"{number} {size}")
                yield kind, f"{size:,}", *(found.get(command, "-") for command in COMMANDS)


def measured(asked: Asked, size: int, folder: Path) -> dict[str, str]:
    """What each command takes, on the files that those before it wrote."""
    folder.mkdir()
    survey, people = asked.survey(size), asked.people(size, PEOPLE, np.random.default_rng(size))
    (folder / "survey.json").write_text(json.dumps(survey), encoding="utf-8")
    pq.write_table(pa.table(people), folder / "people.parquet")
    (folder / "record.toml").write_text(
        "version = 1\n[record]\n" + "".join(f"{name} = {column[0]}\n" for name, column in people.items()),
        encoding="utf-8",
    )
    at = {path: str(folder / path) for path in ("people.parquet", "record.toml", "a.json", "b.json", "plan.json")}
    toml = folder / "survey.toml"
    toml.write_text(asked.toml(survey), encoding="utf-8")
    tallied = [at["plan.json"], at["a.json"]]
    steps: dict[str, list[str]] = {
        "plan": ["plan", str(toml), "--people", str(PEOPLE), "-o", at["plan.json"]],
        "privatize": ["privatize", at["plan.json"], at["people.parquet"], "-o", str(folder / "reports.parquet")],
        "aggregate": ["aggregate", at["plan.json"], str(folder / "reports.parquet"), "-o", at["a.json"]],
        "estimate": ["estimate", *tallied, "-o", str(folder / "out.csv")],
        "estimate --html": ["estimate", *tallied, "--html", str(folder / "out.html")],
        "estimate --simultaneous": ["estimate", *tallied, "--simultaneous"],
        "estimate --method smoothed": ["estimate", *tallied, "--method", "smoothed"],
        "certify": ["certify", at["plan.json"]],
        "explain": ["explain", at["plan.json"], "--all"],
        "report": ["report", at["plan.json"], at["record.toml"]],
        "change": ["change", *tallied, *tallied],
        "dependence": ["dependence", at["people.parquet"], "--survey", str(toml)],
    }
    return {command: spent(arguments) for command, arguments in steps.items()}


def spent(arguments: list[str]) -> str:
    """Processor seconds of one command in this process."""
    from sordino.cli.main import cli
    from sordino.cli.output import Output
    from sordino.errors import SordinoError

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    start = process_time()
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            cli.main(arguments, standalone_mode=False, obj=Output(as_json=False))
    except TimeoutError:
        return f"> {LIMIT}"
    except SordinoError as refusal:
        if os.environ.get("REFUSALS"):
            print(arguments[0], refusal, file=sys.stderr)
        return "-"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return rounded(process_time() - start)
