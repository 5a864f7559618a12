"""Ways to run a command, for the tests of several rooms: here, or in a process of its own; and forked children."""

import gc
import io
import os
import subprocess
import sys
from contextlib import chdir, contextmanager, nullcontext, redirect_stdout

import click
import pytest

from sordino.cli.main import cli, main

PATIENCE = 600
"""Seconds after which a test gives a process up, however slow and busy the machine is."""

PROGRAM = [sys.executable, "-c", "from sordino.cli.start import main; main()"]


def every_command(group=cli, words=()):
    """Each command by its words, groups and what they hold."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*words, name))


def in_child(work):
    """Run a function in a forked child: the child's number, to wait for."""
    child = os.fork()
    if child:
        return child
    # To collect a parent's database here would wait for threads that only the parent has.
    gc.disable()
    try:
        work()
        os._exit(0)
    finally:
        # Nothing of the test goes on in the child.
        os._exit(1)


@contextmanager
def started(command, **options):
    """A process with pipes as text, which does not outlive its test, whatever fails."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **{**pipes, **options}) as process:
        try:
            yield process
        finally:
            process.kill()


def run_here(*arguments, folder=None, encoding="utf-8"):
    """Run a command in this process: exit code, output, errors."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch, chdir(folder) if folder else nullcontext():
        patch.setattr(sys, "argv", ["sordino", *map(str, arguments)])
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as stop:
            main()
    output, errors = (stream.buffer.getvalue().decode(encoding) for stream in streams)
    return stop.value.code, output, errors


def run_program(text, folder=None, names=None):
    """Run a page's program in this process, which has loaded what it imports: what it prints; `names` are kept."""
    printed = io.StringIO()
    with redirect_stdout(printed), chdir(folder) if folder else nullcontext():
        exec(compile(text, "<program>", "exec"), {"__name__": "__main__"} if names is None else names)  # noqa: S102 - our own pages
    return printed.getvalue()


@pytest.fixture(scope="session")
def run():
    """Run a command in this process, which has loaded all that commands need."""
    return run_here


@pytest.fixture
def undrawn(monkeypatch):
    """Drawings of pages are empty, for tests that say nothing of what they show: they take most of its time."""
    monkeypatch.setattr(
        "sordino.show.html.figures.drawing._write", lambda *_: b'<svg xmlns="http://www.w3.org/2000/svg"/>'
    )


@pytest.fixture(scope="session")
def program():
    """The words that start a process of its own."""
    return PROGRAM


@pytest.fixture(scope="session")
def spawn():
    """Run a command in a process of its own, with pipes."""

    def command(*arguments):
        words = [*PROGRAM, *map(str, arguments)]
        return subprocess.run(words, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)

    return command
