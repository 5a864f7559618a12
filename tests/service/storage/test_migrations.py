"""Stores of every earlier version go on with their reports, plans, ends, invitations and tokens."""

import sqlite3

import pytest

from older_stores import make_older
from reports_sent import ids_from, uploaded
from sordino import SordinoError
from sordino.service.storage.database import VERSION
from sordino.service.storage.store import ReportStore
from sordino.service.storage.tokens import token_hash

FOUR = """
CREATE TABLE plan (number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body BLOB NOT NULL, since TEXT NOT NULL);
CREATE TABLE closed (plan INTEGER PRIMARY KEY, since TEXT NOT NULL);
CREATE TABLE report (plan INTEGER NOT NULL, id BLOB NOT NULL, code BIGINT, PRIMARY KEY (plan, id)) WITHOUT ROWID;
CREATE TABLE tally (plan INTEGER NOT NULL, source TEXT NOT NULL, counts BLOB NOT NULL, PRIMARY KEY (plan, source));
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
"""As versions 2 to 4 made them."""

INVITED = """
CREATE TABLE invitation (plan INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
CREATE TABLE used_invitation (plan INTEGER PRIMARY KEY, bits BLOB NOT NULL);
INSERT INTO invitation VALUES (1, x'{hash}');
INSERT INTO used_invitation VALUES (1, x'01');
"""
"""As version 4 did."""


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_file_of_an_earlier_version_goes_on(tmp_path, plan, version):
    path, token = tmp_path / "reports.sqlite", "the first token"
    connection = sqlite3.connect(path)
    connection.executescript(FOUR + (INVITED.format(hash="ab" * 32) if version == 4 else ""))
    connection.execute("INSERT INTO plan VALUES (1, ?, ?, '2026-01-31')", (plan.hash, plan.bytes))
    connection.execute("INSERT INTO report VALUES (1, ?, 3)", (ids_from(0, 1),))
    connection.execute("INSERT INTO closed VALUES (1, '2026-02-02')")
    connection.execute("INSERT INTO setting VALUES ('token', ?)", (token_hash(token),))
    connection.executescript(f"PRAGMA application_id = 0x50524452; PRAGMA user_version = {version}")
    connection.close()
    for _ in range(2):
        store = ReportStore.open(path, plan)
        held = store.collections[plan.hash]
        assert (held.aggregate.counts.tolist(), held.is_closed) == ([0, 0, 0, 1], True)
        assert held.invitations == (version == 4)
        assert [(each.since, each.closed) for each in store.served_plans] == [("2026-01-31", "2026-02-02")]
        holder = store.tokens.holder_of(token)
        assert (holder.name, holder.role, store.new_token()) == ("first", "operator", None)
        assert store._database.version == VERSION
        assert store.acts.acts() == []
        store.close()


@pytest.mark.parametrize("version", [3, 4, 5])
def test_a_store_of_an_earlier_version_goes_on(opened, plan, version):
    store = opened(plan)
    store.collections[plan.hash].add([uploaded([0, 1, 1])])
    token = store.new_token()
    make_older(store._database.rows, version)
    for _ in range(2):
        store = opened(plan)
        assert store.collections[plan.hash].aggregate.counts.tolist() == [1, 2, 0, 0]
        assert store.tokens.holder_of(token).role == "operator"
        assert store._database.version == VERSION
    store.note("first", "closed")
    assert len(store.acts.acts()) == (2 if version == 5 else 1)


def test_what_was_noted_is_not_changed_by_writing_rows(opened, plan):
    store = opened(plan)
    for act in ("closed", "scrubbed"):
        store.note("ada", act, plan=plan.hash)
    before = store.acts.acts()
    for statement in (
        "DELETE FROM act WHERE number = 2",
        "UPDATE act SET line = '{}'",
        "INSERT INTO act VALUES (2, '{}', '')",
    ):
        with pytest.raises(SordinoError):
            store._database.rows(statement)
    assert store.acts.acts() == before
