"""Labels made fit for a page and its figures: short lines of letters that can be shown; and percentages."""

import re
from functools import cache
from textwrap import TextWrapper
from unicodedata import east_asian_width

from sordino.printable import printable

FAMILIES = (
    "DejaVu Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "WenQuanYi Micro Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Noto Sans Devanagari",
)
"""The first comes with matplotlib; the others, where they are installed, draw what it lacks."""
MISSING = "\N{WHITE SQUARE}"
"""Stands for a character that cannot be shown."""
NONCHARACTERS = re.compile(
    "[" + "".join(chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)) + "]"
)
"""What no XML document can hold, or no text should."""
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
MINUS = "\N{MINUS SIGN}"
NO_BREAK = "\N{NO-BREAK SPACE}"
UNDERSCORE = re.compile(r"(?<=_)(?=[^_])")
"""Where a line may end within a name."""


def families() -> list[str]:
    """The installed ones of the families above, in the order in which they are tried."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return [family for family in FAMILIES if family in installed]


def fit(text: str, length: int, lines: int = 1) -> str:
    r"""The text in at most so many lines of at most `length` letters, half as many where wide; cut at its end.

    Example:
        >>> fit("employed full-time", 12), fit("employed full-time", 12, lines=2), fit("blood_pressure", 12, lines=2)
        ('employed…', 'employed\nfull-time', 'blood_\npressure')
    """
    text = for_markup(" ".join(text.split()))
    if not text.isascii() and any(east_asian_width(letter) in "WF" for letter in text):
        length //= 2
    # A single line is filled with letters of a long name.
    wrapper = TextWrapper(length) if lines == 1 else _Lines(length)
    *first, last = wrapper.wrap(text)[: lines + 1] or [""]
    if len(first) == lines:
        *first, last = first
        last = (last if len(last) < length else last[: length - 1]) + ELLIPSIS
    return "\n".join([*first, last])


class _Lines(TextWrapper):
    """Lines end at spaces, hyphens and, as names of attributes have them, underscores."""

    def _split(self, text: str) -> list[str]:
        return [part for chunk in super()._split(text) for part in UNDERSCORE.split(chunk)]


def percent(share: float, decimals: int | None = None) -> str:
    r"""A share as a percentage with a true minus sign; without `decimals` as many digits as it has.

    Example:
        >>> percent(0.00025), percent(0.5, decimals=1)
        ('0.025\xa0%', '50.0\xa0%')
    """
    number = 100 * share
    digits = f"{number:z.12f}".rstrip("0").rstrip(".") if decimals is None else f"{number:z.{decimals}f}"
    return digits.replace("-", MINUS) + NO_BREAK + "%"


def in_print(number: str) -> str:
    r"""A number as print has it: with a true minus sign, and its unit on the same line.

    Example:
        >>> in_print("-2.1 %")
        '\u22122.1\xa0%'
    """
    return number.replace("-", MINUS).replace(" ", NO_BREAK)


def for_markup(text: str) -> str:
    r"""The text on one line, in characters that HTML and XML can hold: what hides is spelled out, as in a terminal.

    Example:
        >>> print(for_markup("a\x1b[2J\u202eb"), for_markup("a\ufffe"))
        a\x1b[2J\u202eb a□
    """
    shown = printable(text)
    return shown if shown.isascii() else NONCHARACTERS.sub(MISSING, shown)


def drawable(text: str) -> str:
    """The text in letters that an installed font has, with squares for the others."""
    if text.isascii():
        return for_markup(text)
    known = _known_letters()
    return "".join(letter if ord(letter) in known else MISSING for letter in for_markup(text))


@cache
def _known_letters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(letter for family in families() for letter in get_font(findfont(family)).get_charmap())
