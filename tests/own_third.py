"""A run of a third of its tests, with SORDINO_THIRD=0, 1 or 2: a test's name says in which it is."""

import os
from zlib import crc32


def pytest_collection_modifyitems(config, items):
    third = os.environ.get("SORDINO_THIRD", "")
    if third:
        other = [item for item in items if crc32(item.nodeid.encode()) % 3 != int(third) % 3]
        config.hook.pytest_deselected(items=other)
        left_out = set(other)
        items[:] = [item for item in items if item not in left_out]
