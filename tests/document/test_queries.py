"""Frozen queries about numbers: they come back to the same, and whatever is changed in them is refused or seen."""

import json
from copy import deepcopy
from fractions import Fraction

import pytest

from enumerated import COIN, LEVELS, PAIR, QUERIES, answers_of, parts_of
from in_one import in_one
from json_parts import places, widened
from sordino import (
    BinaryOptimal,
    ChannelTable,
    LinearTable,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SordinoError,
    Together,
    Value,
    WindowResponse,
)
from sordino.audit.answers import answers
from sordino.document.codec import encode
from sordino.document.queries import STATISTICS, freeze_queries, thaw_queries
from sordino.errors import DamagedError
from weights import linear

FROZEN = {name: asked if isinstance(asked, Sampled) else Sampled((asked,), (3,)) for name, asked in QUERIES.items()}
every = pytest.mark.parametrize("name", FROZEN)
every_in_one = in_one("name", FROZEN)
ODD = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    7,
    13,
    2**53,
    10**30,
    0.5,
    1.0,
    "",
    "0",
    "1",
    "number",
    "product",
    "signs",
    "sign",
]
ODD += [[[0, 1]], [["number", 0, 2]], [["number", 0, 2], ["number", 1, 2]]]
ODD += [[], {}, [0], [1, 2], ["number", 0, 2], ["number", 0], ["product", 1, 0], ["signs"], [[0]], {"name": "flips"}]


def as_json(asked):
    return json.loads(json.dumps(freeze_queries(asked)))


def described(asked):
    """All that queries are."""
    parts = [
        [(type(q.statistic), q.statistic.arguments, q.mechanism.parameters) for q in parts_of(one)]
        for one in asked.queries
    ]
    return list(map(type, asked.queries)), parts, asked.weights


def read(found):
    """What is read is what was frozen, to the byte, at the level that its own integers have; or None, refused."""
    try:
        asked = thaw_queries(found)
    except SordinoError:
        return None
    # Bytes tell true from 1, and 1.0 from 1.
    assert json.dumps(freeze_queries(asked), sort_keys=True) == json.dumps(found, sort_keys=True)
    return asked


@every_in_one
def test_queries_come_back(name):
    asked = FROZEN[name]
    again = read(as_json(asked))
    assert described(again) == described(asked)
    assert (again, again.fingerprint) == (asked, asked.fingerprint)
    assert answers(again) == answers(asked)


@every_in_one
def test_mechanisms_stand_once(name):
    found = as_json(FROZEN[name])
    mechanisms = [json.dumps(one, sort_keys=True) for one in found["mechanisms"]]
    assert len(set(mechanisms)) == len(mechanisms) == len({query.mechanism for query in answers_of(FROZEN[name])})
    through = [at if isinstance(at, list) else [at] for at in found["through"]]
    assert {at for together in through for at in together} == set(range(len(mechanisms)))


def test_the_text_is_as_it_is_written_down():
    """Documents that are kept are read for years: the words do not change."""
    coin = RandomizedResponse(2, "ln 3")
    asked = Sampled(
        (
            Query(Signs((1, 0)), PAIR),
            Query(Number(2), coin),
            Query(Product(0, 2), coin),
            Query(Number(0, 3), LEVELS),
            Together((Query(Number(2), coin), Query(Number(1, 3), LEVELS))),
        ),
        (3, 1, 2, 5, 4),
    )
    assert as_json(asked) == {
        "statistics": [
            ["signs", 1, 0],
            ["number", 2, 2],
            ["product", 0, 2],
            ["number", 0, 3],
            [["number", 2, 2], ["number", 1, 3]],
        ],
        "mechanisms": [
            {
                "name": "flips",
                "k": 4,
                "codes": "4",
                "table": [*map(str, PAIR.table)],
                "draw": ["^", "v", ["pick", "table"]],
            },
            {
                "name": "randomized",
                "k": 2,
                "codes": "2",
                "threshold": "13835058055282163712",
                "draw": ["sides", "threshold", ["run", "v", "k", 1]],
            },
            {
                "name": "window",
                "k": 3,
                "codes": "3",
                "window": 1,
                "threshold": str(LEVELS.threshold),
                "draw": ["sides", "threshold", ["run", "v", "codes", "window"]],
            },
        ],
        "through": [0, 1, 1, 2, [1, 2]],
        "weights": [3, 1, 2, 5, 4],
    }
    assert {kind.name: kind for kind in STATISTICS.values()} == STATISTICS
    assert list(STATISTICS) == [
        "number",
        "product",
        "signs",
        "optional",
        "category-sign",
        "two-categories",
        "binary-product",
    ]


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    "name",
    ["one bit", "together", "levels, window", "signs", "sampled, together", "sampled, moments", "sampled, everything"],
)
def test_any_part_that_is_changed_is_refused_or_makes_other_queries(name):
    """What a change makes is what its own integers say, no more: levels and tables are read off them again."""
    asked = FROZEN[name]
    frozen = as_json(asked)
    for *above, last in list(places(frozen)):
        for odd in ODD:
            changed = deepcopy(frozen)
            part = changed
            for key in above:
                part = part[key]
            same = json.dumps(part[last]) == json.dumps(odd)
            part[last] = deepcopy(odd)
            found = read(changed)
            assert found is None or (described(found) == described(asked)) == same
        del part[last]
        assert read(changed) is None or isinstance(part, list)


