"""Uploads as bytes: packed records of fixed width, or JSON.

Packed (`application/vnd.sordino-reports; version=1`): for each report its id, 16 bytes, then its code, big-endian, in
as many bytes as the plan's largest code needs; then, of a plan with public columns, its public cell, big-endian, in as
many as the last cell needs. JSON: {"reports": [{"id": 32 hexadecimal digits, "code": digits}, ...]}, each with
"public": {name: value, ...} where the plan has public columns.
"""

import json
import re

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.source import Words
from sordino.service.storage.uploaded_reports import ID_BYTES, Upload
from sordino.survey.answering.plan_report import PUBLIC
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
"""Fields of a report in JSON, with their form."""


def code_bytes(plan: Plan) -> int:
    """Bytes of a code in a packed upload."""
    return max(1, -(-plan.sampled.code_bits // 8))


def pack(plan: Plan, upload: Upload) -> bytes:
    """The packed form of an upload."""
    ids = np.frombuffer(upload.ids, dtype=np.uint8).reshape(-1, ID_BYTES)
    codes, cells = plan.cells.split(upload.codes)
    parts = zip((codes, cells), (code_bytes(plan), plan.cells.cell_bytes), strict=True)
    own = [part.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - width :] for part, width in parts]
    return np.concatenate([ids, *own], axis=1).tobytes()


def unpack(plan: Plan, body: bytes | bytearray) -> Upload:
    """The reports of a packed upload.

    Raises:
        SordinoError: a body that is no whole number of records.
    """
    end = ID_BYTES + code_bytes(plan)
    width = end + plan.cells.cell_bytes
    if not body or len(body) % width:
        raise SordinoError(f"a packed upload must be whole records of {width} bytes", found=f"{len(body)} bytes")
    if len(body) == width:
        # What a device sends: cutting arrays out of it takes longer than all else that is done with it here.
        code, cell = (np.array([int.from_bytes(part)], dtype=np.uint64) for part in (body[ID_BYTES:end], body[end:]))
        return Upload(bytes(body[:ID_BYTES]), plan.cells.join(code, cell))
    rows = np.frombuffer(body, dtype=np.uint8).reshape(-1, width)
    numbers = plan.cells.join(_words(rows[:, ID_BYTES:end]), _words(rows[:, end:]))
    return Upload(rows[:, :ID_BYTES].tobytes(), numbers)


def _words(part: NDArray[np.uint8]) -> Words:
    words = np.zeros((len(part), 8), dtype=np.uint8)
    words[:, 8 - part.shape[1] :] = part
    return words.view(">u8").ravel().astype(np.uint64)


def read_json(plan: Plan, body: bytes | bytearray) -> Upload:
    """The reports of an upload in JSON.

    The first mistake ends the reading: mistakes of all reports together would take the memory of many uploads.

    Raises:
        SordinoError: anything else; it names places, never what stands there.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise _otherwise(plan, "the body") from None
    if not isinstance(document, dict) or document.keys() != {"reports"} or not isinstance(document["reports"], list):
        raise _otherwise(plan, "the body")
    reports, fields, cells = document["reports"], {*FIELDS, *((PUBLIC,) if plan.cells.parts else ())}, []
    for place, report in enumerate(reports):
        if not isinstance(report, dict) or report.keys() != fields:
            raise _otherwise(plan, f"reports.{place}")
        for name, form in FIELDS.items():
            if not isinstance(report[name], str) or not form.fullmatch(report[name]):
                raise _otherwise(plan, f"reports.{place}.{name}")
        cell = plan.cells.of_labels(report.get(PUBLIC, {}))
        if cell is None:
            step = "send a value of the plan for each of its public columns"
            raise SordinoError(
                f"reports.{place}.{PUBLIC} must hold the plan's public values",
                found="values that are none of these",
                step=step,
            )
        cells.append(cell)
    codes = [int(report["code"]) for report in reports]
    if not codes:
        raise SordinoError("an upload must hold reports", found="0 reports", step="send one or more")
    numbers = plan.cells.join(np.array(codes, dtype=np.uint64), np.array(cells, dtype=np.uint64))
    return Upload(bytes.fromhex("".join(report["id"] for report in reports)), numbers)


def read_id(body: bytes | bytearray) -> bytes:
    """The id in a request to forget a report.

    Raises:
        SordinoError: anything else; it says nothing of what stands there.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.keys() != {"id"} or not isinstance(document["id"], str):
        raise _no_id()
    if not FIELDS["id"].fullmatch(document["id"]):
        raise _no_id()
    return bytes.fromhex(document["id"])


def _no_id() -> SordinoError:
    rule = 'the body must be as {"id": 32 hexadecimal digits}'
    return SordinoError(rule, found="a different body", step="send the id of the report")


def _otherwise(plan: Plan, place: str) -> SordinoError:
    clear = f', "{PUBLIC}": {{name: value}}' if plan.cells.parts else ""
    fields = f'"id": 32 hexadecimal digits, "code": digits of a number below 2^64{clear}'
    return SordinoError(f'reports must be as {{"reports": [{{{fields}}}]}}', found=f"otherwise at {place}")
