"""People who answer the golden plans: their answers as a client takes them, and as the package's channels do."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).parent / "vectors"
NAMES = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "refused_plans")
REPORTS = 10_000


def text_of(document):
    """The text of a plan's file: the hash first, if there is one, all else in its order, and a line feed at the end."""
    first = {key: value for key, value in document.items() if key == "hash"}
    rest = {key: value for key, value in document.items() if key != "hash"}
    parts = [json.dumps(part, sort_keys=True, separators=(",", ":"))[1:-1] for part in (first, rest)]
    return "{" + ",".join(filter(None, parts)) + "}\n"


def sealed(content):
    """The text of a plan's document, under a hash that is right, whatever stands in it."""

    def text(document):
        return json.dumps(document, sort_keys=True, separators=(",", ":"))

    own = text({name: part for name, part in content.items() if name != "hash"})
    return f'{{"hash":"sha256:{sha256(own.encode()).hexdigest()}",{own[1:]}\n'


def golden_text(name):
    """The plan of a file of vectors."""
    return json.loads((VECTORS / f"{name}.json").read_text())["plan"]


def all_answers(plan, draw):
    """Answers of many people to a plan, by attribute, that go with the earlier ones: as `answers`."""
    columns = {}
    for name in sorted(plan.attributes, key=lambda name: depth(plan, name)):
        part = plan.document.attributes[name]
        told, own = answers(part, plan.attributes[name].domain, draw)
        labels = part.labels or []
        unasked = 1 << len(labels) if part.several else np.nan if part.number else len(labels) - 1
        for place in range(REPORTS if part.only_if else 0):
            says = all(columns[other][0][place] in given for other, given in part.only_if.items())
            if says and own[place] == unasked:
                told[place], own[place] = labels[0], 0
            elif not says:
                told[place], own[place] = part.not_asked if place % 3 == 0 else None, unasked
        columns[name] = told, own
    return {name: columns[name] for name in plan.attributes}


def depth(plan, name):
    """How many answers decide about it, one about the other."""
    return 1 + max((depth(plan, other) for other in plan.document.attributes[name].only_if or ()), default=0)


def answers(attribute, part, draw):
    """Answers of many people as the client takes them, and as the package's channels do."""
    if attribute.several is not None:
        sizes = draw.integers(attribute.several + 1, size=REPORTS)
        sets = [draw.choice(len(attribute.labels), size, replace=False) for size in sizes]
        names = [[attribute.labels[place] for place in one] for one in sets]
        told = [attribute.none if not own and i % 2 else own for i, own in enumerate(names)]
        return told, np.array([sum(1 << int(place) for place in one) for one in sets])
    if attribute.labels is not None:
        places = draw.integers(len(attribute.labels), size=REPORTS)
        return [attribute.labels[place] for place in places], places
    if attribute.numbers is not None:
        places = draw.integers(attribute.numbers, size=REPORTS)
        return places.tolist(), places
    if attribute.grid is not None:
        latitude = draw.uniform(attribute.grid.south, attribute.grid.north, REPORTS)
        longitude = draw.uniform(attribute.grid.west, attribute.grid.east, REPORTS)
        pairs = zip(latitude.tolist(), longitude.tolist(), strict=True)
        return [{"latitude": one, "longitude": other} for one, other in pairs], part.locate(latitude, longitude)
    low, high = attribute.number.low, attribute.number.high
    beyond = 0.1 * (high - low) * attribute.number.clip
    numbers = draw.uniform(low - beyond, high + beyond, REPORTS)
    # Ends and round numbers are those that rounding treats in ways of their own.
    numbers[::7] = np.round(numbers[::7])
    numbers[: REPORTS // 100] = low
    numbers[-REPORTS // 100 :] = high
    if attribute.missing is None:
        return numbers.tolist(), numbers
    missing = draw.random(REPORTS) < 0.1
    told = zip(numbers.tolist(), missing.tolist(), strict=True)
    return [None if none else number for number, none in told], np.where(missing, np.nan, numbers)


def column(question, columns):
    """What a question's channel takes."""
    return question.column({name: columns[name][1] for name in question.attribute_names})
