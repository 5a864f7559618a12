"""Certificates of channels from numbers: against laws listed one by one, and channels that lie in every way."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.one_bit import OneBit
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.sign_tables import Row, SignTables
from sordino.mechanism.signs import SignResponse

from sordino.audit.answers import certify_answers
from sordino.definition.dependence import Dependence
from sordino.design.numbers.sampled_moments import SampledMoments
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.papers.bayesian_coordinate.ball import L2Ball


def table(*weights):
    """A table of errors in proportion to some weights, but for rounding."""
    whole = [weight * 2**64 // sum(weights) for weight in weights]
    whole[0] += 2**64 - sum(whole)
    return tuple(whole)


COIN, PAIR = table(3, 1), table(6, 2, 3, 1)
ROWS = (Row((2,), 0), Row((3, 1), 1), Row((0, 2), 1))
MOMENTS = SampledBits(Moments(3, ((0,), (2,), (0, 1), (1, 1))), ["0.3", "1", "0.5", "2"], [1, 1, 2, 4])
CHANNELS = {
    "bit": OneBit("1"),
    "levels": LevelResponse(5, "2", 2),
    "fine levels": LevelResponse(7, "4"),
    "bits": MOMENTS,
    "one sign": SignResponse(3, "1", 1),
    "two signs": SignResponse(3, "1.5", 2),
    "tables": SignTables(4, (COIN, PAIR), ROWS, (1, 2, 3)),
    "mixture": Mixture(
        4,
        [
            [((1,), OneBit("1"))],
            [((3,), OneBit("0.5")), ((2, 0), SignResponse(2, "1", 1)), ((1,), LevelResponse(3, "1"))],
        ],
        [1, 3],
    ),
}


def level_of(channel, which, values=(-1.0, 0.0, 1.0)):
    """The largest logarithm of a ratio of probabilities of a type's codes, over all records of some values."""
    most, least = {}, {}
    for record in product(values, repeat=channel.d):
        for code in channel.codes(which):
            share = channel.probability(record, code)
            most[code], least[code] = max(share, most.get(code, share)), min(share, least.get(code, share))
    return Nats.log(max(Fraction(most[code], least[code]) for code in most))


@pytest.mark.parametrize("name", CHANNELS)
def test_honest_channels_are_certified(name):
    channel = CHANNELS[name]
    certificate = certify_answers(channel)
    assert certificate.holds
    # What is left of the levels where least is left, from the laws themselves.
    values = channel.corners if name != "fine levels" else (-1.0, 1.0)
    grid = sorted({*values, 0.0})
    left = [
        sum((answer.level for answer in answers), Nats.of(0)) - level_of(channel, which, grid)
        for which, answers in enumerate(channel.types)
    ]
    assert all(slack.sign() >= 0 for slack in left)
    assert certificate.slack <= min(left)
    witness = certificate.witness
    records = np.zeros((2, channel.d))
    records[:, witness.places] = witness.numbers, witness.others
    first, second = (channel.probability(record, witness.code) for record in records.tolist())
    assert witness.loss == Nats.log(first / second) == witness.level - certificate.slack


class Lying(NumberChannel):
    """A channel that can say other things about itself than are true."""

    def __init__(self, truth, **lies):
        self.truth, self.lies = truth, lies

    def __getattribute__(self, name):
        if name in ("truth", "lies") or name.startswith("__"):
            return object.__getattribute__(self, name)
        return self.lies[name] if name in self.lies else getattr(self.truth, name)

    moments = types = outputs = parameters = informative = property(lambda self: None)

    def codes(self, which):
        raise AssertionError

    probability = means = covariance = noise = _sample = codes


def lie(truth, **lies):
    return Lying(truth, **lies)


def with_answers(channel, **changes):
    return tuple(tuple(replace(answer, **changes) for answer in answers) for answers in channel.types)


def laws_from(probability, codes):
    def laws(records, which):
        rows = [[probability(record, code) * 2**140 for code in codes(which)] for record in records.tolist()]
        assert all(share.denominator == 1 for row in rows for share in row)
        return np.array([[int(share) for share in row] for row in rows], dtype=object), Fraction(1, 2**140)

    return laws


@pytest.mark.parametrize("name", [name for name in CHANNELS if name != "tables"])
def test_a_level_that_is_passed_is_found(name):
    truth = CHANNELS[name]
    slack = certify_answers(truth).slack
    less = slack + Fraction(1, 10**25)
    types = tuple(tuple(replace(answer, level=answer.level - less) for answer in answers) for answers in truth.types)
    certificate = certify_answers(lie(truth, types=types))
    assert not certificate.holds
    assert certificate.slack == slack - less
    # Declared as it is, it holds with nothing left.
    types = tuple(tuple(replace(answer, level=answer.level - slack) for answer in answers) for answers in truth.types)
    assert certify_answers(lie(truth, types=types)).slack == 0


