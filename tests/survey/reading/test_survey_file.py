"""Surveys that are right: what they say about values, blocks and promises; and files that cannot be read."""

import numpy as np
import pytest

from sordino import LDP, BlockLDP, SordinoError, Survey


def groups(partition):
    """The blocks as a set of sets, whatever their numbers."""
    members = {}
    for value, block in enumerate(np.asarray(partition.block).tolist()):
        members.setdefault(block, set()).add(value)
    return {frozenset(block) for block in members.values()}


def test_the_survey_of_a_map(tmp_path, edited):
    path = tmp_path / "survey.toml"
    path.write_text(edited("grid"))
    survey = Survey.load(path)
    attribute = survey.attribute["city"]
    assert (survey.epsilon, attribute.domain().k) == (1, 350)
    tiles = {
        frozenset(35 * row + column for row in range(top, top + 5) for column in range(left, left + 5))
        for top in (0, 5)
        for left in range(0, 35, 5)
    }
    definition = survey.definition("city")
    assert groups(definition.partition) == tiles
    assert definition == BlockLDP([7 * (cell // 35 // 5) + cell % 35 // 5 for cell in range(350)], "1")


@pytest.mark.parametrize("tiles", [[3, 4], [10, 35], [99, 99], [1, 2]], ids=str)
def test_tiles_are_cut_from_the_south_west_corner(read, tiles):
    change = ("[5, 5]", f"{tiles}, release_single_values = true")
    expected = {}
    for row in range(10):
        for column in range(35):
            expected.setdefault((row // tiles[0], column // tiles[1]), set()).add(35 * row + column)
    assert groups(read("grid", change).definition("city").partition) == set(map(frozenset, expected.values()))


@pytest.mark.parametrize(
    "blocks",
    [
        '[["baker", "judge"], ["clerk", "smith"]]',
        '[["smith", "clerk"], ["judge", "baker"]]',
        '{ indoors = ["baker", "judge"], outdoors = ["clerk", "smith"] }',
    ],
    ids=["lists", "another order", "table"],
)
def test_blocks_of_named_categories(read, blocks):
    survey = read("named", ('[["baker", "judge"], ["clerk", "smith"]]', blocks))
    assert groups(survey.definition("job").partition) == {frozenset({0, 2}), frozenset({1, 3})}


@pytest.mark.parametrize(
    ("k", "blocks", "expected"),
    [
        (6, "3", [{0, 1, 2}, {3, 4, 5}]),
        (5, "3", [{0, 1, 2}, {3, 4}]),
        (3, "7", [{0, 1, 2}]),
        (6, "[[0, 5], [4, 1], [3, 2]]", [{0, 5}, {1, 4}, {2, 3}]),
        (4, "{ a = [0, 3], b = [1, 2] }", [{0, 3}, {1, 2}]),
    ],
)
def test_blocks_of_numbered_categories(read, k, blocks, expected):
    survey = read("numbered", ("1000", str(k)), ("blocks = 25", f"blocks = {blocks}"))
    assert groups(survey.definition("page").partition) == set(map(frozenset, expected))


@pytest.mark.parametrize("epsilon", ['"1.0"', "1", "1.0", '"2/2"', '"1e0"', '"0.5 + 0.5"'])
def test_an_epsilon_can_be_written_in_many_ways(read, plan, epsilon):
    assert read("named", ('"1"', epsilon)).epsilon == 1
    assert plan("named", ('"1"', epsilon)).bytes == plan("named").bytes


def test_without_protect_all_values_are_protected_alike(read):
    survey = read("named", ('protect = { blocks = [["baker", "judge"], ["clerk", "smith"]] }\n', ""))
    assert survey.definition("job") == LDP("1")


@pytest.mark.parametrize(("kind", "blocks"), [("numbered", "333"), ("grid", "[9, 34]")])
def test_single_values_are_told_only_on_demand(read, kind, blocks):
    old = {"numbered": "blocks = 25", "grid": "blocks = [5, 5]"}[kind]
    with pytest.raises(SordinoError, match="at least two values"):
        read(kind, (old, f"blocks = {blocks}"))
    survey = read(kind, (old, f"blocks = {blocks}, release_single_values = true"))
    (name,) = survey.attribute
    assert min(map(len, groups(survey.definition(name).partition))) == 1


@pytest.mark.parametrize(
    ("kind", "column", "columns"),
    [
        ("named", None, ["job"]),
        ("named", '"Job title"', ["Job title"]),
        ("grid", None, ["latitude", "longitude"]),
        ("grid", '["lat", "lon"]', ["lat", "lon"]),
        ("grid", '"cell"', ["cell"]),
    ],
)
def test_where_values_stand_in_the_data(plan, kind, column, columns):
    change = ("protect =", f"column = {column}\nprotect =") if column else ("protect =", "protect =")
    assert list(plan(kind, change).questions[0].attribute.columns) == columns


def test_a_missing_value_can_be_a_category(plan):
    assert plan("named", ("protect =", 'missing = "judge"\nprotect =')).questions[0].attribute.missing == "judge"
    assert plan("named").questions[0].attribute.missing is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"version = = 1\n", ["TOML", "line 1"]),
        (b"a = 1\n[[ask]\n", ["TOML", "line 2"]),
        (b"\xff\xfe\x00", ["UTF-8"]),
        (b"", ["2 mistakes", "attribute must be given", "ask must be given"]),
        (None, ["no such file"]),
        ("folder", ["a folder"]),
    ],
    ids=["not TOML", "not TOML later", "not UTF-8", "empty", "missing file", "folder"],
)
def test_a_file_that_is_no_survey(tmp_path, content, words):
    path = tmp_path / "survey.toml"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(SordinoError) as caught:
        Survey.load(path)
    assert all(word in str(caught.value) for word in [str(path), *words])


def test_a_survey_prints_itself_on_a_few_lines():
    names = [f"place {i}" for i in range(1000)]
    tables = {
        "version": 1,
        "epsilon": "1",
        "attribute": {"home": {"categories": names}},
        "ask": [{"histogram": "home"}],
    }
    for text in (repr(Survey.read(tables)), str(Survey.read(tables))):
        assert len(text) < 400
        assert "Survey(" in text
        assert "place 0" in text
        assert "place 900" not in text
