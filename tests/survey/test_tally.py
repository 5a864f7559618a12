"""Aggregate files: what was counted is read again, of its own plan and version only, and adds up."""

import json

import numpy as np
import pytest

from sordino.errors import SordinoError
from sordino.survey.tally import load_aggregate, save_aggregate

CODES = [0, 1, 1, 3, 3, 3]


def saved(plan, path, codes=CODES):
    save_aggregate(plan, plan.query.mechanism.tally(codes), path)
    return json.loads(path.read_bytes())


def test_an_aggregate_file_holds_the_counts_and_the_plan(tmp_path, plan):
    document = saved(plan("named"), tmp_path / "a.json")
    assert document == {
        "format": "sordino aggregate",
        "version": 1,
        "plan": plan("named").hash,
        "counts": [1, 2, 0, 3],
    }


@pytest.mark.parametrize("kind", ["named", "numbered", "grid"])
def test_aggregates_of_parts_add_up_to_the_whole(tmp_path, plan, kind):
    made = plan(kind)
    codes = np.random.default_rng(1).integers(made.query.mechanism.outputs, size=1000)
    total = made.query.mechanism.tally([])
    for i, part in enumerate(np.split(codes, [10, 10, 700])):
        saved(made, tmp_path / f"{i}.json", part)
        total += load_aggregate(made, tmp_path / f"{i}.json")
    assert total.counts.tolist() == [int((codes == code).sum()) for code in range(made.query.mechanism.outputs)]


@pytest.mark.parametrize("change", [("smith", "smyth"), ('"1"', '"2"')], ids=["labels", "epsilon"])
def test_another_plans_aggregate_is_refused(tmp_path, plan, change):
    saved(plan("named"), tmp_path / "a.json")
    with pytest.raises(SordinoError, match="another plan"):
        load_aggregate(plan("named", change), tmp_path / "a.json")


WRONG = {
    "newer version": ({"version": 2}, "newer"),
    "another format": ({"format": "sordino plan"}, "must be an aggregate"),
    "too few": ({"counts": [1, 2, 3]}, "4 codes"),
    "too many": ({"counts": [1, 2, 3, 4, 5]}, "4 codes"),
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
