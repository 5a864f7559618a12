"""A plan's bytes are canonical, its hash is theirs, and no changed plan is read, whoever computed the hash."""

import json
from hashlib import sha256
from pathlib import Path

import mpmath
import pytest

from golden_people import text_of
from sordino import Plan, SordinoError, Survey

GOLDEN = Path(__file__).parent / "golden"
SURVEYS = {
    "plan": {
        "version": 1,
        "epsilon": "ln 3",
        "attribute": {
            'Wohnort "S\u00fcd"': {
                "categories": ["a, b", '"c"', "M\u00fcnchen", "none", "x", "y"],
                "column": "place",
                "missing": "none",
                "protect": {"blocks": {"letters": ["M\u00fcnchen", "a, b"], "odd": ["none", '"c"'], "end": ["x", "y"]}},
            }
        },
        "ask": [{"histogram": 'Wohnort "S\u00fcd"'}],
    },
    "map": {
        "version": 1,
        "epsilon": 1.0,
        "attribute": {
            "home": {
                "grid": {"south": 25.5, "north": 50.0, "west": -130, "east": -60.25, "rows": 4, "columns": 6},
                "column": ["lat", "lon"],
                "protect": {"blocks": [4, 3]},
            }
        },
        "ask": [{"histogram": "home"}],
    },
}
PEOPLE = {"plan": 500, "map": 1_000_000}


def resealed(document):
    """The document with a hash of its own, as whoever changed it would compute it."""
    content = {key: value for key, value in document.items() if key != "hash"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**content, "hash": "sha256:" + sha256(text.encode()).hexdigest()}


def changed(document, path, value):
    """A deep copy with one field set, or removed where the value is None."""
    copy = json.loads(json.dumps(document))
    *parents, last = path
    table = copy
    for key in parents:
        table = table[key]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return copy


def load(tmp_path, document):
    path = tmp_path / "changed.json"
    path.write_text(text_of(document))
    return Plan.load(path)


@pytest.mark.parametrize("name", SURVEYS)
def test_a_survey_freezes_into_the_golden_bytes(name):
    made = Plan.of(Survey.read(SURVEYS[name]), PEOPLE[name])
    assert made.bytes == (GOLDEN / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", SURVEYS)
def test_a_golden_plan_is_read_for_ever(name):
    loaded = Plan.load(GOLDEN / f"{name}.json")
    assert loaded.certificate.holds
    assert loaded.people == PEOPLE[name]
    assert loaded.tag == int(loaded.hash[7:23], 16)


def test_a_golden_threshold_is_the_largest_that_the_promise_allows():
    with mpmath.workdps(50):
        # Subsets of 3 of 12 cells: 55 hold a cell, and 165 do not.
        for name, bound in (("plan", mpmath.mpf(3)), ("map", mpmath.e * 55 / 165)):
            (part,) = json.loads((GOLDEN / f"{name}.json").read_bytes())["queries"][0]["mechanism"]["inner"]
            heads = int(part["threshold"])
            assert heads <= bound * (2**64 - heads)
            assert heads + 1 > bound * (2**64 - heads - 1)


@pytest.mark.parametrize("kind", ["grid", "named", "numbered"])
def test_bytes_are_canonical(plan, kind):
    made = plan(kind, ('"1"', '"ln 1.8"'))
    document = json.loads(made.bytes)
    assert made.bytes == text_of(document).encode("ascii")
    assert b".0," not in made.bytes
    assert (document["format"], document["version"], document["people"]) == ("sordino plan", 4, 1000)
    assert document["hash"] == resealed(document)["hash"] == made.hash
    assert all(isinstance(part["threshold"], str) for part in document["queries"][0]["mechanism"]["inner"])


def test_whole_floats_are_whole_numbers(plan):
    assert plan("grid").bytes == plan("grid", ("25", "25.0"), ("-130", "-1.3e2")).bytes
    assert b'"north":50.5' in plan("grid", ("50", "50.5")).bytes


@pytest.mark.parametrize("kind", ["grid", "named", "numbered"])
def test_a_saved_plan_loads_as_it_was(tmp_path, plan, kind):
    made, path = plan(kind), tmp_path / "plan.json"
    made.save(path)
    assert path.read_bytes() == made.bytes
    loaded = Plan.load(path)
    assert (loaded.document, loaded.bytes, loaded.hash) == (made.document, made.bytes, made.hash)
    assert loaded.sampled.fingerprint == made.sampled.fingerprint
    assert loaded.questions[0].query.mechanism.parameters == made.questions[0].query.mechanism.parameters
    assert loaded.questions[0].definition == made.questions[0].definition


def test_a_plan_is_overwritten_by_another_only_on_request(tmp_path, plan):
    path = tmp_path / "plan.json"
    plan("named").save(path)
    before = path.read_bytes()
    with pytest.raises(SordinoError, match="must not exist"):
        plan("named", ('"1"', '"2"')).save(path)
    plan("named").save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.json"]
    other = plan("named", ('"1"', '"2"'))
    other.save(path, overwrite=True)
    assert path.read_bytes() == other.bytes
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SordinoError, match="only a plan is overwritten"):
        other.save(tmp_path / "mine.txt", overwrite=True)


