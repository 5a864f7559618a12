"""Every mistake of a survey file is listed with its path, its rule, what was found and the nearest right name."""

import pytest

from in_one import in_one
from sordino import SordinoErrors, Survey

CATEGORIES = '["baker", "clerk", "judge", "smith"]'
NAMES = '[["baker", "judge"], ["clerk", "smith"]]'
GRID = "grid = { south = 25, north = 50, west = -130, east = -60, rows = 10, columns = 35 }"

SINGLE = {
    # version
    "newer version": ("named", ("version = 1", "version = 2"), ["version", "1", "2"]),
    "version as text": ("named", ("version = 1", 'version = "1"'), ["version", "'1'"]),
    # epsilon
    "epsilon zero": ("named", ('"1"', '"0"'), ["epsilon", "above 0", "'0'"]),
    "epsilon below zero": ("named", ('"1"', '"-1"'), ["epsilon", "0", "'-1'"]),
    "epsilon ln 1": ("named", ('"1"', '"ln 1"'), ["epsilon", "above 0"]),
    "epsilon ln 0": ("named", ('"1"', '"ln 0"'), ["epsilon", "'ln 0'"]),
    "epsilon nan": ("named", ('"1"', '"nan"'), ["epsilon", "finite", "'nan'"]),
    "epsilon float nan": ("named", ('"1"', "nan"), ["epsilon", "finite", "nan"]),
    "epsilon inf": ("named", ('"1"', '"inf"'), ["epsilon", "finite", "'inf'"]),
    "epsilon 1e400": ("named", ('"1"', '"1e400"'), ["epsilon", "100"]),
    "epsilon 1e9999": ("named", ('"1"', '"1e9999"'), ["epsilon", "1e9999"]),
    "epsilon absurd": ("named", ('"1"', '"100.1"'), ["epsilon", "100", "100.1"]),
    "epsilon 1/0": ("named", ('"1"', '"1/0"'), ["epsilon", "1/0"]),
    "epsilon true": ("named", ('"1"', "true"), ["epsilon", "number", "True"]),
    "epsilon list": ("named", ('"1"', "[]"), ["epsilon", "number", "[]"]),
    "epsilon table": ("named", ('"1"', "{}"), ["epsilon", "number", "{}"]),
    "epsilon word": ("named", ('"1"', '"one"'), ["epsilon", "'one'", "ln 3"]),
    "no epsilon": ("named", ('epsilon = "1"\n', ""), ["epsilon", "must be given"]),
    # unknown keys at each level
    "unknown on top": ("named", ("version", "colour = 1\nversion"), ["colour", "known", "version, epsilon"]),
    "near on top": ("named", ("version", "epsilonn = 1\nversion"), ["epsilonn", "did you mean 'epsilon'"]),
    "near in attribute": ("named", ("protect =", "protct ="), ["attribute.job.protct", "'protect'"]),
    "near in protect": (
        "named",
        (NAMES, f"{NAMES}, release_single_value = true"),
        ["attribute.job.protect.release_single_value", "'release_single_values'"],
    ),
    "near in grid": ("grid", ("rows", "row = 3, rows"), ["attribute.city.grid.row", "'rows'"]),
    "near in ask": ("named", ('"job"', '"job"\nhistogrm = 1'), ["ask.0.histogrm", "'histogram'"]),
    # missing keys
    "no grid edge": ("grid", ("south = 25, ", ""), ["attribute.city.grid.south", "must be given"]),
    "no blocks": ("grid", ("blocks = [5, 5]", "release_single_values = true"), ["attribute.city", "protect", "blocks"]),
    "no histogram": ("named", ('histogram = "job"', ""), ["ask.0", "one of histogram, table", "none of them"]),
    "no values": ("named", (f"categories = {CATEGORIES}\n", ""), ["attribute.job", "none of them"]),
    # wrong types
    "histogram as number": ("named", ('"job"', "3"), ["ask.0.histogram", "3"]),
    "rows as float": ("grid", ("rows = 10", "rows = 10.0"), ["attribute.city.grid.rows", "whole number", "10.0"]),
    "rows as text": ("grid", ("rows = 10", 'rows = "10"'), ["attribute.city.grid.rows", "whole number", "'10'"]),
    "south as truth": ("grid", ("south = 25", "south = true"), ["attribute.city.grid.south", "number", "True"]),
    "protect as text": ("named", (f"{{ blocks = {NAMES} }}", '"some"'), ["attribute.job.protect", "table", "'some'"]),
    "release as text": (
        "grid",
        ("[5, 5]", '[5, 5], release_single_values = "yes"'),
        ["attribute.city.protect.release_single_values", "'yes'"],
    ),
    "missing as number": ("named", ("protect =", "missing = 3\nprotect ="), ["attribute.job", "missing", "3"]),
    "column as number": ("named", ("protect =", "column = 3\nprotect ="), ["attribute.job", "column", "3"]),
    "two columns of names": ("named", ("protect =", 'column = ["a", "b"]\nprotect ='), ["attribute.job", "column"]),
    "three columns of a grid": ("grid", ("protect =", 'column = ["a", "b", "c"]\nprotect ='), ["column", "two"]),
    # values
    "missing unknown": ("named", ("protect =", 'missing = "jugde"\nprotect ='), ["attribute.job", "missing", "jugde"]),
    "missing in a grid": ("grid", ("protect =", 'missing = "sea"\nprotect ='), ["attribute.city", "missing", "sea"]),
    "grid and categories": (
        "grid",
        ("protect =", "categories = 4\nprotect ="),
        ["attribute.city", "categories and grid"],
    ),
    "south above north": ("grid", ("south = 25", "south = 51"), ["attribute.city.grid", "south", "51", "50"]),
    "south on north": ("grid", ("south = 25", "south = 50"), ["attribute.city.grid", "south", "below"]),
    "south nan": ("grid", ("south = 25", "south = nan"), ["attribute.city.grid", "south", "nan"]),
    "beyond the pole": ("grid", ("north = 50", "north = 90.5"), ["attribute.city.grid", "-90..90", "90.5"]),
    "west right of east": ("grid", ("west = -130", "west = -59"), ["attribute.city.grid", "west", "-59"]),
    "beyond 180": ("grid", ("west = -130", "west = -190"), ["attribute.city.grid", "-180..180", "-190"]),
    "no rows": ("grid", ("rows = 10", "rows = 0"), ["attribute.city.grid", "0 x 35"]),
    "rows below zero": ("grid", ("rows = 10", "rows = -1"), ["attribute.city.grid", "-1 x 35"]),
    "too many cells": ("grid", ("rows = 10", "rows = 1000000"), ["attribute.city.grid", "at most", "35000000"]),
    "single values of no blocks": (
        "named",
        (f"blocks = {NAMES}", 'sensitive = ["baker"], release_single_values = true'),
        ["attribute.job", "release_single_values", "with blocks", "found no blocks"],
    ),
    "single values at an epsilon": (
        "numbered",
        ("blocks = 25", 'epsilon = "1", release_single_values = true'),
        ["attribute.page", "release_single_values", "found no blocks"],
    ),
    "blocks as number of a grid": ("grid", ("[5, 5]", "5"), ["attribute.city", "[rows, columns]", "found 5"]),
    "one side of a tile": ("grid", ("[5, 5]", "[5]"), ["attribute.city", "[rows, columns]", "[5]"]),
    "empty tiles": ("grid", ("[5, 5]", "[0, 5]"), ["attribute.city", "[0, 5]"]),
    "tiles of one cell": ("grid", ("[5, 5]", "[1, 1]"), ["attribute.city", "350", "release_single_values"]),
}

