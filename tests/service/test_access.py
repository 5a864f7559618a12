"""Who may do what over HTTP, and what is noted of it."""

import json

import pytest

from reports_sent import Client, is_problem, on_a_thread
from sordino.service.storage import tokens as tokens_file
from sordino.service.storage.store import ReportStore

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


def test_who_did_what_is_noted_before_it_is_done(tmp_path, store, plan):
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
    assert [(one["by"], one["act"], one["plan"]) for one in found] == [
        ("analyst", "tally exported", plan.hash),
        ("analyst", "reports exported", plan.hash),
        ("operator", "scrubbed", plan.hash),
        ("operator", "closed", plan.hash),
    ]
    again.close()
