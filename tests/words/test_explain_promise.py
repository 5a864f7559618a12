"""What a promise means in words: each number is rounded against the promise, and nothing unprotected is left out."""

import re

import mpmath
import pytest

from in_one import in_one
from sordino import LDP, BlockLDP, Blockwise, HadamardResponse, RandomizedResponse, SordinoError, certify
from sordino.words.explain_promise import explain

EPSILONS = {
    "0": lambda: mpmath.mpf(1),
    "1e-9": lambda: mpmath.exp(mpmath.mpf("1e-9")),
    "0.001": lambda: mpmath.exp(mpmath.mpf("0.001")),
    "ln 1.01": lambda: mpmath.mpf("1.01"),
    "1/3": lambda: mpmath.exp(mpmath.mpf(1) / 3),
    "ln 4/3": lambda: mpmath.mpf(4) / 3,
    "ln 1.8": lambda: mpmath.mpf("1.8"),
    "1": lambda: mpmath.e,
    "ln 3": lambda: mpmath.mpf(3),
    "0.5 + ln 2": lambda: 2 * mpmath.exp(mpmath.mpf("0.5")),
    "2": lambda: mpmath.exp(2),
    "4": lambda: mpmath.exp(4),
    "10": lambda: mpmath.exp(10),
    "12": lambda: mpmath.exp(12),
    "20": lambda: mpmath.exp(20),
    "40": lambda: mpmath.exp(40),
    "100": lambda: mpmath.exp(100),
}
NUMBER = r"([\d.,]*\d(?:e[+-]\d+)?)"


def number(pattern, lines):
    """The one number that stands at the pattern's group."""
    (found,) = re.findall(pattern, " ".join(lines))
    return mpmath.mpf(found.replace(",", ""))


def test_the_example_of_the_paper_in_words():
    text = " ".join(explain(LDP("ln 1.8")))
    assert "factor of at most 1.8." in text
    assert "A suspicion of 10 % rises to at most 16.67 % and falls no lower than 5.81 %." in text


@in_one("definition", [LDP, lambda epsilon: BlockLDP([0, 0, 1, 1], epsilon)])
@in_one("epsilon", EPSILONS)
def test_numbers_round_against_the_promise(definition, epsilon):
    lines = explain(definition(epsilon))
    with mpmath.workdps(50):
        factor = EPSILONS[epsilon]()
        tiny = mpmath.mpf(10) ** -40  # of the witness itself
        # A belief of 10 % has odds of 1 to 9.
        most, least = 100 * factor / (factor + 9), 100 / (1 + 9 * factor)
        # Hundredths, or three digits of what is very large or small.
        above = number(f"factor of at most {NUMBER}", lines) - factor, factor
        highest = number(f"rises to at most {NUMBER} %", lines) - most, most
        lowest = least - number(f"no lower than {NUMBER} %", lines), least
        for distance, exact in (above, highest, lowest):
            far = exact > 10**6 or exact < 1
            assert -tiny * exact <= distance <= (0.01 * exact if far else 0.01) + tiny


def test_a_certain_belief_has_hundredths_of_a_per_cent():
    # 100 / (1 + 9 e^-4) = 85.848...: a whole per cent would be right and say little.
    assert number(f"rises to at most {NUMBER} %", explain(LDP("4"))) == mpmath.mpf("85.85")


def test_blocks_are_said_to_be_public():
    lines = explain(BlockLDP([0, 0, 1, 1, 2, 2], "1"))
    assert "public" in lines[0]
    assert "one of 3" in lines[0]
    assert "2 values" in lines[0]
    assert not any("without any protection" in line for line in lines)
    assert "2 to 3 values" in explain(BlockLDP([0, 0, 1, 1, 1], "1"))[0]


def test_single_values_are_said_to_be_told_as_they_are():
    (line,) = [line for line in explain(BlockLDP([0, 0, 1, 2], "1")) if "without any protection" in line]
    assert line.startswith("2 blocks")


def test_a_plan_says_what_is_public_and_what_is_missing(plan):
    text = " ".join(explain(plan("grid")))
    assert "'city', one of 350 values" in text
    assert "5 x 5 cells" in text
    assert "one of 14, 25 values each) is public" in text
    text = " ".join(explain(plan("named", ("protect =", 'missing = "judge"\nprotect ='))))
    assert "missing answer counts as 'judge'" in text
    assert "missing" not in " ".join(explain(plan("named")))
    text = " ".join(explain(plan("numbered", ("blocks = 25", "blocks = 27, release_single_values = true"))))
    assert "without any protection" in text
    text = " ".join(explain(plan("numbered", ("protect = { blocks = 25 }\n", ""))))
    assert "public" not in text


@in_one(
    ("mechanism", "bits", "weight"),
    [
        # 1 / (Pr(own code | value) - Pr(own code | another)) with the exact odds of the definition.
        (lambda: RandomizedResponse(2, "ln 3"), "1 bit", lambda: mpmath.mpf(2)),
        (lambda: RandomizedResponse(7, "1"), "3 bits", lambda: (mpmath.e + 6) / (mpmath.e - 1)),
        (lambda: HadamardResponse(7, "1"), "3 bits", lambda: 2 * (mpmath.e + 1) / (mpmath.e - 1)),
        (lambda: Blockwise([0, 1, 2], "1"), "2 bits", lambda: mpmath.mpf(1)),
        (lambda: Blockwise([0] * 3 + [1] * 3, "ln 3", "hadamard"), "3 bits", lambda: mpmath.mpf(4)),
    ],
)
def test_a_mechanism_tells_its_bits_and_the_weight_of_a_forged_report(mechanism, bits, weight):
    lines = explain(mechanism())
    assert lines[0] == f"A report is a code of {bits}."
    # The frozen threshold is a little below the exact odds, and rounding is up: a step of 0.1 at most.
    assert 0 <= number(r"as much as ([\d.,]*\d)", lines) - weight() + mpmath.mpf("1e-9") <= mpmath.mpf("0.1001")


def test_a_certificate_says_whether_the_promise_holds():
    holds = explain(certify(RandomizedResponse(5, "1"), LDP("1")))
    assert "holds" in holds[0]
    broken = explain(certify(RandomizedResponse(5, "1"), LDP("0.5")))
    assert "BROKEN" in broken[0]
    assert "a loss of 1 of 0.5 nats." in broken[1]
    assert "BROKEN without bound" in explain(certify(Blockwise([0, 0, 1], "1"), LDP("2")))[0]
    assert "No two values" in explain(certify(Blockwise([0, 1], "1"), BlockLDP([0, 1], "1")))[0]


def test_one_nat_is_no_plural():
    assert any(line.endswith(" 1 nat, its bound.") for line in explain(certify(RandomizedResponse(5, "1"), LDP("1"))))
    broken = explain(certify(RandomizedResponse(5, "1"), LDP("0.5")))
    assert any(line.endswith(" of 0.5 nats.") for line in broken)
    assert not any("1 nats" in line for line in broken)


@pytest.mark.parametrize("thing", [3, "LDP", None, [LDP("1")]])
def test_other_things_cannot_be_explained(thing):
    with pytest.raises(SordinoError, match=type(thing).__name__):
        explain(thing)


def test_what_is_left_is_never_less_than_nothing_where_the_promise_holds():
    tiny = "ln 1." + "0" * 390 + "1"
    certificate = certify(RandomizedResponse(2, tiny), LDP(tiny))
    assert certificate.holds
    assert certificate.slack.floor() == 0
    assert "The promise holds" in explain(certificate)[0]
