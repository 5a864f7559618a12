"""Sets that meet a person's set, of random sizes: package, browser client and plain client give the same codes.

Lists of some names and of 5,000, of which few and many may apply; words at the ends of what words can be among them.
"""

import json
import random
import subprocess
from math import comb
from pathlib import Path

import numpy as np
import pytest

from client_codes import OwnWords
from commands import PATIENCE
from plain_draw import Mechanism
from plain_words import Words
from sordino.document.codec import encode
from sordino.exact.coin import WORD
from sordino.mechanism.meeting_subsets import MeetingSubsets

SCRIPT = Path(__file__).parent / "same_sets.mjs"
MECHANISMS, PEOPLE, WORDS = 200, 8, 300
ENDS = 0, 1, WORD // 2, WORD - 1

pytestmark = pytest.mark.live


def sizes_of(draw):
    """Items, how many a value and a code have, and how many they share at least: of channels that fit."""
    while True:
        names, chosen = draw.choice(((5000, 3), (2000, 4), (64, 3), (60, 9), (draw.randint(2, 40), draw.randint(1, 6))))
        items = names + chosen + draw.randint(0, 1)
        size = draw.randint(1, min(items - 1, 5 if items > 1000 else 34))
        fewest, most = max(0, chosen + size - items), min(chosen, size)
        if fewest < most and comb(items, size) <= WORD and comb(items, chosen) <= 2**53:
            return items, chosen, size, draw.randint(fewest + 1, most)


def test_the_same_words_give_the_same_sets(tmp_path):
    draw, cases, alike, largest = random.Random(7), [], 0, 0
    for _ in range(MECHANISMS):
        sizes = sizes_of(draw)
        mechanism = MeetingSubsets.from_threshold(sizes, draw.choice((1, WORD - 1, draw.randrange(1, WORD))))
        values = [0, mechanism.k - 1, *(draw.randrange(mechanism.k) for _ in range(PEOPLE - 2))]
        rows = [[draw.choice((*ENDS, *[draw.getrandbits(64)] * 4)) for _ in range(WORDS)] for _ in values]
        source = OwnWords(np.array(rows, dtype=np.uint64))
        codes = mechanism.privatize(np.array(values), source)
        record, draws = encode(mechanism), []
        for value, row, code, drawn in zip(values, rows, codes.tolist(), source.drawn.tolist(), strict=True):
            words = Words(row)
            assert Mechanism(record).code(value, words) == code
            assert words.drawn == drawn
            draws.append({"value": value, "words": [f"{word:016x}" for word in row[:drawn]], "code": str(code)})
            largest = max(largest, code)
        cases.append({"record": record, "draws": draws})
        alike += len(draws)
    assert largest > WORD // 2
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    command = ["node", SCRIPT, tmp_path / "cases.json"]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert (found.returncode, found.stdout) == (0, f"{alike} alike\n"), found.stderr