@every_in_one
def test_entries_of_other_names_are_refused_at_every_depth(name):
    frozen = as_json(FROZEN[name])
    for changed in widened(frozen):
        with pytest.raises(DamagedError):
            thaw_queries(changed)


def changed(name, change):
    found = as_json(FROZEN[name])
    change(found)
    return found


def at(entry, value):
    def change(found):
        found[entry] = value

    return change


SPELLINGS = {
    "a mechanism twice": lambda f: (
        f["mechanisms"].append(f["mechanisms"][0]),
        f.update(through=[*f["through"][:-1], 3]),
    ),
    "a mechanism that none goes through": lambda f: f["mechanisms"].append(encode(RandomizedResponse(5, "2"))),
    "mechanisms in another order": lambda f: (
        f["mechanisms"].reverse(),
        f.update(through=[len(f["mechanisms"]) - 1 - place for place in f["through"]]),
    ),
    "points of a sign left out": at("statistics", [["number", 1], ["product", 0, 1], ["product", 0, 0]]),
    "a place as a float": at("statistics", [["number", 1.0, 2], ["product", 0, 1], ["product", 0, 0]]),
    "a truth as a place": at("statistics", [["number", True, 2], ["product", 0, 1], ["product", 0, 0]]),
    "places of a product turned": at("statistics", [["number", 1, 2], ["product", 1, 0], ["product", 0, 0]]),
    "another name": at("statistics", [["Number", 1, 2], ["product", 0, 1], ["product", 0, 0]]),
    "one argument more": at("statistics", [["number", 1, 2, 0], ["product", 0, 1], ["product", 0, 0]]),
    "no name": at("statistics", [[], ["product", 0, 1], ["product", 0, 0]]),
    "a statistic too few": at("statistics", [["number", 1, 2], ["product", 0, 1]]),
    "more points than its channel takes": at("statistics", [["number", 1, 3], ["product", 0, 1], ["product", 0, 0]]),
    "signs that its channel does not take": at("statistics", [["signs", 0, 1], ["product", 0, 1], ["product", 0, 0]]),
    "a channel beyond the last": at("through", [0, 1, 3]),
    "a channel before the first": at("through", [0, 1, -1]),
    "weights of other kinds": at("weights", [2, "1", 5]),
    "a weight of 0": at("weights", [2, 0, 5]),
    "weights too many": at("weights", [2, 1, 5, 1]),
    "weights beyond 2^32": at("weights", [2**32, 1, 5]),
    "no queries": lambda f: f.update(statistics=[], through=[], weights=[], mechanisms=[]),
    "an entry missing": lambda f: f.pop("weights"),
}


@in_one("spelling", SPELLINGS)
def test_other_spellings_are_refused(spelling):
    assert read(as_json(FROZEN["sampled, moments"])) is not None
    with pytest.raises(SordinoError):
        thaw_queries(changed("sampled, moments", SPELLINGS[spelling]))


TOGETHER = {
    "one query as if together": lambda f: (
        f["statistics"].__setitem__(1, [["number", 1, 2]]),
        f["through"].__setitem__(1, [1]),
    ),
    "queries together, their channels one by one": at("through", [0, 1, 1, 1, 1]),
    "a channel too few": at("through", [[0, 1], 1, [0, 1], [1]]),
    "a channel too many": at("through", [[0, 1], 1, [0, 1], [1, 1, 1]]),
    "a channel beyond the last of two": at("through", [[0, 1], 1, [0, 1], [1, 9]]),
    "together in together": lambda f: f["statistics"].__setitem__(3, [[["number", 1, 2], ["number", 2, 2]]]),
    "none together": lambda f: (f["statistics"].__setitem__(3, []), f["through"].__setitem__(3, [])),
    "one number twice": lambda f: f["statistics"].__setitem__(3, [["number", 1, 2], ["number", 1, 2]]),
    "a number and its product": lambda f: f["statistics"].__setitem__(3, [["number", 1, 2], ["product", 0, 1]]),
    "a name among them": lambda f: f["statistics"].__setitem__(3, [["number", 1, 2], "number"]),
    "a weight for each": at("weights", [2, 2, 1, 1, 1, 3, 3]),
}


