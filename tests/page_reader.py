"""Somebody who reads a page of the documentation and does what it says.

A page is one folder. What becomes of a block depends on its language:

- `toml`, `csv`: a block whose first line names a file is that file, which the page uses later. Another ```toml block is
  completed by its frame (FRAMES), and the real commands read it.
- `console`: each line is run, in order. `sordino serve ... &` runs until the page ends, at a port of its own, and
  `sha256:...` stands for the plan that it serves.
- `text`: each line stands in what the page has printed so far, `...` for anything.
- `python`: runs, with the names of the blocks before it; a session prints what it shows.
- `sh`: lines for the reader's own files and server. The real command line parses them; of other programs what the
  project gives them (targets, extras, flags) is there.
- what runs in the live tests (LIVE) is checked for the names in it.

Commands and files of the repository that a sentence names are there.

A block of another language, or of none, is a drawing (DRAWINGS) or a mistake.
"""

import ast
import doctest
import json
import re
import shlex
import socket
import time
import tomllib
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import click

from commands import PATIENCE, PROGRAM, run_program, started
from sordino import Plan
from sordino.cli.main import cli

ROOT = Path(__file__).parents[1]
CLIENT = ROOT / "src" / "sordino" / "service" / "client"
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "npm/*.md", "tests/vectors/*.md")
    for path in ROOT.glob(pattern)
)

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"`(sordino [^`]+|make [^`]+|pip install [^`]+|uvx [^`]+)`")
PLACE = re.compile(r"`((?:benchmarks|deploy|docs|examples|locks|npm|proofs|scripts|src|tests)/[\w./*-]*)`")

LIVE = {
    "js": "tests/service/client/test_node.py runs it under Node, against a collector",
    "html": "tests/service/client/test_element.py opens such a page in Chromium",
    "nginx": "tests/service/test_proxy_live.py starts nginx with it, tests/docs/test_deploy.py finds it in deploy/",
}
"""Languages whose blocks need a program that only the live tests have."""

DRAWINGS = {"README.md": 1, "docs/architecture.md": 3}
"""How many blocks of a page are in no language: pictures made of letters."""

HASHED = {"sordino key 1", "sordino invitation 1"}
"""First lines of texts that are hashed: not commands."""


@dataclass(frozen=True)
class Frame:
    """What completes a fragment: files, in which `{block}` stands for it, and the commands that read them."""

    files: dict[str, str]
    commands: tuple[str, ...]


PEOPLE = "region,age,smoker\n" + "north,young,yes\nsouth,middle,no\nsouth,old,no\n" * 700
TABLE = """version = 1
epsilon = "2"
[public.region]
categories = ["north", "south"]
[attribute.age]
categories = ["young", "middle", "old"]
[attribute.smoker]
categories = ["yes", "no"]
[[ask]]
table = ["age", "smoker"]
"""
ESTIMATED = (
    "plan survey.toml --people 2100 -o plan.json",
    "privatize plan.json people.csv -o reports.parquet",
)
TERMS = """version = 1
epsilon = "1"
[attribute.smoker]
categories = ["yes", "no"]
"""
ASKED = TERMS + '[[ask]]\nhistogram = "smoker"\n'
ANSWERED = """version = 1
epsilon = "1"
[attribute]
age = { number = { low = 18, high = 90 } }
smoker = { categories = ["yes", "no"] }
visits = { categories = 5 }
home = { grid = { south = 42, north = 43, west = -72, east = -71, rows = 4, columns = 4 } }
[[ask]]
mean = "age"
[[ask]]
histogram = "smoker"
[[ask]]
histogram = "visits"
[[ask]]
histogram = "home"
"""
FRAMES = {
    "ask": Frame({"survey.toml": "{block}"}, ("plan survey.toml --people 100000 -o plan.json",)),
    "series": Frame({"survey.toml": ASKED + "{block}"}, ("plan survey.toml --people 100000 -o plan.json",)),
    "record": Frame(
        {"survey.toml": ANSWERED, "me.toml": "{block}"},
        ("plan survey.toml --people 100000 -o plan.json", "report plan.json me.toml"),
    ),
    "quota": Frame({"terms.toml": TERMS + "{block}"}, ("ledger new me.ledger terms.toml",)),
    "changes": Frame({"terms.toml": "{block}"}, ("ledger new me.ledger terms.toml",)),
    "age": Frame(
        {"survey.toml": TABLE, "people.csv": PEOPLE, "known.toml": "{block}"},
        (*ESTIMATED, "estimate plan.json reports.parquet --margins known.toml"),
    ),
    "region": Frame(
        {"survey.toml": TABLE, "people.csv": PEOPLE, "known.toml": "{block}"},
        (*ESTIMATED, "estimate plan.json reports.parquet --totals known.toml"),
    ),
}
"""Frames by a setting that their fragments have; the first that fits."""


