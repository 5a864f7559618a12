"""Print the counts that show how well the house is kept: sizes, texts, readers, names, circles, walks, readings.

make counts

A figure by itself is no aim: these have each been too high, and each stands for something that a newcomer trips over.
Walks are measured, on a survey of two questions: a room is a folder directly below `src/sordino`; it is entered if one
of its functions is called. A return is a pair of rooms of which the lower one calls the higher one, in the order of
`pyproject.toml`: what is under way has to come back up, as to whoever is told of progress. Decorators are no stop on
the way.
"""

import ast
import gc
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "sordino"

PARTICIPLE = re.compile(r"[a-z]+(ed|en|ing)")
IRREGULAR = frozenset(
    {
        *(
            "begun",
            "built",
            "drawn",
            "found",
            "gone",
            "grown",
            "heard",
            "held",
            "kept",
            "known",
            "left",
            "lent",
            "lost",
        ),
        *("made", "meant", "met", "said", "sent", "shown", "sold", "sought", "spelt", "spent", "taught", "thought"),
        *("thrown", "told", "torn", "understood", "untold", "won", "worn"),
        *("alike", "alone", "bare", "beside", "between", "impossible", "steady"),
    }
)
"""Participles without an ending, and adjectives and prepositions that stood for functions."""

FIELD_TERMS = frozenset(
    {
        *("binding", "ceiling", "heading", "reading", "rounding", "setting", "smoothing", "spacing", "warning"),
        *("even", "len", "listen", "open", "then", "tighten", "widen", "seed", "need", "feed", "embed", "exceed"),
    }
)
"""Nouns and verbs that end like participles."""

KIND_ENDINGS = ("Question", "Result", "Regression", "Kind")
"""What the classes of kinds of questions, and of what they give, are called."""

KINDS = HOUSE / "survey" / "kinds"
"""Where a kind may ask what it is."""

VIEWS = frozenset({"pooled", "groups", "weighted", "raked", "associations", "differences", "change", "series"})
"""What is made of several results, as fields and arguments are called."""

SEVERAL_VIEWS = 3

OLD_NAMES = frozenset(
    {
        *("told", "Untold", "awaited", "Alike", "AlikePart", "rise", "LogShareRise", "Side", "reached", "extended"),
        *("improved", "lasting", "largest_gap", "law", "known_law", "marks", "swing", "excess", "bare", "sends_all"),
        *("impossible", "steady", "around", "freeze", "thaw", "words", "Words", "Part", "Desk", "of_store", "keep"),
        *("release", "held_key", "require_beside", "LedgerLines", "Book", "Standing", "relies", "grounds", "climbs"),
        *("people_for", "records_needed", "Panel", "coded", "choose"),
    }
)
"""Names for which the house has found better ones."""

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "age": {"number": {"low": 20, "high": 80, "clip": True}},
        "job": {"categories": ["red", "green", "blue"]},
    },
    "ask": [{"mean": "age"}, {"histogram": "job"}],
}
PEOPLE = "who,age,job\n" + "".join(f"person {i},{i % 100},{('red', 'green', 'blue')[i % 3]}\n" for i in range(1000))


def parsed(folder: Path) -> dict[Path, ast.Module]:
    """The modules of a folder and of those below it."""
    # While trees grow there is no garbage, and looking for it takes most of the time.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}
    finally:
        if is_collecting:
            gc.enable()


def functions(modules: dict[Path, ast.Module]) -> Iterator[str]:
    """The name of each function and method, without underscores around it."""
    for node in chain.from_iterable(map(ast.walk, modules.values())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name.strip("_")


def is_bare(name: str) -> bool:
    """Whether a name is one participle, adjective or preposition alone.

    >>> [name for name in ("told", "counted", "counted_moments", "feed") if is_bare(name)]
    ['told', 'counted']
    """
    return name not in FIELD_TERMS and (name in IRREGULAR or PARTICIPLE.fullmatch(name) is not None)


def questions_about_kinds(modules: dict[Path, ast.Module]) -> int:
    """How often a file outside `survey/kinds` asks of which kind a question or a result is."""
    survey = HOUSE / "survey"
    kinds = {
        node.name
        for path, module in modules.items()
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef) and path.is_relative_to(survey) and node.name.endswith(KIND_ENDINGS)
    }
    asked = 0
    for path, module in modules.items():
        for node in ast.walk(module) if not path.is_relative_to(KINDS) else ():
            match node:
                case ast.Call(func=ast.Name(id="isinstance"), args=[_, classes]):
                    names = {inner.id for inner in ast.walk(classes) if isinstance(inner, ast.Name)}
                case ast.MatchClass(cls=ast.Name(id=name)):
                    names = {name}
                case _:
                    continue
            asked += bool(names & kinds)
    return asked


