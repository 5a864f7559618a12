"""Numbers are read as they are written, and absurd ones are refused at once, with a short message."""

import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import ApproximateFilter, Box, Dependence, Nats, Plan, SordinoError, Survey
from sordino.definition.prior import Prior
from sordino.exact.messages.written import exact_value, read_rational, shown
from sordino.once.ledger.documents.ledger_terms import LedgerTerms, terms_of_text

GOOD = [
    ("0.25", Fraction(1, 4)),
    (" 1/3 ", Fraction(1, 3)),
    ("1.5/0.5", 3),
    ("+2e-3", Fraction(1, 500)),
    ("1e400", 10**400),
    ("9" * 401, 10**401 - 1),
    (0.1, Fraction(1, 10)),
    (np.float64(0.3), Fraction(3, 10)),
    (np.float32(0.5), Fraction(1, 2)),
    (np.int64(2**62), 2**62),
    (Decimal("1e-5"), Fraction(1, 100_000)),
    (Fraction(2, 7), Fraction(2, 7)),
    (7, 7),
]
ABSURD = [
    *("1e999999999", "-1e999999999", "1e-999999999", "0e999999999", "1/1e999999999", "1" * 402, "1" * 100_000),
    *(
        "1e401",
        "0." + "0" * 400 + "1",
        "0" * 1001,
        "1/" + "7" * 402,
        "1/0",
        "1/0.0",
        "1_0",
        "nan",
        "inf",
        "",
        "1/2/3",
        "x\0",
    ),
    *(
        "\u0661",
        10**401,
        10**5000,
        Fraction(1, 10**401),
        Decimal("1e999999"),
        Decimal("nan"),
        float("nan"),
        float("inf"),
    ),
    *(True, None, b"1", [1], 1j, [10**5000]),
]


@in_one(("number", "value"), GOOD)
def test_a_number_is_read_exactly(number, value):
    assert read_rational(number) == value


@in_one("number", ABSURD)
def test_an_absurd_number_is_refused_with_a_short_message(number):
    with pytest.raises(SordinoError) as caught:
        read_rational(number)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_a_float_may_be_taken_as_the_number_that_it_is():
    assert exact_value(0.1) == Fraction(0.1) != Fraction(1, 10)
    assert exact_value(5e-324) == Fraction(5e-324)
    assert exact_value("0.1") == Fraction(1, 10)
    with pytest.raises(SordinoError):
        exact_value(float("inf"))


def test_a_message_quotes_80_characters():
    assert shown("x" * 78) == repr("x" * 78)
    assert len(shown("x" * 79)) == 80
    assert shown("x" * 79).endswith("...")
    assert shown(10**5000) == "a number of thousands of digits"
    assert shown("\0\x1b[2J") == r"'\x00\x1b[2J'"


HANG = "1e999999999"
LONG = ["1" * 5000, "0." + "1" * 5000, "1/" + "3" * 5000, "1e-5000", HANG]
NUMBER = {"number": {"low": 0, "high": 10}}


def survey(**settings):
    return {
        "version": 1,
        "epsilon": "1",
        "attribute": {"a": {**NUMBER, "delta": "0.5"}, "b": NUMBER},
        "ask": [{"mean": ["a", "b"]}],
        "dependence": {"rest": {"a": 0.1}},
    } | settings


def terms(**settings):
    part = {"categories": ["yes", "no"], "delta": "0.5"}
    return {"version": 1, "epsilon": "1", "attribute": {"a": part, "b": part}, "dependence": {"rest": "1/2"}} | settings


@pytest.mark.parametrize("number", LONG, ids=range(len(LONG)))
@pytest.mark.parametrize(
    "read", [lambda **settings: Survey.read(survey(**settings)), lambda **s: LedgerTerms.read(terms(**s))]
)
def test_a_file_with_an_absurd_number_is_refused_at_once(read, number):
    settings = [{"epsilon": number}, {"epsilon": f"ln {number}"}]
    settings += [{"dependence": {"rest": number}}, {"dependence": {"rest": {"a": number}}}]
    for changed in settings:
        started = time.process_time()
        with pytest.raises(SordinoError) as caught:
            read(**changed)
        assert time.process_time() - started < 1
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("number", LONG, ids=range(len(LONG)))
def test_a_public_plan_with_an_absurd_number_is_refused_at_once(tmp_path, sealed_text, number):
    plan = Plan.of(Survey.read(survey()), 1000)
    for path in (("dependence", "rest", "a"), ("epsilon",), ("attributes", "a", "delta")):
        file = tmp_path / "plan.json"
        file.write_text(sealed_text(plan.bytes, path, number))
        started = time.process_time()
        with pytest.raises(SordinoError) as caught:
            Plan.load(file)
        assert time.process_time() - started < 1
        assert len(str(caught.value).replace(str(file), "")) < 300


@pytest.mark.parametrize("number", LONG, ids=range(len(LONG)))
def test_a_ledgers_frozen_words_with_an_absurd_number_are_refused_at_once(sealed_text, number):
    text = LedgerTerms.read(terms()).text
    for path in (("attributes", "a", "rest"), ("attributes", "a", "delta"), ("epsilon",)):
        with pytest.raises(SordinoError) as caught:
            terms_of_text(sealed_text(text, path, number))
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [*LONG, 10**5000, Decimal("1e999999")], ids=range(len(LONG) + 2))
def test_programs_are_told_at_once_too(number):
    for read in (
        Nats.of,
        lambda amount: Dependence.bounded([amount]),
        lambda amount: Dependence.from_prior([amount, 0], [(0,)]),
        lambda amount: Prior.of([amount, 0]),
        lambda amount: ApproximateFilter(1, amount, Box([0], [1])),
        lambda amount: ApproximateFilter(1, "1e-6", Box([0], [1]), first="renyi", order=amount),
    ):
        with pytest.raises(SordinoError) as caught:
            read(number)
        assert len(str(caught.value)) < 400
