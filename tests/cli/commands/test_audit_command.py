"""`sordino audit` runs real programs, whatever they are written in, and judges what they print."""

import json
import shlex
import sys

import pytest

SAMPLER = """
import math, random, sys
draw, kept = random.SystemRandom(), "--kept" in sys.argv
for line in sys.stdin:
    value = int(line)
    turned = [draw.random() < 1 / (1 + math.exp(.5)) for _ in range(16)]
    print("".join(str(int(value == bit) ^ (turned[bit] and not (kept and bit == 15))) for bit in range(16)))
"""


@pytest.fixture
def sampler(tmp_path):
    path = tmp_path / "sampler.py"
    path.write_text(SAMPLER)
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def test_a_program_that_leaves_its_last_bit_is_refused_and_one_that_does_not_is_not(sampler, run):
    asked = ("--values", "0, 3,15", "--epsilon", "1", "--reports", "900")
    code, out, err = run("audit", "--command", sampler, *asked)
    assert (code, err) == (0, "")
    assert "proves no promise" in out
    code, out, err = run("audit", "--command", f"{sampler} --kept", *asked)
    assert code == 3
    assert "as letter 16" in out
    assert "at most e^1; found e^" in err


def test_json_has_the_bound_before_the_refusal(sampler, run):
    words = ("--values", "3,15", "--epsilon", "ln 3", "--reports", "600", "--json")
    code, out, _ = run("audit", "--command", f"{sampler} --kept", *words)
    assert code == 3
    found = json.loads(out)
    assert found["epsilon"] == "ln 3"
    assert found["broken"]
    assert found["bound"] > 3
    assert {seen["answers"] for seen in found["seen"].values()} == {200}


def test_a_value_in_the_words_is_asked_until_there_are_enough_answers(run):
    program = f'{shlex.quote(sys.executable)} -c "import sys; print(*sys.argv[1] * 11, sep=chr(10))" {{value}}'
    code, out, _ = run("audit", "--command", program, "--values", "a,b", "--reports", "60", "--json")
    assert code == 0
    assert json.loads(out)["event"] == "the answer is 'a'"
    assert [seen["answers"] for seen in json.loads(out)["seen"].values()] == [20, 20]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--command", "nonsuch-program", "--values", "a,b"), "the program must run"),
        (("--command", "cat 'a", "--values", "a,b"), "quotation marks"),
        (("--command", "", "--values", "a,b"), "must name a program"),
        (("--command", "cat", "--values", "a,a"), "all different"),
        (("--command", "cat", "--values", "a"), "two values or more"),
        (("--command", "true", "--values", "a,b"), "must print a line for each line"),
        (("--command", "true {value}", "--values", "a,b"), "an answer on each value"),
        (("--command", "cat /nonsuch", "--values", "a,b"), "which says"),
        (("--command", "head -c 9 /dev/zero", "--values", "a,b"), "a line for each line"),
        (("--command", "cat", "--values", "a,b", "--epsilon", "much"), "number of nats"),
        (("--command", "cat", "--values", "a,b", "--confidence", "95"), "between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_message(words, said, run):
    code, out, err = run("audit", *words, "--reports", "30")
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
