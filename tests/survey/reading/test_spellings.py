"""What a newcomer writes is what is read: each spelling is the survey that it stands for."""

import json
import re
import tomllib
import warnings
from copy import deepcopy
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formatted import Written, formatted
from in_one import in_one
from sordino import SordinoWarning
from sordino import plan as make_plan
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.nats import Nats
from sordino.survey.reading import spelled_attribute, spelled_protection, spelled_questions, spellings
from sordino.survey.reading.open_epsilon import open_survey
from sordino.survey.reading.spellings import declared_tables
from sordino.survey.reading.survey_file import Survey

FIRST_TRIES = sorted((Path(__file__).parent / "first_tries").glob("*.toml"))
"""Surveys written from imagination by somebody who had not read the reference."""

REFUSED = {
    "drugs": 'write [attribute.any_drugs] with yes_no = true, and only_if = "any_drugs = yes"',
    "violence": 'write [attribute.physical_or_sexual] with yes_no = true, which asks for both, and only_if = "physical',
    "water": 'write categories = ["0 to 49", "50 to 99", "100 to 149",',
    "census": '"45 to 64", "65 to 100"] and protect = { metric = [0, 1.2, 2.7, 4.7] }',
    "game": 'write categories = ["0 to 99", "100 to 199", "200 to 299",',
    "gym": 'name it otherwise, as plan_group, and write column = "plan" there',
    "housing": 'write missing = "NAME", a category that an empty answer counts as',
    "pay": "or protect = { metric = [0, 1, 2, 3, 4] } by distance",
    "sleep": 'write number = [0, 24] and unit = "h"',
    "symptom_days": 'write [attribute.any_symptoms] with yes_no = true, and only_if = "any_symptoms = yes"',
    "teachers": 'ask for several = "subjects"',
    "weight": 'write categories = ["0 to 4", "5 to 9", "10 to 14",',
}
"""What cannot be promised as it is written, each with what the refusal says to write."""


@pytest.mark.parametrize("path", FIRST_TRIES, ids=lambda path: path.stem)
def test_a_first_try_is_planned_or_told_what_to_write(path):
    if path.stem in REFUSED:
        with pytest.raises(SordinoErrors) as refused:
            make_plan(path, 10_000)
        (error,) = refused.value.errors
        assert REFUSED[path.stem] in error.step
        return
    with warnings.catch_warnings():
        # So many questions are too many for so few people.
        warnings.simplefilter("ignore", SordinoWarning)
        first = make_plan(path, 10_000)
        assert make_plan(tomllib.loads(formatted(path.read_text(encoding="utf-8"))), 10_000).bytes == first.bytes


def test_hardly_any_first_try_is_refused():
    assert len(FIRST_TRIES) == 62
    assert {*REFUSED} <= {path.stem for path in FIRST_TRIES}
    assert len(REFUSED) <= 12


CATEGORIES = {"categories": ["yes", "no"]}
COLOURS = {"categories": ["red", "green", "blue"]}
SCALE = {"number": {"low": -0.5, "high": 10.5, "bins": 11}, "input": "slider"}
AGE = {"number": {"low": 0, "high": 120}}
REGION = {"categories": ["north", "south"]}
MAP = {"grid": {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 5, "columns": 5}}
TOTALS = {"north": 12000, "south": 8000}


def asking(ask, **attributes):
    """A survey of two attributes and a question, or several."""
    return {
        "epsilon": "1",
        "attribute": {"x": CATEGORIES, **attributes},
        "ask": ask if isinstance(ask, list) else [ask],
    }


MINUTES = {"low": -0.5, "high": 480.5, "edges": [-0.5, 119.5, 239.5, 359.5, 480.5]}
X = {"histogram": "x"}

ATTRIBUTES = {
    "question": ({**COLOURS, "question": "Which?"}, {**COLOURS, "text": "Which?"}),
    "a title beside a question": (
        {**COLOURS, "title": "Colour", "question": "Which?"},
        {**COLOURS, "text": "Which?", "help": "Colour"},
    ),
    "a column by another word": ({**COLOURS, "field": "c", "note": "One."}, {**COLOURS, "column": "c", "help": "One."}),
    "in order": ({**COLOURS, "ordered": True}, COLOURS),
    "choose all": (
        {"choose_all": ["share", "export", "voice"]},
        {"categories": ["share", "export", "voice"], "several": 3},
    ),
    "select all, or none": (
        {"select_all": ["red", "green", "blue", "none of these"]},
        {**COLOURS, "several": 3, "none": "none of these"},
    ),
    "bins with names": (
        {"bins": ["under 400", "400-800", "800-1200", "over 1200"]},
        {"categories": ["under 400", "400-800", "800-1200", "over 1200"]},
    ),
    "whole numbers by distance": (
        {"numbers": {"from": 0, "to": 3, "step": 1}, "protect": {"distance": 2}},
        {"categories": ["0", "1", "2", "3"], "protect": {"metric": {"per": 2}}},
    ),
    "choose all that apply": (
        {**COLOURS, "choose": "all", "text": "Choose all that apply."},
        {**COLOURS, "several": 3, "text": "Choose all that apply."},
    ),
    "choose any that apply, of a type": (
        {**COLOURS, "choose": "any that apply", "type": "category"},
        {**COLOURS, "several": 3},
    ),
    "choose a single one": ({**COLOURS, "choose": "one"}, COLOURS),
    "check all": ({**COLOURS, "check_all": True}, {**COLOURS, "several": 3}),
    "choose one": ({"choose_one": ["red", "green", "blue"]}, COLOURS),
    "groups of names": (
        {"groups": ["under 18", "18+"], "ordinal": True},
        {"categories": ["under 18", "18+"]},
    ),
    "at most two alone": ({**COLOURS, "max": 2}, {**COLOURS, "several": 2}),
    "at most one": ({**COLOURS, "max": 1}, COLOURS),
    "one word that could mean all": ({**CATEGORIES, "sensitive": "yes"}, CATEGORIES),
    "one word within protect that could mean all": ({**CATEGORIES, "protect": {"sensitive": "yes"}}, CATEGORIES),
    "one word for no value": ({**CATEGORIES, "sensitive": "no"}, CATEGORIES),
    "one word for one value": ({**COLOURS, "sensitive": "red"}, {**COLOURS, "protect": {"sensitive": ["red"]}}),
    "true among yes and no": ({"yes_no": True, "sensitive": [True]}, {**CATEGORIES, "protect": {"sensitive": ["yes"]}}),
    "protected by no word": ({**COLOURS, "protect": "none"}, COLOURS),
    "not protected": ({**COLOURS, "protect": False}, COLOURS),
    "sensitive values of a scale": (
        {"scale": [1, 3], "sensitive": [3]},
        {"categories": ["1", "2", "3"], "protect": {"sensitive": ["3"]}},
    ),
    "sensitive values of a scale by their labels": (
        {"likert": 3, "labels": ["never", "often", "always"], "protect": {"sensitive": ["always"]}},
        {
            "categories": ["1", "2", "3"],
            "labels": {"1": "never", "2": "often", "3": "always"},
            "protect": {"sensitive": ["3"]},
        },
    ),
    "a scale by distance": (
        {"scale": [1, 3], "unit": "h", "protect": {"distance": 2}},
        {"categories": ["1", "2", "3"], "protect": {"metric": {"per": 2}}},
    ),
    "label": ({**COLOURS, "label": "Which?"}, {**COLOURS, "text": "Which?"}),
    "hint": ({**COLOURS, "hint": "One."}, {**COLOURS, "help": "One."}),
    "options": ({"options": ["red", "green", "blue"]}, COLOURS),
    "yes_no": ({"yes_no": True}, CATEGORIES),
    "boolean": ({"boolean": True}, CATEGORIES),
    "a boolean type": ({"type": "boolean"}, CATEGORIES),
    "true and false": ({"categories": [True, False]}, {"categories": ["true", "false"]}),
    "whole numbers": ({"categories": [1, 2, 3]}, {"categories": ["1", "2", "3"]}),
    "numbers and a text": ({"categories": [0.5, 1.0, "more"]}, {"categories": ["0.5", "1", "more"]}),
    "a choice": ({**COLOURS, "type": "choice"}, COLOURS),
    "several": (
        {**COLOURS, "several": True},
        {**COLOURS, "several": 3},
    ),
    "multiple with none": (
        {"options": ["red", "green", "none"], "multiple": True},
        {"categories": ["red", "green"], "several": 2, "none": "none"},
    ),
    "a list of several": (
        {"checkboxes": [True, 2, "none"]},
        {"categories": ["true", "2"], "several": 2, "none": "none"},
    ),
    "one of several": ({**COLOURS, "several": False}, COLOURS),
    "sensitive": ({**COLOURS, "sensitive": ["red"]}, {**COLOURS, "protect": {"sensitive": ["red"]}}),
    "sensitive true": (
        {"categories": [True, False], "sensitive": [True]},
        {"categories": ["true", "false"], "protect": {"sensitive": ["true"]}},
    ),
    "all of it sensitive": ({**COLOURS, "sensitive": True}, COLOURS),
    "all of them sensitive": ({**COLOURS, "sensitive": ["red", "green", "blue"]}, COLOURS),
    "all of them protected as sensitive": ({**COLOURS, "protect": {"sensitive": ["red", "green", "blue"]}}, COLOURS),
    "all sensitive in a word": ({**COLOURS, "sensitive": "all"}, COLOURS),
    "all protected in a word": ({**COLOURS, "protect": "all"}, COLOURS),
    "all protected as sensitive, in a word": ({**COLOURS, "protect": {"sensitive": "all"}}, COLOURS),
    "names by distance": (
        {**COLOURS, "protect": {"distance": [0, 1, 3]}},
        {**COLOURS, "protect": {"metric": [0, 1, 3]}},
    ),
    "all protected as sensitive": ({**COLOURS, "protect": {"sensitive": True}}, COLOURS),
    "nothing said to be sensitive": ({**COLOURS, "sensitive": False}, COLOURS),
    "private": ({**COLOURS, "visibility": "private"}, COLOURS),
    "sensitive, and skipped": (
        {**COLOURS, "sensitive": ["red"], "optional": True},
        {
            "categories": ["red", "green", "blue", "no answer"],
            "missing": "no answer",
            "protect": {"sensitive": ["red", "no answer"]},
        },
    ),
    "an epsilon of its own": ({**COLOURS, "epsilon": "0.5"}, {**COLOURS, "protect": {"epsilon": "0.5"}}),
    "levels": ({"type": "ordinal", "levels": ["red", "green", "blue"]}, COLOURS),
    "a scale of names": ({"scale": ["red", "green", "blue"]}, COLOURS),
    "values with labels": (
        {"options": [{"value": "red", "label": "Red"}, {"value": "green", "en": "Green"}, {"value": "blue"}]},
        {**COLOURS, "labels": {"red": "Red", "green": {"en": "Green"}}},
    ),
    "labels by language, in the order of the values": (
        {**CATEGORIES, "text": {"en": "A?", "fr": "B ?"}, "labels": {"fr": ["oui", "non"]}},
        {
            **CATEGORIES,
            "text": {"en": "A?", "fr": "B ?"},
            "labels": {"yes": {"en": "yes", "fr": "oui"}, "no": {"en": "no", "fr": "non"}},
        },
    ),
    "a distance with its unit beside it": (
        {**MAP, "protect": {"distance": 50, "unit": "km"}},
        {**MAP, "protect": {"metric": {"per": "50 km"}}},
    ),
    "half a distance with its unit beside it": (
        {**MAP, "protect": {"distance": 0.5, "unit": "km"}},
        {**MAP, "protect": {"metric": {"per": "0.5 km"}}},
    ),
    "a distance by another word": (
        {**MAP, "protect": {"per": "50 km"}},
        {**MAP, "protect": {"metric": {"per": "50 km"}}},
    ),
    "values by their labels": (
        {"categories": {"red": "Red", "green": {"en": "Green"}, "blue": "Blue"}},
        {**COLOURS, "labels": {"red": "Red", "green": {"en": "Green"}, "blue": "Blue"}},
    ),
    "all that apply": ({**COLOURS, "select": "all"}, {**COLOURS, "several": 3}),
    "numbers by distance": (
        {"categories": [0, 5, 20], "protect": {"distance": 5}},
        {"categories": ["0", "5", "20"], "protect": {"metric": {"per": 5}}},
    ),
    "at most two": ({**COLOURS, "multiple": True, "max": 2}, {**COLOURS, "several": 2}),
    "a set": ({**COLOURS, "type": "set", "max_selected": 2}, {**COLOURS, "several": 2}),
    "a condition by another word": ({**COLOURS, "show_if": {"x": "yes"}}, {**COLOURS, "only_if": {"x": "yes"}}),
    "another value": ({**COLOURS, "when": "x != 'no'"}, {**COLOURS, "only_if": {"x": "yes"}}),
    "optional": (
        {**COLOURS, "optional": True},
        {"categories": ["red", "green", "blue", "no answer"], "missing": "no answer"},
    ),
    "not required": (
        {**COLOURS, "required": False},
        {"categories": ["red", "green", "blue", "no answer"], "missing": "no answer"},
    ),
    "required": ({**COLOURS, "required": True}, COLOURS),
    "optional, and said how": (
        {"categories": ["red", "none"], "missing": "none", "optional": True},
        {"categories": ["red", "none"], "missing": "none"},
    ),
    "on a condition": ({**COLOURS, "only_if": "x = yes"}, {**COLOURS, "only_if": {"x": "yes"}}),
    "two equal signs": ({**COLOURS, "only_if": "x == 'yes'"}, {**COLOURS, "only_if": {"x": "yes"}}),
    "is": ({**COLOURS, "only_if": "x is yes"}, {**COLOURS, "only_if": {"x": "yes"}}),
    "true is yes": ({**COLOURS, "only_if": "x = true"}, {**COLOURS, "only_if": {"x": "yes"}}),
    "of whoever says yes": ({**COLOURS, "only_if": "x"}, {**COLOURS, "only_if": {"x": "yes"}}),
    "true in a table": ({**COLOURS, "only_if": {"x": True}}, {**COLOURS, "only_if": {"x": "yes"}}),
    "two conditions": (
        {**COLOURS, "only_if": "x = no and other in [north, south]"},
        {**COLOURS, "only_if": {"x": "no", "other": ["north", "south"]}},
    ),
}

