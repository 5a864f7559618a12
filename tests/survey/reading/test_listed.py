"""Lists of names in files of their own: read letter by letter, and one mistake where they cannot be."""

import os
import time
from pathlib import Path

import pytest

from sordino import Plan, SordinoErrors, Survey

SURVEY = """\
version = 1
epsilon = "1"
[attribute.page]
categories = { file = "pages.txt" }
protect = { sensitive = { file = "lists/sensitive.txt" } }
[attribute.other]
categories = ["x", "y"]
[[ask]]
histogram = "page"
[[ask]]
histogram = "other"
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load the survey with these two lists, from another folder; None for a list that is not there."""

    def make(pages, sensitive=b"b\n", text=SURVEY):
        (tmp_path / "lists").mkdir()
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        for name, content in (("pages.txt", pages), ("lists/sensitive.txt", sensitive)):
            if content is not None:
                (tmp_path / name).write_bytes(content)
        (tmp_path / "survey.toml").write_text(text, encoding="utf-8")
        return Survey.load(tmp_path / "survey.toml")

    return make


RIGHT = {
    "plain": (b"a\nb\nc\n", ["a", "b", "c"]),
    "no line feed at the end": (b"a\nb\nc", ["a", "b", "c"]),
    "carriage returns": (b"a\r\nb\r\nc\r\n", ["a", "b", "c"]),
    "byte order mark": (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
    "byte order mark and carriage returns": (b"\xef\xbb\xbfa\r\nb", ["a", "b"]),
    "blanks are letters": (b" a\nb \nb\n\ta\n", [" a", "b ", "b", "\ta"]),
    "quotes and commas too": (b'"a,b"\nb\n#c\n', ['"a,b"', "b", "#c"]),
    "separators of other scripts": ("b\x0ba\u2028\x85\x1c\nb\n".encode(), ["b\x0ba\u2028\x85\x1c", "b"]),
    "any script": ("m\u00fcnchen\nb\n\u2603\n".encode(), ["m\u00fcnchen", "b", "\u2603"]),
}


@pytest.mark.parametrize(("content", "names"), RIGHT.values(), ids=RIGHT)
def test_a_file_holds_a_name_on_each_line(load, content, names):
    survey = load(content)
    assert list(survey.attribute["page"].domain().labels) == names
    assert survey.definition("page").sensitive.tolist() == [names.index("b")]


def test_a_list_in_a_file_is_the_same_as_one_in_the_survey(load, tmp_path):
    from_files = load(b"a\nb\nc\nd\n", b"d\nb\n")
    text = SURVEY.replace('{ file = "pages.txt" }', '["a", "b", "c", "d"]')
    text = text.replace('{ file = "lists/sensitive.txt" }', '["d", "b"]')
    (tmp_path / "inline.toml").write_text(text)
    inline = Plan.of(Survey.load(tmp_path / "inline.toml"), 1000)
    assert Plan.of(from_files, 1000).bytes == inline.bytes


PAGES, SENSITIVE = "attribute.page.categories", "attribute.page.protect.sensitive"
WRONG = {
    "no file": (None, b"b\n", PAGES, ["pages.txt", "no such file"]),
    "no file of sensitive ones": (b"a\nb\n", None, SENSITIVE, ["sensitive.txt", "no such file"]),
    "empty": (b"", b"b\n", PAGES, ["pages.txt", "a name on each line", "found nothing"]),
    "mark only": (b"\xef\xbb\xbf", b"b\n", PAGES, ["a name on each line", "found nothing"]),
    "blank line": (b"a\n\nb\n", b"b\n", PAGES, ["a name on each line", "blank line 2"]),
    "blank line with a carriage return": (b"a\r\nb\r\n\r\nc\r\n", b"b\n", PAGES, ["blank line 3"]),
    "blank line at the end": (b"a\nb\n\n", b"b\n", PAGES, ["blank line 3"]),
    "blank line at the start": (b"a\nb\n", b"\nb\n", SENSITIVE, ["blank line 1"]),
    "line feed only": (b"\n", b"b\n", PAGES, ["a name on each line"]),
    "twice": (b"a\nb\na\nc\nc\n", b"b\n", "attribute.page", ["named once", "'a', 'c'"]),
    "twice sensitive": (b"a\nb\nc\n", b"b\nb\n", "attribute.page", ["named once"]),
    "all sensitive": (b"a\nb\n", b"b\na\n", "attribute.page", ["not all", "all 2"]),
    "unknown": (b"aaa\nb\n", b"b\naab\n", "attribute.page", ["'aab'", "did you mean 'aaa'"]),
    "other bytes": (b"a\n\xff\n", b"b\n", PAGES, ["pages.txt", "UTF-8"]),
    "one name": (b"b\n", b"b\n", "attribute.page", ["two values"]),
}


def mistakes(load, *arguments):
    with pytest.raises(SordinoErrors) as caught:
        load(*arguments)
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize(("pages", "sensitive", "path", "words"), WRONG.values(), ids=WRONG)
def test_a_file_that_is_no_list_is_one_mistake(load, pages, sensitive, path, words):
    found = mistakes(load, pages, sensitive)
    if path == "attribute.page" and words == ["two values"]:
        found = found[:1]  # one name cannot be sensitive among others either
    (text,) = found
    assert text.startswith(f"{path}: ")
    assert [word for word in words if word not in text] == []


SETTINGS = {
    "no name": ('{ file = "pages.txt" }', "{ file = 3 }", [f"{PAGES}: file must be a name", "3"]),
    "another key": ('{ file = "pages.txt" }', '{ fil = "pages.txt" }', ["attribute.page: categories", "{ file ="]),
    "one key too many": ('"pages.txt" }', '"pages.txt", header = true }', ["attribute.page: categories", "{ file ="]),
    "a folder": ('"pages.txt"', '"lists"', [f"{PAGES}: ", "lists", "found a folder"]),
    "of a grid": (
        'categories = { file = "pages.txt" }',
        "grid = { south = 0, north = 1, west = 0, east = 1, rows = 2, columns = 2 }",
        ["attribute.page: sensitive cells"],
    ),
}


@pytest.mark.parametrize(("old", "new", "words"), SETTINGS.values(), ids=SETTINGS)
def test_a_setting_that_names_no_file_is_one_mistake(load, old, new, words):
    assert old in SURVEY
    (text,) = mistakes(load, b"a\nb\n", b"b\n", SURVEY.replace(old, new))
    assert [word for word in words if word not in text] == []


def test_a_missing_list_hides_no_other_mistake(load):
    text = SURVEY.replace('["x", "y"]', '["x", "x"]').replace('epsilon = "1"', 'epsilon = "0"')
    found = mistakes(load, None, b"b\n", text.replace('"other"\n', '"othr"\n'))
    paths = ["epsilon", "attribute.other", PAGES, "ask.1.histogram"]
    assert sorted(text.split()[0].rstrip(":") for text in found) == sorted(paths)


def test_an_attribute_with_an_epsilon_of_its_own_keeps_it_without_its_list(load):
    text = SURVEY.replace('epsilon = "1"\n', "").replace('"y"]', '"y"]\nprotect = { epsilon = "1" }')
    text = text.replace('protect = { sensitive = { file = "lists/sensitive.txt" } }', 'protect = { epsilon = "2" }')
    (found,) = mistakes(load, None, b"b\n", text)
    assert found.startswith(PAGES)


NUMBERED = SURVEY.replace('{ file = "pages.txt" }', "30")


@pytest.mark.parametrize("content", [b"3\n17\n", b"17\r\n3", b"\xef\xbb\xbf3\n17"])
def test_a_file_lists_the_numbers_of_numbered_values(load, content):
    assert load(None, content, NUMBERED).definition("page").sensitive.tolist() == [3, 17]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"3\nb\n", [f"{SENSITIVE}: ", "a number on each line", "line 2"]),
        (b"3.0\n", [f"{SENSITIVE}: ", "a number on each line", "line 1"]),
        (b"-3\n", [f"{SENSITIVE}: ", "a number on each line", "line 1"]),
        (b"3\n 4\n", [f"{SENSITIVE}: ", "a number on each line", "line 2"]),
        ("3\n\u0664\n".encode(), [f"{SENSITIVE}: ", "a number on each line", "line 2"]),
        (b"9" * 30, [f"{SENSITIVE}: ", "a number on each line", "line 1"]),
        (b"3\n30\n", ["attribute.page: ", "0..29", "30"]),
        (b"3\n3\n", ["attribute.page: ", "once"]),
    ],
)
def test_a_file_that_lists_no_numbers_is_one_mistake(load, content, words):
    (text,) = mistakes(load, None, content, NUMBERED)
    assert [word for word in words if word not in text] == []


