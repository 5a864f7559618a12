"""One exchange over HTTP within one deadline, whatever the other side does.

A timeout of a socket bounds each wait and not how many there are: a byte now and then, or interim answers without an
end, would go on for ever. So an exchange runs on a thread of its own, and its connections are shut down when its time
is over. A name that is still looked up then cannot be given up: nothing is sent once it is found.
"""

import socket
import ssl
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from threading import Lock, Thread
from typing import Any, TypeVar
from urllib.request import (
    AbstractHTTPHandler,
    BaseHandler,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

T = TypeVar("T")


class _Line:
    """The sockets of one exchange, which another thread can shut down."""

    def __init__(self) -> None:
        self._lock, self._sockets, self._ended = Lock(), list[socket.socket](), False

    def hold(self, connected: socket.socket) -> None:
        """Note a socket, unless the exchange is over.

        Raises:
            OSError: it is.
        """
        with self._lock:
            self._sockets.append(connected)
            if self._ended:
                connected.close()
                raise OSError("the exchange is over")

    def hang_up(self) -> None:
        """End all that waits for one of the sockets, and take no more."""
        with self._lock:
            self._ended = True
            for connected in self._sockets:
                # Not TLS's own end, after which the same object would read without it.
                with suppress(OSError):
                    socket.socket.shutdown(connected, socket.SHUT_RDWR)


class _OnLine(HTTPConnection):
    """Tells its line of its socket before anything is sent."""

    def __init__(self, *arguments: Any, line: _Line, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._line = line

    def connect(self) -> None:
        super().connect()
        self._line.hold(self.sock)


class _SecureOnLine(_OnLine, HTTPSConnection):
    """The same with TLS, whose handshake is over when the line is told."""


class _LineHandler(HTTPHandler, HTTPSHandler):
    """Opens each connection, plain or with TLS, on one line."""

    def __init__(self, line: _Line) -> None:
        # Not HTTPSHandler's own, which would read certificates for plain connections too.
        AbstractHTTPHandler.__init__(self)
        self._line = line

    def http_open(self, request: Request) -> HTTPResponse:
        made: Any = _OnLine
        return self.do_open(made, request, line=self._line)

    def https_open(self, request: Request) -> HTTPResponse:
        made: Any = _SecureOnLine
        return self.do_open(made, request, line=self._line, context=_context())


class _NoRedirection(HTTPRedirectHandler):
    """Whoever sends a device elsewhere is not the collector that the person chose."""

    def redirect_request(self, *_: Any) -> None:
        """Follow none: the answer is then the status itself."""
        return


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def run_within(seconds: float, exchange: Callable[[OpenerDirector], T], *, here: bool) -> T:
    """What an exchange gives, if it ends in time.

    Args:
        seconds: in which it must end.
        exchange: asks by the opener that it gets, on a thread of its own. No redirection is followed.
        here: whether the collector is on this machine: a proxy is then asked for nothing.

    Raises:
        TimeoutError: it did not end; its connections are shut down.
        Exception: what the exchange raises.
    """
    line, told = _Line(), Future[T]()
    handlers: list[BaseHandler] = [_NoRedirection(), _LineHandler(line)]
    opener = build_opener(*handlers, *([ProxyHandler({})] if here else []))

    def run() -> None:
        try:
            told.set_result(exchange(opener))
        except Exception as error:  # noqa: BLE001 - raised again where the exchange is awaited
            told.set_exception(error)

    Thread(target=run, name="exchange", daemon=True).start()
    try:
        return told.result(seconds)
    finally:
        line.hang_up()
