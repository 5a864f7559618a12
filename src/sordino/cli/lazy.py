"""A group of commands that are loaded when they are run: help and version wait for none of them."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import click

from sordino.cli.exits import HELP, leave
from sordino.process.stops import listen_within


class ReaderGoneError(Exception):
    """Whoever read the output went away, as `head` does; of a broken pipe click makes an exit code of its own."""


class LazyCommand(NamedTuple):
    """Where a command stands.

    Attributes:
        module: its file.
        name: of its function there.
        line: what it does, for the list of commands.
        extra: that brings the libraries it needs; empty for those of the base.
    """

    module: str
    name: str
    line: str
    extra: str = ""

    def load(self) -> click.Command:
        """The command, with the exit codes and its extra below its help.

        Raises:
            ImportError: a library that it needs cannot be loaded.
        """
        # A library that is loading could take an exception for a failure of its own.
        with listen_within(leave), _nothing_thrown_away():
            command: click.Command = getattr(import_module(self.module), self.name)
        command.short_help = self.line
        tell_exit_codes(command, self.extra)
        return command


class LazyGroup(click.Group):
    """A group that knows the names of its commands and what they do, and loads the one that is run."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy
        tell_exit_codes(self)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """All names in their order."""
        return sorted(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """The command of that name; None if there is none."""
        lazy = self.lazy.get(cmd_name)
        return lazy and lazy.load()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for.

        Raises:
            ReaderGoneError: nobody reads what it prints any more.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, none of which is loaded for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.lazy[name].line) for name in self.list_commands(ctx)])


def tell_exit_codes(command: click.Command, extra: str = "") -> None:
    """Have the exit codes below the help of a command and of those that it holds, and the extra that they need."""
    command.epilog = f"{HELP} Needs the extra '{extra}': pip install 'sordino[{extra}]'." if extra else HELP
    for own in command.commands.values() if isinstance(command, click.Group) else ():
        tell_exit_codes(own, extra)


@contextmanager
def _nothing_thrown_away() -> Iterator[None]:
    """Have nobody look for garbage among what libraries make while they load: it stays to the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
