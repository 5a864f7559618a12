"""Small ledgers of categories whose terms cover changes of the record, and queries whose answers are given."""

from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.transcript import export_transcript

SMOKER = {"smoker": {"categories": ["yes", "no"]}}
TWO = {"version": 1, "epsilon": "1", "attribute": SMOKER, "changes": 1}
BOTH = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"region": {"categories": ["north", "south", "west"]}, **SMOKER},
    "changes": 1,
}
VALUES = {"smoker": ["yes", "no"], "region": ["north", "south", "west"]}


def ignore(report):
    del report


def terms_of(tables=TWO, **changed):
    return LedgerTerms.read({**tables, **changed})


def question(terms, name, epsilon="0.1", attribute="smoker", collector="c"):
    tables = {"version": 1, "id": name, "collector": collector, "epsilon": epsilon, "category": attribute}
    return AskedQuery.read(tables, terms)


def person(terms, *values):
    names = [VALUES[name][value] for name, value in zip(terms.names, values, strict=True)]
    return PersonRecord.read({"version": 1, "record": dict(zip(terms.names, names, strict=True))}, terms)


class Stopping(BaseException):
    """The process ends here, as far as the ledger can tell."""


class FixedAnswers:
    """A query whose answers are given: what is drawn is the same for every record."""

    def __init__(self, monkeypatch):
        self.code, self.drawn = 0, 0
        monkeypatch.setattr(AskedQuery, "draw", self.draw)

    def draw(self, record, source=None):
        assert (record, source) != (None, None)
        self.drawn += 1
        return self.code


def exported(ledger, path):
    target = path.with_suffix(".jsonl")
    export_transcript(ledger, target)
    return target
