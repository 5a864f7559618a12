"""One report by each invitation, whatever comes together, again or is cut off; and no trace of which report it was."""

import random
import sys
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread

import numpy as np
import pytest

from commands import started
from reports_sent import ids_from, uploaded
from sordino import RefusedError
from sordino.document.invitation_list import invitation_hash
from sordino.errors import UnavailableError
from sordino.service.storage.invitations import Invitations
from sordino.service.storage.store import ReportStore
from sordino.service.storage.uploaded_reports import Receipt, Upload
from waits import PATIENCE, joined, line_of

KEPT, AGAIN, UNINVITED = Receipt(1, 0), Receipt(0, 1), Receipt(0, 0, (), 1, invited=False)


def key(number):
    return invitation_hash("the plan", str(number))


def report(number, by, code=1):
    """A report by an invitation."""
    return Upload(ids_from(number, 1), np.array([code], dtype=np.uint64), None if by is None else key(by))


@pytest.fixture
def inviting(opened, plan):
    """The collection of a store that takes reports by the invitations 0 to 99."""
    held = opened(plan).collections[plan.hash]
    assert held.invite(map(key, range(100))) == 100
    return held


def used(held):
    """The numbers of invitations that were used, as the database has them."""
    known = held._known_invitations()
    return {number for number in range(100) if known.is_used(known.place_of(key(number)))}


def test_an_invitation_counts_one_report(inviting, opened, plan):
    assert inviting.invitations == 100
    assert inviting.add([report(0, by=7)]) == [KEPT]
    # Sent again, and another one by the same link: acknowledged, and not counted.
    assert inviting.add([report(0, by=7), report(1, by=7, code=2)]) == [AGAIN] * 2
    # What cannot count shows of no link whether it was used: no code of the plan, a known id with another code.
    for code, number in ((9, 2), (3, 0)):
        by_used, by_unused = inviting.add([report(number, by=7, code=code), report(number, by=8, code=code)])
        assert by_used == by_unused
        assert (by_used.accepted, by_used.repeated, by_used.failures) == (0, 0, 1)
    assert inviting.aggregate.counts.tolist() == [0, 1, 0, 0]
    again = opened(plan).collections[plan.hash]
    assert (again.invitations, used(again)) == (100, {7})
    assert again.add([report(3, by=7), report(4, by=8)]) == [AGAIN, KEPT]
    assert (again.aggregate.n, used(again)) == (2, {7, 8})


def test_without_a_known_invitation_nothing_is_kept(inviting):
    several = Upload(ids_from(2, 2), np.array([1, 1], dtype=np.uint64), key(3))
    assert inviting.add([report(0, by=None), report(1, by=100), several, report(4, by=4)]) == [
        UNINVITED,
        UNINVITED,
        Receipt(0, 0, (), 2, invited=False),
        KEPT,
    ]
    assert (inviting.aggregate.n, used(inviting)) == (1, {4})
    assert inviting._rows("SELECT id FROM report WHERE plan = ?") == [(ids_from(4, 1),)]


def test_a_collection_without_invitations_knows_none(opened, plan, other):
    store = opened(plan, other)
    first, second = (store.collections[each.hash] for each in (plan, other))
    second.invite([key(1)])
    assert first.add([report(0, by=1), report(1, by=None)]) == [UNINVITED, Receipt(0, 0, (), 1, invited=False)]
    assert first.add([report(1, by=None)]) == [KEPT]
    assert (first.invitations, second.invitations) == (0, 1)
    assert second.add([report(0, by=1)]) == [KEPT]


def test_what_comes_together_by_one_invitation_is_one_report(inviting):
    uploads = [report(number, by=number % 3) for number in range(9)]
    assert inviting.add(uploads) == [KEPT] * 3 + [AGAIN] * 6
    assert (inviting.aggregate.n, used(inviting)) == (3, {0, 1, 2})


def test_an_invitation_is_used_by_what_is_counted_alone(inviting):
    # No code of the plan; then a report that is known under another code; then the one that counts.
    inviting.add([report(0, by=0, code=3)])
    found = inviting.add([report(1, by=1, code=9), report(0, by=1, code=2), report(2, by=1), report(3, by=1)])
    assert [(one.accepted, one.repeated, one.failures) for one in found] == [(0, 0, 1), (0, 0, 1), (1, 0, 0), (0, 1, 0)]
    # The same report by two links takes one of them.
    assert inviting.add([report(4, by=4), report(4, by=5)]) == [KEPT, AGAIN]
    assert inviting.add([report(4, by=6)]) == [AGAIN]
    assert used(inviting) == {0, 1, 4}
    assert inviting.aggregate.counts.tolist() == [0, 2, 0, 1]


