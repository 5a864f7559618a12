"""All channels of numbers alike: the law of the sampler, word by word, is the law that they claim, whose losses are
within the level; its means and noise are those of the records; refusals, tallies and keyed sources."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache, singledispatch
from itertools import product

import numpy as np
import pytest

from sordino import (
    KeyedSource,
    LevelResponse,
    Mixture,
    Moments,
    OneBit,
    SampledBits,
    Scaled,
    SignResponse,
    SignTables,
    SordinoError,
)
from sordino.exact.coin import WORD
from sordino.exact.nats import Nats
from sordino.exact.sign import HALF
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.sign_tables import Row

PAIRS = Moments(2, ((1,), (0, 1), (0, 0)))
CHANNELS = {
    "one-bit": OneBit("1"),
    "one-bit-ln": OneBit("ln 3"),
    "one-bit-small": OneBit("0.001"),
    "one-bit-large": OneBit("40"),
    "sampled": SampledBits(Moments.first(3), ["1", "0.2", "2"], [1, 5, 3]),
    "sampled-alike": SampledBits(Moments.first(2), ["1", "1"], [4, 4]),
    "sampled-moments": SampledBits(PAIRS, ["1", "ln 2", "3"], [2, 1, 2]),
    "sampled-one": SampledBits(Moments(2, ((1,),)), ["1"], [9]),
    "signs-1-of-3": SignResponse(3, "1", 1),
    "signs-2-of-3": SignResponse(3, "2", 2),
    "signs-3-of-3": SignResponse(3, "1", 3, 1),
    "signs-3-of-4": SignResponse(4, "0.5", 3),
    "levels-2": LevelResponse(2, "1"),
    "levels-3": LevelResponse(3, "2"),
    "levels-4-3": LevelResponse(4, "1/2", 3),
    "levels-large": LevelResponse(3, "30"),
    "tables-one": SignTables(1, (tuple(quarter << 62 for quarter in (3, 1)),), (Row((0,), 0),), (5,)),
    "tables": SignTables(
        3,
        ((9 << 60, 3 << 60, 3 << 60, 1 << 60), (7 << 61, 1 << 61), (5 << 61, 1, 1 << 61, (1 << 62) - 1)),
        (Row((2, 0), 0), Row((1,), 1), Row((0, 1), 2)),
        (3, 4, 1),
    ),
    "mixture-one": Mixture(3, [[((2,), OneBit("1")), ((0, 1), SignResponse(2, "1", 2))]], [1]),
    "mixture": Mixture(
        3,
        [
            [((2,), OneBit("1")), ((1, 0), SampledBits(PAIRS, ["1", "1", "2"], [1, 1, 1]))],
            [((0,), LevelResponse(3, "2"))],
            [((0, 1, 2), SignResponse(3, "1", 1))],
        ],
        [3, 1, 2],
    ),
}
GRID = (-1.0, -0.3, 0.0, 0.75, 1.0)


def records_of(channel):
    return [*product((-1.0, 1.0), repeat=channel.d), tuple(GRID[1 + place % 4] for place in range(channel.d))]


class Scripted:
    """A source that gives everybody the same public words and the same others."""

    def __init__(self, public, private):
        self.words, self.drawn = {"public": public, "private": private}, Counter()

    def public(self, count, use="question"):
        return ScriptedStream(self, "public", count)

    def stream(self, values):
        return ScriptedStream(self, "private", len(values))


class ScriptedStream:
    def __init__(self, source, kind, count):
        self.source, self.kind, self.count = source, kind, count

    def next(self):
        word = self.source.words[self.kind][self.source.drawn[self.kind]]
        self.source.drawn[self.kind] += 1
        return np.full(self.count, word, dtype=np.uint64)

    def take(self, rows):
        return ScriptedStream(self.source, self.kind, len(np.arange(self.count)[rows]))


def word_for(choice, count):
    """A word from which a uniform choice among `count` gives this choice."""
    return (-(-choice * 2**32 // count) + 1) << 32


def faces(threshold, start=0):
    """Of words counted from `start`, the last below the threshold and the first not below, with how many there are."""
    both = [(threshold - 1, threshold), (threshold, WORD - threshold)]
    return [((start + place) % WORD, Fraction(count, WORD)) for place, count in both if count]


def wrong(number, threshold):
    """2^64 times the probability of the wrong sign: half of all words less |x| of the coin's reach, as floats are."""
    reach = threshold - HALF
    return HALF - min(int(abs(number) * float_up(reach)), reach)


