"""What a file is, told from its first words: said where another kind was expected, with the command that takes it.

Only the kind is told, never a word of the file: it may hold a person's record.
"""

import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sordino.document.files import LARGEST_FILE, read_json
from sordino.document.formats import AGGREGATE, INVITATIONS, PLAN, QUERY, REPORT, STATEMENT, TERMS, TRANSCRIPT
from sordino.document.sealed import Sealed
from sordino.errors import SordinoError

FileKind = Literal[
    "survey", "plan", "aggregate", "statement", "transcript", "ledger", "terms", "query", "record", "key", "reports",
    "page", "table", "invitations",
]  # fmt: skip


class _KindOfFile(NamedTuple):
    """What a kind of file is called, and what to do with it."""

    noun: str
    use: str


WORDS: Mapping[FileKind, _KindOfFile] = {
    "survey": _KindOfFile("a survey", "freeze it first with `sordino.plan`"),
    "plan": _KindOfFile(
        PLAN.noun, "give it first to `sordino.privatize`, `sordino.estimate`, `sordino.certify`, `sordino.explain`"
    ),
    "aggregate": _KindOfFile(AGGREGATE.noun, "`sordino.estimate` takes it after the plan"),
    "statement": _KindOfFile(STATEMENT.noun, "a survey names it in [dependence], as `file`"),
    "transcript": _KindOfFile(TRANSCRIPT.noun, "`sordino ledger import` takes it"),
    "ledger": _KindOfFile("a ledger", "give it first to `sordino.ask` and `sordino ledger`"),
    "terms": _KindOfFile(TERMS.noun, "`sordino ledger new` takes them after the new ledger's name"),
    "query": _KindOfFile(QUERY.noun, "`sordino.ask` takes it after the ledger"),
    "record": _KindOfFile("a person's record", "`sordino.ask` takes it as `record`, `sordino.report` after the plan"),
    "key": _KindOfFile("a key file", "`sordino.privatize` takes it as `key`"),
    "reports": _KindOfFile("a file of reports", "`sordino.aggregate` and `sordino.estimate` take it after the plan"),
    "invitations": _KindOfFile(INVITATIONS.noun, "`sordino serve` takes it"),
    "page": _KindOfFile("a page", "it is for browsers"),
    "table": _KindOfFile("a table", "`sordino.privatize` takes one of people after the plan"),
}

FORMATS: Mapping[str, FileKind] = {
    PLAN.format: "plan",
    AGGREGATE.format: "aggregate",
    REPORT.format: "reports",
    STATEMENT.format: "statement",
    TRANSCRIPT.format: "transcript",
    INVITATIONS.format: "invitations",
}
"""What the JSON files call themselves."""

ALIKE = frozenset({("survey", "terms"), ("reports", "table")})
"""Wanted and found: a survey without questions looks like terms, reports without their columns like any table. What is
wrong with them says more."""

HEAD = 1 << 16
"""Bytes that tell the kind of all files but of long surveys and plans."""

TABLES = (".csv", ".csv.gz", ".parquet")


@contextmanager
def explain_kind(path: Path, wanted: FileKind) -> Iterator[None]:
    """Say what a file is, if it cannot be read because it is of another kind.

    Raises:
        SordinoError: a file of another kind; or what the block raises.
    """
    try:
        yield
    except SordinoError as error:
        found = kind_of(path) if error.code in ("invalid", "damaged") else None
        if found is None or found == wanted or (wanted, found) in ALIKE:
            raise
        noun, use = WORDS[found]
        raise SordinoError(f"{path} must be {WORDS[wanted].noun}", found=noun, step=use) from None


def read_document(path: Path, sealed: Sealed) -> dict[str, Any]:
    """The document of a JSON file, of this format and a version that is known.

    Raises:
        SordinoError: unreadable, of another kind, or of a newer version.
    """
    with explain_kind(path, FORMATS[sealed.format]):
        document = read_json(path)
        sealed.require(document, str(path))
    return document


def kind_of(path: Path) -> FileKind | None:
    """What a file is; None where that cannot be told."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            head = file.read(HEAD)
            if head.startswith(b"SQLite format 3\0"):
                return "ledger"
            if path.name.lower().endswith(TABLES):
                return "reports" if _first_line(head) == b"plan,code" else "table"
            text = (head + file.read(LARGEST_FILE)).removeprefix(BOM_UTF8).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return _kind_of_text(text)


def _first_line(head: bytes) -> bytes:
    return head.removeprefix(BOM_UTF8).split(b"\n", 1)[0].strip()


def _kind_of_text(text: str) -> FileKind | None:
    if text.startswith("{"):
        named = re.search(r'"format": ?"(sordino [a-z]+)"', text)
        return FORMATS.get(named[1]) if named else None
    if text.startswith("sordino key"):
        return "key"
    if text.lower().startswith("<!doctype html"):
        return "page"
    if text.startswith("plan,code"):
        return "reports"
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    signs: Mapping[str, FileKind] = {"ask": "survey", "record": "record", "collector": "query", "attribute": "terms"}
    return next((kind for name, kind in signs.items() if name in tables), None)
