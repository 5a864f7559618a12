"""Tokens: what each may do, until when, and that a refusal is the same for all that are not valid."""

import json

import pytest

from sordino import RefusedError, SordinoError
from sordino.errors import DamagedError
from sordino.service.storage import tokens as tokens_file
from sordino.service.storage.acts import Act, require_chain
from sordino.service.storage.store import ReportStore
from sordino.service.storage.tokens import secret_in


def test_a_role_allows_what_lesser_ones_do(opened, plan):
    store = opened(plan)
    held = {role: store.tokens.holder_of(store.add_token(role, role)) for role in tokens_file.ROLES}
    allowed = {role: [other for other in tokens_file.ROLES if holder.may(other)] for role, holder in held.items()}
    assert allowed == {
        "reader": ["reader"],
        "analyst": ["reader", "analyst"],
        "operator": ["reader", "analyst", "operator"],
    }


def test_a_token_is_valid_until_its_last_day_or_its_end(opened, plan, monkeypatch):
    day = ["2027-01-30"]
    monkeypatch.setattr(tokens_file, "today", lambda: day[0])
    store = opened(plan)
    token, other = store.add_token("ada", "analyst", "2027-01-31"), store.add_token("bob", "reader")
    for now, valid in (("2027-01-30", True), ("2027-01-31", True), ("2027-02-01", False), ("2027-10-01", False)):
        day[0] = now
        assert (store.tokens.holder_of(token) is not None) == valid
        assert store.tokens.holder_of(other).name == "bob"
    store.revoke_token("bob")
    store.revoke_token("bob")
    again = opened(plan)
    assert again.tokens.holder_of(other) is None
    assert {one.name: (one.expires, one.revoked) for one in again.tokens.holders()} == {
        "ada": ("2027-01-31", None),
        "bob": (None, "2027-10-01"),
    }


def test_tokens_that_cannot_be_are_refused_and_change_nothing(opened, plan):
    store = opened(plan)
    store.add_token("ada", "analyst")
    store.revoke_token("ada")
    before = store.tokens.holders(), store.acts.acts()
    for name, role, expires, kind, words in (
        ("ada", "reader", None, RefusedError, "must be new"),
        ("", "reader", None, SordinoError, "a token's name"),
        ("a\n", "reader", None, SordinoError, "a token's name"),
        ("Ada", "reader", None, SordinoError, "a token's name"),
        (tokens_file.CONSOLE, "reader", None, SordinoError, "a token's name"),
        ("bob", "admin", None, SordinoError, "one of reader, analyst, operator; found 'admin'"),
        ("bob", "reader", "2020-01-01", SordinoError, "today or later"),
        ("bob", "reader", "20991231", SordinoError, "today or later"),
    ):
        with pytest.raises(kind, match=words):
            store.add_token(name, role, expires)
    with pytest.raises(SordinoError, match="must be known"):
        store.revoke_token("bob")
    assert (store.tokens.holders(), store.acts.acts()) == before


def test_every_token_is_compared_with_every_hash(opened, plan, monkeypatch):
    """Whether one is first, last, expired, revoked or unknown: the same comparisons."""
    store, compared = opened(plan), []
    held = [store.add_token(name, "reader") for name in ("a", "b", "c")]
    store.revoke_token("b")
    compare = tokens_file.secrets.compare_digest
    monkeypatch.setattr(tokens_file.secrets, "compare_digest", lambda a, b: compared.append(1) or compare(a, b))
    for token in (*held, "", "x" * 43, "\u00ff"):
        compared.clear()
        store.tokens.holder_of(token)
        assert len(compared) == 3


def test_acts_follow_from_each_other_and_name_who_did_them(opened, plan):
    store = opened(plan)
    store.add_token("ada", "operator")
    store.close_plan(plan.hash, "ada")
    store.revoke_token("ada")
    acts = opened(plan).acts.acts()
    require_chain(acts)
    assert [(line["by"], line["act"]) for line in (json.loads(act.line) for act in acts)] == [
        (tokens_file.CONSOLE, "token added"),
        ("ada", "closed"),
        (tokens_file.CONSOLE, "token revoked"),
    ]
    changed = Act(acts[1].line.replace("closed", "looked"), acts[1].hash)
    for damaged, place in (
        ([acts[0], changed, acts[2]], 2),
        ([acts[0], acts[2]], 2),
        ([acts[1], acts[2]], 1),
        ([acts[0], acts[2], acts[1]], 2),
        ([acts[0], acts[0]], 2),
        ([acts[0], Act.after(acts[0].hash, acts[0].line)], 2),
    ):
        with pytest.raises(DamagedError, match=f"found act {place}"):
            require_chain(damaged)


def test_a_first_token_is_in_its_file_before_its_store_has_it(tmp_path, plan):
    path, place = tmp_path / "token", tmp_path / "reports.sqlite"

    def made_and_killed():
        secret_in(path)
        raise KeyboardInterrupt

    store = ReportStore.open(place, plan)
    with pytest.raises(KeyboardInterrupt):
        store.new_token(made_and_killed)
    assert (store.tokens.holders(), store.acts.acts()) == ([], [])
    secret = path.read_text().strip()
    assert store.new_token(lambda: secret_in(path)) == secret
    assert store.tokens.holder_of(secret).role == "operator"
    assert store.new_token(lambda: secret_in(path)) is None
    store.close()


@pytest.mark.parametrize("content", ["", "mine\n", "a" * 44, "a" * 43 + "\n" + "b" * 43])
def test_a_file_of_something_else_is_no_first_token(tmp_path, content):
    path = tmp_path / "token"
    path.touch(mode=0o600)
    path.write_text(content)
    with pytest.raises(SordinoError, match="must not exist yet"):
        secret_in(path)
    assert path.read_text() == content


def test_a_first_token_that_others_could_read_is_not_taken(tmp_path):
    path = tmp_path / "token"
    secret_in(path)
    path.chmod(0o640)
    with pytest.raises(SordinoError, match="its owner only"):
        secret_in(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(SordinoError):
        secret_in(path)


def test_what_was_noted_is_not_changed_by_writing_rows(opened, plan):
    store = opened(plan)
    for deed in ("scrub", "backup"):
        store.begin("ada", deed, plan=plan.hash)
    before = store.acts.acts()
    for statement in (
        "DELETE FROM act WHERE number = 2",
        "UPDATE act SET line = '{}'",
        "INSERT INTO act VALUES (2, '{}', '')",
    ):
        with pytest.raises(SordinoError):
            store._database.rows(statement)
    assert store.acts.acts() == before
