"""Compares the verified checker with the package on plans of random surveys, as they are made and tampered with.

A plan that was tampered with has a right hash. Of what the package accepts the checker must call nothing broken; of
what the package refuses for what it reveals the checker must call something broken, or say that it does not look at it:
at what a `delta` needs beyond epsilon, or at what cannot be listed.

python scripts/compare_plans.py build/proofs/checker [SURVEYS [TAMPERED [FIRST]]]

TAMPERED plans of each survey are tried, 1 by default; FIRST is the number of the first survey, 0 by default.
"""

import json
import random
import sys
import warnings
from collections import Counter
from functools import partial
from multiprocessing import Pool, cpu_count
from pathlib import Path
from tempfile import TemporaryDirectory

from compare_verdicts import NO_PLAN, verdicts
from random_surveys import random_survey
from sordino import Plan, SordinoError, certify, plan
from sordino.errors import RefusedError, SordinoErrors
from tampered_plans import tampered

KINDS = ("histogram", "table", "distribution", "above", "several")
ATTEMPTS = 8
"""At a plan that differs: not every way of tampering fits every plan."""

CONTRADICTIONS = {("holds", "broken"), ("broken", "holds"), ("holds", "not a plan")}
"""What the package and the checker say of one plan and cannot both be right about."""
Judged = tuple[str, bytes, str]
"""How a plan came about, the plan, and what the package says of it."""


def of_all(found: list[str]) -> str:
    """One verdict on a plan: the worst of its questions'."""
    if found[0].startswith(NO_PLAN):
        return "not a plan"
    return next(one for one in ("broken", "not covered", "holds for epsilon", "holds", found[0]) if one in found)


def verdict_of_package(path: Path) -> str:
    """`holds`, `broken` for what it reveals, or `no plan` for anything else."""
    try:
        return "holds" if certify(Plan.load(path)).holds else "broken"
    except RefusedError:
        return "broken"
    except (SordinoError, SordinoErrors):
        return "no plan"


def judged(case: int, each: int) -> list[Judged]:
    """The plan of a survey, and plans that differ from it; none where the survey has no plan."""
    warnings.simplefilter("ignore")
    rng = random.Random(case)  # noqa: S311 - nothing is released
    try:
        content = plan(random_survey(case), people=5_000).bytes
    except (SordinoError, SordinoErrors):
        return []
    found = [("planned", content, "holds")]
    with TemporaryDirectory() as name:
        path = Path(name) / "plan.json"
        for _ in range(ATTEMPTS * each):
            if len(found) <= each and (other := tampered(content, rng)) is not None:
                path.write_bytes(other[1])
                found.append((*other, verdict_of_package(path)))
    return found


def compared(case: int, checker: Path, each: int) -> tuple[Counter[str], list[str]]:
    """How many verdicts there are on the plan of a survey and on those that differ from it, and contradictions."""
    counts, contradictions, plans = Counter[str](), list[str](), judged(case, each)
    if not plans:
        counts["no plan of a survey"] += 1
    with TemporaryDirectory() as name:
        path = Path(name) / "plan.json"
        for way, content, package in plans:
            path.write_bytes(content)
            found = verdicts(checker, path)
            verdict = of_all(found)
            if (package, verdict) in CONTRADICTIONS or verdict.startswith("fails"):
                contradictions.append(f"survey {case}, {way}: package {package}, checker {verdict}: {content!r}")
            if way != "planned":
                counts[f"{way}; package: {package}, checker: {verdict}"] += 1
                continue
            for question, own in zip(json.loads(content)["queries"], found, strict=True):
                kind = question.get("asked") or next(word for word in KINDS if word in question)
                counts[f"planned {kind}: {own}"] += 1
    return counts, contradictions


def main() -> None:
    """Print how many verdicts of either agree; fail where they contradict each other."""
    checker = Path(sys.argv[1]).resolve()
    surveys, each, first = [*map(int, sys.argv[2:]), *(40, 1, 0)[len(sys.argv) - 2 :]]
    counts, contradictions = Counter[str](), list[str]()
    with Pool(cpu_count()) as pool:
        cases = range(first, first + surveys)
        for own, wrong in pool.imap_unordered(partial(compared, checker=checker, each=each), cases):
            counts.update(own)
            contradictions += wrong
    print(f"{surveys} random surveys, {each} tampered plans of each:")
    print(*(f"  {what}: {count}" for what, count in sorted(counts.items())), sep="\n")
    if contradictions:
        sys.exit("\n".join(contradictions))


if __name__ == "__main__":
    main()
