"""Errors over HTTP as problem details (RFC 9457), with the words and the code that errors have everywhere."""

import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sordino.errors import SordinoError
from sordino.service.log import log_event
from sordino.service.writer import EndingError, FullQueueError, StoreTroubleError

STATUS = {"invalid": 400, "refused": 409, "damaged": 400}
"""HTTP status of each kind of error."""


LATER = {"Retry-After": "10"}
"""When to send the same again."""


class ProblemError(Exception):
    """An error with a status of its own."""

    def __init__(self, status: int, error: SordinoError, headers: dict[str, str] | None = None) -> None:
        self.status, self.error, self.headers = status, error, headers
        super().__init__(str(error))


def problem(status: int, error: SordinoError, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error as an answer."""
    return JSONResponse({**error.problem(), "status": status}, status, headers, "application/problem+json")


async def of_framework(_: Request, error: Exception) -> JSONResponse:
    """The answer to what the framework refuses: no such path, another method, a parameter of another kind."""
    if isinstance(error, RequestValidationError):
        # Names of parameters, never what stands in them.
        places = ", ".join(sorted({".".join(map(str, one["loc"])) for one in error.errors()}))
        return problem(400, SordinoError("parameters must be of their kinds", found=f"others at {places}"))
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    step = "GET /plans lists the plans that are served"
    wrong = SordinoError("a request must be one that is served", found=f"status {status}", step=step)
    return problem(status, wrong, headers)


async def of_error(_: Request, error: Exception) -> JSONResponse:
    """The answer to a `SordinoError`, by its kind, or to a `ProblemError`."""
    match error:
        case ProblemError():
            return problem(error.status, error.error, error.headers)
        case FullQueueError():
            return problem(HTTPStatus.TOO_MANY_REQUESTS, error, {"Retry-After": "1"})
        case StoreTroubleError(is_full=True):
            return problem(HTTPStatus.INSUFFICIENT_STORAGE, error, LATER)
        case StoreTroubleError() | EndingError():
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, error, LATER)
        case SordinoError(code="unavailable"):
            # As a folder for temporary files that cannot be written: its name is for the log.
            log_event("the system refuses", logging.ERROR, error=str(error))
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, StoreTroubleError(is_full=False), LATER)
        case SordinoError():
            return problem(STATUS[error.code], error)
    raise error
