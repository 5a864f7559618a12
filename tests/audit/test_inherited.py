"""What the definitions promise of any channel: pairs by brute force, merged outputs, two reports, and beliefs."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import LDP, BlockLDP, ChannelTable, HighLowLDP, Nats, PairwiseLDP
from sordino.audit.certificate import certify

AMOUNTS = ["0", "1/3", "1", "ln 2", "ln 3", "2.5", "inf", "inf"]


@st.composite
def tables(draw, k, most=4):
    """Rows of whole weights with one sum; some weights are zero."""
    codes = draw(st.integers(1, most))
    rows = draw(st.lists(st.lists(st.integers(0, 12), min_size=codes, max_size=codes), min_size=k, max_size=k))
    total = max(1, *map(sum, rows))
    # What a row lacks is added to one of its codes.
    where = draw(st.lists(st.integers(0, codes - 1), min_size=k, max_size=k))
    for row, place in zip(rows, where, strict=True):
        row[place] += total - sum(row)
    return rows


@st.composite
def definitions(draw, k):
    """Any of the four kinds."""
    kind = draw(st.sampled_from(["all", "blocks", "sensitive", "matrix"] if k > 1 else ["all", "matrix"]))
    epsilon = draw(st.sampled_from(AMOUNTS[:6]))
    if kind == "all":
        return LDP(epsilon)
    if kind == "blocks":
        return BlockLDP(draw(st.lists(st.integers(0, 2), min_size=k, max_size=k)), epsilon)
    if kind == "sensitive":
        sensitive = st.lists(st.integers(0, k - 1), min_size=1, max_size=k - 1, unique=True)
        return HighLowLDP(k, draw(sensitive), epsilon)
    amount = st.sampled_from(AMOUNTS)
    return PairwiseLDP([["0" if x == y else draw(amount) for y in range(k)] for x in range(k)])


def bound_of(definition, x, y):
    """The bound of an ordered pair, None if it is not protected."""
    if isinstance(definition, PairwiseLDP):
        return definition.bounds[x][y]
    if isinstance(definition, BlockLDP):
        return definition.epsilon if definition.partition.block[x] == definition.partition.block[y] else None
    if isinstance(definition, HighLowLDP):
        return definition.epsilon if x in definition.sensitive else None
    return definition.epsilon


def ratio(rows, x, y):
    """The largest ratio of the weights of x to those of y; None if infinite."""
    both = [(heavy, light) for heavy, light in zip(rows[x], rows[y], strict=True) if heavy]
    return max(Fraction(h, low) for h, low in both) if all(low for _, low in both) else None


def tight_matrix(rows):
    """The least bounds that a channel keeps."""
    k = len(rows)
    ratios = {(x, y): ratio(rows, x, y) for x, y in permutations(range(k), 2)}
    return PairwiseLDP(
        [
            [0 if x == y else None if ratios[x, y] is None else Nats.log(ratios[x, y]) for y in range(k)]
            for x in range(k)
        ]
    )


def both_reports(first, second):
    """The channel of a report of each."""
    return [[a * b for a in one for b in other] for one, other in zip(first, second, strict=True)]


@given(st.data(), st.integers(1, 5))
def test_certificates_of_any_table_are_those_of_all_pairs(data, k):
    rows, definition = data.draw(tables(k)), data.draw(definitions(k))
    certificate = certify(ChannelTable(rows), definition)
    losses = {}
    for x, y in permutations(range(k), 2):
        bound = bound_of(definition, x, y)
        if bound is not None:
            worst = ratio(rows, x, y)
            losses[x, y] = Nats.log(0) if worst is None else bound - Nats.log(worst)
    if not losses:
        assert (certificate.holds, certificate.witness) == (True, None)
        return
    assert certificate.slack == min(losses.values())
    assert certificate.holds == (min(losses.values()) >= 0)
    witness = certificate.witness
    assert losses[witness.value, witness.other] == certificate.slack
    heavy, light = (rows[x][witness.code] for x in (witness.value, witness.other))
    assert witness.loss == (Nats.log(Fraction(heavy, light)) if light else None)


@given(st.data(), st.integers(1, 5))
def test_merging_outputs_never_lowers_the_slack(data, k):
    rows, definition = data.draw(tables(k, 6)), data.draw(definitions(k))
    merged_codes = data.draw(st.integers(1, 3))
    goal = data.draw(st.lists(st.integers(0, merged_codes - 1), min_size=len(rows[0]), max_size=len(rows[0])))
    merged = [
        [sum(w for w, g in zip(row, goal, strict=True) if g == code) for code in range(merged_codes)] for row in rows
    ]
    before, after = (certify(ChannelTable(table), definition) for table in (rows, merged))
    assert after.slack >= before.slack
    assert after.holds >= before.holds


@given(st.data(), st.integers(1, 4))
def test_randomized_post_processing_never_lowers_the_slack(data, k):
    rows, definition = data.draw(tables(k)), data.draw(definitions(k))
    noise = np.array(data.draw(tables(len(rows[0]), 3)), dtype=object)
    after = certify(ChannelTable((np.array(rows, dtype=object) @ noise).tolist()), definition)
    assert after.slack >= certify(ChannelTable(rows), definition).slack


@given(st.data(), st.integers(1, 4))
def test_two_reports_keep_the_sum_of_what_each_keeps(data, k):
    first, second = data.draw(tables(k)), data.draw(tables(k))
    together = tight_matrix(first) + tight_matrix(second)
    certificate = certify(ChannelTable(both_reports(first, second)), together)
    assert certificate.holds
    if k > 1 and len(second[0]) == 1:
        # The second report says nothing: the sum is tight.
        assert certificate.slack == certify(ChannelTable(first), tight_matrix(first)).slack


@given(st.data(), st.integers(2, 4), st.sampled_from(["all", "blocks", "sensitive"]))
def test_two_reports_keep_the_sum_of_their_epsilons(data, k, kind):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=k, max_size=k))
    build = {
        "all": LDP,
        "blocks": lambda epsilon: BlockLDP(labels, epsilon),
        "sensitive": lambda epsilon: HighLowLDP(k, [0], epsilon),
    }[kind]
    tabled = [data.draw(tables(k)) for _ in range(2)]
    kept = []
    for rows in tabled:
        slack = certify(ChannelTable(rows), build("0")).slack
        if not slack.is_finite:
            return
        kept.append(build(Nats.of(0) - slack))
    together = kept[0] + kept[1]
    assert together.epsilon == kept[0].epsilon + kept[1].epsilon
    assert certify(ChannelTable(both_reports(*tabled)), together).holds


def test_a_sum_that_forgot_a_report_would_be_found():
    rows = [[3, 1], [1, 3]]
    alone = tight_matrix(rows)
    assert not certify(ChannelTable(both_reports(rows, rows)), alone).holds
    assert certify(ChannelTable(both_reports(rows, rows)), alone + alone).slack == 0


PRIORS = [
    [Fraction(1, 3)] * 3,
    [Fraction(98, 100), Fraction(1, 100), Fraction(1, 100)],
    [Fraction(1, 10**9), Fraction(1, 2), Fraction(1, 2) - Fraction(1, 10**9)],
]


def test_no_report_shifts_the_odds_of_protected_values_by_more_than_their_bound(awkward, exp_bounds):
    rng = np.random.default_rng(1)
    for channel in awkward:
        if not 2 <= channel.k <= 4:
            continue
        from_draw = [Fraction(int(share), 1000) for share in rng.integers(1, 1000, channel.k)]
        for prior in ([Fraction(1, channel.k)] * channel.k, [share / sum(from_draw) for share in from_draw]):
            for column in channel.weights.T:
                joint = [share * int(weight) for share, weight in zip(prior, column, strict=True)]
                posterior = [amount / sum(joint) for amount in joint]
                for x, y in permutations(range(channel.k), 2):
                    if channel.bounds[x][y] is not None:
                        most = exp_bounds(Nats.of(channel.bounds[x][y]).rational, Nats.of(channel.bounds[x][y]).ratio)[
                            0
                        ]
                        assert posterior[x] * prior[y] <= most * posterior[y] * prior[x]


@pytest.mark.parametrize("prior", PRIORS, ids=["even", "one likely", "one rare"])
def test_under_ldp_a_belief_stays_between_its_limits_whatever_it_was(prior, exp_bounds):
    # At eps = 1: between p / (p + (1 - p) e^eps) and p e^eps / (1 - p + p e^eps).
    most = exp_bounds(Fraction(1))[1]
    rows = [[5, 2, 3], [2, 5, 3], [3, 3, 4]]
    assert certify(ChannelTable(rows), LDP("1")).holds
    for code in range(3):
        total = sum(share * rows[x][code] for x, share in enumerate(prior))
        for x, share in enumerate(prior):
            posterior = share * rows[x][code] / total
            assert share / (share + (1 - share) * most) <= posterior <= share * most / (1 - share + share * most)
