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
from sordino.survey.reading.spelled_attribute import (
    ATTRIBUTE_SPELLINGS,
    ATTRIBUTE_WORDS,
    END_WORDS,
)
from sordino.survey.reading.spelled_protection import ALL, PROTECT_SPELLINGS, UNPROTECTED
from sordino.survey.reading.spelled_questions import ASK_SPELLINGS, ASK_WORDS, AT_ATTRIBUTES
from sordino.survey.reading.spellings import ABOUT_WORDS, DESCRIBED, PLAN_WORDS, SURVEY_WORDS, TOTALS_WORDS
from sordino.survey.reading.survey_dates import ENDS
from sordino.survey.reading.survey_file import Survey
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
        "plan-4.json": {"$schema": DIALECT, "$id": "urn:sordino:schema:plan:4", **plan},
        "report-1.json": {"$schema": DIALECT, "$id": "urn:sordino:schema:report:1", **report},
    }


def _survey() -> dict[str, Any]:
    """A survey as people write it: with the spellings that are read, and dates as the ends and edges of a number."""
    survey = table_schema(Survey)
    tables = survey["$defs"]
    attribute, ask, number = tables["AttributeTable"], tables["AskTable"], tables["NumberTable"]
    for table, words in (
        (survey, ("survey", *SURVEY_WORDS, *DESCRIBED, *ABOUT_WORDS, *TOTALS_WORDS, *PLAN_WORDS)),
        (attribute, (*ATTRIBUTE_WORDS, *ATTRIBUTE_SPELLINGS, *sorted(AT_ATTRIBUTES))),
        (tables["PublicTable"], (*ATTRIBUTE_WORDS, *ATTRIBUTE_SPELLINGS)),
        (tables["AboutTable"], ("language",)),
        (ask, (*ASK_WORDS, *ASK_SPELLINGS)),
        (number, (*END_WORDS, "step", "every")),
        (tables["ProtectTable"], PROTECT_SPELLINGS),
    ):
        table.pop("required", None)
        table["properties"] |= {word: {} for word in words if word not in table["properties"]}
    for end in ENDS:
        number["properties"][end] = {"type": ["number", "string"]}
    number["properties"]["edges"]["anyOf"][0]["items"] = {"type": ["number", "string"]}
    pair = {"anyOf": [{"type": "array", "minItems": 2, "maxItems": 2}, {"type": "string"}]}
    names = {"type": "array", "items": {"type": "string"}}
    wider: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
        (survey, "attribute", {"type": "array", "items": {"type": "object"}}),
        (survey, "public", {"anyOf": [names, {"type": "string"}]}),
        (survey, "ask", {"anyOf": [{"$ref": "#/$defs/AskTable"}, {"const": "drawn"}]}),
        (attribute, "number", {"anyOf": [pair, {"const": True}]}),
        (attribute, "several", {"type": ["boolean", "array"]}),
        (number, "bins", {"type": ["array", "object", "string"]}),
        (attribute, "protect", {"enum": [True, *ALL, *UNPROTECTED, "public"]}),
        (attribute, "step", {"type": "string"}),
        (ask, "threshold", {"type": "string"}),
        (tables["AboutTable"], "consent", {"type": ["string", "object"]}),
        *((ask, word, names) for word in ("histogram", "several", "distribution")),
    ]
    for table, word, more in wider:
        table["properties"][word] = {"anyOf": [table["properties"][word], more]}
    # Attributes, by one of their words, or a table around all of it.
    words = ("attribute", "survey", *SURVEY_WORDS, *DESCRIBED)
    survey["anyOf"] = [{"required": [word]} for word in dict.fromkeys(words)]
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
