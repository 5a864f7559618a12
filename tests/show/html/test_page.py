"""The page is one balanced HTML document that asks nothing of a network and lets no label become markup."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from jinja2 import UndefinedError

from in_one import in_one
from sordino import SordinoError
from sordino.show.html.figures.bars import Shares, bars
from sordino.show.html.figures.matrices import correlations
from sordino.show.html.page import Figure, Fold, PageTable, Section, Sentences, _templates, render

VOID = {"meta", "link", "br", "hr"}
EVIL = (
    "<script>alert(\"1\")</script> & 'x' {{ title }} {{ 7 * 7 }} {% raw %} {# no #} &amp; ]]> -->"
    " </style></title><img src=x onerror=y> 'a' onload='b' \" onclick=\"c"
)
"""A name that tries to be markup, a template, or the end of what it stands in."""


class Reader(HTMLParser):
    """Checks the balance of tags and collects them with their attributes, and the texts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts, self.ids = [], [], [], set()
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in dict(attrs):
            assert dict(attrs)["id"] not in self.ids
            self.ids.add(dict(attrs)["id"])

    def handle_endtag(self, tag):
        assert tag not in VOID
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def drawing(label=EVIL):
    values = np.array([0.6, 0.4])
    return bars([label, "no"], Shares(values, values - 0.1, values + 0.1, values))


def page_of(text):
    """The text wherever a page can hold one."""
    table = PageTable(
        (text, "estimate", "interval", "kind"),
        ((text, "12.5 %", "[0.1, 0.2]", "1 of these"), ("1", "\N{MINUS SIGN}3 %", "\N{EN DASH}", text)),
        text,
    )
    named = PageTable(("name", text), (("row", "1"),))
    sections = [
        Section(text, (Sentences((text, "A & B")),), (Fold(text, (Sentences(("folded",), text),)),)),
        Section(text, (Figure(drawing(text), text, text, text), table)),
        Section("more", (Figure(drawing(), "words"), Figure(drawing(), "words", wide=True)), (Fold("More", (named,)),)),
    ]
    return render(text, text, sections)


@pytest.fixture(scope="module")
def page():
    return page_of(EVIL)


def test_the_document_is_whole(page):
    reader = Reader(page)
    assert page.startswith("<!DOCTYPE html>")
    assert reader.all("html") == [{"lang": "en"}]
    assert {"charset": "utf-8"} in reader.all("meta")
    assert any(meta.get("name") == "viewport" for meta in reader.all("meta"))
    tags = ("title", "h1", "h2", "h3", "main", "section", "figure", "svg", "nav", "details")
    assert [len(reader.all(tag)) for tag in tags] == [1, 1, 4, 2, 1, 3, 3, 3, 1, 2]


def test_sections_are_named_by_their_headings_and_the_contents_lead_to_them(page):
    reader = Reader(page)
    names = [section["aria-labelledby"] for section in reader.all("section")]
    assert names == [heading["id"] for heading in reader.all("h2")[1:]]
    assert [link["href"] for link in reader.all("a")] == [f"#{name}" for name in names]


def test_nothing_is_asked_of_a_network(page):
    reader = Reader(page)
    policies = [meta["content"] for meta in reader.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]
    assert "http:" not in page
    assert "https:" not in page
    assert set(re.findall(r"url\(.", page)) <= {"url(#"}
    assert "@import" not in page
    links = [attributes.get(key) for _, attributes in reader.tags for key in ("src", "href", "srcset", "action")]
    assert all(link.startswith(("data:", "#")) for link in links if link is not None)
    assert {link[1:] for link in links if link is not None and link.startswith("#")} <= reader.ids


def test_texts_never_become_markup(page):
    reader = Reader(page)
    assert not reader.all("script")
    assert not reader.all("img")
    assert not any(key.startswith("on") for _, attributes in reader.tags for key in attributes)
    # Of the page: title, heading, lead, two links. Of its sections: two titles, a line, a summary, a heading within; a
    # heading and a note of the figure; a header, two cells and a note of the table; the header of another.
    assert "".join(reader.texts).count(EVIL) == 17
    # A figure has its words, and the scroll areas of it and of the table have the heading.
    assert sum(attributes.get("aria-label", "").startswith(EVIL) for _, attributes in reader.tags) == 3
    # A cell has its column's name.
    assert [cell["data-name"] for cell in reader.all("td")].count(EVIL) == 1


def test_figures_have_words_and_stay_legible(page):
    reader = Reader(page)
    assert [svg["aria-label"] for svg in reader.all("svg")] == [EVIL, "words", "words"]
    assert {svg["role"] for svg in reader.all("svg")} == {"img"}
    first, _, wide = (dict(re.findall(r"--(\w+): (\d+)", figure["style"])) for figure in reader.all("figure"))
    # Ten pixels of 440 / 35 letters; a screen of 400 has 368 of them.
    assert 340 <= int(first["least"]) <= 368
    assert 500 <= int(first["most"]) <= 600
    assert wide["least"] == "0"