NUMBERS = {
    "a pair": {"number": [0, 120]},
    "min and max in a table": {"number": {"min": 0, "max": 120}},
    "from and to": {"number": {"from": 0, "to": 120}},
    "range": {"range": [0, 120]},
    "min and max beside": {"min": 0, "max": 120},
    "low and high beside": {"low": 0, "high": 120},
    "with a type": {"type": "number", "min": 0, "max": 120},
    "number is true": {"number": True, "min": 0, "max": 120},
    "minimum and maximum": {"slider": {"minimum": 0, "maximum": 120}},
    "from and to beside": {"from": 0, "to": 120},
    "two ends in a text": {"number": "0-120"},
    "two ends in words": {"range": "0 to 120", "decimals": 2},
    "start and end": {"number": {"start": 0, "end": 120}},
    "a slider": {"type": "slider", "min": 0, "max": 120},
}

SCALES = {
    "a pair": {"scale": [0, 10]},
    "a table": {"scale": {"min": 0, "max": 10}},
    "all values": {"scale": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]},
    "an integer": {"integer": [0, 10]},
    "a rating": {"rating": [0, 10]},
    "a count": {"count": {"minimum": 0, "maximum": 10}},
    "a type": {"type": "integer", "min": 0, "max": 10},
    "a type of a range": {"type": "int", "range": [0, 10]},
    "how likely to recommend": {"type": "nps"},
    "two ends in a text": {"scale": "0-10"},
    "an integer beside a number": {"number": [0, 10], "integer": True},
    "a range of no decimals": {"range": [0, 10], "decimals": 0},
    "in steps of one": {"min": 0, "max": 10, "step": 1},
}


def of_shares(declared):
    return {"several" if "several" in declared else "histogram": "y"}


def of_mean(_):
    return {"mean": "y"}


def _asked_alike(spelled, declared, question):
    """Two surveys, with an attribute as it is spelled and as it is declared."""
    asks = [X, question(declared), {"histogram": "other"}]
    return tuple(asking(asks, y=own, other=REGION) for own in (spelled, declared))


FIRST, LAST = date(2023, 12, 15), date(2025, 2, 3)
DATES = {"low": FIRST, "high": LAST}
DAYS = [FIRST + timedelta(i) for i in range((LAST - FIRST).days + 1)]


def dates_by(starts):
    """A number of days between the two dates, with bins that begin with the first one and on each day that starts."""
    return {"number": {**DATES, "edges": [FIRST, *filter(starts, DAYS[1:-1]), LAST]}}


ENDS = (("a", "x"), ("b", "y"), ("c", "z"))
SKIPPED = {"missing": "0.1"}
ONLY_Y = {"attribute": {"y": {**AGE, "bins": 4}}}
BINNED_Y = {"attribute": {"y": {"number": {"low": 0, "high": 120, "bins": 4}}}}

PUBLIC = {**asking([X]), "public": {"region": REGION}}


def dated(*edges):
    """A number of dates with its bins."""
    return {"number": {"low": edges[0], "high": edges[-1], "edges": [*edges]}}


