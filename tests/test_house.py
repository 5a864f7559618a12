"""The house: rooms in their order, and names that mean one thing each.

That a file imports only from lower floors, and rooms stand in their order, is for `make check` (import-linter);
here stands that every floor and every room of a floor has its place in those rules.
"""

import ast
import importlib.util
import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "sordino"
SOURCES = sorted(HOUSE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in HOUSE.rglob("*") if path.suffix in (".py", ".js")})


def at(path):
    return str(path.relative_to(ROOT))


def test_a_class_has_a_name_of_its_own():
    """Private ones too: `_Row` beside `Row` is one word for two things."""
    places = defaultdict(list)
    for path in SOURCES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found := re.match(r"\s*class _*(\w+)[:(\[]", line):
                places[found[1]].append(f"{at(path)}:{number}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.fixture(scope="module")
def counts():
    """What `make counts` counts by."""
    spec = importlib.util.spec_from_file_location("counts", ROOT / "scripts" / "counts.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.fixture(scope="module")
def trees(counts):
    return counts.parsed(HOUSE)


def test_modules_classes_and_public_names_have_a_docstring(trees):
    """A public class says what its methods do, or a base or a protocol does. All else may be said by its name."""
    classes = {node.name: node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, ast.FunctionDef)}
    public = set(re.findall(r"^    \"(\w+)\",$", (HOUSE / "__init__.pyi").read_text(encoding="utf-8"), re.MULTILINE))

    def bases(name):
        return [re.findall(r"\w+", ast.unparse(base).split("[")[0])[-1] for base in classes[name].bases]

    def described(name):
        """The methods with a text, of a class or of one that it inherits from."""
        inherited = [described(base) for base in bases(name) if base in classes]
        own = {part.name for part in methods(name) if ast.get_docstring(part)}
        return own.union(*inherited)

    def methods(name):
        return [part for part in classes[name].body if isinstance(part, ast.FunctionDef)]

    wanting = {at(path) for path, tree in trees.items() if tree.body and not ast.get_docstring(tree)}
    wanting |= {name for name, node in classes.items() if name[0] != "_" and not ast.get_docstring(node)}
    wanting |= {name for name in public & functions.keys() if not ast.get_docstring(functions[name])}
    protocols = set().union(*(described(name) for name in classes if "Protocol" in bases(name)))
    for name in public & classes.keys():
        own = {part.name for part in methods(name) if part.name[0] != "_"}
        wanting |= {(name, method) for method in own - described(name) - protocols}
    assert len(public & (classes.keys() | functions.keys())) > 50
    assert wanting == set()


MOST_OLD_NAMES, MOST_SINGLE_READERS, MOST_REPEATED = 11, 88, 1
"""Of old names that still define something, of files with one reader, and of names that several files have.

They only fall.
"""


def test_what_should_go_becomes_less(counts, trees):
    names = Counter(path.name for path in trees if path.name != "__init__.py")
    assert len(counts.old_names(trees)) <= MOST_OLD_NAMES
    assert len(counts.single_readers(trees)) <= MOST_SINGLE_READERS
    assert sum(count > 1 for count in names.values()) <= MOST_REPEATED


def test_nobody_asks_of_which_kind_a_question_is():
    """Outside the kinds a question, a part, a result and a forecast are what their base classes say."""
    kinds = HOUSE / "survey" / "kinds"
    texts = [path.read_text(encoding="utf-8") for path in kinds.rglob("*.py")]
    named = re.compile(r"^class (\w+(?:Question|Part|Result|Forecast))\(", re.MULTILINE)
    classes = {name for text in texts for name in named.findall(text)}
    assert {"HistogramQuestion", "MeanPart", "NumbersResult", "SharesForecast"} <= classes
    asked = re.compile(rf"isinstance\([^()]*\b({'|'.join(classes)})\b|case ({'|'.join(classes)})\(")
    others = [path for path in SOURCES if kinds not in path.parents]
    assert {at(path) for path in others if asked.search(path.read_text(encoding="utf-8"))} == set()


APART = {"use", "docs", "faults", "mutants", "statistical"}
"""Tests of the whole."""


def test_tests_have_the_rooms_of_what_they_test():
    tests = ROOT / "tests"
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    assert {
        str(room) for room in rooms if room.parts and room.parts[0] not in APART and not (HOUSE / room).is_dir()
    } == set()


def test_no_two_files_import_each_other(counts, trees):
    """Within functions and for types neither: who reads one would have to read both."""
    assert list(counts.mutual_imports(trees)) == []


def test_people_pass_through_few_rooms_and_hardly_ever_come_back(counts, tmp_path):
    walk = counts.walk_of_people(tmp_path)
    assert {"verbs", "tables", "query", "mechanism", "exact"} <= walk.rooms
    assert len(walk.rooms) <= 10
    assert len(walk.returns) <= 3


COMBINATORS = {"blockwise", "hierarchy", "high_low_response", "product_response"}
"""Mechanisms that hold, or are, another one."""


def mechanisms():
    """Each file of a mechanism, that documents call by a name, and what it imports of its floor."""
    for path in sorted((HOUSE / "mechanism").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(r'^    name: ClassVar\[str\] = "\w', text, re.MULTILINE):
            yield path, set(re.findall(r"^ *from sordino\.mechanism\.([\w.]+) import", text, re.MULTILINE))


def test_a_mechanism_imports_no_other_but_by_a_named_combinator():
    """Every file of the floor is under this rule, without being listed."""
    names = {".".join(path.relative_to(HOUSE / "mechanism").with_suffix("").parts) for path, _ in mechanisms()}
    assert len(names) >= 14
    found = {at(path): imports & (names | {"inner"}) for path, imports in mechanisms() if path.stem not in COMBINATORS}
    assert {path: imports for path, imports in found.items() if imports} == {}


def test_certificates_know_no_mechanism():
    names = {path.stem for path, _ in mechanisms()}
    for path in sorted((HOUSE / "audit").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        imported = set(re.findall(r"^ *from sordino\.mechanism\.(?:\w+\.)*(\w+) import", text, re.MULTILINE))
        assert imported & names == set(), at(path)


def layers(contract):
    return {name.strip() for layer in contract["layers"] for name in layer.split("|")}


def test_every_floor_has_its_place_in_the_import_rules():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (floors,) = [rule for rule in rules if rule["type"] == "layers" and "containers" not in rule]
    within = {path.stem for path in HOUSE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {f"sordino.{name}" for name in within - {"__init__"}} == layers(floors)


def test_the_rules_of_a_floor_with_rooms_name_every_room():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    ordered = {name: layers(rule) for rule in rules for name in rule.get("containers", ())}
    for folder in FOLDERS:
        rooms = {path.name for path in folder.iterdir() if (path / "__init__.py").exists()}
        name = ".".join(folder.relative_to(ROOT / "src").parts)
        if rooms and name in ordered:
            assert rooms <= ordered[name], name