VALUES = {  # k or names, blocks of them, words
    "one cell": ("grid", (GRID, GRID.replace("= 10,", "= 1,").replace("= 35", "= 1")), ["city", "two values", "1"]),
    "one name": ("named", (CATEGORIES, '["baker"]'), ["attribute.job", "two values"]),
    "one number": ("numbered", ("= 1000", "= 1"), ["attribute.page", "two values"]),
    "none": ("named", (CATEGORIES, "[]"), ["attribute.job", "no labels"]),
    "k zero": ("numbered", ("= 1000", "= 0"), ["attribute.page", "categories", "0"]),
    "k below zero": ("numbered", ("= 1000", "= -7"), ["attribute.page", "categories", "-7"]),
    "k too large": ("numbered", ("= 1000", "= 20000000"), ["attribute.page", "4194304", "20000000"]),
    "k as float": ("numbered", ("= 1000", "= 1e3"), ["attribute.page", "categories", "1000.0"]),
    "k as truth": ("numbered", ("= 1000", "= true"), ["attribute.page", "categories", "True"]),
    "repeated": ("named", (CATEGORIES, '["x", "y", "x", "z"]'), ["attribute.job", "once", "'x'"]),
    "without name": ("named", (CATEGORIES, '["x", "", "z"]'), ["attribute.job", "name", "missing"]),
    "mixed": ("named", (CATEGORIES, '["x", []]'), ["attribute.job", "names", "[]"]),
}