def test_more_invitations_leave_those_that_are_known_as_they_are(inviting, opened, plan):
    inviting.add([report(number, by=number) for number in range(0, 100, 3)])
    assert inviting.invite(map(key, range(200))) == 100
    assert inviting.invite(map(key, range(200))) == 0
    again = opened(plan).collections[plan.hash]
    assert used(again) == set(range(0, 100, 3))
    assert again.add([report(1000, by=150), report(1001, by=99)]) == [KEPT, AGAIN]


def test_reports_that_came_without_leave_no_room_for_invitations(opened, plan):
    held = opened(plan).collections[plan.hash]
    held.add([uploaded([0, 1])])
    with pytest.raises(RefusedError, match="from its first report on; found 2 reports that came without"):
        held.invite([key(1)])
    assert sum(held.scrub()) == 2
    with pytest.raises(RefusedError, match="2 reports that came without"):
        held.invite([key(1)])
    assert held.add([uploaded([0], first=2)]) == [KEPT]


def test_scrubbing_and_closing_leave_invitations_as_they_are(inviting):
    inviting.add([report(0, by=0)])
    assert sum(inviting.scrub()) == 1
    assert inviting.add([report(0, by=0), report(1, by=0), report(2, by=2)]) == [AGAIN, AGAIN, KEPT]
    inviting.close_to_reports()
    with pytest.raises(RefusedError, match="closed plan"):
        inviting.add([report(3, by=3)])
    assert used(inviting) == {0, 2}


def test_a_commit_that_fails_uses_no_invitation(tmp_path, plan, monkeypatch):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    held, database = store.collections[plan.hash], store._database
    held.invite([key(0), key(1)])
    rows = type(database).rows

    def full(self, statement, *values):
        if "used_invitation VALUES" in statement:
            raise UnavailableError("it", found="a disk that is full")
        return rows(self, statement, *values)

    transaction = type(database).transaction

    @contextmanager
    def heard_too_late(self):
        with transaction(self):
            yield
        raise UnavailableError("the commit", found="on disk, and no answer")

    for name, fault, left in (("rows", full, 0), ("transaction", heard_too_late, 1)):
        monkeypatch.setattr(type(database), name, fault)
        with pytest.raises(UnavailableError):
            held.add([report(0, by=0)])
        monkeypatch.undo()
        assert (held.aggregate.n, len(database.rows("SELECT id FROM report"))) == (left, left)
        assert held._known_invitations().is_used(held._known_invitations().place_of(key(0))) == bool(left)
    assert held.add([report(0, by=0), report(1, by=0)]) == [AGAIN, AGAIN]
    store.close()


def test_a_model_of_sets_says_the_same(inviting):
    """Any uploads by any links, in any parts, against what stands in sets."""
    draw, codes, taken = random.Random(3), {}, set()
    for _ in range(60):
        uploads, expected = [], []
        for _ in range(draw.randrange(1, 12)):
            number, by, code = draw.randrange(150), draw.randrange(130), draw.randrange(5)
            uploads.append(report(number, by, code))
            if by >= 100:
                expected.append("uninvited")
            elif code == 4 or codes.get(number, code) != code:
                expected.append("failed")
            elif by in taken or number in codes:
                expected.append("repeated")
            else:
                codes[number] = code
                taken.add(by)
                expected.append("accepted")
        # One by one: which of two that come together is first, the store decides.
        found = [inviting.add([upload])[0] for upload in uploads]
        kinds = [
            "uninvited" if not one.invited else "accepted" if one.accepted else "repeated" if one.repeated else "failed"
            for one in found
        ]
        assert kinds == expected
    assert used(inviting) == taken
    assert len(taken) > 30
    assert inviting.aggregate.counts.tolist() == [sum(code == one for code in codes.values()) for one in range(4)]


def test_invitations_are_found_in_any_order():
    known = Invitations().with_more(map(key, [5, 3, 4]))
    assert len(known) == 3
    assert sorted(known.place_of(key(number)) for number in (3, 4, 5)) == [0, 1, 2]
    assert [known.place_of(one) for one in (key(6), bytes(32), b"\xff" * 32, b"")] == [None] * 4


