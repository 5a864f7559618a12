"""Every mechanism survives its freezing; a plan with one unit of its integers moved, and sealed again, is refused."""

import json

import mpmath
import numpy as np
import pytest

from golden_people import text_of
from sordino import (
    LDP,
    BinaryOptimal,
    BitFlips,
    BlockLDP,
    Blockwise,
    ChannelTable,
    HighLow,
    HighLowLDP,
    KeyedSource,
    MetricLDP,
    Plan,
    ProductResponse,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
    Survey,
    WindowResponse,
)
from sordino.document.codec import decode_over, encode
from sordino.survey.kinds.shares.histogram_kind import HistogramQuestion
from sordino.survey.planning import plan as planning
from sordino.words.explain_promise import explain

LABELS = [0, 0, 0, 1, 1, 1, 1, 2]
FROZEN = {
    "randomized": (RandomizedResponse(5, "1"), LDP("1")),
    "projective": (ProjectiveResponse(20, "1"), LDP("1")),
    "subset": (SubsetSelection(9, "1", 3), LDP("1")),
    "blocks": (Blockwise(LABELS, "1"), BlockLDP(LABELS, "1")),
    "one sensitive": (HighLow(4, [2], "1"), HighLowLDP(4, [2], "1")),
    "sensitive": (HighLow(9, [0, 2, 3, 8], "1", "subset"), HighLowLDP(9, [0, 2, 3, 8], "1")),
    "two values": (BinaryOptimal("1", "2"), LDP("2")),
    "Mangat": (BinaryOptimal("1", "inf"), LDP("2")),
    "table": (ChannelTable([[5, 2, 1], [1, 2, 5], [3, 3, 2]]), LDP("2")),
    "wide table": (ChannelTable([[2**63 - 7, 7], [7, 2**63 - 7]]), LDP("2")),
}


def read_part(part):
    """The part as it comes out of a file."""
    return json.loads(json.dumps(part))


@pytest.mark.parametrize(("mechanism", "definition"), FROZEN.values(), ids=FROZEN)
def test_a_mechanism_is_the_same_after_its_freezing(mechanism, definition):
    part = encode(mechanism)
    again = decode_over(read_part(part), definition, mechanism.k)
    assert type(again) is type(mechanism)
    assert (again.parameters, again.outputs) == (mechanism.parameters, mechanism.outputs)
    assert encode(again) == part
    # The same words make the same reports.
    records = KeyedSource(bytes(32), "frozen").for_records(np.arange(300))
    values = np.arange(300) % mechanism.k
    np.testing.assert_array_equal(again.privatize(values, records), mechanism.privatize(values, records))


@pytest.mark.parametrize(("mechanism", "definition"), FROZEN.values(), ids=FROZEN)
def test_whole_numbers_beyond_floats_are_texts(mechanism, definition):
    def numbers(part):
        if isinstance(part, dict | list):
            for item in part.values() if isinstance(part, dict) else part:
                yield from numbers(item)
        elif not isinstance(part, str):
            yield part

    assert all(type(number) is int and number < 2**53 for number in numbers(encode(mechanism)))


def test_what_no_survey_chooses_is_not_frozen():
    class Unlisted(RandomizedResponse):
        name = "unlisted"

    with pytest.raises(SordinoError, match="Unlisted"):
        encode(Unlisted(4, "1"))


MISFITS = {
    "blocks without blocks": ("blocks", LDP("1"), 8, "promise by blocks"),
    "other blocks": ("blocks", BlockLDP([0, 0, 0, 0, 1, 1, 1, 1], "1"), 8, "block size"),
    "hidden without sensitive values": ("sensitive", LDP("1"), 9, "sensitive values"),
    "other sensitive values": ("sensitive", HighLowLDP(9, [0, 1], "1"), 9, "2 sensitive values"),
    "other values": ("randomized", LDP("1"), 4, "4 values"),
    "two of three values": ("two values", LDP("1"), 3, "3 values"),
    "other rows": ("table", LDP("1"), 4, "4 values"),
}


@pytest.mark.parametrize(("name", "definition", "k", "words"), MISFITS.values(), ids=MISFITS)
def test_a_mechanism_must_fit_its_promise(name, definition, k, words):
    with pytest.raises(SordinoError, match=words):
        decode_over(read_part(encode(FROZEN[name][0])), definition, k)


@pytest.mark.parametrize("mechanism", [WindowResponse(100, "1"), BitFlips((3 << 62, 1 << 62))], ids=["window", "flips"])
def test_a_histogram_is_asked_through_what_is_certified_quickly(mechanism):
    """Mechanisms of numbers tell each output by itself, or have a table of their own."""
    with pytest.raises(SordinoError, match="one of"):
        decode_over(read_part(encode(mechanism)), LDP("1"), mechanism.k)