BLOCKS = {
    "one element": ("named", '[["baker"], ["judge", "clerk", "smith"]]', ["release_single_values"]),
    "repeated": ("named", '[["baker", "judge"], ["clerk", "smith", "baker"]]', ["once", "repeated 'baker'"]),
    "missing": ("named", '[["baker", "judge"]]', ["once", "missing 'clerk', 'smith'"]),
    "unknown": (
        "named",
        '[["baker", "judge"], ["clerk", "smyth"]]',
        ["unknown 'smyth'", "missing 'smith'", "did you mean 'smith'"],
    ),
    "empty": ("named", '[["baker", "judge"], ["clerk", "smith"], []]', ["empty"]),
    "numbers for names": ("named", "[[0, 1], [2, 3]]", ["lists of their names", "[[0, 1], [2, 3]]"]),
    "length for names": ("named", "2", ["lists of their names", "2"]),
    "one list": ("named", '["baker", "judge"]', ["lists of their names"]),
    "numbers as text": ("numbered", '"25"', ["length, or lists of numbers", "'25'"]),
    "half a length": ("numbered", "2.5", ["length, or lists of numbers", "2.5"]),
    "truth for a length": ("numbered", "true", ["length, or lists of numbers", "True"]),
    "length zero": ("numbered", "0", ["length, or lists of numbers", "0"]),
    "length one": ("numbered", "1", ["release_single_values", "1000"]),
    "a rest of one": ("numbered", "27", ["release_single_values", "1"]),
    "too few numbers": ("numbered", "[[0, 1], [2, 3]]", ["1000", "4"]),
    "repeated number": ("numbered", "[[0, 1], [1, 2, 3]]", ["once", "repeated 1"]),
    "number out of range": ("numbered", "[[0, 1], [2, 9]]", ["once", "out of range 9"]),
}
PLACES = {"named": ("attribute.job", "blocks = " + NAMES), "numbered": ("attribute.page", "blocks = 25")}


def mistakes(read, kind, *changes):
    with pytest.raises(SordinoErrors) as caught:
        read(kind, *changes)
    assert f"{len(caught.value.errors)} mistake" in str(caught.value)
    assert all(str(error) in str(caught.value) for error in caught.value.errors)
    return [str(error) for error in caught.value.errors]


@in_one("kind, change, words", [*SINGLE.values(), *VALUES.values()])
def test_a_mistake_is_named(read, kind, change, words):
    # Values without their blocks: blocks of values that are not there would be a second mistake.
    alone = change[0] in (CATEGORIES, "= 1000", GRID)
    protect = {
        "named": [(f"protect = {{ blocks = {NAMES} }}\n", "")],
        "numbered": [("protect = { blocks = 25 }\n", "")],
        "grid": [("protect = { blocks = [5, 5] }\n", "")],
    }[kind]
    (found,) = mistakes(read, kind, change, *(protect if alone else []))
    assert [word for word in words if word not in found] == []


@pytest.mark.parametrize(("kind", "blocks", "words"), BLOCKS.values(), ids=BLOCKS)
def test_a_partition_holds_each_value_once(read, kind, blocks, words):
    path, old = PLACES[kind]
    (found,) = mistakes(read, kind, (old, f"blocks = {blocks}"))
    assert [word for word in [path, *words] if word not in found] == []


@pytest.mark.parametrize(("asked", "hint"), [("jbo", "'job'"), ("smoker", ""), ("Job", "'job'")])
def test_a_question_is_about_an_attribute_of_the_survey(read, asked, hint):
    (found,) = mistakes(read, "named", ('"job"', f'"{asked}"'))
    assert "ask.0.histogram" in found
    assert repr(asked) in found
    assert ("did you mean" in found) == bool(hint)
    assert hint in found


