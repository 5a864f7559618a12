r"""Texts of others on their way to a reader: names, labels, grounds, files' names, whatever somebody else has written.

A terminal obeys escape sequences, a line break begins a line that looks like one of ours, and marks of direction turn
what follows around. So all of these are spelled out (`\x1b`, `\n`, `\u202e`), and what others say stands in quotation
marks. Everything that the command line prints, and every message of an error, passes here. Loads nothing.
"""

import re

HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Controls (C0 and C1, line breaks among them), marks of direction, characters without a shape, halves of surrogate
pairs. Joiners (U+200C, U+200D) are letters' own in many scripts and stay."""


def printable(text: str) -> str:
    r"""A text on one line, in which everything can be seen.

    Example:
        >>> print(printable("a\x1b[2J\nb"), printable("M\u00fcnchen"))
        a\x1b[2J\nb München
    """
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def quote(text: str) -> str:
    r"""What somebody else says, on one line and in quotation marks that it cannot close.

    Example:
        >>> print(quote('Declared.\n"It" holds'))
        "Declared.\n\"It\" holds"
    """
    inner = printable(text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{inner}"'


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
    """The UTF-16 units of a character, as JSON writes them."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
