"""Every kind of sealed document is refused for the same reasons, in the same words, with the same codes."""

import json

import pytest

from in_one import in_one
from sordino import SordinoError
from sordino.document import formats
from sordino.document.schema.strict_table import StrictTable
from sordino.document.sealed import Sealed, canonical, content_hash
from sordino.errors import DamagedError

KINDS = {kind.format: kind for kind in vars(formats).values() if isinstance(kind, Sealed)}
CONTENT = {"a": [1.0, 2.5, "ü"], "b": {"c": None}}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def test_there_are_eight_kinds_of_documents():
    assert len(KINDS) == 8


def test_a_sealed_document_is_what_a_reader_of_its_bytes_finds(kind):
    document = kind.seal(CONTENT)
    assert json.loads(canonical(document)) == document
    assert (document["format"], document["version"], document["a"]) == (kind.format, kind.version, [1, 2.5, "ü"])
    assert type(document["a"][0]) is int
    kind.require(document)
    kind.require_unchanged(document)


@in_one(
    "version, found",
    [
        (5, "version 5, which a newer Sordino wrote: use a newer Sordino"),
        (10**30, "which a newer Sordino wrote"),
        (0, "found 0: "),
        (-1, "found -1: "),
        (True, "found True: "),
        (1.0, r"found 1\.0: "),
        ("1", "found '1': "),
        (None, "found no version: "),
        ([1], r"found \[1\]: "),
    ],
)
def test_another_version_is_refused(kind, version, found):
    with pytest.raises(SordinoError, match=f"x.json must be of version {kind.version}; .*{found}") as error:
        kind.require({**kind.stamp(CONTENT), "version": version}, "x.json")
    assert error.value.code == "invalid"


def test_versions_are_these():
    assert {kind.format: kind.version for kind in KINDS.values() if kind.version != 1} == {"sordino plan": 4}


def test_a_document_of_an_older_version_is_to_be_made_again():
    """Draws have further codes since version 4, which an older reader does not know."""
    plan = KINDS["sordino plan"]
    found = "must be of version 4; found version 3, which an older Sordino wrote: make one with `sordino.plan` again"
    with pytest.raises(SordinoError, match=found) as error:
        plan.require({**plan.stamp(CONTENT), "version": 3}, "plan.json")
    assert error.value.code == "invalid"


def test_another_format_is_refused_before_its_version(kind):
    for other in [None, [], "sordino", *(KINDS.keys() - {kind.format})]:
        with pytest.raises(SordinoError, match=f"x.json must be {kind.noun}; found a different format: {kind.make}"):
            kind.require({"format": other, "version": 9}, "x.json")


@in_one(
    "change",
    [{"a": []}, {"version": 9}, {"new": 1}, {"hash": None}, {"hash": "sha256:" + "0" * 64}, {"a": float("inf")}],
)
def test_changed_words_are_damage(kind, change):
    document = {**kind.seal(CONTENT), **change}
    with pytest.raises(DamagedError, match="as it was frozen; found contents that do not match its hash"):
        kind.require_unchanged(document, "x.json")
    if "hash" not in change and change != {"a": float("inf")}:
        kind.require_unchanged({**document, "hash": content_hash(document)}, "x.json")


def test_another_spelling_is_damage(kind):
    kind.require_spelling(b"{}", b"{}")
    with pytest.raises(DamagedError, match="as it was frozen; found a different spelling: get the original, or"):
        kind.require_spelling(b"{ }", b"{}")


def test_fields_that_do_not_fit_are_damage(kind):
    class Fields(StrictTable):
        format: str
        version: int
        people: int

    assert kind.fields(Fields, kind.stamp({"people": 3})).people == 3
    with pytest.raises(
        DamagedError, match=f"x.json must be {kind.noun} that Sordino wrote; found people must be a"
    ) as error:
        kind.fields(Fields, kind.stamp({"people": "3"}), "x.json")
    assert error.value.code == "damaged"


def test_without_a_name_a_message_says_what_the_document_should_be(kind):
    with pytest.raises(SordinoError, match=f"the document of {kind.noun} must be {kind.noun}; found"):
        kind.require({})
