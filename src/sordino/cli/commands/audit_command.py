"""`sordino audit`: how much the answers of somebody else's program reveal at least."""

import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from math import floor

import click

from sordino.cli.options import Real, Whole, as_json_option
from sordino.cli.output import print_json
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.definition.pairwise import LDP
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.testing.sampled_loss import FEWEST, SampledLoss, largest_sampled_loss

PLACE = "{value}"
"""In a command, what the value stands in place of."""

MOST_RUNS = 1_000_000
"""Answers on a value."""


@click.command()
@click.option("--command", required=True, help=f"The program with its arguments; {PLACE} stands for the value.")
@click.option("--values", required=True, help="The values to compare, with commas between them.")
@click.option("--epsilon", help="What it promises at most between any two of them, as 1 or 'ln 3'.")
@click.option(
    "--reports", type=Whole(FEWEST, MOST_RUNS), default=3000, show_default=True, help="Answers to take on each value."
)
@click.option("--confidence", type=Real(), default=0.99, show_default=True, help="That the bound is right.")
@as_json_option
def audit(command: str, values: str, epsilon: str | None, reports: int, confidence: float, *, as_json: bool) -> None:
    """Run any program that prints randomized answers, and bound from below what one of them reveals.

    Without {value} in its words the program reads values, one a line, and prints an answer for each, one a line. With
    it, it is run on one value at a time and prints one answer or more, one a line, until there are enough.

    Exit code 3 if it reveals more than the epsilon. That no more was found proves no promise: see sordino certify.
    """
    named, words = _values(values), _words(command)
    promised = None if epsilon is None else LDP(epsilon).epsilon
    with progress("answers", reports * len(named)) as advance:
        answers = (_answers_by_value if any(PLACE in word for word in words) else _answers_of_filter)(
            words, named, reports, advance
        )
    loss = largest_sampled_loss(answers, confidence)
    broken = promised is not None and loss.bound > promised.ceil()
    if as_json:
        print_json(_facts(loss, promised) | ({} if promised is None else {"broken": broken}))
    else:
        say(*_lines(loss))
    if broken:
        rule = f"an answer must change the odds between two values by at most e^{epsilon}"
        found = f"e^{_three_digits(loss.bound)} at least, with confidence {confidence:.4g}"
        step = "do not collect by this program; look at what makes the event that is named above"
        raise RefusedError(rule, found=found, step=step)


def _values(text: str) -> list[str]:
    named = [value.strip() for value in text.split(",")]
    if len(named) < 2 or len({*named}) < len(named) or not all(named):
        raise SordinoError("--values must be two values or more, all different", found=shown(text), step="write a,b,c")
    return named


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        raise SordinoError(
            "--command must close its quotation marks", found=shown(command), step="close them"
        ) from None
    if not words:
        raise SordinoError("--command must name a program", found=shown(command), step="write it with its arguments")
    return words


def _output_lines(words: list[str], given: str | None = None) -> list[str]:
    """The lines that a program prints.

    Raises:
        SordinoError: it cannot be run, fails, or prints no text.
    """
    rule, step = "the program must run, and print its answers", "run it by hand, and look at what it says"
    try:
        done = subprocess.run(words, input=given, check=False, capture_output=True, encoding="utf-8")  # noqa: S603 - the user names it
    except OSError as error:
        raise SordinoError(rule, found=(error.strerror or "one that cannot be run").lower(), step=step) from None
    except UnicodeDecodeError:
        raise SordinoError(rule, found="output that is no text", step="have it print its answers as text") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        told = f", which says {said[-1]!r}" if said else ""
        raise SordinoError(rule, found=f"exit code {done.returncode}{told}", step=step)
    return done.stdout.splitlines()


def _answers_of_filter(
    words: list[str], named: list[str], reports: int, advance: Callable[[int], None]
) -> Mapping[str, list[str]]:
    """The answers of a program that reads values; values in turn, so that what it remembers meets each alike."""
    lines = _output_lines(words, "".join(f"{value}\n" for value in named) * reports)
    if len(lines) != reports * len(named):
        rule = f"a command without {PLACE} must print a line for each line that it reads"
        found = f"{len(lines):,} lines for {reports * len(named):,}"
        raise SordinoError(rule, found=found, step=f"have it do so, or write {PLACE} where its value stands")
    advance(len(lines))
    return {value: lines[place :: len(named)] for place, value in enumerate(named)}


def _answers_by_value(
    words: list[str], named: list[str], reports: int, advance: Callable[[int], None]
) -> Mapping[str, list[str]]:
    """The answers of a program that is run on a value, once or more."""
    answers: dict[str, list[str]] = {value: [] for value in named}
    for value in _in_turn(answers, reports):
        lines = _output_lines([word.replace(PLACE, value) for word in words])
        if not lines:
            rule = "the program must print an answer on each value"
            raise SordinoError(rule, found=f"no line on {shown(value)}", step="have it print one or more")
        room = reports - len(answers[value])
        answers[value] += lines[:room]
        advance(min(room, len(lines)))
    return answers


def _in_turn(answers: Mapping[str, list[str]], reports: int) -> Iterator[str]:
    """The values that lack answers, one after the other, until none does."""
    while lacking := [value for value, own in answers.items() if len(own) < reports]:
        yield from lacking


def _three_digits(bound: float) -> str:
    """In three digits, and never more than it is."""
    return f"{floor(bound * 1000) / 1000:g}"


def _facts(loss: SampledLoss, promised: Nats | None) -> dict[str, object]:
    seen = {
        value: {"times": times, "answers": count}
        for value, (times, count) in zip((loss.more, loss.less), loss.seen, strict=True)
    }
    head = {} if promised is None else {"epsilon": str(promised)}
    return head | {"bound": loss.bound, "confidence": loss.confidence, "event": loss.event, "seen": seen}


def _lines(loss: SampledLoss) -> Iterator[str]:
    yield f"An answer can change odds by e^{_three_digits(loss.bound)} or more, with confidence {loss.confidence:.4g}."
    yield f"Seen: {loss.event}"
    for value, (times, count) in zip((loss.more, loss.less), loss.seen, strict=True):
        yield f"  on {value}: {times:,} of {count:,} times"
    yield "Programs that reveal more in what comes seldom look the same: a bound from below proves no promise."
