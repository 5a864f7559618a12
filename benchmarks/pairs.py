"""Pairs of times measured in turn (ours, theirs, ours, ...), and peers in processes of their own.

Ratios of times measured next to each other hold when the machine's speed drifts; single seconds do not. A peer's
script imports this file too, in the peers' environment: it needs the standard library only.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Self

ROOT = Path(__file__).parent.parent
PEERS = ROOT / ".venv-peers" / "bin" / "python"
ROUNDS = 5
RATIOS = ("what", "asked", "measured")
"""The columns of a table of ratios."""


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def processor_seconds(work: Callable[[], object]) -> float:
    """Of all threads of this process together: what else runs on the machine moves them little."""
    start = process_time()
    work()
    return process_time() - start


def ratios(above: Callable[[], float], below: Callable[[], float]) -> list[float]:
    """Two times in turn, one over the other, once a round."""
    return [above() / below() for _ in range(ROUNDS)]


def spread(figures: list[float]) -> str:
    return f"{rounded(median(figures))} ({rounded(min(figures))} to {rounded(max(figures))})"


def rounded(figure: float) -> str:
    """Three digits or all before the point; powers of ten only where tiny."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


PEAK = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_gib(command: list[str]) -> float:
    """The memory that a command holds at most.

    A small process starts it: what a process holds when it starts another is counted as the other's.
    """
    done = subprocess.run([sys.executable, "-c", PEAK, *command], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return int(done.stdout) / 2**20


class Peer:
    """A script of the peers' environment that is ready to do its work, once a call.

    Attributes:
        result: what the last work returned.
    """

    result: Any = None

    def __init__(self, script: str, *arguments: object) -> None:
        command = [str(PEERS), str(ROOT / "benchmarks" / script), *map(str, arguments)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # Its imports and compilations are over before anything is timed.
        self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def seconds(self) -> float:
        """Let it work; how long that took."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        taken, self.result = self._answer()
        return taken

    def _answer(self) -> Any:
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(self._process.args)} ended without an answer")
        return json.loads(line)


def serve(work: Callable[[], object]) -> None:
    """In a peer's script: do the work once for each line of standard input, and answer with its time and result."""
    print("[]", flush=True)
    for _ in sys.stdin:
        start = perf_counter()
        result = work()
        print(json.dumps([perf_counter() - start, result]), flush=True)
