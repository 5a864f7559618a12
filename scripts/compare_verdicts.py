"""Compares the verified checker with `certify`, on golden plans and on channels that were changed by a word.

Of golden plans it must say what proofs/golden.txt says, and with numbers that are lists of bits (CHECKER-bits, where it
stands beside) the same.

The two share no code: one is extracted from proofs, the other is the package. They must agree on every channel: on
those that keep their bound as closely as integers allow, and on those that exceed it by one in 2^64.

python scripts/compare_verdicts.py build/proofs/checker [CASES]
python scripts/compare_verdicts.py build/proofs/checker --accept    expects its verdicts on golden plans from now on
"""

import itertools
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sordino import LDP, BinaryOptimal, BlockLDP, ChannelTable, PairwiseLDP, RandomizedResponse, certify
from sordino.document.codec import encode
from sordino.mechanism.base import Mechanism
from sordino.mechanism.meeting_subsets import MeetingSubsets
from sordino.mechanism.subset_selection import SubsetSelection

ROOT = Path(__file__).parents[1]
VECTORS, GOLDEN = ROOT / "tests" / "vectors", ROOT / "proofs" / "golden.txt"
EPSILONS = ("1/1000", "1/2", "1", "ln 3", "1/2 + ln 2", "2", "5", "17/2", "20", "40")
PATIENCE = 600
"""Seconds for a verdict: the witness of bits is slow."""
EITHER_WAY = (0, 0, 1, -1, 2**20, -(2**20))
"""What is added to a threshold or a weight."""

MEETINGS = ((5, 2, 1, 1), (6, 3, 3, 2), (7, 2, 4, 1), (8, 4, 3, 2), (23, 3, 2, 1), (40, 4, 12, 2), (60, 4, 1, 1))
"""Items, how many of them a value and a code have, and how many they share at least."""

NO_PLAN = "not a plan: "
"""How the checker's only line about such a document begins; it then ends with exit code 1."""


def verdicts(checker: Path, plan: Path) -> list[str]:
    """What the checker says of each question, or that there is no plan and why; `fails` where it does neither."""
    words = [str(checker), str(plan)]
    try:
        done = subprocess.run(words, check=False, capture_output=True, encoding="ascii", timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return [f"fails: no verdict in {PATIENCE} s"]
    lines = done.stdout.splitlines()
    is_refusal = [line.startswith(NO_PLAN) for line in lines] == [True]
    if done.returncode == 1 and is_refusal:
        return lines
    if done.returncode or done.stderr or is_refusal:
        return [f"fails: exit code {done.returncode}, {done.stderr.strip()}"]
    return [line.split(" ", 1)[1] for line in lines]


def golden(checker: Path, folder: Path) -> str:
    """The checker's verdicts on the questions of all golden plans, a plan a line."""
    lines = []
    for path in sorted(VECTORS.glob("*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(vector, dict) and "plan" in vector:
            plan = folder / path.name
            plan.write_text(vector["plan"], encoding="ascii")
            lines.append(f"{path.stem}: {', '.join(verdicts(checker, plan))}\n")
    return "".join(lines)


def golden_difference(checker: Path, folder: Path) -> str | None:
    """The first golden plan on which the checker does not say what is expected, or None."""
    found, expected = golden(checker, folder).splitlines(), GOLDEN.read_text(encoding="ascii").splitlines()
    pairs = itertools.zip_longest(found, expected, fillvalue="nothing")
    return next((f"{one}; expected is {other}" for one, other in pairs if one != other), None)


def changed(rng: random.Random) -> tuple[Mechanism, Any, dict[str, Any]]:
    """A channel, what it should keep, and that in a plan's words."""
    k, epsilon, step = rng.randint(2, 6), rng.choice(EPSILONS), rng.choice(EITHER_WAY)
    kind = rng.choice(["randomized", "subset", "meeting", "binary", "table", "blocks"])
    if kind == "randomized":
        threshold = min(max(RandomizedResponse(k, epsilon).threshold + step, 1), 2**64 - 1)
        return RandomizedResponse.from_threshold(k, threshold), LDP(epsilon), {"epsilon": epsilon}
    if kind == "subset":
        size = rng.randint(1, k - 1)
        threshold = min(max(SubsetSelection(k, epsilon, size=size).threshold + step, 1), 2**64 - 1)
        return SubsetSelection.from_threshold(k, threshold, size), LDP(epsilon), {"epsilon": epsilon}
    if kind == "meeting":
        sizes = rng.choice(MEETINGS)
        threshold = min(max(MeetingSubsets(sizes, epsilon).threshold + step, 1), 2**64 - 1)
        return MeetingSubsets.from_threshold(sizes, threshold), LDP(epsilon), {"epsilon": epsilon}
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


def cases(count: int) -> Iterator[tuple[str, str]]:
    """Plans of one question each through changed channels, with what `certify` says."""
    for case in range(count):
        mechanism, definition, protect = changed(random.Random(case))  # noqa: S311 - nothing is released
        query = {"histogram": "x", "mechanism": encode(mechanism)}
        attribute = {"numbers": mechanism.k, "protect": protect}
        document = {"attributes": {"x": attribute}, "format": "sordino plan", "queries": [query], "version": 4}
        expected = "holds" if certify(mechanism, definition).holds else "broken"
        yield json.dumps(document, separators=(",", ":")) + "\n", expected


def main() -> None:
    """Print how many verdicts agree; fail where one does not, or where a golden plan has another one."""
    checker = Path(sys.argv[1]).resolve()
    with TemporaryDirectory() as name:
        folder = Path(name)
        if sys.argv[2:] == ["--accept"]:
            GOLDEN.write_text(golden(checker, folder), encoding="ascii")
            return
        bits = checker.with_name(checker.name + "-bits")
        for one in (checker, *([bits] if bits.exists() else [])):
            if (found := golden_difference(one, folder)) is not None:
                sys.exit(f"{one.name}, of a golden plan: {found}")
        print(
            f"golden plans: {dict(Counter(re.findall('holds[a-z ]*|not covered', GOLDEN.read_text(encoding='ascii'))))}"
        )
        agreed: Counter[str] = Counter()
        for text, expected in cases(int(sys.argv[2]) if len(sys.argv) > 2 else 1000):
            plan = folder / "plan.json"
            plan.write_text(text, encoding="ascii")
            (verdict,) = verdicts(checker, plan)
            if verdict != expected:
                sys.exit(f"the checker says {verdict}, certify says {expected}: {text}")
            agreed[verdict] += 1
        print(f"changed channels on which both agree: {dict(agreed)}")


if __name__ == "__main__":
    main()
