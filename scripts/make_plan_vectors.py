"""Make the golden vectors of plans: what a client in any language must answer, word by word (docs/plan-format.md).

Each file of `tests/vectors` has a plan as the text of its file, records with the words of a source and the code that
they give, and records that are refused before a word is drawn; `refused_plans.json` has plans that are none. Run in the
development environment: `.venv/bin/python scripts/make_plan_vectors.py`. The same bytes on every run.
"""

import json
import math
import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from sordino import (
    BinaryOptimal,
    BitFlips,
    BlockLDP,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HighLow,
    HighLowLDP,
    LinearTable,
    MetricLDP,
    Number,
    OptionalNumber,
    Plan,
    Product,
    ProductResponse,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SubsetSelection,
    Survey,
    Together,
    TreeResponse,
    WindowResponse,
    dependence,
)
from sordino.document.formats import PLAN
from sordino.document.queries import freeze_queries
from sordino.document.sealed import canonical, hash_of, sealed_bytes
from sordino.domain.condition import with_conditions
from sordino.exact.source import FreshStream, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.meeting_subsets import MeetingSubsets
from sordino.survey.answering.report_draw import draw_period, draw_report
from sordino.survey.kinds.distribution.distribution_question import DistributionQuestion
from sordino.survey.kinds.shares.above_kind import AboveQuestion
from sordino.survey.planning.plan_fields import unseal
from sordino.survey.schema.attribute_part import AttributePart

VECTORS = Path(__file__).parent.parent / "tests" / "vectors"

GRID = {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 4, "columns": 6}
NAMES = {"categories": ["a", "b", "c", "d", "e", "f"], "missing": "f"}
AGE = {"number": {"low": 18, "high": 90}}
PAY = {"number": {"low": 0, "high": 100_000, "clip": True}}
BINNED = {"number": {"low": 18, "high": 90, "clip": True, "edges": [18, 24.1, 24.100000000000005, 90]}}
TASTE = {"drink": ["tea", "water"], "all": ["drink", "bread"]}

AT_EDGES = 6
"""Records of a distribution's plan before those that lie at the edges of bins, and just beside them."""

RECORDS = 24
"""Of each plan, with words of their own; the first of them are at the ends of what words can be."""


class GivenWords:
    """A source of given words, which remembers how many were drawn."""

    def __init__(self, words: list[int]) -> None:
        self.given, self.drawn = words, 0

    def words(self, count: int) -> Words:
        """The next ones."""
        self.drawn += count
        return np.array(self.given[self.drawn - count : self.drawn], dtype=np.uint64)

    def stream(self, values: Any) -> FreshStream:
        """As many as there are people."""
        return FreshStream(self.words, len(values))

    def public(self, count: int, use: str = "question") -> FreshStream:  # noqa: ARG002 - one row of words for all uses
        """The same words go on."""
        return FreshStream(self.words, count)

    def take(self, rows: Any) -> "GivenWords":  # noqa: ARG002 - one person
        """The same."""
        return self


def frozen(attributes: dict[str, Any], *asks: dict[str, Any], epsilon: str = "2", **changes: Any) -> Plan:
    """The plan of a survey, with other mechanisms or queries where they are given, certified like any other."""
    survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": list(asks)}
    document = json.loads(Plan.of(Survey.read(survey), 1000).bytes)
    for part in document["queries"]:
        part.update(changes)
    return sealed(document)


def sealed(document: dict[str, Any]) -> Plan:
    """The plan of a document that was changed."""
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    plan = Plan(unseal(PLAN.seal(content), "a plan"))
    plan.check("a plan", "")
    return plan


def of_shares(mechanism: Mechanism, attribute: dict[str, Any]) -> Plan:
    """A histogram through a mechanism."""
    return frozen({"x": attribute}, {"histogram": "x"}, mechanism=mechanism.document_fields)


def of_numbers(ask: dict[str, Any], *queries: Query | Together, weights: tuple[int, ...] = ()) -> Plan:
    """A question about numbers by some queries."""
    asked = freeze_queries(Sampled(queries, weights or (1,) * len(queries)))
    numbers = next(iter(ask.values()))
    attributes = {name: each for name, each in (("age", AGE), ("pay", PAY)) if name in numbers}
    return frozen(attributes, ask, queries=asked)


def cases_of_shares() -> Iterator[tuple[str, Plan]]:
    """A plan for each mechanism of a histogram, by what it is called."""
    bit = RandomizedResponse(2, "2")
    blocks = {"blocks": [["a", "c", "e"], ["b", "d"], ["f"]], "release_single_values": True}
    partition = BlockLDP([[0, 2, 4], [1, 3], [5]], "2").partition
    yield "randomized", of_shares(RandomizedResponse(6, "2"), NAMES)
    yield "randomized_two", of_shares(bit, {"categories": ["yes", "no"]})
    yield "projective", of_shares(ProjectiveResponse(24, "2", 3), {"grid": GRID})
    yield "projective_binary", of_shares(ProjectiveResponse(40, "2", 4), {"categories": 40})
    yield "projective_large", of_shares(ProjectiveResponse(600, "2", 8), {"categories": 600})
    yield "projective_prime_large", of_shares(ProjectiveResponse(600, "2", 7), {"categories": 600})
    yield "subset", of_shares(SubsetSelection(24, "2"), {"grid": GRID})
    yield "subset_64", of_shares(SubsetSelection(64, "1"), {"categories": 64})
    yield "cyclic", of_shares(CyclicSubsets(100, "2"), {"categories": 100})
    yield "blockwise", of_shares(Blockwise(partition, "2"), {**NAMES, "protect": blocks})
    tiles = frozen({"x": {"grid": GRID, "protect": {"blocks": [2, 3]}}}, {"histogram": "x"})
    yield "blockwise_map", tiles
    sensitive = HighLowLDP(6, [1, 2, 4], "2").sensitive
    for within in ("randomized", "projective", "subset", "cyclic"):
        hidden = HighLow(6, sensitive, "2", within)
        yield f"high_low_{within}", of_shares(hidden, {**NAMES, "protect": {"sensitive": ["b", "c", "e"]}})
    uneven = {"categories": ["yes", "no"], "protect": {"matrix": [["0", "1"], ["2", "0"]]}}
    yield "binary", of_shares(BinaryOptimal("1", "2"), uneven)
    table = ChannelTable([[3, 1, 1], [1, 3, 1], [1, 1, 3]])
    yield "table", of_shares(table, {"categories": ["a", "b", "c"]})
    line = {"categories": 30, "protect": {"metric": {"per": 5}}}
    yield "tree_line", of_shares(TreeResponse(MetricLDP.line(30, "2/5")), line)
    places = {"categories": ["a", "b", "c", "d"], "protect": {"metric": [0, 2.5, 1, 4]}}
    yield "tree_positions", of_shares(TreeResponse(MetricLDP.line([0, 2.5, 1, 4], "2")), places)
    names = ["tea", "water", "bread", "drink", "all"]
    tree = {"categories": names, "protect": {"metric": {"tree": TASTE, "lengths": {"drink": 2, "tea": "1/2"}}}}
    taxonomy = MetricLDP.tree([3, 3, 4, 4, None], "2", ["1/2", 1, 1, 2, None])
    yield "tree", of_shares(TreeResponse(taxonomy), tree)
    far = {"grid": GRID, "protect": {"metric": {"per": "1000 km"}}}
    steps = frozen({"x": far}, {"histogram": "x"}).document.attributes["x"].protect.metric.map
    lines = MetricLDP.grid(4, 6, steps.row_step, steps.column_step)
    yield "product", of_shares(ProductResponse([TreeResponse(MetricLDP((axis,))) for axis in lines.axes]), far)


