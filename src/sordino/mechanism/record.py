"""A channel out of its record: the integers that a document holds of it, named by the channel's own name."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from sordino.errors import DamagedError
from sordino.exact.entries import Entries
from sordino.exact.messages.brief import shown
from sordino.mechanism.channel import Channel

Kind = TypeVar("Kind", bound=Channel)


def read_channel(entries: Entries, kinds: Mapping[Any, type[Kind]], promise: object = None) -> Kind:
    """The channel that a document tells, of some kinds by name; of the promise it takes what its record leaves out."""
    name = entries.text("name")
    if name not in kinds:
        raise DamagedError(f"{entries.where}.name must be one of {', '.join(kinds)}", found=shown(name))
    channel = kinds[name].from_record(entries, promise)
    own = channel.document_fields
    entries.require(own)
    for entry in ("k", "codes", "draw"):
        # Also where Python takes two for equal: 1, 1.0 and true.
        if json.dumps(entries.found.get(entry)) != json.dumps(own.get(entry)):
            found = shown(json.dumps(entries.found.get(entry)))
            raise DamagedError(f"{entries.where}.{entry} must be as the mechanism's integers make it", found=found)
    if own != entries.found:
        raise DamagedError(f"{entries.where} must be as it was frozen", found="a different spelling")
    return channel
