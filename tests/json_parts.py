"""The parts of a JSON document, and the document with something added to each of its objects."""

from copy import deepcopy


def places(value, path=()):
    """The paths of all parts."""
    for key in range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ():
        yield (*path, key)
        yield from places(value[key], (*path, key))


def widened(document):
    """Copies of a document, each with an entry of another name in one of its objects."""
    for path in [(), *places(document)]:
        changed = deepcopy(document)
        part = changed
        for key in path:
            part = part[key]
        if isinstance(part, dict):
            part["extra"] = 1
            yield changed