def test_a_table_of_more_weights_than_a_survey_makes_is_not_read():
    wide = ChannelTable([[1] * 257] * 256)
    assert decode_over(read_part(encode(ChannelTable([[1] * 256] * 256))), LDP("1"), 256).k == 256
    with pytest.raises(SordinoError, match="65536 weights"):
        decode_over(read_part(encode(wide)), LDP("1"), 256)
    metric = MetricLDP.grid(2, 256, 1, 1)
    with pytest.raises(SordinoError, match="65536 weights"):
        decode_over(read_part(encode(ProductResponse([RandomizedResponse(2, 1), wide]))), metric, 512)


def test_a_plan_has_no_more_values_than_are_certified_in_seconds(tmp_path, monkeypatch):
    """Each histogram is certified whenever a plan is read: a hundred of four million values each would take minutes."""
    attributes = {name: {"categories": 6} for name in ("first", "second")}
    asked = [{"histogram": name} for name in attributes]
    plan = Plan.of(Survey.read({"version": 1, "epsilon": "1", "attribute": attributes, "ask": asked}), 1000)
    plan.save(tmp_path / "plan.json")
    monkeypatch.setattr(planning, "MOST_VALUES", 12)
    assert Plan.load(tmp_path / "plan.json").hash == plan.hash
    monkeypatch.setattr(planning, "MOST_VALUES", 11)
    monkeypatch.setattr(HistogramQuestion, "certificate", None)
    with pytest.raises(SordinoError, match="at most 11 values together"):
        Plan.load(tmp_path / "plan.json")


LINE = [[abs(x - y) for y in range(4)] for x in range(4)]
PLANS = {
    "randomized": {"categories": 4, "protect": {"epsilon": "2"}},
    "projective": {"categories": 20_000},
    "cyclic": {"categories": 100},
    "subset": {"categories": 20},
    "blockwise": {"categories": 16, "protect": {"blocks": 8}},
    "high-low": {"categories": 9, "protect": {"sensitive": [0, 4, 5, 6, 7]}},
    "one sensitive": {"categories": 5, "protect": {"sensitive": [3]}},
    "binary": {"categories": 2, "protect": {"matrix": [["0", "1"], ["2", "0"]]}},
    "table": {"categories": 4, "protect": {"metric": LINE}},
}
NAMES = {"one sensitive": "high-low"}


MADE = {}
"""Plans that were made already, as bytes."""


@pytest.fixture
def frozen(tables):
    """The document of a plan with that mechanism."""

    def make(name):
        if name not in MADE:
            MADE[name] = Plan.of(Survey.read(tables({"x": PLANS[name]})), 1000).bytes
        document = json.loads(MADE[name])
        assert document["queries"][0]["mechanism"]["name"] == NAMES.get(name, name)
        return document

    return make


@pytest.fixture
def load(tmp_path, sealed):
    """Seal a document, and load it from a file."""

    def load_sealed(document):
        path = tmp_path / "sealed.json"
        path.write_text(text_of(sealed(document)))
        return Plan.load(path)

    return load_sealed


def moved(part, key, step):
    part[key] = str(int(part[key]) + step)


def table_move(part, definition):
    """As few units of a row as break its bound to the column where it is nearest to that over another."""
    rows = [[int(weight) for weight in row] for row in part["weights"]]
    k = len(rows)
    with mpmath.workdps(60):
        bounds = [[mpmath.mpf(abs(x - y)) for y in range(k)] for x in range(k)]
        _, x, y, code = max(
            (mpmath.log(mpmath.mpf(rows[x][c]) / rows[y][c]) - bounds[x][y], x, y, c)
            for x in range(k)
            for y in range(k)
            for c in range(len(rows[0]))
            if x != y
        )
        assert mpmath.log(mpmath.mpf(rows[x][code]) / rows[y][code]) <= bounds[x][y]
        # What a solved channel leaves of its bound depends on the processor's last bits.
        units = int(mpmath.floor(mpmath.exp(bounds[x][y]) * rows[y][code])) + 1 - rows[x][code]
        assert 1 <= units <= 1 << 10
        assert mpmath.log(mpmath.mpf(rows[x][code] + units) / rows[y][code]) > bounds[x][y]
    source = max((c for c in range(len(rows[0])) if c != code), key=lambda c: rows[x][c])
    part["weights"][x][code] = str(rows[x][code] + units)
    part["weights"][x][source] = str(rows[x][source] - units)


