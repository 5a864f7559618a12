"""Keyed words: those of a slow witness, the same in any order and batch, and others for anything else that differs.

The witness goes record by record: HKDF written out by the standard library's HMAC, and the chain as the last block of
AES in CBC mode.
"""

import copy
import hmac
import pickle

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Blockwise, HadamardResponse, KeyedSource, ProjectiveResponse, RandomizedResponse, SordinoError
from sordino.exact.record_ids import RecordIds, first_repeated
from sordino.exact.source import uniform_below

KEY = bytes(range(100, 132))
TASK = "sha256:0123 first wave"
IDS = [5, 0, -1, 2**63 - 1, -(2**63), 77]
VALUES = [3, 0, 3, 10**6, 0, 9]


def derived(use, key=KEY, task=TASK):
    """RFC 5869 with SHA-256, no salt and 32 bytes: one block of the expansion."""
    extracted = hmac.digest(bytes(32), key, "sha256")
    info = b"sordino keyed words 2\0" + use.encode() + b"\0" + task.encode()
    return hmac.digest(extracted, info + b"\1", "sha256")


def witness(use, number, words, draw, key=KEY, task=TASK):
    """One word of one record: `number` is the id's 128 bits, `words` are the value's."""
    message = number.to_bytes(16, "little") + b"".join(word.to_bytes(8, "little") for word in [*words, draw // 2])
    message += bytes(-len(message) % 16)
    return int.from_bytes(chained(derived(use, key, task), message)[8 * (draw % 2) :][:8], "little")


def chained(key, message):
    """The last block of AES in CBC mode."""
    encryptor = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    return (encryptor.update(message) + encryptor.finalize())[-16:]


def id_bits(record, key=KEY, task=TASK):
    """By the letter of the rule."""
    try:
        whole = record if isinstance(record, int) else int(record, 10)
    except ValueError:
        whole = None
    if whole is not None and str(whole) == str(record) and -(2**63) <= whole < 2**64:
        return (2**64 + whole) + 2**64 if whole < 0 else whole
    text = record.encode()
    message = len(text).to_bytes(16, "little") + text + bytes(-len(text) % 16)
    return int.from_bytes(chained(derived("text id", key, task), message), "little")


def draws(stream, count):
    return np.stack([stream.next() for _ in range(count)], axis=1)


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        ["5", "", "x", "005", "9" * 19, "9" * 20],
        ["17", "-17", "-0", "+17", "17.0", "\u0663"],
        ["x" * 7, "x" * 8, "x" * 9, "x" * 15, "x" * 16, "x" * 17],
        ["gr\u00fcn", "\0", "x\0", "y" * 5000, "z" * 32, "z" * 33],
    ],
    ids=["numbers", "texts", "spellings", "about a block", "bytes"],
)
def test_words_are_those_of_the_witness(ids):
    expected = [
        [witness("integer 1", id_bits(record), [value], draw) for draw in range(5)]
        for record, value in zip(ids, VALUES, strict=True)
    ]
    words = draws(KeyedSource(KEY, TASK).for_records(ids).stream(np.array(VALUES)), 5)
    assert words.dtype == np.uint64
    assert words.tolist() == expected


def test_public_words_are_those_of_the_witness():
    words = draws(KeyedSource(KEY, TASK).for_records(IDS).public(len(IDS)), 3)
    assert words.tolist() == [[witness("public", id_bits(record), [], draw) for draw in range(3)] for record in IDS]


@in_one("width", [1, 2, 3, 4, 5])
@in_one("kind", ["integer", "number"])
def test_rows_of_numbers_are_values_too(kind, width):
    rows = np.random.default_rng(width).integers(-9, 9, (6, width))
    values = rows if kind == "integer" else rows / 7
    bits = values.astype("<i8") if kind == "integer" else values.astype("<f8").view("<i8")
    words = draws(KeyedSource(KEY, TASK).for_records(IDS).stream(values), 3)
    for record, row, drawn in zip(IDS, bits.tolist(), words.tolist(), strict=True):
        columns = [column % 2**64 for column in row]
        assert drawn == [witness(f"{kind} {width}", id_bits(record), columns, draw) for draw in range(3)]


def test_words_never_change_from_version_to_version():
    stream = KeyedSource(bytes(32), "task").for_records(["1", "somebody"]).stream(np.array([0, 1]))
    assert draws(stream, 3).tolist() == FROZEN