def cases_of_numbers() -> Iterator[tuple[str, Plan]]:
    """A plan for each statistic of numbers and each mechanism that they go through."""
    bit, half = RandomizedResponse(2, "2"), RandomizedResponse(2, "1")
    yield "number_sign", of_numbers({"mean": ["age"]}, Query(Number(0), bit))
    yield "number_window", of_numbers({"mean": ["age"]}, Query(Number(0, 5), WindowResponse(5, "2", 2)))
    linear = LinearTable([[4, 2, 2], [3, 2, 3], [2, 2, 4]])
    yield "number_linear", of_numbers({"mean": ["pay"]}, Query(Number(0, 3), linear))
    uneven_weights = Query(Number(0), bit), Query(Number(1, 4), WindowResponse(4, "2", 1))
    yield "number_drawn", of_numbers({"mean": ["age", "pay"]}, *uneven_weights, weights=(2, 6))
    both = Together((Query(Number(0), half), Query(Number(1, 3), WindowResponse(3, "1", 1))))
    yield "number_together", of_numbers({"mean": ["age", "pay"]}, both)
    moments = [Number(0), Number(1), Product(0, 0), Product(0, 1), Product(1, 1)]
    yield "product_of_numbers", of_numbers({"covariance": ["age", "pay"]}, *(Query(one, bit) for one in moments))
    flips = BitFlips((6 << 60, 5 << 60, 3 << 60, 2 << 60))
    yield "signs_flips", of_numbers({"mean": ["age", "pay"]}, Query(Signs((1, 0)), flips))
    uneven = ChannelTable([[5, 2, 1, 2], [2, 5, 1, 2], [2, 2, 4, 2]])
    lacking = {"income": {**PAY, "missing": "0.1"}, "age": AGE}
    asked = Query(OptionalNumber(0), uneven), Query(Number(1), bit)
    queries = freeze_queries(Sampled(asked, (3, 1)))
    yield "number_optional", frozen(lacking, {"mean": ["income", "age"]}, queries=queries)
    many = {"income": {**PAY, "missing": "0.1"}, "age": AGE, "pay": {**PAY, "missing": "0.3"}}
    yield "number_complete", frozen(many, {"covariance": ["pay", "age", "income"]}, epsilon="1")
    lacked = {"x": NAMES, "z": {"categories": 2}, **many}
    known = {"target": "pay", "features": ["x", "income", "z", "age"], "base": {"z": "1"}}
    yield "number_complete_category", frozen(lacked, {"regression": known})
    features = {"target": "pay", "features": ["x", "age", "z"], "base": {"x": "c"}}
    both_kinds = {"x": NAMES, "age": AGE, "z": {"categories": 3}, "pay": PAY}
    yield "number_category", frozen(both_kinds, {"regression": features}, epsilon="1")
    sides = {"x": {"categories": ["yes", "no"]}, "age": AGE, "z": {"categories": 2}, "pay": PAY}
    yield "number_binary", frozen(sides, {"regression": {**features, "base": {"z": "1"}}}, epsilon="1/2")
    yield "number_category_bounds", of_sample({**sides, "x": {**sides["x"], "delta": "1/4"}}, features)
    asks = {"histogram": "x", "weight": 3}, {"histogram": "y"}, {"mean": ["age", "pay"], "weight": 2}
    several = {"x": {**NAMES, "delta": "1"}, "y": {"grid": GRID, "delta": "2"}, "age": AGE, "pay": PAY}
    yield "several_questions", frozen(several, *asks)
    likely = {"x": [3, 2, 2, 1, 1, 1], "age": {"mean": 40, "sd": 15}, "pay": {"mean": 30_000, "sd": 20_000}}
    expected = {
        name: {**own, **({"expected": likely[name]} if name in likely else {})} for name, own in several.items()
    }
    yield "several_expected", frozen(expected, *asks)


