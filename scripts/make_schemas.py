"""The JSON Schemas of surveys, plans and reports, and the browser client's fields of a plan, as the package reads them.

make schemas; docs/plan-format.md says what a schema cannot.
"""

import json
from pathlib import Path
from shutil import copyfile
from typing import Any

from client_tables import client_tables
from sordino.document.formats import REPORT as FILE
from sordino.once.agent.collector_address import HASH
from sordino.service.openapi import REPORT
from sordino.survey.planning.plan_fields import PlanDocument
from sordino.survey.reading.survey_file import ENDS, Survey
from table_schema import table_schema

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "schemas"
CLIENT = ROOT / "src" / "sordino" / "service" / "client" / "plan" / "tables.js"

SURVEY = ROOT / "src" / "sordino" / "forms" / "survey-1.json"

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """Each schema by its file's name."""
    plan, report = table_schema(PlanDocument), _report()
    return {
        "survey-1.json": {"$schema": DIALECT, "$id": "urn:sordino:schema:survey:1", **_survey()},
        "plan-3.json": {"$schema": DIALECT, "$id": "urn:sordino:schema:plan:3", **plan},
        "report-1.json": {"$schema": DIALECT, "$id": "urn:sordino:schema:report:1", **report},
    }


def _survey() -> dict[str, Any]:
    """A survey as people write it: a number's ends and edges may be dates, which become days before it is read."""
    survey = table_schema(Survey)
    number = survey["$defs"]["NumberTable"]["properties"]
    for end in ENDS:
        number[end] = {"type": ["number", "string"]}
    number["edges"]["anyOf"][0]["items"] = {"type": ["number", "string"]}
    return survey


def _report() -> dict[str, Any]:
    """A report as a device stores it: what is uploaded of it, and which plan and question it is of."""
    own = {
        "format": {"const": FILE.format},
        "version": {"const": FILE.version},
        "plan": {"type": "string", "pattern": f"^{HASH.pattern}$"},
        "question": {"type": "integer", "minimum": 0},
    }
    return {**REPORT, "required": [*own, *REPORT["required"]], "properties": {**own, **REPORT["properties"]}}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False)
        (FOLDER / name).write_text(f"{text}\n", encoding="utf-8")
    # Of `sordino new`, which writes it beside the survey.
    copyfile(FOLDER / SURVEY.name, SURVEY)
    CLIENT.write_text(client_tables(PlanDocument), encoding="utf-8")
