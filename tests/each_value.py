"""Tests of many cases: by default those that stand for the others, in the long run all.

Marked `each_value`: as many as have every value of each parameter. Marked `first_cases(n)`: the first n, in the order
in which they are written.
"""

from collections import Counter

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector, name, obj):
    """Mark the cases of a test that need not be run by default as long."""
    items = yield
    if isinstance(items, list):
        left = [item for item in items if not item.get_closest_marker("long")]
        # One id for each `parametrize`, and for each fixture with parameters.
        cases = {item: set(enumerate(item.callspec._idlist)) for item in left if item.get_closest_marker("each_value")}
        for item in cases.keys() - set(chosen(cases)):
            item.add_marker(pytest.mark.long)
        marks = [item.get_closest_marker("first_cases") for item in left]
        for place, (item, mark) in enumerate(zip(left, marks, strict=True)):
            if mark and place >= mark.args[0]:
                item.add_marker(pytest.mark.long)
    return items


def chosen(cases):
    """Cases that have every value: those with most new values first, and of these the ones whose others are rarest."""
    used, left = Counter(), dict(cases)
    while new := max((len(values - used.keys()) for values in left.values()), default=0):
        fullest = [case for case, values in left.items() if len(values - used.keys()) == new]
        case = min(fullest, key=lambda case: sum(used[value] for value in left[case]))
        used.update(left.pop(case))
        yield case
