"""Aggregate files: what was counted is read again, of its own plan and version only, and adds up."""

import json

import numpy as np
import pytest

import sordino
from sordino import Plan, RefusedError, SordinoError, Survey
from sordino.survey.results.aggregate_file import aggregate_text, load_aggregate, save_aggregate
from sordino.survey.results.result import results
from sordino.survey.results.sourced_aggregate import (
    counts_hash,
    join,
    require_countable,
    sources_of,
    unsourced_of,
    with_sources,
)

CODES = [0, 1, 1, 3, 3, 3]


def saved(plan, path, codes=CODES):
    save_aggregate(plan, plan.sampled.tally(codes), path)
    return json.loads(path.read_bytes())


def test_an_aggregate_file_holds_the_counts_and_the_plan(tmp_path, plan):
    document = saved(plan("named"), tmp_path / "a.json")
    assert document == {
        "format": "sordino aggregate",
        "version": 1,
        "plan": plan("named").hash,
        "counts": [1, 2, 0, 3],
    }


FIRST, SECOND = "a" * 32, "b" * 32


def of_sources(plan, unsourced=(), **sources):
    tallies = {source: plan.sampled.tally(codes) for source, codes in sources.items()}
    return with_sources(plan.sampled.tally(unsourced), tallies)


def test_an_aggregate_file_holds_the_counts_of_each_source(tmp_path, plan):
    made, path = plan("named"), tmp_path / "a.json"
    file = made.sampled.tally([2, 2])
    save_aggregate(made, of_sources(made, [3], **{SECOND: [0], FIRST: [0, 1], counts_hash(file): [2, 2]}), path)
    document = json.loads(path.read_bytes())
    assert document["counts"] == [2, 1, 2, 1]
    assert document["sources"] == {FIRST: [1, 1, 0, 0], SECOND: [1, 0, 0, 0], counts_hash(file): [0, 0, 2, 0]}
    read = load_aggregate(made, path)
    assert (read.n, read.counts.tolist()) == (6, document["counts"])
    assert {source: own.counts.tolist() for source, own in sources_of(read).items()} == document["sources"]
    assert unsourced_of(read).counts.tolist() == [0, 0, 0, 1]
    save_aggregate(made, read, path, overwrite=True)
    assert json.loads(path.read_bytes()) == document


def test_the_largest_of_known_sources_needs_no_counts_of_its_own(tmp_path, plan):
    made, path = plan("named"), tmp_path / "a.json"
    for sources, largest, listed in (
        ({FIRST: [0, 1]}, FIRST, None),
        ({FIRST: [0, 1], SECOND: [0, 1, 3]}, SECOND, {FIRST: [1, 1, 0, 0]}),
        ({FIRST: [0], SECOND: [3]}, FIRST, {SECOND: [0, 0, 0, 1]}),
    ):
        save_aggregate(made, of_sources(made, **sources), path, overwrite=path.exists())
        document = json.loads(path.read_bytes())
        assert (document["source"], document.get("sources")) == (largest, listed)
        read = load_aggregate(made, path)
        counted = {source: made.sampled.tally(codes).counts.tolist() for source, codes in sources.items()}
        assert {source: own.counts.tolist() for source, own in sources_of(read).items()} == counted
        assert unsourced_of(read).n == 0


WRONG_SOURCES = {
    "no names": ([FIRST], "must name collectors"),
    "another name": ({"a": [0, 0, 0, 0]}, "must name collectors"),
    "a name that goes on": ({f"{FIRST}\n": [0, 0, 0, 0]}, "must name collectors"),
    "a name that is none": ({}, "must name collectors", 5),
    "a name twice": ({FIRST: [1, 0, 0, 0]}, "must name collectors", FIRST),
    "the hash of other counts": ({FIRST: [1, 0, 0, 0]}, "must have the hash of its counts", "0" * 64),
    "too few counts": ({FIRST: [0, 0, 0]}, f"source {FIRST} must have a count >= 0 for each of 4"),
    "more than all": ({FIRST: [1, 2, 1, 0]}, "must hold in all the reports of its sources"),
    "more than all together": ({FIRST: [1, 2, 0, 0], SECOND: [1, 0, 0, 0]}, "must hold in all"),
    "around 64 bits": ({f"{n:032x}": [2**52, 0, 0, 0] for n in range(2**12)}, "must hold in all"),
    "another hash": ({"0" * 64: [1, 0, 0, 0]}, "must have the hash of its counts"),
}