def of_sample(attributes: dict[str, Any], features: dict[str, Any]) -> Plan:
    """A regression without the attribute x, beside a question about x, whose dependence is counted in a sample."""
    n = np.arange(40_000)
    labels = {"x": np.array(["yes", "no"])[n % 2], "z": n // 2 % 2, "age": AGE["number"]["low"] + n % 7}
    sample = pa.table({**labels, "pay": 10 + n % 11})
    asked = {"regression": {**features, "features": ["age", "z"], "base": {"z": "1"}}}
    survey = {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [asked, {"histogram": "x"}]}
    with TemporaryDirectory() as folder:
        dependence(survey, sample, output=Path(folder) / "statement.json")
        return Plan.of(Survey.read({**survey, "dependence": {"file": "statement.json"}}, folder=Path(folder)), 1000)


def cases_of_distributions() -> Iterator[tuple[str, Plan]]:
    """A plan for equal bins and one for declared ones, by itself and beside another question."""
    smooth = {"number": {"low": 0, "high": 1, "bins": 40}}
    yield "distribution", frozen({"part": smooth}, {"distribution": "part"})
    edges = {"number": {"low": 0, "high": 100_000, "clip": True, "edges": [0, 12_000, 12_000.5, 50_000, 100_000]}}
    asks = {"distribution": "pay", "ranges": [[0, 12_000]], "weight": 2}, {"mean": ["pay"]}
    yield "distribution_edges", frozen({"pay": edges}, *asks)
    spikes = {"number": {"low": 0, "high": 1, "bins": 30, "spikes": True}}
    yield "distribution_spikes", frozen({"part": spikes}, {"distribution": "part", "quantiles": [0.5]})
    own = {"number": {"low": 0, "high": 1, "bins": 8}}, {"categories": ["yes", "no"], "delta": "0.2"}
    bounds, asks = {"thresholds": {"part": {"x": 0.1}}}, [{"distribution": "part"}, {"histogram": "x"}]
    survey = {"version": 1, "epsilon": "2", "attribute": dict(zip(("part", "x"), own, strict=True)), "ask": asks}
    yield "distribution_thresholds", Plan.of(Survey.read({**survey, "dependence": bounds}), 1000)
    lacking = {"number": {"low": -5, "high": 5, "bins": 40}, "missing": "0.2"}
    yield "distribution_optional", frozen({"change": lacking}, {"distribution": "change"})
    asks = {"distribution": "change", "ranges": [[-5, 0]]}
    yield "distribution_optional_levels", frozen({"change": lacking}, asks)
    yield "above", frozen({"part": {"number": {"low": 0, "high": 1}}}, {"above": "part", "threshold": 0.3})
    own = {"number": {"low": -5, "high": 100, "clip": True}}, {"categories": ["yes", "no"], "delta": "0.5"}
    asks = [{"above": "age", "threshold": 65, "weight": 2}, {"above": "age", "threshold": 0.1}, {"histogram": "x"}]
    survey = {"version": 1, "epsilon": "2", "attribute": dict(zip(("age", "x"), own, strict=True)), "ask": asks}
    yield "above_beside", Plan.of(Survey.read({**survey, "dependence": {"rest": {"x": 0.2}}}), 1000)


def cases_of_tables() -> Iterator[tuple[str, Plan]]:
    """Tables: the cells of several attributes, by what is promised about the values of each."""
    whole = {"categories": ["yes", "no"]}
    yield "table_of_two", frozen({"x": NAMES, "y": whole}, {"table": ["x", "y"]})
    asks = {"table": ["y", "x"]}, {"histogram": "y", "weight": 2}, {"table": ["x", "z"], "weight": 3}
    several = {"x": {**NAMES, "delta": "1"}, "y": {"grid": GRID, "delta": "2"}, "z": {"categories": 3, "delta": "2"}}
    yield "table_of_deltas", frozen(several, *asks)
    told = {"x": {**whole, "delta": "1/2"}, "y": {**whole, "delta": "2"}, "z": {"categories": 3, "delta": "2"}}
    document = json.loads(frozen(told, {"table": ["z", "y"]}, {"histogram": "x"}).bytes)
    # Of x a table of others tells less than of themselves: as a sample counts it, of their combination.
    counted = [{"attribute": "x", "table": ["y", "z"], "bound": "1/10"}]
    bounds = {"rest": dict.fromkeys(told, "1"), "statistics": [], "tables": counted, "ground": ["counted"]}
    asked = document["queries"][0] | {"epsilon": "3/2", "mechanism": RandomizedResponse(6, "3/2").document_fields}
    yield "table_of_others", sealed({**document, "dependence": bounds, "queries": [asked, document["queries"][1]]})
    blocks = {"blocks": [["a", "c", "e"], ["b", "d", "f"]]}
    tiles = {"grid": GRID, "protect": {"blocks": [2, 3]}}
    yield "table_together", joined()
    yield "table_of_blocks", frozen({"x": {**NAMES, "protect": blocks}, "y": tiles}, {"table": ["x", "y"]})
    yield "table_of_a_block", frozen({"x": {**NAMES, "protect": blocks}, "y": whole}, {"table": ["y", "x"]})
    hidden = {"categories": ["a", "b", "c"], "protect": {"sensitive": ["b"]}}
    yield "table_of_sensitive", frozen({"x": hidden, "y": hidden, "z": hidden}, {"table": ["z", "x", "y"]})
    uneven = {"categories": ["yes", "no"], "protect": {"matrix": [["0", "1"], ["inf", "0"]]}}
    mixed = {"x": {"categories": 4, "protect": {"blocks": 2}}, "y": uneven}
    yield "table_of_bounds", frozen(mixed, {"table": ["x", "y"]})
    line = {"categories": 3, "protect": {"metric": {"per": 5}}}
    places = {"categories": ["a", "b", "c", "d"], "protect": {"metric": [0, 2.5, 1, 4]}}
    axes = MetricLDP.line(3, "2/5"), MetricLDP.line([0, 2.5, 1, 4], "2")
    document = json.loads(frozen({"x": line, "y": places}, {"histogram": "x"}, {"histogram": "y"}).bytes)
    channel = ProductResponse([TreeResponse(axis) for axis in axes])
    asked = {"table": ["x", "y"], "weight": 1, "mechanism": channel.document_fields, "subtract_totals": False}
    yield "table_of_distances", sealed({**document, "queries": [asked]})
    yield "table_of_bins", of_bins()
    promised = {"age": {**BINNED, "delta": "1/2"}, "y": {**whole, "delta": "2"}, "z": {"categories": 3, "delta": "2"}}
    asks = {"table": ["age", "y"]}, {"histogram": "z"}, {"distribution": "age"}
    survey = {"version": 1, "epsilon": "2", "attribute": promised, "ask": list(asks)}
    yield "table_of_bins_deltas", Plan.of(Survey.read({**survey, "dependence": {"rest": {"z": 0.2}}}), 1000)


def of_bins() -> Plan:
    """Numbers in bins beside categories, each table promised by itself: one is clipped, one may be missing."""
    attributes = {
        "age": {**BINNED, "protect": {"epsilon": "1/2"}},
        "smoker": {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}},
        "packs": {"number": {"low": -0.5, "high": 3.5, "bins": 4}, "only_if": {"town": "b"}, "missing": "0.4"},
        "town": {"categories": ["a", "b", "c"], "missing": "c"},
    }
    asks = {"table": ["smoker", "age"]}, {"table": ["packs", "age"], "weight": 2}, {"table": ["town", "packs"]}
    return frozen(attributes, *asks, epsilon="1")


def cases_of_answers() -> Iterator[tuple[str, Plan]]:
    """Categories of which several apply, by both ways, and what is asked only because of earlier answers."""
    three, many = {"categories": ["a", "b", "c"], "several": 2}, {"categories": [*"abcdefgh"], "several": 3}
    yield "several_combination", frozen({"x": {**three, "missing": "none of them"}}, {"several": "x"}, epsilon="4")
    likely = dict(zip("abcdefgh", (0.5, 0.3, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05), strict=True))
    by_mark = {"way": "category", "mechanism": RandomizedResponse(2, "1").document_fields}
    ask = {"several": "x", "weight": 2}
    yield "several_category", frozen({"x": {**many, "expected": likely}}, ask, epsilon="1", **by_mark)
    smoker, own = {"categories": ["yes", "no", "once"]}, {"only_if": {"smoker": ["yes", "once"]}}
    packs = {"categories": ["1", "2"], **own, "missing": "1", "not_asked": "does not smoke"}
    brand = {"categories": ["a", "b"], "only_if": {"packs": "2", "smoker": "yes"}}
    asks = {"histogram": "packs"}, {"table": ["packs", "brand"]}, {"several": "why"}
    attributes = {"packs": packs, "smoker": smoker, "brand": brand, "why": {**three, **own}}
    yield "only_if", frozen(attributes, *asks)
    numbers = {"smoker": {**smoker, "delta": "1"}, "age": AGE, "pay": {**PAY, **own, "missing": "0.4"}}
    why = {**many, **own, "delta": "1/2"}
    asks = {"mean": ["pay", "age"]}, {"several": "why"}, {"distribution": "pay"}
    yield "only_if_numbers", frozen({**numbers, "why": why}, *asks, epsilon="1")
    unasked = {"x": {**many, **own, "not_asked": "not asked"}, "smoker": smoker}
    yield "several_category_only_if", frozen(unasked, {"several": "x"}, epsilon="1", **by_mark)
    yield "several_meeting", of_sets({**many, "missing": "none of them"}, MeetingSubsets((11, 3, 2, 1), "2"))
    names = [f"name {i}" for i in range(60)]
    large = MeetingSubsets((69, 9, 28, 5), "2")
    yield "several_meeting_large", of_sets({"categories": names, "several": 9}, large)
    small = MeetingSubsets((6, 2, 3, 2), "2")
    yield "several_meeting_only_if", of_sets({**three, **own, "not_asked": "not asked"}, small, smoker=smoker)
    yield "by_itself", by_itself()


