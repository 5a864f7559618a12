"""Frozen words that somebody changed."""

import json

import pytest

from sordino.document.sealed import canonical, content_hash


@pytest.fixture
def sealed_text():
    """A document's canonical text with one entry changed, and the hash of its new contents."""

    def change(text, path, value):
        document = json.loads(text)
        *parents, last = path
        table = document
        for name in parents:
            table = table[name]
        table[last] = value
        return canonical({**document, "hash": content_hash(document)}).decode()

    return change
