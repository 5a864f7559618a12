"""A real collector on a thread of this process, for whoever sends it reports."""

import http.client
import socket
from contextlib import contextmanager
from threading import Thread
from urllib.parse import urlsplit

from commands import PATIENCE
from sordino.service.collector import Collector
from sordino.service.server import BoundedServer
from sordino.service.storage.store import ReportStore
from waits import joined


@contextmanager
def running(store, *settings, **more):
    """A collector over a store, which it closes at the end: the port."""
    with on_a_port(BoundedServer(Collector(store, *settings, **more).application)) as port:
        yield port


@contextmanager
def on_a_port(server):
    """A server that runs on a thread until the block ends: its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            joined(thread)


@contextmanager
def collecting(plan, path, *settings, **more):
    """A collector of a plan with its store at a path: the plan's address, and the analyst's token."""
    store = ReportStore.open(path, plan)
    token = store.new_token()
    with running(store, *settings, **more) as port:
        yield f"http://127.0.0.1:{port}/plans/{plan.hash}", token


def asked(address, method="GET", token="", body=None):
    """The body of an answer; what is sent is JSON."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, place.path, body, headers)
    found = connection.getresponse().read()
    connection.close()
    return found
