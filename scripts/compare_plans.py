"""Compares the verified checker with the package on plans of random surveys, as they are made and tampered with.

A plan that was tampered with has a right hash. Of what the package accepts the checker must call nothing broken; of
what the package refuses for what it reveals the checker must call something broken, or say that it does not look at it:
at what a `delta` needs beyond epsilon, or at what cannot be listed.

python scripts/compare_plans.py build/proofs/checker [SURVEYS [TAMPERED [FIRST]]]

TAMPERED plans of each survey are tried, 1 by default; FIRST is the number of the first survey, 0 by default.
"""

import json
import random
import subprocess
import sys
import warnings
from collections import Counter
from functools import partial
from multiprocessing import Pool, cpu_count
from pathlib import Path
from tempfile import TemporaryDirectory

from random_surveys import random_survey
from sordino import Plan, SordinoError, certify, plan
from sordino.errors import RefusedError, SordinoErrors
from tampered_plans import tampered

KINDS = ("histogram", "table", "distribution", "above", "several")
ATTEMPTS = 8
"""At a plan that differs: not every way of tampering fits every plan."""

CONTRADICTIONS = {("holds", "broken"), ("broken", "holds")}
Counts = tuple[Counter[str], Counter[str], list[str]]


def verdicts(checker: Path, path: Path) -> list[str]:
    """What the checker says of each question; it must say something of any JSON."""
    done = subprocess.run([str(checker), str(path)], check=False, capture_output=True, encoding="ascii")
    if done.returncode:
        return [f"fails: {done.stderr.strip()}"]
    return [line.split(" ", 1)[1] for line in done.stdout.splitlines()]


def of_all(found: list[str]) -> str:
    """One verdict on a plan: the worst of its questions'."""
    return next(one for one in ("broken", "not covered", "holds for epsilon", "holds", found[0]) if one in found)


def verdict_of_package(path: Path) -> str:
    """`holds`, `broken` for what it reveals, or `no plan` for anything else."""
    try:
        return "holds" if certify(Plan.load(path)).holds else "broken"
    except RefusedError:
        return "broken"
    except (SordinoError, SordinoErrors):
        return "no plan"


def compared(case: int, checker: Path, each: int) -> Counts:
    """Verdicts on the plan of a survey, and on plans that differ from it, with those that contradict each other."""
    warnings.simplefilter("ignore")
    rng, made, changed, contradictions = random.Random(case), Counter[str](), Counter[str](), list[str]()  # noqa: S311
    survey = random_survey(case)
    try:
        content = plan(survey, people=5_000).bytes
    except (SordinoError, SordinoErrors):
        return Counter({"no plan": 1}), changed, contradictions
    with TemporaryDirectory() as name:
        path = Path(name) / "plan.json"
        path.write_bytes(content)
        found = verdicts(checker, path)
        for question, verdict in zip(json.loads(content)["queries"], found, strict=False):
            kind = question.get("asked") or next(word for word in KINDS if word in question)
            made[f"{kind}: {verdict}"] += 1
        if not set(found) <= {"holds", "holds for epsilon", "not covered"}:
            contradictions.append(f"survey {case} as it is planned: {found}")
        for _ in range(ATTEMPTS * each):
            if changed.total() == each:
                break
            if (other := tampered(content, rng)) is not None:
                way, text = other
                path.write_bytes(text)
                package, verdict = verdict_of_package(path), of_all(verdicts(checker, path))
                changed[f"{way}; package: {package}, checker: {verdict}"] += 1
                if (package, verdict) in CONTRADICTIONS:
                    contradictions.append(
                        f"survey {case}, {way}: the package says {package}, the checker {verdict}: {text.decode()}"
                    )
    return made, changed, contradictions


def main() -> None:
    """Print how many verdicts of either agree; fail where they contradict each other."""
    checker = Path(sys.argv[1]).resolve()
    surveys, each, first = [*map(int, sys.argv[2:]), *(40, 1, 0)[len(sys.argv) - 2 :]]
    made, changed, contradictions = Counter[str](), Counter[str](), list[str]()
    with Pool(cpu_count()) as pool:
        cases = range(first, first + surveys)
        for own, other, wrong in pool.imap_unordered(partial(compared, checker=checker, each=each), cases):
            made.update(own)
            changed.update(other)
            contradictions += wrong
    print(
        f"questions of {surveys} random surveys:",
        *(f"  {verdict}: {count}" for verdict, count in sorted(made.items())),
        sep="\n",
    )
    print(
        f"{changed.total()} tampered plans:",
        *(f"  {pair}: {count}" for pair, count in sorted(changed.items())),
        sep="\n",
    )
    if contradictions:
        sys.exit("\n".join(contradictions))


if __name__ == "__main__":
    main()