CHANGES = {
    "one threshold lower": (["queries", 0, "mechanism", "inner", 0, "threshold"], "13485650502877570761"),
    "one threshold higher": (["queries", 0, "mechanism", "inner", 0, "threshold"], "13485650502877570763"),
    "larger epsilon": (["attributes", "job", "protect", "epsilon"], "2"),
    "fewer people": (["people"], 999),
    "other labels": (["attributes", "job", "labels"], ["baker", "clerk", "judge", "smyth"]),
    "other column": (["attributes", "job", "columns"], ["salary"]),
    "another hash": (["hash"], "sha256:" + "0" * 64),
    "hash without its kind": (["hash"], "0" * 64),
    "no hash": (["hash"], None),
    "hash as number": (["hash"], 1),
}


@pytest.mark.parametrize(("path", "value"), CHANGES.values(), ids=CHANGES)
def test_a_changed_plan_does_not_match_its_hash(tmp_path, plan, path, value):
    document = json.loads(plan("named").bytes)
    assert load(tmp_path, document).hash == document["hash"]
    with pytest.raises(SordinoError, match="as it was frozen"):
        load(tmp_path, changed(document, path, value))


FORGED = {
    "unknown field": (["extra"], 1, "extra"),
    "unknown field within": (["attributes", "job", "extra"], 1, "extra"),
    "missing field": (["people"], None, "people"),
    "people as text": (["people"], "1000", "people"),
    "no people": (["people"], 0, "people"),
    "epsilon as number": (["attributes", "job", "protect", "epsilon"], 1, "epsilon"),
    "no promise at all": (["attributes", "job", "protect"], None, "protect"),
    "no epsilon": (["attributes", "job", "protect", "epsilon"], None, "epsilon"),
    "epsilon unreadable": (["attributes", "job", "protect", "epsilon"], "much", "much"),
    "threshold as number": (["queries", 0, "mechanism", "inner", 0, "threshold"], 13485650502877570762, "threshold"),
    "threshold of 65 bits": (["queries", 0, "mechanism", "inner", 0, "threshold"], str(2**64), "threshold"),
    "threshold zero": (["queries", 0, "mechanism", "inner", 0, "threshold"], "0", "threshold"),
    "unknown mechanism": (["queries", 0, "mechanism", "inner", 0, "name"], "clear", "name"),
    "mechanism of another size": (["queries", 0, "mechanism", "inner", 0, "k"], 3, "codes"),
    "no mechanism": (["queries", 0, "mechanism", "inner"], [], "inner"),
    "half of the people": (["queries", 0, "share"], "1/2", "share"),
    "half a weight": (["queries", 0, "weight"], 0.5, "weight"),
    "no weight": (["queries", 0, "weight"], 0, "weight"),
    "truth as number": (["queries", 0, "subtract_totals"], 0, "subtract_totals"),
    "another attribute": (["queries", 0, "histogram"], "salary", "salary"),
    "no question": (["queries"], [], "queries"),
    "no attribute": (["attributes"], {}, "attributes"),
    "labels and numbers": (["attributes", "job", "numbers"], 4, "numbers"),
    "repeated label": (["attributes", "job", "labels"], ["x", "x", "y", "z"], "once"),
    "three blocks": (["attributes", "job", "protect", "blocks", "of"], [0, 1, 2, 2], "block size"),
    "blocks of three values": (["attributes", "job", "protect", "blocks", "of"], [0, 0, 1], "4"),
    "no blocks": (["attributes", "job", "protect", "blocks"], None, "blocks"),
    "blocks two ways": (["attributes", "job", "protect", "blocks", "run"], 2, "run"),
    "missing outside": (["attributes", "job", "missing"], "prince", "missing"),
    "no column": (["attributes", "job", "columns"], [], "columns"),
    "newer version": (["version"], 5, "newer Sordino"),
    "older version": (
        ["version"],
        3,
        "found version 3, which an older Sordino wrote: make one with `sordino.plan` again",
    ),
    "version true": (["version"], True, "version 4"),
    "version as text": (["version"], "3", "version 4"),
    "another format": (["format"], "sordino aggregate", "must be a plan"),
}


