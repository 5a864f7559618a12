"""What queries about numbers tell at most: levels by enumeration, which rules serve them, and the worst beliefs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from enumerated import (
    COIN,
    LEVELS,
    PAIR,
    QUERIES,
    TRIPLE,
    WORD,
    answers_of,
    laws_of,
    numbers_of,
    parts_of,
    queries_of,
    row,
    table,
)
from in_one import in_one
from sordino import (
    LDP,
    BitFlips,
    ChannelTable,
    Dependence,
    Nats,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SordinoError,
    SubsetSelection,
    Value,
    WindowResponse,
    sampled_moments,
)
from sordino.audit.answers import answers, certify_queries, level_of
from sordino.definition.sampling import sampling_deltas, sampling_level

every = pytest.mark.parametrize("name", QUERIES)
every_in_one = in_one("name", QUERIES)
SINGLE = [name for name, asked in QUERIES.items() if not isinstance(asked, Sampled)]
TOLD = {
    Number: lambda s: ((s.place,),),
    Product: lambda s: ((s.first, s.second),),
    Signs: lambda s: tuple((p,) for p in s.at),
}


def enumerated_level(mechanism):
    """The largest logarithm of a ratio within a column, from the definition of the channel."""
    columns = zip(*(row(mechanism, value) for value in range(mechanism.k)), strict=True)
    return max(Nats.log(max(column) / min(column)) for column in columns)


@every_in_one
def test_each_query_is_an_answer_at_the_level_of_its_channel(name):
    asked = QUERIES[name]
    types = answers(asked)
    assert len(types) == len(queries_of(asked))
    told = [answer for together in types for answer in together]
    assert list(map(len, types)) == [len(parts_of(query)) for query, _ in queries_of(asked)]
    for answer, query in zip(told, answers_of(asked), strict=True):
        assert answer.level == level_of(query.mechanism) == enumerated_level(query.mechanism)
        assert answer.statistics == TOLD[type(query.statistic)](query.statistic)
        # Bounds for one moment serve what is read as one of two values, and nothing else.
        assert answer.linear == (query.statistic.k == 2)
        assert answer.linear or isinstance(query.statistic, Signs) or answer.sole_statistic is None
    each = (
        sum((enumerated_level(part.mechanism) for part in parts_of(query)), start=Nats.of(0))
        for query, _ in queries_of(asked)
    )
    assert sampling_level(types) == max(each)


def test_a_table_is_told_where_signs_are_flipped_by_one():
    for query, expected in (
        (Query(Signs((2, 0)), PAIR), PAIR.table),
        (Query(Signs((0, 2, 1)), TRIPLE), TRIPLE.table),
        # Any other channel that is a table of flips, in its own unit.
        (Query(Signs((0, 1)), RandomizedResponse(4, "ln 3")), None),
        (Query(Signs((0, 1)), ChannelTable([[4, 2, 3, 1], [2, 4, 1, 3], [3, 1, 4, 2], [1, 3, 2, 4]])), (4, 2, 3, 1)),
    ):
        ((answer,),) = answers(query)
        assert answer.errors
        assert expected is None or answer.errors == expected
    ((answer,),) = answers(Query(Signs((0, 1)), RandomizedResponse(4, "ln 3")))
    first, *others = answer.errors
    assert len(set(others)) == 1
    assert Nats.log(Fraction(first, others[0])) == answer.level
    # Points and single signs have none: no number is told by a sign of its own there.
    for query in (Query(Number(0, 4), RandomizedResponse(4, "1")), Query(Number(0, 4), PAIR), Query(Number(0), COIN)):
        assert answers(query)[0][0].errors == ()


def xor_rows(k, seed=5):
    weights = np.random.default_rng(seed).integers(1, 1000, k)
    return [[int(weights[value ^ code]) for code in range(k)] for value in range(k)]


@pytest.mark.parametrize("k", [4, 8])
def test_a_channel_that_is_nearly_a_table_of_flips_is_none(k):
    """Two entries of one row exchanged, whichever they are: the level is told, the table is not."""
    rows = xor_rows(k)
    signs = Signs(tuple(range(k.bit_length() - 1)))
    assert answers(Query(signs, ChannelTable(rows)))[0][0].errors == tuple(rows[0])
    for value in range(k):
        for first in range(k):
            second = (first * 3 + 1) % k if (first * 3 + 1) % k != first else (first + 1) % k
            crafted = [list(own) for own in rows]
            crafted[value][first], crafted[value][second] = crafted[value][second], crafted[value][first]
            if crafted != rows:
                ((answer,),) = answers(Query(signs, ChannelTable(crafted)))
                assert answer.errors == ()
                assert not answer.linear


def test_a_channel_that_is_too_large_to_be_read_is_no_table_of_flips(monkeypatch):
    """Wherever the one weight stands that differs; what holds nothing but a table is one at any size."""
    monkeypatch.setattr("sordino.audit.answers.READ_IN_FULL", 16)
    for place in range(64):
        rows = xor_rows(8, seed=11 + place)
        value, code = divmod(place, 8)
        rows[value][code] += 1
        rows[value][code ^ 1] -= 1
        ((answer,),) = answers(Query(Signs((0, 1, 2)), ChannelTable(rows)))
        assert answer.errors == ()
    large = BitFlips(table(*range(5, 13)))
    assert answers(Query(Signs((0, 1, 2)), large))[0][0].errors == large.table


def test_channels_of_another_shape_have_no_table():
    for mechanism in (WindowResponse(4, "1", 2), SubsetSelection(4, "1", 2)):
        ((answer,),) = answers(Query(Signs((0, 1)), mechanism))
        assert (answer.errors, answer.linear) == ((), False)
    # A window of one code is randomized response, and so a table.
    assert answers(Query(Signs((0, 1)), WindowResponse(4, "1")))[0][0].errors


BOUNDS = ("0", "0.05", "0.3", "1")


@pytest.mark.each_value
@pytest.mark.parametrize("q", BOUNDS)
@pytest.mark.parametrize("name", SINGLE)
def test_no_belief_within_the_bounds_learns_more_than_the_delta(name, q, worst_loss):
    """Of all laws of the others within a total variation, the worst is found by a linear program."""
    asked, d = QUERIES[name], max(numbers_of(QUERIES[name]), 2)
    law = np.empty((2,) * d + (asked.outputs,))
    for signs in product((0, 1), repeat=d):
        law[signs] = [float(share) for share in laws_of(asked, [2.0 * sign - 1 for sign in signs])]
    if "large" in name:
        return
    deltas = sampling_deltas(answers(asked), Dependence.bounded([q] * d))
    for i, delta in enumerate(deltas):
        loss = worst_loss(law, i, float(q))
        assert loss <= float(delta) + 1e-9
        if name in ("one bit", "one bit, ln", "signs", "signs, three", "signs, any channel", "signs, one", "together"):
            assert loss == pytest.approx(float(delta), abs=1e-7)


def exact_losses(asked, prior, numbers):
    """What the codes tell of each attribute to whoever believes a prior, exactly: by enumeration of all records."""
    d, losses = len(numbers), []
    cells = {
        at: Fraction(np.array(prior, dtype=object)[at]) for at in product(*(range(len(points)) for points in numbers))
    }
    laws = {at: laws_of(asked, [float(points[j]) for points, j in zip(numbers, at, strict=True)]) for at in cells}
    for i in range(d):
        rows = []
        for value in range(len(numbers[i])):
            mass = sum(share for at, share in cells.items() if at[i] == value)
            if mass:
                rows.append(
                    [
                        sum(share * laws[at][code] for at, share in cells.items() if at[i] == value) / mass
                        for code in range(asked.outputs)
                    ]
                )
        pairs = [(one, other) for one in rows for other in rows]
        losses.append(max(Nats.log(a / b) for one, other in pairs for a, b in zip(one, other, strict=True)))
    return losses


SIGNS = (-1, 1)
XOR = [[["1/4" if (a * b > 0) == (c > 0) else 0 for c in SIGNS] for b in SIGNS] for a in SIGNS]
"""Two fair independent signs, and the third their product: any two are independent, all three are not."""

LEANING = [[[f"{1 + a + 2 * b + 3 * c + 2 * a * b * c}/34" for c in (0, 1)] for b in (0, 1)] for a in (0, 1)]
PRIORS = {"xor": (XOR, 1), "leaning": (LEANING, None)}
MOMENTS = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


@in_one("prior", PRIORS)
@in_one("name", [name for name in QUERIES if numbers_of(QUERIES[name]) <= 3 and "large" not in name])
def test_deltas_hold_for_the_prior_that_bounds_were_made_of(name, prior):
    asked, (law, _) = QUERIES[name], PRIORS[prior]
    dependence = Dependence.from_prior(law, MOMENTS, [SIGNS] * 3)
    deltas = sampling_deltas(answers(asked), dependence)
    for loss, delta in zip(exact_losses(asked, law, [SIGNS] * 3), deltas, strict=True):
        assert loss <= delta


def test_a_product_tells_the_number_that_is_made_of_it():
    dependence = Dependence.from_prior(XOR, MOMENTS, [SIGNS] * 3)
    alone, product_of, both = (
        Query(Number(0), RandomizedResponse(2, "ln 3")),
        Query(Product(0, 1), RandomizedResponse(2, "ln 3")),
        Query(Signs((0, 1)), BitFlips(table(9, 3, 3, 1))),
    )
    for query in (alone, product_of, both):
        losses = exact_losses(query, XOR, [SIGNS] * 3)
        deltas = sampling_deltas(answers(query), dependence)
        assert all(loss <= delta for loss, delta in zip(losses, deltas, strict=True))
    # One sign says nothing of the others; a product nothing of its factors, and all of the third.
    assert [loss.sign() for loss in exact_losses(alone, XOR, [SIGNS] * 3)] == [1, 0, 0]
    assert sampling_deltas(answers(alone), dependence)[1:] == (Nats.of(0),) * 2
    assert exact_losses(product_of, XOR, [SIGNS] * 3)[2] == level_of(product_of.mechanism)
    assert sampling_deltas(answers(product_of), dependence)[2] == level_of(product_of.mechanism)
    # Two signs by flips that are independent tell the third as well, beyond what either tells alone.
    assert exact_losses(both, XOR, [SIGNS] * 3)[2].sign() > 0
    assert sampling_deltas(answers(both), dependence)[2].sign() > 0


MEANS = [["1/4", 0, "1/4"], [0, "1/2", 0]]
"""Given one value of the first attribute the number is -1 or 1, given the other 0: of one mean, never the same."""


def test_points_tell_what_equal_means_would_deny():
    dependence = Dependence.from_prior(MEANS, [(1,)], [None, (-1.0, 0.0, 1.0)])
    assert dependence.of(0, (1,)) == 0
    for query in (Query(Number(1, 3), LEVELS), Query(Number(1, 3), RandomizedResponse(3, "2")), Query(Number(1), COIN)):
        loss = exact_losses(query, MEANS, [(0, 1), (-1.0, 0.0, 1.0)])[0]
        assert loss <= sampling_deltas(answers(query), dependence)[0]
        assert (loss.sign() > 0) == (query.statistic.k > 2)


def test_the_verdict_is_that_on_the_channel_where_least_is_left():
    coin, slack = RandomizedResponse(2, "1/2"), []
    for epsilon in ("1", "2"):
        certificate = certify_queries(QUERIES["sampled, everything"], LDP(epsilon))
        levels = [enumerated_level(query.mechanism) for query, _ in queries_of(QUERIES["sampled, everything"])]
        assert certificate.slack == Nats.of(epsilon) - max(levels)
        assert certificate.holds == (max(levels) <= epsilon)
        slack.append(certificate.slack)
    assert slack[1] - slack[0] == Nats.of(1)
    raised = RandomizedResponse.from_threshold(2, coin.threshold + 1)
    many = [Query(Product(j, k), raised if (j, k) == (2, 4) else coin) for j in range(6) for k in range(j, 6)]
    honest = Sampled(tuple(Query(query.statistic, coin) for query in many), (1,) * len(many))
    assert certify_queries(honest, LDP("1/2")).holds
    certificate = certify_queries(Sampled(tuple(many), (1,) * len(many)), LDP("1/2"))
    assert not certificate.holds
    witness = certificate.witness
    assert witness.loss == Nats.log(Fraction(raised.threshold, WORD - raised.threshold))
    assert raised.weight(witness.value, witness.code) > raised.weight(witness.other, witness.code)


class Lying(RandomizedResponse):
    """A channel that tells other columns than its weights are."""

    def columns(self):
        return RandomizedResponse(self.k, "0.1").columns()


class Leaking(RandomizedResponse):
    """Weights that do not add up."""

    def weight(self, value, code):
        return super().weight(value, code) + (value == 0 == code)


def test_channels_that_are_not_as_they_tell_have_no_level():
    for mechanism in (Lying(2, "1"), Leaking(2, "1"), Lying(4, "1"), Leaking(4, "1")):
        query = Query(Number(0, mechanism.k), mechanism)
        for ask in (answers, lambda asked: certify_queries(asked, LDP("1"))):
            with pytest.raises(SordinoError):
                ask(query)


def test_a_code_that_some_values_cannot_send_is_refused():
    for rows in ([[1, 0], [0, 1]], [[2, 0], [1, 1]]):
        with pytest.raises(SordinoError, match="found a loss that is infinite"):
            answers(Query(Number(0), ChannelTable(rows)))
        assert not certify_queries(Query(Number(0), ChannelTable(rows)), LDP("50")).holds
    # A code that nobody sends is none.
    assert answers(Query(Number(0), ChannelTable([[3, 1, 0], [1, 3, 0]])))[0][0].level == Nats.log(3)


def test_values_of_categories_have_no_sampling_rule():
    for asked in (Query(Value("smoker"), COIN), Sampled((Query(Value(0), COIN), Query(Number(0), COIN)), (1, 1))):
        with pytest.raises(SordinoError, match="queries about numbers"):
            answers(asked)


def test_queries_that_are_drawn_from_in_turn_are_all_told():
    inner = Sampled((Query(Number(0), COIN), Query(Signs((0, 1)), PAIR)), (1, 1))
    outer = Sampled((inner, Query(Number(1), COIN)), (1, 2))
    assert [answer.statistics for (answer,) in answers(outer)] == [((0,),), ((0,), (1,)), ((1,),)]


@pytest.mark.parametrize("d", [2, 30])
def test_chosen_queries_keep_every_delta(d):
    deltas = ["0.4", *["1.5"] * (d - 1)]
    dependence = Dependence.bounded(["0.1", *["0.5"] * (d - 1)])
    asked = sampled_moments(deltas, "2", dependence)
    assert certify_queries(asked, LDP("2")).holds
    assert all(told <= delta for told, delta in zip(sampling_deltas(answers(asked), dependence), deltas, strict=True))


@pytest.mark.long
def test_the_largest_tables_and_the_largest_covariance_take_seconds():
    weights = np.random.default_rng(3).integers(1, 1000, 1 << 12).tolist()
    signs = Query(Signs(tuple(range(12))), BitFlips(table(*weights)))
    ((answer,),) = answers(signs)
    assert answer.errors == signs.mechanism.table
    dependence = Dependence.bounded(["0.2"] * 100)
    asked = sampled_moments(["0.5"] * 100, "2", dependence)
    assert len(answers(asked)) == 5150
    assert all(told <= "0.5" for told in sampling_deltas(answers(asked), dependence))
