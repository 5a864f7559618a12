"""The command line: `sordino`. What goes wrong ends with one clear message, never with a traceback.

Commands are loaded when they are run: help and version wait for none of them.
"""

import gc
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import Any, NamedTuple, NoReturn, TextIO

import click

from sordino.cli.command_words import command_facts, command_words
from sordino.cli.exits import EXIT_CODES, EXIT_HELP, STOP, STOPPED, error_json, json_is_asked, leave
from sordino.cli.output import Output
from sordino.cli.say import say, say_json
from sordino.errors import SordinoError, UnavailableError
from sordino.process import interrupt_at_stops, is_asked, listen_within

HELP = """Local differential privacy that protects what is sensitive, as much as it is sensitive, and not more.

A survey becomes a frozen plan; every other command takes the plan:

\b
  sordino new -o SURVEY.toml
  sordino plan SURVEY.toml --people N -o PLAN.json
  sordino privatize PLAN.json PEOPLE.csv -o REPORTS.parquet
  sordino estimate PLAN.json REPORTS.parquet --html PAGE.html
"""

PLACE = "sordino.cli.commands"


class ReaderGoneError(Exception):
    """Whoever read the output went away, as `head` does; of a broken pipe click makes an exit code of its own."""


class LazyCommand(NamedTuple):
    """Where a command stands.

    Attributes:
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
    command.epilog = f"{EXIT_HELP} Needs the extra '{extra}': pip install 'sordino[{extra}]'." if extra else EXIT_HELP
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


COMMANDS = {
    "aggregate": LazyCommand(
        f"{PLACE}.aggregate_command", "aggregate", "Count reports from files, or add up aggregates.", "tables"
    ),
    "answer": LazyCommand(f"{PLACE}.answer_command", "answer", "Answer a collector's plan once, from a record."),
    "ask": LazyCommand(f"{PLACE}.ledger_command", "ask", "Answer a query about a record, if the ledger accepts it."),
    "audit": LazyCommand(
        f"{PLACE}.audit_command", "audit", "Bound from below what any program's answers reveal.", "plan"
    ),
    "certify": LazyCommand(
        f"{PLACE}.certify_command", "certify", "Check a plan's integers against its promise, exactly."
    ),
    "change": LazyCommand(f"{PLACE}.change_command", "change", "Show what changed between two collections.", "tables"),
    "collector": LazyCommand(
        f"{PLACE}.collector_command",
        "collector",
        "Operate a collector: tokens, keys, acts, backups.",
        "server",
    ),
    "compare": LazyCommand(f"{PLACE}.compare_command", "compare", "Show two plans side by side.", "plan"),
    "demo": LazyCommand(f"{PLACE}.demo_command", "demo", "A million simulated people report where they live.", "pages"),
    "dependence": LazyCommand(
        f"{PLACE}.dependence_command", "dependence", "Bound what attributes reveal about each other.", "tables"
    ),
    "estimate": LazyCommand(
        f"{PLACE}.estimate_command", "estimate", "Estimate what a plan asks from its reports.", "tables"
    ),
    "explain": LazyCommand(f"{PLACE}.explain_command", "explain", "Say in plain words what a report can reveal."),
    "format": LazyCommand(f"{PLACE}.format_command", "format_file", "Rewrite a survey in the one way of the docs."),
    "import": LazyCommand(f"{PLACE}.import_command", "import_form", "Make a survey of an XLSForm.", "import"),
    "invite": LazyCommand(f"{PLACE}.invite_command", "invite", "Make one-use links for those who may answer a plan."),
    "ledger": LazyCommand(f"{PLACE}.ledger_command", "ledger", "Keep a person's ledger of everything that was asked."),
    "new": LazyCommand(
        f"{PLACE}.new_command", "new", "Write a first survey: by questions, or from a table's columns.", "tables"
    ),
    "odds": LazyCommand(
        f"{PLACE}.odds_command", "odds", "Show what an epsilon reveals, and how many people it takes.", "plan"
    ),
    "papers": LazyCommand(
        f"{PLACE}.papers_command", "papers", "List the papers' mechanisms and bounds by their names."
    ),
    "plan": LazyCommand(
        f"{PLACE}.plan_command", "plan", "Turn a survey into a frozen plan: mechanisms, integers, a hash.", "plan"
    ),
    "privatize": LazyCommand(
        f"{PLACE}.privatize_command", "privatize", "Release one report for each row of a table.", "tables"
    ),
    "record": LazyCommand(f"{PLACE}.record_command", "record", "Describe a plan for the registry of deployments."),
    "report": LazyCommand(f"{PLACE}.report_command", "report", "Draw one person's report from a record."),
    "reproduce": LazyCommand(
        "sordino.cli.reproduce.command", "reproduce", "Compute a paper's table or figure anew.", "pages"
    ),
    "serve": LazyCommand(f"{PLACE}.serve_command", "serve", "Collect a plan's reports over HTTP.", "server"),
}
"""Each command by its name."""


def fail(error: SordinoError, output: Output) -> NoReturn:
    """End the process as an error asks for."""
    _end(command_words(str(error)), command_facts(error.problem()), EXIT_CODES[error.code], output)


def fail_usage(error: click.ClickException, output: Output) -> NoReturn:
    """End the process after words that are no command."""
    shown = StringIO()
    error.show(shown)
    with suppress(OSError):
        say(*shown.getvalue().rstrip("\n").split("\n"), err=True)
    context = error.ctx if isinstance(error, click.UsageError) else None
    step = f"see {context.command_path} --help" if context is not None else ""
    facts = SordinoError(error.format_message().rstrip("."), step=step).problem()
    _end("", facts, EXIT_CODES["invalid"], output)


def stop(output: Output) -> NoReturn:
    """End the process because somebody stopped it."""
    _end(STOP["rule"], STOP, STOPPED, output)


def _end(message: str, facts: Mapping[str, Any], code: int, output: Output) -> NoReturn:
    # A stream that takes nothing must not hide the exit code.
    with suppress(OSError):
        if message:
            # Of several mistakes each has a line; the names in them have none of their own.
            say(*f"sordino: {message}".split("\n"), err=True)
    with suppress(OSError):
        if output.as_json and not output.delivered:
            say_json(error_json(facts))
    sys.exit(code)


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="sordino")
def cli() -> None:
    """Hold the commands."""


def main() -> None:
    """Run a command; exit code 0 if all went well, otherwise one of `sordino.cli.exits`."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A label that the output's encoding lacks is spelled out.
            stream.reconfigure(errors="backslashreplace")
    output = Output(as_json=json_is_asked())
    # A polite end is like Ctrl-C: files that are not whole are taken away.
    with interrupt_at_stops():
        try:
            with suppress(click.Abort, KeyboardInterrupt):
                _run(output)
            # The interrupt is forgotten with all that it held: what was half-written is gone.
            stop(output)
        finally:
            _give_up_output()


