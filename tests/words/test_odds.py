"""What sensitive values, matrices and several questions promise in words: rounded outward, and nothing left out."""

import re
from fractions import Fraction
from itertools import permutations

import mpmath
import pytest

from in_one import in_one
from sordino import HighLowLDP, PairwiseLDP, Plan, Survey
from sordino.blocks.sentence import texts
from sordino.words.explain_promise import explain
from sordino.words.odds import promise

NUMBER = r"([\d.,]*\d(?:e[+]\d+)?)"
EPSILONS = {
    "1/1000": lambda: mpmath.exp(mpmath.mpf("0.001")),
    "ln 1.8": lambda: mpmath.mpf("1.8"),
    "1": lambda: mpmath.e,
    "0.5 + ln 2": lambda: 2 * mpmath.exp(mpmath.mpf("0.5")),
    "7": lambda: mpmath.exp(7),
    "20": lambda: mpmath.exp(20),
    "99": lambda: mpmath.exp(99),
}
LABELS = ("low", "middle", "high")


def number(pattern, text):
    (found,) = re.findall(pattern, text)
    return mpmath.mpf(found.replace(",", ""))


def require_just_above(said, exact):
    """Never below, and above by a hundredth at most, or by three digits of a large number."""
    assert said >= exact * (1 - mpmath.mpf(10) ** -40)
    assert said - exact <= max(mpmath.mpf("0.0101"), exact * mpmath.mpf("0.01") if exact > 10**6 else 0)


def lines_of(definition, labels=None):
    return texts(promise(definition, labels))


@in_one("epsilon", EPSILONS)
def test_sensitive_values_are_suspected_by_no_more_than_is_said(epsilon):
    text = " ".join(lines_of(HighLowLDP(5, [1, 3], epsilon)))
    with mpmath.workdps(60):
        factor = EPSILONS[epsilon]()
        require_just_above(number(f"by a factor of at most {NUMBER}", text), factor)
        # A belief of 10 % has odds of 1 to 9.
        said, exact = number(f"rises to at most {NUMBER} %", text), 100 * factor / (factor + 9)
        assert exact <= said <= exact + mpmath.mpf("0.0101")
    # Nothing bounds how far a suspicion falls, or what is revealed about the others.
    assert "no lower" not in text
    assert "other values are not protected" in text


@pytest.mark.parametrize(
    ("sensitive", "words"),
    [([1], "1 of 3 values is sensitive ('middle')"), ([0, 2], "2 of 3 values are sensitive ('low', 'high')")],
)
def test_sensitive_values_are_named_where_they_are_few(sensitive, words):
    definition = HighLowLDP(3, sensitive, "1")
    assert words in lines_of(definition, LABELS)[0]
    assert words.split(" (")[0] + ":" in lines_of(definition)[0]


MATRICES = {
    "asymmetric": [["0", "1", "ln 2"], ["1/2", "0", "3"], ["2", "0.25", "0"]],
    "with infinity": [["0", "1", "inf"], ["inf", "0", "inf"], ["2", "3", "0"]],
    "large": [["0", "20", "40"], ["60", "0", "80"], ["99", "1e-3", "0"]],
    "one pair": [["0", "7", "inf"], ["inf", "0", "inf"], ["inf", "inf", "0"]],
}


def closed(matrix):
    """The amounts in nats, each the least sum along any way, by trying all ways."""
    given = [[mpmath.log(2) if entry == "ln 2" else mpmath.mpf(entry) for entry in row] for row in matrix]
    size = range(len(given))
    return {
        (x, z): min(given[x][z], *(given[x][y] + given[y][z] for y in size if y not in {x, z}))
        for x, z in permutations(size, 2)
    }


@pytest.mark.parametrize("name", MATRICES)
def test_each_pair_of_a_matrix_is_told_rounded_up(name):
    text = " ".join(lines_of(PairwiseLDP(MATRICES[name]), LABELS))
    with mpmath.workdps(60):
        bounds = closed(MATRICES[name])
        finite = {pair: bound for pair, bound in bounds.items() if mpmath.isfinite(bound)}
        for (x, z), bound in bounds.items():
            pair = f"'{LABELS[x]}' over '{LABELS[z]}'"
            if (x, z) in finite:
                require_just_above(number(rf"pair: .*?{pair} {NUMBER}[;.]", text), mpmath.exp(bound))
            else:
                assert f"{pair} any factor" in text
        require_just_above(number(f"at most {NUMBER} for the best", text), mpmath.exp(min(finite.values())))
        require_just_above(number(f"pair, {NUMBER} for the least", text), mpmath.exp(max(finite.values())))
    unprotected = len(bounds) - len(finite)
    assert (f"{unprotected} of 6 ordered pairs are not protected" in text) == bool(unprotected)
    assert ("not protected" in text) == bool(unprotected)


