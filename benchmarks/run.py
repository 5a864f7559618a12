"""All figures against peers, subject by subject; writes docs/benchmarks.md. Given subjects, prints only theirs."""

import os
import sys
from collections.abc import Iterator
from importlib import metadata
from types import ModuleType

import accuracy
import asking
import bounding
import certifying
import estimating
import files
import filtering
import growing
import privatizing
import starting
from pairs import ROOT, ROUNDS

MODULES = (files, privatizing, estimating, certifying, bounding, filtering, asking, accuracy, starting, growing)
SUBJECTS = {module.__name__: module for module in MODULES}

PREFACE = f"""# Benchmarks

Written by `make bench`, with Sordino {metadata.version("sordino")} on {os.cpu_count()} cores. A ratio is the median
(and range) of {ROUNDS}, each of two times measured one after the other in one run: trust ratios, not seconds.
"Asked" is the figure that was set before it was measured. The peers' versions stand in `benchmarks/peers.txt`."""


def table(subject: ModuleType) -> Iterator[str]:
    yield from ("", f"## {subject.TITLE}", "", subject.NOTE, "", f"`make bench BENCH={subject.__name__}`", "")
    yield f"| {' | '.join(subject.HEADER)} |"
    yield "|---" * len(subject.HEADER) + "|"
    for row in subject.rows():
        yield f"| {' | '.join(row)} |"


def main(names: list[str]) -> None:
    lines = [PREFACE]
    for name in names or SUBJECTS:
        for line in table(SUBJECTS[name]):
            print(line, flush=True)
            lines.append(line)
    if not names:
        target = ROOT / "docs" / "benchmarks.md"
        target.write_text("\n".join([*lines, ""]), encoding="utf-8")
        print(f"{target.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main(sys.argv[1:])
