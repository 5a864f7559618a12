"""Plans that tests of the service share, each made once, and a PostgreSQL server (make test-live)."""

import pytest

from reports_sent import make_plan
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey

TWO_QUESTIONS = {
    "version": 1,
    "epsilon": "2",
    "attribute": {"smoker": {"categories": ["yes", "no", "once"]}, "age": {"number": {"low": 0, "high": 100}}},
    "ask": [{"histogram": "smoker"}, {"mean": "age"}],
}


@pytest.fixture(scope="session")
def plan():
    return make_plan(4)


@pytest.fixture(scope="session")
def other():
    return make_plan(5)


@pytest.fixture(scope="session")
def two_questions():
    """A plan of a category and a number."""
    return Plan.of(Survey.read(TWO_QUESTIONS), 1000)


@pytest.fixture(scope="package")
def postgres():
    from postgres_server import postgres_server

    with postgres_server() as server:
        yield server


@pytest.fixture
def empty_postgres(postgres):
    """The server without a store."""
    postgres.forget()
    return postgres
