"""Each kind of file is known by its words, and said where another kind was expected; its contents are not told."""

import pytest

from sordino import Ledger, Plan, RefusedError, SordinoError, Survey
from sordino.document.invitation_list import InvitationList
from sordino.document.kinds import WORDS, explain_kind, kind_of
from sordino.errors import DamagedError, UnavailableError
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.transcript import export_transcript
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.tables.key import make_key
from sordino.tables.reports import tally_people

TERMS = 'version = 1\nepsilon = "1"\n[attribute.a]\ncategories = ["x", "y"]\n'
TEXTS = {
    "survey": TERMS + '[[ask]]\nhistogram = "a"\n',
    "terms": TERMS,
    "query": 'version = 1\nid = "1"\ncollector = "c"\nepsilon = "1"\ncategory = "a"\n',
    "record": 'version = 1\n[record]\na = "x"\n',
    "page": "<!DOCTYPE html>\n<html></html>\n",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of each kind, as Sordino writes or reads it."""
    folder = tmp_path_factory.mktemp("kinds")
    found = {kind: folder / kind for kind in TEXTS}
    for kind, path in found.items():
        path.write_text(TEXTS[kind])
    found |= {
        kind: folder / kind for kind in ("plan", "aggregate", "key", "ledger", "transcript", "statement", "invitations")
    }
    found |= {"table": folder / "people.csv", "reports": folder / "reports.csv"}
    found["table"].write_text("a\nx\ny\n")
    found["reports"].write_text("plan,code\n")
    found["statement"].write_text('{\n "format": "sordino dependence",\n "version": 1}')
    plan = Plan.of(Survey.load(found["survey"]), 9)
    plan.save(found["plan"])
    save_aggregate(plan, tally_people(plan, found["table"]), found["aggregate"])
    make_key(found["key"])
    InvitationList.of(plan.hash, ["0" * 32]).save(found["invitations"])
    export_transcript(Ledger.make(found["ledger"], LedgerTerms.load(found["terms"])), found["transcript"])
    return found


@pytest.mark.parametrize("kind", WORDS)
def test_each_kind_is_known(files, kind):
    assert kind_of(files[kind]) == kind
    if kind not in ("ledger", "table", "reports"):
        (files[kind].parent / "marked").write_bytes(b"\xef\xbb\xbf" + files[kind].read_bytes())
        assert kind_of(files[kind].parent / "marked") == kind


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"x = [[[", b"hello", b"[" * 100_000, b'{"format": "x"}'])
def test_other_files_are_of_no_kind(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    assert kind_of(tmp_path / "x") is None
    assert kind_of(tmp_path) is None
    assert kind_of(tmp_path / "none") is None


def test_another_kind_is_said_and_the_same_kind_keeps_its_mistakes(files):
    with (
        pytest.raises(SordinoError, match=r"record must be a plan; found a person's record: `sordino.ask`"),
        explain_kind(files["record"], "plan"),
    ):
        raise DamagedError("x")
    for path, wanted in ((files["record"], "record"), (files["terms"], "survey"), (files["table"], "reports")):
        with pytest.raises(SordinoError, match=r"^its own\.$"), explain_kind(path, wanted):
            raise SordinoError("its own")
    for kind in (RefusedError, UnavailableError):
        with pytest.raises(kind, match="its own"), explain_kind(files["record"], "plan"):
            raise kind("its own")
