"""Check the built site: every link and anchor leads somewhere within it, and no page asks another server for anything.

make site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parents[1] / "build" / "site"

ASKED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data"), ("image", "href")}
"""What a browser fetches by itself; of `link` what has one of these relations."""

FETCHED = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "manifest", "modulepreload"}


class Place(HTMLParser):
    """What one page names: its anchors, its links, and what a browser fetches for it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        if tag == "link" and FETCHED & set(given.get("rel", "").split()):
            self.fetched.add(given.get("href", ""))
        self.fetched |= {given[name] for element, name in ASKED if element == tag and given.get(name)}


def mistakes(site: Path) -> list[str]:
    """A line for each link that leads nowhere, and for each request that would leave the site."""
    places = {page.resolve(): Place(page) for page in sorted(site.rglob("*.html"))}
    found = []
    for page, place in places.items():
        name = page.relative_to(site.resolve())
        for address in sorted(place.links | place.fetched):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in place.fetched and parts.scheme != "data":
                    found.append(f"{name}: fetches {address}")
                continue
            # The page of what is not found is served at any depth, so that its addresses begin at the root.
            root = site if parts.path.startswith("/") else page.parent
            aim = (root / unquote(parts.path).lstrip("/")).resolve() if parts.path else page
            aim = aim / "index.html" if aim.is_dir() else aim
            if not aim.exists():
                found.append(f"{name}: {address} leads nowhere")
            elif parts.fragment and aim in places and unquote(parts.fragment) not in places[aim].anchors:
                found.append(f"{name}: {address} names no anchor")
    for sheet in sorted(site.rglob("*.css")):
        text = sheet.read_text(encoding="utf-8")
        found += [f"{sheet.relative_to(site)}: fetches from a network"] if "url(http" in text.replace('"', "") else []
    return found


if __name__ == "__main__":
    lines = mistakes(SITE)
    count = len(list(SITE.rglob("*.html")))
    print(*lines or [f"{count} pages: every link leads somewhere, none fetches from a network"], sep="\n")
    sys.exit(bool(lines))
