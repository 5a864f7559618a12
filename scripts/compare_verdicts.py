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
from sordino.document.codec import freeze
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


def changed(rng: random.Random) -> tuple[Mechanism, Any, dict[str, Any]]:
    """A channel, what it should keep, and that in a plan's words."""
    k, epsilon, step = rng.randint(2, 6), rng.choice(EPSILONS), rng.choice(EITHER_WAY)
    kind = rng.choice(["randomized", "subset", "binary", "table", "blocks"])
    if kind == "randomized":
        threshold = min(max(RandomizedResponse(k, epsilon).threshold + step, 1), 2**64 - 1)
        return RandomizedResponse.from_threshold(k, threshold), LDP(epsilon), {"epsilon": epsilon}
    if kind == "subset":
        size = rng.randint(1, k - 1)
        threshold = min(max(SubsetSelection(k, epsilon, size=size).threshold + step, 1), 2**64 - 1)
        return SubsetSelection.from_threshold(k, threshold, size), LDP(epsilon), {"epsilon": epsilon}
    if kind == "binary":
        other = rng.choice(EPSILONS)
        best = BinaryOptimal(epsilon, other)
        first = min(max(best.first + step, 1), 2**64 - 1)
        bounds = [["0", epsilon], [other, "0"]]
        return BinaryOptimal.from_weights(first, min(best.second, first)), PairwiseLDP(bounds), {"bounds": bounds}
    weights = [[rng.randint(1, 9) for _ in range(k)] for _ in range(k)]
    least = max(sum(row) for row in weights)
    table = ChannelTable([[*row, least - sum(row) + 1] for row in weights])
    if kind == "table":
        return table, LDP(epsilon), {"epsilon": epsilon}
    blocks = [[v for v in range(k) if v % 2 == block] for block in (0, 1)]
    return table, BlockLDP(blocks, epsilon), {"epsilon": epsilon, "blocks": {"of": [v % 2 for v in range(k)]}}


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
            mechanism, definition, protect = changed(random.Random(case))  # noqa: S311 - nothing is released
            query = {"histogram": "x", "mechanism": freeze(mechanism)}
            plan = folder / "plan.json"
            attribute = {"numbers": mechanism.k, "protect": protect}
            document = {"attributes": {"x": attribute}, "queries": [query], "version": 3}
            text = json.dumps(document, separators=(",", ":"))
            plan.write_text(text, encoding="ascii")
            (verdict,) = verdicts(checker, plan)
            expected = "holds" if certify(mechanism, definition).holds else "broken"
            if verdict != expected:
                sys.exit(f"the checker says {verdict}, certify says {expected}: {text}")
            agreed[verdict] += 1
        print(f"changed channels on which both agree: {dict(agreed)}")


if __name__ == "__main__":
    main()
