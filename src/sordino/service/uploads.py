"""Uploads as bytes: packed records of fixed width, or JSON.

Packed (`application/vnd.sordino-reports; version=1`): for each report its id, 16 bytes, then its code, big-endian, in
as many bytes as the plan's largest code needs. JSON: {"reports": [{"id": 32 hexadecimal digits, "code": digits}, ...]}.
"""

from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from sordino.errors import SordinoError
from sordino.service.storage.reports import ID_BYTES, Upload
from sordino.survey.planning.plan import Plan

PACKED = "application/vnd.sordino-reports"
"""The media type of packed uploads."""

LARGEST_CODE = 2**64
"""No code reaches it."""


class _JsonReport(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    code: Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,19})$")]


class _JsonUpload(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    reports: list[_JsonReport]


def code_bytes(plan: Plan) -> int:
    """Bytes of a code in a packed upload."""
    return max(1, -(-plan.sampled.code_bits // 8))


def pack(plan: Plan, upload: Upload) -> bytes:
    """The packed form of an upload."""
    width = code_bytes(plan)
    rows = np.empty((len(upload), ID_BYTES + width), dtype=np.uint8)
    rows[:, :ID_BYTES] = np.frombuffer(upload.ids, dtype=np.uint8).reshape(-1, ID_BYTES)
    rows[:, ID_BYTES:] = upload.codes.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - width :]
    return rows.tobytes()


def unpack(plan: Plan, body: bytes) -> Upload:
    """The reports of a packed upload.

    Raises:
        SordinoError: a body that is no whole number of records.
    """
    width = ID_BYTES + code_bytes(plan)
    if not body or len(body) % width:
        raise SordinoError(f"a packed upload must be whole records of {width} bytes", found=f"{len(body)} bytes")
    rows = np.frombuffer(body, dtype=np.uint8).reshape(-1, width)
    words = np.zeros((len(rows), 8), dtype=np.uint8)
    words[:, ID_BYTES - width :] = rows[:, ID_BYTES:]
    codes = words.view(">u8").ravel().astype(np.uint64)
    return Upload(rows[:, :ID_BYTES].tobytes(), codes)


def read_json(body: bytes) -> Upload:
    """The reports of an upload in JSON.

    Raises:
        SordinoError: anything else; it names places, never what stands there.
    """
    try:
        reports = _JsonUpload.model_validate_json(body).reports
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the body"
        rule = 'reports must be as {"reports": [{"id": 32 hexadecimal digits, "code": its digits}]}'
        raise SordinoError(rule, found=f"otherwise at {place}") from None
    codes = [int(report.code) for report in reports]
    if not codes or max(codes) >= LARGEST_CODE:
        found = "none" if not codes else "a larger code"
        raise SordinoError("an upload must hold reports with codes below 2^64", found=found)
    return Upload(bytes.fromhex("".join(report.id for report in reports)), np.array(codes, dtype=np.uint64))
