"""Whose quota a collector has: names that can be seen to be of one collector are one, and no name buys another."""

import pytest

from sordino import Ledger, SordinoError
from sordino.document.formats import TERMS
from sordino.errors import DamagedError
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.quotas import MOST_QUOTAS, collector_key

SMOKER = {"smoker": {"categories": ["yes", "no"]}}
QUOTA = {"https://a.example": "0.3", "Institute of Sleep": "0.4", "others": "0.2"}


def terms_of(quota, epsilon="1", attribute=SMOKER, **more):
    return LedgerTerms.read({"version": 1, "epsilon": epsilon, "attribute": attribute, "quota": quota, **more})


@pytest.mark.parametrize(
    "name",
    [
        "https://a.example",
        "HTTPS://A.Example",
        "https://a.example/",
        "https://a.example:443",
        "https://a.example:0443/",
        "https://a.example:8443",
        "http://a.example:443",
        "https://a.example:" + "9" * 5000,
        "a.example:8443",
        "a.example/plans/sha256:00",
        "https://a.example:/",
        "http://a.example:80",
        "http://a.example",
        "https://a.example/plans/sha256:00?x=1#y",
        "https://a.example.",
        "https://a.example.:443/",
        "https://me:secret@a.example",
        "https://%61.example",
        r"https:\\a.example\x",
        "https:a.example",
        "https:///a.example",
        "a.example",
        "A.EXAMPLE/",
        " a.example ",
        "\uff41.example",
        "https://\uff41\u3002example",
    ],
)
def test_an_address_is_one_however_it_is_written(name):
    assert collector_key(name) == "a.example"
    assert terms_of(QUOTA).quotas.key(name) == "a.example"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("bücher.example", "https://xn--bcher-kva.example"),
        ("https://[::1]:8000", "http://[0:0:0:0:0:0:0:1]/x"),
        ("[::1]:8000", "::1"),
        ("http://127.0.0.1:8000", "https://127.0.0.1:8001/"),
        ("localhost:8000", "http://localhost"),
        ("Institute of Sleep", "INSTITUTE  of sleep."),
        ("Straße", "STRASSE"),
    ],
)
def test_two_ways_of_writing_are_one_name(one, other):
    assert collector_key(one) == collector_key(other)


@pytest.mark.parametrize(
    "name",
    [
        "https://b.a.example",
        "b.a.example:443",
        "me@a.example",
        "https://a.example.evil",
        "https://a.example@evil",
        "others",
        "Others",
        "",
        "/",
        "https://",
        "https://[",
        "https://a..example",
        "https://" + "a" * 5000,
        "https://%ff%fe",
        "\ud800",
        "institute",
    ],
)
def test_any_other_name_shares_what_the_others_share(name):
    assert terms_of(QUOTA).quotas.key(name) == ""


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        ({"https://a.example": "0.3"}, "no others"),
        ({}, "no others"),
        ({"a": "0.3", "A": "0.2", "others": "0.1"}, "one quota, however"),
        ({"https://a.example": "0.3", "a.example/": "0.2", "others": "0.1"}, "one quota, however"),
        ({"https://a.example": "0.3", "https://a.example:8443": "0.2", "others": "0.1"}, "one quota, however"),
        ({"": "0.3", "others": "0.1"}, "for a collector's name"),
        ({" / ": "0.3", "others": "0.1"}, "for a collector's name"),
        ({"Others": "0.3", "others": "0.1"}, "for a collector's name"),
        ({"a\nb": "0.3", "others": "0.1"}, "one line"),
        ({"a" * 201: "0.3", "others": "0.1"}, "one line"),
        ({"a": "0", "others": "0.1"}, "a quota must be above 0"),
        ({"a": "-1", "others": "0.1"}, "a quota must lie between 0"),
        ({"a": True, "others": "0.1"}, "a quota must be a number of nats"),
        ({"a": None, "others": "0.1"}, "a quota must be a number of nats"),
        ({"a": "inf", "others": "0.1"}, "quota"),
        ({"a": "1.1", "others": "0.1"}, "at most epsilon, 1"),
        ({"a": "0.1", "others": "2"}, "at most epsilon, 1"),
        ("0.3", "amounts by collectors' names"),
        ([], "amounts by collectors' names"),
        ({3: "0.3", "others": "0.1"}, "amounts by collectors' names"),
        ({str(place): "0.1" for place in range(MOST_QUOTAS + 1)} | {"others": "0.1"}, "at most 100 collectors"),
    ],
)
def test_what_is_no_quota_is_refused(quota, words):
    with pytest.raises(SordinoError, match=words):
        terms_of(quota)


def test_quotas_stand_beside_one_epsilon_only():
    """Of pairs of values and of beliefs a quota would say nothing."""
    stage = {"stage": {"categories": ["I", "II", "III"], "protect": {"sensitive": ["III"]}}}
    with pytest.raises(SordinoError, match="one epsilon for all values alike; found protect"):
        terms_of(QUOTA, attribute=stage)
    delta = {"smoker": {"categories": ["yes", "no"], "delta": "0.5"}}
    with pytest.raises(SordinoError, match="one epsilon for all values alike; found deltas"):
        terms_of(QUOTA, attribute=delta)
    with pytest.raises(SordinoError, match="one epsilon for all values alike; found deltas"):
        terms_of(QUOTA, dependence={"rest": 0.2})


def test_quotas_are_frozen_and_terms_without_keep_their_bytes():
    terms = terms_of(QUOTA)
    assert terms.document["quota"] == {"Institute of Sleep": "2/5", "https://a.example": "3/10", "others": "1/5"}
    again = LedgerTerms.of_document(terms.document)
    assert (again.hash, again.text, again.quotas) == (terms.hash, terms.text, terms.quotas)
    assert terms_of(dict(reversed(QUOTA.items()))).hash == terms.hash
    assert terms_of({**QUOTA, "others": "0.1"}).hash != terms.hash
    without = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": SMOKER})
    assert set(without.document) == {"attributes", "epsilon", "format", "hash", "nodes", "version"}
    assert without.quotas is None


@pytest.mark.parametrize(
    "quota",
    [None, {}, [], "0.3", {"a": "0.3"}, {"a": "3/10", "others": "0.10"}, {"a": "2", "others": "1/5"}, {"others": 1}],
)
def test_frozen_quotas_that_nobody_froze_are_refused(quota):
    words = {name: part for name, part in terms_of(QUOTA).document.items() if name not in ("format", "version", "hash")}
    with pytest.raises(SordinoError):
        LedgerTerms.of_document(TERMS.seal({**words, "quota": quota}))


def test_a_changed_quota_is_found():
    words = terms_of(QUOTA).document
    with pytest.raises(DamagedError, match="as it was frozen"):
        LedgerTerms.of_document({**words, "quota": {**words["quota"], "others": "1"}})


def test_a_ledger_is_made_by_tables(tmp_path):
    made = Ledger.make(tmp_path / "me.ledger", {"version": 1, "epsilon": "1", "attribute": SMOKER, "quota": QUOTA})
    assert [one.collector for one in made.balance().quotas] == ["Institute of Sleep", "https://a.example", None]
