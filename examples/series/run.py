"""A year of a simulated city, from a survey with a series to a page with a curve for each answer.

python examples/series/run.py

Bicycles come and go with the season; in June a bus line opens, and part of those who drove take it. One week has no
reports, as if the collector had been down. Every person answers in one week, which is drawn without looking at what
they do. Prints each command and what it says, and how far the curves are from the truth.
"""

import argparse
import csv
import json
import shlex
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
COMMAND = (sys.executable, "-c", "from sordino.cli.start import main; main()")
MARKER = "made-by-example-series.txt"
WAYS = ("bicycle", "bus", "car", "on foot")
WEEKS, OPENS, DOWN = 52, 22, 34
START = date(2026, 1, 5)


def main() -> None:
    """Simulate, run the commands, compare."""
    parser = argparse.ArgumentParser(description="A year of a simulated city, by the commands that a user would give.")
    parser.add_argument("--people", type=int, default=100_000, help="how many answer")
    parser.add_argument("--folder", type=Path, default=Path("sordino-series"), help="for all files; made anew")
    parser.add_argument("--seed", type=int, default=1, help="of the people")
    given = parser.parse_args()
    folder = given.folder
    if folder.exists() and not (folder / MARKER).is_file() and any(folder.iterdir()):
        sys.exit(f"{folder} must be new, empty, or of an earlier run; name another: --folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARKER).write_text("This folder is made anew by examples/series/run.py.\n", encoding="utf-8")
    shutil.copy(HERE / "survey.toml", folder)
    shares = weekly_shares()
    write_people(folder / "people.csv", shares, given.people, given.seed)

    run(folder, "plan", "survey.toml", "--people", str(given.people), "-o", "plan.json")
    run(folder, "privatize", "plan.json", "people.csv", "-o", "reports.parquet")
    run(folder, "aggregate", "plan.json", "reports.parquet", "-o", "tally.json")
    run(folder, "estimate", "plan.json", "tally.json", "--html", "page.html")

    words = [*COMMAND, "estimate", "plan.json", "tally.json", "--json"]
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True, encoding="utf-8")
    print_errors(json.loads(done.stdout)["series"], shares)
    print(f"\n{folder / 'page.html'}: each week's estimates, and a curve with its band for each answer")


def weekly_shares() -> NDArray[np.float64]:
    """Of each week what part of the city goes how, shape (52, 4)."""
    week = np.arange(WEEKS)
    bicycle = 0.18 - 0.09 * np.cos(2 * np.pi * (week - 3) / WEEKS)
    bus = np.where(week < OPENS, 0.22, 0.31)
    on_foot = np.full(WEEKS, 0.12)
    return np.stack([bicycle, bus, 1 - bicycle - bus - on_foot, on_foot], axis=1)


def write_people(path: Path, shares: NDArray[np.float64], people: int, seed: int) -> None:
    """A table of people, each with the first day of the week of their turn, and how they go in that week."""
    draw = np.random.default_rng(seed)
    week = draw.integers(0, WEEKS, people)
    way = (draw.random(people)[:, None] > np.cumsum(shares, axis=1)[week, :-1]).sum(axis=1)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["period", "way"])
        rows.writerows(
            [START + timedelta(weeks=own), WAYS[at]]
            for own, at in zip(week.tolist(), way.tolist(), strict=True)
            if own != DOWN
        )


def run(folder: Path, *words: str) -> None:
    """A command as a user would give it, and what it prints."""
    print(f"\n$ sordino {shlex.join(words)}", flush=True)
    subprocess.run([*COMMAND, *words], cwd=folder, check=True)


def print_errors(found: dict[str, list[dict[str, object]]], shares: NDArray[np.float64]) -> None:
    """How far weekly estimates and curves are from the truth, and how often intervals and bands hold it."""
    labels = {one["period"]: place for place, one in enumerate(found["periods"])}
    print("\nAgainst the truth: root mean squared error, and how often the 95 % interval holds it")
    for name, kind in (("rows", "each week by itself"), ("smoothed", "smoothed")):
        rows = [row for row in found[name] if row["kind"] in ("share", "smoothed")]
        truth = np.array([shares[labels[row["period"]], WAYS.index(str(row["value"]))] for row in rows])
        estimate, low, high = (np.array([row[one] for row in rows]) for one in ("estimate", "low", "high"))
        error = float(np.sqrt(np.mean((estimate - truth) ** 2)))
        print(f"{kind:>20}: {error:.4f}, {np.mean((low <= truth) & (truth <= high)):.1%}")


if __name__ == "__main__":
    main()
