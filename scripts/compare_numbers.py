"""Compares the numbers that the verified checker counts with, zarith's or lists of bits, with Python's.

python scripts/compare_numbers.py build/proofs/checker-numbers [PAIRS]
"""

import math
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

SIZES = (1, 3, 8, 31, 62, 63, 64, 65, 128, 300, 600)
"""Bits of numbers: below and above those of a word, and of OCaml's own integers."""


def calculations(a: int, b: int) -> list[int]:
    """What `calculations` of proofs/checker/Arithmetic.v says, in Python's numbers and by Coq's definitions."""
    small = a % 90
    up, down = a, max(b, 1)
    up_too, down_too = b, max(a, 1)
    f, g = Fraction(up, down), Fraction(up_too, down_too)
    # Qdiv multiplies by the inverse, whose sign stands above; that of 0 is 0.
    quotient = f / g if g else Fraction(0)
    return [
        *(a + b, a - b, a * b, a // b if b else 0, a % b if b else a, -a, abs(a), max(a, b), min(a, b)),
        *(abs(a) ^ abs(b), a.bit_length() - 1 if a > 0 else 0, math.gcd(a, b), math.lcm(a, b)),
        *(abs(b) >> small & 1, b << small, 2**small, int(a < b), int(a <= b), int(a == b)),
        *(max(a, 1), max(a + 1, 1) - 1, small),
        *(f.numerator, f.denominator, up * down_too + up_too * down, down * down_too),
        *(up * down_too - up_too * down, up * up_too, quotient.numerator, int(f <= g), int(f == g)),
    ]


def read(bits: str) -> int:
    """A number that is written by its bits, the lowest first."""
    return -read(bits[1:]) if bits.startswith("-") else int(bits[::-1] or "0", 2)


def difference(program: Path, pairs: int) -> str | None:
    """Where the program's numbers and Python's differ, or None."""
    rng = random.Random(pairs)  # noqa: S311 - nothing is released
    cases = [(a, b) for a in range(-3, 4) for b in range(-3, 4)]
    cases += [
        (rng.choice((1, -1)) * rng.getrandbits(rng.choice(SIZES)), rng.getrandbits(rng.choice(SIZES)))
        for _ in range(pairs)
    ]
    text = "".join(f"{a} {b}\n" for a, b in cases)
    done = subprocess.run([str(program)], input=text, check=False, capture_output=True, encoding="ascii")
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(cases):
        return f"fails after {len(lines)} lines: {done.stderr.strip()}"
    for (a, b), line in zip(cases, lines, strict=True):
        found, expected = [read(bits) for bits in line.split(" ")], calculations(a, b)
        if found != expected:
            place = next(i for i, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1])
            return f"calculation {place} of {a} and {b}: {found[place]}, not {expected[place]}"
    return None


def main() -> None:
    """Fail where they differ."""
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    if (found := difference(Path(sys.argv[1]).resolve(), pairs)) is not None:
        sys.exit(found)
    print(f"numbers of the checker are Python's in {len(calculations(1, 1))} calculations with {pairs} pairs")


if __name__ == "__main__":
    main()
