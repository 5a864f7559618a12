"""What a device and a collector say to each other over HTTP: a plan's bytes, and one upload until it is acknowledged.

Certificates are verified, no redirection is followed, each exchange has one end, and nothing is read without a limit.
No message holds what the collector said: it may have said the answer.

A timeout of a socket bounds each wait and not how many there are: a byte now and then, or interim answers without an
end, would go on for ever. So an exchange runs on a thread of its own, and its connections are shut down when its time
is over. A name that is still looked up then cannot be given up: nothing is sent once it is found.
"""

import json
import random
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Lock, Thread
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
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

from sordino.document.files import LARGEST_FILE
from sordino.document.invitation_list import HEADER
from sordino.document.key_chain import is_signed, leads_to
from sordino.errors import DamagedError, RefusedError, SordinoError, UnavailableError
from sordino.once.agent.collector_address import CollectorAddress
from sordino.survey.planning.plan import Plan

QUIET = 30.0
"""Seconds in which a collector must say something."""

LONGEST_EXCHANGE = 60.0
"""Seconds from a request's beginning to the end of its answer."""

PIECE = 1 << 16
"""Bytes read at once."""

LONGEST_RECEIPT = 1 << 16
"""Bytes of an acknowledgement at most."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between two tries: each pause is twice the last, of which at least half is waited."""

COME_AGAIN = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
"""Refusals that may pass, as those of a server's own trouble may."""

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


@dataclass(frozen=True)
class Waiting:
    """How long an upload is tried.

    Attributes:
        patience: seconds in which a try may begin.
        sleep: waits some seconds.
        clock: seconds that never go backwards.
        jitter: a number from 0 to 1, so that devices which failed together do not come again together.
    """

    patience: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random


class PassingTroubleError(UnavailableError):
    """What may be over when it is tried again.

    Attributes:
        after: seconds that the collector asks to wait.
    """

    def __init__(self, found: str, after: float = 0.0) -> None:
        self.after = after
        step = "try again later: the answer stays on this device, and no new one is drawn"
        super().__init__("the collector must be ready", found=found, step=step)


def fetch_plan(address: CollectorAddress, signed_by: str | None = None) -> Plan:
    """The plan of an address: its bytes, which must have the address's hash, certified here.

    Args:
        address: of the plan.
        signed_by: the Ed25519 public key that must have signed these bytes, or another one to which its chain leads, 32
            bytes as hexadecimal digits; with none no signature is asked for.

    Raises:
        DamagedError: other bytes.
        RefusedError: a plan that breaks its promise, or that is not signed by the key.
        SordinoError: no plan there.
        UnavailableError: no answer.
    """
    body = _exchange(address, Request(address.url), LARGEST_FILE)  # noqa: S310 - https, or this machine
    name = "what was fetched"
    try:
        plan = Plan.of_text(body.decode("utf-8"), name)
    except UnicodeDecodeError:
        raise DamagedError(
            f"{name} must be a plan", found="bytes that are no UTF-8 text", step="ask for the right address"
        ) from None
    if plan.hash != address.plan:
        step = "answer nothing there; ask for the right address"
        raise DamagedError(f"{name} must have the hash in its address", found="a different plan", step=step)
    if signed_by is not None:
        _require_signed(address, body, signed_by)
    return plan


