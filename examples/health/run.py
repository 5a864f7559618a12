"""The whole path of a survey whose attributes are not equally sensitive, on real health data, by its commands.

Run by `make example-health`. Prints each command and what it says; then the private estimates beside the same numbers
without privacy, what protecting every attribute as much as the most sensitive one would have cost, and what bounds on
dependence buy. README.md beside this file says what to look at.
"""

import argparse
import csv
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from people import CATEGORIES, NUMBERS, write_tables

HERE = Path(__file__).parent
SORDINO = Path(sys.executable).with_name("sordino")
MARKER = "made-by-example-health.txt"
DECLARED = "rest = 0.2"

Columns = dict[str, NDArray[Any]]


def main() -> None:
    """Make the tables, run the commands, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=500_000, help="how many are drawn, and answer")
    parser.add_argument("--folder", type=Path, default=Path("sordino-health"), help="for all files; made anew")
    parser.add_argument("--seed", type=int, default=1, help="of the halves and of the draw")
    given = parser.parse_args()
    folder, people = given.folder, given.people
    start_anew(folder)
    public, others = write_tables(folder / "sample.csv", folder / "people.csv", people, given.seed)
    print(
        f"{public:,} adults of NHANES 2017-2018 are the public sample. {people:,} people are drawn, with replacement,"
    )
    print(f"from the {others:,} others: a simulated crowd, as if these were the population.")

    where = ["--population", "adults examined in NHANES 2017-2018", "--date", "2018-12-31"]
    run(folder, "dependence", "sample.csv", "--survey", "survey.toml", *where, "-o", "dependence.json")
    plan = ["plan", "survey.toml", "--people", str(people), "--expect", "sample.csv", "-o", "plan.json"]
    run(folder, *plan)
    run(folder, "explain", "plan.json")
    run(folder, "certify", "plan.json")
    run(folder, "privatize", "plan.json", "people.csv", "-o", "reports.parquet")
    run(folder, "aggregate", "plan.json", "reports.parquet", "-o", "tally.json")
    estimate = ["estimate", "plan.json", "tally.json"]
    run(folder, *estimate, "--html", "page.html")

    # The same commands again, for programs.
    planned, found = read(folder, *plan), read(folder, *estimate)
    print_estimates(planned["questions"], found, columns(folder))
    print_cost(planned["questions"])
    print_what_bounds_buy(folder, people, planned)
    print(f"\n{folder / 'page.html'}: estimates with their intervals, and what one report can reveal")


def start_anew(folder: Path) -> None:
    """A folder with the survey alone; only an earlier run's may be emptied."""
    if folder.exists() and not (folder / MARKER).is_file() and any(folder.iterdir()):
        sys.exit(f"{folder} must be new, empty, or of an earlier run; name another: --folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARKER).write_text("This folder is made anew by `make example-health`.\n", encoding="utf-8")
    shutil.copy(HERE / "survey.toml", folder)


def run(folder: Path, *words: str) -> None:
    """A command as a user would give it, and what it prints."""
    print(f"\n$ sordino {shlex.join(words)}", flush=True)
    subprocess.run([SORDINO, *words], cwd=folder, check=True)


def read(folder: Path, *words: str) -> dict[str, Any]:
    """What a command says to programs."""
    done = subprocess.run([SORDINO, *words, "--json"], cwd=folder, check=True, capture_output=True, encoding="utf-8")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def columns(folder: Path) -> Columns:
    """The people's answers; numbers beyond the survey's ends count as the ends, as in their reports."""
    survey = tomllib.loads((folder / "survey.toml").read_text(encoding="utf-8"))["attribute"]
    with (folder / "people.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    made: Columns = {name: np.array([row[name] for row in rows]) for name in CATEGORIES}
    for name in NUMBERS:
        ends = survey[name]["number"]
        made[name] = np.clip([float(row[name]) for row in rows], ends["low"], ends["high"])
    return made


def without_privacy(question: dict[str, Any], people: Columns, values: list[str]) -> list[float]:
    """What a question would be answered by somebody who sees all answers."""
    if "asked" not in question:
        return [float((people[question["attribute"]] == value).mean()) for value in values]
    numbers = [people[name] for name in question["attributes"]]
    if question["asked"] == "mean":
        return [float(column.mean()) for column in numbers]
    *features, target = numbers
    table = np.column_stack([np.ones(len(target)), *features])
    return [float(number) for number in np.linalg.lstsq(table, target)[0]]


def print_estimates(questions: list[dict[str, Any]], found: dict[str, Any], people: Columns) -> None:
    """Each estimate beside the number without privacy, and whether its interval holds it."""
    line = "{:14}{:>18}{:>12}{:>12}{:>12}{:>24}  {}"
    within = 0
    for planned, told in zip(questions, found["questions"], strict=True):
        print(f"\n{planned['attribute']}")
        question = planned
        if "untold" in told:
            print(told["untold"])
            # Its reports do tell the mean of each attribute, of which the plan has no forecast.
            question = planned | {"asked": "mean", "attributes": told["instead"], "expected": {}}
        own = [row for row in found["rows"] if row["attribute"] == question["attribute"]]
        print(line.format("", "without privacy", "estimate", "std. error", "forecast", "95 % interval", ""))
        for row, number in zip(own, without_privacy(question, people, [row["value"] for row in own]), strict=True):
            holds = row["low"] <= number <= row["high"]
            within += holds
            interval = f"{row['low']:.4g} to {row['high']:.4g}"
            expected = question["expected"].get("stderr") or question["expected"].get(row["value"])
            forecast = "none" if expected is None else f"{expected:.2g}"
            texts = (f"{number:.4g}", f"{row['estimate']:.4g}", f"{row['stderr']:.2g}", forecast, interval)
            print(line.format(row["value"], *texts, "within" if holds else "NOT WITHIN"))
    print(
        f"\n{within} of {len(found['rows'])} intervals hold the number without privacy; each by itself does in about 95"
    )
    print("of 100 runs.")


def print_cost(questions: list[dict[str, Any]]) -> None:
    """How many times as many people uniform protection would need for the same expected errors."""
    line = "{:50}{:>12}{:>14}{:>16}"
    print("\nIf every attribute had to be protected as much as the most sensitive one (uniform LDP):")
    print(line.format("expected standard error", "this plan", "uniform LDP", "people needed"))
    for question in questions:
        for name, (error, uniform) in errors(question).items():
            label = f"{question.get('asked', 'share of')} {name}"
            print(line.format(label, f"{error:.2g}", f"{uniform:.2g}", f"{(uniform / error) ** 2:.1f} times"))


def errors(question: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Expected standard errors of a question, and those of uniform protection."""
    expected, uniform = question["expected"], question["expected_uniform"]
    if "asked" not in question:
        return {question["attribute"]: (expected["stderr"], uniform["stderr"])}
    return {name: (expected[name], uniform[name]) for name in expected}


def print_what_bounds_buy(folder: Path, people: int, planned: dict[str, Any]) -> None:
    """The same survey without bounds on dependence, with those of the sample, and with a declared one."""
    survey = (folder / "survey.toml").read_text(encoding="utf-8")
    start, end = survey.index("[dependence]"), survey.index("[[ask]]")
    variants = {"none": "", "the sample's": survey[start:end], DECLARED: f"[dependence]\n{DECLARED}\n\n"}
    told = {"the sample's": planned}
    for number, (name, table) in enumerate(variants.items()):
        if name not in told:
            (folder / f"variant-{number}.toml").write_text(survey[:start] + table + survey[end:], encoding="utf-8")
            plan = ["plan", f"variant-{number}.toml", "--people", str(people), "--expect", "sample.csv"]
            told[name] = read(folder, *plan, "-o", f"variant-{number}.json")
    line = "{:50}" + "{:>14}" * len(variants)
    print("\nWhat bounds on dependence buy, with the same deltas:")
    print(line.format("expected standard error, by its bounds", *variants))
    for at, question in enumerate(planned["questions"]):
        for name in errors(question):
            found = [errors(told[variant]["questions"][at])[name][0] for variant in variants]
            label = f"{question.get('asked', 'share of')} {name}"
            print(line.format(label, *(f"{error:.2g}" for error in found)))
    reached = (told[variant]["promise"]["record"]["reached"] for variant in variants)
    levels = (f"{ceil(100 * level) / 100:g}" for level in reached)  # at most: rounded up
    print(line.format("loss of the whole report, in nats, at most", *levels))
    print("With the sample's bounds the deltas of waist and blood_pressure are about their bins, with a declared one")
    print(f"about the numbers themselves. {DECLARED} is an example: nothing shows that it is true of these people.")


if __name__ == "__main__":
    main()
