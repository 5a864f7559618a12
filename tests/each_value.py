"""Tests of many cases: by default those that stand for the others, in the long run all.

Marked `each_value`: as many as have every value of each parameter. Marked `first_cases(n)`: the first n, in the order
in which they are written.
"""

from collections import Counter

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc):
    """Mark the cases of a test that need not be run by default as long."""
    yield
    marks = {mark.name: mark for mark in reversed([*metafunc.definition.iter_markers()])}
    short = [case for case in metafunc._calls if not any(mark.name == "long" for mark in case.marks)]
    left = set(range(len(short)))
    if "each_value" in marks:
        # One id for each `parametrize`, and for each fixture with parameters.
        left.intersection_update(chosen({place: set(enumerate(case._idlist)) for place, case in enumerate(short)}))
    if "first_cases" in marks:
        left.intersection_update(range(*marks["first_cases"].args))
    for place, case in enumerate(short):
        if place not in left:
            case.marks.append(pytest.mark.long.mark)


def chosen(cases):
    """Cases that have every value: those with most new values first, and of these the ones whose others are rarest."""
    used, new = Counter(), dict(cases)
    while new:
        most = max(map(len, new.values()))
        fullest = [case for case, values in new.items() if len(values) == most]
        case = min(fullest, key=lambda case: sum(used[value] for value in cases[case]))
        yield case
        used.update(cases[case])
        new = {other: rest for other, values in new.items() if (rest := values - used.keys())}
