"""What documents hold of mechanisms: whatever is read from anybody's JSON is written again to the same bytes."""

import json
import random
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from json_parts import places, widened
from sordino import (
    LDP,
    BinaryOptimal,
    BitFlips,
    BlockLDP,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HighLow,
    HighLowLDP,
    LinearTable,
    MetricLDP,
    Nats,
    ProductResponse,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
    TreeResponse,
    WindowResponse,
)
from sordino.design.numbers.bins_channel import hierarchy
from sordino.document.codec import MECHANISMS, OF_SHARES, decode, encode
from sordino.errors import DamagedError
from sordino.mechanism.inner import INNER
from sordino.mechanism.meeting_subsets import MeetingSubsets
from sordino.mechanism.window import OptionalWindow

BLOCKS = [0, 0, 0, 1, 1, 2]
TREE = MetricLDP.tree([None, 0, 0, 1], "ln 3", [None, 1, 2, 1])
CELLS = MetricLDP.grid(2, 3, "1/2", 1)
CHANNELS = {
    "randomized": (RandomizedResponse(5, "1"), LDP("1")),
    "projective": (ProjectiveResponse(20, "1"), LDP("1")),
    "subset": (SubsetSelection(9, "1", 3), LDP("1")),
    "cyclic": (CyclicSubsets(100, "2"), LDP("2")),
    "blockwise": (Blockwise(BLOCKS, "1"), BlockLDP(BLOCKS, "1")),
    "high-low": (HighLow(9, [0, 2, 3, 8], "1", "subset"), HighLowLDP(9, [0, 2, 3, 8], "1")),
    "binary": (BinaryOptimal("1", "2"), None),
    "table": (ChannelTable([[5, 2, 1], [1, 2, 5], [3, 3, 2]]), None),
    "flips": (BitFlips((3 << 62, 1 << 60, 1 << 60, 1 << 61)), None),
    "window": (WindowResponse(5, "3", 2), None),
    "hierarchy": (hierarchy(7, Nats.of(1)), None),
    "optional-window": (OptionalWindow(WindowResponse(4, "3", 2), "3", 1 << 60), None),
    "linear": (LinearTable([[4, 2, 2], [3, 2, 3], [2, 2, 4]]), None),
    "tree": (TreeResponse(TREE), TREE),
    "meeting": (MeetingSubsets((6, 2, 3, 1), "1"), LDP("1")),
    "product": (ProductResponse([RandomizedResponse(2, "1/2"), TreeResponse(MetricLDP.line(3, 1))]), CELLS),
}
ODD = [None, True, -1, 0, 1, 2, 7, 2**53, 10**30, 0.5, 1.0, "", "0", "1", "01", "x", str(2**64), "9" * 20]
ODD += [[], {}, [0], [1, 2], [[0]], ["0"], [["1"]], {"k": 1}, {"name": "randomized"}, [{}], [[{}]]]


def read(found, promise=None):
    """What is read is what was frozen, to the byte; or None, refused in our words."""
    try:
        channel = decode(found, promise)
    except SordinoError:
        return None
    # Bytes tell true from 1, and 1.0 from 1.
    assert json.dumps(encode(channel), sort_keys=True) == json.dumps(found, sort_keys=True)
    return channel


def test_each_kind_has_a_name_of_its_own():
    assert {kind.name: kind for kind in MECHANISMS.values()} == MECHANISMS
    assert INNER.items() <= OF_SHARES.items() <= MECHANISMS.items()
    assert sorted(CHANNELS) == sorted(MECHANISMS)
    assert all(encode(channel)["name"] == name for name, (channel, _) in CHANNELS.items())


@in_one("name", CHANNELS)
def test_a_channel_comes_back(name):
    channel, promise = CHANNELS[name]
    again = read(json.loads(json.dumps(encode(channel))), promise)
    assert type(again) is type(channel)
    assert again.parameters == channel.parameters


@in_one("name", CHANNELS)
def test_a_record_with_any_part_changed_is_refused_or_written_again_as_it_was(name):
    channel, promise = CHANNELS[name]
    frozen = json.loads(json.dumps(encode(channel)))
    for *above, last in list(places(frozen)):
        for odd in ODD:
            changed = deepcopy(frozen)
            part = changed
            for key in above:
                part = part[key]
            part[last] = deepcopy(odd)
            read(changed, promise)
        del part[last]
        assert read(changed, promise) is None or isinstance(part, list)


@in_one("name", CHANNELS)
def test_entries_of_other_names_are_refused_at_every_depth(name):
    channel, promise = CHANNELS[name]
    frozen = json.loads(json.dumps(encode(channel)))
    for changed in widened(frozen):
        with pytest.raises(DamagedError):
            decode(changed, promise)


def test_entries_of_other_names_are_called_by_their_name():
    frozen = encode(CHANNELS["high-low"][0])
    frozen["inner"]["extra"] = 1
    with pytest.raises(DamagedError, match=r"mechanism\.inner must have known entries only; found 'extra'"):
        decode(frozen, CHANNELS["high-low"][1])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**65) | st.floats(allow_nan=False) | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["name", "k", "inner"]), inner),
    max_leaves=6,
)
ENTRIES = sorted({entry for channel, _ in CHANNELS.values() for entry in encode(channel)} - {"name"})


@given(
    st.sampled_from(sorted(CHANNELS)),
    st.dictionaries(st.sampled_from(ENTRIES), JSON),
    st.sets(st.sampled_from(ENTRIES)),
)
def test_no_json_ends_in_another_error(name, entries, dropped):
    channel, promise = CHANNELS[name]
    frozen = {key: part for key, part in encode(channel).items() if key not in dropped}
    read(json.loads(json.dumps({**frozen, **entries})), promise)


@given(JSON)
def test_no_other_json_is_a_channel(found):
    assert read(found) is None


@pytest.mark.parametrize("seed", range(5))
def test_two_changes_together(seed):
    rng = random.Random(seed)
    for channel, promise in CHANNELS.values():
        frozen = json.loads(json.dumps(encode(channel)))
        for _ in range(40):
            changed = deepcopy(frozen)
            for _ in range(2):
                *above, last = rng.choice(list(places(changed)) or [("name",)])
                part = changed
                for key in above:
                    part = part[key]
                part[last] = deepcopy(rng.choice(ODD))
            read(changed, promise)


@dataclass(frozen=True, init=False)
class Honest(RandomizedResponse):
    """A mechanism of somebody's own."""

    name: ClassVar[str] = "honest"


def test_a_new_mechanism_is_one_class_and_one_line():
    kinds = {**MECHANISMS, "honest": Honest}
    frozen = encode(Honest(3, "2"), kinds)
    draw = ["sides", "threshold", ["run", "v", "k", 1]]
    assert frozen == {"name": "honest", "k": 3, "codes": "3", "draw": draw, "threshold": str(Honest(3, "2").threshold)}
    assert type(decode(frozen, kinds=kinds)) is Honest
    with pytest.raises(SordinoError, match="Honest"):
        encode(Honest(3, "2"))
    with pytest.raises(DamagedError, match="name must be one of"):
        decode(frozen)


def test_a_mechanism_of_a_name_that_is_taken_is_not_frozen():
    class Borrowed(RandomizedResponse):
        """A mechanism of somebody's own by another one's name."""

    with pytest.raises(SordinoError, match="Borrowed"):
        encode(Borrowed(3, "2"))
