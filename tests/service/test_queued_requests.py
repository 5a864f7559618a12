"""Requests that wait behind others of their connection: read as far as they are answered, forgotten with their peer."""

import asyncio
import json
import logging
import socket
from contextlib import ExitStack
from threading import Event
from time import monotonic, sleep

from collectors import on_a_port
from commands import PATIENCE
from hostile_sockets import break_off, connected, heard, unread, upload_head
from reports_sent import NOTED, STARTED, STOPPED, served
from sordino.service import server
from sordino.service import server as connection
from sordino.service.budget import UNCOUNTED
from sordino.service.log import SeldomRecords


def test_no_more_is_read_while_requests_wait_for_their_turn(monkeypatch):
    """Though each that is answered asks for all of its body; in the end all are answered."""
    read, asked, goes_on, own = [], [], Event(), connection.BoundedProtocol
    take = own.data_received
    monkeypatch.setattr(own, "data_received", lambda protocol, data: (read.append(len(data)), take(protocol, data))[1])

    async def application(scope, receive, send):
        asked.append(scope)
        # Others wait by the time that it asks for its body.
        await asyncio.sleep(0.1)
        while (await receive())["more_body"]:
            pass
        if len(asked) > 4:
            await asyncio.to_thread(goes_on.wait, PATIENCE)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    request = upload_head("any", UNCOUNTED) + bytes(UNCOUNTED)
    with (
        on_a_port(server.BoundedServer(application, lifespan="off")) as port,
        unread(port, 1, 16 * request) as (peer,),
        ExitStack() as stack,
    ):
        stack.callback(goes_on.set)
        until = monotonic() + 20
        while len(asked) < 5:
            assert monotonic() < until
            sleep(0.01)
        sleep(0.5)
        assert sum(read) < 10 * len(request)
        goes_on.set()
        found = b""
        while found.count(b"HTTP/1.1 200") < 16:
            found += peer.recv(1000)
    assert sum(read) == 16 * len(request)


def test_whoever_hangs_up_or_asks_for_another_protocol_causes_a_line_of_the_log_at_most(tmp_path, plan):
    upload = upload_head(plan.hash, 17) + bytes(17)
    with served(tmp_path, plan) as (client, said):
        for _ in range(20):
            for count, hang_up in ((2, break_off), (5, socket.socket.close), (5, break_off), (16, break_off)):
                peer = connected(client.port)
                peer.sendall(count * upload)
                hang_up(peer)
        for _ in range(5):
            with connected(client.port) as peer:
                peer.sendall(b"GET /livez HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
                assert peer.recv(12) == b"HTTP/1.1 200"
            with connected(client.port) as peer:
                peer.sendall(18 * upload)
                heard(peer)
        assert client.upload([1], first=1).json["accepted"] == 1
    _, err, code = said
    assert code == 0
    events = [json.loads(line)["event"] for line in err.splitlines()]
    warnings = {"Unsupported upgrade request.", "Invalid HTTP request received."}
    assert (len(events), set(events[2:-1])) == (5, warnings)
    assert (events[:2], events[-1]) == ([NOTED, STARTED], STOPPED)


def test_an_error_is_shown_once_in_a_while_and_another_one_at_once():
    def record(work):
        try:
            work()
        except ArithmeticError as error:
            trace = type(error), error, error.__traceback__
        return logging.LogRecord("uvicorn.error", logging.ERROR, __file__, 1, "Exception in an application", (), trace)

    seldom, works = SeldomRecords(), (lambda: 1 // 0, lambda: 2 // 0, lambda: 2.0**5000)
    assert [seldom.filter(record(work)) for work in works] == [True, False, True]
    assert [seldom.filter(record(work)) for work in works] == [False] * 3
    bare = logging.LogRecord("uvicorn.error", logging.ERROR, __file__, 1, "something else", (), None)
    assert [seldom.filter(bare), seldom.filter(bare)] == [True, False]
