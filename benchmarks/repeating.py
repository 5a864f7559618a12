"""Surveys of hundreds of questions that are alike but for their names: what each further one takes."""

import time
from collections.abc import Callable, Iterator
from math import log2
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from sordino import Plan, Survey, estimate
from sordino.verbs.make_plan import make_plan
from sordino.words.explain_certificate import plan_certificates
from sordino.words.explain_plan import explanation

TITLE = "Many questions that are alike"
NOTE = (
    "A survey asks of eight kinds of attributes in turn, as forms do: two, three and four categories, one of three "
    "that is not asked of all, several of six, two numbers, one of which may be missing, and a distribution. Whatever "
    "is alike in its integers and its promise is designed, certified and forecast once. Processor time of 800 "
    "questions over that of 400, its exponent, and of 400 over that of the eight kinds once each: 50 if nothing were "
    "shared. Plan: from the survey's tables to its forecasts; explain and certify: from the plan's text; estimate: to "
    "the page."
)
HEADER = ("work", "800 / 400", "exponent", "asked", "400 / 8")
ROUNDS = 3
PEOPLE = 100
"""A question."""

KINDS = (
    ({"categories": ["yes", "no"]}, "histogram"),
    ({"categories": ["yes", "no", "does not know"]}, "histogram"),
    ({"categories": ["a", "b", "c", "d"]}, "histogram"),
    ({"categories": ["a", "b", "c"], "only_if": {"q0000": "yes"}}, "histogram"),
    ({"categories": ["a", "b", "c", "d", "e", "f"], "several": 3}, "several"),
    ({"number": {"low": 0, "high": 100}}, "mean"),
    ({"number": {"low": 0, "high": 100}, "missing": 0.1}, "mean"),
    ({"number": {"low": 0, "high": 100}}, "distribution"),
)


def survey(count: int) -> Survey:
    names = [f"q{place:04}" for place in range(count)]
    kinds = dict(zip(names, (KINDS[place % len(KINDS)] for place in range(count)), strict=True))
    asks = [{word: [name] if word == "mean" else name} for name, (_, word) in kinds.items()]
    attributes = {name: attribute for name, (attribute, _) in kinds.items()}
    return Survey.read({"version": 1, "epsilon": "1", "attribute": attributes, "ask": asks})


def works(count: int, folder: Path) -> dict[str, Callable[[], object]]:
    asked = survey(count)
    plan = Plan.of(asked, PEOPLE * count)
    text = plan.bytes.decode()
    rng, sampled = np.random.default_rng(0), plan.sampled
    tally = sampled.tally(rng.integers(0, sampled.outputs, PEOPLE * count, dtype=np.uint64))

    def make() -> None:
        for one in make_plan(survey(count), PEOPLE * count).forecasts:
            one.tables()

    return {
        "plan": make,
        "explain": lambda: explanation(Plan.of_text(text, "the plan")),
        "certify": lambda: plan_certificates(Plan.of_text(text, "the plan")),
        "estimate": lambda: estimate(Plan.of_text(text, "the plan"), tally).page(folder / "page.html", overwrite=True),
    }


def rows() -> Iterator[tuple[str, ...]]:
    with TemporaryDirectory() as folder:
        sizes = {count: works(count, Path(folder)) for count in (len(KINDS), 400, 800)}
        for name in sizes[400]:
            few, some, many = zip(*(round_of(sizes, name) for _ in range(ROUNDS)), strict=True)
            growth = median(b / a for a, b in zip(some, many, strict=True))
            shared = median(b / a for a, b in zip(few, some, strict=True))
            yield name, f"{growth:.2f}", f"{log2(growth):.2f}", "at most 1.1", f"{shared:.1f}"


def round_of(sizes: dict[int, dict[str, Callable[[], object]]], name: str) -> list[float]:
    """Seconds of each size, one after the other."""
    return [seconds(work[name]) for work in sizes.values()]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