SURVEYS = {
    **{f"attribute: {name}": _asked_alike(*pair, of_shares) for name, pair in ATTRIBUTES.items()},
    **{f"number: {name}": _asked_alike(own, AGE, of_mean) for name, own in NUMBERS.items()},
    **{f"scale: {name}": _asked_alike(own, SCALE, of_mean) for name, own in SCALES.items()},
    "the median by what is protected": (
        asking([X, {"median": "y", "by": "x"}], y={"number": [0, 120], "bins": 4}),
        asking([X, {"table": ["x", "y"]}], y={"number": {"low": 0, "high": 120, "bins": 4}}),
    ),
    "a mean of names by what is protected": (
        asking([X, {"mean": "y", "by": "x"}], y=COLOURS),
        asking([X, {"table": ["x", "y"]}], y=COLOURS),
    ),
    "a first day that is the last": (
        asking([X, {"histogram": "y"}], y={"dates": {"from": FIRST, "to": date(2024, 3, 1), "step": "month"}}),
        asking([X, {"distribution": "y"}], y=dated(FIRST, date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1))),
    ),
    "shares of dates": (
        asking([X, {"histogram": "y"}], y={"dates": [date(2026, 10, 1), date(2026, 12, 30)]}),
        asking(
            [X, {"distribution": "y"}],
            y=dated(*(date(2026, 10, 1) + timedelta(weeks=week) for week in range(13)), date(2026, 12, 30)),
        ),
    ),
    "shares of a month of days": (
        asking([X, {"histogram": "y"}], y={"dates": [date(2026, 11, 1), date(2026, 11, 30)]}),
        asking([X, {"distribution": "y"}], y=dated(*(date(2026, 11, day) for day in range(1, 31)), date(2026, 12, 1))),
    ),
    "shares of sixty years": (
        asking([X, {"histogram": "y"}], y={"dates": [date(1950, 1, 1), date(2010, 12, 31)]}),
        asking(
            [X, {"distribution": "y"}], y=dated(*(date(year, 1, 1) for year in range(1950, 2011)), date(2010, 12, 31))
        ),
    ),
    "a large integer": (
        asking([X, {"mean": "y"}], y={"integer": [0, 5000]}),
        asking([X, {"mean": "y"}], y={"number": {"low": 0, "high": 5000}}),
    ),
    "an optional number": (
        asking([X, {"mean": "y"}], y={**AGE, "optional": True}),
        asking([X, {"mean": "y"}], y={**AGE, "missing": "0.1"}),
    ),
    "a number on a condition": (
        asking([X, {"mean": "y"}], y={**AGE, "only_if": "x = yes"}),
        asking([X, {"mean": "y"}], y={**AGE, "only_if": {"x": "yes"}, "missing": "0.5"}),
    ),
    "shares of a scale by value": (
        asking([X, {"histogram": "y", "ranges": [[0, 6], [9, 10], 5]}], y={"scale": [0, 10]}),
        asking([X, {"distribution": "y", "ranges": [[-0.5, 6.5], [8.5, 10.5], [4.5, 5.5]]}], y=SCALE),
    ),
    "no value is sensitive": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "protect": {"sensitive": []}}),
        asking([X, {"histogram": "y"}], y=COLOURS),
    ),
    "no value is sensitive, and it is public": (
        asking([X], region={**REGION, "sensitive": [], "public": True}),
        PUBLIC,
    ),
    "a public column is asked": (asking([X, {"histogram": "region"}], region={**REGION, "public": True}), PUBLIC),
    "quantiles of a name": (
        asking([X, {"quantiles": "y"}], y=AGE),
        asking([X, {"distribution": "y", "quantiles": [0.25, 0.5, 0.75]}], y=AGE),
    ),
    "a condition on either value": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": "x = yes or x == 'no'"}),
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": {"x": ["yes", "no"]}}),
    ),
    "a short range of whole numbers": (
        asking([X, {"histogram": "y"}], y={"range": [0, 10]}),
        asking([X, {"distribution": "y"}], y=SCALE),
    ),
    "a short range of whole numbers in a table": (
        asking([{"table": ["x", "y"]}], y={"min": 0, "max": 10}),
        asking([{"table": ["x", "y"]}], y=SCALE),
    ),
    "a short range of which the mean is asked": (
        asking([X, {"mean": "y"}], y={"range": [0, 10]}),
        asking([X, {"mean": "y"}], y={"number": {"low": 0, "high": 10}}),
    ),
    "a short range with decimals": (
        asking([X, {"histogram": "y"}], y={"range": [0, 10], "decimals": 1}),
        asking([X, {"distribution": "y"}], y={"number": {"low": 0, "high": 10}}),
    ),
    "promoters": (
        asking([X, {"nps": "y"}], y={"range": [0, 10]}),
        asking([X, {"distribution": "y", "ranges": [[-0.5, 6.5], [8.5, 10.5]]}], y=SCALE),
    ),
    "promoters at the scale": (
        asking([X], y={"scale": [0, 10], "nps": True}),
        asking([X, {"distribution": "y", "ranges": [[-0.5, 6.5], [8.5, 10.5]]}], y=SCALE),
    ),
    "categories of which the mean is asked": (
        asking([X, {"mean": "y"}], y={"categories": [1, 2, 3, 4, 5]}),
        asking([X, {"mean": "y"}], y={"number": {"low": 0.5, "high": 5.5, "bins": 5}, "input": "slider"}),
    ),
    "nothing is asked of one": (
        asking([X], y={**COLOURS, "only_if": "x = yes"}),
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": {"x": "yes"}}),
    ),
    "two maps": (
        asking([{"histogram": "y"}, {"histogram": "z"}, X], y=MAP, z=MAP),
        asking(
            [{"histogram": "y"}, {"histogram": "z"}, X],
            y={**MAP, "column": ["y_latitude", "y_longitude"]},
            z={**MAP, "column": ["z_latitude", "z_longitude"]},
        ),
    ),
    "days in a table": (
        asking([{"table": ["x", "y"]}], y={"dates": [date(2024, 3, 1), date(2024, 3, 3)]}),
        asking(
            [{"table": ["x", "y"]}],
            y={
                "number": {
                    "low": date(2024, 3, 1),
                    "high": date(2024, 3, 4),
                    "edges": [date(2024, 3, day) for day in (1, 2, 3, 4)],
                }
            },
        ),
    ),
    "what is sensitive and asked because of a sensitive value": (
        asking(
            [X, {"histogram": "y"}],
            x={**CATEGORIES, "sensitive": ["yes"]},
            y={**COLOURS, "only_if": "x = yes", "sensitive": ["red"]},
        ),
        asking(
            [X, {"histogram": "y"}],
            x={**CATEGORIES, "protect": {"sensitive": ["yes"]}},
            y={**COLOURS, "only_if": {"x": "yes"}},
        ),
    ),
    "as many bins as whole numbers": (
        asking([X, {"mean": "y"}], y={"range": [0, 10], "bins": 11}),
        asking([X, {"mean": "y"}], y=SCALE),
    ),
    "as many bins as days": (
        asking([X, {"histogram": "y"}], y={"dates": [date(2024, 3, 1), date(2024, 3, 2)], "bins": 2}),
        asking(
            [X, {"distribution": "y"}],
            y={
                "number": {
                    "low": date(2024, 3, 1),
                    "high": date(2024, 3, 3),
                    "edges": [date(2024, 3, 1), date(2024, 3, 2), date(2024, 3, 3)],
                }
            },
        ),
    ),
    "bins of whole days": (
        asking([X, {"histogram": "y"}], y={"dates": [date(2024, 3, 1), date(2024, 3, 11)], "bins": 3}),
        asking(
            [X, {"distribution": "y"}],
            y={
                "number": {
                    "low": date(2024, 3, 1),
                    "high": date(2024, 3, 11),
                    "edges": [date(2024, 3, 1), date(2024, 3, 4), date(2024, 3, 7), date(2024, 3, 11)],
                }
            },
        ),
    ),
    "sensitive ones of several": (
        asking({"several": "x"}, x={**COLOURS, "several": True, "sensitive": ["red"]}),
        asking({"several": "x"}, x={**COLOURS, "several": 3}),
    ),
    "tables by public columns, and the shares": (
        asking([{"table": ["region", "x"]}, X, {"histogram": "x", "by": "region"}], region={**REGION, "public": True}),
        PUBLIC,
    ),
    "a median": (
        asking([X, {"median": "y"}], y=AGE),
        asking([X, {"distribution": "y", "quantiles": [0.5]}], y=AGE),
    ),
    "quartiles": (
        asking([X, {"quartiles": ["y"]}], y=AGE),
        asking([X, {"distribution": "y", "quantiles": [0.25, 0.5, 0.75]}], y=AGE),
    ),
    "a scale of five": (
        asking([X, {"mean": "y"}], y={"scale": 5}),
        asking([X, {"mean": "y"}], y={"number": {"low": 0.5, "high": 5.5, "bins": 5}, "input": "slider"}),
    ),
    "a step in a number": (
        asking([X, {"mean": "y"}], y={"number": {"low": 0, "high": 120, "step": 2}, "currency": "EUR"}),
        asking(
            [X, {"mean": "y"}],
            y={"number": {"low": 0, "high": 120, "bins": 60}, "step": 2, "input": "slider", "unit": "EUR"},
        ),
    ),
    "dates": (
        asking([X, {"above": "y", "threshold": "2024-06-01"}], y={"date": [FIRST, LAST]}),
        asking([X, {"above": "y", "threshold": date(2024, 6, 1)}], y={"number": DATES}),
    ),
    "dates by weeks": (
        asking([X, {"histogram": "y"}], y={"dates": {"start": FIRST, "end": LAST, "every": "week"}}),
        asking([X, {"distribution": "y"}], y=dates_by(lambda day: day.weekday() == FIRST.weekday())),
    ),
    "dates by months, as texts": (
        asking([X, {"histogram": "y"}], y={"kind": "date", "min": str(FIRST), "max": str(LAST), "bins": "month"}),
        asking([X, {"distribution": "y"}], y=dates_by(lambda day: day.day == 1)),
    ),
    "dates by quarters": (
        asking(
            [X, {"histogram": "y", "ranges": [["2024-04-01", "2025-01-01"]]}],
            y={"dates": [FIRST, LAST], "step": "quarterly"},
        ),
        asking(
            [X, {"distribution": "y", "ranges": [[date(2024, 4, 1), date(2025, 1, 1)]]}],
            y=dates_by(lambda day: day.day == 1 and day.month in (1, 4, 7, 10)),
        ),
    ),
    "dates by years": (
        asking([X, {"histogram": "y"}], y={"number": [FIRST, LAST], "type": "date", "step": "years"}),
        asking([X, {"distribution": "y"}], y=dates_by(lambda day: (day.day, day.month) == (1, 1))),
    ),
    "dates by their edges": (
        asking([X, {"histogram": "y"}], y={"dates": {"bins": [str(FIRST), "2024-07-09", str(LAST)]}}),
        asking([X, {"distribution": "y"}], y=dates_by(lambda day: day == date(2024, 7, 9))),
    ),
    "a map by distance": (
        asking([X, {"histogram": "y"}], y={**MAP, "protect": {"distance": "10 km"}}),
        asking([X, {"histogram": "y"}], y={**MAP, "protect": {"metric": {"per": "10 km"}}}),
    ),
    "bins and a step": (
        asking([X, {"mean": "y"}], y={"range": [0, 120], "bins": 20, "resolution": 2}),
        asking([X, {"mean": "y"}], y={"number": {"low": 0, "high": 120, "bins": 20}, "step": 2, "input": "slider"}),
    ),
    "several histograms": (
        asking({"histogram": ["x", "y", "z"], "weight": 3}, y={**COLOURS, "several": True}, z=AGE),
        asking(
            [{"histogram": "x", "weight": 3}, {"several": "y", "weight": 3}, {"distribution": "z", "weight": 3}],
            y={**COLOURS, "several": 3},
            z=AGE,
        ),
    ),
    "a crosstab": (asking({"crosstab": ["x", "y"]}, y=COLOURS), asking({"table": ["x", "y"]}, y=COLOURS)),
    "by a protected attribute": (
        asking({"histogram": "x", "by": "y"}, y=COLOURS),
        asking({"table": ["y", "x"]}, y=COLOURS),
    ),
    "a table by a protected attribute": (
        asking({"table": ["x", "z"], "by": ["y"]}, y=COLOURS, z=REGION),
        asking({"table": ["y", "x", "z"]}, y=COLOURS, z=REGION),
    ),
    "shares": (asking({"shares": "x"}), asking(X)),
    "a question of an attribute": (asking({"question": "x"}), asking(X)),
    "public": (asking(X, region={**REGION, "public": True}), PUBLIC),
    "protected as public": (asking(X, region={**REGION, "protect": {"public": True}}), PUBLIC),
    "protected as public in a word": (asking(X, region={**REGION, "protect": "public"}), PUBLIC),
    "a public scale": (
        asking(X, region={"scale": [7, 10], "public": True}),
        {**asking(X), "public": {"region": {"categories": ["7", "8", "9", "10"]}}},
    ),
    **{
        f"totals: {name}": (tables, {**asking(X), "public": {"region": {**REGION, "totals": TOTALS}}})
        for name, tables in {
            "a population": asking(X, region={**REGION, "public": True, "population": TOTALS}),
            "a population at the top": {**PUBLIC, "population": {"region": TOTALS}},
            "a population of categories": {**PUBLIC, "population": TOTALS},
            "totals at the top": {**PUBLIC, "totals": {"region": TOTALS}},
        }.items()
    },
    "weights at the top": (
        {**PUBLIC, "weights": {"region": {"north": 3.5, "south": 40}}},
        {**asking(X), "public": {"region": {**REGION, "weights": {"north": 3.5, "south": 40}}}},
    ),
    "public by one name": (asking(X, region=REGION) | {"public": "region"}, PUBLIC),
    "all values but two": (
        asking(
            [X, {"histogram": "y"}, {"histogram": "z"}], y=COLOURS, z={**CATEGORIES, "if": "y != red and y != blue"}
        ),
        asking([X, {"histogram": "y"}, {"histogram": "z"}], y=COLOURS, z={**CATEGORIES, "only_if": {"y": "green"}}),
    ),
    "public by name": (asking(X, region=REGION) | {"public": ["region"]}, PUBLIC),
    "a public column": ({**asking(X), "public": {"region": {"options": ["north", "south"]}}}, PUBLIC),
    "not public": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "public": False}),
        asking([X, {"histogram": "y"}], y=COLOURS),
    ),
    "by a public column": (asking({"histogram": "x", "by": ["region"]}, region={**REGION, "public": True}), PUBLIC),
    "a crosstab by a public column": (asking({"crosstab": ["region", "x"]}, region={**REGION, "public": True}), PUBLIC),
    "a mean by a public column": (
        asking({"mean": "y", "by": "region"}, y=AGE, region={**REGION, "public": True})
        | {"attribute": {"y": AGE, "region": {**REGION, "public": True}}},
        {"epsilon": "1", "attribute": {"y": AGE}, "public": {"region": REGION}, "ask": [{"mean": "y"}]},
    ),
    "means by a protected attribute": (
        {**PUBLIC, **asking([{"mean": ["y", "z"], "by": ["region", "x"], "weight": 2}], y=AGE, z=AGE)},
        PUBLIC
        | asking([{"regression": {"target": name, "features": ["x"]}, "weight": 2} for name in "yz"], y=AGE, z=AGE),
    ),
    "a title": (
        {**asking(X), "title": "Us", "language": "en"},
        {**asking(X), "about": {"title": "Us", "languages": ["en"]}},
    ),
    "a purpose": (
        {**asking(X), "name": "Us", "description": "Why"},
        {**asking(X), "about": {"title": "Us", "purpose": "Why"}},
    ),
    "a question drawn first": (
        {"epsilon": "1", "attribute": {"x": CATEGORIES}, "questions": [X], "ask": "drawn"},
        {**asking(X), "about": {"ask": "drawn"}},
    ),
    "a consent": ({**asking(X), "consent": "I agree."}, {**asking(X), "about": {"consent": {"text": "I agree."}}}),
    "a consent in a table": (
        {**asking(X), "about": {"consent": {"en": "Yes", "de": "Ja"}}},
        {**asking(X), "about": {"consent": {"text": {"en": "Yes", "de": "Ja"}}}},
    ),
    "a logarithm": ({**asking(X), "epsilon": "ln(3)"}, {**asking(X), "epsilon": "ln 3"}),
    "other names of tables": (
        {"epsilon": "1", "attributes": {"x": CATEGORIES}, "questions": [X]},
        asking(X),
    ),
    "questions that describe": ({"epsilon": "1", "questions": {"x": CATEGORIES}, "ask": [X]}, asking(X)),
    "a list of attributes": ({"epsilon": "1", "attribute": [{"name": "x", **CATEGORIES}], "ask": [X]}, asking(X)),
    "one question": ({**asking(X), "ask": X}, asking(X)),
    "nothing is asked": (
        {"epsilon": "1", "attribute": {"x": CATEGORIES, "y": AGE, "z": {**COLOURS, "several": 2}}},
        asking([X, {"mean": "y"}, {"several": "z"}], y=AGE, z={**COLOURS, "several": 2}),
    ),
    "bins by their edges": (
        asking({"distribution": "x"}, x={"number": {"bins": [0, 500, 2000]}}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 2000, "edges": [0, 500, 2000]}}),
    ),
    "edges between the ends": (
        asking({"distribution": "x"}, x={"number": [0, 120], "edges": [18, 65]}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 120, "edges": [0, 18, 65, 120]}}),
    ),
    "edges from one end": (
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 120, "edges": [0, 18, 65]}}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 120, "edges": [0, 18, 65, 120]}}),
    ),
    "edges of dates": (
        asking({"histogram": "x"}, x={"dates": [FIRST, LAST], "edges": ["2024-07-09"]}),
        asking({"distribution": "x"}, x=dates_by(lambda day: day == date(2024, 7, 9))),
    ),
    "edges of a scale": (
        asking({"histogram": "x"}, x={"integer": [18, 100], "edges": [30, 65]}),
        asking(
            {"distribution": "x"},
            x={"number": {"low": 17.5, "high": 100.5, "edges": [17.5, 29.5, 64.5, 100.5]}, "input": "slider"},
        ),
    ),
    "bins of a scale": (
        asking({"histogram": "x", "bins": 10}, x={"integer": [1, 100]}),
        asking({"distribution": "x"}, x={"number": {"low": 0.5, "high": 100.5, "bins": 10}, "input": "slider"}),
    ),
    "bins of one width": (
        asking({"histogram": "x"}, x={"number": [0, 120], "bins": {"width": 10}}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 120, "bins": 12}}),
    ),
    "the width of bins of a scale": (
        asking({"histogram": "x"}, x={"integer": [1, 100], "bin_width": 20}),
        asking({"distribution": "x"}, x={"number": {"low": 0.5, "high": 100.5, "bins": 5}, "input": "slider"}),
    ),
    "the width of bins of whole numbers from 0": (
        asking({"histogram": "x"}, x={"type": "integer", "min": 0, "max": 480, "bin_width": 120}),
        asking({"distribution": "x"}, x={"number": MINUTES, "input": "slider"}),
    ),
    "bins of whole numbers that do not cut them evenly": (
        asking({"histogram": "x"}, x={"integer": [0, 480], "bins": 4}),
        asking({"distribution": "x"}, x={"number": MINUTES, "input": "slider"}),
    ),
    "bins of a scale that do not cut it evenly": (
        asking({"histogram": "x", "bins": 4}, x={"scale": [0, 10]}),
        asking(
            {"distribution": "x"},
            x={"number": {"low": -0.5, "high": 10.5, "edges": [-0.5, 1.5, 4.5, 7.5, 10.5]}, "input": "slider"},
        ),
    ),
    "bins of a number with names": (
        asking({"histogram": "x"}, x={"number": [0, 2000], "bins": ["under 400", "400-800", "over 800"]}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 2000, "edges": [0, 400, 800, 2000]}}),
    ),
    "groups of a number": (
        asking({"histogram": "x"}, x={"number": [0, 120], "groups": ["under 18", "18-29", "30 to 64", "65+"]}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 120, "edges": [0, 18, 30, 65, 120]}}),
    ),
    "groups of a number by where they begin": (
        asking({"histogram": "x"}, x={"number": [0, 120], "bands": [18, 65]}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 120, "edges": [0, 18, 65, 120]}}),
    ),
    "other settings of a number beside it": (
        asking({"mean": "x"}, x={"range": [0, 120], "clip": True}),
        asking({"mean": "x"}, x={"number": {"low": 0, "high": 120, "clip": True}}),
    ),
    "labels of a scale's ends": (
        asking({"mean": "x"}, x={"scale": [0, 10], "labels": ["never", "always"], "question": "How often?"}),
        asking({"mean": "x"}, x={**SCALE, "text": "How often?", "help": "0 = never, 10 = always"}),
    ),
    "labels of a scale and its middle, by language": (
        asking({"mean": "x"}, x={"scale": {"min": 0, "max": 10, "labels": [{"en": w, "de": v} for w, v in ENDS]}}),
        asking({"mean": "x"}, x={**SCALE, "help": {"en": "0 = a, 5 = b, 10 = c", "de": "0 = x, 5 = y, 10 = z"}}),
    ),
    "labels of a scale by language": (
        asking({"mean": "x"}, x={"scale": [1, 2], "labels": {"fr": ["rare", "fort"], "en": ["low", "high"]}})
        | {"languages": ["en", "fr"]},
        asking(
            {"mean": "x"},
            x={
                "number": {"low": 0.5, "high": 2.5, "bins": 2},
                "input": "slider",
                "help": {"en": "1 = low, 2 = high", "fr": "1 = rare, 2 = fort"},
            },
        )
        | {"about": {"languages": ["en", "fr"]}},
    ),
    "labels of some values of a scale": (
        asking(
            {"mean": "x"}, x={"scale": [0, 10], "labels": {"0": "never", "missing": "-"}, "help": "A lot?"} | SKIPPED
        ),
        asking({"mean": "x"}, x={**SCALE, **SKIPPED, "labels": {"missing": "-"}, "help": "A lot? (0 = never)"}),
    ),
    "questions at attributes": (
        {
            "epsilon": "1",
            "attribute": {
                "x": {**CATEGORIES, "histogram": True, "weight": 2},
                "y": {**AGE, "mean": True, "median": "y"},
                "z": {"scale": [0, 10], "ranges": [[0, 6], [9, 10]]},
                "w": COLOURS,
                "v": {**AGE, "above": 65, "accuracy": 0.1},
                "u": {**CATEGORIES, "table": ["w"]},
            },
        },
        {
            "epsilon": "1",
            "attribute": {"x": CATEGORIES, "y": AGE, "z": SCALE, "w": COLOURS, "v": AGE, "u": CATEGORIES},
            "ask": [
                {"histogram": "x", "weight": 2},
                {"mean": "y"},
                {"distribution": "y", "quantiles": [0.5]},
                {"distribution": "z", "ranges": [[-0.5, 6.5], [8.5, 10.5]]},
                {"histogram": "w"},
                {"above": "v", "threshold": 65},
                {"table": ["u", "w"]},
            ],
        },
    ),
    "parts of questions at attributes": (
        asking(
            [X, {"histogram": "y"}, {"above": "y"}, {"mean": "y"}],
            x={**CATEGORIES, "by": "z", "histogram": True},
            y={**AGE, "bins": 4, "quantiles": [0.5], "threshold": 18, "mean": True},
            z=COLOURS,
        ),
        asking(
            [
                {"table": ["z", "x"]},
                {"distribution": "y", "quantiles": [0.5]},
                {"above": "y", "threshold": 18},
                {"mean": "y"},
            ],
            y={"number": {"low": 0, "high": 120, "bins": 4}},
            z=COLOURS,
        ),
    ),
    "what is asked of what is public": (asking(X, region={**REGION, "public": True, "histogram": True}), PUBLIC),
    "two kinds in one question": (
        asking({"mean": "y", "median": "y", "ranges": [[0, 30]], "weight": 2}, x=AGE, y={**AGE, "bins": 4}) | ONLY_Y,
        asking(
            [
                {"distribution": "y", "quantiles": [0.5], "ranges": [[0, 30]], "weight": 2},
                {"mean": "y", "weight": 2},
            ],
            x=AGE,
        )
        | BINNED_Y,
    ),
    "quantiles beside a mean": (
        asking({"mean": "y", "quantiles": [0.5]}) | ONLY_Y,
        asking([{"mean": "y"}, {"distribution": "y", "quantiles": [0.5]}]) | BINNED_Y,
    ),
    "ranges with names": (
        asking([X, {"histogram": "y", "ranges": {"against": [0, 6], "for": [9, 10]}}], y={"scale": [0, 10]}),
        asking([X, {"distribution": "y", "ranges": [[-0.5, 6.5], [8.5, 10.5]]}], y=SCALE),
    ),
    "the distribution and its median": (
        asking([{"histogram": "y"}, X, {"median": "y", "quantiles": [0.1]}, {"histogram": "y", "ranges": [[0, 30]]}])
        | {"attribute": {"x": CATEGORIES, **ONLY_Y["attribute"]}},
        asking([{"distribution": "y", "quantiles": [0.5, 0.1], "ranges": [[0, 30]]}, X])
        | {"attribute": {"x": CATEGORIES, **BINNED_Y["attribute"]}},
    ),
    "a number in bins by what is protected": (
        asking({"histogram": "y", "by": "x"}, y={**AGE, "bins": 4}),
        asking({"table": ["x", "y"]}, y={"number": {"low": 0, "high": 120, "bins": 4}}),
    ),
    "by a number in bins": (
        asking({"shares": "x", "split_by": "y"}, y={"number": [0, 120], "edges": [18]}),
        asking({"table": ["y", "x"]}, y={"number": {"low": 0, "high": 120, "edges": [0, 18, 120]}}),
    ),
    "what a plan is made with": (asking({**X, "accuracy": 0.02}) | {"people": 5000, "accuracy": "0.01"}, asking(X)),
    "what is sensitive and asked only if something holds": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": "x", "sensitive": ["red"]}),
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": {"x": "yes"}, "protect": {"epsilon": "1"}}),
    ),
    "edges without ends": (
        asking({"distribution": "x"}, x={"number": {"edges": [0, 500, 2000]}}),
        asking({"distribution": "x"}, x={"number": {"low": 0, "high": 2000, "edges": [0, 500, 2000]}}),
    ),
    "what people read at what is asked": (
        asking(
            [
                {**X, "question": "Do you own or rent your home?"},
                {"mean": "y", "median": "y", "question": {"en": "Rent?", "de": "Miete?"}},
            ],
            y=AGE,
        ),
        asking(
            [X, {"distribution": "y", "quantiles": [0.5]}, {"mean": "y"}],
            x={**CATEGORIES, "text": "Do you own or rent your home?"},
            y={**AGE, "text": {"en": "Rent?", "de": "Miete?"}},
        ),
    ),
    "shares of two, one of them asked by itself": (
        asking([{"histogram": "y"}, {"histogram": ["y", "x"]}], y={"bins": [0, 18, 60, 120]}),
        asking(
            [{"distribution": "y"}, {"table": ["y", "x"]}],
            y={"number": {"low": 0, "high": 120, "edges": [0, 18, 60, 120]}},
        ),
    ),
    "shares of two before one of them": (
        asking([{"shares": ["z", "x"], "weight": 2}, X], z={**COLOURS, "histogram": True}),
        asking([{"table": ["z", "x"], "weight": 2}, X, {"histogram": "z"}], z=COLOURS),
    ),
    "shares of two, and of two that share one": (
        asking([{"histogram": ["x", "y"]}, {"histogram": ["y", "z"]}], y=COLOURS, z=REGION),
        asking([{"table": ["x", "y"]}, {"table": ["y", "z"]}], y=COLOURS, z=REGION),
    ),
    "shares of two, of one its mean": (
        asking([{"mean": "y"}, {"histogram": ["y", "x"]}], y={**AGE, "bins": 4}),
        asking([{"mean": "y"}, {"distribution": "y"}, X], y={"number": {"low": 0, "high": 120, "bins": 4}}),
    ),
    "shares of a public column too": (
        asking({"histogram": ["x", "region"]}) | {"public": {"region": COLOURS}},
        asking(X) | {"public": {"region": COLOURS}},
    ),
    "a quantile at some probabilities": (
        asking([X, {"quantile": "y", "at": [0.5, 0.9]}], y=AGE),
        asking([X, {"distribution": "y", "quantiles": [0.5, 0.9]}], y=AGE),
    ),
    "percentiles in per cent": (
        asking([X, {"percentiles": "y", "at": [50, 90]}], y=AGE),
        asking([X, {"distribution": "y", "quantiles": [0.5, 0.9]}], y=AGE),
    ),
    "one percentile": (
        asking([X, {"percentile": "y", "at": 0.9}], y=AGE),
        asking([X, {"distribution": "y", "quantiles": [0.9]}], y=AGE),
    ),
    "a list of what is described": ({"epsilon": "1", "question": [{"id": "x", **CATEGORIES}]}, asking(X)),
    "a list without names": (
        {"epsilon": "1", "questions": [{"question": "Which?", "options": ["red", "green", "blue"]}]},
        {"epsilon": "1", "attribute": {"q1": {**COLOURS, "text": "Which?"}}, "ask": [{"histogram": "q1"}]},
    ),
    "a table around it": ({"survey": {"title": "Us", **asking(X)}}, {**asking(X), "about": {"title": "Us"}}),
}


