"""A store of answers of the first format becomes a journal, whole or not at all: no answer is lost or drawn again."""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from commands import in_child
from sordino import Plan, SordinoError
from sordino.errors import DamagedError, RefusedError, UnavailableError
from sordino.once.agent.answer import answer, take_back
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.older_store import is_older_store
from sordino.once.agent.turn import own_turn
from sordino.once.journal.header import APPLICATION
from waits import ended, kill_after

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

GOLDEN = Path(__file__).parents[1] / "journal" / "golden"
SHOWN = json.loads((GOLDEN / "answers-1.json").read_text())
STEPS = ("converting", "converted")


@pytest.fixture
def old(tmp_path):
    """A function of a name to a copy of the store that version 1 wrote."""

    def copy(name="answers.sqlite"):
        shutil.copy(GOLDEN / "answers-1.sqlite", tmp_path / name)
        (tmp_path / name).chmod(0o600)
        return tmp_path / name

    return copy


def require_same(path):
    """All that stood in the old store stands in the journal."""
    store = AnswerStore.open(path)
    assert store.contents().damage == ()
    for plan, upload, sent, taken_back in SHOWN["answers"]:
        found = store.find_answer(plan)
        assert (found.upload.decode(), found.sent, store.is_taken_back(plan)) == (upload, sent, taken_back)
        assert store.draw_once(plan, lambda: pytest.fail("drawn again")) == found
    for plan, period in SHOWN["periods"]:
        assert store.choose_period_once(plan, lambda: pytest.fail("chosen again")) == period
    for plan, ledger, taken_back in SHOWN["elsewhere"]:
        store.require_place(plan, Path(ledger))
        with pytest.raises(RefusedError, match=f"answered through {ledger}"):
            store.draw_once(plan, lambda: pytest.fail("drawn elsewhere"))
        assert store.is_taken_back(plan) == taken_back
    assert path.stat().st_mode & 0o777 == 0o600


def test_all_that_stood_there_stands(old):
    path = old()
    assert is_older_store(path)
    require_same(path)
    assert not is_older_store(path)
    require_same(path)


def test_the_same_bytes_are_sent_again_and_nothing_that_was_taken_back_is(old):
    store, sent = AnswerStore.open(old()), []
    for plan, *_ in SHOWN["answers"]:
        assert answer(store, plan, pytest.fail, sent.append).again
    waiting = [upload.encode() for _, upload, was_sent, _ in SHOWN["answers"] if not was_sent]
    assert sent == waiting
    take_back(store, SHOWN["answers"][1][0], sent.append)
    assert sent == waiting * 2
    series = Plan.load(GOLDEN / "series-plan.json")
    assert own_turn(store, series, None).period == dict(SHOWN["periods"])[series.hash]


def test_a_kill_at_each_step_leaves_one_whole_file(old):
    for point in STEPS:
        path = old(point)

        def step(name, point=point):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        assert os.WTERMSIG(ended(in_child(lambda: AnswerStore.open(path, step)))) == signal.SIGKILL  # noqa: B023
        assert is_older_store(path) == (point != "converted")
        require_same(path)


@pytest.mark.parametrize("kills", [6, pytest.param(300, marks=pytest.mark.long)])
def test_kills_at_any_time_and_several_at_once_lose_nothing(old, kills):
    dice = random.Random(kills)
    for number in range(kills):
        path = old(f"{number}")

        def draw_new(path=path):
            AnswerStore.open(path).draw_once("new", lambda: {"id": "0" * 32, "code": "7"})

        children = [in_child(draw_new) for _ in range(3)]
        kill_after(children[0], dice.uniform(0, 0.02))
        for child in children[1:]:
            assert ended(child) == 0
        require_same(path)
        assert AnswerStore.open(path).find_answer("new").code == 7


def test_an_old_program_that_waits_finds_a_different_database(old):
    """It looks at what the file is once it has the lock."""
    path = old()
    with closing(sqlite3.connect(path, isolation_level=None)) as waiting:
        waiting.execute("SELECT count(*) FROM answer").fetchone()
        require_same(path)
        waiting.execute("BEGIN IMMEDIATE")
        assert waiting.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        waiting.execute("ROLLBACK")
    require_same(path)


def test_a_conversion_that_is_cut_short_on_the_disk_is_undone(old, tmp_path):
    """Some pages are written, and the rollback journal is there still."""
    path = old()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("CREATE TABLE meta (x)")
        connection.execute("CREATE TABLE events (x)")
        connection.executemany("INSERT INTO events VALUES (?)", [("x" * 9000,)] * 50)
        (tmp_path / "cut").mkdir()
        cut = tmp_path / "cut" / path.name
        for ending in ("", "-journal"):
            shutil.copy(f"{path}{ending}", f"{cut}{ending}")
    if not is_older_store(cut):
        pytest.fail("the old store is there once the journal is rolled back")
    require_same(cut)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answer SET body = CAST(replace(CAST(body AS TEXT), '3', '4') AS BLOB)",
        "UPDATE answer SET plan = 'c' WHERE acknowledged = 0",
        "UPDATE answer SET body = 914173 WHERE acknowledged = 0",
        "UPDATE answer SET body = x'ff' WHERE acknowledged = 0",
        "UPDATE period SET period = period + 1",
        "UPDATE period SET period = 'x'",
        "UPDATE through_ledger SET path = 'elsewhere'",
        "DROP TABLE answer",
        "ALTER TABLE answer RENAME COLUMN body TO other",
    ],
)
def test_a_damaged_one_is_refused_and_stays_as_it_is(old, change):
    path = old()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    content = path.read_bytes()
    for _ in range(2):
        with pytest.raises(DamagedError, match=r"must be whole before|must be a whole store") as error:
            AnswerStore.open(path)
        assert "914173" not in str(error.value)
    assert path.read_bytes() == content


def test_a_disk_without_room_leaves_the_old_one(old, tmp_path):
    sizes = [*range(0, 49, 4)]
    for size in sizes:
        path = old(f"{size}")

        def convert(size=size, path=path):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size << 10, resource.RLIM_INFINITY))
            try:
                AnswerStore.open(path)
            except UnavailableError as error:
                os._exit(3 if "must be possible to use" in str(error) else 1)

        (tmp_path / f"{size}-status").write_text(str(os.waitstatus_to_exitcode(ended(in_child(convert)))))
        require_same(path)
    statuses = [(tmp_path / f"{size}-status").read_text() for size in sizes]
    assert (statuses[0], statuses[-1], {*statuses}) == ("3", "0", {"0", "3"})


def test_cut_ones_newer_ones_and_those_of_others_are_refused(old):
    path = old()
    content = path.read_bytes()
    for end in (len(content) // 2, 4096, 100, 50, 0):
        path.write_bytes(content[:end])
        with pytest.raises(SordinoError):
            AnswerStore.open(path).draw_once("new", lambda: pytest.fail("drawn in a damaged store"))
        assert path.read_bytes() == content[:end]
    path.write_bytes(content)
    path.chmod(0o644)
    with pytest.raises(SordinoError, match="open to its owner only"):
        AnswerStore.open(path)
    path.chmod(0o600)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    with pytest.raises(SordinoError, match="must be of version 1; found 3"):
        AnswerStore.open(path)
