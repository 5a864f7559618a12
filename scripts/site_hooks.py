"""What `make site` adds to docs/*.md: pages from docstrings, pages that stand elsewhere, links that lead out of docs/.

No text is kept twice: the sources stay readable where they are, and mkdocs sees them through these hooks.
"""

import ast
import posixpath
import re
from collections import defaultdict
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

ELSEWHERE = {
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "CHANGELOG.md": "changes.md",
    "examples/health/README.md": "examples/health.md",
}
"""Pages of the repository that belong to the site, and what they are called there."""

FLOORS = {
    "verbs": ("Verbs", "What the commands do, with frames and arrays."),
    "survey": ("Surveys and plans", "A survey file, the frozen plan, one person's report."),
    "definition": ("Definitions", "What is promised: for which pairs of values, or about which attribute."),
    "mechanism": ("Mechanisms", "Channels from values to codes, made of integer weights."),
    "query": ("Queries", "How a record is read, and asked through a mechanism."),
    "design": ("Design", "The mechanism with the lowest exact variance, and how many people it takes."),
    "estimation": ("Estimates", "Shares, means, covariances and coefficients, with their errors."),
    "audit": ("Certificates", "The exact verdict on a mechanism and a definition."),
    "accounting": ("Filters and odometers", "What many answers about one record reveal, and which more may be asked."),
    "once": ("Ledger", "One person's file of everything that was asked."),
    "domain": ("Domains", "The values that an answer can take."),
    "evidence": ("Evidence", "What outputs say about values."),
    "exact": ("Exact numbers and randomness", "Amounts of loss, and random words."),
    "blocks": ("Blocks", "What results show, wherever it is shown."),
    "errors": ("Errors", "Mistakes that a user can mend."),
}
"""The rooms of public names, in the order of the site."""

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s:#]+)(#[^)\s]*)?\)")
SECTION = re.compile(r"^<!-- (\S+\.md): (.+) -->$", re.MULTILINE)
"""Where a page shows a section of another one, which says it for both."""

PARAGRAPH_THEN_ITEM = re.compile(r"(^\n(?:^ +(?![-*] |\d+\. )\S.*\n)+)(?=^(?:[-*]|\d+\.) )", re.MULTILINE)
"""A list goes on after a paragraph of an item, which Python's Markdown sees after an empty line alone."""

FENCED = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)


def public_names() -> dict[str, list[str]]:
    """The public names of the package by the floor of the file that makes them."""
    stub = ast.parse((ROOT / "src" / "sordino" / "__init__.pyi").read_text(encoding="utf-8"))
    names: dict[str, list[str]] = defaultdict(list)
    for line in stub.body:
        if isinstance(line, ast.ImportFrom) and line.module:
            names[line.module.split(".")[1]] += [f"{line.module}.{alias.name}" for alias in line.names]
    return names


def api_page(floor: str, names: list[str]) -> str:
    """A page of one floor's public names, whose texts are their docstrings."""
    title, about = FLOORS[floor]
    parts = [f"# {title}\n\n{about} All of these are imported from `sordino`.\n"]
    parts += [f"::: {name}\n" for name in sorted(names, key=lambda name: name.rsplit(".", 1)[1].lower())]
    return "\n".join(parts)


def section(source: str, heading: str) -> str:
    """A section of a page of the repository, with its heading."""
    text = (ROOT / source).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^## {re.escape(heading)}\n.*?(?=^## )", text, re.MULTILINE | re.DOTALL)
    return str(found)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that no file of docs/ holds."""
    for floor, names in public_names().items():
        files.append(File.generated(config, f"api/{floor}.md", content=api_page(floor, names)))
    for source, place in ELSEWHERE.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - mkdocs names them
    """Lead links to where their pages are in the site, and indent lists as Python's Markdown reads them."""
    place = page.file.src_uri
    sources = {name: source for source, name in ELSEWHERE.items()}
    folder = posixpath.dirname(sources.get(place, f"docs/{place}"))

    def led(link: re.Match[str]) -> str:
        picture, text, target, anchor = link.groups()
        aim = posixpath.normpath(posixpath.join(folder, target))
        if not (ROOT / aim).exists():
            return link[0]  # of the site alone, as api/verbs.md; or a mistake, which mkdocs reports
        inside = ELSEWHERE.get(aim) or (aim.removeprefix("docs/") if aim.startswith("docs/") else None)
        if inside is None or (ROOT / aim).is_dir():
            return text  # a file of the source distribution, which the site has not
        return f"{picture}[{text}]({posixpath.relpath(inside, posixpath.dirname(place) or '.')}{anchor or ''})"

    markdown = SECTION.sub(lambda named: section(*named.groups()), markdown)
    # Sentences that a command prints are wrapped; what is a table stays one, and scrolls.
    parts = FENCED.split(re.sub(r"^```text\n(?=- )", "```{ .text .wrap }\n", markdown, flags=re.MULTILINE))
    for number in range(0, len(parts), 2):
        parts[number] = PARAGRAPH_THEN_ITEM.sub(r"\1\n", LINK.sub(led, parts[number]))
        parts[number] = re.sub(
            r"^( +)(?=\S)", lambda spaces: "    " * -(-len(spaces[1]) // 3), parts[number], flags=re.MULTILINE
        )
    return "".join(parts)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001 - mkdocs names them
    """Name the dialog of the search, which the theme leaves without a name."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
