"""What the collector's own OpenAPI document says beyond what its functions do: bodies, tokens, problems."""

from typing import Any

from sordino.service.uploads import PACKED

PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "rule", "found", "step"],
    "properties": {
        "status": {"type": "integer"},
        **{name: {"type": "string"} for name in ("type", "title", "detail", "code", "rule", "found", "step")},
    },
}

REPORT = {
    "type": "object",
    "required": ["id", "code"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "code": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,19})$"},
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

TALLY_BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["format", "version", "plan", "counts"],
                "properties": {"counts": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
            }
        }
    },
}

ALWAYS = {
    429: "too many wait: again after Retry-After seconds",
    503: "the system refuses to write",
    507: "the disk is full",
}

OF_A_PLAN = {400: "not as it must be", 404: "no such plan, or not signed", 409: "closed, or too few reports"}

OF_A_BODY = {413: "too long", 415: "another media type"}


def responses(
    path: str, body: dict[str, Any] | None, *, for_analyst: bool
) -> tuple[dict[int | str, dict[str, Any]], dict[str, Any]]:
    """The problems that a route can answer with; and its body and token."""
    told = {
        **ALWAYS,
        **(OF_A_PLAN if "{" in path or path == "/key" else {}),
        **(OF_A_BODY if body else {}),
        **({401: "without the analyst's token"} if for_analyst else {}),
    }
    extra: dict[str, Any] = {"requestBody": body} if body else {}
    if for_analyst:
        extra["parameters"] = [
            {"name": "Authorization", "in": "header", "schema": {"type": "string"}, "description": "Bearer TOKEN"}
        ]
    content = {"application/problem+json": {"schema": PROBLEM}}
    return {status: {"description": words, "content": content} for status, words in sorted(told.items())}, extra