FROZEN = [
    [9330755859089824482, 16561434250913591491, 17783361499575903853],
    [12316052318925866199, 10649555852819694953, 17407147308874739258],
]


def words_of(key=KEY, task=TASK, record=5, value=3, draw=0):
    return draws(KeyedSource(key, task).for_records([record]).stream(np.array([value])), draw + 1)[0, draw]


OTHERS = {
    "key": {"key": bytes(32)},
    "one bit of the key": {"key": KEY[:-1] + bytes([KEY[-1] ^ 1])},
    "task": {"task": "sha256:0123 second wave"},
    "plan": {"task": "sha256:0124 first wave"},
    "longer task": {"task": TASK + "\0"},
    "id": {"record": 6},
    "negative id": {"record": -5},
    "id as large as a negative one": {"record": 2**64 - 5},
    "text": {"record": "5 "},
    "value": {"value": 4},
    "zero": {"value": 0},
    "number": {"value": 3.0},
    "draw": {"draw": 1},
    "later draw": {"draw": 2},
}


def test_all_that_differs_draws_other_words():
    words = [words_of(), *(words_of(**change) for change in OTHERS.values())]
    assert len(set(words)) == len(OTHERS) + 1
    # Not a bit of them has anything to do with the first: 64 independent bits agree in 10 to 54.
    assert all(10 <= (int(words[0]) ^ int(word)).bit_count() <= 54 for word in words[1:])


def test_zeros_are_one_value_and_integers_of_any_type_too():
    assert words_of(value=-0.0) == words_of(value=0.0)
    for dtype in (np.uint8, np.int16, np.uint64, np.intp):
        words = KeyedSource(KEY, TASK).for_records(np.array([5], dtype=dtype)).stream(np.array([3], dtype=dtype)).next()
        assert words[0] == words_of()


def test_public_words_tell_nothing_about_the_others():
    records = KeyedSource(KEY, TASK).for_records(range(1000))
    public = draws(records.public(1000), 4).ravel()
    others = [draws(records.stream(np.full(1000, value)), 4).ravel() for value in (0, 1)]
    assert len(np.unique(np.concatenate([public, *others]))) == 12_000


@given(st.data())
def test_words_depend_on_a_rows_own_draws_only(data):
    n = data.draw(st.integers(1, 12))
    ids, values = list(range(100, 100 + n)), [7 * i % 5 for i in range(n)]
    streams = [(KeyedSource(KEY, TASK).for_records(ids).stream(np.array(values)), list(range(n)))]
    seen = [[] for _ in range(n)]
    for _ in range(data.draw(st.integers(1, 12))):
        stream, own = data.draw(st.sampled_from(streams))
        match data.draw(st.sampled_from(["next", "rows", "run"])):
            case "next":
                for row, word in zip(own, stream.next().tolist(), strict=True):
                    seen[row].append(word)
            case "rows":
                rows = data.draw(st.lists(st.integers(0, max(len(own) - 1, 0)), unique=True, max_size=len(own)))
                streams.append((stream.take(np.array(rows, dtype=np.intp)), [own[row] for row in rows]))
            case "run":
                start, stop = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n + 3))))
                streams.append((stream.take(slice(start, stop)), own[start:stop]))
    for record, value, words in zip(ids, values, seen, strict=True):
        assert words == [witness("integer 1", record, [value], draw) for draw in range(len(words))]


MECHANISMS = [
    RandomizedResponse(7, "1"),
    HadamardResponse(7, "1"),
    ProjectiveResponse(7, "1"),
    Blockwise([0, 1, 1, 2, 2, 2, 2], "1"),
    Blockwise([0, 0, 0, 0, 0, 1, 1], "1", "randomized"),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: type(mechanism).__name__)
def test_reports_are_the_same_in_any_order_batch_and_chunk(mechanism, monkeypatch):
    source, rng = KeyedSource(KEY, TASK), np.random.default_rng(3)
    ids, values = rng.permutation(5000), rng.integers(0, 7, 5000)
    codes = mechanism.privatize(values, source.for_records(ids))
    order = rng.permutation(5000)
    np.testing.assert_array_equal(mechanism.privatize(values[order], source.for_records(ids[order])), codes[order])
    for cuts in ([1, 2, 3, 3000], [2500]):
        parts = zip(np.split(values, cuts), np.split(ids, cuts), strict=True)
        again = [mechanism.privatize(some, KeyedSource(KEY, TASK).for_records(own)) for some, own in parts]
        np.testing.assert_array_equal(np.concatenate(again), codes)
    texts = source.for_records([str(record) for record in ids.tolist()])
    np.testing.assert_array_equal(mechanism.privatize(values, texts), codes)
    for chunk in (1 << 12, 999, 5000):
        monkeypatch.setattr(type(mechanism), "_chunk", chunk)
        np.testing.assert_array_equal(mechanism.privatize(values, source.for_records(ids)), codes)
    changed = mechanism.privatize((values + 1) % 7, source.for_records(ids))
    assert np.mean(changed == codes) < 0.9