def test_each_attribute_is_asked_once(read):
    change = ("[[ask]]", '[[ask]]\nhistogram = "job"\n[[ask]]')
    (found,) = mistakes(read, "named", change)
    assert [word for word in ("ask.1.histogram", "once", "'job' again", "weight") if word not in found] == []


def test_each_attribute_is_asked_where_dependence_is_declared():
    categories = {"categories": ["a", "b"]}
    tables = {"epsilon": "1", "attribute": {"job": categories, "home": categories}, "ask": [{"histogram": "job"}]}
    with pytest.raises(SordinoErrors) as found:
        Survey.read({**tables, "dependence": {"rest": 0.5}})
    assert [error.rule for error in found.value.errors] == ["attribute.home must be asked"]


@pytest.mark.parametrize(
    ("kind", "changes", "paths"),
    [
        (
            "named",
            [("version = 1", "version = 7"), ('"1"', '"nan"'), (CATEGORIES, '["x", "x"]'), ('= "job"', '= "jib"')],
            ["version", "epsilon", "attribute.job", "ask.0.histogram"],
        ),
        (
            "grid",
            [
                ("version = 1", "version = 2"),
                ("rows = 10", "row = 10"),
                ("[5, 5]", "[5, 5], block = 1"),
                ('= "city"', "= 1"),
            ],
            [
                "version",
                "attribute.city.grid.rows",
                "attribute.city.grid.row",
                "attribute.city.protect.block",
                "ask.0.histogram",
            ],
        ),
        (
            "grid",
            [('"1"', "true"), ("south = 25", "south = 60"), ('= "city"', '= "ciy"'), ("[[ask]]", "[[aks]]\n[[ask]]")],
            ["epsilon", "attribute.city.grid", "ask.0.histogram", "aks"],
        ),
        ("numbered", [("blocks = 25", "blocks = 0"), ('"1"', '"0"')], ["epsilon", "attribute.page"]),
        (
            "named",
            [("protect =", "protct = 1\nprotect ="), (CATEGORIES, '["x", "x"]'), ('"1"', '"0"')],
            ["epsilon", "attribute.job.protct", "attribute.job"],
        ),
        (
            "named",
            [("protect =", 'column = 3\nmissing = "x"\nprotect ='), ('["clerk", "smith"]', '["clerk"]')],
            ["attribute.job"] * 3,
        ),
    ],
    ids=["every part", "every level", "types and names", "two", "behind an unknown name", "in one attribute"],
)
def test_all_mistakes_are_told_at_once(read, kind, changes, paths):
    found = mistakes(read, kind, *changes)
    assert len(found) == len(paths)
    assert sorted(text.split()[0].rstrip(":") for text in found) == sorted(paths)


LETTERS = {name: {"categories": ["1", "2"]} for name in ("v", "w", "v, w")}
NUMBERS = {name: {"number": {"low": 0, "high": 9}} for name in ("v", "w")}
OTHERS = {name: {"categories": ["1", "2"]} for name in ("mean of v", "regression of v on w", "v from 5")}


@pytest.mark.parametrize(
    ("attributes", "asks"),
    [
        (LETTERS, [{"table": ["v", "w"]}, {"histogram": "v, w"}]),
        (NUMBERS | OTHERS, [{"mean": "v"}, {"histogram": "mean of v"}]),
        (NUMBERS | OTHERS, [{"regression": {"target": "v", "features": ["w"]}}, {"histogram": "regression of v on w"}]),
        (NUMBERS | OTHERS, [{"above": "v", "threshold": 5}, {"histogram": "v from 5"}]),
        (NUMBERS, [{"mean": ["v", "w"]}, {"covariance": ["v", "w"]}, {"mean": ["v", "w"]}]),
        (LETTERS | {"u": LETTERS["v"]}, [{"tables": {"of": ["v", "w", "u"]}}, {"histogram": "v, w"}]),
    ],
)
def test_two_questions_of_one_name_are_refused_with_both_places(attributes, asks):
    asked = [
        {"histogram": name} if "categories" in table else {"distribution": name} for name, table in attributes.items()
    ]
    asked = [ask for ask in asked if ask not in asks]
    (word, other), last = (next(iter(ask)) for ask in (asks[0], asks[-1])), len(asks) - 1
    survey = {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [*asks, *asked]}
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey)
    (mistake,) = refused.value.errors
    assert mistake.rule == f"ask.{last}.{other} must have a different name than ask.0.{word}"
    assert "rename an attribute" in str(mistake)
