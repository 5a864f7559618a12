"""Plans of all kinds with some parts changed, under a right hash: golden ones, made ones, any words over nothing."""

import copy
from collections import defaultdict
from itertools import product

from golden_people import sealed
from sordino import ChannelTable

TEXTS = ["", "0", "01", "2", " 2", "1.0", "1/2", "2/4", "ln 2", "ln 3/2", "0 + ln 2", "inf", "100", "101", "-1", "1/0"]
TEXTS += ["0x10", "x", "X", "b", "x\u200b", "\u00e9", "18446744073709551616", "9" * 30, "toString", "\ud800"]
NUMBERS = [0, 1, -1, 2, 3, 0.5, -0.0, 1.0, 1e-7, 64, 100, 512, 2**20 + 1, 2**22 + 1, 1e60, 1e61, 1e300]
NUMBERS += [2**53, 2**53 + 2, 2**62, 2**63, 2**64]
OTHERS = [None, True, 1, "1", [], {}, [0], {"epsilon": "1"}]
NAMED = ["x", "b", "missing", "delta", "protect", "epsilon", "blocks", "sensitive", "bounds", "metric", "expected"]
NAMED += ["several", "none", "way", "only_if", "not_asked"]
NAMED += ["spikes", "rest", "thresholds", "bins", "base", "window", "lengths", "per", "toString", "__proto__"]

VALUES = {
    "labels": {"labels": ["0", "1", "2", "5"], "columns": ["x"]},
    "numbers": {"numbers": 4, "columns": ["x"]},
    "grid": {
        "grid": {"south": 0, "north": 10, "west": 0, "east": 10, "rows": 2, "columns": 2},
        "columns": ["north", "east"],
    },
}
STEPS = {"per": "100", "unit": "km", "row_step": "1/2", "column_step": "1/3"}
LAST = {"labels": "5", "numbers": "3"}


def of_words():
    """Plans of each promise about each kind of value, by channels that tell nothing: words alone decide."""
    for (kind, values), inner in product(VALUES.items(), (False, True)):
        last = LAST.get(kind, "")
        below = {"all": ["g", last], "g": ["0", "1", "2"]} if inner else {"0": ["1", "2"], "1": [last]}
        metrics = [
            {"tree": below, "lengths": {last: "2"}},
            {"per": "2"},
            {"positions": ["0", "1", "5/2", "-3"]},
            {"map": STEPS},
        ]
        bounds = [["0" if i == j else "inf" if (i + j) % 3 == 0 else "1" for j in range(4)] for i in range(4)]
        protects = [{"epsilon": "1", "metric": metric} for metric in metrics]
        protects += [{"epsilon": "0", "metric": {"per": "1"}}, {"bounds": bounds}, {"epsilon": "ln 2"}]
        protects += [{"epsilon": "1", "sensitive": [0, 2]}, {"epsilon": "1", "blocks": {"of": [0, 0, 1, 1]}}]
        protects += [{"epsilon": "1", "blocks": {"run": 2}}, {"epsilon": "1", "blocks": {"tiles": [1, 2]}}]
        for protect in protects:
            x, y = values | {"protect": protect}, {"labels": ["a", "b"], "columns": ["y"], "protect": {"epsilon": "1"}}
            yield _plan({"x": x}, {"histogram": "x", "mechanism": _table(4)})
            yield _plan({"x": x, "y": y}, {"table": ["x", "y"], "mechanism": _table(8)})


def _table(k):
    return ChannelTable([[1, 1]] * k).document_fields


def _plan(attributes, query):
    asked = query | {"weight": 1, "subtract_totals": False}
    return {"format": "sordino plan", "version": 4, "people": 1000, "attributes": attributes, "queries": [asked]}


def places(found, path=()):
    """Where each part of a document stands; of a long list some."""
    for key, part in found.items() if isinstance(found, dict) else enumerate(found[:9]):
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


def part_at(document, path):
    """What stands there."""
    for key in path:
        document = document[key]
    return document


def another(found, draw):
    """Something else in its place."""
    if isinstance(found, str):
        digits = []
        if found.isdecimal():
            step = draw.choice([-1, 1]) << draw.randrange(60)
            digits = [str(int(found) + 1), str(abs(int(found) + step)), f"0{found}", int(found)]
        return draw.choice([*TEXTS, f"{found} ", found.upper(), *digits * 4])
    if isinstance(found, list):
        mixed = draw.sample(found, len(found))
        return draw.choice([found[1:], found[:-1], [*found, *found[:1]], mixed, found[::-1], [found], [*found, 0], []])
    if isinstance(found, dict):
        gone = draw.choice(sorted(found) or [None])
        less = {key: part for key, part in found.items() if key != gone}
        return draw.choice([less, less, found | {draw.choice(NAMED): draw.choice(OTHERS)}])
    if isinstance(found, bool):
        return draw.choice([not found, int(found), *OTHERS])
    near = [] if found is None else [found + 1, found - 1, -found, float(found)]
    return draw.choice([*near, *NUMBERS, *OTHERS, str(found)])


def changed(document, draw):
    """The text of a document with one to three parts changed, and where; rare fields are drawn as often as others."""
    found = copy.deepcopy(document)
    where = []
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        alike = defaultdict(list)
        for place in places(found):
            if place[0] not in ("hash", "format", "version"):
                alike[tuple(key for key in place if not isinstance(key, int))[-2:]].append(place)
        *path, last = draw.choice(alike[draw.choice(sorted(alike))])
        inner = part_at(found, path)
        elsewhere = draw.choice([place for places_of in alike.values() for place in places_of])
        other = copy.deepcopy(part_at(found, elsewhere))
        inner[last] = other if draw.random() < 0.1 else another(inner[last], draw)
        where.append([*path, last])
    return sealed(found), where