BREAKS = {
    "randomized": ("randomized", lambda part: moved(part, "threshold", 1)),
    "projective": ("projective", lambda part: moved(part, "threshold", 1)),
    "projective of another field": ("projective", lambda part: part.update(field=part["field"] + 1)),
    "cyclic": ("cyclic", lambda part: moved(part, "threshold", 1)),
    "cyclic of smaller blocks": ("cyclic", lambda part: part.update(size=part["order"])),
    "subset": ("subset", lambda part: moved(part, "threshold", 1)),
    "subset of a smaller size": ("subset", lambda part: part.update(size=part["size"] - 1)),
    "blockwise": ("blockwise", lambda part: moved(part["inner"][0], "threshold", 1)),
    "high-low with a smaller hidden weight": ("high-low", lambda part: moved(part, "hidden", -1)),
    "high-low with a larger inner threshold": ("high-low", lambda part: moved(part["inner"], "threshold", 1)),
    "high-low that hides nothing": ("high-low", lambda part: part.update(hidden="0")),
    "one sensitive with a smaller hidden weight": ("one sensitive", lambda part: moved(part, "hidden", -1)),
    "binary, first larger": ("binary", lambda part: moved(part, "first", 1)),
    "binary, second smaller": ("binary", lambda part: moved(part, "second", -1)),
    "binary, both told": ("binary", lambda part: part.update(first=str(2**64), second="0")),
    "table with few units moved": ("table", lambda part: table_move(part, LINE)),
}


@pytest.mark.parametrize(("name", "spoil"), BREAKS.values(), ids=BREAKS)
def test_a_resealed_plan_that_breaks_its_promise_is_refused(load, frozen, name, spoil):
    document = frozen(name)
    assert load(document).certificate.holds
    spoil(document["queries"][0]["mechanism"])
    # Of other sizes codes and draw are others too.
    with pytest.raises(SordinoError, match=r"keep its own promise|as the mechanism's integers make it"):
        load(document)


PROMISES = {
    "randomized": ("epsilon", "1999999/1000000"),
    "projective": ("epsilon", "999999/1000000"),
    "subset": ("epsilon", "999999/1000000"),
    "blockwise": ("epsilon", "999999/1000000"),
    "high-low": ("epsilon", "999999/1000000"),
    "binary": ("bounds", [["0", "999999/1000000"], ["2", "0"]]),
    "binary, the other way": ("bounds", [["0", "1"], ["1999999/1000000", "0"]]),
    "table": ("bounds", [["0" if x == y else "999999/1000000" for y in range(4)] for x in range(4)]),
}


@pytest.mark.parametrize("name", PROMISES)
def test_a_resealed_plan_that_promises_more_than_it_keeps_is_refused(load, frozen, name):
    document = frozen(name.split(",")[0])
    key, value = PROMISES[name]
    assert key in document["attributes"]["x"]["protect"]
    document["attributes"]["x"]["protect"][key] = value
    with pytest.raises(SordinoError, match="keep its own promise"):
        load(document)


def test_a_broken_second_question_is_refused(load, tables):
    for broken in range(3):
        attributes = {"x": PLANS["subset"], "y": PLANS["randomized"], "z": PLANS["projective"]}
        document = json.loads(Plan.of(Survey.read(tables(attributes)), 1000).bytes)
        moved(document["queries"][broken]["mechanism"], "threshold", 1)
        with pytest.raises(SordinoError, match="keep its own promise"):
            load(document)


LESS = {
    "randomized": lambda part: moved(part, "threshold", -1),
    "subset": lambda part: moved(part, "threshold", -1),
    "one sensitive": lambda part: moved(part, "hidden", 1),
    "binary": lambda part: moved(part, "first", -1),
}


@pytest.mark.parametrize("name", LESS)
def test_a_resealed_plan_that_keeps_more_than_it_promises_is_read(load, frozen, name):
    document = frozen(name)
    LESS[name](document["queries"][0]["mechanism"])
    assert load(document).certificate.holds


FORGED = {
    "high-low beyond its weight": ("high-low", ["hidden"], str(2**64 + 1)),
    "high-low without inner": ("high-low", ["inner"], None),
    "high-low in another": ("high-low", ["inner", "name"], "high-low"),
    "high-low of more": ("high-low", ["inner", "k"], 6),
    "binary with its codes swapped": ("binary", ["second"], str(2**64 - 1)),
    "binary of 65 bits": ("binary", ["first"], str(2**64 + 1)),
    "binary below zero": ("binary", ["second"], "-1"),
    "binary as numbers": ("binary", ["second"], 1),
    "a table with a unit more": ("table", ["weights", 1, 2], "1"),
    "a table with a number": ("table", ["weights", 1, 2], 1),
    "a table with a short row": ("table", ["weights", 1], ["1", "2"]),
    "an empty table": ("table", ["weights"], []),
    "an empty row": ("table", ["weights"], [[], [], [], []]),
    "a table of zeros": ("table", ["weights"], [["0", "0"]] * 4),
    "a size for another": ("randomized", ["size"], 2),
    "a field for another": ("subset", ["field"], 3),
    "no size": ("subset", ["size"], None),
    "size zero": ("subset", ["size"], 0),
    "all values": ("subset", ["size"], 20),
    "no prime": ("cyclic", ["prime"], None),
    "a prime that is none": ("cyclic", ["prime"], 111),
    "fewer points than values": ("cyclic", ["prime"], 97),
    "an order that does not divide": ("cyclic", ["order"], 7),
    "order zero": ("cyclic", ["order"], 0),
    "too many blocks": ("cyclic", ["prime"], 2**61 - 1),
    "no field": ("projective", ["field"], None),
    "a field that is none": ("projective", ["field"], 6),
    "a huge field": ("projective", ["field"], 2**61 - 1),
    "another name": ("randomized", ["name"], "hadamar"),
    "too many values": ("randomized", ["k"], 2**40),
}