def test_the_file_says_nothing_about_which_report_came_by_which_invitation(tmp_path, plan, monkeypatch):
    """The same reports in the same order by the same links: once in one order of the links, and once in the other."""
    counter = count()
    monkeypatch.setattr("secrets.token_hex", lambda size: f"{next(counter):0{2 * size}x}")
    files = []
    for name, order in (("first", 1), ("second", -1)):
        counter = count()
        store = ReportStore.open(tmp_path / name, plan)
        held = store.collections[plan.hash]
        held.invite(map(key, range(300)))
        for number, by in enumerate(range(200)[::order]):
            assert held.add([report(random.Random(number).getrandbits(128), by)]) == [KEPT]
        store.close()
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


@pytest.mark.live
def test_postgresql_notes_the_last_use_alone(empty_postgres, plan):
    """Beside each row stands which transaction wrote it: all invitations are written by one, and all bits by one."""
    store = ReportStore.open(empty_postgres.address, plan)
    held = store.collections[plan.hash]
    held.invite(map(key, range(100)))
    for number in range(50):
        assert held.add([report(number, by=number)]) == [KEPT]
    store.close()
    reports, bits, invitations = (
        sorted(int(one) for (one,) in empty_postgres.do(f"SELECT xmin::text FROM {table}"))  # noqa: S608 - ours
        for table in ("sordino.report", "sordino.used_invitation", "sordino.invitation")
    )
    assert len(set(reports)) == 50
    # A report is put in within a savepoint, whose number is the next one after its transaction's.
    assert (len(bits), len(invitations)) == (1, 1)
    assert invitations[0] < reports[0]
    assert reports[-2] < bits[0] <= reports[-1]


@pytest.mark.live
def test_a_database_that_crashes_counts_one_report_by_each_invitation(empty_postgres, plan):
    """Each try is another report, as of a person with many devices: whether a commit was made, nobody was told."""
    store = ReportStore.open(empty_postgres.address, plan)
    held, over, refused, numbers = store.collections[plan.hash], Event(), [], count()
    held.invite(key(link) for link in range(10_000))

    def crash():
        for _ in range(3):
            empty_postgres.stop()
            empty_postgres.start()
        over.set()

    crashing = Thread(target=crash)
    crashing.start()
    sent = 0
    while not over.is_set() or sent < 20:
        links = range(3 * sent, 3 * sent + 3)
        while True:
            try:
                receipts = held.add([report(next(numbers), by=link) for link in links])
            except UnavailableError as error:
                refused.append(error)
            else:
                break
        assert {(one.accepted, one.repeated) for one in receipts} in ({(1, 0)}, {(0, 1)})
        sent += 1
    joined(crashing, seconds=PATIENCE)
    assert refused
    store.close()
    again = ReportStore.open(empty_postgres.address, plan)
    held = again.collections[plan.hash]
    known = held._known_invitations()
    used = {link for link in range(10_000) if known.is_used(known.place_of(key(link)))}
    assert (held.aggregate.n, used) == (3 * sent, set(range(3 * sent)))
    again.close()


WRITING = """
import sys
import numpy as np
from pathlib import Path
from sordino.service.storage.uploaded_reports import Upload
from sordino.service.storage.store import ReportStore
from sordino.survey.planning.plan import Plan
store = ReportStore.open(Path(sys.argv[1]), Plan.load(sys.argv[2]))
(held,) = store.collections.values()
held.invite((n.to_bytes(32, "big") for n in range(100_000)))
for n in range(int(sys.argv[3]), 10**9):
    code, link = np.array([1], dtype=np.uint64), n.to_bytes(32, "big")
    held.add([Upload((2 * n + window).to_bytes(16, "big"), code, link) for window in range(2)])
    print(n, flush=True)
"""


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=pytest.mark.long)])
def test_a_kill_leaves_a_report_with_its_invitation_or_neither(tmp_path, plan, kills):
    plan.save(tmp_path / "plan.json")
    path, begun = tmp_path / "reports.sqlite", 0
    for kill in range(kills):
        command = [sys.executable, "-c", WRITING, str(path), str(tmp_path / "plan.json"), str(begun)]
        with started(command, stderr=None) as process:
            said = [int(line_of(process)) for _ in range(20 + kill)]
            process.kill()
            said += [int(line) for line in process.stdout.read().split()]
        store = ReportStore.open(path, plan)
        (held,) = store.collections.values()
        known, begun = held._known_invitations(), held.aggregate.n
        assert begun - 1 in (said[-1], said[-1] + 1)
        assert [known.is_used(place) for place in range(begun + 10)] == [True] * begun + [False] * 10
        store.close()
