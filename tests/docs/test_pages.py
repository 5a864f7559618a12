"""The pages by role and by promise: what they show is what commands print, and their programs run.

A page is one folder. Its ```toml blocks whose first line names a file are that file; its ```console blocks run in
order, and each line of a ```text block stands in what the page has printed so far, `...` for anything. `sordino serve
... &` runs until the page ends, at a port of its own, and `sha256:...` stands for the plan that it serves.
"""

import doctest
import re
import shlex
import socket
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest

from commands import PATIENCE, PROGRAM, run_program, started
from sordino import Plan

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.glob("*/*.md"), *(DOCS / f"{name}.md" for name in ("choose", "migrate", "faq", "stability"))])

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Reader:
    """Somebody who does what a page says, in a folder."""

    def __init__(self, folder, run, stack):
        self.folder, self.run, self.stack = folder, run, stack
        self.printed, self.port, self.plan, self.names = "", None, "", {}

    def read(self, language, block):
        """Do what one block asks for."""
        head, _, rest = block.partition("\n")
        if language in {"toml", "csv"} and (named := re.fullmatch(r"# (\S+\.\w+)", head)):
            (self.folder / named[1]).write_text(rest if language == "csv" else block, encoding="utf-8")
        elif language == "console":
            self.printed += "".join(self.command(line.removeprefix("$ ")) for line in block.splitlines())
        elif language == "text":
            printed = " ".join(self.printed.split())
            for line in filter(str.strip, block.splitlines()):
                wanted = ".*?".join(re.escape(" ".join(part.split())) for part in line.split("..."))
                assert re.search(wanted, printed), f"{line}\n\nstands not in\n\n{self.printed}"
        elif language == "python" and block.startswith(">>> "):
            said = []
            session = doctest.DocTestParser().get_doctest(block, {}, "page", None, 0)
            session.globs = self.names
            doctest.DocTestRunner().run(session, out=said.append, clear_globs=False)
            assert not said, "".join(said)
        elif language == "python":
            self.printed += run_program(self.of_port(block), self.folder)

    def of_port(self, text):
        """A page's addresses, at the port where its collector is."""
        return text.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}").replace("sha256:...", self.plan)

    def command(self, line):
        """What one line prints, where it ends well."""
        words = shlex.split(self.of_port(line))
        if words[0] == "curl":
            with urllib.request.urlopen(words[-1], timeout=PATIENCE) as answer:  # noqa: S310 - this machine's
                return answer.read().decode()
        assert words.pop(0) == "sordino", line
        if words[-1] == "&":
            return self.serve(words[:-1])
        code, output, errors = self.run(*words, folder=self.folder)
        assert code == 0, f"{line}\n{output}{errors}"
        return output + errors

    def serve(self, words):
        """Start a collector, which ends with the page."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.plan = Plan.load(self.folder / words[1]).hash
        self.stack.enter_context(started([*PROGRAM, *words, "--port", str(self.port)], cwd=self.folder))
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=PATIENCE):
                    return ""
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page, tmp_path, run):
    with ExitStack() as stack:
        reader = Reader(tmp_path, run, stack)
        for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            reader.read(language, block)