def test_rejected_words_go_on_with_their_own_rows():
    # A bound that rejects nearly half of all words.
    bound, records = 2**31 + 1, KeyedSource(KEY, TASK).for_records(range(300))
    stream = records.stream(np.zeros(300, dtype=np.int64))
    choices, after = uniform_below(bound, stream).tolist(), stream.next().tolist()
    most = 0
    for record in range(300):
        draw = 0
        while (product := (witness("integer 1", record, [0], draw) >> 32) * bound) % 2**32 < 2**32 % bound:
            draw += 1
        assert choices[record] == product >> 32
        assert after[record] == witness("integer 1", record, [0], draw + 1)
        most = max(most, draw)
    assert most > 4


def test_words_handed_out_are_the_callers_own():
    stream = KeyedSource(KEY, TASK).for_records(IDS).stream(np.array(VALUES))
    expected = draws(KeyedSource(KEY, TASK).for_records(IDS).stream(np.array(VALUES)), 4)
    for draw in range(4):
        words = stream.next()
        np.testing.assert_array_equal(words, expected[:, draw])
        words[:] = 0


def test_some_records_are_a_source_of_their_own():
    records, rows = KeyedSource(KEY, TASK).for_records(IDS), np.array([4, 1])
    values = np.array(VALUES)
    for chosen in (rows, slice(2, 5)):
        words = records.take(chosen).stream(values[chosen]).next()
        np.testing.assert_array_equal(words, records.stream(values).next()[chosen])
        public = records.take(chosen).public(len(words)).next()
        np.testing.assert_array_equal(public, records.public(len(IDS)).next()[chosen])


def test_nobody_draws_nothing():
    for nobody in ([], np.array([], dtype=np.int64), np.array([], dtype="U5")):
        records = KeyedSource(KEY, TASK).for_records(nobody)
        assert draws(records.stream(np.array([], dtype=np.int64)), 3).shape == (0, 3)
        assert HadamardResponse(3, "1").privatize([], records).size == 0


def bits(ids):
    """The 128 bits of each id, as (low, high)."""
    records = KeyedSource(KEY, TASK).for_records(ids)
    return np.stack([records.low, records.high], axis=1).tolist()


def test_numbers_are_their_own_ids():
    assert bits(np.array([0, 5, 2**63, 2**64 - 1], dtype=np.uint64)) == [[0, 0], [5, 0], [2**63, 0], [2**64 - 1, 0]]
    assert bits(np.array([-1, -(2**63)], dtype=np.int64)) == [[2**64 - 1, 1], [2**63, 1]]
    assert bits(["-1", str(2**63)]) == [[2**64 - 1, 1], [2**63, 0]]


ALIKE = ["", "\0", "\0\0", "a", "a\0", "a" * 16, "a" * 16 + "\0", "a" * 17, "a" * 32, "b" + "a" * 31, "a" * 31 + "b"]
ALIKE += ["a" * 5000, "a" * 4999 + "b", "18446744073709551616", "-9223372036854775809", "5 ", "05", "\x05", "\x10"]


def test_texts_that_differ_anywhere_have_other_ids():
    """All bytes of an id enter, and its length; whichever other ids stand beside it."""
    found = bits([*ALIKE, "5"])
    assert len({tuple(one) for one in found}) == len(ALIKE) + 1
    # All bits are the cipher's: none tells texts from numbers.
    agreeing = (
        np.bitwise_or.reduce(np.array(found[:-1], dtype=np.uint64)),
        np.bitwise_and.reduce(np.array(found[:-1], dtype=np.uint64)),
    )
    assert [words.tolist() for words in agreeing] == [[2**64 - 1] * 2, [0, 0]]
    assert [bits([text])[0] for text in ALIKE] == found[:-1]


