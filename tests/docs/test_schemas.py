"""The published JSON Schemas take every plan and report of the vectors; what is made of the package is up to date."""

import importlib.util
import json
import tomllib
from functools import cache
from pathlib import Path

import pytest

from in_one import in_one
from kinds_of_survey import KINDS
from page_reader import BLOCK, PAGES
from sordino import Plan, report

ROOT = Path(__file__).parents[2]
VECTORS = sorted(path for path in (ROOT / "tests" / "vectors").glob("*.json"))


def published(name):
    return json.loads((ROOT / "docs" / "schemas" / name).read_text(encoding="utf-8"))


@cache
def validator(name):
    jsonschema = pytest.importorskip("jsonschema")
    schema = published(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@cache
def plan_of(path):
    held = json.loads(path.read_text(encoding="utf-8"))
    return json.loads(held["plan"]) if isinstance(held, dict) and "plan" in held else None


def scripted():
    spec = importlib.util.spec_from_file_location("make_schemas", ROOT / "scripts" / "make_schemas.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_they_are_those_of_the_package():
    made = scripted().schemas()
    assert {path.name for path in (ROOT / "docs" / "schemas").iterdir()} == set(made)
    for name, schema in made.items():
        assert published(name) == schema, name
    assert (ROOT / "docs" / "schemas" / scripted().SURVEY.name).read_bytes() == scripted().SURVEY.read_bytes()


def test_the_browsers_fields_of_a_plan_are_those_of_the_package():
    script = scripted()
    assert script.CLIENT.read_text(encoding="utf-8") == script.client_tables(script.PlanDocument)


def surveys():
    """Those of all kinds, and those of the pages, with texts in place of TOML's dates."""
    yield from (kind.survey(3) for kind in KINDS.values())
    for page in PAGES:
        for language, block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            tables = tomllib.loads(block) if language == "toml" and "[[ask]]" in block else {}
            if {"version", "attribute"} <= tables.keys():
                yield json.loads(json.dumps(tables, default=str))


def test_every_survey_fits():
    schema, found = validator("survey-1.json"), list(surveys())
    assert len(found) > len(KINDS)
    assert [error.message for survey in found for error in schema.iter_errors(survey)] == []
    for changed in ({"another": 1}, {"ask": []}, {"version": 2}, {"attribute": {"x": {"categorys": ["a", "b"]}}}):
        assert not schema.is_valid(found[0] | changed), changed


@in_one("path", [path for path in VECTORS if plan_of(path) is not None])
def test_every_plan_of_the_vectors_fits(path):
    plan_schema = validator("plan-4.json")
    assert [error.message for error in plan_schema.iter_errors(plan_of(path))] == []


def test_a_plan_that_was_changed_fits_no_more():
    plan_schema, path = validator("plan-4.json"), ROOT / "tests" / "vectors" / "words.json"
    for changed in ({"people": "1000"}, {"another": 1}, {"version": 2}, {"queries": []}):
        assert not plan_schema.is_valid(plan_of(path) | changed), changed


def test_a_report_fits():
    report_schema = validator("report-1.json")
    frozen = Plan.of_text(json.loads((ROOT / "tests" / "vectors" / "randomized.json").read_text("utf-8"))["plan"], "it")
    document = report(frozen, {"version": 1, "record": {"x": "a"}}).document
    assert report_schema.is_valid(document)
    for changed in ({"code": 1}, {"code": "01"}, {"id": "0"}, {"another": 1}):
        assert not report_schema.is_valid(document | changed), changed