def of_sets(attribute: dict[str, Any], mechanism: MeetingSubsets, **others: dict[str, Any]) -> Plan:
    """Categories of which several apply, through sets of items that meet those that a person has."""
    ask = {"several": "x"}
    return frozen({"x": attribute, **others}, ask, epsilon="2", way="meeting", mechanism=mechanism.document_fields)


def by_itself() -> Plan:
    """Numbers beside sensitive values: each question is promised by itself."""
    half = {"protect": {"epsilon": "1/2"}}
    attributes = {
        "drugs": {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}},
        "smoker": {"categories": ["yes", "no"]},
        "town": {"categories": ["a", "b", "c"]},
        "age": {**AGE, **half},
        "pay": {**PAY, "only_if": {"smoker": "yes"}, "missing": "0.4"},
    }
    of_both = {"regression": {"target": "pay", "features": ["age", "town"]}}
    asks = {"histogram": "drugs"}, {"mean": "age"}, {"distribution": "pay"}, {"above": "age", "threshold": 65}, of_both
    return frozen(attributes, *asks, epsilon="1")


def chosen(attribute: AttributePart, draw: random.Random) -> list[str] | str | None:
    """Some of the categories, of which several apply; none of them as a list, or as a word."""
    found = draw.sample(attribute.labels or [], draw.randrange((attribute.several or 0) + 1))
    return found or draw.choice((found, attribute.none))


def is_asked(plan: Plan, record: dict[str, Any], name: str) -> bool:
    """Whether the earlier answers of a record say that an attribute is asked."""
    conditions = plan.document.attributes[name].only_if or {}
    return all(record.get(other, plan.attributes[other].missing) in labels for other, labels in conditions.items())