def _require_signed(address: CollectorAddress, content: bytes, key: str) -> None:
    step = "answer nothing there; compare the key and the address with those that the collector has published"
    unsigned = RefusedError("the plan must be signed by the key that is asked for", found="no signature", step=step)
    told = _exchange(address, Request(address.signature), LONGEST_RECEIPT, missing=unsigned)  # noqa: S310 - as above
    try:
        document = json.loads(told)
        signature = document["signature"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise unsigned from None
    if not isinstance(signature, str) or not _is_signed_for(content, key, signature, document):
        raise RefusedError(unsigned.rule, found="a signature that does not fit", step=step)


def _is_signed_for(content: bytes, key: str, signature: str, document: Mapping[str, Any]) -> bool:
    if is_signed(content, key, signature):
        return True
    new = document.get("key")
    return isinstance(new, str) and is_signed(content, new, signature) and leads_to(document.get("chain"), key, new)


def send_report(address: CollectorAddress, body: bytes, waiting: Waiting | None = None) -> None:
    """Send one report until the collector acknowledges it.

    Args:
        address: of its plan.
        body: the stored upload, the same bytes each time.
        waiting: for how long.

    Raises:
        RefusedError: a closed plan, no invitation that is known, or a report that the collector does not keep.
        SordinoError: the plan is not served there.
        UnavailableError: no acknowledgement in time; it may have arrived.
    """
    _repeat(lambda: _require_kept(_post(address, body)), waiting or Waiting())


def take_report_back(address: CollectorAddress, body: bytes, waiting: Waiting | None = None) -> None:
    """Have a collector forget a report: it answers the same whether it had it or not.

    Args:
        address: of its plan.
        body: the stored upload, in which the report's id stands.
        waiting: for how long.

    Raises:
        SordinoError: the plan is not served there.
        UnavailableError: no answer in time.
    """
    request = json.dumps({"id": json.loads(body)["reports"][0]["id"]}).encode()

    def erase() -> None:
        made = Request(address.erasures, request, _headers(address), method="POST")  # noqa: S310 - https, or this machine
        _exchange(address, made, LONGEST_RECEIPT)

    _repeat(erase, waiting or Waiting())


def _repeat(exchange: Callable[[], None], waiting: Waiting) -> None:
    end, pause = waiting.clock() + waiting.patience, FIRST_PAUSE
    while True:
        try:
            exchange()
        except PassingTroubleError as trouble:
            wait = max(trouble.after, pause * (1 + waiting.jitter()) / 2)
            if waiting.clock() + wait > end:
                raise
            waiting.sleep(wait)
            pause = min(2 * pause, LONGEST_PAUSE)
        else:
            return


def _post(address: CollectorAddress, body: bytes) -> bytes:
    made = Request(address.reports, body, _headers(address), method="POST")  # noqa: S310 - https, or this machine
    return _exchange(address, made, LONGEST_RECEIPT)


def _headers(address: CollectorAddress) -> dict[str, str]:
    """Of an upload, and of what takes it back: what is on its way by the same link is not counted then."""
    by_link = {} if address.invitation is None else {HEADER: address.invitation}
    return {"Content-Type": "application/json", **by_link}


def _require_kept(receipt: bytes) -> None:
    try:
        told = json.loads(receipt)
        counts, failed = (told["accepted"], told["repeated"]), told["failed"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise PassingTroubleError("an answer that is no acknowledgement") from None
    if isinstance(failed, list) and len(failed) == 1:
        step = "tell the collector; your answer stays on this device"
        raise RefusedError("the collector must keep the answer", found="a refusal of this report", step=step)
    # True is 1 to Python, and no count.
    if failed != [] or any(type(count) is not int for count in counts) or sorted(counts) != [0, 1]:
        raise PassingTroubleError("an answer that is no acknowledgement")


def _exchange(address: CollectorAddress, request: Request, most: int, missing: SordinoError | None = None) -> bytes:
    """The body of a good answer; `missing` is what is wrong if nothing is served there, else that no plan is.

    Raises:
        PassingTroubleError: no answer, or one that may be another one later.
        SordinoError: any other answer.
    """

    def exchange(opener: OpenerDirector) -> bytes:
        with opener.open(request, timeout=QUIET) as response:
            return _read(response, most)

    try:
        return run_within(LONGEST_EXCHANGE, exchange, here=address.here)
    except HTTPError as error:
        with error:
            if missing is not None and error.code == HTTPStatus.NOT_FOUND:
                raise missing from None
            raise _refusal(error.code, error.headers.get("Retry-After", "")) from None
    except ssl.SSLCertVerificationError:
        raise _no_certificate() from None
    except URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise _no_certificate() from None
        raise PassingTroubleError("no connection to it") from None
    except TimeoutError:
        raise PassingTroubleError("no whole answer in time") from None
    except (OSError, HTTPException):
        raise PassingTroubleError("a connection that broke off") from None


def _read(response: HTTPResponse, most: int) -> bytes:
    content = bytearray()
    while piece := response.read1(PIECE):
        content += piece
        if len(content) > most:
            raise PassingTroubleError("an answer without an end")
    if response.length:
        raise PassingTroubleError("half an answer")
    return bytes(content)


def _refusal(status: int, retry_after: str) -> SordinoError:
    if status in COME_AGAIN or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # A date is for caches; our collector tells seconds.
        seconds = float(retry_after) if retry_after.isdecimal() and len(retry_after) < len("100000") else 0.0
        return PassingTroubleError(f"status {status}", seconds)
    if status == HTTPStatus.CONFLICT:
        step = "nothing is left to do: your answer stays on this device"
        return RefusedError("the plan must take answers", found="one that is closed", step=step)
    if status == HTTPStatus.FORBIDDEN:
        step = "give the whole link that you were sent; your answer stays on this device"
        return RefusedError("the collector must know the invitation", found="one that it refuses, or none", step=step)
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return SordinoError("the plan must be served at the address", found="none there", step="ask for the right one")
    if status < HTTPStatus.BAD_REQUEST:
        step = "ask for the address that is meant now"
        return SordinoError("the collector must be at its address", found="a redirection", step=step)
    return RefusedError("the collector must take the answer", found=f"status {status}", step="tell the collector")


def _no_certificate() -> SordinoError:
    step = "send nothing there; ask for the right address"
    return RefusedError("the collector must prove by a certificate who it is", found="none that is valid", step=step)
