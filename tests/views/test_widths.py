"""Whatever few reports say, all that is told of them has an interval with a width: nothing is surer than it is."""

from itertools import product

import numpy as np
import pytest

from sordino import Aggregate, Partition, RandomizedResponse
from sordino.estimation.share_estimate import estimate
from sordino.papers.simulation import SimulationSource
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.results.result import Untold, results
from sordino.views.collection_changes import changes
from sordino.views.pooled_results import pooled_results
from sordino.views.share_differences import share_differences
from sordino.views.table_results import table_results
from surveys import planned
from tallied import tallies

JOBS = ["smith", "baker", "judge", "clerk", "miner", "nurse"]
ASKED = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "job": {"categories": JOBS},
        "smoker": {"categories": ["yes", "no"]},
        "age": {"number": {"low": 0, "high": 100, "bins": 12}},
        "income": {"number": {"low": 0, "high": 1000, "bins": 8}, "missing": "0.1"},
    },
    "ask": [
        {"histogram": "job"},
        {"table": ["smoker", "job"]},
        {"distribution": "age", "ranges": [[0, 25]], "quantiles": ["0.5"]},
        {"distribution": "income", "ranges": [[0, 500]]},
        {"mean": ["income"]},
    ],
}
PEOPLE = {
    "job": np.zeros(20, dtype=int),
    "smoker": np.zeros(20, dtype=int),
    "age": np.full(20, 1.0),
    "income": np.append(np.full(19, 990.0), np.nan),
}
"""All alike, so that the shares of others are far below what noise makes of them."""

HOW = {
    "each": Coverage(),
    "surely": Coverage(0.5),
    "together": Coverage(simultaneous=True),
    "watched": Coverage(watched=True),
}


@pytest.mark.parametrize("coverage", HOW.values(), ids=HOW)
def test_no_interval_is_without_width(coverage):
    plan, before, wide = planned(ASKED, 400), None, 0
    for tally in tallies(plan, PEOPLE, 400, 2, 3):
        found = results(plan, tally, "unbiased", coverage)
        told = [row for one in found if not isinstance(one, Untold) for row in one.rows()]
        told += [row for one in pooled_results(plan, tally, found, coverage) for row in one.rows()]
        for table in table_results(found):
            told += [row for _, row in table.rows()]
        name = found[1].question.name
        pairs = [(name, f"yes, {one}", f"no, {other}") for one, other in product(JOBS, repeat=2)]
        told += share_differences(found, pairs, coverage)
        if before is not None and not coverage.watched:
            told += [row.json() for one in changes(before, found, coverage)[0] for row in one.rows]
        before = found
        # Limits of quantiles are edges; of what nobody may have nothing is known.
        widths = [row["high"] - row["low"] for row in told if "quantile" not in row and row["low"] is not None]
        assert min(widths) > 1e-4
        wide += len(widths)
        for one in found[2:4]:
            if not isinstance(one, Untold):
                low, high = one.band
                assert (high - low)[1:-1].min() > 1e-4
    assert wide > 250


def alike(question, n, source):
    """The tally of one answer to a question, sent so many times."""
    numbers = isinstance(question, NumbersQuestion)
    asked, person = (question.query, [[0.0]]) if numbers else (question.mechanism, [0])
    return asked.tally(np.repeat(asked.privatize(person, source), n)).counts


@pytest.mark.parametrize("n", [2, 5, 80])
def test_reports_that_are_all_alike_are_not_sure(n):
    """They show no noise of a sum either: that of a table's cells over an attribute had no error."""
    plan, rows = planned(ASKED, 400), []
    for seed in range(8):
        counts = np.concatenate([alike(question, n, SimulationSource(seed)) for question in plan.questions])
        tally = Aggregate(plan.sampled.fingerprint, n * len(plan.questions), counts)
        found = results(plan, tally, "unbiased")
        rows += [row for one in found if not isinstance(one, Untold) for row in one.rows()]
        rows += [row for table in table_results(found) for _, row in table.rows()]
    assert min(row["high"] - row["low"] for row in rows if "quantile" not in row and row["low"] is not None) > 1e-4
    channel = RandomizedResponse(6, "1")
    sums = estimate(channel, channel.tally([5] * n)).sums(Partition.of([[0, 1], [2, 3, 4], [5]]))
    assert sums.stderr.min() > 0.05
