"""The published JSON Schemas take every plan and report of the vectors, and are those that the package reads by."""

import importlib.util
import json
from pathlib import Path

import pytest

from in_one import in_one
from sordino import Plan, report

ROOT = Path(__file__).parents[2]
VECTORS = sorted(path for path in (ROOT / "tests" / "vectors").glob("*.json"))


def published(name):
    return json.loads((ROOT / "docs" / "schemas" / name).read_text(encoding="utf-8"))


def validator(name):
    jsonschema = pytest.importorskip("jsonschema")
    schema = published(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def plan_of(path):
    held = json.loads(path.read_text(encoding="utf-8"))
    return json.loads(held["plan"]) if isinstance(held, dict) and "plan" in held else None


def test_they_are_those_of_the_package():
    spec = importlib.util.spec_from_file_location("make_schemas", ROOT / "scripts" / "make_schemas.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = script.schemas()
    assert {path.name for path in (ROOT / "docs" / "schemas").iterdir()} == set(made)
    for name, schema in made.items():
        assert published(name) == schema, name


@in_one("path", [path for path in VECTORS if plan_of(path) is not None])
def test_every_plan_of_the_vectors_fits(path):
    plan_schema = validator("plan-3.json")
    assert [error.message for error in plan_schema.iter_errors(plan_of(path))] == []
    for changed in ({"people": "1000"}, {"another": 1}, {"version": 2}, {"queries": []}):
        assert not plan_schema.is_valid(plan_of(path) | changed), changed


def test_a_report_fits():
    report_schema = validator("report-1.json")
    frozen = Plan.of_text(json.loads((ROOT / "tests" / "vectors" / "randomized.json").read_text("utf-8"))["plan"], "it")
    document = report(frozen, {"version": 1, "record": {"x": "a"}}).document
    assert report_schema.is_valid(document)
    for changed in ({"code": 1}, {"code": "01"}, {"id": "0"}, {"another": 1}):
        assert not report_schema.is_valid(document | changed), changed