def imports(path: Path, module: ast.Module) -> set[str]:
    """The modules of the package that one imports, wherever in it, for its types too."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found - {name_of(path)}


def name_of(path: Path) -> str:
    """The dotted name of a module of the package."""
    return ".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__")


def mutual_imports(modules: dict[Path, ast.Module]) -> list[tuple[str, str]]:
    """The pairs of files that import each other."""
    known = {name_of(path): imports(path, module) for path, module in modules.items()}
    return [(a, b) for a, theirs in known.items() for b in sorted(theirs) if a < b and a in known.get(b, ())]


class Walk(NamedTuple):
    """A way through the rooms.

    Attributes:
        rooms: that are entered.
        returns: from which lower room to which higher one it comes back.
    """

    rooms: set[str]
    returns: set[tuple[str, str]]

    @classmethod
    def of(cls, work: Callable[[], object]) -> "Walk":
        """That of some work, once all that it needs is loaded."""
        rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
        layers = [layer.split(" | ") for layer in rules["contracts"][0]["layers"]]
        floors = {name.removeprefix("sordino."): -floor for floor, names in enumerate(layers) for name in names}
        walk = cls(set(), set())

        def look(frame: FrameType, event: str, _: Any) -> None:
            room = _room(frame)
            if event != "call" or room is None:
                return
            walk.rooms.add(room)
            caller = frame.f_back
            while caller is not None and (_room(caller) is None or _wraps(caller)):
                caller = caller.f_back
            before = caller and _room(caller)
            if before is not None and floors[before] < floors[room]:
                walk.returns.add((before, room))

        sys.setprofile(look)
        try:
            work()
        finally:
            sys.setprofile(None)
        return walk


def _room(frame: FrameType) -> str | None:
    """The room of a function; None of other libraries' and of files in no room."""
    return _room_of(frame.f_code.co_filename)


@cache
def _room_of(file: str) -> str | None:
    path = Path(file)
    parts = path.relative_to(HOUSE).parts if path.is_relative_to(HOUSE) else ()
    return parts[0] if len(parts) > 1 else None


def _wraps(frame: FrameType) -> bool:
    """Whether a function only calls another one, for a decorator."""
    return frame.f_code.co_qualname.endswith("<locals>.call")


def walk_of_people(folder: Path) -> Walk:
    """The way of people from a file through `privatize` into another one."""
    from sordino.survey.planning.plan import Plan
    from sordino.survey.reading.survey_file import Survey
    from sordino.tables.release import Release
    from sordino.verbs.plan_reports import privatize_plan

    people, plan = folder / "people.csv", Plan.of(Survey.read(SURVEY), 1000)
    people.write_text(PEOPLE, encoding="utf-8")

    def privatize(name: str) -> None:
        privatize_plan(plan, people, Release("who", folder / "key"), output=folder / name)

    privatize("first.csv")
    return Walk.of(lambda: privatize("second.csv"))


def walk_of_choice() -> Walk:
    """The way of a survey to its mechanisms."""
    from sordino.survey.planning.plan import Plan
    from sordino.survey.reading.survey_file import Survey

    survey = Survey.read(SURVEY)
    Plan.of(survey, 1000)
    return Walk.of(lambda: Plan.of(survey, 1000))


def openings(folder: Path) -> int | None:
    """How often `sordino privatize` opens a CSV file, as the system counts; None where it cannot be asked."""
    from sordino.survey.planning.plan import Plan
    from sordino.survey.reading.survey_file import Survey

    Plan.of(Survey.read(SURVEY), 1000).save(folder / "plan.json")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    command = ["strace", "-f", "-e", "trace=open,openat", "-o", "trace", sys.executable, "-m", "sordino", "privatize"]
    command += ["plan.json", "people.csv", "-o", "reports.csv", "--id", "who", "--key", "own.key"]
    environment = os.environ | {"PYTHONPATH": str(HOUSE.parent)}
    try:
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (folder / "trace").read_text(encoding="utf-8").count('people.csv"')


def docstring_lines(module: ast.Module) -> set[int]:
    """The lines of the docstrings of a module, its classes and its functions."""
    found: set[int] = set()
    for node in ast.walk(module):
        match node:
            case (
                ast.Module(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_])
                | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_])
                | ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_])
                | ast.AsyncFunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_])
            ):
                found.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return found


def code_lines(path: Path, module: ast.Module) -> int:
    """How many lines of a file are neither imports, docstrings (of constants too), comments nor blank."""
    others: set[int] = set()
    for node in ast.walk(module):
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                others.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = path.read_text(encoding="utf-8").splitlines()
    return sum(
        number not in others and line.strip() != "" and not line.lstrip().startswith("#")
        for number, line in enumerate(lines, 1)
    )


