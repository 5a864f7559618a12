"""What is counted by groups is counted beside the loop and the writer, and once for each tally."""

import asyncio
import json
from datetime import date
from threading import current_thread

import pytest

from reports_sent import JSON, on_a_thread
from sordino import Plan, Survey
from sordino.service import analyst
from sordino.service import collection_progress as progress
from sordino.service.storage import collection
from sordino.service.storage.store import ReportStore

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"x": {"categories": ["a", "b"]}},
    "public": {"region": {"categories": ["north", "south"]}},
    "ask": [{"histogram": "x"}],
    "series": {"periods": 4, "every": "week", "start": date(2026, 1, 5)},
}


@pytest.fixture
def called(monkeypatch):
    """The names of the functions that count, and whether each call was neither the loop's nor the writer's."""
    found = []
    for module, name in ((progress, "_by_groups"), (analyst, "of_large_periods")):
        own = getattr(module, name)

        def call(*words, own=own, name=name):
            found.append((name, asyncio._get_running_loop() is None and current_thread().name != "writer"))
            return own(*words)

        monkeypatch.setattr(module, name, call)
    return found


def test_groups_are_counted_once_a_tally_on_threads_of_their_own(tmp_path, monkeypatch, called):
    plan = Plan.of(Survey.read(SURVEY), 1000)
    monkeypatch.setattr(collection, "today", lambda: "2026-01-06")
    with on_a_thread(ReportStore.open(tmp_path / "reports.sqlite", plan), 2, published=True) as client:

        def send(*numbers):
            public = {"region": "north", "period": "2026-01-05"}
            reports = [{"id": f"{number:032x}", "code": str(number % 2), "public": public} for number in numbers]
            return client.of_plan("POST", "/reports", json.dumps({"reports": reports}), Content_Type=JSON).json

        send(1, 2, 3)
        answers = set()
        for _ in range(3):
            answers.add(client.of_plan("GET", "/progress").body)
            answers.add(client.of_plan("GET", "/estimates").body)
            # What is known changes no tally.
            assert send(1, 2, 3)["repeated"] == 3
        assert len(answers) == 2
        assert sorted(name for name, _ in called) == ["_by_groups", "of_large_periods"]
        send(4)
        assert client.of_plan("GET", "/progress").json["groups"] == {
            "region": {"north": 4, "south": 0},
            "period": dict.fromkeys(plan.series.labels, 0) | {"2026-01-05": 4},
        }
        assert client.of_plan("GET", "/estimates").json["n"] == 4
        assert len(called) == 4
        assert all(beside for _, beside in called)