@in_one("spelling", TOGETHER)
def test_other_spellings_of_queries_together_are_refused(spelling):
    assert read(as_json(FROZEN["sampled, together"])) is not None
    with pytest.raises(SordinoError):
        thaw_queries(changed("sampled, together", TOGETHER[spelling]))


def test_absurdly_many_queries_together_are_refused_at_once():
    for count in (65, 3000):
        many = [["number", place, 2] for place in range(count)]
        found = {**as_json(FROZEN["one bit"]), "statistics": [many], "through": [[0] * count]}
        with pytest.raises(SordinoError, match=f"2 to 64 queries are answered together; found {count}"):
            thaw_queries(found)


@in_one("found", [None, [], "queries", 3, [{}]])
def test_what_is_no_object_is_refused(found):
    with pytest.raises(DamagedError):
        thaw_queries(found)


def test_a_bolder_channel_is_read_as_what_it_is():
    """A changed threshold or table is no damage that can be seen: its level is, and what it promises is read off it."""
    raised = as_json(FROZEN["sampled, everything"])
    for mechanism in raised["mechanisms"]:
        if mechanism["name"] == "randomized" and mechanism["k"] == 2:
            mechanism["threshold"] = str(2**64 - 2**40)
        if mechanism["name"] == "flips" and len(mechanism["table"]) == 4:
            mechanism["table"] = [str(2**64 - 3 * 2**10), *[str(2**10)] * 3]
    # Two mechanisms that became one would stand twice: another spelling.
    assert read(raised) is None
    single = as_json(FROZEN["signs"])
    single["mechanisms"][0]["table"] = [str(2**64 - 3 * 2**10), *[str(2**10)] * 3]
    asked = read(single)
    ((before,),), ((after,),) = answers(FROZEN["signs"]), answers(asked)
    assert after.level > before.level
    assert after.errors == asked.queries[0].mechanism.table != before.errors
    assert asked.fingerprint != FROZEN["signs"].fingerprint


def test_only_queries_about_numbers_by_known_mechanisms_are_frozen():
    inner = Sampled((Query(Number(0), COIN),), (1,))
    for asked in (
        Sampled((Query(Value("a"), COIN),), (1,)),
        Sampled((inner, Query(Number(0), COIN)), (1, 1)),
        Sampled((inner,), (1,)),
    ):
        with pytest.raises(SordinoError, match="a plan freezes queries about numbers"):
            freeze_queries(asked)

    class Own(RandomizedResponse):
        """Somebody's."""

    for other in (Own(2, "1"), BinaryOptimal("1", "1")):
        with pytest.raises(SordinoError, match="mechanisms that a survey can choose"):
            freeze_queries(Sampled((Query(Number(0), other),), (1,)))
    for mechanism in (WindowResponse(2, "1"), RandomizedResponse(2, "1"), ChannelTable([[3, 1], [1, 3]])):
        assert read(as_json(Sampled((Query(Number(0), mechanism),), (1,)))) is not None


def test_a_large_table_that_would_hold_its_reader_is_refused():
    table = ChannelTable([[2] * 1100 + [1] * 1100 if row % 2 else [1] * 1100 + [2] * 1100 for row in range(64)])
    with pytest.raises(SordinoError, match="at most 131,072 weights together"):
        thaw_queries(as_json(Sampled((Query(Number(0, 64), table),), (1,))))


def test_tables_that_would_hold_their_reader_for_minutes_are_refused():
    tables = [LinearTable(linear(63, Fraction(odds))) for odds in range(3, 36)]
    few, many = (
        Sampled(tuple(Query(Number(place, 63), table) for place, table in enumerate(some)), (1,) * len(some))
        for some in (tables[:2], tables)
    )
    assert thaw_queries(as_json(few)) == few
    with pytest.raises(SordinoError, match="at most 131,072 weights together; found 133,056"):
        thaw_queries(as_json(many))