def test_text_ids_are_of_one_key_and_task():
    others = [KeyedSource(bytes(32), TASK), KeyedSource(KEY, "another")]
    records = [source.for_records(["a"]) for source in [KeyedSource(KEY, TASK), *others]]
    assert len({(one.low.item(), one.high.item()) for one in records}) == 3


def test_known_ids_are_taken_as_they_are():
    ids = RecordIds.of(["a", "5"])
    assert RecordIds.of(ids) is ids
    taken = KeyedSource(KEY, TASK).for_compared(ids)
    assert np.stack([taken.low, taken.high], axis=1).tolist() == bits(["a", "5"])


@pytest.mark.parametrize(
    "ids",
    [[1.0], [None], [[1, 2]], 7, np.array([[1, 2]]), [True], ["a", 5, None], [2**64], [b"a"], [[1], [2, 3]]],
    ids=repr,
)
def test_ids_of_another_kind_are_refused(ids):
    with pytest.raises((SordinoError, ValueError)) as caught:
        KeyedSource(KEY, TASK).for_records(ids)
    assert "<key" not in str(caught.value)


@pytest.mark.parametrize("ids", [["a", 5], [5, "a"], [True, "a"], ["a", "\ud8007731"]], ids=ascii)
def test_ids_are_texts_that_utf_8_holds_or_numbers_and_not_both(ids):
    """Beside a text NumPy makes a text of a number."""
    with pytest.raises(SordinoError, match="record ids must be") as caught:
        KeyedSource(KEY, TASK).for_records(ids)
    assert "7731" not in str(caught.value)


REPEATED = [
    ([7, 1, 7], 2),
    ([1, 2, 3, 3, 2], 3),
    (["a", "b", "a"], 2),
    (["5", "05", "5"], 2),
    ([4] * 5, 1),
    ([1, -1, 5, -1, 1], 3),
]


@pytest.mark.parametrize(("ids", "position"), REPEATED, ids=repr)
def test_an_id_that_stands_twice_is_refused_by_position(ids, position):
    with pytest.raises(SordinoError, match=f"found the one at position {position} a second time"):
        KeyedSource(KEY, TASK).for_records(ids)


@given(st.lists(st.tuples(st.sampled_from([0, 1, 2**64 - 1]), st.sampled_from([0, 1, 2**63])), max_size=12))
def test_the_first_repeated_id_is_found(pairs):
    expected = next((i for i, pair in enumerate(pairs) if pair in pairs[:i]), None)
    assert first_repeated(*np.array(pairs, dtype=np.uint64).reshape(-1, 2).T) == expected


@pytest.mark.parametrize("count", [0, 5, 7])
def test_there_are_as_many_values_as_ids(count):
    records = KeyedSource(KEY, TASK).for_records(IDS)
    for use in (lambda: records.stream(np.zeros(count, dtype=int)), lambda: records.public(count)):
        with pytest.raises(SordinoError, match=f"found {count} values and 6 ids"):
            use()
    with pytest.raises(SordinoError, match="as many values"):
        RandomizedResponse(3, "1").privatize([0] * count, records)


@pytest.mark.parametrize("values", [np.zeros(6, dtype=complex), np.zeros(6, dtype=bool), np.zeros((6, 1, 1))], ids=repr)
def test_values_of_another_kind_are_refused(values):
    with pytest.raises(SordinoError, match="values must be numbers"):
        KeyedSource(KEY, TASK).for_records(IDS).stream(values)


@in_one("key", [b"", bytes(16), bytes(31), bytes(33), b"SECRET77" * 5])
def test_a_key_has_32_bytes(key):
    with pytest.raises(SordinoError, match=f"32 bytes; found {len(key)}") as caught:
        KeyedSource(key, TASK)
    assert "SECRET77" not in str(caught.value)


def test_a_task_is_a_text():
    with pytest.raises(SordinoError, match="a task must be a text"):
        KeyedSource(KEY, "\ud800")


def test_the_key_is_never_shown_nor_copied():
    source = KeyedSource(b"SECRET77" * 4, TASK)
    records = source.for_records(IDS)
    shown = [f"{thing!r} {thing}" for thing in (source, records, records.stream(np.array(VALUES)))]
    assert TASK in shown[0]
    secret = (b"SECRET77" * 4).hex()
    assert not any("SECRET" in text or secret in text for text in shown)
    for copier in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="never pickled or copied"):
            copier(source)
    for copier in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"never pickled or copied|cannot pickle"):
            copier(records)
