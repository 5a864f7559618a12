r"""Texts of others on their way to a reader: names, labels, grounds, files' names, whatever somebody else has written.

A terminal obeys escape sequences, a line break begins a line that looks like one of ours, and marks of direction turn
what follows around. So all of these are spelled out (`\x1b`, `\n`, `\u202e`), and what others say stands in quotation
marks. Everything that the command line prints, and every message of an error, passes here. Loads nothing.
"""

import re
from collections.abc import Iterable, Sequence

SEPARATOR = ", "
"""Stands between the parts of a joined name."""

HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Controls (C0 and C1, line breaks among them), marks of direction, characters without a shape, halves of surrogate
pairs. Joiners (U+200C, U+200D) are letters' own in many scripts and stay."""

QUOTED = re.compile(r'"((?:[^"]|"")*)"(?:, |\Z)', re.DOTALL)
PLAIN = re.compile(r"(.+?)(?:, |\Z)", re.DOTALL)
"""The next part of a joined name, in quotes and without, with what stands behind it."""


def printable(text: str) -> str:
    r"""A text on one line, in which everything can be seen.

    Example:
        >>> print(printable("a\x1b[2J\nb"), printable("M\u00fcnchen"))
        a\x1b[2J\nb München
    """
    if text.isascii() and text.isprintable():
        # Most texts, told at once.
        return text
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def quote(text: str) -> str:
    r"""What somebody else says, on one line and in quotation marks that it cannot close.

    Example:
        >>> print(quote('Declared.\n"It" holds'))
        "Declared.\n\"It\" holds"
    """
    inner = printable(text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{inner}"'


def join_names(parts: Iterable[str]) -> str:
    r"""One name of several, with commas between; what could be read otherwise in quotes, doubled within (RFC 4180).

    Different parts give different texts, and `split_names` reads them back. A comma without a blank needs no quotes.

    Example:
        >>> print(join_names(["old", "yes"]), join_names(["x, y", "z"]), join_names(["x", "y, z"]), sep="; ")
        old, yes; "x, y", z; x, "y, z"
    """
    return SEPARATOR.join(_in_quotes(part) if _needs_quotes(part) else part for part in parts)


def join_label(parts: Sequence[str]) -> str:
    """A name of its own as it is, several of them joined (`join_names`)."""
    return parts[0] if len(parts) == 1 else join_names(parts)


def split_names(text: str) -> tuple[str, ...] | None:
    r"""The parts of a joined name; None of a text that is none, whose quotes do not close.

    Example:
        >>> split_names('"x, y", z'), split_names("old, yes"), split_names('"x')
        (('x, y', 'z'), ('old', 'yes'), None)
    """
    parts, left = [], text
    while True:
        found = QUOTED.match(left) if left.startswith('"') else PLAIN.match(left)
        if found is None:
            return None
        parts.append(found[1].replace('""', '"') if left.startswith('"') else found[1])
        left = left[found.end() :]
        if not left:
            return tuple(parts) if not found[0].endswith(SEPARATOR) else None


def _needs_quotes(part: str) -> bool:
    return not part or part != part.strip(" ") or '"' in part or SEPARATOR in part


def _in_quotes(part: str) -> str:
    doubled = part.replace('"', '""')
    return f'"{doubled}"'


def escaped_json(text: str) -> str:
    r"""A JSON text whose strings hold none of these characters themselves: the same document, as `\u` escapes.

    Example:
        >>> print(escaped_json('{"name": "\x9b2J"}'))
        {"name": "\u009b2J"}
    """
    return HIDDEN.sub(lambda found: _units(found[0]), text)


def shorten_text(text: str, most: int) -> str:
    """A text of at most so many characters, its end cut."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _units(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
