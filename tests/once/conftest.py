"""Small ledgers, a witness of what their answers tell, and processes that are killed."""

import os
import shutil
import signal
from collections import defaultdict
from functools import cache
from itertools import product

import numpy as np
import pytest

from chances import chances
from sordino import Ledger, ask
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord

TERMS = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"age": {"number": {"low": 18, "high": 90}}, "sleep": {"number": {"low": 0, "high": 12}}},
}
MODELS = {
    "sleep": {"linear": {"theta": {"sleep": 1}, "low": 0, "high": 12}},
    "against": {"linear": {"theta": {"sleep": -1}, "low": -12, "high": 0}},
    "age": {"truncated": {"theta": {"age": 1}, "low": 30, "high": 60}},
    "both": {"logistic": {"theta": {"age": 0.05, "sleep": -0.5}, "intercept": 1}},
}
POINTS = (
    "reserving",
    "reserved",
    "drawing",
    "drawn",
    "storing",
    "stored",
    "settled",
    "sending",
    "delivered",
    "noting",
    "noted",
)
GRID = np.stack(np.meshgrid(np.linspace(18, 90, 25), np.linspace(0, 12, 25)), axis=-1).reshape(-1, 2)


@pytest.fixture(scope="session")
def terms():
    return LedgerTerms.read(TERMS)


@pytest.fixture(scope="session")
def record(terms):
    """A function of an age to the record of a person."""

    def build(age=44, sleep=7.5):
        return PersonRecord.read({"version": 1, "record": {"age": age, "sleep": sleep}}, terms)

    return build


@pytest.fixture(scope="session")
def question(terms):
    """A function of an id to a query."""

    def build(name, model="sleep", epsilon="0.4", collector="institute"):
        tables = {"version": 1, "id": name, "collector": collector, "epsilon": str(epsilon)}
        return AskedQuery.read(tables | MODELS[model], terms)

    return build


@pytest.fixture
def ledger(tmp_path, terms):
    """An empty ledger."""
    return Ledger.make(tmp_path / "me.ledger", terms)


@pytest.fixture
def copied_ledger(tmp_path):
    """A function of a ledger that nobody uses to a copy of it."""

    def copy(ledger):
        for file in ledger.path.parent.glob(f"{ledger.path.name}*"):
            shutil.copy(file, tmp_path)
        return Ledger(tmp_path / ledger.path.name)

    return copy


@cache
def log_probability(query):
    """ln Pr(code | record) of both codes at each record of the grid, from the integers that are compared."""
    ones = chances(query, GRID)
    return {code: np.log(np.array([float(one if code else 1 - one) for one in ones])) for code in (0, 1)}


def told(entries):
    """Nats, from below: the largest difference over some records, whatever the open answers are; versions add."""
    versions = defaultdict(list)
    for entry in entries:
        versions[entry.record].append(entry)
    total = 0.0
    for group in versions.values():
        ways = [(0, 1) if entry.code is None else (entry.code,) for entry in group]
        logs = [log_probability(entry.query.channel) for entry in group]
        total += max(np.ptp(sum(each[code] for each, code in zip(logs, way, strict=True))) for way in product(*ways))
    return total


@pytest.fixture(scope="session", name="told")
def told_fixture():
    return told


class Stopped(BaseException):
    """The process ends here, as far as the ledger can tell."""


@pytest.fixture(scope="session")
def stop_at():
    """A function of a point to a step that raises there."""

    def step_of(point):
        def step(name):
            if name == point:
                raise Stopped

        return step

    return step_of


@pytest.fixture(scope="session")
def stopped():
    return Stopped


@pytest.fixture(scope="session")
def points():
    """The names of all steps of ask."""
    return POINTS


@pytest.fixture(scope="session")
def ask_and_note(question):
    """Ask in this process, dying at a point; what is delivered is noted in a file."""

    def run(path, query, values, point=None):
        def step(name):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        handle = os.open(path.with_suffix(".delivered"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        ask(
            Ledger(path, step=step),
            query,
            values,
            lambda report: os.write(handle, f"{query.id} {report.code}\n".encode()),
        )
        os.close(handle)

    return run


@pytest.fixture(scope="session")
def delivered():
    """What arrived at the collectors: for each id the codes."""

    def read(path):
        arrived = defaultdict(set)
        noted = path.with_suffix(".delivered")
        for line in noted.read_text().splitlines() if noted.exists() else []:
            name, code = line.split()
            arrived[name].add(int(code))
        return arrived

    return read
