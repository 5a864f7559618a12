"""`relevant` of an XLSForm as conditions on earlier answers, where those can say it.

${smoker} = 'yes'                                      smoker is "yes"
${smoker} != 'yes'                                     smoker is another of its values
selected(${smoker}, 'yes') or selected(${smoker}, 'once')
${smoker} = 'yes' and ${age_group} = 'adult'           conditions on several hold together
"""

import re
from collections.abc import Container, Mapping, Sequence

Conditions = dict[str, tuple[str, ...]]
"""Of each attribute the values of which one must be answered."""

NAME = r"\$\{\s*([^\s{}]+)\s*\}"
VALUE = r"(?:'([^']*)'|\"([^\"]*)\"|(-?[0-9.]+))"

LONGEST = 2000
"""Characters of an expression that is read."""

EQUAL = re.compile(rf"{NAME}\s*(=|!=)\s*{VALUE}")
TURNED = re.compile(rf"{VALUE}\s*(=|!=)\s*{NAME}")
SELECTED = re.compile(rf"(not\s*\(\s*)?selected\s*\(\s*{NAME}\s*,\s*{VALUE}\s*\)(?(1)\s*\))")


def conditions_of(
    relevant: str, values: Mapping[str, Sequence[str]], conditional: Container[str] = ()
) -> Conditions | None:
    """What an expression asks of earlier answers; None where that cannot be said.

    Args:
        relevant: the expression; an empty one asks nothing.
        values: of each attribute that has named ones, of which a person has one.
        conditional: attributes that are not asked of all: where one is not, it differs from each of its values, which
            no list of these says.

    Example:
        >>> conditions_of("${smoker} = 'yes'", {"smoker": ["yes", "no", "once"]})
        {'smoker': ('yes',)}
        >>> conditions_of("${smoker} != 'yes'", {"smoker": ["yes", "no", "once"]})
        {'smoker': ('no', 'once')}
        >>> conditions_of("${age} > 17", {"smoker": ["yes", "no"]}) is None
        True
    """
    relevant = relevant.strip()
    if not relevant:
        return {}
    return _read(relevant, values, conditional) if len(relevant) <= LONGEST else None


def _read(text: str, values: Mapping[str, Sequence[str]], conditional: Container[str]) -> Conditions | None:
    """The same of an expression that is not empty: of one attribute any of several values, of several all together."""
    text = _without_parentheses(text)
    either = _split(text, "or")
    parts = either if len(either) > 1 else _split(text, "and")
    if len(parts) == 1:
        return _term(text, values, conditional)
    found: Conditions | None = None
    for part in parts:
        own = _read(part, values, conditional)
        if own is None:
            return None
        if found is None:
            found = own
        elif parts is not either:
            found = narrow(found, own)
        elif len(found) == 1 and own.keys() == found.keys():
            found = {name: tuple(one for one in values[name] if one in found[name] + own[name]) for name in found}
        else:
            return None
        if found is None:
            return None
    return found


def narrow(first: Conditions, second: Conditions) -> Conditions | None:
    """Conditions that hold together; None where nobody can fulfil them."""
    both = dict(first)
    for name, allowed in second.items():
        both[name] = tuple(value for value in both.get(name, allowed) if value in allowed)
    return both if all(both.values()) else None


def _term(term: str, values: Mapping[str, Sequence[str]], conditional: Container[str]) -> Conditions | None:
    """The values of an attribute for which a comparison is true."""
    if match := EQUAL.fullmatch(term):
        name, sign, *value = match.groups()
    elif match := TURNED.fullmatch(term):
        *value, sign, name = match.groups()
    elif match := SELECTED.fullmatch(term):
        denied, name, *value = match.groups()
        sign = "!=" if denied else "="
    else:
        return None
    asked = next((one for one in value if one is not None), "")
    if asked not in values.get(name, ()) or (sign == "!=" and name in conditional):
        return None
    return {name: tuple(one for one in values[name] if (one == asked) == (sign == "="))}


def _without_parentheses(text: str) -> str:
    """The same without parentheses around all of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and 0 not in _depths(text[:-1]):
        text = text[1:-1].strip()
    return text


def _depths(text: str) -> list[int]:
    """How many brackets are open after each character; what stands in quotes counts as one more."""
    depth, quote, depths = 0, "", []
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "({") - (character in ")}")
        depths.append(depth + bool(quote))
    return depths


def _split(text: str, word: str) -> list[str]:
    """The parts of an expression between a word that stands outside brackets and quotes."""
    depths, parts, start = _depths(text), [], 0
    for match in re.finditer(rf"\b{word}\b", text):
        if depths[match.start()] == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]
