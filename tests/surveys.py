"""Surveys that are right, as text, how to change them (replace a piece that is surely there), and their plans."""

import json
import tomllib
from hashlib import sha256

import pytest

from sordino import Plan, Survey

GRID = """\
version = 1
epsilon = "1"
[attribute.city]
grid = { south = 25, north = 50, west = -130, east = -60, rows = 10, columns = 35 }
protect = { blocks = [5, 5] }
[[ask]]
histogram = "city"
"""

NAMED = """\
version = 1
epsilon = "1"
[attribute.job]
categories = ["baker", "clerk", "judge", "smith"]
protect = { blocks = [["baker", "judge"], ["clerk", "smith"]] }
[[ask]]
histogram = "job"
"""

NUMBERED = """\
version = 1
epsilon = "1"
[attribute.page]
categories = 1000
protect = { blocks = 25 }
[[ask]]
histogram = "page"
"""

SURVEYS = {"grid": GRID, "named": NAMED, "numbered": NUMBERED}


MADE = {}
"""The plans of this process by what they were made of."""


def planned(survey, people=1000):
    """The plan of a survey's tables, or of its text: made once, since to choose takes long, and a plan is a value."""
    made_of = json.dumps(survey), people
    if made_of not in MADE:
        tables = tomllib.loads(survey) if isinstance(survey, str) else survey
        MADE[made_of] = Plan.of(Survey.read(tables), people)
    return MADE[made_of]


def edit_text(kind, *changes):
    text = SURVEYS[kind]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture
def edited():
    """The text of a survey, changed."""
    return edit_text


@pytest.fixture
def read():
    """A survey read from changed text."""
    return lambda kind, *changes: Survey.read(tomllib.loads(edit_text(kind, *changes)))


@pytest.fixture
def plan():
    """A plan for 1000 people."""
    return lambda kind, *changes: planned(edit_text(kind, *changes))


@pytest.fixture
def tables():
    """The tables of a survey that asks for some attributes once each, with a weight where it is told."""

    def make(attributes, epsilon="1", **weights):
        asks = [{"histogram": name} | ({"weight": weights[name]} if name in weights else {}) for name in attributes]
        top = {} if epsilon is None else {"epsilon": epsilon}
        return {"version": 1, **top, "attribute": attributes, "ask": asks}

    return make


@pytest.fixture
def sealed():
    """Give a document the hash of its contents, as whoever changed it would."""

    def seal(document):
        content = {key: value for key, value in document.items() if key != "hash"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return {**content, "hash": "sha256:" + sha256(text.encode()).hexdigest()}

    return seal
