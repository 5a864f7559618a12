"""Docstrings as the pages of `make site` show them: a session in Python (`>>>`) is code, not a quotation."""

import re
from typing import Any

from griffe import Extension, Object

ONE = re.compile(r"^Example:$", re.MULTILINE)
"""A heading that the package writes in the singular, and griffe reads in the plural."""


class Sessions(Extension):
    """Let each session of a docstring be one of its examples."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the text of one object, before it is read."""
        if obj.docstring:
            obj.docstring.value = ONE.sub("Examples:", obj.docstring.value)