def test_a_matrix_of_many_numbers_scrolls_and_stands_alone():
    large = Figure(correlations([f"x{j}" for j in range(20)], np.eye(20)), "words")
    small = Figure(correlations(["a", "b"], np.eye(2)), "words")
    table = PageTable(("a",), (("1",),))
    reader = Reader(render("", "", [Section("s", (large, table)), Section("s", (small, table))]))
    assert len([one for one in reader.all("div") if one.get("class") == "beside"]) == 1
    least = int(re.search(r"--least: (\d+)", reader.all("figure")[0]["style"])[1])
    assert least / large.width * 11.5 > 9


def test_columns_of_numbers_are_told_from_texts(page):
    reader = Reader(page)
    assert [cell.get("class") for cell in reader.all("td")][:6] == ["number", "number", None] * 2
    assert [cell.get("class") for cell in reader.all("th") if cell["scope"] == "col"][:4] == [
        None,
        "number",
        "number",
        None,
    ]
    assert [cell["scope"] for cell in reader.all("th")][:6] == ["col"] * 4 + ["row"] * 2


def test_rows_that_no_telephone_has_room_for_become_blocks_whose_cells_are_named():
    few, many = (PageTable(("name", *"abcdef"[:count]), (("row", *["0.01234"] * count),)) for count in (3, 6))
    reader = Reader(render("", "", [Section("s", (few, many))]))
    assert [table.get("class") for table in reader.all("table")] == [None, "stacked"]
    assert reader.all("table")[1]["style"] == "--across: 3"
    assert [cell["data-name"] for cell in reader.all("td")] == [*"abc", *"abcdef"]
    # A style that stacks cells takes their roles from them, so that they have their own.
    assert {cell["role"] for cell in reader.all("td")} == {"cell"}


def test_a_number_with_its_interval_may_stand_in_lines_but_its_interval_stays_whole():
    """No screen has room for several such columns beside each other."""
    cell = "50.7% (48.8%\xa0to\xa052.7%) [50.3%]"
    reader = Reader(render("", "", [Section("s", (PageTable(("among", "a", "b", "c"), (("x", *[cell] * 3),)),))]))
    assert [one.get("class") for one in reader.all("td")] == ["number lined"] * 3
    assert reader.all("table")[0]["class"] == "stacked"
    # Two intervals of sixteen letters are as wide as a telephone.
    assert reader.all("table")[0]["style"] == "--across: 2"


@in_one(
    ("cells", "number"),
    [
        (("1,234", "5"), True),
        (("12 %", "", "\N{EN DASH}"), True),
        (("≤ 0.5", "~ 3"), True),
        (("1.2 ± 0.3", "-7e-3"), True),
        (("", "\N{EN DASH}"), False),
        (("12 %", "none"), False),
        (("3 of the cells",), False),
        (("ln 3",), False),
    ],
)
def test_what_counts_as_a_column_of_numbers(cells, number):
    page = render("", "", [Section("", (PageTable(("name", "x"), tuple(("row", cell) for cell in cells)),))])
    assert ('<th scope="col" role="columnheader" class="number">x</th>' in page) == number


def test_empty_parts_leave_no_empty_elements():
    empty = Section("s", (Sentences(()), PageTable(("a", "b"), ()), Figure(drawing(), "words")))
    reader = Reader(render("t", "l", [empty]))
    assert not reader.all("figcaption")
    assert not reader.all("details")
    assert not reader.all("h3")
    assert len(reader.all("p")) == 1
    assert [cell["scope"] for cell in reader.all("th")] == ["col", "col"]
    Reader(render("t", "l", []))


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ud800b 日本", "a\\ud800b 日本"),
        ("\0\x1b[2J", "\\x00\\x1b[2J"),
        ("to\u202enrut", "to\\u202enrut"),
        ("a\nb\uffff", "a\\nb□"),
    ],
)
def test_any_text_can_be_written(text, shown):
    plain, page = page_of("plain text"), page_of(text)
    page.encode("utf-8")
    # As often as a plain text, in elements and in attributes; a drawing's label makes spaces of line breaks.
    assert plain.count("plain text") - 1 <= page.count(shown) <= plain.count("plain text") == 22
    assert text not in page


def test_every_name_of_a_template_is_given():
    with pytest.raises(UndefinedError):
        _templates().get_template("page.html").render(title="")


def test_sections_refuse_what_they_cannot_show():
    with pytest.raises(SordinoError, match="1 cells in row 2, 2 columns"):
        PageTable(("a", "b"), (("1", "2"), ("3",)))
    with pytest.raises(SordinoError, match="in words"):
        Figure(drawing(), " ")
