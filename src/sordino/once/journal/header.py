"""The first 100 bytes of a journal's file, most of which are the same in every journal.

So a header that was changed is noticed before SQLite reads by it, and can be written anew where what follows is whole.
It holds no answer. Source: https://www.sqlite.org/fileformat2.html, section 1.3.
"""

import struct

APPLICATION = 0x536F7264
"""Marks the files of Sordino ("Sord")."""

VERSION = 2
"""Of the lines. It stands in the header, and sealed beside the lines (nowhere: 1), so that a changed number is told
from a newer version. Since 2 there are stores of answers, and the events that both kinds know."""

SIZE = 100
"""Bytes of a header."""

PAGE = 4096
"""Bytes of a page."""

MAGIC = b"SQLite format 3\0"

WITH_LOG, WITHOUT_LOG = b"\x02\x02", b"\x01\x01"
"""How the file is written and read: by a write-ahead log, or as it stands."""

FIXED = (
    (0, MAGIC),
    (16, PAGE.to_bytes(2)),
    # No reserved bytes, and fractions that SQLite requires.
    (20, b"\x00\x40\x20\x20"),
    # The format of the schema.
    (44, struct.pack(">I", 4)),
    # No vacuum that moves pages; UTF-8; behind our version again no vacuum; our mark.
    (52, struct.pack(">2I", 0, 1)),
    (64, struct.pack(">2I", 0, APPLICATION)),
)
"""Where a header says what it always says, and what."""

VERSIONS = slice(18, 20)
"""How the file is written and read."""

PAGES = slice(28, 32)
"""The number of pages."""

FREE = slice(32, 40)
"""The list of unused pages."""

OUR_VERSION, OUR_MARK = slice(60, 64), slice(68, 72)


def is_sound(header: bytes) -> bool:
    """Whether a file begins as every journal of a known version does."""
    if len(header) < SIZE or header[VERSIONS] not in (WITH_LOG, WITHOUT_LOG):
        return False
    if not 1 <= int.from_bytes(header[OUR_VERSION]) <= VERSION:
        return False
    return all(header[start : start + len(value)] == value for start, value in FIXED)


def newer_version(header: bytes | bytearray) -> int | None:
    """The version of what claims to be a journal of a newer one."""
    found = int.from_bytes(header[OUR_VERSION])
    return found if header[OUR_MARK] == struct.pack(">I", APPLICATION) and found > VERSION else None


def with_new_header(content: bytearray) -> bytearray:
    """The same file, to be read as it stands, in whole pages, with whatever its header should say."""
    restored = content + bytes(-len(content) % PAGE)
    for start, value in FIXED:
        restored[start : start + len(value)] = value
    restored[VERSIONS] = WITHOUT_LOG
    restored[PAGES] = struct.pack(">I", len(restored) // PAGE)
    # What is unused is not read.
    restored[FREE] = bytes(8)
    return restored
