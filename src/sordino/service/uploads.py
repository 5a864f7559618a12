"""Uploads as bytes: packed records of fixed width, or JSON.

Packed (`application/vnd.sordino-reports; version=1`): for each report its id, 16 bytes, then its code, big-endian, in
as many bytes as the plan's largest code needs. JSON: {"reports": [{"id": 32 hexadecimal digits, "code": digits}, ...]}.
"""

import json
import re

import numpy as np

from sordino.errors import SordinoError
from sordino.service.storage.reports import ID_BYTES, Upload
from sordino.survey.planning.plan import Plan

PACKED = "application/vnd.sordino-reports"
"""The media type of packed uploads."""

LARGEST_CODE = str(2**64 - 1)

MOST_JSON = 1 << 20
"""Bytes of an upload in JSON: some fifteen thousand reports."""

SMALLER = (
    f"{LARGEST_CODE[:n]}[0-{int(LARGEST_CODE[n]) - 1}][0-9]{{{19 - n}}}" for n in range(1, 20) if LARGEST_CODE[n] > "0"
)
"""Texts of as many digits, by the first digit that is smaller."""

FIELDS = {
    "id": re.compile("[0-9a-f]{32}"),
    "code": re.compile("|".join(("0", "[1-9][0-9]{0,18}", *SMALLER, LARGEST_CODE))),
}
"""Of a report in JSON."""


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


def unpack(plan: Plan, body: bytes | bytearray) -> Upload:
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


def read_json(body: bytes | bytearray) -> Upload:
    """The reports of an upload in JSON.

    The first mistake ends the reading: mistakes of all reports together would take the memory of many uploads.

    Raises:
        SordinoError: anything else; it names places, never what stands there.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise _otherwise("the body") from None
    if not isinstance(document, dict) or document.keys() != {"reports"} or not isinstance(document["reports"], list):
        raise _otherwise("the body")
    reports = document["reports"]
    for place, report in enumerate(reports):
        if not isinstance(report, dict) or report.keys() != FIELDS.keys():
            raise _otherwise(f"reports.{place}")
        for name, form in FIELDS.items():
            if not isinstance(report[name], str) or not form.fullmatch(report[name]):
                raise _otherwise(f"reports.{place}.{name}")
    codes = [int(report["code"]) for report in reports]
    if not codes:
        raise SordinoError("an upload must hold reports", found="0 reports", step="send one or more")
    return Upload(bytes.fromhex("".join(report["id"] for report in reports)), np.array(codes, dtype=np.uint64))


def _otherwise(place: str) -> SordinoError:
    rule = 'reports must be as {"reports": [{"id": 32 hexadecimal digits, "code": digits of a number below 2^64}]}'
    return SordinoError(rule, found=f"otherwise at {place}")
