"""Many small cases as one test, where to begin a test for each would take longer than what it looks at."""

import inspect
from functools import wraps


def in_one(names, values=(), fixture=None):
    """Run a test for each of some values, which it takes by these names; a failure names its case.

    It is written like `pytest.mark.parametrize`, also several above each other, or with the fixture that holds the
    values. Other fixtures are made once for all cases, so it is for tests that change none.
    """
    words, cases = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)], list(values)

    def decorate(test):
        @wraps(test)
        def every(**made):
            held = made.pop(fixture) if fixture else cases
            for place, value in enumerate(held, 1):
                case = dict(zip(words, [value] if len(words) == 1 else value, strict=True))
                try:
                    test(**made, **case)
                except BaseException as error:
                    error.add_note(f"in case {place}: {case}")
                    raise

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in words]
        held = [inspect.Parameter(fixture, inspect.Parameter.POSITIONAL_OR_KEYWORD)] if fixture else []
        every.__signature__ = signature.replace(parameters=[*left, *held])
        return every

    return decorate