@pytest.mark.parametrize(("spelled", "declared"), SURVEYS.values(), ids=SURVEYS)
def test_a_spelling_is_what_it_stands_for(spelled, declared):
    before = deepcopy(spelled)
    read = Survey.read(spelled)
    assert read == Survey.read({"version": 1, **declared})
    assert spelled == before
    # What is declared is left as it is.
    assert declared_tables(declared).tables == {"version": 1, **declared}


@pytest.mark.parametrize(("spelled", "declared"), SURVEYS.values(), ids=SURVEYS)
def test_format_writes_what_a_spelling_stands_for(spelled, declared):
    written = formatted(Written(lambda _: 0).text(spelled))
    assert Survey.read(tomllib.loads(written)) == Survey.read({"version": 1, **declared})


def test_the_published_schema_knows_each_spelling():
    """So that an editor does not mark what is read."""
    path = Path(__file__).parents[3] / "docs" / "schemas" / "survey-1.json"
    schema = pytest.importorskip("jsonschema").Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    spelled = {name: tables for name, (tables, _) in SURVEYS.items()}
    spelled |= {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in FIRST_TRIES if path.stem not in REFUSED
    }
    assert {
        name: found
        for name, tables in spelled.items()
        if (found := [each.message for each in schema.iter_errors(tables)])
    } == {}


