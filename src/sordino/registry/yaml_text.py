"""YAML, written only: texts of several lines as blocks, which people can read, all else as JSON has it.

Every reader of YAML 1.1 or 1.2 reads it as the document that it was written of.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from sordino.printable import printable

Value = str | int | float | bool | Sequence["Value"] | Mapping[str, "Value"]
"""What a document may hold."""


def yaml_text(document: Mapping[str, Value]) -> str:
    r"""A document as YAML, with control characters of its texts as what they are.

    Example:
        >>> print(yaml_text({"name": "a: b", "tiers": [1, 2], "text": "- one\n- two\n"}), end="")
        name: "a: b"
        tiers:
          - 1
          - 2
        text: |
          - one
          - two
    """
    return "".join(f"{line}\n" for line in _mapping_lines(document))


def _mapping_lines(document: Mapping[str, Value]) -> Iterator[str]:
    for name, value in document.items():
        first, *rest = _value(value)
        yield f"{name}:{first}"
        yield from rest


def _value(value: Value) -> Iterator[str]:
    """What stands behind the name, and the lines below it."""
    match value:
        case str() if "\n" in value:
            yield " |"
            yield from (f"  {printable(line)}".rstrip() for line in value.rstrip("\n").split("\n"))
        case str():
            yield f" {json.dumps(printable(value), ensure_ascii=False)}"
        case bool() | int() | float():
            yield f" {json.dumps(value)}"
        case Mapping():
            yield "" if value else " {}"
            yield from (f"  {line}" for line in _mapping_lines(value))
        case _:
            yield "" if value else " []"
            for item in value:
                first, *rest = _mapping_lines(item) if isinstance(item, Mapping) else [next(_value(item)).lstrip()]
                yield f"  - {first}"
                yield from (f"    {line}" for line in rest)
