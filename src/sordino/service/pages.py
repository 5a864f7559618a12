"""The pages of the browser client: a form for any plan, one that checks a plan, and the modules that they are made of.

| path | what |
|---|---|
| GET /plans/{hash}/form | a form that answers the plan on the person's device |
| GET /plans/{hash}/verify | checks the plan's hash and each channel, for a stranger |
| GET /client/{path} | the modules and the style of both, and the outline of land for maps, as files |
| GET /client/integrity.json | the hash of each of these, as browsers check it (`integrity`) |

Nothing in them depends on who asks, nor on what the plan holds: a page reads the plan itself and checks its hash.
Scripts come from this place only, and a page may talk to this place only (Content-Security-Policy).
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import FastAPI, Response

from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.service.problems import ProblemError

TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html", "json": "application/json"}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""What a page may load and whom it may tell: this place, and nobody."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    # The modules are of one age; a browser asks whether it has the newest.
    "Cache-Control": "no-cache",
}


def add_pages(app: FastAPI) -> None:
    """Serve the browser client beside a collector's routes."""
    texts = client_files()
    texts["integrity.json"] = json.dumps(hashes_of(texts), indent=1) + "\n"

    def file(path: str) -> Response:
        if path not in texts:
            error = SordinoError("a file of the client must be one of its modules", found=shown(path))
            raise ProblemError(404, error)
        return Response(texts[path], media_type=TYPES[path.rpartition(".")[2]], headers=HEADERS)

    def form() -> Response:
        return file("form.html")

    def verify() -> Response:
        return file("verify.html")

    pages: dict[str, Callable[..., Response]] = {"/client/{path:path}": file, "/plans/{plan_hash}/form": form}
    pages["/plans/{plan_hash}/verify"] = verify
    for path, answer in pages.items():
        app.add_api_route(path, answer, methods=["GET"], include_in_schema=False)


def client_files() -> dict[str, str]:
    """Each file of the browser client, by its path: what stands in its folder, and what is made of files elsewhere."""
    texts = dict(_texts(files("sordino.service") / "client"))
    # Read as a file, for a collector draws no figures.
    outline = files("sordino.show.html.figures.world") / "outline.json"
    texts["outline.json"] = outline.read_text(encoding="utf-8")
    # For an element on a page whose styles are others.
    texts["style.js"] = f"export default {json.dumps(texts['style.css'])};\n"
    return texts


def hashes_of(texts: Mapping[str, str]) -> dict[str, str]:
    """The hash of each file as a browser checks it: Subresource Integrity, by SHA-384."""
    found = {name: hashlib.sha384(text.encode()).digest() for name, text in sorted(texts.items())}
    return {name: f"sha384-{base64.b64encode(digest).decode()}" for name, digest in found.items()}


def _texts(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    """Each file of a folder and its rooms, by its path in it."""
    for part in folder.iterdir():
        if part.is_dir():
            yield from _texts(part, f"{above}{part.name}/")
        else:
            yield f"{above}{part.name}", part.read_text(encoding="utf-8")