def test_the_reference_has_each_spelling():
    path = Path(__file__).parents[3] / "docs" / "reference.md"
    table = path.read_text(encoding="utf-8").partition("### Spellings")[2].partition("\n### ")[0]
    said = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", table))))
    words = {
        *spellings.SURVEY_WORDS, "title", "name", "description", "language", *spelled_attribute.ATTRIBUTE_WORDS,
        *{*spelled_attribute.ATTRIBUTE_SPELLINGS} - {*spelled_attribute.ENDS}, *spelled_attribute.END_WORDS,
        *spelled_questions.ASK_WORDS, *spelled_questions.ASK_SPELLINGS, *spellings.TOTALS_WORDS,
        *spelled_protection.PROTECT_SPELLINGS,
    }  # fmt: skip
    assert words - said == set()


@pytest.mark.parametrize("ask", [{"median": "y"}, {"histogram": "y", "quantiles": [0.5]}])
def test_shares_of_two_beside_the_median_of_one_are_those_of_each(ask):
    declared = asking([{"distribution": "y", "quantiles": [0.5]}, X], y=AGE)
    assert Survey.read(asking([ask, {"histogram": ["y", "x"]}], y=AGE)) == Survey.read(declared)


PLANNED = (
    "shares of a scale by value",
    "a crosstab by a public column",
    "a number on a condition",
    "attribute: sensitive",
)


@pytest.mark.parametrize("name", PLANNED)
def test_the_plan_of_a_spelling_is_the_declared_one_byte_for_byte(name):
    spelled, declared = SURVEYS[name]
    first, second = (make_plan({"version": 1, **tables}, 1000) for tables in (spelled, declared))
    assert first.bytes == second.bytes
    assert first.hash == second.hash


@st.composite
def mixtures(draw):
    """A survey whose attributes and texts are each spelled or declared, and the same declared."""
    kinds = {
        **{name: (*pair, of_shares(pair[1])) for name, pair in ATTRIBUTES.items()},
        **{f"number {name}": (own, AGE, of_mean(own)) for name, own in NUMBERS.items()},
        **{f"scale {name}": (own, SCALE, of_mean(own)) for name, own in SCALES.items()},
    }
    chosen = draw(st.lists(st.sampled_from([*kinds]), min_size=1, max_size=5))
    has_numbers = any(name.startswith(("number", "scale")) for name in chosen)
    pairs = [kinds[name] for name in chosen if not (has_numbers and "protect" in kinds[name][1])]
    is_spelled = [draw(st.booleans()) for _ in pairs]
    names = [f"a{i}" for i in range(len(pairs))]
    asks = [X, {"histogram": "other"}]
    asks += [{next(iter(question)): name} for name, (_, _, question) in zip(names, pairs, strict=True)]
    mixed, declared = (
        asking(
            asks,
            other=REGION,
            **{name: pair[place(i)] for i, (name, pair) in enumerate(zip(names, pairs, strict=True))},
        )
        for place in (lambda i: 0 if is_spelled[i] else 1, lambda _: 1)
    )
    mixed |= draw(st.sampled_from([{"title": "Us"}, {"name": "Us"}, {"about": {"title": "Us"}}]))
    return mixed, {**declared, "version": 1, "about": {"title": "Us"}}


@given(mixtures())
@settings(max_examples=60)
def test_any_mixture_of_spellings_is_what_it_stands_for(surveys):
    mixed, declared = surveys
    assert Survey.read(mixed) == Survey.read(declared)