@pytest.mark.parametrize("wrong", WRONG_SOURCES.values(), ids=WRONG_SOURCES)
def test_wrong_sources_are_refused(tmp_path, plan, wrong):
    (sources, words, *own), path = wrong, tmp_path / "a.json"
    named = {"source": own[0]} if own else {}
    path.write_text(json.dumps({**saved(plan("named"), path), "sources": sources, **named}))
    with pytest.raises(SordinoError, match=words):
        load_aggregate(plan("named"), path)


def test_a_public_tally_of_several_collectors_is_estimated_from_and_not_added(tmp_path, plan):
    made, path, other = plan("named"), tmp_path / "public.json", tmp_path / "other.json"
    path.write_text(aggregate_text(made, of_sources(made, **{FIRST: [0, 1], SECOND: [1, 1]}), public=True))
    assert json.loads(path.read_text())["hides_sources"]
    assert sordino.aggregate(made, path).counts.tolist() == [1, 3, 0, 0]
    save_aggregate(made, of_sources(made, **{FIRST: [0, 1]}), other)
    for several in ((path, other), (other, path)):
        with pytest.raises(RefusedError, match="must not be added to other reports"):
            sordino.aggregate(made, *several)
    # Of one collector it says which, as it does to the analyst.
    alone = of_sources(made, **{FIRST: [0, 1]})
    assert aggregate_text(made, alone, public=True) == aggregate_text(made, alone)


def test_joined_tallies_count_each_source_once_in_any_order(plan):
    made = plan("named")
    early, late = (of_sources(made, [0], **{FIRST: codes}) for codes in ([1, 1], [1, 1, 3]))
    other = of_sources(made, **{SECOND: [1, 1]})
    for parts in ((early, late, other), (late, early, other), (other, late, early), (late, other, early)):
        total = made.sampled.tally([])
        for part in parts:
            total = join(made.sampled, total, part)
        # Reports of no known source are others each time.
        assert (total.counts.tolist(), unsourced_of(total).n) == ([2, 4, 0, 1], 2)
    with pytest.raises(RefusedError, match=r"3 and 4 reports of a+, of which neither holds the other"):
        join(made.sampled, late, of_sources(made, **{FIRST: [0, 1, 1, 1]}))


def test_tallies_of_one_collector_are_not_added_up(plan):
    made = plan("named")
    first, second = (of_sources(made, [0], **{source: [1]}) for source in (FIRST, SECOND))
    plain = made.sampled.tally([2])
    for total in (first + second + plain, plain + first + second):
        assert (total.counts.tolist(), unsourced_of(total).n, list(sources_of(total))) == (
            [2, 2, 1, 0],
            3,
            [FIRST, SECOND],
        )
    with pytest.raises(
        SordinoError, match="different collectors; found 1 whose reports are in both: put them together"
    ):
        (plain + first) + first


def test_a_tally_that_no_reports_lead_to_is_no_later_one(tables):
    plan = Plan.of(Survey.read(tables({"x": SUBSETS})), 1000)
    size = json.loads(plan.bytes)["queries"][0]["mechanism"]["size"]
    early = plan.sampled.tally([2**size - 1])
    late = type(early)(early.fingerprint, 2, early.counts + np.array([*[1] * 20, 1]))
    with pytest.raises(RefusedError, match="neither holds the other"):
        join(plan.sampled, with_sources(plan.sampled.tally([]), {FIRST: early}), with_sources(early, {FIRST: late}))


