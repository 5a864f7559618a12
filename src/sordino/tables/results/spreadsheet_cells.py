"""Names as cells that no spreadsheet runs: a survey's author, or whoever answered, chose them."""

import re

BLANK = r"[\s\u200b-\u200f\u2060\ufeff]"
"""What a spreadsheet may leave out, or not show."""

SIGN = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
"""How a formula begins, in full width too."""

FORMULA = re.compile(rf"'*(?:[\t\r\n]|{BLANK}*{SIGN})|.*[;\t\r\n]{BLANK}*{SIGN}", re.DOTALL)
"""What a spreadsheet takes for a formula, after apostrophes of its own; or takes apart, at a semicolon for instance, so
that a part of it is one."""

PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?(, ?-?[0-9]+(\.[0-9]+)?)*", re.ASCII)
"""A number, or numbers with commas between, as the position of a cell on a map: nothing that could be worked out."""


def as_cell(text: str) -> str:
    """A name as a spreadsheet takes it for a text, not for a formula; the apostrophe before it is its mark for that.

    Names that begin with apostrophes and a formula get one more, so that each name can be told from what is written.

    Example:
        >>> as_cell("=1+1"), as_cell("-5"), as_cell("-71.1,42.3"), as_cell("it's"), as_cell("'=1+1")
        ("'=1+1", '-5', '-71.1,42.3', "it's", "''=1+1")
    """
    # Of letters and digits alone there is no formula: most names are looked at no further.
    return f"'{text}" if not text.isalnum() and FORMULA.match(text) and not PLAIN.fullmatch(text) else text
