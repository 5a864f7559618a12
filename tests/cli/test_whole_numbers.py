"""Whole numbers among the words of a command: digits alone, whatever Python takes for a number."""

import click
import pytest

from commands import every_command
from sordino.cli.options import Whole


@pytest.mark.parametrize("word", ["1_0", "1_000_000", "1,000", "1e3", "10.0", "", "١٠", "0x10", "9" * 5000], ids=repr)  # noqa: RUF001 - other digits
def test_what_is_no_whole_number_is_refused(folder, run, word):
    code, out, err = run("plan", "survey.toml", "--people", word, "-o", "other.json")
    assert (code, out) == (2, "")
    assert "--people" in err
    assert not (folder / "other.json").exists()


def test_every_option_that_takes_a_number_of_things_takes_digits_alone():
    options = [option for _, command in every_command() for option in command.params]
    numbers = [option for option in options if isinstance(option.type, click.types.IntParamType)]
    assert len(numbers) > 10
    assert [option.name for option in numbers if not isinstance(option.type, Whole)] == []