def test_counts_that_go_round_in_64_bits_are_refused(plan):
    sampled = plan("named").sampled
    one = sampled.tally([0])
    many = type(one)(one.fingerprint, 2**62, one.counts * 2**62)
    for parts in ([many], [many] * 4, [type(one)(one.fingerprint, 2**53, one.counts * 2**53)]):
        with pytest.raises(RefusedError, match=r"add up to less than 2\^53; found \d+: see which"):
            require_countable(*parts)
    require_countable(type(one)(one.fingerprint, 2**53 - 2, one.counts * (2**53 - 2)), one)


def frequencies(codes):
    """How often each of the codes 0..3 stands there."""
    return [codes.count(code) for code in range(4)]


def held_in_blocks_of_25(codes, blocks):
    """For each block how often each of its 25 values is in a mask; then its masks."""
    counts = [[0] * 26 for _ in range(blocks)]
    for code in codes:
        block, mask = code >> 25, code & (1 << 25) - 1
        for value in range(25):
            counts[block][value] += mask >> value & 1
        counts[block][25] += 1
    return [count for block in counts for count in block]


WITNESSES = {
    "named": (4, frequencies),
    "numbered": (1000, lambda codes: held_in_blocks_of_25(codes, 40)),
    "grid": (350, lambda codes: held_in_blocks_of_25(codes, 14)),
}


@pytest.mark.parametrize(("kind", "k", "counted"), [(kind, *both) for kind, both in WITNESSES.items()], ids=WITNESSES)
def test_aggregates_of_parts_add_up_to_the_whole(tmp_path, plan, kind, k, counted):
    made = plan(kind)
    codes = made.sampled.privatize([np.random.default_rng(1).integers(k, size=1000)])
    total = made.sampled.tally([])
    for i, part in enumerate(np.split(codes, [10, 10, 700])):
        saved(made, tmp_path / f"{i}.json", part)
        total += load_aggregate(made, tmp_path / f"{i}.json")
    assert total.counts.tolist() == counted(codes.tolist())
    assert total.n == 1000


@pytest.mark.parametrize("change", [("smith", "smyth"), ('"1"', '"2"')], ids=["labels", "epsilon"])
def test_another_plans_aggregate_is_refused(tmp_path, plan, change):
    saved(plan("named"), tmp_path / "a.json")
    with pytest.raises(SordinoError, match="a different plan"):
        load_aggregate(plan("named", change), tmp_path / "a.json")


