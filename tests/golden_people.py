"""People who answer the golden plans: their answers as a client takes them, and as the package's channels do."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).parent / "vectors"
NAMES = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "refused_plans")
REPORTS = 10_000


def text_of(document):
    """The hash first, if there is one, and all else in its order."""
    first = {key: value for key, value in document.items() if key == "hash"}
    rest = {key: value for key, value in document.items() if key != "hash"}
    parts = [json.dumps(part, sort_keys=True, separators=(",", ":"))[1:-1] for part in (first, rest)]
    return "{" + ",".join(filter(None, parts)) + "}"


def sealed(content):
    """The text of a plan's document, under a hash that is right, whatever stands in it."""

    def text(document):
        return json.dumps(document, sort_keys=True, separators=(",", ":"))

    own = text({name: part for name, part in content.items() if name != "hash"})
    return f'{{"hash":"sha256:{sha256(own.encode()).hexdigest()}",{own[1:]}\n'


def golden_text(name):
    """The plan of a file of vectors."""
    return json.loads((VECTORS / f"{name}.json").read_text())["plan"]


def answers(attribute, part, draw):
    """Answers of many people as the client takes them, and as the package's channels do."""
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
