"""No code is kept longer than was promised, though nobody knows when it came."""

import json
from datetime import date, timedelta

import pytest

from reports_sent import NOTED, Client, served, uploaded
from sordino.service import collector_state
from sordino.service.storage import store as store_file
from sordino.service.storage.database import today
from sordino.service.storage.store import ReportStore, last_scrub_day, next_scrub_day
from waits import wait_for


@pytest.mark.parametrize("days", [1, 2, 30, 90])
def test_each_day_lies_between_two_scrubbings_that_are_no_further_apart(days):
    first = date(2027, 1, 31)
    for passed in range(400):
        now = (first + timedelta(passed)).isoformat()
        last, coming = last_scrub_day(first.isoformat(), days, now), next_scrub_day(first.isoformat(), days, now)
        assert (last is None) == (passed < days)
        begin = date.fromisoformat(last or first.isoformat())
        assert begin <= first + timedelta(passed) < date.fromisoformat(coming) == begin + timedelta(days)


def test_codes_are_scrubbed_on_their_day_once_and_stay_counted(opened, plan, monkeypatch):
    day = ["2027-01-01"]
    monkeypatch.setattr(store_file, "today", lambda: day[0])
    store = opened(plan)
    seen = []
    for now in ("2027-01-01", "2027-01-30", "2027-01-31", "2027-02-05", "2027-03-01", "2027-03-02", "2027-08-01"):
        day[0] = now
        due = store.scrub_is_due(plan.hash, 30)
        seen.append(due)
        if due:
            store.note_scrubbed(plan.hash)
            assert not store.scrub_is_due(plan.hash, 30)
    assert seen == [False, False, True, False, False, True, True]
    # A day that passed while no collector ran counts, and what another number of days asks for.
    assert store.scrub_is_due(plan.hash, 1) is False
    day[0] = "2027-08-02"
    assert store.scrub_is_due(plan.hash, 1) is True


def test_a_collector_scrubs_by_itself_and_says_when(tmp_path, plan, monkeypatch):
    with monkeypatch.context() as early:
        early.setattr(store_file, "today", (date.fromisoformat(today()) - timedelta(40)).isoformat)
        store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    store.collections[plan.hash].add([uploaded([0, 1, 1])])
    token = store.new_token()
    store.close()
    with served(tmp_path, plan, "--retain", 30, "--least-people", 1) as (client, said):
        analyst = Client(plan, client.port, token)
        wait_for(lambda: analyst.as_analyst("GET", "/reports").status == 409, "codes to be scrubbed")
        found = client.of_plan("GET", "/progress").json
        assert (found["reports"], found["retain_days"]) == (3, 30)
        left = date.fromisoformat(found["next_scrub_day"]) - date.fromisoformat(today())
        # Midnight may have passed meanwhile.
        assert left in (timedelta(19), timedelta(20), timedelta(21))
        # What comes until then is kept.
        client.upload([2], first=10)
    noted = [line["act"] for line in map(json.loads, said[1].splitlines()) if line["event"] == NOTED]
    assert (said[2], [act["because"] for act in noted if act["act"] == "scrub begun"]) == (0, ["--retain 30"])
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    held = store.collections[plan.hash]
    assert (held.aggregate.counts.tolist(), held.whole, sum(map(len, held.codes()))) == ([1, 2, 1, 0], False, 1)
    store.close()


def test_a_store_that_refuses_is_tried_again(tmp_path, plan, monkeypatch):
    from reports_sent import on_a_thread

    monkeypatch.setattr(collector_state, "LOOK_SECONDS", 0.05)
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    store.collections[plan.hash].add([uploaded([0, 1])])
    tried = []

    def is_due(self, *_):
        tried.append(len(tried))
        if len(tried) == 1:
            raise collector_state.UnavailableError("the store must answer", found="a refusal")
        return len(tried) == 2

    monkeypatch.setattr(ReportStore, "scrub_is_due", is_due)
    with on_a_thread(store, 1, retain_days=1) as client:
        wait_for(lambda: len(tried) > 3, "another try")
        assert client.of_plan("GET", "/progress").json["reports"] == 2
        assert client.as_analyst("GET", "/reports").status == 409