@pytest.mark.parametrize(("path", "value", "word"), FORGED.values(), ids=FORGED)
def test_a_forged_plan_with_its_own_hash_is_refused(tmp_path, plan, path, value, word):
    document = json.loads(plan("named").bytes)
    with pytest.raises(SordinoError, match=word):
        load(tmp_path, resealed(changed(document, path, value)))


# The largest T with T <= e^epsilon b/a (2^64 - T): a coin between two values, and subsets of 7 of 25 cells.
HEADS = {"named": "13485650502877570762", "grid": "9479431843918069098"}
BROKEN = {
    "one too high": ("named", ["queries", 0, "mechanism", "inner", 0, "threshold"], "13485650502877570763"),
    "one too high in a map": ("grid", ["queries", 0, "mechanism", "inner", 0, "threshold"], "9479431843918069099"),
    "heads too rare by one": ("named", ["queries", 0, "mechanism", "inner", 0, "threshold"], "4961093570831980853"),
    "the largest": ("named", ["queries", 0, "mechanism", "inner", 0, "threshold"], str(2**64 - 1)),
    "a smaller promise": ("named", ["attributes", "job", "protect", "epsilon"], "999999/1000000"),
    "no promise": ("named", ["attributes", "job", "protect", "epsilon"], "0"),
}


@pytest.mark.parametrize(("kind", "path", "value"), BROKEN.values(), ids=BROKEN)
def test_a_resealed_plan_that_breaks_its_promise_is_refused(tmp_path, plan, kind, path, value):
    document = json.loads(plan(kind).bytes)
    assert document["queries"][0]["mechanism"]["inner"][0]["threshold"] == HEADS[kind]
    with pytest.raises(SordinoError, match="keep its own promise"):
        load(tmp_path, resealed(changed(document, path, value)))


def test_a_resealed_plan_that_promises_less_than_it_keeps_is_read(tmp_path, plan):
    document = changed(
        json.loads(plan("named").bytes), ["queries", 0, "mechanism", "inner", 0, "threshold"], "13485650502877570761"
    )
    assert load(tmp_path, resealed(document)).certificate.holds


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[]", "object"),
        (b"3", "object"),
        (b"{}", "plan"),
        (b"\xff", "UTF-8"),
        (b"[" * 100_000, "JSON"),
        (b'{"format": NaN}', "JSON"),
        (b'{"people": ' + b"1" * 5000 + b"}", "JSON"),
        (None, "no such file"),
    ],
)
def test_a_file_that_is_no_plan(tmp_path, content, word):
    path = tmp_path / "plan.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SordinoError, match=word):
        Plan.load(path)


