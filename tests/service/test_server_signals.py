"""A collector hears signals while it serves, but for those that its process was told to ignore."""

import signal
from threading import Thread

from starlette.applications import Starlette

from sordino.process import put_back
from sordino.service.server import BoundedServer
from waits import joined


def test_a_signal_that_is_ignored_stays_so():
    server = BoundedServer(Starlette())
    with put_back():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        before = signal.getsignal(signal.SIGTERM)
        with server.capture_signals():
            signal.raise_signal(signal.SIGINT)
            assert not server.should_exit
            signal.raise_signal(signal.SIGTERM)
            assert server.should_exit
        assert signal.getsignal(signal.SIGTERM) is before


def test_a_terminal_that_closes_ends_it_politely():
    server = BoundedServer(Starlette())
    with server.capture_signals():
        signal.raise_signal(signal.SIGHUP)
    assert server.should_exit


def test_on_a_thread_it_takes_no_signal():
    found = []

    def work():
        with BoundedServer(Starlette()).capture_signals():
            found.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = Thread(target=work)
    thread.start()
    joined(thread)
    assert found == [before]
