"""A warm standby: a collector that waits while another one has the store, and takes its place when that ends.

The store itself says who has it (SQLite's lock, PostgreSQL's advisory lock), and gives it up with the process or the
connection that held it: two never write. Waiting looks once a second; what has another reason is raised at once.
"""

from collections.abc import Callable
from time import sleep

from sordino.errors import HeldElsewhereError
from sordino.service.log import log_event
from sordino.service.storage.store import ReportStore

PAUSE_SECONDS = 1.0
"""Between two looks."""


def open_store(open_it: Callable[[], ReportStore], *, standby: bool) -> ReportStore:
    """Open a store, on standby as soon as no other collector has it.

    Args:
        open_it: opens it, or raises `HeldElsewhereError`.
        standby: whether to wait.
    """
    waits = False
    while True:
        try:
            store = open_it()
        except HeldElsewhereError:
            if not standby:
                raise
            if not waits:
                log_event("the collector stands by: another one has the store")
            waits = True
            sleep(PAUSE_SECONDS)
        else:
            if waits:
                log_event("the collector takes the other's place")
            return store