WRONG = {
    "newer version": ({"version": 2}, "newer"),
    "another format": ({"format": "sordino plan"}, "must be an aggregate"),
    "too few": ({"counts": [1, 2, 3]}, "4 counters"),
    "too many": ({"counts": [1, 2, 3, 4, 5]}, "4 counters"),
    "below zero": ({"counts": [1, -2, 3, 4]}, ">= 0"),
    "fractions": ({"counts": [1, 2.5, 3, 4]}, ">= 0"),
    "whole floats": ({"counts": [1, 2.0, 3, 4]}, ">= 0"),
    "texts": ({"counts": ["1", 2, 3, 4]}, ">= 0"),
    "truths": ({"counts": [True, 2, 3, 4]}, ">= 0"),
    "beyond floats": ({"counts": [2**60, 2, 3, 4]}, ">= 0"),
    "no list": ({"counts": 10}, ">= 0"),
    "nothing": ({"counts": None}, ">= 0"),
}


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_aggregate_is_refused(tmp_path, plan, change, words):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**saved(plan("named"), path), **change}))
    with pytest.raises(SordinoError, match=words):
        load_aggregate(plan("named"), path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", None])
def test_a_file_that_is_no_aggregate(tmp_path, plan, content):
    path = tmp_path / "a.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SordinoError, match=str(path)):
        load_aggregate(plan("named"), path)


SUBSETS = {"categories": 20}


@pytest.fixture
def write_counts(tmp_path):
    """An aggregate of a plan with other counts."""

    def write(plan, counts):
        document = {"format": "sordino aggregate", "version": 1, "plan": plan.hash, "counts": counts}
        (tmp_path / "a.json").write_text(json.dumps(document))
        return tmp_path / "a.json"

    return write


IMPOSSIBLE = {
    "one more": lambda size, n: [n, *[0] * 19, n],
    "a value in more subsets than there are": lambda size, n: [n + 1, *[n] * (size - 2), n - 1, *[0] * (20 - size), n],
    "no reports": lambda size, n: [n] * size + [0] * (20 - size) + [0],
    "a report without values": lambda size, n: [n] * size + [0] * (20 - size) + [n + 1],
    "too many": lambda size, n: [2**51] * size + [0] * (20 - size) + [2**51],
}


@pytest.mark.parametrize("counts", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_counts_that_no_reports_add_up_to_are_refused(tables, write_counts, counts):
    plan = Plan.of(Survey.read(tables({"x": SUBSETS})), 1000)
    size = json.loads(plan.bytes)["queries"][0]["mechanism"]["size"]
    right = [5] * size + [0] * (20 - size) + [5]
    assert load_aggregate(plan, write_counts(plan, right)).n == 5
    with pytest.raises(SordinoError, match="reports can add up to"):
        load_aggregate(plan, write_counts(plan, counts(size, 5)))


def test_impossible_counts_of_any_block_or_question_are_refused(tables, write_counts):
    attributes = {
        "blocks": {"categories": 40, "protect": {"blocks": 10}},
        "sensitive": {"categories": 12, "protect": {"sensitive": list(range(10))}},
    }
    plan = Plan.of(Survey.read(tables(attributes)), 1000)
    values = [np.arange(4000) % 40, np.arange(4000) % 12]
    counts = plan.sampled.tally(plan.sampled.privatize(values)).counts.tolist()
    assert load_aggregate(plan, write_counts(plan, counts)).counts.tolist() == counts
    names = [part["name"] for part in plan.document.queries[0].mechanism["inner"]]
    assert (names, plan.document.queries[1].mechanism["inner"]["name"]) == (["subset"], "subset")
    for counter in (*range(0, 44, 5), *range(44, 55)):
        wrong = [*counts[:counter], counts[counter] + 1, *counts[counter + 1 :]]
        with pytest.raises(SordinoError, match="reports can add up to"):
            load_aggregate(plan, write_counts(plan, wrong))
    # How many told themselves is anybody's guess.
    assert load_aggregate(plan, write_counts(plan, [*counts[:-1], counts[-1] + 1])).n == 4001


@pytest.mark.each_value
@pytest.mark.parametrize("method", ["unbiased", "simplex", "block-simplex"])
@pytest.mark.parametrize("n", [1, 2, 10**9])
def test_equal_reports_give_finite_shares(tables, write_counts, method, n):
    """However unlikely it is that all people send the same code."""
    attributes = {"x": SUBSETS, "y": {"categories": 9, "protect": {"sensitive": [0, 4, 5]}}}
    plan = Plan.of(Survey.read(tables(attributes)), 1000)
    sampled = plan.sampled
    codes = sampled.privatize([np.full(99, 3), np.full(99, 4)])
    tallies = {code >= sampled.offsets[1]: sampled.tally([code]).counts for code in codes.tolist()}
    counts = n * (tallies[False] + tallies[True])
    for result in results(plan, load_aggregate(plan, write_counts(plan, counts.tolist())), method):
        assert result.estimate.n == n
        low, high = result.interval
        assert np.isfinite([result.estimate.value, result.estimate.stderr, low, high]).all()
        assert ((low >= 0) & (low <= high) & (high <= 1)).all()
