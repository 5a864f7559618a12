"""Compares the verified checker with the package on plans of random surveys, as they are made and tampered with.

A plan that was tampered with has a right hash. Whatever the package accepts the checker must not call broken;
whatever the package refuses for what it reveals the checker must call broken, or say that it does not look at it: at
what a `delta` needs beyond epsilon, or at what cannot be listed.

python scripts/compare_plans.py build/proofs/checker [SURVEYS [TAMPERED]]
"""

import hashlib
import json
import random
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sordino import Plan, SordinoError, certify, plan
from sordino.errors import RefusedError, SordinoErrors

EPSILONS = ("1/4", "1/2", "1", "ln 3", "2", "3")
PROMISES = ("epsilon", "blocks", "sensitive", "metric", "positions", "matrix")
THRESHOLDS = ("threshold", "first", "second", "hidden", "present", "absent")
STEPS = (1, 2**20, 2**50, 2**60)
"""What a threshold or a weight is changed by, of 2^64."""

Place = tuple[str | int, ...]


def promise(rng: random.Random, names: list[str], kind: str) -> dict[str, Any]:
    """What is promised about an attribute's values."""
    k = len(names)
    if kind == "blocks" and k >= 4:
        mixed = rng.sample(names, k)
        cut = rng.randint(2, k - 2)
        return {"blocks": [mixed[:cut], mixed[cut:]]}
    if kind == "sensitive":
        return {"sensitive": rng.sample(names, rng.randint(1, k - 1))}
    if kind == "metric":
        return {"metric": {"per": rng.randint(1, 4)}}
    if kind == "positions":
        return {"metric": rng.sample(range(3 * k), k)}
    if kind == "matrix":
        bounds = [[rng.choice((*EPSILONS, "inf")) for _ in names] for _ in names]
        return {"matrix": [["0" if x == y else bound for y, bound in enumerate(row)] for x, row in enumerate(bounds)]}
    return {"epsilon": rng.choice(EPSILONS)}


def survey_of_values(rng: random.Random) -> dict[str, Any]:
    """Categories that are protected in all ways, by themselves and two together."""
    attributes: dict[str, Any] = {}
    for place in range(rng.randint(1, 3)):
        names, kind = [str(v) for v in range(rng.randint(2, 9))], rng.choice(PROMISES)
        attributes[f"a{place}"] = {
            "categories": len(names) if kind == "metric" else names,
            "protect": promise(rng, names, kind),
        }
    asked: list[dict[str, Any]] = [{"histogram": name} for name in attributes]
    if len(attributes) > 1:
        asked.append({"table": list(attributes)[:2]})
    return {"version": 1, "epsilon": rng.choice(EPSILONS), "attribute": attributes, "ask": asked}


def survey_of_deltas(rng: random.Random) -> dict[str, Any]:
    """Numbers and categories with a delta each, and perhaps bounds on what they say of one another."""
    epsilon, numbers = rng.choice(EPSILONS[2:]), [f"n{place}" for place in range(rng.randint(1, 2))]
    attributes: dict[str, Any] = {
        name: {"number": {"low": 0, "high": 10}, "delta": rng.choice(EPSILONS[:3])} for name in numbers
    }
    attributes["c"] = {"categories": rng.randint(2, 9), "delta": rng.choice(EPSILONS[:3])}
    asked: list[dict[str, Any]] = [{"mean": numbers}, {"histogram": "c"}]
    if len(numbers) > 1 and rng.random() < 0.5:
        asked.append({"covariance": numbers})
    survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": asked}
    if rng.random() < 0.5:
        survey["dependence"] = {"rest": {name: rng.choice([0.1, 0.3, 0.6]) for name in attributes}}
    return survey


def changeable(node: Any, place: Place = ()) -> Iterator[Place]:
    """Where thresholds stand, and lists of weights or factors."""
    if isinstance(node, dict):
        for name, entry in node.items():
            is_list = name in ("table", "weights") and isinstance(entry, list) and len(place) > 2
            if is_list or (name in THRESHOLDS and isinstance(entry, str)):
                yield (*place, name)
            else:
                yield from changeable(entry, (*place, name))
    elif isinstance(node, list):
        for number, entry in enumerate(node):
            yield from changeable(entry, (*place, number))


def tampered(content: bytes, rng: random.Random) -> tuple[int, bytes] | None:
    """A plan one of whose integers differs, with its right hash, and the place of the question; None where none can."""
    changed = json.loads(content)
    del changed["hash"]
    places = list(changeable(changed["queries"]))
    if not places:
        return None
    place, step = rng.choice(places), rng.choice(STEPS)
    node = changed["queries"]
    for part in place[:-1]:
        node = node[part]
    entry = node[place[-1]]
    if isinstance(entry, str):
        entry = node[place[-1]] = str(int(entry) + rng.choice((step, -step)))
        if not 0 < int(entry) < 2**64:
            return None
    else:
        # A list keeps its sum: one of its weights moves to another.
        row = rng.choice(entry) if isinstance(entry[0], list) else entry
        if len(row) < 2:
            return None
        more, less = rng.sample(range(len(row)), 2)
        moved = min(step if sum(map(int, row)) > 2**60 else 1, int(row[less]))
        row[more], row[less] = str(int(row[more]) + moved), str(int(row[less]) - moved)
    body = json.dumps(changed, sort_keys=True, separators=(",", ":")).encode()
    return int(place[0]), b'{"hash":"sha256:' + hashlib.sha256(body).hexdigest().encode() + b'",' + body[1:] + b"\n"


def verdicts(checker: Path, path: Path) -> list[str]:
    """What the checker says of each question."""
    printed = subprocess.run([str(checker), str(path)], check=True, capture_output=True, encoding="ascii").stdout
    return [line.split(" ", 1)[1] for line in printed.splitlines()]


def verdict_of_package(path: Path) -> str:
    """`holds`, `broken` for what it reveals, or `no plan` for anything else."""
    try:
        return "holds" if certify(Plan.load(path)).holds else "broken"
    except RefusedError:
        return "broken"
    except (SordinoError, SordinoErrors):
        return "no plan"


def main() -> None:
    """Print how many verdicts of either agree; fail where they contradict each other."""
    warnings.simplefilter("ignore")
    checker = Path(sys.argv[1]).resolve()
    surveys = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    each = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    made: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    with TemporaryDirectory() as name:
        path = Path(name) / "plan.json"
        for case in range(surveys):
            rng = random.Random(case)  # noqa: S311 - nothing is released
            survey = survey_of_values(rng) if rng.random() < 0.6 else survey_of_deltas(rng)
            try:
                content = plan(survey, people=5_000).bytes
            except (SordinoError, SordinoErrors):
                made["no plan"] += 1
                continue
            path.write_bytes(content)
            found = verdicts(checker, path)
            made.update(found)
            if "broken" in found:
                sys.exit(f"the checker refuses a plan of survey {case}: {found}")
            for _ in range(each):
                if (other := tampered(content, rng)) is None:
                    continue
                place, text = other
                path.write_bytes(text)
                package, verdict = verdict_of_package(path), verdicts(checker, path)[place]
                changed[f"package: {package}, checker: {verdict}"] += 1
                if (package, verdict) in {("holds", "broken"), ("broken", "holds")}:
                    sys.exit(f"the package says {package}, the checker {verdict}: survey {case}, {text.decode()}")
    print(f"questions of {surveys} random surveys: {dict(made)}")
    print("tampered:", *(f"  {verdict}: {count}" for verdict, count in sorted(changed.items())), sep="\n")


if __name__ == "__main__":
    main()