@given(mixtures(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_format_writes_any_mixture_in_any_layout_as_the_docs_do(surveys, chance):
    """Its plan is the same, byte for byte, and no comment is lost."""
    mixed, _ = surveys
    text = Written(chance.randrange).text(mixed)
    with warnings.catch_warnings():
        # So many questions are too many for so few people.
        warnings.simplefilter("ignore", SordinoWarning)
        before, after = (make_plan(tomllib.loads(one), 1000) for one in (text, formatted(text)))
    assert (after.bytes, after.hash) == (before.bytes, before.hash)


ASKED = (
    {"median": "y"}, {"quartiles": ["y"]}, {"histogram": ["y", "x"]}, {"histogram": ["w", "x"]}, {"histogram": "y"},
    {"mean": "y", "median": "y"}, {"quantiles": "y"}, {"nps": "z"}, {"histogram": "z", "ranges": [[0, 6], 10]},
    {"histogram": "region"}, {"table": ["x", "w"]}, {"histogram": "w", "by": "region"}, {"table": ["w", "region"]},
    {"mean": ["z", "y"]}, {"shares": "x", "accuracy": 0.01}, {"question": "w", "weight": 2},
)  # fmt: skip
ABOUT_ALL = ({}, {"people": 500}, {"accuracy": 0.1, "sample_size": 20}, {"title": "Us"})


@given(
    st.lists(st.sampled_from(ASKED), min_size=1, max_size=5),
    st.sampled_from(ABOUT_ALL),
    st.sampled_from([{}, {"decimals": 1}, {"ordered": True}, {"median": True}]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=15, deadline=None)
def test_format_writes_whatever_is_planned(asks, more, own, chance):
    """It refuses nothing that `plan` takes, the plan is the same, and what changes nothing stays as a comment."""
    w = {**COLOURS, **({"ordered": True} if "ordered" in own else {})}
    y = {"range": [0, 120], **({} if "ordered" in own else own)}
    attributes = {"y": y, "z": {"scale": [0, 10]}, "w": w, "region": {**REGION, "public": True}}
    asked = {**asking([], **attributes), "ask": asks, **more}
    text = Written(chance.randrange).text(asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SordinoWarning)
        try:
            before = make_plan(tomllib.loads(text), 1000)
        except SordinoErrors:
            # Of one thing twice, say.
            return
        written = formatted(text)
        assert make_plan(tomllib.loads(written), 1000).bytes == before.bytes
    for word, value in [*more.items(), *((word, own[word]) for word in own if word != "median")]:
        assert word == "title" or f"# {word} = {str(value).lower()}" in written
    assert written.count("# accuracy = 0.01") == sum("accuracy" in ask for ask in asks)


WORDS = [
    *spellings.SURVEY_WORDS, *spellings.ABOUT_WORDS, *spelled_attribute.ATTRIBUTE_WORDS,
    *spelled_attribute.ATTRIBUTE_SPELLINGS,
    *spelled_questions.ASK_WORDS, *spelled_questions.ASK_SPELLINGS, *spellings.TOTALS_WORDS, *spellings.PLAN_WORDS,
    *spelled_protection.PROTECT_SPELLINGS, "number", "categories", "several", "only_if",
    "protect", "ask", "about", "attribute", "public", "table", "histogram", "ranges",
    "distribution", "mean", "x",
]  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.sampled_from([*WORDS, "x = yes", "yes", "and"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(WORDS), ANYTHING, max_size=4), ANYTHING, ANYTHING)
@settings(max_examples=300)
def test_whatever_is_written_is_refused_in_words(tables, attribute, ask):
    with pytest.raises(SordinoErrors):
        Survey.read(
            {
                "attribute": {"x": attribute, "y": {"scale": [5, 1]}},
                "ask": [ask, {"histogram": "x", "by": ask}],
                **tables,
            }
        )


WRONG = {
    "a promise in words": (
        {**asking(X), "promise": "Your answer is changed at random before it is sent."},
        'before it is sent.\': write consent = "...", which people read and agree to',
    ),
    "a distance of no number": (
        asking([X, {"histogram": "y"}], y={"categories": [0, 1, 2], "protect": {"distance": True}}),
        "two values are protected by epsilon; found True: write protect = { distance = 1 }, of values 1 apart",
    ),
    "a distance of names, of no number": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "protect": {"distance": True}}),
        "write protect = { metric = [0, 1, 2] }, or leave it out",
    ),
    "a multiple choice, which could be of one or of all": (
        asking(X, x={"multiple_choice": ["red", "green"]}),
        "write categories = ['red', 'green'], and several = true beside it where all that apply may be chosen",
    ),
    "question and text": (
        asking(X, x={**CATEGORIES, "question": "A?", "text": "B?"}),
        "attribute.x.text must be said once: question means the same; found text and question: leave question out",
    ),
    "title twice": ({**asking(X), "title": "A", "about": {"title": "B"}}, "about.title must be said once"),
    "a scale of fractions": (
        asking([X, {"mean": "y"}], y={"scale": [0, 0.5]}),
        "attribute.y.scale must be two whole numbers; found {'low': 0, 'high': 0.5}: write scale = [0, 10]",
    ),
    "a scale as a number": (asking([X, {"mean": "y"}], y={"scale": 50}), "write scale = [0, 10]"),
    "a scale the wrong way round": (asking([X, {"mean": "y"}], y={"scale": [10, 0]}), "write scale = [0, 10]"),
    "a scale of too many": (asking([X, {"mean": "y"}], y={"scale": [0, 5000]}), "write number = [0, 5000]"),
    "one end of a number": (asking([X, {"mean": "y"}], y={"number": 5}), "attribute.y.number must have two ends"),
    "a free text": (asking(X, x={"type": "text", **CATEGORIES}), "attribute.x.type must be left out"),
    "a choice of nothing": (asking(X, x={"type": "choice"}), 'write categories = ["yes", "no"] instead'),
    "yes_no of three": (
        asking(X, x={"yes_no": True, "options": ["yes", "no", "perhaps"]}),
        "attribute.x.yes_no must have two values beside it, not 3; found True: leave yes_no out",
    ),
    "a radio of several": (
        asking(X, x={"type": "radio", "multiple": True, "options": ["a", "b", "c"]}),
        "attribute.x.type must not stand beside several: it is a choice of one; found 'radio': leave type out",
    ),
    "an nps of five": (
        asking([X, {"mean": "y"}], y={"type": "nps", "scale": [1, 5]}),
        "attribute.y.type must not stand beside another scale than [0, 10]; found 'nps': write scale = [0, 10]",
    ),
    "years as dates": (
        asking([X, {"mean": "y"}], y={"number": [1980, 2026], "input": "date"}),
        "must be dates, not years; found 1980 and 2026: write low = 1980-01-01, high = 2026-12-31",
    ),
    "dates as years": (
        asking([X, {"mean": "y"}], y={"dates": [2020, 2026]}),
        "attribute.y.dates must have two dates as its ends; found [2020, 2026]: write dates = [2020-01-01, 2026-12-31]",
    ),
    "dates as months": (
        asking([X, {"mean": "y"}], y={"dates": {"from": "2024-03", "to": "2028-02"}}),
        "write dates = [2024-03-01, 2028-02-29]",
    ),
    "dates until today": (
        asking([X, {"mean": "y"}], y={"dates": {"from": "2024-03-01", "to": "today"}}),
        "write dates = [2024-01-01, 2026-12-31]",
    ),
    "dates by days": (
        asking([X, {"histogram": "y"}], y={"dates": [FIRST, LAST], "step": "day"}),
        'attribute.y: step of dates must be "week", "month", "quarter" or "year"; found \'day\': write step = "month"',
    ),
    "dates by two steps": (
        asking([X, {"histogram": "y"}], y={"dates": [FIRST, LAST], "bins": "year", "step": "month"}),
        "attribute.y.step must be said once; found 'month': leave all but one of step, bins and edges out",
    ),
    "dates and a number": (
        asking([X, {"mean": "y"}], y={"dates": [FIRST, LAST], "number": [0, 9]}),
        "attribute.y.number must not stand beside dates",
    ),
    "values under an unknown word": (
        asking(X, x={"multiple_choice": ["yes", "no"]}),
        "attribute.x.multiple_choice must be a known setting; found ['yes', 'no']: write categories = ['yes', 'no']",
    ),
    "ends under an unknown word": (asking([X, {"mean": "y"}], y={"hours": [0, 24]}), "write number = [0, 24]"),
    "values that are public": (
        asking(X, x={**COLOURS, "protect": {"public": ["blue"]}}),
        'write protect = { sensitive = ["red", "green"] }: the others can show',
    ),
    "an unknown setting": (
        asking(X, x={**CATEGORIES, "font": "red"}),
        "attribute.x.font must be a known setting; found 'red': leave it out; docs/reference.md lists the settings",
    ),
    "an unknown setting near a known one": (
        asking(X, x={**CATEGORIES, "protct": "all"}),
        "attribute.x.protct must be a known setting (did you mean 'protect'?); found 'all'.",
    ),
    "too few labels in a language": (
        asking(X, x={**CATEGORIES, "labels": {"en": ["Yes", "No"], "fr": ["oui"]}}),
        "must be 2 in each language, in the order of its values; found {'en': ['Yes', 'No'], 'fr': ['oui']}: write fr",
    ),
    "quantiles of which some could be per cent": (
        asking([X, {"quantile": "y", "at": [0.5, 99]}], y=AGE),
        "ask.1.quantiles",
    ),
    "at, of no quantiles": (asking({**X, "at": [0.5]}), "ask.0.at"),
    "a public number in ranges of a width": (
        asking(X, z={"range": {"min": 18, "max": 50, "width": 10}, "public": True}),
        'write categories = ["18 to 27", "28 to 37", "38 to 47", "48 to 50"]',
    ),
    "to choose how many": (
        asking(X, x={**COLOURS, "choose": "some"}),
        'attribute.x.choose must be "all" or "one"; found \'some\': write choose = "all" where all that apply',
    ),
    "to choose one of several": (
        asking(X, x={**COLOURS, "choose": "one", "several": True}),
        "attribute.x.choose must not contradict several; found 'one': leave one of both out",
    ),
    "a default": (asking(X, x={**CATEGORIES, "default": "no"}), 'write missing = "NAME"'),
    "an unknown protection": (
        asking(X, x={**COLOURS, "protect": {"neighbours": 1}}),
        'or write protect = { sensitive = ["red"] } to protect that value alone, or protect = { metric = [0, 1, 2] }',
    ),
    "an unknown setting of a question": (
        asking({**X, "filter": "x = yes"}),
        "ask.0.filter must be a known setting; found 'x = yes': write only_if at the attribute, or by = \"NAME\"",
    ),
    "a number by distance, with edges": (
        asking([X, {"mean": "y"}], y={**AGE, "edges": [18, 65], "protect": {"distance": 10}}),
        'write categories = ["0 to 17", "18 to 64", "65 to 120"] and protect = { metric = [0, 1.8, 6.5] }',
    ),
    "a number by a metric": (
        asking([X, {"mean": "y"}], y={**AGE, "protect": {"metric": {"per": 30}}}),
        'write categories = ["0 to 29", "30 to 59", "60 to 89", "90 to 120"] and protect = { metric = [0, 1, 2, 3] }',
    ),
    "groups that leave numbers out": (
        asking([X, {"histogram": "y"}], y={**AGE, "groups": ["under 18", "30-64", "65+"]}),
        "attribute.y.groups must be where its groups begin, each after the one before",
    ),
    "edges beyond the ends": (
        asking([X, {"distribution": "y"}], y={**AGE, "edges": [18, 150]}),
        "attribute.y.edges must lie between the ends of the number; found [18, 150]: write edges = [18], or number =",
    ),
    "more bins than a scale has values": (
        asking([X, {"histogram": "y"}], y={"scale": [0, 10], "bins": 50}),
        "attribute.y.bins must be at most its 11 values; found 50: leave bins out for one each",
    ),
    "bins with names that do not follow one another": (
        asking([X, {"histogram": "y"}], y={**AGE, "bins": ["under 18", "30-64", "65+"]}),
        "attribute.y.bins must be where its groups begin, each after the one before",
    ),
    "a width that does not fit": (
        asking([X, {"histogram": "y"}], y={**AGE, "bin_width": 50}),
        "attribute.y.bins must be of one width, from end to end; found 50: write bins = 10",
    ),
    "bins of a question about two": (
        asking([X, {"table": ["x", "y"], "bins": 4}], y={**AGE, "bins": 5}),
        "ask.1.bins must be of one number; found 4: write bins once",
    ),
    "an integer without ends": (asking([X, {"mean": "y"}], y={"integer": True}), "write integer = [0, 10]"),
    "other ranges at the attribute": (
        asking([X, {"histogram": "y", "ranges": [[0, 6]]}], y={"scale": [0, 10], "ranges": [[7, 10]]}),
        "attribute.y.ranges must be said once; found [[7, 10]], and [[0, 6]] in [[ask]]: leave ranges out in one of",
    ),
    "groups of one of two questions": (
        asking([X, {"mean": "y"}, {"median": "y"}], y={**AGE, "by": "x"}),
        "attribute.y.by must be of one question; found 2 about y: write by = ... below the [[ask]] that is meant",
    ),
    "a question of something else": (
        asking([X], x={**CATEGORIES, "histogram": "y"}),
        "attribute.x.histogram must be true; found 'y': write histogram = true to ask it of x, or [[ask]]",
    ),
    "a question of several numbers at one": (
        asking([X, {"mean": "y"}], y={**AGE, "covariance": ["x", "y"]}),
        "attribute.y.covariance must be a question of its own; found ['x', 'y']: write [[ask]], and below it",
    ),
    "by a number without bins": (
        asking({"histogram": "x", "by": "y"}, y=AGE),
        "ask.0.by must be of values that can be counted; found 'y': write bins = 5 at attribute.y, or edges = [...]",
    ),
    "a condition that some of several apply": (
        asking(
            [{"several": "x"}, {"histogram": "y"}], x={**COLOURS, "several": 2}, y={**COLOURS, "if": "x is not empty"}
        ),
        'write [attribute.any_x] with yes_no = true, and only_if = "any_x = yes"',
    ),
    "a distribution and its median, one oftener": (
        asking([X, {"distribution": "y"}, {"median": "y", "weight": 2}], y={**AGE, "bins": 4}),
        "ask.2.distribution must name an attribute once",
    ),
    "labels of some of a scale": (
        asking([X, {"mean": "y"}], y={"scale": [1, 5], "labels": ["bad", "so-so", "good", "best"]}),
        "attribute.y.labels must be one for each of its 5 values, or two for its ends",
    ),
    "a regression on a public column": (
        {**PUBLIC, **asking([X, {"regression": {"target": "y", "features": ["x", "region"]}}], y=AGE)},
        "leave it out of the features: `sordino.estimate` has its groups (`by`)",
    ),
    "a number by distance": (
        asking([X, {"mean": "y"}], y={**AGE, "protect": {"distance": 10}}),
        "attribute.y.protect.distance must not be of a number, whose values are all protected from each other alike",
    ),
    "a distance and a metric": (
        asking(X, x={"categories": [1, 2, 3], "protect": {"distance": 1, "metric": {"per": 1}}}),
        "attribute.x.protect.distance must be said once: metric means the same",
    ),
    "a distance of names": (
        asking(X, x={**COLOURS, "protect": {"distance": 1}}),
        "write protect = { metric = [0, 1, 2] }",
    ),
    "public, and not in protect": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "public": False, "protect": {"public": True}}),
        "attribute.y.public must be said once",
    ),
    "public, and partly sensitive": (
        asking(X, y={**COLOURS, "protect": {"public": True, "sensitive": ["red"]}}),
        "attribute.y.protect must not stand beside public: what is public is sent in clear",
    ),
    "a public number": (
        asking(X, y={"bins": [18, 30, 65], "public": True}),
        'write categories = ["18 to 29", "30 to 65"], which the data then have in place of numbers',
    ),
    "a public number without bins": (
        asking(X, y={**AGE, "public": True}),
        'write categories = ["0 to 59", "60 to 120"]',
    ),
    "a public column with a name of reports": (
        asking(X, plan={**COLOURS, "public": True}),
        "attribute.plan must have another name than the columns that reports have themselves; found 'plan': name it",
    ),
    "a file of weights": (
        {**PUBLIC, "population": {"weights": "weights.csv"}},
        "leave it out and give a file of totals to `sordino.estimate` (`totals`)",
    ),
    "a file of totals": (
        asking(X, region={**REGION, "public": True, "totals": {"file": "totals.csv"}}),
        "a file of totals is for `sordino.estimate` (`totals`)",
    ),
    "totals of what is protected": (
        asking(X, x={**CATEGORIES, "population": {"yes": 10, "no": 20}}),
        "attribute.x.totals must be of a public column",
    ),
    "totals twice": (
        {**asking(X, region={**REGION, "public": True, "totals": TOTALS}), "population": TOTALS},
        "population.region must be said once",
    ),
    "labels twice": (
        asking(X, x={"categories": {"yes": "Yes", "no": "No"}, "labels": {"yes": "Y", "no": "N"}}),
        "categories must be a list of names",
    ),
    "yes_no is false": (asking(X, x={"yes_no": False}), "attribute.x.yes_no must be true"),
    "sensitive by another word": (
        asking(X, x={**CATEGORIES, "sensitive": "very"}),
        'write sensitive = true to protect all its values alike, or sensitive = ["very"] to protect this value alone',
    ),
    "protect by another word": (
        asking(X, x={**CATEGORIES, "protect": {"sensitive": "very"}}),
        "sensitive values must be",
    ),
    "not what is false": (
        asking(X, x={**CATEGORIES, "sensitive": [False]}),
        "sensitive values must be a list of names",
    ),
    "sensitive and public": (
        asking([X], y={**COLOURS, "sensitive": True, "public": True}),
        "attribute.y must not be both sensitive and public: what is public is sent in clear",
    ),
    "private and public by name": (
        asking([X], y={**COLOURS, "visibility": "private"}) | {"public": ["y"]},
        "must not be both sensitive and public",
    ),
    "sensitive beside a delta": (
        asking([X, {"mean": "y"}], x={**CATEGORIES, "sensitive": ["yes"]}, y={**AGE, "delta": "1/2"}),
        "must not be set in a survey with deltas or dependence",
    ),
    "protected in another word": (asking(X, x={**CATEGORIES, "protect": "weakly"}), "write public = true to send it"),
    "protected and public": (asking([X], y={**COLOURS, "protect": True, "public": True}), "both sensitive and public"),
    "public, and not": (
        asking(X, y={**COLOURS, "public": False}) | {"public": ["y"]},
        "must not be both public and not",
    ),
    "a public column that is not": (
        {**asking(X), "public": {"y": {**COLOURS, "public": False}}},
        "public.y must not be both public and not public",
    ),
    "private, and partly so": (
        asking(X, x={**CATEGORIES, "sensitive": ["yes"], "visibility": "private"}),
        "attribute.x.visibility must not stand beside values that alone are sensitive",
    ),
    "a value with a setting": (
        asking(X, x={"options": [{"value": "a", "label": "A", "sensitive": True}, {"value": "b"}]}),
        "categories must be a list of names",
    ),
    "two epsilons": ({**asking(X), "survey": {"epsilon": "0.5"}}, "epsilon must be said once"),
    "an end twice": (
        asking([X, {"mean": "y"}], y={"number": [0, 120], "low": 18}),
        "attribute.y.number.low must be said once",
    ),
    "conditions that exclude each other": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "if": "x = yes and x = no"}),
        "attribute.y",
    ),
    "several of two numbers": (
        asking([X, {"several": "y"}], y={**COLOURS, "several": 3, "most": 1}),
        "attribute.y.most must not stand beside another `several`",
    ),
    "optional and required": (
        asking(X, x={**CATEGORIES, "optional": True, "required": True}),
        "attribute.x.optional must not contradict required",
    ),
    "optional numbered categories": (
        asking(X, x={"categories": 5, "optional": True}),
        "attribute.x.optional must be of named categories",
    ),
    "a question that names two": (
        asking({"question": "x", "histogram": "y"}, y=COLOURS),
        "ask.0.question must be a text that people read; found 'x': leave question out: what is asked names",
    ),
    "a question beside one that the attribute has": (
        asking({**X, "question": "Do you own or rent?"}, x={**CATEGORIES, "text": "Do you rent?"}),
        "ask.0.question must be the text of one attribute, which has no other; found 'Do you own or rent?': write text",
    ),
    "a question about two": (
        asking({"table": ["x", "y"], "question": "Where, and do you rent?"}, y=COLOURS),
        "write text = ... below [attribute.NAME], once, and leave question out here",
    ),
    "a question by another word": (
        asking({**X, "text": "Do you own or rent?"}),
        "ask.0.text must be a known setting; found 'Do you own or rent?': write question = \"...\" in place of it",
    ),
    "two names": (
        {"epsilon": "1", "question": [{"id": "x", "name": "y", **CATEGORIES}]},
        "attribute.y must have one name",
    ),
    "required in words": (asking(X, x={**CATEGORIES, "required": "no"}), "attribute.x.required must be true or false"),
    "seen by some": (asking(X, x={**CATEGORIES, "visibility": "some"}), "write public = true to send it in clear"),
    "an epsilon of a question": (
        asking({**X, "epsilon": 0.5}),
        'write protect = { epsilon = "0.5" } there, or delta',
    ),
    "two of one name": (
        {"epsilon": "1", "question": [{"id": "x", **CATEGORIES}, {"id": "x", **COLOURS}]},
        "attribute.x must be described once",
    ),
    "a condition on an amount": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "if": "x <= 6"}),
        "write only_if = { x = 'yes' }",
    ),
    "a condition on a whole number": (
        asking([X, {"mean": "z"}, {"histogram": "y"}], z={"scale": [0, 5]}, y={**COLOURS, "if": "z > 3"}),
        "write categories = ['0', '1', '2', '3', '4', '5'] at attribute.z, and only_if = { z = ['4', '5'] }",
    ),
    "a condition on one of several": (
        asking([X, {"histogram": "y"}], x={**COLOURS, "several": True}, y={**COLOURS, "if": "x has red"}),
        'write [attribute.red] with yes_no = true, and only_if = "red = yes"',
    ),
    "a condition on what is public": (
        {
            "epsilon": "1",
            "attribute": {"y": {**COLOURS, "only_if": "region = north"}, "region": {**REGION, "public": True}},
        },
        "must be about what is protected; found 'region', which is public",
    ),
    "one or another of two": (
        asking([X, {"mean": "z"}, {"histogram": "y"}], z={"scale": [0, 5]}, y={**COLOURS, "if": "x = yes or z > 3"}),
        "write [attribute.x_or_z] with yes_no = true",
    ),
    "a public date": (
        asking([X, {"histogram": "y"}], y={"dates": ["2026-01-10", "2026-03-02"], "public": True}),
        "write categories = ['2026-01', '2026-02', '2026-03']",
    ),
    "sensitive twice": (
        asking(X, x={**CATEGORIES, "sensitive": ["yes"], "protect": {"sensitive": ["no"]}}),
        "attribute.x.sensitive must be said once",
    ),
    "public as a number": ({**asking(X), "public": 5}, "public must be a table; found 5"),
    "public columns of a list": ({**asking(X), "public": [{"name": "y"}]}, "public must be a table"),
    "public as a text": (asking(X, x={**CATEGORIES, "public": "yes"}), "attribute.x.public must be true or false"),
    "optional of several": (
        asking({"several": "x"}, x={**COLOURS, "several": True, "optional": True}),
        'write missing = "none of them"',
    ),
    "a condition that is none": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": "x = yes or else"}),
        'write only_if = "smoker = yes"',
    ),
    "a condition on one value or not on another": (
        asking([X, {"histogram": "y"}], y={**COLOURS, "only_if": "x = yes or x != yes"}),
        'write only_if = "smoker = yes"',
    ),
    "a condition on either of two": (
        asking([X, {"histogram": "y"}], z=CATEGORIES, y={**COLOURS, "only_if": "x = yes or z = yes"}),
        'write [attribute.x_or_z] with yes_no = true, which asks for both, and only_if = "x_or_z = yes"',
    ),
    "a condition on what may be several": (
        asking(
            [{"several": "x"}, {"histogram": "y"}], x={**COLOURS, "several": True}, y=CATEGORIES | {"if": {"x": "red"}}
        ),
        'write [attribute.any_x] with yes_no = true, and only_if = "any_x = yes"',
    ),
    "promoters of no scale": (
        asking([X, {"nps": "y"}], y={"scale": [1, 5]}),
        "ask.1.nps must name a scale from 0 to 10",
    ),
    "a number that shows who was asked": (
        asking(
            [X, {"histogram": "y"}],
            x={**CATEGORIES, "sensitive": ["no"]},
            y={**COLOURS, "only_if": "x = yes", "sensitive": ["red"]},
        ),
        "leave attribute.x.protect out, which protects all its values, or leave attribute.y.protect out",
    ),
    "by nothing": (
        asking({"histogram": "x", "by": "rigion"}, region={**REGION, "public": True}),
        "did you mean 'region'",
    ),
    "a median by a protected attribute": (
        asking([X, {"median": "y", "by": "x"}], y=AGE),
        'write public = true at attribute.x if it may be known, or ask for regression = { target = "y", features',
    ),
    "a question of a number": (asking([X, {"question": "y"}], y=AGE), 'write mean = "y", or distribution = "y"'),
    "a question of nothing": (asking([X, {"question": "How old are you?"}]), "ask.1.question must name an attribute"),
    "a mistake behind two questions of one": (
        asking([{"histogram": ["x", "y"]}, {"histogram": "z"}], y=COLOURS),
        "ask.1.histogram must name an attribute",
    ),
}