def as_asked(plan: Plan, record: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """A record whose answers go with the earlier ones."""
    for name in with_conditions(plan.attributes, plan.attributes):
        part = plan.document.attributes[name]
        if is_asked(plan, record, name):
            if record.get(name, "") == part.not_asked:
                record[name] = (part.labels or [])[0] if part.several is None else []
        elif part.not_asked is not None and draw.random() < 1 / 4:
            record[name] = part.not_asked
        else:
            record.pop(name, None)
    return record


WORDED: dict[str, Any] = {
    "version": 1,
    "epsilon": "2",
    "about": {
        "title": {"en": "How we live", "de": "Wie wir leben"},
        "by": "Institute",
        "until": date(2026, 12, 31),
        "consent": {"text": {"en": "I agree.", "de": "Ich stimme zu."}},
    },
    "section": [{"title": {"en": "You", "de": "Sie"}, "attributes": ["age", "moved"]}],
    "attribute": {
        "x": {**NAMES, "text": {"en": "Which?", "de": "Was?"}, "labels": {"a": {"en": "An apple", "de": "Ein Apfel"}}},
        "mood": {"categories": 5, "labels": {"0": "bad", "4": "good"}},
        "age": {**AGE, "input": "slider", "step": 0.5, "unit": {"en": "years", "de": "Jahre"}},
        "moved": {
            "number": {"low": date(1990, 1, 1), "high": date(2026, 12, 31)},
            "missing": "0.1",
            "labels": {"missing": "never"},
        },
    },
    "ask": [{"histogram": "x"}, {"histogram": "mood"}, {"mean": ["age", "moved"]}],
}
"""A survey with words, on which no code depends."""


def worded() -> Iterator[tuple[str, Plan]]:
    """Plans with what people read, of attributes and of public columns within a section or before all of them."""
    yield "words", Plan.of(Survey.read(WORDED), 1000)
    region = {"categories": ["north", "south"], "text": {"en": "Where?", "de": "Wo?"}, "help": "Today."}
    public = {
        "region": {**region, "labels": {"north": {"en": "North", "de": "Nord"}}},
        "arm": {"categories": ["a", "b"]},
    }
    section = [{"attributes": ["age", "region", "moved"]}]
    yield "words_public", Plan.of(Survey.read({**WORDED, "public": public, "section": section}), 1000)
    about = {**WORDED["about"], "ask": "drawn"}
    yield "words_drawn", Plan.of(Survey.read({**WORDED, "about": about}), 1000)


def cases_of_public_columns() -> Iterator[tuple[str, Plan]]:
    """Columns that reports say in clear, beside two questions."""
    region = {"categories": ["north", "south", "abroad"], "column": "Region", "missing": "abroad"}
    public = {"region": {**region, "totals": dict(zip(region["categories"], (12_000, 8000, 300), strict=True))}}
    public["arm"] = {"categories": ["a", "b"], "weights": {"a": 2, "b": 0.5}}
    attributes, asks = {"x": NAMES, "y": {"categories": ["yes", "no"]}}, [{"histogram": "x"}, {"table": ["x", "y"]}]
    survey = {"version": 1, "epsilon": "2", "attribute": attributes, "public": public, "ask": asks}
    yield "public_columns", Plan.of(Survey.read(survey), 1000)
    series = {"periods": 5, "every": "quarter", "start": date(2026, 2, 28), "season": 2}
    public = {"region": {"categories": ["north", "south"]}}
    yield "series", Plan.of(Survey.read({**survey, "public": public, "series": series}), 1000)


def right_records(plan: Plan, draw: random.Random) -> Iterator[dict[str, Any]]:  # noqa: C901 - a case for each kind
    """Records that a plan takes, with the ends of what they can be."""
    for number in range(RECORDS):
        record: dict[str, Any] = public_values(plan, draw, has_all=number > 0)
        for name, attribute in plan.document.attributes.items():
            if attribute.several is not None:
                if attribute.missing is None or number > 0:
                    record[name] = chosen(attribute, draw)
            elif attribute.labels is not None:
                record[name] = attribute.labels[draw.randrange(len(attribute.labels))]
                if attribute.missing is not None and number == 0:
                    del record[name]
            elif attribute.numbers is not None:
                record[name] = (0, attribute.numbers - 1, draw.randrange(attribute.numbers))[min(number, 2)]
            elif attribute.grid is not None:
                south, west = float(draw.choice((25, 50, 37.5, 31.25))), float(draw.choice((-130, -60, -95.0)))
                inside = draw.uniform(25, 50), draw.uniform(-130, -60)
                latitude, longitude = (south, west) if number < 6 else inside
                record[name] = {"latitude": latitude, "longitude": longitude} if number else 23
            elif attribute.missing is not None and number % 4 == 0:
                continue
            else:
                low, high = attribute.number.low, attribute.number.high
                ends = [low, high, (low + high) / 2, draw.uniform(low, high)]
                edges = edges_of(plan, name)
                if edges and number >= AT_EDGES:
                    record[name] = beside_edge(edges[number % len(edges)], low, high, draw)
                    continue
                record[name] = (ends + [low - 1, high + 1e6] * attribute.number.clip)[
                    min(number, 5) % (4 + 2 * attribute.number.clip)
                ]
        yield as_asked(plan, record, draw)


def public_values(plan: Plan, draw: random.Random, *, has_all: bool) -> dict[str, Any]:
    """What a record says in clear, or what it must say of it."""
    return {
        part.name: label
        for part in plan.cells.parts
        if (label := draw.choice(part.labels)) and (has_all or part.missing is None)
    }


def edges_of(plan: Plan, name: str) -> tuple[float, ...]:
    """Of a number's bins, if its distribution or a table is asked; or where it is cut."""
    asked = [question for question in plan.questions if name in question.attribute_names]
    distributions = [question.domain for question in asked if isinstance(question, DistributionQuestion)]
    sides = [question.sides for question in asked if isinstance(question, AboveQuestion)]
    counted = [] if plan.attributes[name].bins is None else [plan.attributes[name].bins]
    return tuple(edge for bins in (*distributions, *sides, *counted) for edge in bins.edges)


def beside_edge(edge: float, low: float, high: float, draw: random.Random) -> float:
    """An edge, or the next double below or above it, within the ends."""
    return min(max(draw.choice((math.nextafter(edge, -math.inf), edge, math.nextafter(edge, math.inf))), low), high)


def wrong_public_records(plan: Plan, good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those that have no public values of the plan's."""
    for part in plan.cells.parts:
        yield from ({**good, part.name: value} for value in (True, 0, "", "A", ["north"]))
        if part.missing is None:
            yield {own: value for own, value in good.items() if own != part.name}


def wrong_records(plan: Plan) -> Iterator[dict[str, Any]]:
    """Records that it refuses, whatever words there are."""
    good = next(right_records(plan, random.Random(1)))  # noqa: S311 - the same on every run
    yield {**good, "another": 1}
    yield from wrong_public_records(plan, good)
    for name, attribute in plan.document.attributes.items():
        wrong: list[Any] = [True, [1], {}]
        if attribute.several is not None:
            labels = attribute.labels or []
            wrong += [labels[0], "", [labels[0], labels[0]], labels, [*labels[:1], "A"], [attribute.none]]
        elif attribute.labels is not None:
            wrong += ["A", "", 0]
        elif attribute.numbers is not None:
            wrong += [-1, attribute.numbers, 0.5, "0"]
        elif attribute.grid is not None:
            wrong += [
                -1,
                24,
                {"latitude": 24.9, "longitude": -100},
                {"latitude": 30},
                {"latitude": "30", "longitude": -100},
            ]
        else:
            wrong += [
                "20",
                *([] if attribute.number.clip else [attribute.number.low - 1e-9, attribute.number.high + 1]),
            ]
        yield from ({**good, name: value} for value in wrong)
        is_answered = name in good and good[name] != attribute.not_asked
        if attribute.not_asked is not None and is_answered:
            yield {**good, name: attribute.not_asked}
        if not is_asked(plan, good, name) and attribute.labels:
            yield {**good, name: attribute.labels[:1] if attribute.several else attribute.labels[0]}
        if attribute.missing is None and is_answered:
            yield {own: value for own, value in good.items() if own != name}


def words_of(number: int, draw: random.Random) -> list[int]:
    """Words for one report, more than it needs: the first reports have the least and the largest ones among them."""
    words = [draw.getrandbits(64) for _ in range(64)]
    if number < 12:
        ends = 0, (1 << 64) - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1
        words[:6] = [draw.choice((*ends, draw.getrandbits(64))) for _ in range(6)]
    return words


def vectors(name: str, plan: Plan) -> dict[str, Any]:
    """The file of a plan."""
    draw, right = random.Random(name), []  # noqa: S311 - the same on every run
    for number, record in enumerate(right_records(plan, draw)):
        source = GivenWords(words_of(number, draw))
        made = draw_report(plan, {"version": 1, "record": record}, source)
        words = [f"{word:016x}" for word in source.given[: source.drawn]]
        cell = {"cell": made.cell} if plan.cells.parts else {}
        right.append({"record": record, "words": words, "code": str(made.code), **cell})
    own = {} if plan.series is None else {"periods": periods_of(plan, draw)}
    return {"plan": plan.bytes.decode(), "reports": right, "refused": list(wrong_records(plan)), **own}


def periods_of(plan: Plan, draw: random.Random) -> list[dict[str, Any]]:
    """Periods that a device draws, by the words that it reads: those that are drawn again among them."""
    found = []
    for number in range(RECORDS):
        source = GivenWords(words_of(number, draw))
        # Of 5 periods the first fifth of a unit of the upper half is uneven: a word below is rejected.
        source.given[0] = 0 if number % 4 == 0 else source.given[0]
        period = draw_period(plan.series, source)
        words = [f"{word:016x}" for word in source.given[: source.drawn]]
        found.append({"words": words, "period": plan.series.label(period)})
    return found


def refused_plans() -> list[dict[str, str]]:
    """Texts that no client may take for a plan, and why."""
    plan = of_shares(RandomizedResponse(3, "2"), {"categories": ["a", "b", "c"]})
    text, document = plan.bytes.decode(), json.loads(plan.bytes)

    def resealed(**changes: Any) -> str:
        content = {name: part for name, part in {**document, **changes}.items() if name != "hash"}
        return sealed_bytes(PLAN.seal(content)).decode() + "\n"

    (query,), column = document["queries"], {"name": "region", "labels": ["a", "b"], "columns": ["region"]}

    def redrawn(draw: Any) -> str:
        return resealed(queries=[{**query, "mechanism": {**query["mechanism"], "draw": draw}}])

    return [
        {"plan": text.replace('"people":1000', '"people":1001'), "why": "the hash is another's"},
        {"plan": text.replace(",", ", "), "why": "not the canonical bytes"},
        {"plan": text.replace('"version":4', '"version":4,"version":4'), "why": "a key twice"},
        {"plan": text[:-20], "why": "cut"},
        {"plan": canonical(document).decode() + "\n", "why": "a hash that does not stand first"},
        {"plan": resealed(version=5), "why": "a newer version"},
        {"plan": resealed(format="sordino survey"), "why": "another format"},
        {"plan": resealed(more=1), "why": "an unknown field"},
        {"plan": resealed(queries=[{**query, "mechanism": {"name": "other", "k": 3}}]), "why": "no draw"},
        {"plan": redrawn("v"), "why": "a draw that sends the value itself"},
        {"plan": redrawn(["sides", "threshold", ["another", "v", "k", 1]]), "why": "a draw by an unknown operation"},
        {
            "plan": resealed(queries=[{**query, "mechanism": RandomizedResponse(3, "3").document_fields}]),
            "why": "a broken promise",
        },
        {
            "plan": resealed(queries=[{**query, "mechanism": RandomizedResponse(4, "2").document_fields}]),
            "why": "other values",
        },
        {
            "plan": resealed(queries=[{**query, "expected": {"parts": [1, 2, 3]}}]),
            "why": "expected shares that do not add up",
        },
        {
            "plan": resealed(queries=[{**query, "expected": {"parts": [1, 2], "values": [1, 0]}}]),
            "why": "expected shares whose values do not ascend",
        },
        {
            "plan": resealed(queries=[{**query, "expected": {"parts": [5 * 10**8, 5 * 10**8]}}]),
            "why": "expected shares of fewer values than there are",
        },
        {
            "plan": resealed(queries=[{**query, "expected": {"parts": [1], "values": [3]}}]),
            "why": "expected shares of a value that is not there",
        },
        {
            "plan": resealed(queries=[{**query, "expected": {"parts": [1, 2, 3], "values": [0, 1, 2]}}]),
            "why": "expected shares of all values that are less than a whole",
        },
        *({"plan": text, "why": f"numbers that are promised by themselves: {why}"} for why, text in wrong_levels()),
        *({"plan": text, "why": f"a number in bins: {why}"} for why, text in wrong_bins()),
        *({"plan": text, "why": f"sets that meet: {why}"} for why, text in wrong_meetings()),
        *({"plan": text, "why": f"tables in place of histograms, {why}"} for why, text in wrong_joins()),
        *({"plan": resealed(words=words), "why": f"words {why}"} for why, words in wrong_words()),
        {"plan": resealed(public=[{**column, "name": "x"}]), "why": "an attribute that is sent in clear"},
        {"plan": resealed(public=[{**column, "columns": ["X"]}]), "why": "an attribute's column that is sent in clear"},
        {"plan": resealed(public=[{**column, "name": "code"}]), "why": "a public column with the name of a code's"},
        {"plan": resealed(public=[column, column]), "why": "a public column twice"},
        {"plan": resealed(public=[{**column, "missing": "c"}]), "why": "a missing public value that is none"},
        {"plan": resealed(public=[{**column, "totals": [1]}]), "why": "totals of fewer public values than there are"},
        {"plan": resealed(public=[{**column, "weights": ["1", "2.0"]}]), "why": "a weight in another spelling"},
        {"plan": resealed(public=[]), "why": "no public columns in their place"},
        *({"plan": text, "why": f"a number in another spelling: {why}"} for text, why in respelled_plans(text)),
        *({"plan": resealed(**changes), "why": f"a series {why}"} for why, changes in wrong_series()),
        *(
            {"plan": resealed(public=[column], words=words), "why": f"words {why}"}
            for why, words in wrong_public_words(column["name"])
        ),
        {"plan": text.removesuffix("\n"), "why": "no line feed at the end"},
        {"plan": text + "\n", "why": "two line feeds at the end"},
        {"plan": text.removesuffix("\n") + "\r\n", "why": "a carriage return at the end"},
        {"plan": text + " ", "why": "a blank after the end"},
    ]


def respelled_plans(text: str) -> Iterator[tuple[str, str]]:
    """Plans with a number that a reader of JSON may take for the right one, under their own hash, and which it is."""
    # Of a double the package writes whole numbers in digits, and others in the fewest that give it.
    of_number = frozen({"age": {"number": {"low": 0.00001, "high": 90.5}}}, {"mean": "age"}).bytes.decode()
    for whole, field, right in ((text, "version", "4"), (text, "people", "1000"), (text, "weight", "1")):
        zeros = f"{right}0e-1", f"{right}e0", f"{right}E0", f"{right}.0", f"0{right}"
        yield from ((_respelled(whole, field, right, wrong), f"{field} {wrong}") for wrong in zeros)
    # No double holds the first of these: it is read as 2^53, which is one that may be expected.
    for wrong in (str(2**53 + 1), str(2**64), str(2**64 + 1), "1" + "0" * 400):
        why = f"{len(wrong)} digits" if len(wrong) > 20 else wrong
        yield _respelled(text, "people", "1000", wrong), f"people {why}"
    for wrong in ("1e-5", "1E-05", "1e-005", "0.00001", "10e-06", "1.0e-05", "-0", "-0.0", "0e-1", "1e-400"):
        yield _respelled(of_number, "low", "1e-05", wrong), f"low {wrong}"
    for wrong in ("90.50", "905e-1", "9.05e1", "9.05e+1", "90.5e0", "+90.5", "90.50000000000000001", str(2**53 + 1)):
        yield _respelled(of_number, "high", "90.5", wrong), f"high {wrong}"


def _respelled(text: str, field: str, right: str, wrong: str) -> str:
    """The text of a plan with another spelling of a field's number, under its hash."""
    digits = len('{"hash":"sha256:') + 64 + len('",')
    before, after = f'"{field}":{right}', f'"{field}":{wrong}'
    content = "{" + text[digits:-1].replace(before, after)
    return f'{{"hash":"{hash_of(content.encode())}",{content[1:]}\n'


def wrong_levels() -> Iterator[tuple[str, str]]:
    """Plans of numbers without deltas that promise them too little, or nothing, and what is wrong with them."""
    document = json.loads(by_itself().bytes)

    def resealed(name: str, *, delta: bool = False, **protect: Any) -> str:
        content = {field: part for field, part in document.items() if field != "hash"}
        own = {field: part for field, part in content["attributes"][name].items() if field != "protect"}
        own |= {"delta": "1"} if delta else {}
        own |= {"protect": protect} if protect else {}
        content = {**content, "attributes": {**content["attributes"], name: own}}
        return sealed_bytes(PLAN.seal(content)).decode() + "\n"

    yield "nothing", resealed("age")
    yield "less than a mean reveals, and a side declares", resealed("age", epsilon="1/4")
    yield "less than its distribution declares", resealed("pay", epsilon="1/2")
    yield "less than a regression reveals of its category", resealed("town", epsilon="1/4")
    yield "some values alone", resealed("age", epsilon="1/2", sensitive=[0])
    yield "by blocks", resealed("age", epsilon="1/2", blocks={"run": 2})
    yield "by distances", resealed("town", epsilon="1", metric={"positions": ["0", "1", "2"]})
    yield (
        "by bounds for pairs",
        resealed("town", bounds=[["0", "1/2", "1/2"], ["1/2", "0", "1/2"], ["1/2", "1/2", "0"]]),
    )
    yield "values that a regression does not read", resealed("town", epsilon="1", sensitive=[3])
    yield "blocks of fewer values than a regression reads", resealed("town", epsilon="1", blocks={"of": [0, 1]})
    yield "what decides and is not asked", resealed("smoker", epsilon="1")
    louder = [part | ({"epsilon": "1"} if "above" in part else {}) for part in document["queries"]]
    content = {field: part for field, part in document.items() if field != "hash"}
    yield "less than a side declares", sealed_bytes(PLAN.seal(content | {"queries": louder})).decode() + "\n"
    yield "a delta too", resealed("age", delta=True, epsilon="1/2")
    yield "a delta instead", resealed("age", delta=True)


def joined() -> Plan:
    """Tables that stand in place of the histograms of three attributes."""
    sizes = {"x": ["yes", "no"], "y": ["yes", "no"], "z": ["a", "b", "c"]}
    survey = {
        "version": 1,
        "epsilon": "4",
        "together": True,
        "attribute": {name: {"categories": labels} for name, labels in sizes.items()},
        "ask": [{"histogram": name} for name in sizes],
    }
    return Plan.of(Survey.read(survey), 1000)


def wrong_joins() -> Iterator[tuple[str, str]]:
    """Plans whose tables do not stand in place of histograms though they say so, and what is wrong with them."""
    document = json.loads(joined().bytes)
    first, *others = document["queries"]
    yield "who say that they do not", _sealed_anew({**document, "queries": [{**first, "together": False}, *others]})
    channel = {"mechanism": RandomizedResponse(2, "4").document_fields, "subtract_totals": False, "weight": 1}
    again = {**channel, "histogram": first["table"][0]}
    yield "of an attribute that has one", _sealed_anew({**document, "queries": [*document["queries"], again]})
    alone = {field: part for field, part in first.items() if field != "together"}
    if others:
        yield "beside a table that does not", _sealed_anew({**document, "queries": [alone, *others]})


def wrong_bins() -> Iterator[tuple[str, str]]:
    """Plans of numbers in bins that no table can count, or that reveal too much, and what is wrong with them."""
    document = json.loads(of_bins().bytes)

    def resealed(edges: list[float] | None = None, name: str = "age", **changes: Any) -> str:
        content = {field: part for field, part in document.items() if field != "hash"}
        number = {field: part for field, part in content["attributes"][name]["number"].items() if field != "edges"}
        number |= {} if edges is None else {"edges": edges}
        own = {**content["attributes"][name], "number": number}
        content |= {"attributes": {**content["attributes"], name: own}} | changes
        return sealed_bytes(PLAN.seal(content)).decode() + "\n"

    first, *others = document["queries"]
    edges, three = document["attributes"]["age"]["number"]["edges"], {"epsilon": "1/2"}
    yield "a table without them", resealed()
    yield "edges that do not ascend", resealed([18, 40, 30, 90])
    yield "an edge twice", resealed([18, 30, 30, 90])
    yield "edges that end before the number", resealed([18, 24, 30, 80])
    yield "edges that begin after it", resealed([20, 24, 30, 90])
    yield "one bin", resealed([18, 90])
    yield "513 bins", resealed([18 + 72 * i / 513 for i in range(513)] + [90])
    yield "other bins than the channel has", resealed([18, 30, 90])
    yield "those of a number whose distribution alone is asked", _of_distribution(edges)
    channel = RandomizedResponse(3, "1/2").document_fields
    histogram = {"histogram": "age", "weight": 1, "mechanism": channel, "subtract_totals": False}
    yield "a histogram of them", resealed(edges, queries=[first, *others, histogram])
    louder = {**first, "mechanism": RandomizedResponse(6, "1").document_fields}
    yield "a table that reveals more than is promised of the number", resealed(edges, queries=[louder, *others])
    unequal = {
        **document["attributes"],
        "age": {**document["attributes"]["age"], "protect": {**three, "sensitive": [0]}},
    }
    yield "of which some alone are promised", resealed(edges, attributes=unequal)
    yield "a bound on dependence for a table of them", _of_bounded_table()


def wrong_meetings() -> Iterator[tuple[str, str]]:
    """Plans of sets that are not those of their question, or reveal too much, and what is wrong with them."""
    right = MeetingSubsets((11, 3, 2, 1), "2")
    document = json.loads(of_sets({"categories": [*"abcdefgh"], "several": 3}, right).bytes)
    (query,) = document["queries"]

    def through(mechanism: Mechanism, **changes: Any) -> str:
        return changed(**{**mechanism.document_fields, **changes})

    def changed(**mechanism: Any) -> str:
        own = {**query, "mechanism": {**query["mechanism"], **mechanism}}
        return _sealed_anew({**document, "queries": [own]})

    def of_sizes(*sizes: int) -> str:
        return through(MeetingSubsets(sizes, "2"))

    yield "of more items than there are", of_sizes(12, 3, 2, 1)
    yield "of labels without dummies", of_sizes(8, 3, 2, 1)
    yield "of fewer items than everybody has", of_sizes(11, 2, 2, 1)
    yield "of the items that a person lacks", of_sizes(11, 8, 2, 1)
    yield "of another size than the codes", changed(size=3)
    yield "of no items", changed(size=0, codes="1")
    yield "of all items", changed(size=11, codes="1")
    yield "that share nothing", changed(least=0)
    yield "that share more than a person has", changed(size=4, codes="330", least=4)
    yield "that share more than a code has", changed(least=3)
    yield "that every code meets", changed(size=9, codes="55")
    yield "that must share more than they are promised for", changed(least=2)
    yield "with more codes than there are", changed(codes="56")
    yield "of more values than there are", changed(k=right.k + 1)
    yield "of fewer values than there are", changed(k=right.k - 1)
    yield "with a larger threshold than is promised", changed(threshold=str(right.threshold + 1))
    yield "with a threshold of 2^64", changed(threshold=str(1 << 64))
    swapped = ["meeting", "v", "items", "chosen", "least", "size"]
    yield "with another draw", changed(draw=["sides", "threshold", swapped])
    yield "by randomized response", through(RandomizedResponse(right.k, "2"))
    alone = MeetingSubsets((4, 1, 1, 1), "2")
    one = {"categories": ["a", "b", "c"], "several": 1}
    yield "as one combination", _sealed_anew(_document_of(one, {"several": "x"}, way="combination", mechanism=alone))
    four = {"categories": ["a", "b", "c", "d"]}
    yield "of one value each", _sealed_anew(_document_of(four, {"histogram": "x"}, mechanism=alone))
    thirty = {"categories": [f"name {i}" for i in range(60)], "several": 30}
    vast = {**right.document_fields, "k": math.comb(90, 30), "items": 90, "chosen": 30, "codes": str(math.comb(90, 2))}
    asked = _document_of(thirty, {"several": "x"}, way="meeting")
    asked["queries"][0]["mechanism"] = vast
    yield "of more than 2^53 values", _sealed_anew(asked)


def _document_of(
    attribute: dict[str, Any], ask: dict[str, Any], mechanism: Mechanism | None = None, **changes: Any
) -> dict[str, Any]:
    """The document of a question about x, through a mechanism that it may not be asked through."""
    document: dict[str, Any] = json.loads(frozen({"x": attribute}, ask).bytes)
    fields = {} if mechanism is None else {"mechanism": mechanism.document_fields}
    document["queries"] = [{**part, **changes, **fields} for part in document["queries"]]
    return document


def _of_distribution(edges: list[float]) -> str:
    document = json.loads(frozen({"age": BINNED}, {"distribution": "age"}).bytes)
    document["attributes"]["age"]["number"]["edges"] = edges
    return _sealed_anew(document)


def _of_bounded_table() -> str:
    told = {"x": {"categories": ["yes", "no"]}, "age": BINNED, "z": {"categories": 3}}
    told = {name: {**own, "delta": "1/2" if name == "x" else "2"} for name, own in told.items()}
    document = json.loads(frozen(told, {"table": ["z", "age"]}, {"histogram": "x"}).bytes)
    counted = [{"attribute": "x", "table": ["age", "z"], "bound": "1/10"}]
    return _sealed_anew(
        {
            **document,
            "dependence": {"rest": dict.fromkeys(told, "1"), "statistics": [], "tables": counted, "ground": ["?"]},
        }
    )


def _sealed_anew(document: dict[str, Any]) -> str:
    content = {field: part for field, part in document.items() if field != "hash"}
    return sealed_bytes(PLAN.seal(content)).decode() + "\n"


def wrong_series() -> Iterator[tuple[str, dict[str, Any]]]:
    """Changes of a plan by which its series is none, and what is wrong with them."""
    series = {"periods": 2, "every": "week", "start": "2026-01-05"}
    labels = ["2026-01-05", "2026-01-12"]
    column: dict[str, Any] = {"name": "period", "labels": labels, "columns": ["period"]}
    yield "without a public column", {"series": series}
    yield "whose column has another name", {"series": series, "public": [{**column, "name": "wave"}]}
    yield "whose column reads another one", {"series": series, "public": [{**column, "columns": ["wave"]}]}
    yield "whose column has more than labels", {"series": series, "public": [{**column, "missing": labels[0]}]}
    yield "of other days", {"series": series, "public": [{**column, "labels": ["2026-01-05", "2026-01-13"]}]}
    yield "of more days", {"series": series, "public": [{**column, "labels": [*labels, "2026-01-19"]}]}
    last = {"name": "region", "labels": ["a"], "columns": ["region"]}
    yield "whose column is not the last", {"series": series, "public": [column, last]}
    right = {"public": [column]}
    yield "of weeks by another name", {"series": {**series, "every": "weeks"}, **right}
    yield "of one period", {"series": {**series, "periods": 1}, "public": [{**column, "labels": labels[:1]}]}
    yield "from a day in another spelling", {"series": {**series, "start": "20260105"}, **right}
    yield "from a day that is none", {"series": {**series, "start": "2026-02-29"}, **right}
    months = ["2026-01-29", "2026-02-28"]
    late = {"periods": 2, "every": "month", "start": months[0]}
    yield "of months from a day that not all have", {"series": late, "public": [{**column, "labels": months}]}
    yield "with a season that comes once", {"series": {**series, "season": 2}, **right}
    yield "with an unknown field", {"series": {**series, "end": "2026-01-18"}, **right}
    words = {"languages": ["en"], "sections": [{"attributes": ["x", "period"]}], "attributes": {}}
    yield "of which people are asked", {"series": series, **right, "words": words}
    far = {"periods": 2, "every": "year", "start": "9999-01-01"}
    yield (
        "that ends in the year 10000",
        {"series": far, "public": [{**column, "labels": ["9999-01-01", "10000-01-01"]}]},
    )


def wrong_words() -> Iterator[tuple[str, dict[str, Any]]]:
    """Words that no plan of one attribute x of three categories has, and what is wrong with them."""
    right: dict[str, Any] = {"languages": ["en", "de"], "sections": [{"attributes": ["x"]}], "attributes": {}}
    yield "in a language that is none", {**right, "languages": ["en", "Deutsch"]}
    yield "in a language twice", {**right, "languages": ["en", "en"]}
    yield "that lack a language", {**right, "title": {"en": "Us"}}
    yield "in another language", {**right, "title": {"en": "Us", "de": "Wir", "fr": "Nous"}}
    yield "that are empty", {**right, "by": ""}
    yield "until a day that is none", {**right, "until": "2026-02-29"}
    yield "without a section for an attribute", {**right, "sections": [{"title": "You", "attributes": []}]}
    yield "with an attribute in two sections", {**right, "sections": [{"attributes": ["x"]}, {"attributes": ["x"]}]}
    yield "about another attribute", {**right, "attributes": {"y": {"text": "Why?"}}}
    yield "for another value", {**right, "attributes": {"x": {"labels": {"d": "D"}}}}
    yield "with a unit of categories", {**right, "attributes": {"x": {"unit": "kg"}}}
    yield "with a slider of categories", {**right, "attributes": {"x": {"input": "slider", "step": 1}}}
    yield "with a step of no slider", {**right, "attributes": {"x": {"step": 1}}}
    yield "with an unknown field", {**right, "more": "text"}
    yield "that ask in an unknown way", {**right, "ask": "all"}


def wrong_public_words(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Words that no plan of one attribute x and one public column has, and what is wrong with them."""
    right: dict[str, Any] = {"languages": ["en"], "sections": [{"attributes": ["x"]}], "attributes": {}}
    yield "with a public column in two sections", {**right, "sections": [{"attributes": [name, "x", name]}]}
    yield "with a public column alone", {**right, "sections": [{"attributes": [name]}]}
    yield "for another public value", {**right, "attributes": {name: {"labels": {"nowhere": "Nowhere"}}}}
    yield "with a unit of a public column", {**right, "attributes": {name: {"unit": "km"}}}
    yield "with an unknown field of a public column", {**right, "attributes": {name: {"more": "text"}}}


def files() -> dict[str, str]:
    """The text of each file by its name."""
    cases = (*cases_of_shares(), *cases_of_tables(), *cases_of_numbers(), *cases_of_distributions())
    cases += (*cases_of_answers(), *worded(), *cases_of_public_columns())
    made: dict[str, object] = {name: vectors(name, plan) for name, plan in cases}
    made["refused_plans"] = refused_plans()
    return {f"{name}.json": json.dumps(found, indent=1) + "\n" for name, found in made.items()}


def main() -> None:
    """Write all files."""
    made = files()
    for name, text in made.items():
        (VECTORS / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} files")


if __name__ == "__main__":
    main()
