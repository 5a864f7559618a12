"""Aggregate files: what was counted is read again, of its own plan and version only, and adds up."""

import json

import numpy as np
import pytest

from sordino.errors import SordinoError
from sordino.survey.tally import load_aggregate, save_aggregate

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
    with pytest.raises(SordinoError, match="another plan"):
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
