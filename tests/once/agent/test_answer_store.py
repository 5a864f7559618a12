"""A store of answers: one for each plan, whole or refused, its owner's alone."""

import sqlite3
import stat
from contextlib import closing

import pytest

from sordino import SordinoError
from sordino.errors import DamagedError, RefusedError, UnavailableError
from sordino.once.agent.answer_store import AnswerStore

BODY = b'{"reports": [{"code": "914173"}]}'


@pytest.fixture
def path(tmp_path):
    return tmp_path / "own" / "answers.sqlite"


def changed(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_plan_has_one_answer_for_ever(path):
    store, drawn = AnswerStore.open(path), []
    assert store.find("a") is None
    for plan in ("a", "b", "a", "a"):
        found = AnswerStore.open(path).draw_once(plan, lambda: drawn.append(1) or BODY + b"%d" % len(drawn))
        assert found.body == BODY + (b"1" if plan == "a" else b"2")
        assert not found.acknowledged
    assert len(drawn) == 2
    store.note_acknowledged("a")
    assert store.find("a").acknowledged
    assert store.find("a").body == BODY + b"1"
    assert not store.find("b").acknowledged


def test_a_ledger_is_noted_until_no_try_of_it_can_have_reserved(path):
    store, own, other = AnswerStore.open(path), path.with_name("me.ledger"), path.with_name("two.ledger")
    store.note_ledger("a", own)
    store.note_ledger("a", own)
    for number in range(2):
        with pytest.raises(RefusedError, match=r"answered through .*me\.ledger"):
            store.note_ledger("a", other)
        with pytest.raises(RefusedError, match=r"answer with --ledger .*me\.ledger"):
            AnswerStore.open(path).draw_once("a", lambda: pytest.fail("drawn"))
        # The other try may have reserved since.
        if number == 0:
            store.forget_ledger_try("a")
    store.forget_ledger_try("a")
    assert store.draw_once("a", lambda: BODY).body == BODY
    with pytest.raises(RefusedError, match="an answer drawn without the ledger"):
        store.note_ledger("a", own)
    store.note_ledger("b", own)
    changed(path, "UPDATE through_ledger SET path = 'elsewhere'")
    with pytest.raises(DamagedError, match="must be whole before anything is drawn"):
        store.draw_once("c", lambda: pytest.fail("drawn"))


def test_what_fails_while_it_is_drawn_leaves_nothing(path):
    store = AnswerStore.open(path)
    with pytest.raises(SordinoError, match="must be a colour"):
        store.draw_once("a", lambda: (_ for _ in ()).throw(SordinoError("it must be a colour")))
    assert store.find("a") is None
    assert store.draw_once("a", lambda: BODY).body == BODY


def test_nobody_else_draws_while_an_answer_is_drawn(path):
    def draw():
        with (
            closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")
        return BODY

    assert AnswerStore.open(path).draw_once("a", draw).body == BODY


def test_only_its_owner_can_open_it(path):
    store = AnswerStore.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o640)
    with pytest.raises(SordinoError, match="open to its owner only; found mode 0640"):
        store.find("a")


def test_what_is_no_whole_store_draws_nothing_and_says_nothing_of_an_answer(path):
    def refused(words, kind=DamagedError):
        with pytest.raises(kind, match=words) as caught:
            AnswerStore.open(path).draw_once("b", lambda: pytest.fail("drawn"))
        assert "914173" not in str(caught.value)
        path.unlink()

    for change in (
        "UPDATE answer SET body = CAST(replace(CAST(body AS TEXT), '3', '4') AS BLOB)",
        "UPDATE answer SET plan = 'c'",
        "UPDATE answer SET body = 914173",
        "DROP TABLE answer",
        "ALTER TABLE answer RENAME COLUMN body TO other",
    ):
        AnswerStore.open(path).draw_once("a", lambda: BODY)
        changed(path, change)
        refused("must be whole before anything is drawn")
    AnswerStore.open(path).draw_once("a", lambda: BODY)
    changed(path, "PRAGMA user_version = 2")
    refused("must be of version 1; found 2", SordinoError)
    changed(path, "CREATE TABLE things (x)")
    path.chmod(0o600)
    refused("a different database", SordinoError)
    for content in (b"", b"no database, but long enough to be looked at" * 100):
        path.write_bytes(content)
        path.chmod(0o600)
        refused("must be whole before anything is drawn")
    AnswerStore.open(path).draw_once("a", lambda: BODY)
    content = bytearray(path.read_bytes())
    path.write_bytes(content[: len(content) // 2])
    refused("must be whole before anything is drawn")


def test_a_place_where_nothing_can_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((SordinoError, UnavailableError), match="must be possible to write"):
        AnswerStore.open(tmp_path / "file" / "answers.sqlite")
    with pytest.raises(SordinoError, match="found no file"):
        AnswerStore.open(tmp_path).find("a")
