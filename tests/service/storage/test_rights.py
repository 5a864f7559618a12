"""Who can open a store's files: whoever runs the collector, from the first moment, and nobody else."""

import os
import shutil
import stat

import pytest

from reports_sent import uploaded
from sordino.errors import DamagedError
from sordino.service.storage.store import ReportStore


@pytest.fixture(autouse=True)
def open_mask():
    """Files are open to all where nothing else is said."""
    mask = os.umask(0)
    yield
    os.umask(mask)


def modes(folder):
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}


def add(store, plan, codes, first=0):
    (receipt,) = store.collections[plan.hash].add([uploaded(codes, first)])
    assert receipt.accepted == len(codes)


def test_a_new_store_and_what_stands_beside_it_are_its_owners(tmp_path, plan):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    add(store, plan, [1, 2, 3])
    assert "reports.sqlite-wal" in modes(tmp_path)
    assert set(modes(tmp_path).values()) == {0o600}
    store.close()


def test_nobody_can_open_it_while_it_is_made(tmp_path, plan, monkeypatch):
    seen = []

    def refuse(path, connection):
        del path, connection
        seen.append(modes(tmp_path))
        raise DamagedError("stop here")

    monkeypatch.setattr("sordino.service.storage.sqlite._require_tables", refuse)
    with pytest.raises(DamagedError):
        ReportStore.open(tmp_path / "reports.sqlite", plan)
    assert [set(found.values()) for found in seen] == [{0o600}]


def test_a_store_that_was_open_to_others_is_closed_to_them_with_its_log(tmp_path, plan):
    (tmp_path / "first").mkdir()
    (tmp_path / "copy").mkdir()
    store = ReportStore.open(tmp_path / "first" / "reports.sqlite", plan)
    add(store, plan, [1, 2])
    # As a kill leaves it: a file and a log.
    for each in (tmp_path / "first").iterdir():
        shutil.copy(each, tmp_path / "copy")
        (tmp_path / "copy" / each.name).chmod(0o644)
    store.close()
    again = ReportStore.open(tmp_path / "copy" / "reports.sqlite", plan)
    assert again.collections[plan.hash].aggregate.n == 2
    add(again, plan, [3], first=2)
    assert len(modes(tmp_path / "copy")) > 1
    assert set(modes(tmp_path / "copy").values()) == {0o600}
    again.close()


def test_what_is_no_store_keeps_its_rights(tmp_path, plan):
    other = tmp_path / "other.txt"
    other.write_text("a text of somebody's\n" * 200)
    other.chmod(0o644)
    with pytest.raises(DamagedError):
        ReportStore.open(other, plan)
    assert modes(tmp_path) == {"other.txt": 0o644}
