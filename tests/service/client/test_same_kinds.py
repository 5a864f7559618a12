"""The browser client asks each kind of question through the mechanisms that the package does."""

import re

import pytest

from planted import PACKAGE
from sordino.document.codec import MECHANISMS, OF_SHARES
from sordino.document.queries import NUMBER_MECHANISMS, STATISTICS
from sordino.mechanism.inner import INNER
from sordino.mechanism.metric.product_response import PARTS
from sordino.mechanism.numbers.hierarchy import HierarchyResponse
from sordino.mechanism.numbers.optional_window import OptionalWindow
from sordino.mechanism.numbers.window import WindowResponse

CLIENT = PACKAGE / "service" / "client"
COMBINED = (CLIENT / "channel" / "combined.js").read_text(encoding="utf-8")


def listed(name):
    """The names of a list in the client."""
    [found] = re.findall(rf"const {name} = \[(.*?)\];", COMBINED)
    return [each for part in found.split(", ") for each in (listed(part[3:]) if part[0] == "." else [part.strip('"')])]


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("WITHIN", INNER.values()),
        ("OF_SHARES", OF_SHARES),
        ("OF_BINS", [WindowResponse, HierarchyResponse]),
        ("OF_BINS_OR_NONE", [OptionalWindow, HierarchyResponse]),
        ("OF_NUMBERS", NUMBER_MECHANISMS),
        ("ALONG", PARTS),
    ],
)
def test_a_question_is_asked_through_the_same_mechanisms(name, kinds):
    assert sorted(listed(name)) == sorted(kind.name for kind in kinds)


def test_all_mechanisms_and_statistics_are_known():
    [table] = re.findall(r"const MECHANISMS = \{\n(.*?)\n\};", COMBINED, re.DOTALL)
    assert sorted(re.findall(r'^  "?([\w-]+)"?: \[', table, re.MULTILINE)) == sorted(kind.name for kind in MECHANISMS)
    text = (CLIENT / "plan" / "statistics.js").read_text(encoding="utf-8")
    [table] = re.findall(r"const ALONE = \{\n(.*?)\n\};", text, re.DOTALL)
    assert sorted(re.findall(r'^  "?([\w-]+)"?: \{', table, re.MULTILINE)) == sorted(kind.name for kind in STATISTICS)