@pytest.mark.parametrize(("name", "path", "value"), FORGED.values(), ids=FORGED)
def test_integers_that_make_no_mechanism_are_refused(load, frozen, name, path, value):
    document = frozen(name)
    table = document["queries"][0]["mechanism"]
    for key in path[:-1]:
        table = table[key]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    with pytest.raises(SordinoError):
        load(document)


PARTS = {
    "no sensitive values": ({"sensitive": []}, "sensitive"),
    "all sensitive": ({"sensitive": list(range(9))}, "sensitive"),
    "sensitive twice": ({"sensitive": [0, 0, 4, 5, 6]}, "sensitive"),
    "sensitive outside": ({"sensitive": [0, 4, 5, 6, 9]}, "sensitive"),
    "sensitive below": ({"sensitive": [-1, 4, 5, 6, 7]}, "sensitive"),
    "sensitive as text": ({"sensitive": ["0"]}, "sensitive"),
    "fewer sensitive": ({"sensitive": [0, 4]}, "sensitive"),
    "another promise": ({"sensitive": None}, "sensitive"),
    "two ways": ({"blocks": {"run": 3}}, "several"),
    "bounds too": ({"bounds": [["0"]]}, "bounds"),
    "metric": ({"metric": [0, 1]}, "metric"),
}


@pytest.mark.parametrize(("change", "words"), PARTS.values(), ids=PARTS)
def test_a_promise_that_does_not_fit_is_refused(load, frozen, change, words):
    document = frozen("high-low")
    protect = document["attributes"]["x"]["protect"]
    protect.update(change)
    document["attributes"]["x"]["protect"] = {key: value for key, value in protect.items() if value is not None}
    with pytest.raises(SordinoError, match=words):
        load(document)


BOUNDS = {
    "a missing row": [["0", "1", "2", "3"]] * 3,
    "a short row": [["0", "1", "2", "3"], ["1", "0", "1"], ["2", "1", "0", "1"], ["3", "2", "1", "0"]],
    "negative": [["0", "-1", "2", "3"], ["1", "0", "1", "2"], ["2", "1", "0", "1"], ["3", "2", "1", "0"]],
    "nan": [["0", "nan", "2", "3"], ["1", "0", "1", "2"], ["2", "1", "0", "1"], ["3", "2", "1", "0"]],
    "a different spelling": [["0", "1.0", "2", "3"], ["1", "0", "1", "2"], ["2", "1", "0", "1"], ["3", "2", "1", "0"]],
    "another infinity": [["0", "Infinity", "2", "3"], ["1", "0", "1", "2"], ["2", "1", "0", "1"], ["3", "2", "1", "0"]],
    "numbers": [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]],
    "none": [],
}


@pytest.mark.first_cases(4)
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_bounds_that_are_none_are_refused(load, frozen, bounds):
    document = frozen("table")
    document["attributes"]["x"]["protect"]["bounds"] = bounds
    with pytest.raises(SordinoError):
        load(document)


def paths_of(document, path=()):
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from paths_of(document[key], (*path, key))
    yield path


ODD = [None, True, -1, 0, 1, 2, 10**30, 0.5, "", "0", "1", "inf", "x", [], {}, [0], [[0]], ["0"], {"k": 1}, "9" * 20]


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("name", PLANS)
def test_no_resealed_plan_ends_in_another_error(load, frozen, name):
    """Every field is replaced by odd values: the plan is refused, or keeps what it promises."""
    document = frozen(name)
    for path in list(paths_of(document))[:-1]:
        for odd in ODD:
            table = copy = json.loads(json.dumps(document))
            for key in path[:-1]:
                table = table[key]
            table[path[-1]] = odd
            try:
                plan = load(copy)
                assert plan.certificate.holds
                assert explain(plan)
                assert [question.accuracy for question in plan.questions]
            except SordinoError:
                continue
