"""Draws that no interpreter can read are refused with what stands there, before a word is drawn."""

import copy
import json
from pathlib import Path

import pytest

from sordino import SordinoError
from sordino.mechanism.draws.code_distribution import code_distribution
from sordino.mechanism.draws.draw_program import Draw
from sordino.mechanism.draws.operations import LISTS, NUMBERS, SETS, WEIGHTS

VECTORS = Path(__file__).parents[2] / "vectors"
PART = {"k": 2, "codes": "2", "draw": ["sides", 1, ["run", "v", "k", 1]]}
RECORD = {"k": 4, "codes": "4", "table": ["1", "2", "3", "4"], "part": PART, "threshold": str(1 << 63)}
WRONG = {
    "an unknown operation": (["=", "v", 1], r"must be one of \+, .* hide; found '='"),
    "an unknown operation within one": (["+", "v", ["let", "v"]], "found 'let'"),
    "no operation": ([], r"must be one of \+, .*found \[\]"),
    "an operation that is no text": ([3, "v"], "found 3"),
    "an operation for lists": (["each", 4, "i"], "found 'each'"),
    "too few arguments": (["+", "v"], r"'\+' in a draw takes 2 arguments; found 1 of them"),
    "too many arguments": (["drop", 1], "takes 0 arguments"),
    "an unknown entry": ("size", "must name entries of its record: k, codes, table, part, threshold; found 'size'"),
    "an entry that is no number": (["coin", "table"], "must be one in its record; found 'table'"),
    "a fraction": (["+", "v", 0.5], r"must be a whole number, .*found 0\.5"),
    "a truth": (["+", "v", True], "found True"),
    "nothing": (None, "found None"),
    "a table": ({"a": 1}, "must be a whole number"),
    "the place of a list outside of one": (["+", "i", 1], "found 'i'"),
    "the value as a bound": (["below", "v"], "found 'v'"),
    "the value within a list": (["pick", ["list", 1, "v"]], "found 'v'"),
    "the value in the formula of a list": (["pick", ["each", 4, "v"]], "found 'v'"),
    "a drawn bound": (["below", ["below", 2]], "constants in a draw must be one of"),
    "a drawn threshold": (["coin", ["below", 2]], "threshold of a coin must be one of"),
    "a list that is a number": (["pick", "k"], "must be a list of the record; found 'k'"),
    "a list by an unknown operation": (["pick", ["row", 1, 2]], "found 'row'"),
    "a number as a list": (["pick", 3], "makes a list must be one of list, each, at, outward; found 3"),
    "an unknown set": (["sides", 1, ["disc", "v", 2]], "codes of a side must be one of run, .*found 'disc'"),
    "a set that is none": (["sides", 1, "run"], "found 'run'"),
    "a part that is a number": (["digits", "k"], "must be records of mechanisms; found 'k'"),
    "an unknown part": (["digits", "parts"], "found 'parts'"),
    "a part that is no name": (["digits", [PART]], "must name entries of its record"),
}


@pytest.mark.parametrize(("draw", "message"), WRONG.values(), ids=WRONG)
def test_a_draw_that_is_none_is_refused_with_what_stands_there(draw, message):
    with pytest.raises(SordinoError, match=message) as refused:
        Draw({**RECORD, "draw": draw})
    assert "docs/plan-format.md" in str(refused.value)


@pytest.mark.parametrize("name", ["k", "codes", "draw"])
def test_a_record_without_its_sizes_or_its_draw_is_none(name):
    whole = {**RECORD, "draw": "v"}
    with pytest.raises(SordinoError, match=f"found no {name}"):
        Draw({entry: found for entry, found in whole.items() if entry != name})
    with pytest.raises(SordinoError, match=f"found no {name}"):
        Draw({**RECORD, "part": {entry: PART[entry] for entry in PART if entry != name}, "draw": ["digits", "part"]})


def test_a_right_draw_is_none_of_these():
    draw = [
        "if",
        ["coin", ["at", "table", ["%", "v", 2]]],
        ["pick", ["each", "k", ["+", "i", 1]]],
        ["below", ["*", 2, 2]],
    ]
    assert sum(code_distribution(Draw({**RECORD, "draw": draw}), 3).values()) == 1


def records_of(found):
    """The records of mechanisms at every depth of a plan."""
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    own = [found] if isinstance(found, dict) and "draw" in found else []
    return own + [record for part in parts for record in records_of(part)]


def operations_of(found, path=()):
    """Where operations stand in a draw."""
    if isinstance(found, list):
        if found and isinstance(found[0], str) and found[0] in {*NUMBERS, *LISTS, *WEIGHTS, *SETS}:
            yield (*path, 0)
        for place, part in enumerate(found):
            yield from operations_of(part, (*path, place))


def test_every_operation_of_the_golden_plans_is_known_and_another_in_its_place_is_refused():
    seen = set()
    for path in sorted(VECTORS.glob("*.json")):
        vector = json.loads(path.read_text())
        for record in records_of(json.loads(vector["plan"])["queries"]) if isinstance(vector, dict) else ():
            Draw(record)
            for place in operations_of(record["draw"]):
                changed = copy.deepcopy(record)
                inner = changed["draw"]
                for part in place[:-1]:
                    inner = inner[part]
                seen.add(inner[0])
                inner[0] = "unknown"
                with pytest.raises(SordinoError, match="found 'unknown'"):
                    Draw(changed)
    assert {"sides", "run", "masks", "points", "pick", "digits", "blocks", "hide", "at", "list", "each"} <= seen
