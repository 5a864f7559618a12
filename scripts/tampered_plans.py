"""Plans that were tampered with under a right hash: integers, lists, promises or draws are not the planned ones."""

import hashlib
import json
import random
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

THRESHOLDS = ("threshold", "first", "second", "hidden", "present", "absent")
LISTS = ("table", "weights", "factors", "inner", "parts", "flips")
STEPS = (1, 1, 2**20, 2**50, 2**60)
"""What a threshold or a weight is changed by, of 2^64."""
LESS = (Fraction(1, 10**6), Fraction(1, 10**12), Fraction(1, 10))
"""By what part of itself a bound is lowered."""
OPERATIONS = ("+", "-", "*", "/", "%", "^", "<")

Place = tuple[str | int, ...]


def places(node: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every part of a document, with the way to it."""
    yield place, node
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, part in parts:
        yield from places(part, (*place, name))


def replaced(document: Any, place: Place, entry: Any) -> None:
    """Put another entry at a place."""
    node = document
    for part in place[:-1]:
        node = node[part]
    node[place[-1]] = entry


def integer(document: Any, rng: random.Random) -> bool:
    """A threshold, a bit more or less."""
    found = [
        (place, e)
        for place, e in places(document["queries"])
        if place and place[-1] in THRESHOLDS and isinstance(e, str)
    ]
    if not found:
        return False
    place, entry = rng.choice(found)
    changed = int(entry) + rng.choice((1, -1)) * rng.choice(STEPS)
    replaced(document["queries"], place, str(changed))
    return 0 < changed < 2**64


def in_lists(document: Any) -> list[tuple[Place, list[Any]]]:
    """Lists of integers, as weights and factors stand in mechanisms."""
    found = [(place, e) for place, e in places(document["queries"]) if isinstance(e, list) and len(e) > 1]
    return [
        (place, e) for place, e in found if any(one in LISTS for one in place) and all(isinstance(w, str) for w in e)
    ]


def weight(document: Any, rng: random.Random) -> bool:
    """A weight moves to another one of its list, whose sum stays."""
    found = [(place, e) for place, e in in_lists(document) if all(w.isdigit() for w in e) and "factors" not in place]
    if not found:
        return False
    _, row = rng.choice(found)
    more, less = rng.sample(range(len(row)), 2)
    moved = min(rng.choice(STEPS) if sum(map(int, row)) > 2**60 else 1, int(row[less]))
    row[more], row[less] = str(int(row[more]) + moved), str(int(row[less]) - moved)
    return moved > 0


def factor(document: Any, rng: random.Random) -> bool:
    """A factor of a step on a tree, or any integer of a list, a bit more or less."""
    found = [(place, e) for place, e in in_lists(document) if all(w.isdigit() for w in e)]
    if not found:
        return False
    _, row = rng.choice(found)
    place = rng.randrange(len(row))
    row[place] = str(int(row[place]) + rng.choice((1, -1)) * rng.choice(STEPS))
    return int(row[place]) > 0


def omitted(document: Any, rng: random.Random) -> bool:
    """A class, a row, a part or a factor is left out of its list."""
    found = [
        e
        for place, e in places(document["queries"])
        if place and place[-1] in LISTS and isinstance(e, list) and len(e) > 1
    ]
    if not found:
        return False
    row = rng.choice(found)
    del row[rng.randrange(len(row))]
    return True


def lowered(amount: str, rng: random.Random) -> str:
    """A little less than an amount, as a plan writes it."""
    part = rng.choice(LESS)
    head, log, tail = amount.partition("ln ")
    if log:
        return f"{head}ln {max(Fraction(tail) * (1 - part), Fraction(1))}"
    return str(Fraction(amount) * (1 - part))


def has_map(document: Any, place: Place) -> bool:
    """Whether what is protected there is protected by distances on a map."""
    for part in place[:-1]:
        document = document[part]
    return isinstance(document.get("metric"), dict) and "map" in document["metric"]


def bound(document: Any, rng: random.Random) -> bool:
    """What is promised is a little less."""
    named = {"epsilon", "delta", "row_step", "column_step"}
    found = [
        (place, e)
        for place, e in places(document)
        if place
        and isinstance(e, str)
        and e not in {"0", "inf"}
        and (place[-1] in named or "bounds" in place[:-1])
        # What a question is asked at is no promise, where deltas are.
        and (place[0] == "attributes" or place[-1] in named)
        # Of a map the steps are what is promised; that they follow distances on the Earth is not verified.
        and not (place[-1] == "epsilon" and has_map(document, place))
    ]
    if not found:
        return False
    place, entry = rng.choice(found)
    replaced(document, place, lowered(entry, rng))
    return True


def nearer(document: Any, rng: random.Random) -> bool:
    """Attributes may depend on each other a little more."""
    rest = (document.get("dependence") or {}).get("rest", {})
    names = [name for name, most in rest.items() if most != "1"]
    if not names:
        return False
    name = rng.choice(names)
    rest[name] = str(min(Fraction(rest[name]) * (1 + rng.choice(LESS)), Fraction(1)))
    return True


def wider(document: Any, rng: random.Random) -> bool:
    """More pairs are promised: a value moves to another block, or becomes sensitive."""
    found: list[tuple[list[int], list[int]]] = []
    for own in document["attributes"].values():
        protect = own.get("protect", {})
        if "of" in (protect.get("blocks") or {}):
            blocks: list[int] = protect["blocks"]["of"]
            moved = [*blocks]
            moved[rng.randrange(len(blocks))] = rng.choice(blocks)
            found.append((blocks, moved))
        if (sensitive := protect.get("sensitive")) and "labels" in own:
            others = sorted(set(range(len(own["labels"]))) - set(sensitive))
            found.append((sensitive, sorted([*sensitive, *others[:1]])))
    found = [(before, after) for before, after in found if before != after]
    if not found:
        return False
    before, after = rng.choice(found)
    before[:] = after
    return True


def edge(document: Any, rng: random.Random) -> bool:
    """A number that a table counts has a bin less, or bins elsewhere."""
    found = [own["number"]["edges"] for own in document["attributes"].values() if "edges" in own.get("number", {})]
    if not found:
        return False
    edges = rng.choice(found)
    if rng.random() < 0.5:
        del edges[rng.randrange(len(edges))]
    else:
        edges[rng.randrange(len(edges) - 1)] += 0.25
    return True


def other_draw(document: Any, rng: random.Random) -> bool:
    """Another question's mechanism, or randomized response at another epsilon, in place of one for as many values."""
    mechanisms = [(place, e) for place, e in places(document["queries"]) if isinstance(e, dict) and "draw" in e]
    place, own = rng.choice(mechanisms)
    fitting = [e for _, e in mechanisms if e["k"] == own["k"] and e != own]
    if fitting and rng.random() < 0.5:
        other = deepcopy(rng.choice(fitting))
    else:
        odds = rng.choice((Fraction(5, 4), Fraction(3, 2), Fraction(5, 2), Fraction(7), Fraction(20)))
        threshold = int(2**64 * odds / (odds + own["k"] - 1))
        sides = ["sides", "threshold", ["run", "v", "k", 1]]
        other = {
            "codes": str(own["k"]),
            "draw": sides,
            "k": own["k"],
            "name": "randomized",
            "threshold": str(threshold),
        }
    replaced(document["queries"], place, other)
    return True


def operation(document: Any, rng: random.Random) -> bool:
    """Another operation or number in a draw: no plan to the package, which knows the draw of each mechanism."""
    found = [(place, e) for place, e in places(document["queries"]) if "draw" in place]
    able = [(place, e) for place, e in found if (e in OPERATIONS if isinstance(e, str) else isinstance(e, int))]
    if not able:
        return False
    place, entry = rng.choice(able)
    replaced(
        document["queries"], place, rng.choice(OPERATIONS) if isinstance(entry, str) else entry + rng.choice((1, -1))
    )
    return True


def overlap(document: Any, rng: random.Random) -> bool:
    """Codes of sets must share an item more or less with a person's set, as many as they are."""
    found = [e for _, e in places(document["queries"]) if isinstance(e, dict) and e.get("name") == "meeting"]
    if not found:
        return False
    mechanism = rng.choice(found)
    mechanism["least"] += rng.choice((1, -1))
    return True


WAYS = (integer, weight, factor, omitted, bound, nearer, wider, edge, other_draw, operation, overlap)


def sealed(document: Any) -> str:
    """The text of a plan's document under its right hash, whatever stands in it."""
    body = json.dumps(
        {name: part for name, part in document.items() if name != "hash"}, sort_keys=True, separators=(",", ":")
    )
    return f'{{"hash":"sha256:{hashlib.sha256(body.encode()).hexdigest()}",{body[1:]}\n'


def tampered(content: bytes, rng: random.Random) -> tuple[str, bytes] | None:
    """A plan that differs in one way, with its right hash, and what the way is called; None where it cannot."""
    changed = json.loads(content)
    del changed["hash"]
    way = rng.choice(WAYS)
    if not way(changed, rng):
        return None
    text = sealed(changed).encode()
    return None if text == content else (way.__name__, text)
