"""Plants faults in the checker's own files, and says which comparison finds each: proofs/checker/faults.toml.

What is not verified of the checker (how it reads a plan, and what its numbers are) must be found wrong by numbers, by
golden plans, by documents that are no plans, by changed channels, or by plans of random surveys and tampered ones, as
`make proofs` compares them.

python scripts/checker_faults.py build/proofs [NAME]
"""

import subprocess
import sys
import tomllib
from functools import partial
from multiprocessing import Pool, cpu_count
from os import environ
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

from compare_malformed import wrong_reason
from compare_numbers import difference
from compare_plans import CONTRADICTIONS, judged, of_all
from compare_verdicts import ROOT, cases, golden_difference, verdicts

SOURCES = ROOT / "proofs" / "checker"
CHANNELS, SURVEYS, PAIRS = 100, 40, 100

Case = tuple[str, str, str]
"""Which comparison, a plan, and what the package says of it."""


def noticed(checker: Path, folder: Path, compared: list[Case]) -> str | None:
    """Which comparison finds a checker wrong, or None."""
    if difference(checker.with_name(checker.name + "-numbers"), PAIRS) is not None:
        return "numbers"
    if golden_difference(checker, folder) is not None:
        return "golden plans"
    plan = folder / "plan.json"
    if wrong_reason(checker, plan) is not None:
        return "documents that are no plans"
    for comparison, text, package in compared:
        plan.write_text(text, encoding="utf-8")
        found = of_all(verdicts(checker, plan))
        if (package, found) in CONTRADICTIONS or found.startswith("fails"):
            return comparison
    return None


def planted(fault: dict[str, Any], folder: Path, proofs: Path) -> Path:
    """A checker with a fault."""
    sources = Path(copytree(SOURCES, folder / "sources"))
    path = sources / fault["file"]
    text = path.read_text(encoding="utf-8")
    if text.count(fault["old"]) != 1:
        sys.exit(f"{fault['name']}: what it replaces must stand once in {fault['file']}")
    path.write_text(text.replace(fault["old"], fault["new"]), encoding="utf-8")
    program = folder / "checker"
    words = [str(ROOT / "scripts" / "checker.sh"), str(proofs), str(program)]
    subprocess.run(words, check=True, env={**environ, "CHECKER_SOURCES": str(sources)})
    return program


def main() -> None:
    """Print what finds each fault; fail if nothing finds one, or if the checker itself is found wrong."""
    proofs = Path(sys.argv[1]).resolve()
    faults = tomllib.loads((SOURCES / "faults.toml").read_text(encoding="utf-8"))["fault"]
    compared: list[Case] = [("changed channels", text, expected) for text, expected in cases(CHANNELS)]
    with Pool(cpu_count()) as pool:
        for plans in pool.imap(partial(judged, each=2), range(SURVEYS)):
            compared += [(f"random surveys, {way}", content.decode(), package) for way, content, package in plans]
    missed = []
    for fault in [{"name": "no fault"}, *faults]:
        if len(sys.argv) > 2 and fault["name"] != sys.argv[2]:
            continue
        with TemporaryDirectory() as name:
            folder = Path(name)
            checker = planted(fault, folder, proofs) if "file" in fault else proofs / "checker"
            finding = noticed(checker, folder, compared)
            print(f"{fault['name']}: {finding or 'nothing'}", flush=True)
            if (finding is None) == ("file" in fault):
                missed.append(fault["name"])
    if missed:
        sys.exit(f"not as it should be: {', '.join(missed)}")


if __name__ == "__main__":
    main()
