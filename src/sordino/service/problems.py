"""Errors over HTTP as problem details (RFC 9457), with the words and the code that errors have everywhere."""

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sordino.errors import SordinoError

STATUS = {"invalid": 400, "refused": 409, "damaged": 400, "unavailable": 503}
"""Of each kind of error."""


class ProblemError(Exception):
    """An error with a status of its own.

    Attributes:
        status: of the answer.
        error: what is wrong.
        headers: of the answer.
    """

    def __init__(self, status: int, error: SordinoError, headers: dict[str, str] | None = None) -> None:
        self.status, self.error, self.headers = status, error, headers
        super().__init__(str(error))


def problem(status: int, error: SordinoError, headers: dict[str, str] | None = None) -> JSONResponse:
    """An error as an answer."""
    body = {"type": "about:blank", "title": error.rule, "status": status, "detail": str(error), **error.facts()}
    return JSONResponse(body, status, headers, "application/problem+json")


async def of_framework(_: Request, error: Exception) -> JSONResponse:
    """The answer to what the framework refuses: no such path, another method, a parameter of another kind."""
    if isinstance(error, RequestValidationError):
        # Names of parameters, never what stands in them.
        places = ", ".join(sorted({".".join(map(str, one["loc"])) for one in error.errors()}))
        return problem(400, SordinoError("parameters must be of their kinds", found=f"others at {places}"))
    status = error.status_code if isinstance(error, HTTPException) else 500
    step = "GET /plans tells which plan is served"
    return problem(status, SordinoError("a request must be one that is served", found=f"status {status}", step=step))


async def of_error(_: Request, error: Exception) -> JSONResponse:
    """The answer to a `SordinoError`, by its kind, or to a `ProblemError`."""
    if isinstance(error, ProblemError):
        return problem(error.status, error.error, error.headers)
    if isinstance(error, SordinoError):
        return problem(STATUS[error.code], error)
    raise error
