"""Expected errors before any data: the published distances, and the dense channel's variances."""

import numpy as np
import pytest

from in_one import in_one
from sordino import BinaryOptimal, Blockwise, ChannelTable, HadamardResponse, HighLow, RandomizedResponse, SordinoError
from sordino.design.accuracy import expected_accuracy, subtracting_helps
from sordino.estimation.unbiased import estimate_shares


@in_one(("blocks", "figure"), [(1, 1.216), (10, 0.383), (20, 0.269), (50, 0.170), (100, 0.121)])
def test_distance_of_a_thousand_values_in_blocks(blocks, figure):
    mechanism = Blockwise(np.arange(1000) % blocks, "1", "hadamard")
    accuracy = expected_accuracy(mechanism, 512_000, subtract_totals=False)
    assert accuracy.total_variation == pytest.approx(figure, rel=0.01)


@pytest.mark.each_value
@pytest.mark.parametrize("subtract_totals", [False, True])
def test_errors_are_those_of_the_dense_channel_at_uniform_values(channel, subtract_totals):
    mechanism = channel.mechanism
    if subtract_totals and mechanism.excess is None:
        with pytest.raises(SordinoError, match="give each report's excess"):
            expected_accuracy(mechanism, 400, subtract_totals=True)
        return
    single = np.stack([estimate_shares(mechanism, e, subtract_totals=subtract_totals) for e in channel.tallies])
    law = channel.matrix.mean(axis=0)
    variance = np.maximum(law @ single**2 - (law @ single) ** 2, 0)
    found = expected_accuracy(mechanism, 400, subtract_totals=subtract_totals)
    assert found.total_variance == pytest.approx(variance.sum(), abs=1e-9)
    assert found.stderr == pytest.approx(np.sqrt(variance.mean() / 400), abs=1e-7)
    assert found.total_variation == pytest.approx(0.5 * np.sqrt(2 / np.pi / 400) * np.sqrt(variance).sum(), abs=1e-6)


@in_one(
    ("mechanism", "helps"),
    [
        (HadamardResponse(2, "1"), True),
        (HadamardResponse(10, "1"), True),
        (RandomizedResponse(10, "1"), False),
        (Blockwise([0, 0, 1, 1, 1], "1", "hadamard"), True),
        (Blockwise([0, 0, 1, 1, 1], "1", "randomized"), False),
        (Blockwise(range(5), "1"), False),
        (BinaryOptimal("1", "2"), False),
        (ChannelTable([[5, 1, 2], [1, 3, 4]]), False),
        (HighLow(8, [1, 4, 5], "1", "hadamard"), True),
        (HighLow(8, [1, 4, 5], "1", "randomized"), False),
        (HighLow(10, range(7), "1", "subset"), False),
    ],
)
def test_subtracting_totals_helps_where_estimates_do_not_add_up_already(mechanism, helps):
    assert subtracting_helps(mechanism) == helps