@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: json.dumps(json.loads(text), indent=1),
        lambda text: text.replace('"north":50', '"north":50.0'),
        lambda text: text.replace('"epsilon":"1"', '"epsilon":"9","epsilon":"1"'),
        lambda text: text.replace('"city"', '"\\u0063ity"'),
        lambda text: text.replace("}", "}\n", 1),
    ],
    ids=["indented", "float", "key twice", "escaped", "line feed"],
)
def test_another_spelling_of_a_plan_is_refused(tmp_path, plan, spelling):
    path, text = tmp_path / "plan.json", plan("grid").bytes.decode()
    assert spelling(text) != text
    path.write_text(spelling(text))
    with pytest.raises(SordinoError, match="as it was frozen"):
        Plan.load(path)


@pytest.mark.parametrize("epsilon", ["1.0", "2/2", "ln 1 + 1", " 1"])
def test_a_plans_epsilon_has_one_spelling(tmp_path, plan, epsilon):
    document = changed(json.loads(plan("named").bytes), ["attributes", "job", "protect", "epsilon"], epsilon)
    with pytest.raises(SordinoError, match="canonical"):
        load(tmp_path, resealed(document))


def test_half_a_plan_is_refused(tmp_path, plan):
    path = tmp_path / "plan.json"
    whole = plan("grid").bytes
    for length in (1, len(whole) // 2, len(whole) - 2):
        path.write_bytes(whole[:length])
        with pytest.raises(SordinoError, match="JSON"):
            Plan.load(path)


@pytest.mark.parametrize("people", [0, -1])
def test_a_plan_needs_people(read, people):
    with pytest.raises(SordinoError, match="at least 1"):
        Plan.of(read("named"), people)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("queries", 0, "weight"), 0, "found queries.0.weight must be at least 1; found 0"),
        (
            ("queries", 0, "mechanism", "k"),
            "4",
            "wrote; found mechanism.k must be a whole number in 0..2^53",
        ),
        (
            ("queries", 0, "mechanism", "name"),
            "x",
            "wrote; found mechanism.name must be one of randomized, projective",
        ),
        (("queries", 0, "colour"), 1, "queries.0.colour must be a known setting: known here are weight, mechanism"),
    ],
)
def test_a_document_tells_its_first_mistake_in_our_words(tmp_path, plan, sealed, path, value, words):
    document = json.loads(plan("named", ("protect = { blocks", "#")).bytes)
    *parts, last = path
    table = document
    for part in parts:
        table = table[part]
    table[last] = value
    (tmp_path / "plan.json").write_text(text_of(sealed(document)))
    with pytest.raises(SordinoError) as caught:
        Plan.load(tmp_path / "plan.json")
    assert words in str(caught.value)
    for foreign in ("Input", "Value error", "should", "Part"):
        assert foreign not in str(caught.value)


def worded(**texts):
    """A plan of two attributes with the texts."""
    attributes = {name: {"categories": ["yes", "no"], "text": text} for name, text in texts.items()}
    asked = [{"histogram": name} for name in texts]
    return Plan.of(Survey.read({"version": 1, "epsilon": 1, "attribute": attributes, "ask": asked}), 100)


def test_attributes_of_one_text_are_told_apart_by_their_names():
    same, other = worded(at_work="Do you smoke?", at_home="Do you smoke?"), worded(smokes="Smoke?", drinks="Drink?")
    assert [one.title for one in same.questions] == ["“Do you smoke?” (at_work)", "“Do you smoke?” (at_home)"]
    assert [one.title for one in other.questions] == ["“Smoke?”", "“Drink?”"]
