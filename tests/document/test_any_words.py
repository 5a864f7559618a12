"""Golden plans with a word or name that nobody knows, under a right hash: refused by the package's errors, or read.

What is read is certified, answered and estimated from, with the same errors or none. Python's own never come out.
"""

import copy
import json
import random

import numpy as np
import pytest

from golden_people import NAMES, VECTORS, golden_text, sealed
from sordino import Plan, SordinoError, SordinoErrors, certify, estimate, report

UNKNOWN = ["", "?", "v", "-1", "1/0", "9" * 30, "²", "é", "toString", "\ud800"]
"""What stands in the place of a text, or of a field's name."""

OTHERS = [None, True, [], {}, ["?"], {"?": "?"}]
"""What stands there instead of a text now and then: another kind."""

SAMPLED = 12
"""Changed plans of each golden one that are tried by default."""


def texts(found, path=()):
    """Every text of a document and every name of a field, with the way to it: a name as the last part twice."""
    parts = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, part in parts:
        if isinstance(key, str) and (*path, key) != ("hash",):
            yield (*path, key), True
        if isinstance(part, str) and (*path, key) != ("hash",):
            yield (*path, key), False
        yield from texts(part, (*path, key))


def changed(document, place, is_name, word):
    """The text of a plan with another word at a place, under its right hash."""
    found = copy.deepcopy(document)
    inner = found
    for part in place[:-1]:
        inner = inner[part]
    if is_name:
        inner[str(word)] = inner.pop(place[-1])
    else:
        inner[place[-1]] = word
    return sealed(found)


def use(text, record):
    """All that is done with a plan; how far it got."""
    plan = Plan.of_text(text, "a plan")
    done = ["read"]
    for verb in (lambda: certify(plan), lambda: report(plan, {"version": 1, "record": record})):
        try:
            made = verb()
        except (SordinoError, SordinoErrors):
            continue
        done.append(type(made).__name__)
    try:
        estimate(plan, plan.tally(np.array([0, plan.sampled.outputs - 1], dtype=np.uint64))).to_arrow()
        done.append("estimated")
    except (SordinoError, SordinoErrors):
        pass
    return done


def try_all(name, cases):
    """Use each of some changed plans; what was refused and what was read, as counts."""
    document, refused, read = json.loads(golden_text(name)), 0, 0
    record = json.loads((VECTORS / f"{name}.json").read_text())["reports"][-1]["record"]
    for place, is_name, word in cases:
        try:
            use(changed(document, place, is_name, word), record)
            read += 1
        except (SordinoError, SordinoErrors):
            refused += 1
        except Exception as error:
            error.add_note(f"{name}: {place}, {'its name' if is_name else 'its text'} as {word!r}")
            raise
    return refused, read


@pytest.mark.parametrize("name", NAMES)
def test_a_word_that_nobody_knows_is_refused_or_read(name):
    draw = random.Random(name)
    places = list(texts(json.loads(golden_text(name))))
    cases = [(*draw.choice(places), draw.choice(OTHERS if number % 4 == 0 else UNKNOWN)) for number in range(SAMPLED)]
    refused, read = try_all(name, cases)
    assert refused + read == SAMPLED
    assert refused > 0


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_a_plan_in_turn(name):
    draw = random.Random(name)
    places = list(texts(json.loads(golden_text(name))))
    kinds = {}
    for place, is_name in places:
        # Of lists that hold alike things, as weights and labels, some places.
        alike = tuple("#" if isinstance(part, int) else part for part in place), is_name
        kinds.setdefault(alike, []).append((place, is_name))
    some = [one for alike in kinds.values() for one in draw.sample(alike, min(len(alike), 2))]
    cases = [(*one, word) for one in some for word in draw.sample([*UNKNOWN, *(() if one[1] else OTHERS)], 4)]
    refused, read = try_all(name, cases)
    assert refused > read