def float_up(whole):
    return float(whole) if int(float(whole)) >= whole else math.nextafter(float(whole), math.inf)


def sign_faces(number, threshold):
    return faces(wrong(number, threshold), HALF)


@singledispatch
def scripts(channel, record):
    """Every way in which a record can be privatized: its probability, public words and others."""
    raise NotImplementedError


@scripts.register
def _(channel: OneBit, record):
    for word, share in sign_faces(record[0], channel.threshold):
        yield share, [], [word]


@scripts.register
def _(channel: SampledBits, record):
    common = math.gcd(*channel.weights)
    total = sum(channel.weights) // common
    statistics = channel.moments.values(np.array([record]))[0].tolist()
    drawn = [which for which, weight in enumerate(channel.weights) for _ in range(weight // common)]
    for choice, which in enumerate(drawn):
        for word, share in sign_faces(statistics[which], channel.thresholds[which]):
            yield share / total, [word_for(choice, total)] if len(statistics) > 1 else [], [word]


@scripts.register
def _(channel: SignResponse, record):
    subsets = math.comb(channel.m, channel.size)
    within = sum(math.comb(channel.size, wrong_signs) for wrong_signs in range(channel.tolerance + 1))
    for rank in range(subsets):
        mask = [m for m in range(2**channel.m) if m.bit_count() == channel.size][rank]
        drawn = [record[place] for place in range(channel.m) if mask >> place & 1]
        for rounding in product(*(sign_faces(number, WORD) for number in drawn)):
            for face, (word, share) in enumerate(faces(channel.threshold)):
                count = 2**channel.size - within if face else within
                for choice in range(count):
                    probability = math.prod(s for _, s in rounding) * share / subsets / count
                    words = [*(w for w, _ in rounding), word, word_for(choice, count)]
                    yield probability, [word_for(rank, subsets)] if subsets > 1 else [], words


@scripts.register
def _(channel: LevelResponse, record):
    place = (Fraction(record[0]) + 1) * (channel.levels - 1) / 2
    up = round((place - math.floor(place)) * WORD)
    # Floats decide where exactly the rounding turns: words far from there.
    middles = [(up // 2, Fraction(up, WORD)), ((up + WORD) // 2, Fraction(WORD - up, WORD))]
    for rounding, first in [(word, share) for word, share in middles if share]:
        for face, (word, share) in enumerate(faces(channel.threshold)):
            count = channel.levels - 1 if face else channel.window
            for choice in range(count):
                yield first * share / count, [], [rounding, word, word_for(choice, count)]


@scripts.register
def _(channel: Mixture, record):
    drawn = [t for t, weight in enumerate(channel.weights) for _ in range(weight)]
    for choice, t in enumerate(drawn):
        parts = [list(scripts(part, [record[place] for place in places])) for places, part in channel.kinds[t]]
        for ways in product(*parts):
            share = math.prod(way[0] for way in ways) / len(drawn)
            public = [word_for(choice, len(drawn))] if len(channel.kinds) > 1 else []
            yield share, public + [w for way in ways for w in way[1]], [w for way in ways for w in way[2]]


@scripts.register
def _(channel: SignTables, record):
    drawn = [row for row, weight in zip(channel.rows, channel.weights, strict=True) for _ in range(weight)]
    for choice, row in enumerate(drawn):
        # A sign is +1 below its number, read as a signed word; words are counted from -2^63.
        for rounding in product(*(faces(HALF + int(record[place] * 2.0**63), HALF) for place in row.places)):
            start = 0
            for weight in channel.tables[row.table]:
                # The first and the last word of each pattern.
                for word, count in [(start, weight - 1), (start + weight - 1, 1)]:
                    share = math.prod(s for _, s in rounding) * Fraction(count, WORD) / len(drawn)
                    if count:
                        yield share, [word_for(choice, len(drawn))], [word, *(w for w, _ in rounding)]
                start += weight


@cache
def law(name, record):
    """Pr(code | record), exactly: each face of a coin as often as its threshold says, each choice once."""
    channel, found = CHANNELS[name], Counter()
    for share, public, private in scripts(channel, record):
        source = Scripted(public, private)
        (code,) = channel.privatize([record], source).tolist()
        assert source.drawn == Counter(public=len(public), private=len(private)), "all words are used, and no more"
        found[code] += share
    assert sum(found.values()) == 1
    return found


def mixed(channel, record, code):
    """Pr(code | record) of a mixture from its parts', independently of how it numbers them."""
    before = 0
    for t, parts in enumerate(channel.kinds):
        sizes = [part.outputs for _, part in parts]
        if code < before + math.prod(sizes):
            own = Fraction(channel.weights[t], sum(channel.weights))
            for (places, part), digit in zip(parts, np.unravel_index(code - before, sizes), strict=True):
                own *= probability(part, [record[place] for place in places], int(digit))
            return own
        before += math.prod(sizes)
    raise AssertionError


def probability(channel, record, code):
    if isinstance(channel, Mixture):
        return mixed(channel, record, code)
    return channel.probability(record, code)


every = pytest.mark.parametrize("name", CHANNELS)


@every
def test_the_sampler_sends_each_code_as_often_as_the_channel_says(name):
    channel = CHANNELS[name]
    for record in records_of(channel):
        said = {code: probability(channel, record, code) for code in range(channel.outputs)}
        if "levels" in name or name == "mixture":  # Floats place a number between its levels.
            assert all(abs(said[code] - law(name, record)[code]) < 2**-50 for code in said)
        else:
            assert law(name, record) == {code: share for code, share in said.items() if share}


@every
def test_no_report_tells_more_than_the_level(name):
    channel = CHANNELS[name]
    records = [*product(GRID, repeat=channel.d), (math.nan,) * channel.d, (7.0,) * channel.d]
    level = {
        "mixture-one": "2",
        "mixture": "3",
        "sampled": "2",
        "sampled-moments": "3",
        "sampled-alike": "1",
        "sampled-one": "1",
        "tables-one": "ln 3",
        "tables": Nats.log(5 << 61),
    }
    bound = Nats.of(level[name]) if name in level else channel.level
    for code in range(channel.outputs):
        shares = [probability(channel, record, code) for record in records]
        assert Nats.log(max(shares) / min(shares)) <= bound
    told = [sum((answer.level for answer in kind), Nats.of(0)) for kind in channel.types]
    assert max(told) <= bound


ASKED = {
    "one-bit": "1",
    "one-bit-ln": "ln 3",
    "one-bit-small": "0.001",
    "one-bit-large": "40",
    "signs-1-of-3": "1",
    "signs-2-of-3": "2",
    "signs-3-of-3": "1",
    "signs-3-of-4": "0.5",
    "levels-2": "1",
    "levels-3": "2",
    "levels-4-3": "1/2",
    "levels-large": "30",
}


@pytest.mark.parametrize("name", ASKED)
def test_the_level_is_reached_and_not_above_what_was_asked(name):
    channel = CHANNELS[name]
    ends = [law(name, record) for record in product((-1.0, 1.0), repeat=channel.d)]
    largest = max(Nats.log(one[code] / other[code]) for one in ends for other in ends for code in one)
    assert largest == channel.level <= ASKED[name]
    assert float(channel.level) > float(Nats.of(ASKED[name])) - 0.01


def expected_tally(name, record):
    """What 2^50 people with one record send on average."""
    channel = CHANNELS[name]
    counts = {code: round(share * 2**50) for code, share in law(name, record).items()}
    tally = sum(many * channel.tally([code]).counts for code, many in counts.items())
    return Aggregate(channel.fingerprint, sum(counts.values()), tally)


@every
def test_the_means_of_a_record_are_its_statistics(name):
    channel = CHANNELS[name]
    for record in records_of(channel):
        means = channel.means(expected_tally(name, record))
        tolerance = 1e-11 if name == "one-bit-small" else 1e-13
        np.testing.assert_allclose(means, channel.moments.values(np.array([record]))[0], atol=tolerance)


@every
def test_reports_are_counted_and_can_add_up_to_their_tally(name):
    channel = CHANNELS[name]
    codes = np.arange(channel.outputs).repeat(3)
    tally = channel.tally(codes)
    assert (channel.reports(tally.counts), tally.n) == (len(codes),) * 2
    assert channel.possible(tally.counts)
    first, second = channel.tally(codes[:7]), channel.tally(codes[7:])
    np.testing.assert_array_equal((first + second).counts, tally.counts)
    assert (first + second).fingerprint == tally.fingerprint
    assert channel.counts_codes == (
        channel.counters == channel.outputs
        and all(channel.tally([code]).counts.tolist() == np.eye(channel.outputs)[code].tolist() for code in codes)
    )
    group = np.arange(len(codes)) % 4
    grouped = channel._count(codes.astype(np.uint64), group, 4)
    for own in range(4):
        np.testing.assert_array_equal(grouped[own], channel.tally(codes[group == own]).counts)


@every
def test_foreign_codes_and_tallies_are_refused(name):
    channel = CHANNELS[name]
    with pytest.raises(SordinoError, match="position 1"):
        channel.tally([0, channel.outputs])
    foreign = OneBit("0.77")
    with pytest.raises(SordinoError, match="of the channel that reads it"):
        channel.means(foreign.tally([0, 1]))
    for asked in (channel.means, channel.covariance):
        with pytest.raises(SordinoError, match="must hold reports"):
            asked(channel.tally([]))


@every
def test_a_keyed_source_repeats_its_reports_in_any_batch(name):
    channel = CHANNELS[name]
    records = np.random.default_rng(5).uniform(-1, 1, (60, channel.d))
    source = KeyedSource(bytes(range(32)), "task")
    codes = channel.privatize(records, source.for_records(np.arange(60)))
    rows = np.random.default_rng(6).permutation(60)[:25]
    again = channel.privatize(records[rows], source.for_records(rows))
    np.testing.assert_array_equal(again, codes[rows])
    assert (channel.privatize(records) != channel.privatize(records)).any()
    assert codes.dtype == np.uint64


@pytest.mark.each_value
@every
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1 + 2**-52, -98765.25])
def test_one_bad_number_refuses_all_whatever_would_be_drawn(name, bad):
    channel = CHANNELS[name]
    for place in range(channel.d):
        records = np.zeros((5, channel.d))
        records[3, place] = bad
        for ask in (channel.privatize, channel.checked):
            with pytest.raises(SordinoError, match=f"found another in record 3, number {place}") as caught:
                ask(records)
            assert "98765" not in repr(vars(caught.value))


@every
def test_rows_of_other_lengths_and_kinds_are_refused(name):
    channel = CHANNELS[name]
    for values in (np.zeros((2, channel.d + 1)), np.zeros((2, channel.d, 1)), 0.5, [["0"] * channel.d]):
        for given in (values, Scaled(np.zeros((2, channel.d + 1)))):
            with pytest.raises(SordinoError, match=f"rows of {channel.d} numbers"):
                channel.privatize(given)


@every
def test_checked_records_and_whole_numbers_are_read_alike(name):
    channel = CHANNELS[name]
    records = np.array([[-1] * channel.d, [0] * channel.d, [1] * channel.d])
    source = KeyedSource(bytes(32), "task")
    given = [records, records.astype(np.float32), Scaled.of(records), np.asfortranarray(records), records.tolist()]
    codes = [channel.privatize(values, source.for_records([1, 2, 3])).tolist() for values in given]
    assert codes == [codes[0]] * len(codes)
    assert channel.privatize(np.zeros((0, channel.d))).shape == (0,)


@every
def test_equal_channels_have_equal_fingerprints_and_others_have_not(name):
    others = [channel.fingerprint for other, channel in CHANNELS.items() if other != name]
    assert CHANNELS[name].fingerprint not in others
