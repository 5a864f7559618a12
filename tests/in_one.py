"""Many small cases as one test, where to begin a test for each would take longer than what it looks at."""

import inspect
from functools import wraps
from itertools import product

import pytest


def in_one(names, values=(), fixture=None):
    """Run a test for each of some values, which it takes by these names; each case that fails is a failed subtest.

    It is written like `pytest.mark.parametrize`, also several above each other, or with the fixture that holds the
    values. Other fixtures are made once for all cases, so it is for tests that change none. All cases are run, whatever
    those before them did, but where the run ends at its first failure (`-x`); one that passes costs no subtest.
    """
    layer = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)], list(values), fixture

    def decorate(test):
        layers, run_case = [layer, *getattr(test, "layers", [])], getattr(test, "run_case", test)
        own = inspect.signature(run_case).parameters

        @wraps(test)
        def every(request, **fixtures):
            __tracebackhide__ = True
            shared = {name: value for name, value in {**fixtures, "request": request}.items() if name in own}
            columns = [fixtures[fixture] if fixture else cases for _, cases, fixture in layers]
            skip, failures = None, 0
            for place, row in enumerate(product(*columns), 1):
                case = {}
                for (words, _, _), value in zip(layers, row, strict=True):
                    case |= zip(words, [value] if len(words) == 1 else value, strict=True)
                try:
                    run_case(**shared, **case)
                except pytest.skip.Exception as reason:
                    skip = skip or reason
                except BaseException:
                    failures += 1
                    # What ends the run, as Ctrl-C, goes on from here.
                    with request.getfixturevalue("subtests").test(f"case {place}", **case):
                        raise
            if skip is not None and not failures:
                raise skip

        given = {name for words, _, _ in layers for name in words}
        left = [name for name in own if name not in given]
        left += [held for _, _, held in layers if held and held not in left]
        left += [] if "request" in left else ["request"]
        every.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in left]
        )
        every.layers, every.run_case = layers, run_case
        return every

    return decorate
