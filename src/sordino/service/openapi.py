"""What the collector's own OpenAPI document says beyond what its functions do: bodies, tokens, problems."""

from typing import Any

from sordino.document.formats import AGGREGATE
from sordino.document.invitation_list import HEADER
from sordino.service.storage.uploaded_reports import MOST_NAMED
from sordino.service.uploads import FIELDS, PACKED
from sordino.survey.answering.plan_report import PUBLIC
from sordino.survey.results.aggregate_file import ERASED, SOURCE

PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "rule", "found", "step"],
    "properties": {
        "status": {"type": "integer"},
        **{name: {"type": "string"} for name in ("type", "title", "detail", "code", "rule", "found", "step")},
    },
}

REPORT: dict[str, Any] = {
    "type": "object",
    "required": list(FIELDS),
    "additionalProperties": False,
    "properties": {
        **{name: {"type": "string", "pattern": f"^({form.pattern})$"} for name, form in FIELDS.items()},
        PUBLIC: {"type": "object", "additionalProperties": {"type": "string"}},
    },
}

UPLOAD_BODY = {
    "required": True,
    "content": {
        f"{PACKED}; version=1": {"schema": {"type": "string", "format": "binary"}},
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["reports"],
                "additionalProperties": False,
                "properties": {"reports": {"type": "array", "minItems": 1, "items": REPORT}},
            }
        },
    },
}

RECEIPT = {
    "type": "object",
    "required": ["accepted", "repeated", "failures", "failed"],
    "additionalProperties": False,
    "properties": {
        **{name: {"type": "integer", "minimum": 0} for name in ("accepted", "repeated", "failures")},
        "failed": {
            "type": "array",
            "maxItems": MOST_NAMED,
            "items": {
                "type": "object",
                "required": ["id", "rule"],
                "additionalProperties": False,
                "properties": {"id": REPORT["properties"]["id"], "rule": {"type": "string"}},
            },
        },
    },
}
"""What an upload is answered with: `failures` counts all reports that are not kept, `failed` names the first ones."""

COUNTS: dict[str, Any] = {"type": "array", "items": {"type": "integer", "minimum": 0}}

CELLS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["public", "counts"],
        "additionalProperties": False,
        "properties": {PUBLIC: REPORT["properties"][PUBLIC], "counts": COUNTS},
    },
}
"""Counts by public values, of a plan with public columns."""

ERASE_BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["id"],
                "additionalProperties": False,
                "properties": {"id": REPORT["properties"]["id"]},
            }
        }
    },
}

TALLY_BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["format", "version", "plan", "counts"],
                "properties": {
                    "format": {"const": AGGREGATE.format},
                    "version": {"const": AGGREGATE.version},
                    "plan": {"type": "string"},
                    "counts": COUNTS,
                    "cells": CELLS,
                    ERASED: {
                        "type": "object",
                        "propertyNames": {"pattern": "^[0-9a-f]{32}$"},
                        "additionalProperties": {"type": "integer", "minimum": 1},
                    },
                    "source": {"type": "string", "pattern": f"^({SOURCE.pattern})$"},
                    "sources": {
                        "type": "object",
                        "propertyNames": {"pattern": f"^({SOURCE.pattern})$"},
                        "additionalProperties": {"anyOf": [COUNTS, CELLS]},
                    },
                },
            }
        }
    },
}

ALWAYS = {
    408: "not whole in time",
    431: "a head that is too long",
    429: "too many wait: again after Retry-After seconds",
    503: "the store refuses: again after Retry-After seconds",
    507: "the disk is full",
}

OF_A_PLAN = {400: "not as it must be", 404: "no such plan, or not signed", 409: "closed, or too few reports"}

MEDIA = {
    ("GET", ""): "application/json",
    ("GET", "/aggregate"): "application/json",
    ("GET", "/reports"): "application/vnd.apache.parquet",
    ("GET", "/dashboard"): "text/html",
    ("GET", "/page"): "text/html",
}
"""What is answered as it is kept or drawn, by the path behind the plan."""

OF_AN_UPLOAD = {403: "without an invitation that is known, where those are needed"}

OF_A_BODY = {411: "without a length", 413: "too long", 415: "another media type"}


def answer_media(method: str, path: str) -> str | None:
    """The media type of a good answer; None of JSON that the function's own type describes."""
    return MEDIA.get((method, path.partition("}")[2]))


def responses(
    path: str, body: dict[str, Any] | None, media: str | None, *, for_analyst: bool
) -> tuple[dict[int | str, dict[str, Any]], dict[str, Any]]:
    """What a route can answer with beyond what its function's type says; and its body and token."""
    told = {
        **ALWAYS,
        **(OF_A_PLAN if "{" in path or path == "/key" else {}),
        **(OF_A_BODY if body else {}),
        **(OF_AN_UPLOAD if body is UPLOAD_BODY else {}),
        **({401: "without a valid token", 403: "with a token of a lesser role"} if for_analyst else {}),
    }
    extra: dict[str, Any] = {"requestBody": body} if body else {}
    if for_analyst:
        extra["parameters"] = [
            {"name": "Authorization", "in": "header", "schema": {"type": "string"}, "description": "Bearer TOKEN"}
        ]
    content = {"application/problem+json": {"schema": PROBLEM}}
    found: dict[int | str, dict[str, Any]] = {200: {"content": {media: {}}}} if media else {}
    if body is UPLOAD_BODY:
        found = {200: {"content": {"application/json": {"schema": RECEIPT}}}}
    if body in (UPLOAD_BODY, ERASE_BODY):
        words = "the 32 hexadecimal digits of a link, where reports come by invitation"
        extra["parameters"] = [{"name": HEADER, "in": "header", "schema": {"type": "string"}, "description": words}]
    return found | {status: {"description": words, "content": content} for status, words in sorted(told.items())}, extra
