"""Compares the verified checker with `certify`, on golden plans and on channels that were changed by a word.

The two share no code: one is extracted from proofs, the other is the package. They must agree on every channel: on
those that keep their bound as closely as integers allow, and on those that exceed it by one in 2^64.

python scripts/compare_verdicts.py build/proofs/checker [CASES]
"""

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sordino import LDP, BinaryOptimal, BlockLDP, ChannelTable, PairwiseLDP, RandomizedResponse, certify
from sordino.mechanism.base import Mechanism
from sordino.mechanism.subsets.subset import SubsetSelection

VECTORS = Path(__file__).parents[1] / "tests" / "vectors"
EPSILONS = ("1/1000", "1/2", "1", "ln 3", "1/2 + ln 2", "2", "5", "17/2", "20", "40")
EITHER_WAY = (0, 0, 1, -1, 2**20, -(2**20))
"""What is added to a threshold or a weight."""


def verdicts(checker: Path, plan: Path) -> list[str]:
    """What the checker says of each question."""
    words = [str(checker), str(plan)]
    printed = subprocess.run(words, check=True, capture_output=True, encoding="ascii").stdout
    return [line.split(" ", 1)[1] for line in printed.splitlines()]


def golden(checker: Path, folder: Path) -> Counter[str]:
    """How many questions of the golden plans, all of which keep their promise, have each verdict."""
    found: Counter[str] = Counter()
    for path in sorted(VECTORS.glob("*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(vector, dict) and "plan" in vector:
            plan = folder / path.name
            plan.write_text(vector["plan"], encoding="ascii")
            found.update(verdicts(checker, plan))
    return found


def changed(rng: random.Random) -> tuple[Mechanism, Any, dict[str, Any], dict[str, Any]]:
    """A channel, what it should keep, and both as a plan has them."""
    k, epsilon, step = rng.randint(2, 6), rng.choice(EPSILONS), rng.choice(EITHER_WAY)
    kind = rng.choice(["randomized", "subset", "binary", "table", "blocks"])
    protect: dict[str, Any] = {"epsilon": epsilon}
    definition: Any = LDP(epsilon)
    mechanism: Mechanism
    own: dict[str, Any]
    if kind == "randomized":
        threshold = min(max(RandomizedResponse(k, epsilon).threshold + step, 1), 2**64 - 1)
        mechanism = RandomizedResponse.from_threshold(k, threshold)
        own = {"name": kind, "threshold": str(threshold)}
    elif kind == "subset":
        size = rng.randint(1, k - 1)
        threshold = min(max(SubsetSelection(k, epsilon, size=size).threshold + step, 1), 2**64 - 1)
        mechanism = SubsetSelection.from_threshold(k, threshold, size)
        own = {"name": kind, "size": size, "threshold": str(threshold)}
    elif kind == "binary":
        k, other = 2, rng.choice(EPSILONS)
        epsilon = rng.choice(EPSILONS)
        best = BinaryOptimal(epsilon, other)
        first = min(max(best.first + step, 1), 2**64 - 1)
        second = min(best.second, first)
        mechanism = BinaryOptimal.from_weights(first, second)
        own = {"name": kind, "first": str(first), "second": str(second)}
        protect = {"bounds": [["0", epsilon], [other, "0"]]}
        definition = PairwiseLDP([["0", epsilon], [other, "0"]])
    else:
        weights = [[rng.randint(1, 9) for _ in range(k)] for _ in range(k)]
        least = max(sum(row) for row in weights)
        weights = [[*row, least - sum(row) + 1] for row in weights]
        mechanism = ChannelTable(weights)
        own = {"name": "table", "weights": [[str(w) for w in row] for row in weights]}
        if kind == "blocks":
            blocks = [v % 2 for v in range(k)]
            protect["blocks"] = {"of": blocks}
            places = [[v for v in range(k) if v % 2 == block] for block in (0, 1)]
            definition = BlockLDP(places, epsilon)
    return mechanism, definition, {**own, "k": k}, protect


def main() -> None:
    """Print how many verdicts agree; fail where one does not, or where a golden plan is refused."""
    checker = Path(sys.argv[1]).resolve()
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with TemporaryDirectory() as name:
        folder = Path(name)
        found = golden(checker, folder)
        print(f"golden plans: {dict(found)}")
        if found["broken"]:
            sys.exit("a golden plan is refused")
        agreed: Counter[str] = Counter()
        for case in range(cases):
            mechanism, definition, own, protect = changed(random.Random(case))  # noqa: S311 - nothing is released
            query = {"histogram": "x", "mechanism": own}
            plan = folder / "plan.json"
            text = json.dumps(
                {"attributes": {"x": {"protect": protect}}, "queries": [query], "version": 3}, separators=(",", ":")
            )
            plan.write_text(text, encoding="ascii")
            (verdict,) = verdicts(checker, plan)
            expected = "holds" if certify(mechanism, definition).holds else "broken"
            if verdict != expected:
                sys.exit(f"the checker says {verdict}, certify says {expected}: {text}")
            agreed[verdict] += 1
        print(f"changed channels on which both agree: {dict(agreed)}")


if __name__ == "__main__":
    main()
