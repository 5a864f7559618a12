"""A Unix socket beside a SQLite store that is served: only its owner can open it, as only they can open the store.

A collector holds its file for itself, so that nobody else could add a token or make a backup meanwhile. Here they ask
the collector, over HTTP within the bounds of every connection. The rights of the file system are the only key: it is in
no network, and no token opens it.
"""

import http.client
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sordino.errors import DamagedError, RefusedError, SordinoError, UnavailableError
from sordino.service.console.operate import operate
from sordino.service.server import BackgroundServer
from sordino.service.storage.store import ReportStore

LONGEST_NAME = 100
"""Bytes of a socket's path; a longer one is reached through its folder's handle, which Linux has a short name for."""

PATIENCE = 600.0
"""Seconds that a command may take: a backup of a large store."""

RUN = "/command"

KINDS = {kind.code: kind for kind in (SordinoError, RefusedError, DamagedError, UnavailableError)}
"""Of errors that come by the socket."""


@contextmanager
def control_socket(path: Path, run: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Iterator[None]:
    """Answer commands at a path until the block ends.

    Args:
        path: of the socket, beside a store that this process alone has open: what has the name is of one that ended.
        run: what runs a command, on a thread of its own.
    """

    async def answer(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(run, await request.json()))

    application = Starlette(routes=[Route(RUN, answer, methods=["POST"])])
    listener = _listen(path)
    try:
        with listener, BackgroundServer(application, listener, "control"):
            yield
    finally:
        with suppress(OSError):
            path.unlink()


def run_command(place: str, command: Mapping[str, Any]) -> Any:
    """Run a command on a store, through its collector if that has the file open: what is behind "ok".

    Raises:
        SordinoError: what the command raises; or no store there.
        UnavailableError: the system refuses.
    """
    path = Path(f"{place}-control")
    try:
        is_served = path.is_socket()
    except OSError as refusal:
        raise _access_error(path, refusal) from None
    answer = _ask(path, command) if is_served else None
    if answer is None:
        store = ReportStore.open_beside(place)
        try:
            answer = operate(store, command)
        finally:
            store.close()
    if "error" in answer:
        error = answer["error"]
        raise KINDS[error["code"]](error["rule"], found=error["found"], step=error["step"])
    return answer["ok"]


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a socket that is connected."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__("localhost", timeout=PATIENCE)
        self.sock = sock


def _ask(path: Path, command: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a collector answers; None if none listens any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(PATIENCE)
        try:
            with _short_name(path) as name:
                sock.connect(name)
        except (ConnectionRefusedError, FileNotFoundError):
            return None
        except OSError as error:
            raise _access_error(path, error) from None
        connection = _SocketConnection(sock)
        try:
            connection.request("POST", RUN, json.dumps(command), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            step = "read its log, and try again"
            raise UnavailableError("the collector must answer", found="a broken connection", step=step) from None
        if answer.status != http.client.OK:
            step = "read its log, and try again"
            raise UnavailableError("the collector must answer", found=f"status {answer.status}", step=step)
        found: dict[str, Any] = json.loads(content)
        return found


def _access_error(path: Path, error: OSError) -> UnavailableError:
    reason = (error.strerror or "a refusal").lower()
    step = "run this as the account that runs the collector"
    return UnavailableError(f"{path} must be open to you", found=reason, step=step)


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with suppress(FileNotFoundError):
            path.unlink()
        # From its first moment nobody else can open it.
        before = os.umask(0o177)
        try:
            with _short_name(path) as name:
                listener.bind(name)
        finally:
            os.umask(before)
        listener.listen()
    except OSError as error:
        listener.close()
        found, step = (error.strerror or "a refusal").lower(), "look at the rights of the folder"
        raise UnavailableError(f"{path} must be possible to make", found=found, step=step) from None
    return listener


@contextmanager
def _short_name(path: Path) -> Iterator[str]:
    if len(os.fsencode(path)) <= LONGEST_NAME:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