def test_one_wrong_threshold_among_many_is_found():
    moments = Moments(6, tuple((j, k) for j in range(6) for k in range(j, 6)))
    honest = SampledBits(moments, ["0.5"] * moments.m, [1] * moments.m)
    assert certify_answers(honest).holds
    raised = [*honest.thresholds]
    raised[13] += 1
    wrong = SampledBits.from_thresholds(moments, raised, [1] * moments.m)
    certificate = certify_answers(lie(wrong, types=honest.types))
    assert not certificate.holds
    assert (certificate.witness.which, certificate.witness.code // 2) == (13, 13)
    assert certificate.witness.places == tuple(sorted({*moments.names[13]}))


def test_a_code_that_some_cannot_send_is_a_loss_without_bound():
    truth = OneBit("1")

    def laws(records, which):
        return np.array([[0, 2] if number > 0 else [1, 1] for number in records[:, 0]], dtype=object), Fraction(1, 2)

    certificate = certify_answers(lie(truth, laws=laws, types=with_answers(truth, linear=False)))
    assert not certificate.holds
    assert not certificate.slack.is_finite
    assert (certificate.witness.loss, certificate.witness.code) == (None, 0)


def drawn_by_the_record(record, code):
    """The first statistic more often, and the second less often, for those whose first number is positive."""
    share = MOMENTS.probability(record, code)
    return share * (1 + Fraction((code < 2) - (code // 2 == 1), 16) * (record[0] > 0))


def told_by_another(record, code):
    """A hair more of the first answer's yes for those whose last number is not 0."""
    share = MOMENTS.probability(record, code)
    return share + (Fraction(code * 2 - 1, 2**60) * (record[2] != 0) if code < 2 else 0)


def of_a_square(record, code):
    """A bit about the square of a number in place of the number."""
    return OneBit("1").probability([2 * record[0] ** 2 - 1], code)


def of_the_first(record, code):
    """A bit about a number in place of a product."""
    return SampledBits(Moments(2, ((0,),)), ["1"], [1]).probability(record, code)


PRODUCT = SampledBits(Moments(2, ((0, 1),)), ["1"], [1])
TWO = Mixture(2, [[((0,), OneBit("1")), ((1,), OneBit("1"))]], [1])


def together(record, code):
    """Two bits that agree a little more often than they would by themselves."""
    share = TWO.probability(record, code)
    return share + Fraction(1 if code in (0, 3) else -1, 2**40) * (1 + int(record[0] * record[1] > 0))


TABLES = CHANNELS["tables"]
LIES = {
    "the draw depends on the record": (MOMENTS, drawn_by_the_record, "draw must not depend"),
    "another number matters": (MOMENTS, told_by_another, "declared numbers only"),
    "largest in the middle": (OneBit("1"), of_a_square, "at corners"),
    "a number in place of a product": (PRODUCT, of_the_first, "called linear"),
    "answers that know of each other": (TWO, together, "independent"),
}


@pytest.mark.parametrize("name", LIES)
def test_laws_that_are_not_as_declared_are_refused(name):
    truth, law, words = LIES[name]
    # The lie is one of the law: what is declared does not change.
    assert certify_answers(truth).holds
    dense = lie(truth, laws=laws_from(law, truth.codes))
    with pytest.raises(SordinoError, match=words):
        certify_answers(dense)


def test_several_levels_are_not_linear():
    truth = LevelResponse(3, "1")
    with pytest.raises(SordinoError, match="called linear"):
        certify_answers(lie(truth, types=with_answers(truth, linear=True)))
    # Two levels by two codes are a bit.
    bit = LevelResponse(2, "1")
    assert certify_answers(lie(bit, types=with_answers(bit, linear=True))).holds


def test_levels_between_the_ends_are_not_forgotten():
    # A response to 0 only: the two ends are alike, and nothing is seen there.
    truth = LevelResponse(3, "1")
    with pytest.raises(SordinoError, match="at corners"):
        certify_answers(lie(truth, corners=(-1.0, 1.0)))


def test_declared_tables_must_be_the_channels():
    def with_table(errors, statistics=None):
        types = list(TABLES.types)
        types[1] = (replace(types[1][0], errors=errors, statistics=statistics or types[1][0].statistics),)
        return lie(TABLES, types=tuple(types))

    true = TABLES.types[1][0].errors
    assert certify_answers(with_table(true)).holds
    assert certify_answers(with_table(tuple(2 * weight for weight in true))).holds
    moved = (true[0] - 1, true[1] + 1, *true[2:])
    for wrong in (with_table((true[0], true[2], true[1], true[3])), with_table(moved)):
        with pytest.raises(SordinoError, match="a declared table of errors must be the channel's"):
            certify_answers(wrong)
    with pytest.raises(SordinoError, match="a declared table of errors must be the channel's"):
        certify_answers(with_table(true, ((1,), (3,))))
    # Without the table the level alone is declared, and kept.
    assert certify_answers(with_table(())).holds


def test_numbers_must_be_rounded_one_by_one():
    both = SignTables(2, (table(6, 2, 3, 1),), (Row((0, 1), 0),), (1,))

    def laws(records, which):
        # A single word rounds both numbers: the signs of equal numbers always agree.
        mixed = []
        for record in records:
            ends = sorted({-1.0, *record.tolist(), 1.0})
            parts = [(high - low, np.where(record > low, 1.0, -1.0)) for low, high in pairwise(ends)]
            mixed.append(
                sum(
                    np.array([int(width * 2**60)]) * both.laws(signs[None], 0)[0][0].astype(object)
                    for width, signs in parts
                )
            )
        return np.array(mixed, dtype=object), both.laws(np.ones((1, 2)), 0)[1] / 2**61

    with pytest.raises(SordinoError, match="drawn one by one"):
        certify_answers(lie(both, laws=laws))


def test_codes_must_be_a_partition():
    bits = CHANNELS["bits"]
    for codes in (lambda which: range(2), lambda which: [2 * which], lambda which: range(2 * which, 2 * which + 3)):
        with pytest.raises(SordinoError, match="every code must belong to one type"):
            certify_answers(lie(bits, codes=codes))


def test_a_part_of_the_draw_must_not_be_missing():
    bits = CHANNELS["bits"]
    with pytest.raises(SordinoError, match="probabilities must sum to 1"):
        certify_answers(lie(bits, laws=lambda records, which: (bits.laws(records, which)[0], Fraction(1, 2**70))))


def test_answers_about_the_same_number_are_not_checked():
    same = Mixture(2, [[((0,), OneBit("1")), ((0, 1), SampledBits(Moments(2, ((0, 1),)), ["1"], [1]))]], [1])
    with pytest.raises(SordinoError, match="different numbers to be checked"):
        certify_answers(same)


def test_channels_with_too_many_codes_are_refused():
    for channel in (L2Ball(3, 2.0, "1"), SignResponse(40, "3", 4), SignResponse(11, "3", 11)):
        with pytest.raises(SordinoError, match="only smaller channels"):
            certify_answers(channel)


def large(d, signs, tables, rows):
    rng = np.random.default_rng(3)
    made = tuple(table(*(int(weight) for weight in rng.integers(1, 1000, 1 << signs))) for _ in range(tables))
    chosen = [tuple(int(place) for place in rng.permutation(d)[:signs]) for _ in range(rows)]
    every = [*chosen, *((*range(j, d), *range(j))[:signs] for j in range(d))]
    return SignTables(d, made, tuple(Row(places, r % tables) for r, places in enumerate(every)), (1,) * len(every))


def test_large_rows_are_all_looked_at():
    channel = large(12, 8, 2, 8)
    assert certify_answers(channel).holds
    for row in (0, 7, len(channel.rows) - 1):
        for place in (0, 200, 255):

            def laws(records, which, row=row, place=place):
                weights, unit = channel.laws(records, which)
                if which == row:
                    weights = weights.copy()
                    weights[:, place] += 1
                    weights[:, place ^ 1] -= 1
                return weights, unit

            with pytest.raises(SordinoError, match="must be the channel's"):
                certify_answers(lie(channel, laws=laws))


@pytest.mark.long
def test_the_largest_rows_and_the_largest_covariance_take_seconds():
    assert certify_answers(large(14, 12, 2, 2)).holds
    assert certify_answers(SampledMoments(["0.5"] * 100, "2", Dependence.bounded(["0.2"] * 100))).holds


@pytest.mark.parametrize("d", [2, 30])
def test_chosen_channels_are_certified(d):
    deltas = ["0.4", *["1.5"] * (d - 1)]
    channel = SampledMoments(deltas, "2", Dependence.bounded(["0.1", *["0.5"] * (d - 1)]))
    assert certify_answers(channel).holds
