"""Related work: references are well formed and cited, and each figure of ours is printed by the command beside it."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "related.md").read_text(encoding="utf-8")
BIBLIOGRAPHY = (DOCS / "related.bib").read_text(encoding="utf-8")
PRINTED = " ".join(re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL))
LINES = " ".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL))
SETTINGS = re.compile(
    r"[Oo]f 100 values|10 are sensitive|10,000 people|[Uu]p to 3 of 20|epsilon 1\b|\(1, 10\^-8\)|16 of 16 cases"
)
"""What a question is, which the blocks of the page show."""

FORMS = {
    "eprint": (r"\d{4}\.\d{4,5}", "[arXiv {0}](https://arxiv.org/abs/{0})"),
    "doi": (r"10\.\d{4,9}/\S+", "[doi {0}](https://doi.org/{0})"),
    "url": (r"https://\S+", "]({0})"),
}
"""Each identifier's form, and how the page cites it."""


def entries():
    """The fields of each entry, by its key."""
    found = re.findall(r"^@\w+\{(\w+),\n(.*?)^\}$", BIBLIOGRAPHY, re.MULTILINE | re.DOTALL)
    return {key: dict(re.findall(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}", body)) for key, body in found}


def test_every_reference_is_well_formed_and_cited():
    assert len(entries()) == BIBLIOGRAPHY.count("\n@") > 20
    for key, fields in entries().items():
        assert {"author", "title", "year"} <= fields.keys(), key
        assert re.fullmatch(r"20\d\d", fields["year"]), key
        assert key.startswith(
            re.sub(r"\W", "", fields["author"].partition(" and ")[0].split()[-1]).lower() + fields["year"]
        )
        (name,) = fields.keys() & FORMS.keys()
        form, cited = FORMS[name]
        assert re.fullmatch(form, fields[name]), key
        assert cited.format(fields[name]) in PAGE, key
        if name == "eprint":
            # The number begins with the year and the month of the first version.
            assert fields["eprint"][:2] == fields["year"][2:], key


def test_every_identifier_that_is_cited_stands_in_the_bibliography():
    identifiers = {fields[name] for fields in entries().values() for name in fields.keys() & FORMS.keys()}
    cited = set(re.findall(r"arxiv\.org/abs/([^)]+)\)|doi\.org/([^)]+)\)", PAGE))
    assert cited
    assert {arxiv or doi for arxiv, doi in cited} <= identifiers
    assert set(re.findall(r"arXiv ([\d.]+)", PAGE)) == {arxiv for arxiv, _ in cited if arxiv}


def figures(cell):
    """The numbers of a cell that are no names, settings or links."""
    bare = SETTINGS.sub("", re.sub(r"`[^`]+`|\]\([^)]*\)", "", cell))
    return re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)", bare)


def test_every_figure_of_ours_is_printed_by_the_command_beside_it():
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", PAGE, re.MULTILINE)]
    assert {len(row) for row in rows} == {4}
    measured = [cell for _, _, cell, _ in rows if figures(cell)]
    assert len(measured) >= 9
    bench = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    for cell in measured:
        (command,) = re.findall(r"by `((?:sordino|make) [^`]+)`", cell)
        if command.startswith("make "):
            (shown,) = (part for part in bench.split("\n## ") if f"`{command}`" in part)
        else:
            assert f"$ {command}" in LINES
            shown = PRINTED
        assert [
            figure for figure in figures(cell) if not re.search(rf"(?<!\d){re.escape(figure)}(?!\d)", shown)
        ] == [], cell
