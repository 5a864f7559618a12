"""A second verdict on a plan, of a program that was proved to accept only channels that keep their bounds.

docs/proofs.md says what is proved. It shares no code with `certify`, and answers for each question `holds`, `holds for
epsilon` (whether a smaller delta holds too is not looked at), `broken` or `not covered`.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from sordino.errors import RefusedError, SordinoError

VERDICTS = ("holds", "holds for epsilon", "broken", "not covered")


def second_verdicts(checker: Path, plan: Path, questions: Sequence[str]) -> dict[str, str]:
    """The program's verdict on each question of a plan that `certify` accepts.

    Raises:
        SordinoError: the program cannot be run, says something else, or refuses a question: then one of both is wrong.
    """
    words = [str(checker.resolve()), str(plan)]
    try:
        done = subprocess.run(words, check=True, capture_output=True, encoding="utf-8")  # noqa: S603 - the user names it
    except (OSError, subprocess.CalledProcessError, UnicodeDecodeError) as error:
        rule, step = "a checker must be a program that reads a plan", "build it with: make proofs"
        raise SordinoError(rule, found=_failure(error), step=step) from None
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    found = {place: verdict for place, _, verdict in lines}
    if list(found) != [str(place) for place in range(len(questions))] or not set(found.values()) <= set(VERDICTS):
        rule, step = "a checker must give a verdict for each question", "build it with: make proofs"
        raise SordinoError(rule, found=f"{len(lines)} lines for {len(questions)} questions", step=step)
    verdicts = dict(zip(questions, found.values(), strict=True))
    if broken := [name for name, verdict in verdicts.items() if verdict == "broken"]:
        rule, step = "both checkers must accept a plan", "do not use it, and report this"
        raise RefusedError(rule, found=f"the second one refuses {broken[0]}", step=step)
    return verdicts


def _failure(error: OSError | subprocess.CalledProcessError | UnicodeDecodeError) -> str:
    """What went wrong, in words."""
    if isinstance(error, OSError):
        return (error.strerror or "a program that cannot be run").lower()
    if isinstance(error, subprocess.CalledProcessError):
        return f"one that ended with exit code {error.returncode}"
    return "output that is no text"
