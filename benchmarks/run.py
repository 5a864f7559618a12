"""All figures against peers, or of the subjects that are named; writes what it measures to docs/benchmarks.md."""

import os
import sys
from collections.abc import Iterator
from importlib import metadata
from types import ModuleType

import accuracy
import asking
import averaging
import bounding
import certifying
import collecting
import covering
import covering_fits
import covering_means
import covering_weights
import designing
import distributing
import estimating
import files
import filtering
import fitting
import growing
import holding
import layers
import mapping
import privatizing
import repeating
import starting
import tabulating
import telling
import testing
from pairs import ROOT, ROUNDS

MODULES = (
    files,
    privatizing,
    estimating,
    certifying,
    bounding,
    filtering,
    asking,
    accuracy,
    averaging,
    covering,
    covering_fits,
    covering_means,
    covering_weights,
    designing,
    distributing,
    fitting,
    mapping,
    collecting,
    holding,
    tabulating,
    testing,
    starting,
    growing,
    repeating,
    layers,
    telling,
)
SUBJECTS = {module.__name__: module for module in MODULES}

PREFACE = f"""# Benchmarks

Written by `make bench` with Sordino {metadata.version("sordino")} on {os.cpu_count()} cores. A ratio is the median
(and range) of {ROUNDS}, each of two times measured one after the other in one run: trust ratios, not seconds.
"Asked" is the figure that was set before it was measured. The peers' versions stand in `benchmarks/peers.txt`."""
REPORT = ROOT / "docs" / "benchmarks.md"


def part(subject: ModuleType) -> Iterator[str]:
    """The lines of one subject, each as soon as it is measured."""
    yield from (heading(subject), "", subject.NOTE, "", f"`make bench BENCH={subject.__name__}`", "")
    yield f"| {' | '.join(subject.HEADER)} |"
    yield "|---" * len(subject.HEADER) + "|"
    for row in subject.rows():
        yield f"| {' | '.join(row)} |"


def heading(subject: ModuleType) -> str:
    return f"## {subject.TITLE}"


def parts() -> dict[str, str]:
    """What the report has of each subject, by its heading."""
    text = REPORT.read_text(encoding="utf-8") if REPORT.exists() else ""
    return {f"## {part.splitlines()[0]}": f"## {part.strip()}" for part in text.split("\n## ")[1:]}


def main(names: list[str]) -> None:
    for name in names or SUBJECTS:
        lines = []
        for line in part(SUBJECTS[name]):
            print(line, flush=True)
            lines.append(line)
        # One subject at a time, so that a run that is stopped keeps what it measured.
        measured = parts() | {lines[0]: "\n".join(lines)}
        headings = [heading(subject) for subject in MODULES]
        ordered = [measured[title] for title in headings if title in measured]
        REPORT.write_text("\n\n".join([PREFACE, *ordered]) + "\n", encoding="utf-8")
        print(f"\n{REPORT.relative_to(ROOT)}: {SUBJECTS[name].TITLE} written\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
