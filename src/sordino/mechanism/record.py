"""A channel out of its record: the integers that a document holds of it, named by the channel's own name."""

import json
from collections.abc import Iterable
from typing import TypeVar

from sordino.errors import DamagedError
from sordino.exact.entries import Entries
from sordino.exact.messages.brief import shown
from sordino.mechanism.channel import Channel

Kind = TypeVar("Kind", bound=Channel)


def read_channel(entries: Entries, kinds: Iterable[type[Kind]], promise: object = None) -> Kind:
    """The channel of some kinds that a document tells; of the promise it takes what its record leaves out."""
    name, known = entries.text("name"), {kind.name: kind for kind in kinds}
    if name not in known:
        raise DamagedError(f"{entries.where}.name must be one of {', '.join(known)}", found=shown(name))
    channel = known[name].from_record(entries, promise)
    own = channel.document_fields
    entries.require(own)
    for entry in ("k", "codes", "draw"):
        # Also where Python takes two for equal: 1, 1.0 and true.
        if json.dumps(entries.found.get(entry)) != json.dumps(own.get(entry)):
            found = shown(json.dumps(entries.found.get(entry)))
            raise DamagedError(f"{entries.where}.{entry} must be as the mechanism's integers make it", found=found)
    if own != entries.found:
        raise DamagedError(f"{entries.where} must be as it was frozen", found="another spelling")
    return channel