class Reader:
    """Somebody who does what a page says, in a folder."""

    def __init__(self, page, folder, run, stack):
        self.page, self.folder, self.run, self.stack = page, folder, run, stack
        self.printed, self.port, self.plan, self.names = "", None, "", {"__name__": "__main__"}
        self.fragments, self.drawings = [], 0

    def read_all(self):
        """Do what the whole page asks for."""
        text = (ROOT / self.page).read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            self.read(found[1], found[2], text[found.end() :])
        for line in COMMAND.findall(BLOCK.sub("", text)):
            if line not in HASHED:
                check_mention(line)
        for path in PLACE.findall(text):
            assert any(ROOT.glob(path.rstrip("/"))), path
        assert self.drawings == DRAWINGS.get(self.page, 0)

    def read(self, language, block, rest):
        """Do what one block asks for; `rest` is the page after it."""
        ways = {
            "console": self.run_lines,
            "text": self.compare,
            "python": self.run_python,
            "sh": lambda block: [check_line(line) for line in block.splitlines()],
            "js": check_imports,
            "html": check_element,
        }
        head, _, below = block.partition("\n")
        if language in {"toml", "csv"} and (named := re.fullmatch(r"# (\S+\.\w+)", head)):
            later = "".join(part for _, part in BLOCK.findall(rest))
            assert re.search(rf"\b{re.escape(named[1])}\b", later), f"no later block uses {named[1]}"
            (self.folder / named[1]).write_text(below if language == "csv" else block, encoding="utf-8")
        elif language == "toml":
            self.complete(block)
        elif language in ways:
            ways[language](block)
        elif language not in LIVE:
            assert language == "", f"nothing here runs {language}: make it a language of this file, or name it in LIVE"
            self.drawings += 1

    def run_lines(self, block):
        """Run the commands of a block."""
        self.printed += "".join(self.command(line.removeprefix("$ ")) for line in block.splitlines())

    def compare(self, block):
        """Find each line of a block in what was printed."""
        printed = " ".join(self.printed.split())
        for line in filter(str.strip, block.splitlines()):
            wanted = ".*?".join(re.escape(" ".join(part.split())) for part in line.split("..."))
            assert re.search(wanted, printed), f"{line}\n\nstands not in\n\n{self.printed}"

    def run_python(self, block):
        """Run a program, or a session that prints what it shows."""
        if block.startswith(">>> "):
            said = []
            session = doctest.DocTestParser().get_doctest(block, {}, self.page, None, 0)
            session.globs = self.names
            doctest.DocTestRunner().run(session, out=said.append, clear_globs=False)
            assert not said, "".join(said)
        else:
            self.printed += run_program(self.of_port(block), self.folder, self.names)

    def complete(self, block):
        """Have the commands read a block that names no file."""
        settings = tomllib.loads(block)
        fragment = next((name for name in FRAMES if name in settings), None)
        assert fragment, f"a block of TOML must name its file, or have a frame in FRAMES; found {', '.join(settings)}"
        self.fragments.append(fragment)
        frame, folder = FRAMES[fragment], self.folder / f"fragment-{len(self.fragments)}"
        folder.mkdir()
        for name, text in frame.files.items():
            (folder / name).write_text(text.replace("{block}", block), encoding="utf-8")
        for line in frame.commands:
            self.succeed(line.split(), folder)

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
        return self.succeed(words, self.folder)

    def succeed(self, words, folder):
        """What a command prints, which must end well."""
        code, output, errors = self.run(*words, folder=folder)
        assert code == 0, f"{shlex.join(words)}\n{output}{errors}"
        return output + errors

    def serve(self, words):
        """Start a collector, which ends with the page; once more where another process has taken its port since."""
        self.plan = Plan.load(self.folder / words[1]).hash
        store = self.folder / words[words.index("--store") + 1]
        deadline, process = time.monotonic() + PATIENCE, None
        while time.monotonic() < deadline:
            if process is None or process.poll() is not None:
                with socket.create_server(("127.0.0.1", 0)) as free:
                    self.port = free.getsockname()[1]
                command = [*PROGRAM, *words, "--port", str(self.port)]
                process = self.stack.enter_context(started(command, cwd=self.folder))
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=PATIENCE):
                    pass
            except OSError:
                time.sleep(0.05)
                continue
            # Another one's collector may answer while this one still loads, and has no store.
            if store.exists() and process.poll() is None:
                return ""
            time.sleep(0.05)
        raise TimeoutError(words)


def command_of(words):
    """The command that words begin with, its context, and the words after its name."""
    context = click.Context(cli, info_name="sordino", **cli.context_settings)
    command, rest = cli, list(words)
    while isinstance(command, click.Group) and rest and not (rest[0].startswith("-") or rest[0].isupper()):
        name = rest.pop(0)
        found = command.get_command(context, name)
        assert found, f"sordino has no command {name}: {shlex.join(words)}"
        command, context = found, click.Context(found, info_name=name, parent=context)
    return command, context, rest


