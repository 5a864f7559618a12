"""Each test draws words of its own that are the same in every run: what it finds today it finds again.

Keys of streams follow from the test's name, those of a fixture that tests share from the fixture's. Other processes
that a test starts draw from the operating system as users do, and so do tests marked as fresh and, with
SORDINO_FRESH=1, all tests.
"""

import os
import secrets
from collections.abc import Callable
from contextlib import contextmanager
from hashlib import shake_256
from itertools import count

import pytest

from sordino import SystemSource

FRESH = secrets.token_bytes


def keys_of(name: str) -> Callable[[int | None], bytes]:
    """What stands for `secrets.token_bytes` in this process; a child of it draws its own."""
    numbers, owner = count(), os.getpid()

    def token_bytes(nbytes: int | None = None) -> bytes:
        if os.getpid() != owner:
            return FRESH(nbytes)
        return shake_256(f"{name} {next(numbers)}".encode()).digest(32 if nbytes is None else nbytes)

    return token_bytes


@contextmanager
def words_of(name: str | None):
    """All sources draw new keys, here and when it is over."""
    fresh = name is None or os.environ.get("SORDINO_FRESH")
    outer, secrets.token_bytes = secrets.token_bytes, FRESH if fresh else keys_of(name)
    SystemSource.note_fork()
    try:
        yield
    finally:
        secrets.token_bytes = outer
        SystemSource.note_fork()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with words_of(None if item.get_closest_marker("fresh") else item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    if fixturedef.scope == "function":
        return (yield)
    with words_of(f"{request.node.nodeid} {fixturedef.argname} {request.param_index}"):
        return (yield)
