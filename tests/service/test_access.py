"""Who may do what over HTTP, and what is noted of it."""

import json

import numpy as np
import pytest

from reports_sent import Client, is_problem, on_a_thread
from sordino.errors import UnavailableError
from sordino.service import analyst as analyst_file
from sordino.service.storage import tokens as tokens_file
from sordino.service.storage.collection import Collection
from sordino.service.storage.store import ReportStore
from sordino.survey.results.aggregate_file import aggregate_text

OF_ROLE = {
    "reader": [("GET", "/estimates"), ("GET", "/page")],
    "analyst": [("GET", "/aggregate"), ("GET", "/reports"), ("POST", "/aggregate")],
    "operator": [("POST", "/scrub"), ("POST", "/close")],
}


@pytest.fixture
def store(tmp_path, plan):
    return ReportStore.open(tmp_path / "reports.sqlite", plan)


def test_a_role_may_do_what_is_its_own_and_below(store):
    tokens = {role: store.add_token(role, role) for role in OF_ROLE}
    with on_a_thread(store) as client:
        client.upload([0, 1, 2])
        for place, role in enumerate(OF_ROLE):
            asking = Client(client.plan, client.port, tokens[role])
            for own, (needed, routes) in enumerate(OF_ROLE.items()):
                for method, path in routes:
                    answer = asking.as_analyst(method, path)
                    if own > place:
                        assert is_problem(answer, 403, f"the role {needed}; found {role}"), path
                    else:
                        assert answer.status not in (401, 403), path
    assert not OF_ROLE.keys() - tokens.keys()


def test_tokens_that_are_not_valid_are_refused_alike(store, monkeypatch):
    monkeypatch.setattr(tokens_file, "today", lambda: "2026-11-25")
    expired, revoked = store.add_token("old", "operator", "2026-11-25"), store.add_token("gone", "operator")
    store.revoke_token("gone")
    monkeypatch.undo()
    with on_a_thread(store) as client:
        client.upload([0, 1, 2])
        bodies = set()
        for token in (expired, revoked, "x" * 43, "", " ", f" {client.token}", f"{client.token} ", "\u00e9"):
            for routes in OF_ROLE.values():
                for method, path in routes:
                    answer = Client(client.plan, client.port, token).as_analyst(method, path)
                    # HTTP itself takes blanks at the end away.
                    if token.rstrip() != client.token:
                        assert is_problem(answer, 401, "this needs a token; found a token that is not valid here")
                        bodies.add(answer.body)
        assert len(bodies) == 1
        assert is_problem(client.of_plan("GET", "/estimates"), 401, "found no token")


def test_who_did_what_is_noted_once_it_is_done(tmp_path, store, plan):
    tokens = {role: store.add_token(role, role) for role in OF_ROLE}
    with on_a_thread(store) as client:
        client.upload([0, 1, 2])
        asking = {role: Client(client.plan, client.port, token) for role, token in tokens.items()}
        asking["reader"].as_analyst("GET", "/estimates")
        for path in ("/aggregate", "/reports"):
            assert asking["analyst"].as_analyst("GET", path).status == 200
        for path in ("/scrub", "/close"):
            assert asking["analyst"].as_analyst("POST", path).status == 403
            assert asking["operator"].as_analyst("POST", path).status == 200
    again = ReportStore.open(tmp_path / "reports.sqlite", plan)
    found = [json.loads(act.line) for act in again.acts.acts()][3:]
    assert [(one["by"], one["act"], one.get("plan") or one["of"]) for one in found] == [
        ("analyst", "export of the tally begun", plan.hash),
        ("analyst", "export of the tally done", 4),
        ("analyst", "export of reports begun", plan.hash),
        ("analyst", "export of reports done", 6),
        ("operator", "scrub begun", plan.hash),
        ("operator", "scrub done", 8),
        ("operator", "closed", plan.hash),
    ]
    again.close()


def test_what_failed_does_not_stand_as_done(tmp_path, store, plan, monkeypatch):
    token = store.add_token("ada", "operator")
    with on_a_thread(store) as client:
        client.upload([0, 1, 2])
        ada = Client(client.plan, client.port, token)

        def refuse(*_):
            raise UnavailableError("the disk must take it", found="a full one", step="make room")

        # Each deed ends in trouble after it has begun.
        monkeypatch.setattr(analyst_file, "aggregate_text", lambda *_, **__: refuse())
        monkeypatch.setattr(analyst_file, "write_reports", refuse)
        monkeypatch.setattr(Collection, "scrub", refuse)
        for method, path in (("GET", "/aggregate"), ("GET", "/reports"), ("POST", "/scrub")):
            assert ada.as_analyst(method, path).status == 503
        assert ada.as_analyst("POST", "/aggregate", b"no tally").status == 400
        assert ada.as_analyst("POST", "/close").status == 200
        # What comes too late is refused, and not noted.
        late = aggregate_text(plan, plan.tally(np.array([1], dtype=np.uint64)))
        assert ada.as_analyst("POST", "/aggregate", late).status == 409
    again = ReportStore.open(tmp_path / "reports.sqlite", plan)
    found = [json.loads(act.line) for act in again.acts.acts()][1:]
    deeds = ("export of the tally", "export of reports", "scrub")
    failed = [f"{deed} {word}" for deed in deeds for word in ("begun", "failed")]
    assert [one["act"] for one in found] == [*failed, "closed"]
    assert [one["of"] for one in found if "of" in one] == [2, 4, 6]
    again.close()