@pytest.fixture
def folder(tmp_path):
    """The folder of a survey, beside one that is nobody's business, and links between them."""
    secret, survey = tmp_path / "secret", tmp_path / "survey"
    for path in (secret, survey / "lists"):
        path.mkdir(parents=True)
        (path / "names.txt").write_text("b\nQuagga7731\n")
    (survey / "names.txt").write_text("b\nc\n")
    (survey / "link.txt").symlink_to("lists/names.txt")
    (survey / "out.txt").symlink_to(secret / "names.txt")
    (survey / "out").symlink_to(secret)
    (survey / "there-and-back.txt").symlink_to("../survey/names.txt")
    (survey / "circle.txt").symlink_to("circle.txt")
    (survey / "null.txt").symlink_to("/dev/null")
    os.mkfifo(survey / "pipe.txt")
    return survey


def survey_naming(name, setting):
    """A survey that names a file in one of its three ways."""
    attribute = {"categories": ["b", "c"], "protect": {"sensitive": ["b"]}}
    tables = {"version": 1, "epsilon": "1", "attribute": {"page": attribute}, "ask": [{"histogram": "page"}]}
    if setting == "categories":
        attribute["categories"] = {"file": name}
    elif setting == "sensitive":
        attribute["protect"]["sensitive"] = {"file": name}
    else:
        del attribute["protect"]
        tables["dependence"] = {"file": name}
    return tables


