"""Plans that tests of the service share, each made once; a PostgreSQL server and one browser (make test-live)."""

import shutil

import pytest

from reports_sent import make_plan
from sordino import Plan, Survey

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip

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


@pytest.fixture(scope="session")
def driver():
    """Playwright, which runs once in a thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="session")
def chromium(driver):
    """The browser, of which each test has a context of its own."""
    browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
    yield browser
    browser.close()
