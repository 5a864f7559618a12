"""Messages in the words of commands: below, they name the verbs and arguments of Python, which commands have otherwise.

A message names an argument as `id_column` and a verb as `sordino.privatize`, both in grave accents: a prompt of Python
shows them as they are, a command as `--id COLUMN` and `sordino privatize`.
"""

import re
from typing import Any

OPTIONS = {
    "accuracy": "--accuracy",
    "by": "--by",
    "count_column": "--count COLUMN",
    "engine": "--engine",
    "expect": "--expect SAMPLE",
    "id_column": "--id COLUMN",
    "jobs": "--jobs",
    "key": "--key FILE",
    "overwrite": "--force",
    "people": "--people N",
    "record": "--record FILE",
    "totals": "--totals FILE",
}
"""Arguments of the verbs that messages name, and the options that are the same."""

NAMED = re.compile(rf"`({'|'.join(OPTIONS)})`")
VERB = re.compile(r"`sordino\.([a-z]+)`")


def command_words(text: str) -> str:
    """A message with commands and options in place of verbs and arguments.

    Example:
        >>> command_words("name the column that identifies people: `id_column`, as in `sordino.privatize`")
        'name the column that identifies people: --id COLUMN, as in `sordino privatize`'
    """
    return VERB.sub(r"`sordino \1`", NAMED.sub(lambda found: OPTIONS[found[1]], text))


def command_facts(facts: Any) -> Any:
    """The same for what programs read of an error, texts within texts."""
    if isinstance(facts, dict):
        return {name: command_facts(value) for name, value in facts.items()}
    if isinstance(facts, list):
        return [command_facts(value) for value in facts]
    return command_words(facts) if isinstance(facts, str) else facts
