"""The page is one balanced HTML document that asks nothing of a network and lets no label become markup."""

from html.parser import HTMLParser

import numpy as np
import pytest

from sordino.errors import SordinoError
from sordino.view.figures import bars
from sordino.view.page import Figure, Sentences, Table, render

VOID = {"meta", "link", "img", "br", "hr"}
EVIL = "<script>alert(\"1\")</script> & 'x' $title ${lead} </style><img src=x onerror=y>"


class Reader(HTMLParser):
    """Checks the balance of tags and collects them with their attributes, and the texts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag not in VOID
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def png():
    values = np.array([0.6, 0.4])
    return bars(["yes", "no"], values, values - 0.1, values + 0.1)


@pytest.fixture(scope="module")
def page(png):
    table = Table(
        EVIL,
        (EVIL, "estimate", "interval", "kind"),
        ((EVIL, "12.5 %", "[0.1, 0.2]", "1 of these"), ("1", "\N{MINUS SIGN}3 %", "\N{EN DASH}", EVIL)),
        EVIL,
    )
    return render(EVIL, EVIL, [Sentences(EVIL, (EVIL, "A & B")), table, Figure(EVIL, png, EVIL, EVIL)])


def test_the_document_is_whole(page):
    reader = Reader(page)
    assert page.startswith("<!DOCTYPE html>")
    assert reader.all("html") == [{"lang": "en"}]
    assert {"charset": "utf-8"} in reader.all("meta")
    assert any(meta.get("name") == "viewport" for meta in reader.all("meta"))
    assert [len(reader.all(tag)) for tag in ("title", "h1", "h2", "main", "section", "figure")] == [1, 1, 3, 1, 3, 1]


def test_sections_are_named_by_their_headings(page):
    reader = Reader(page)
    names = [heading["id"] for heading in reader.all("h2")]
    assert names == [section["aria-labelledby"] for section in reader.all("section")]
    assert len(set(names)) == 3


def test_nothing_is_asked_of_a_network(page):
    reader = Reader(page)
    policies = [meta["content"] for meta in reader.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]
    assert "http:" not in page
    assert "https:" not in page
    assert "url(" not in page
    assert "@import" not in page
    links = [attributes.get(key) for _, attributes in reader.tags for key in ("src", "href", "srcset", "action")]
    assert all(link.startswith("data:") for link in links if link is not None)


def test_texts_never_become_markup(page):
    reader = Reader(page)
    assert not reader.all("script")
    assert len(reader.all("img")) == 1
    assert not any(key.startswith("on") for _, attributes in reader.tags for key in attributes)
    # Of the page: title, heading, lead. Of its sections: three titles, a line, a header, two cells, two notes.
    assert "".join(reader.texts).count(EVIL) == 12
    assert reader.all("img")[0]["alt"] == EVIL


def test_images_are_data_with_words_and_half_their_size(page, png):
    (image,) = Reader(page).all("img")
    assert image["src"].startswith("data:image/png;base64,iVBOR")
    assert image["alt"]
    assert abs(2 * int(image["width"]) - int.from_bytes(png[16:20])) <= 1
    assert abs(2 * int(image["height"]) - int.from_bytes(png[20:24])) <= 1


def test_columns_of_numbers_are_told_from_texts(page):
    reader = Reader(page)
    assert [cell.get("class") for cell in reader.all("td")] == ["number", "number", None] * 2
    assert [cell.get("class") for cell in reader.all("th") if cell["scope"] == "col"] == [
        None,
        "number",
        "number",
        None,
    ]
    assert [cell["scope"] for cell in reader.all("th")] == ["col"] * 4 + ["row"] * 2


@pytest.mark.parametrize(
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
    page = render("", "", [Table("", ("name", "x"), tuple(("row", cell) for cell in cells))])
    assert ('<th scope="col" class="number">x</th>' in page) == number


def test_empty_parts_leave_no_empty_elements(png):
    page = render("t", "l", [Sentences("s", ()), Table("t", ("a", "b"), ()), Figure("f", png, "words")])
    reader = Reader(page)
    assert not reader.all("figcaption")
    assert len(reader.all("p")) == 1
    assert [cell["scope"] for cell in reader.all("th")] == ["col", "col"]
    Reader(render("t", "l", []))


def test_any_text_can_be_written():
    assert "a?b 日本" in render("a\ud800b 日本", "", []).encode("utf-8").decode("utf-8")


def test_sections_refuse_what_they_cannot_show(png):
    with pytest.raises(SordinoError, match="1 cells in row 2, 2 columns"):
        Table("t", ("a", "b"), (("1", "2"), ("3",)))
    with pytest.raises(SordinoError, match="PNG"):
        Figure("t", b"GIF89a", "words")
    with pytest.raises(SordinoError, match="in words"):
        Figure("t", png, " ")