ELSEWHERE = {
    "/etc/passwd": "leads elsewhere",
    "../secret/names.txt": "leads elsewhere",
    "../survey/names.txt": "leads elsewhere",
    "lists/../../secret/names.txt": "leads elsewhere",
    "out.txt": "link that leads elsewhere",
    "out/names.txt": "link that leads elsewhere",
    "null.txt": "link that leads elsewhere",
    "/dev/stdin": "leads elsewhere",
    "names.txt\0": "leads elsewhere",
    "pipe.txt": "a pipe or a device",
    "lists": "a folder",
    "circle.txt": "circle.txt",
}


@pytest.mark.parametrize("setting", ["categories", "sensitive", "dependence"])
@pytest.mark.parametrize(("name", "words"), ELSEWHERE.items(), ids=[name.strip("\0") for name in ELSEWHERE])
def test_a_survey_names_only_what_lies_beside_or_below_it(folder, setting, name, words):
    begin = time.process_time()
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(survey_naming(name, setting), folder=folder)
    assert time.process_time() - begin < 5
    assert words in str(caught.value)
    assert "Quagga7731" not in str(caught.value)
    assert "root" not in str(caught.value)


@pytest.mark.parametrize("name", ["names.txt", "./names.txt", "lists/names.txt", "link.txt", "there-and-back.txt"])
def test_links_and_folders_below_are_followed(folder, monkeypatch, name):
    for start in (folder, folder.parent, Path("/")):
        monkeypatch.chdir(start)
        own = folder if start == Path("/") else Path(os.path.relpath(folder, start))
        names = Survey.read(survey_naming(name, "categories"), folder=own).attribute["page"].domain().labels
        assert names == ("b", "Quagga7731" if name in ("lists/names.txt", "link.txt") else "c")