def check_command(words):
    """The command, each option and the number of arguments are right; values in capitals are the reader's own."""
    command, context, rest = command_of(words)
    assert not isinstance(command, click.Group), f"sordino {shlex.join(words)} is a group of commands"
    given, left, _ = command.make_parser(context).parse_args(rest)
    assert not left, f"too many arguments: sordino {shlex.join(words)}"
    for one in command.params:
        value = given.get(one.name)
        # What click puts where nothing was given is neither.
        is_given = isinstance(value, str | tuple | list) and value
        assert is_given or not one.required, f"{one.name} is missing: sordino {shlex.join(words)}"
        if isinstance(one.type, click.Choice) and isinstance(value, str) and not value.isupper():
            one.type.convert(value, one, context)


def check_mention(line):
    """A command within a sentence has the words and options that there are, though not all that it needs."""
    program, *words = shlex.split(line.replace("&lt;", "<"))
    if program == "sordino":
        first, *rest = words
        for name in first.split("|"):
            command, context, left = command_of([name, *rest])
            options = {option for one in command.get_params(context) for option in (*one.opts, *one.secondary_opts)}
            assert {word for word in left if re.match("--?[a-z]", word)} <= options | {"--version"}, line
    else:
        check_line(line)


def check_line(line):
    """What a reader types into a shell: each part names what the project has."""
    for part in re.split(r" && | \| ", line):
        words = shlex.split(part, comments=True)
        while words and re.fullmatch(r"[A-Z]+=\S+", words[0]):
            words.pop(0)
        if words:
            program, *rest = words
            assert Path(program).name in PROGRAMS, f"nothing here knows {program}: {line}"
            PROGRAMS[Path(program).name](rest)


def check_make(words):
    """Each target is in the Makefile, each variable is used there, and a part that it names is a file."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        name, equals, value = word.partition("=")
        wanted = rf"\$\({name}\)|^{name} \?=" if equals else rf"^{re.escape(name)}:"
        assert re.search(wanted, text, re.MULTILINE), f"make {word}"
        assert name not in PARTS or (ROOT / PARTS[name] / f"{value}.py").is_file(), f"make {word}"


PARTS = {"BENCH": "benchmarks", "GALLERY": "examples/gallery"}
"""Variables of the Makefile that name a file of a folder."""


def check_python(words):
    """A module that comes with Python, or pip."""
    assert words[0] == "-m", words
    if words[1] == "pip":
        check_pip(words[2:])
    else:
        assert words[1] == "http.server", words


def check_pip(words):
    """Extras are those of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert words.pop(0) == "install"
    for word in words:
        name, extras = re.fullmatch(r"([\w-]+)(?:\[([\w,]+)\])?", word).groups()
        assert name in {"sordino", "pre-commit"}, word
        assert set((extras or "spark").split(",")) <= project["optional-dependencies"].keys(), word


def check_uvx(words):
    """A package with extras, and a command of it."""
    assert words.pop(0) == "--from"
    check_pip(["install", words.pop(0)])
    assert words.pop(0) == "sordino"
    check_command(words)


def check_go(words):
    """Flags are those of the client in Go."""
    source = (ROOT / "examples" / "clients" / "go" / "main.go").read_text(encoding="utf-8")
    flags = set(re.findall(r'flag\.\w+\("([\w-]+)"', source))
    assert {word[1:] for word in words if word.startswith("-")} <= flags, words


def check_anything(words):
    """Programs of the system, with arguments of their own."""


PROGRAMS = {
    "sordino": check_command,
    "make": check_make,
    "pip": check_pip,
    "python": check_python,
    "uvx": check_uvx,
    "go": check_go,
    "pre-commit": check_anything,
    "zcat": check_anything,
}
"""Programs of ```sh blocks, each with what is known of its words."""


def check_imports(block):
    """Names come from modules of the client that export them."""
    package = json.loads((ROOT / "npm" / "package.json").read_text(encoding="utf-8"))["exports"]
    imported = re.findall(r'^import (?:\{ (.*?) \} from )?"(.*?)";', block, re.MULTILINE)
    assert len(imported) == len(re.findall(r"^import\b", block, re.MULTILINE)) > 0
    for names, place in imported:
        if place.startswith("@sordino/client"):
            path = package[place.replace("@sordino/client", ".")]["default"]
        else:
            path = place.removeprefix("https://collector.example/client/")
        text = (CLIENT / path).read_text(encoding="utf-8")
        listed = ",".join(re.findall(r"^export \{ (.*?) \}", text, re.MULTILINE))
        exported = set(re.findall(r"\w+", listed))
        exported |= set(re.findall(r"^export (?:async )?(?:class|const|function) (\w+)", text, re.MULTILINE))
        assert set(filter(None, names.split(", "))) <= exported, (place, names)


def check_element(block):
    """The script is a file of the client or the package's bundle; the element reads each of its attributes."""
    (source,) = re.findall(r'<script type="module" src="(.*?)"', block)
    element = (CLIENT / "element.js").read_text(encoding="utf-8")
    assert source in {"/sordino-form.js", "https://collector.example/client/bundle/sordino-form.js"}, source
    observed = ast.literal_eval(re.search(r"observedAttributes = (\[.*?\])", element)[1])
    for attributes in re.findall(r"<sordino-form(.*?)>", block):
        assert set(re.findall(r"([\w-]+)=", re.sub('".*?"', "", attributes))) <= {*observed, "lang"}, attributes