@in_one(("tables", "words"), WRONG.values())
def test_what_cannot_be_meant_is_refused_once_with_the_line_to_write(tables, words):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(tables)
    assert words in str(refused.value)
    assert len(refused.value.errors) == 1


def test_a_spelled_survey_may_leave_its_epsilon_open():
    tables = {"attributes": {"x": {"yes_no": True}}, "questions": [X]}
    assert open_survey(tables)("1") == Survey.read(asking(X))
    closed = {"attributes": {"x": {**CATEGORIES, "protect": {"epsilon": "1"}}}, "questions": [X]}
    with pytest.raises(SordinoError, match="each attribute with an amount of its own"):
        open_survey(closed)


@pytest.mark.parametrize("text", ["ln(3)", "ln (3)", "ln( 3 )", "1 + ln(3/2)"])
def test_a_logarithm_may_stand_in_brackets(text):
    assert Nats.of(text) == Nats.of(text.replace("(", " ").replace(")", ""))


@pytest.mark.parametrize("text", ["ln(3", "ln 3)", "ln()", "log(3)"])
def test_half_a_bracket_is_no_amount(text):
    with pytest.raises(SordinoError, match="finite number of nats"):
        Nats.of(text)


NOTES = {
    "percentiles in per cent": "ask.1.at is read in per cent: quantiles = [0.5, 0.9].",
    "attribute: in order": (
        "attribute.y.ordered changes nothing: all values are protected alike; protect = { metric = [0, 1, 2] } protects"
    ),
    "the width of bins of whole numbers from 0": "attribute.x.bins: the last goes from 360 to 480, both within.",
    "bins of whole numbers that do not cut them evenly": (
        "attribute.x.bins are as even as whole numbers can be: they begin with 0, 120, 240 ..., and the last"
    ),
    "ranges with names": "ask.1.ranges are shown by their ends: ranges have no names.",
    "edges between the ends": "attribute.x.edges go on to the ends of the number: 0, 18, 65, 120.",
    "several histograms": "ask.0.histogram asks of each by itself; table = ['x', 'y', 'z'] asks of them together.",
    "shares of two, one of them asked by itself": (
        "ask.1.histogram = ['y', 'x'] is read as table = ['y', 'x']: another question has the shares of 'y'."
    ),
    "what a plan is made with": "people = 5000 is no part of a survey: give it when you make the plan, as `people`.",
    "attribute: protected by no word": "attribute.y.protect = 'none' leaves all its values protected alike; public =",
    "attribute: one word that could mean all": 'attribute.y is protected, all its values alike; sensitive = ["yes"]',
    "what is sensitive and asked only if something holds": "attribute.y is protected, all its values alike: whether",
    "number: two ends in words": "attribute.y.decimals changes nothing",
    "no value is sensitive": "attribute.y.sensitive = [] leaves all its values protected alike; public = true sends",
    "a public column is asked": "ask.1 asks of nothing: every report shows 'region'",
    "a first day that is the last": "attribute.y: the last month has 2024-03-01 too, with which another one begins.",
    "the median by what is protected": (
        "ask.1: the quantiles of 'y' by 'x' is read as a table of both; public = true at attribute.x"
    ),
    "a mean of names by what is protected": "'y' has names in place of numbers.",
    "quantiles of a name": "ask.1.quantiles are read as [0.25, 0.5, 0.75], of 'y'.",
    "a short range of whole numbers": "for answers between them write number = [0, 10] and bins = 20.",
    "categories of which the mean is asked": "attribute.y is read as scale = [1, 5]: its numbers are asked for.",
    "nothing is asked of one": "attribute.y has no question: histogram = 'y' is asked",
    "as many bins as whole numbers": "attribute.y is read as scale = [0, 10]: a bin for each whole number.",
    "as many bins as days": "attribute.y: each day from 2024-03-01 to 2024-03-02 is a bin",
    "bins of whole days": "they begin on 2024-03-01, 2024-03-04, 2024-03-07 ...",
    "sensitive ones of several": "attribute.x is protected, all its values alike: which of several apply",
    "two maps": "attribute.z has column = ['z_latitude', 'z_longitude'].",
    "days in a table": "attribute.y: each day from 2024-03-01 to 2024-03-03 is a bin",
    "what is sensitive and asked because of a sensitive value": "reports about 'x' can still show that somebody was",
}


@in_one(("name", "note"), NOTES.items())
def test_how_what_may_surprise_was_read_is_said(name, note):
    spelled, declared = SURVEYS[name]
    assert any(note in line for line in Survey.read(spelled).notes)
    assert Survey.read({"version": 1, **declared}).notes == ()


def test_a_choice_of_one_whose_text_lets_choose_all_is_said_to_be_one():
    texts = ["Which? (Select all that apply)", {"en": "Choose all that apply.", "de": "Welche?"}]
    said = "attribute.x is a choice of one, though people read “{}”; several = true lets them choose all that apply."
    for text, words in zip(texts, ("Select all", "all that apply"), strict=True):
        assert Survey.read(asking(X, x={**COLOURS, "text": text})).notes == (said.format(words),)
        assert Survey.read(asking(X, x={**COLOURS, "text": text, "several": True})).notes == ()
