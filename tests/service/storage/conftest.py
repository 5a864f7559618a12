"""Both kinds of stores for the same tests: a SQLite file, and tables of a PostgreSQL server (make test-live)."""

import pytest

from sordino.service.storage.store import ReportStore


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.live)])
def place(request, tmp_path):
    """Where a new store can be."""
    if request.param == "sqlite":
        return tmp_path / "reports.sqlite"
    return request.getfixturevalue("empty_postgres").address


@pytest.fixture
def opened(place):
    """Opens the one store, after it was closed."""
    stores = []

    def open_it(*plans, add=False):
        for store in stores:
            store.close()
        stores.append(ReportStore.open(place, *plans, add=add))
        return stores[-1]

    yield open_it
    for store in stores:
        store.close()
