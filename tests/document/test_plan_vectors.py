"""The golden vectors of plans: the package and a plain client of whole numbers answer them word by word.

The plain client (`tests/plain_*.py`) imports nothing of the package: it is written from docs/plan-format.md.
"""

import json
import re
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest

from plain_client import Client
from plain_words import Words
from sordino import Plan, SordinoError, SordinoErrors, certify
from sordino.document.codec import MECHANISMS
from sordino.document.queries import STATISTICS
from sordino.exact.source import FreshStream
from sordino.mechanism.draws.operations import ARITHMETIC, SETS
from sordino.survey.answering.report_draw import draw_period, draw_report
from sordino.survey.kinds.several.several_question import SeveralPart
from sordino.survey.planning.plan_fields import unseal

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "vectors"
PAGE = (ROOT / "docs" / "plan-format.md").read_text(encoding="utf-8")
VECTORS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
REFUSED = VECTORS.pop("refused_plans")


class Given:
    """A source of given words, each of which is drawn once."""

    def __init__(self, words):
        self.left = [int(word, 16) for word in words]

    def words(self, count):
        taken, self.left = self.left[:count], self.left[count:]
        return np.array(taken, dtype=np.uint64)

    def public(self, count, use="question"):
        return FreshStream(self.words, count)

    def stream(self, values):
        return FreshStream(self.words, len(values))

    def take(self, rows):
        return self


def named(found):
    """The names of mechanisms and statistics at every depth of a plan."""
    if isinstance(found, dict):
        names = {found["name"]} if isinstance(found.get("name"), str) else set()
        return names.union(*map(named, found.values())) if found else names
    if isinstance(found, list):
        own = {found[0]} if found and isinstance(found[0], str) else set()
        return own.union(*map(named, found))
    return set()


def test_every_mechanism_and_statistic_has_a_section_and_a_vector():
    names = {kind.name for kind in (*MECHANISMS.values(), *STATISTICS.values())}
    plans = [json.loads(found["plan"]) for found in VECTORS.values()]
    held = set().union(*(named(part) for plan in plans for part in plan["queries"]))
    assert names <= held
    assert {kind.name for kind in STATISTICS.values() if f"### `{kind.name}`" not in PAGE} == set()
    for kind in MECHANISMS.values():
        assert re.search(rf"^\|.* `{kind.name}` \| (`\[|as `window`)|^\| `{kind.name}`, ", PAGE, re.MULTILINE)
    assert {name for name in (*ARITHMETIC, *SETS) if f'"{name}"' not in PAGE} == set()
    assert all(len(found["reports"]) >= 20 and found["refused"] for found in VECTORS.values())


def test_every_way_to_ask_several_categories_has_a_vector_with_and_without_who_was_not_asked():
    plans = [json.loads(found["plan"]) for found in VECTORS.values()]
    asked = [(part, plan["attributes"]) for plan in plans for part in plan["queries"] if "several" in part]
    found = {(part["way"], "not_asked" in attributes[part["several"]]) for part, attributes in asked}
    ways = get_args(get_type_hints(SeveralPart)["way"])
    assert found == {(way, unasked) for way in ways for unasked in (True, False)}


@pytest.mark.parametrize("name", VECTORS)
def test_a_plain_client_answers_as_they_say(name):
    client = Client.of_text(VECTORS[name]["plan"])
    for vector in VECTORS[name]["reports"]:
        words = Words([int(word, 16) for word in vector["words"]])
        assert str(client.report(vector["record"], words)) == vector["code"]
        assert words.drawn == len(words.words)
        assert client.cell(vector["record"]) == vector.get("cell", 0)


def test_a_plain_client_and_the_package_draw_the_same_periods():
    found = VECTORS["series"]
    client, plan = Client.of_text(found["plan"]), Plan(unseal(json.loads(found["plan"]), "series"))
    for vector in found["periods"]:
        words = Words([int(word, 16) for word in vector["words"]])
        assert client.period(words) == vector["period"]
        assert words.drawn == len(words.words)
        assert plan.series.label(draw_period(plan.series, Given(vector["words"]))) == vector["period"]
    # Words that are rejected, and every period, are among them.
    assert {len(vector["words"]) for vector in found["periods"]} >= {1, 2}
    assert {vector["period"] for vector in found["periods"]} == set(plan.series.labels)


def test_a_plain_client_refuses_the_texts_that_no_draw_could_show():
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| **draws** |")]
    shown = set(re.findall(r"`([^`]+)`", row.partition("what no draw could show")[2]))
    texts = {refused["why"]: refused["plan"] for refused in REFUSED}
    assert {"cut", "no line feed at the end", "two line feeds at the end"} <= shown <= set(texts)
    for why in shown:
        with pytest.raises(ValueError, match=r"as it was frozen|line 1 column"):
            Client.of_text(texts[why])


@pytest.mark.first_cases(8)
@pytest.mark.parametrize("name", VECTORS)
def test_the_package_answers_as_they_say(name):
    found = VECTORS[name]
    plan = Plan(unseal(json.loads(found["plan"]), name))
    assert plan.bytes.decode() == found["plan"]
    for vector in found["reports"]:
        source = Given(vector["words"])
        made = draw_report(plan, {"version": 1, "record": vector["record"]}, source)
        assert (str(made.code), made.cell) == (vector["code"], vector.get("cell", 0))
        assert not source.left
    for record in found["refused"]:
        source = Given([])
        with pytest.raises(SordinoErrors):
            draw_report(plan, {"version": 1, "record": record}, source)


@pytest.mark.parametrize("refused", REFUSED, ids=[each["why"] for each in REFUSED])
def test_what_is_no_plan_is_refused(tmp_path, refused):
    (tmp_path / "plan.json").write_text(refused["plan"], newline="")
    with pytest.raises(SordinoError):
        Plan.load(tmp_path / "plan.json")
    with pytest.raises(SordinoError):
        Plan.of_text(refused["plan"], "the plan")
    with pytest.raises(SordinoError):
        certify(tmp_path / "plan.json")