def _run(output: Output) -> None:
    try:
        sys.exit(_command(output))
    except SordinoError as error:
        fail(error, output)
    except click.ClickException as error:
        fail_usage(error, output)
    except (BrokenPipeError, ReaderGoneError):
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        fail(
            UnavailableError(
                "the system must allow it",
                found=(error.strerror or "a refusal").lower(),
                step="look at rights and disk, then run it again",
            ),
            output,
        )


def _command(output: Output) -> int:
    """Run a command; its exit code."""
    try:
        code: int = cli.main(standalone_mode=False, obj=output) or 0
        sys.stdout.flush()
    except Exception:
        # A library in the middle of its work may report an interrupt in words of its own.
        if is_asked():
            raise KeyboardInterrupt from None
        raise
    return code


def _give_up_output() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            sys.stdout.close()


def _replace_closed_streams() -> None:
    """Have streams in place of those that the caller closed, which Python leaves out.

    Whatever is printed to such an output fails as it does on a full disk: what was not delivered must not count as
    delivered. Messages that nobody can read are dropped.
    """
    if sys.stdin is None:
        # Or the next file would take its number.
        os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = _stream(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stream(os.O_WRONLY)


def _stream(mode: int) -> TextIO:
    return os.fdopen(os.open(os.devnull, mode), "w", encoding="utf-8")
