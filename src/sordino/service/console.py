"""What whoever may open a store does with it, served or not: tokens, keys, the record, a backup.

A collector holds its SQLite file for itself, so that nobody else could add a token or make a backup meanwhile. Here
they ask the collector by a Unix socket beside the store, over HTTP within the bounds of every connection. The rights of
the file system are the only key: it is in no network, and no token opens it. A command is JSON.

    {"do": "token add", "name": "ada", "role": "reader", "expires": "2027-01-31"}

The answer is {"ok": ...} or {"error": facts of the error}: an error of a command is none of the store.
"""

import http.client
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sordino.document.key_chain import KeyLink
from sordino.errors import DamagedError, RefusedError, SordinoError, UnavailableError
from sordino.service.server import BackgroundServer
from sordino.service.storage.store import ReportStore
from sordino.service.storage.tokens import CONSOLE

LONGEST_NAME = 100
"""Bytes of a socket's path; a longer one is reached through its folder's handle, which Linux has a short name for."""

PATIENCE = 600.0
"""Seconds that a command may take: a backup of a large store."""

RUN = "/command"

KINDS = {kind.code: kind for kind in (SordinoError, RefusedError, DamagedError, UnavailableError)}
"""Classes of errors that come by the socket."""


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


def operate(store: ReportStore, command: Mapping[str, Any]) -> dict[str, Any]:
    """Run a command on a store: what it answers."""
    try:
        return {"ok": _DEEDS[command["do"]](store, command)}
    except SordinoError as error:
        return {"error": error.facts()}


def _add(store: ReportStore, command: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": store.add_token(command["name"], command["role"], command["expires"])}


def _list(store: ReportStore, _: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [asdict(holder) for holder in store.tokens.holders()]


def _revoke(store: ReportStore, command: Mapping[str, Any]) -> None:
    store.revoke_token(command["name"])


def _show_record(store: ReportStore, _: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**json.loads(act.line), "hash": act.hash} for act in store.acts.acts()]


def _rotate(store: ReportStore, command: Mapping[str, Any]) -> None:
    store.rotate_key(KeyLink(**command["link"]))


def _close_period(store: ReportStore, command: Mapping[str, Any]) -> dict[str, Any]:
    return {"plan": store.close_period(command["plan"], command["period"], CONSOLE)}


def _back_up(store: ReportStore, command: Mapping[str, Any]) -> None:
    store.back_up(Path(command["path"]))


_DEEDS: Mapping[str, Callable[[ReportStore, Mapping[str, Any]], Any]] = {
    "token add": _add,
    "token list": _list,
    "token revoke": _revoke,
    "key rotate": _rotate,
    "period close": _close_period,
    "record": _show_record,
    "backup": _back_up,
}
"""Each command by its name."""
