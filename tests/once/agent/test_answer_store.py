"""A store of answers: one for each plan, whole or refused, its owner's alone."""

import os
import random
import shutil
import signal
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from commands import in_child
from sordino import Ledger, SordinoError
from sordino.errors import DamagedError, RefusedError, UnavailableError
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.journal.event import DRAWN, PERIOD, QUESTION, seal_of
from waits import ended

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

REPORT = {"id": "00000000000000000000000000000001", "code": "914173"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "own" / "answers.sqlite"


def changed(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def draw_as_found(store):
    """As an answer is: drawn where none is found."""
    assert store.find_answer("b") is None
    store.draw_once("b", "c.example", never)


def never():
    pytest.fail("drawn")


def test_a_plan_has_one_answer_for_ever(path):
    store, drawn = AnswerStore.open(path), []
    assert store.find_answer("a") is None
    for plan in ("a", "b", "a", "a"):
        found = AnswerStore.open(path).draw_once(
            plan, "c.example", lambda: drawn.append(1) or {**REPORT, "code": f"{len(drawn)}"}
        )
        assert found.code == (1 if plan == "a" else 2)
        assert not found.sent
    assert len(drawn) == 2
    store.note_sent("a")
    assert store.find_answer("a").sent
    assert store.draw_once("a", "c.example", never).code == 1
    assert not store.find_answer("b").sent
    assert [event.event for event in store.contents().events].count(DRAWN) == 2


def test_a_ledger_is_noted_while_it_may_have_reserved(path, monkeypatch):
    """Whoever reserves keeps all others out; what was refused is as if never asked, as often as it is."""
    store, own, other = AnswerStore.open(path), path.with_name("me.ledger"), path.with_name("two.ledger")

    def refuse():
        monkeypatch.setattr("sordino.once.journal.journal_file.WAIT", 0.05)
        with pytest.raises(UnavailableError, match="must be free"):
            AnswerStore.open(path).draw_once("a", "c.example", never)
        monkeypatch.undo()
        raise SordinoError("it must be smaller")

    for _ in range(3):
        with pytest.raises(SordinoError, match="must be smaller"):
            store.reserve_elsewhere("a", own, refuse, lambda: False)
        store.require_place("a", None)
        store.require_place("a", other)
    with pytest.raises(SordinoError, match="must be smaller"):
        store.reserve_elsewhere("a", own, refuse, lambda: True)
    with pytest.raises(RefusedError, match=r"answered through .*me\.ledger"):
        store.require_place("a", None)
    assert store.reserve_elsewhere("a", own, lambda: 7, never) == 7
    with pytest.raises(RefusedError, match=r"answered through .*me\.ledger"):
        store.reserve_elsewhere("a", other, never, never)
    with pytest.raises(RefusedError, match=r"answer with --ledger .*me\.ledger"):
        AnswerStore.open(path).draw_once("a", "c.example", never)
    assert store.draw_once("b", "c.example", lambda: REPORT).code == 914173
    with pytest.raises(RefusedError, match="an answer drawn without the ledger"):
        store.reserve_elsewhere("b", own, never, never)
    changed(path, "UPDATE events SET body = replace(body, 'me', 'no')")
    with pytest.raises(DamagedError, match="must be whole before anything new is asked"):
        store.draw_once("c", "c.example", never)


@pytest.mark.parametrize("devices", [8, pytest.param(100, marks=pytest.mark.long)])
def test_a_plan_is_answered_in_one_file_whoever_is_killed(path, devices):
    """A store and two ledgers at once on one plan, of which some refuse and some are killed at any step."""
    dice = random.Random(devices)
    places = {name: path.with_name(name) for name in ("one", "two")}
    AnswerStore.open(path)

    def draw(plan, place, point, refuses):
        def step(name):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        noted = path.with_name(f"{plan}-{place}")

        def reserve():
            if refuses:
                raise SordinoError("it must be smaller")
            noted.touch()
            step("reserved")

        store = AnswerStore.open(path, step)
        if place == "store":
            store.draw_once(plan, "c.example", lambda: REPORT)
        else:
            store.reserve_elsewhere(plan, places[place], reserve, noted.exists)

    points = ["ledger noted", "reserved", "drawing", "drawn", "storing", "stored", None, None]
    for device in range(devices):
        plan = f"plan {device}"
        children = [
            in_child(lambda: draw(plan, place, dice.choice(points), dice.random() < 0.3))  # noqa: B023 - runs at once
            for place in dice.sample(["store", "one", "two", "one"], 4)
        ]
        for child in children:
            ended(child)
        contents = AnswerStore.open(path).contents()
        assert contents.damage == ()
        drawn = [place for place in places if path.with_name(f"{plan}-{place}").exists()]
        drawn += ["store"] if AnswerStore.open(path).find_answer(plan) else []
        assert len(drawn) <= 1


def test_what_fails_while_it_is_drawn_leaves_nothing(path):
    store = AnswerStore.open(path)
    with pytest.raises(SordinoError, match="must be a colour"):
        store.draw_once("a", "c.example", lambda: (_ for _ in ()).throw(SordinoError("it must be a colour")))
    assert store.find_answer("a") is None
    assert store.draw_once("a", "c.example", lambda: REPORT).code == 914173


def test_nobody_else_draws_while_an_answer_is_drawn(path):
    def draw():
        with (
            closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")
        return REPORT

    assert AnswerStore.open(path).draw_once("a", "c.example", draw).code == 914173


def test_only_its_owner_can_open_it(path):
    store = AnswerStore.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o640)
    with pytest.raises(SordinoError, match="open to its owner only; found mode 0640"):
        store.find_answer("a")


def test_what_is_no_whole_store_draws_nothing_and_says_nothing_of_an_answer(path):
    def refused(words, kind=DamagedError):
        with pytest.raises(kind, match=words) as caught:
            draw_as_found(AnswerStore.open(path))
        assert "914173" not in str(caught.value)
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)

    for change in (
        "UPDATE events SET body = replace(body, '3', '4')",
        "UPDATE events SET id = 'c'",
        "UPDATE events SET secret = 914174",
        "DELETE FROM events",
        "UPDATE meta SET value = '2' WHERE name = 'head'",
        "UPDATE meta SET value = '{}' WHERE name = 'terms'",
        "DELETE FROM meta WHERE name = 'terms'",
        "DROP TABLE events",
        "ALTER TABLE events RENAME COLUMN body TO other",
    ):
        AnswerStore.open(path).draw_once("a", "c.example", lambda: REPORT)
        changed(path, change)
        refused("must be whole before anything new is asked|must be a whole store of answers|must have its terms")
    changed(path, "CREATE TABLE things (x)")
    path.chmod(0o600)
    refused("must be a store of answers; found a different file")
    for content in (b"", b"no database, but long enough to be looked at" * 100):
        path.write_bytes(content)
        path.chmod(0o600)
        refused("must be a (whole )?store of answers")
    AnswerStore.open(path).draw_once("a", "c.example", lambda: REPORT)
    content = bytearray(path.read_bytes())
    path.write_bytes(content[: len(content) // 2])
    refused("must be a (whole )?store of answers|must be whole|must have its terms")


def test_a_damaged_store_still_sends_what_is_whole(path):
    for plan in ("a", "b"):
        AnswerStore.open(path).draw_once(plan, "c.example", lambda: REPORT)
    whole = AnswerStore.open(path).find_answer("a").upload
    AnswerStore.open(path).settle("a")
    changed(path, "UPDATE events SET secret = '1' WHERE id = 'b'")
    store = AnswerStore.open(path)
    assert (store.find_answer("a").upload, store.find_answer("b")) == (whole, None)
    store.settle("a")
    store.note_sent("a")
    assert not store.find_answer("a").sent
    with pytest.raises(DamagedError, match=r"found damage to 1 of its lines"):
        store.draw_once("b", "c.example", never)


def test_a_store_of_another_version_is_not_read(path):
    AnswerStore.open(path).draw_once("a", "c.example", lambda: REPORT)
    with closing(sqlite3.connect(path)) as connection:
        words = "2", seal_of("version", "2")
        connection.execute("UPDATE meta SET value = ?, seal = ? WHERE name = 'version'", words)
        connection.commit()
    with pytest.raises(SordinoError, match="must be of version 3; found version 2, which an older Sordino wrote: use"):
        AnswerStore.open(path).find_answer("a")


def test_a_store_of_the_first_version_which_sealed_none_is_refused_by_its_header(path):
    AnswerStore.open(path).draw_once("a", "c.example", lambda: REPORT)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM meta WHERE name = 'version'")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    with pytest.raises(SordinoError, match=r"answers\.sqlite.* must be of version 3; found version 1, which an older"):
        AnswerStore.open(path).find_answer("a")


def test_a_store_is_no_ledger_and_a_ledger_no_store(path, terms):
    store = AnswerStore.open(path)
    store.draw_once("a", "c.example", lambda: REPORT)
    with pytest.raises(SordinoError, match="must be a ledger; found a store of answers: name a ledger by --ledger"):
        Ledger.open(path)
    with pytest.raises(SordinoError, match="must be a ledger; found a store of answers"):
        Ledger(path).contents()
    ledger = Ledger.make(path.with_name("me.ledger"), terms)
    for use in (
        AnswerStore.find_answer,
        lambda one, name: one.draw_once(name, "c.example", never),
        AnswerStore.note_sent,
    ):
        with pytest.raises(SordinoError, match="must be a store of answers; found a ledger"):
            use(AnswerStore.open(ledger.path), "a")


def test_a_place_where_nothing_can_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((SordinoError, UnavailableError), match="must be possible to write"):
        AnswerStore.open(tmp_path / "file" / "answers.sqlite")
    with pytest.raises(SordinoError, match="must be a store of answers; found a folder"):
        AnswerStore.open(tmp_path).find_answer("a")


@pytest.mark.parametrize(
    "note",
    [
        lambda store: store.note_place("b", Path("/own/me.ledger")),
        lambda store: store.note_taken_back("b"),
        lambda store: store.note_invited("b"),
        lambda store: store.choose_once(PERIOD, "b", lambda: 3),
        lambda store: store.choose_once(QUESTION, "b", lambda: 3),
    ],
    ids=["place", "taken back", "invited", "period", "question"],
)
def test_what_is_noted_is_in_the_file_itself(path, tmp_path, note):
    """As long as somebody has the file open the log stays; lost with it, an answer would be drawn once more."""
    store = AnswerStore.open(path)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("SELECT * FROM meta").fetchall()
        note(store)
        copy = tmp_path / "copy.sqlite"
        shutil.copy(path, copy)
    assert AnswerStore.open(copy).contents().events == store.contents().events != ()


def test_a_name_that_was_left_when_the_store_was_made_is_taken_away(path):
    store = AnswerStore.open(path)
    left = path.with_name(".answers.sqlite.01234567.part")
    left.mkdir()
    (left / path.name).hardlink_to(path)
    assert store.find_answer("b") is None
    assert not left.exists()
    # One that somebody gave it has a log of its own.
    path.with_name("mine").hardlink_to(path)
    with pytest.raises(SordinoError, match="must have one name; found 2"):
        store.find_answer("b")
