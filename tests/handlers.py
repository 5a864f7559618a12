"""A test leaves the handlers of signals as it found them: a worker with a command's would end at a stray signal."""

import signal

import pytest

from sordino.process import STOPS, put_back

# A shell has what runs behind it ignore Ctrl-C, and commands that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# As `nohup` has SIGHUP ignored by the tests that it runs.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    with put_back():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    item.handlers = {number: signal.getsignal(number) for number in STOPS}
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    result = yield
    left = {number.name: signal.getsignal(number) for number in STOPS}
    assert left == {number.name: handler for number, handler in item.handlers.items()}, "handlers that a test leaves"
    return result