def sizes(modules: dict[Path, ast.Module], lines: int) -> Iterator[tuple[str, str]]:
    """How large the package is, without what surrounds its code."""
    yield "lines of code", f"{sum(code_lines(path, module) for path, module in modules.items()):,}"
    texts = sum(len(docstring_lines(module)) for module in modules.values())
    yield "lines of docstrings", f"{texts:,}: {texts / lines:.1%}"
    scripts = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in HOUSE.rglob("*.js"))
    yield "lines of JavaScript", f"{scripts:,}"
    tested = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "tests").rglob("*.py"))
    yield "lines of tests", f"{tested:,}"


def single_readers(modules: dict[Path, ast.Module]) -> list[tuple[str, str]]:
    """The files that exactly one other one imports, each with that one."""
    readers: dict[str, set[str]] = {name_of(path): set() for path in modules if path.name != "__init__.py"}
    for path, module in modules.items():
        for name in imports(path, module) & readers.keys():
            readers[name].add(name_of(path))
    return [(name, found.pop()) for name, found in readers.items() if len(found) == 1]


def shape(modules: dict[Path, ast.Module]) -> Iterator[tuple[str, str]]:
    """How the package is cut into files and names."""
    single = single_readers(modules)
    own = sum(name.split(".")[1] == reader.split(".")[1] for name, reader in single)
    yield "files with a single reader", f"{len(single)}, {own} of them in its room"
    names = Counter(path.name for path in modules if path.name != "__init__.py")
    yield "names of files that stand twice or more", str(sum(count > 1 for count in names.values()))
    classes = [node.name for node in chain.from_iterable(map(ast.walk, modules.values())) if type(node) is ast.ClassDef]
    attributes = sorted(name for name in classes if "Attribute" in name and not name.endswith("Error"))
    yield "classes named of an attribute", f"{len(attributes)}: {' '.join(attributes)}"
    viewers = [name_of(path) for path, module in modules.items() if len(views_named(module)) >= SEVERAL_VIEWS]
    yield "files that name three views or more", f"{len(viewers)}: {' '.join(viewers)}"
    old = old_names(modules)
    yield "old names that define something", f"{len(old)} of {len(OLD_NAMES)}: {' '.join(sorted(old))}"


def views_named(module: ast.Module) -> set[str]:
    """The views whose words are an attribute, an argument or a field of a file."""
    found = set()
    for node in ast.walk(module):
        match node:
            case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=name) | ast.Name(id=name):
                found.add(name)
    return found & VIEWS


def old_names(modules: dict[Path, ast.Module]) -> set[str]:
    """Which of `OLD_NAMES` a file, a folder, a class or a function still has."""
    defined = {name for path in modules for name in (path.stem, path.parent.name)}
    for node in chain.from_iterable(map(ast.walk, modules.values())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            defined.add(node.name.strip("_"))
    return defined & OLD_NAMES


def counts() -> Iterator[tuple[str, str]]:
    """What is counted, and how much."""
    modules, tests = parsed(HOUSE), parsed(ROOT / "tests")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules)
    yield "lines and files of Python", f"{lines:,} in {len(modules)}"
    yield from sizes(modules, lines)
    yield from shape(modules)
    names = list(functions(modules))
    bare = [name for name in names if is_bare(name)]
    yield "functions named by a bare participle", f"{len(bare)} of {len(names):,}: {len(bare) / len(names):.1%}"
    yield "questions about kinds outside survey/kinds", str(questions_about_kinds(modules))
    pairs = mutual_imports(modules)
    yield "pairs of files that import each other", f"{len(pairs)} {' '.join(f'{a} {b}' for a, b in pairs)}".strip()
    inner = outer = 0
    for node in chain.from_iterable(map(ast.walk, tests.values())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sordino":
            public = node.module in ("sordino", "sordino.testing", "sordino.errors")
            inner, outer = inner + (not public), outer + public
    yield "imports of tests", f"{inner:,} internal, {outer:,} public"
    with tempfile.TemporaryDirectory() as folder:
        people = walk_of_people(Path(folder))
        for name, walk in {"people through privatize": people, "a survey to its mechanisms": walk_of_choice()}.items():
            backs = ", ".join(sorted(f"{low} to {high}" for low, high in walk.returns))
            yield name, f"{len(walk.rooms)} rooms, {len(walk.returns)} returns{f' ({backs})' if backs else ''}"
    with tempfile.TemporaryDirectory() as folder:
        opened = openings(Path(folder))
        yield "openings of a CSV file by privatize", "unknown: needs strace" if opened is None else str(opened)


if __name__ == "__main__":
    for what, found in counts():
        print(f"{what:<44} {found}")
