"""The browser client knows the operations and the statistics that the package does, and no mechanism by name."""

import re

import pytest

from planted import PACKAGE
from sordino.document.codec import MECHANISMS
from sordino.document.queries import STATISTICS
from sordino.mechanism.draws.draw_program import Draw
from sordino.mechanism.draws.operations import ARITHMETIC, SETS

CLIENT = PACKAGE / "service" / "client"
MECHANISM = (CLIENT / "channel" / "mechanism.js").read_text(encoding="utf-8")


def keys(text, table):
    """The names in a table of the client."""
    [found] = re.findall(rf"const {table} = \{{\n(.*?)\n\}};", text, re.DOTALL)
    return {name for name in re.findall(r'^  "?([^\s":(]+)"?[:(]', found, re.MULTILINE) if name != "}"}


def test_all_operations_are_known():
    operations = {name.removeprefix("_") for name in vars(Draw) if name in DRAWN}
    assert keys(MECHANISM, "ARITHMETIC") == set(ARITHMETIC)
    assert keys(MECHANISM, "DRAWN") | keys(MECHANISM, "WHOLE") == operations
    sets = (CLIENT / "channel" / "sets.js").read_text(encoding="utf-8")
    [made] = re.findall(r"const made = \{(.*?)\};", sets)
    assert tuple(re.findall(r"(\w+): \(", made)) == tuple(SETS)


DRAWN = ("_if", "_drop", "_coin", "_below", "_pick", "_sides", "_digits", "_levels", "_blocks", "_hide")


@pytest.mark.parametrize("path", sorted(CLIENT.rglob("*.js")), ids=lambda path: path.name)
def test_no_mechanism_is_known_by_name(path):
    # A statistic, a question, a metric, and a way to ask with its sets of codes are of these names too.
    words = set(MECHANISMS) - {"product", "table", "tree", "meeting"}
    found = set(re.findall(r'"([\w-]+)"', path.read_text(encoding="utf-8")))
    assert found & words == set()


def test_all_statistics_are_known():
    text = (CLIENT / "plan" / "statistics.js").read_text(encoding="utf-8")
    assert keys(text, "ALONE") == set(STATISTICS)