def test_bounds_that_others_lower_are_told():
    lowered = PairwiseLDP([["0", "1", "9"], ["1", "0", "1"], ["inf", "1", "0"]])
    (line,) = [line for line in lines_of(lowered, LABELS) if "lower than given" in line]
    assert line.startswith("2 of the bounds")
    assert "'low' over 'high' by 2 nats instead of 9" in line
    kept = PairwiseLDP([["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])
    assert not any("given" in line for line in lines_of(kept, LABELS))
    (line,) = [line for line in lines_of(PairwiseLDP([[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]])) if "given" in line]
    assert "value 0 over value 2 by 2 nats instead of infinity" in line


@pytest.mark.parametrize(("step", "apart", "whom"), [("1/5", 5, "values 5 apart"), ("2", 1, "neighbouring values by")])
def test_values_in_order_are_protected_by_how_far_they_lie_apart(step, apart, whom):
    line = [[Fraction(step) * abs(x - other) for other in range(30)] for x in range(30)]
    text = lines_of(PairwiseLDP(line))[0]
    assert "30 values" in text
    assert whom in text
    require_just_above(
        number(f"at most {NUMBER}; at twice", text), mpmath.exp(mpmath.mpf((apart * Fraction(step)).numerator))
    )
    # One bound that is a little smaller, and they are no such line.
    line[3][4] -= Fraction(1, 100)
    assert "apart" not in " ".join(lines_of(PairwiseLDP(line)))


def text_of(tables, attributes, epsilon="1", **weights):
    return explain(Plan.of(Survey.read(tables(attributes, epsilon, **weights)), 1000))


PLAIN = {"categories": 3}
SENSITIVE = {"categories": 3, "protect": {"sensitive": [1]}}
BLOCKS = {"categories": 4, "protect": {"blocks": 2}}
LARGER = {"categories": 3, "protect": {"epsilon": "ln 7"}}
LINE = {"categories": 3, "protect": {"metric": [0, 1, 3]}}
HALF = {"categories": 2, "protect": {"matrix": [["0", "1"], ["inf", "0"]]}}

ABOUT_OTHERS = {
    "alike": ({"x": PLAIN, "y": PLAIN}, lambda: mpmath.e, ""),
    "the larger epsilon": ({"x": PLAIN, "y": LARGER}, lambda: mpmath.mpf(7), ""),
    "the largest distance": ({"x": PLAIN, "y": LINE}, lambda: mpmath.exp(3), ""),
    "one sensitive": ({"x": PLAIN, "y": SENSITIVE}, None, "about 'y', since"),
    "one by blocks": ({"x": BLOCKS, "y": PLAIN}, None, "about 'x', since"),
    "one way only": ({"x": LINE, "y": HALF}, None, "about 'y', since"),
    "two": ({"x": BLOCKS, "y": PLAIN, "z": HALF}, None, "about 'x', 'z', since"),
}


@pytest.mark.parametrize(("attributes", "factor", "words"), ABOUT_OTHERS.values(), ids=ABOUT_OTHERS)
def test_what_a_report_tells_about_other_attributes_is_said(tables, attributes, factor, words):
    (line,) = [line for line in text_of(tables, attributes) if line.startswith("A report about one attribute")]
    if factor is None:
        assert "without limit" in line
        assert words in line
        return
    assert "without limit" not in line
    with mpmath.workdps(60):
        require_just_above(number(f"by a factor of at most {NUMBER}", line), factor())


def test_several_questions_are_told_with_their_shares(tables):
    lines = text_of(tables, {"x": PLAIN, "y": SENSITIVE, "z": BLOCKS}, x=3, y=2, z=1)
    assert lines[0].startswith("Each person is randomly assigned one of 3 questions, whatever their answers are")
    assert "About 50 % are asked for 'x', one of 3 values." in lines
    assert "About 33.3 % are asked for 'y', one of 3 values." in lines
    assert "About 16.6 % are asked for 'z', one of 4 values." in lines
    text = " ".join(lines)
    assert text.count("one report about 'x'") == 1
    assert "one report about 'y' raises the odds" in text
    assert "public" in text
    # Whatever a second report is about.
    assert text.count("second report") == 1
    assert "A second report from the same person, on any question, multiplies the factors." in lines


def test_a_single_question_is_told_without_shares(tables):
    text = " ".join(text_of(tables, {"x": PLAIN}))
    assert text.startswith("Each person is asked once for 'x', one of 3 values, and sends one report.")
    assert "% are asked" not in text
    assert "about one attribute" not in text
    assert text.count("second report") == 1
