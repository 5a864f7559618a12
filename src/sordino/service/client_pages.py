"""The browser client over HTTP: its modules, and its pages with their scripts joined, compressed and kept by browsers.

A page is one text of a plan's own (it names the language that the person's browser asks for, and holds its styles), and
one script whose name changes with its contents, which a browser never asks for again. The plan and its signature are
asked for while the script comes. What may change has an ETag, so that a browser that has it is answered 304.

The modules of a page would be 70 requests. They are joined when a collector is first asked for them, in the order of
their imports: each becomes a function that returns its exports, word for word but for imports, exports and lines of
comment. Nothing is built beforehand and no other program is needed: what is joined is never older than its modules.
"""

import base64
import gzip
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template
from typing import NamedTuple

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.service.collector_state import CollectorState
from sordino.service.problems import ProblemError
from sordino.service.storage.collection import Collection

PLAN = "/plans/{plan_hash}"

TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html", "json": "application/json"}

ELEMENT = "bundle/sordino-form.js"
"""The element for anybody's page in one script, by a name that stays: it is what the package for npm has."""

EARLY = (
    'const ask=(address)=>fetch(address,{credentials:"omit",redirect:"error"}).catch(()=>null);'
    'globalThis.early={plan:ask(location.pathname.replace(/[/]form$/,"")),signature:ask("signature")};'
)
"""Asks for the plan and its signature while the form's script comes."""

FOLDER = "bundle"
"""Where joined modules are served: `outline.json` and the catalogues are looked for in the folder above."""

POLICY = (
    "default-src 'none'; script-src 'self'{script}; style-src 'self'{style}; connect-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
    " trusted-types 'none'"
)
"""What a page may load and whom it may tell: this place, and nobody. Of what stands in it, what has these hashes."""

HEADERS = {
    "Content-Security-Policy": POLICY.format(script="", style=""),
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    # A browser asks whether it has the newest.
    "Cache-Control": "no-cache",
}

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Of what has another address as soon as it is something else."""

LEAST_PACKED = 512
"""Bytes below which nothing is compressed."""

MOST_PACKED = 128
"""Texts that are kept compressed: a client's files, and plans."""


_FROM = re.compile(r'^(import|export) (\{[^}]*\}|\w+) from "([^"]+)";\n', re.MULTILINE)
_NAMED = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_LATER = re.compile(r'import\("([^"]+)"\)')
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)?[ \t]*\n", re.MULTILINE)


class Script(NamedTuple):
    """A page's script: its name, which changes with its contents, and its text."""

    name: str
    text: str


def compressed_response(
    request: Request, content: bytes, media: str, headers: Mapping[str, str] | None = None, *, is_kept: bool = True
) -> Response:
    """An answer, compressed for whoever can read that, or that it has not changed.

    Args:
        request: that is answered.
        content: of the answer.
        media: its type.
        headers: further ones.
        is_kept: whether it is compressed once, as what everybody may read; what needs a token stays in no memory.
    """
    tag, packed = (_kept_pack if is_kept else _pack)(content)
    own = {"ETag": tag, "Vary": "Accept-Encoding", "Cache-Control": "no-cache", **(headers or {})}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=own)
    if packed is None or "gzip" not in _header_names(request.headers.get("accept-encoding", "")):
        return Response(content, headers=own, media_type=media)
    return Response(packed, headers={**own, "Content-Encoding": "gzip"}, media_type=media)


def add_client(app: FastAPI, state: CollectorState) -> None:
    """Serve the browser client beside a collector's routes."""

    def file(path: str, request: Request) -> Response:
        texts = served_files()
        if path not in texts:
            error = SordinoError("a file of the client must be one of its modules", found=shown(path))
            raise ProblemError(HTTPStatus.NOT_FOUND, error)
        headers = HEADERS | FOR_EVER if path in _lasting_names() else HEADERS
        return compressed_response(request, texts[path].encode(), TYPES[path.rpartition(".")[2]], headers)

    def form(plan_hash: str, request: Request) -> Response:
        collection = state.collections.get(plan_hash)
        words = None if collection is None else collection.plan.document.words
        wanted = [request.query_params.get("lang", ""), *_header_names(request.headers.get("accept-language", ""))]
        language = choose_language(list(_languages()) if words is None else words.languages, wanted)
        # Of a plan that is not served here the page finds out by itself.
        invitations = "unknown" if collection is None else "needed" if collection.invitations else "none"
        content, policy = _form(language, invitations)
        vary = {"Content-Security-Policy": policy, "Vary": "Accept-Encoding, Accept-Language"}
        return compressed_response(request, content, TYPES["html"], HEADERS | vary)

    def verify(request: Request) -> Response:
        text = Template(_files()["verify.html"]).substitute(script=_scripts()["verify"].name)
        return compressed_response(request, text.encode(), TYPES["html"], HEADERS)

    def host(request: Request) -> Response:
        # A program that asks for nothing that is served is refused as everywhere.
        if "text/html" not in _header_names(request.headers.get("accept", "")):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        surveys = "\n".join(map(_survey_card, state.collections.values()))
        text = Template(_files()["host.html"]).substitute(surveys=surveys)
        return compressed_response(request, text.encode(), TYPES["html"], HEADERS | {"Vary": "Accept, Accept-Encoding"})

    pages: dict[str, Callable[..., Response]] = {
        "/": host,
        "/client/{path:path}": file,
        f"{PLAN}/form": form,
        f"{PLAN}/verify": verify,
    }
    for path, answer in pages.items():
        app.add_api_route(path, answer, methods=["GET"], include_in_schema=False)


def _survey_card(collection: Collection) -> str:
    """A survey on the page of the host: its title, and where it is answered and checked."""
    plan, words = collection.plan, collection.plan.document.words
    title, language = "A survey without a title", "en"
    if words is not None and words.title is not None:
        language = words.languages[0]
        title = words.title if isinstance(words.title, str) else words.title[language]
    answer = f'<a href="plans/{plan.hash}/form">Answer it</a>'
    if collection.is_closed:
        answer = "It is closed."
    elif collection.invitations:
        answer = "It is answered by invitation: open the link that you were sent."
    return (
        f'<section class="card"><h2 lang="{html.escape(language)}">{html.escape(title)}</h2>'
        f'<p>{answer}</p><p><a href="plans/{plan.hash}/verify">Check what it reveals</a></p></section>'
    )


def choose_language(offered: Sequence[str], wanted: Sequence[str]) -> str:
    """The language that a form is shown in, as `catalogue/speech.js` has it: by itself, or by its first part."""
    for language in wanted:
        same = [own for own in offered if own.lower() == language.lower()]
        if found := same or [own for own in offered if _primary(own) == _primary(language)]:
            return found[0]
    return offered[0]


def _primary(language: str) -> str:
    return language.lower().partition("-")[0]


def _header_names(header: str) -> list[str]:
    """What a request's header accepts, the best first."""
    found = []
    for part in header.split(","):
        name, _, quality = part.partition(";")
        weight = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", quality) if quality else None
        found.append((name.strip().lower(), 1.0 if weight is None else float(weight[1])))
    return [name for name, weight in sorted(found, key=lambda one: -one[1]) if name and weight > 0]


def _pack(content: bytes) -> tuple[str, bytes | None]:
    """The tag of a text, and the text compressed where that pays."""
    # Compressed or not it is the same text, which a weak tag says.
    tag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
    return tag, gzip.compress(content, 9, mtime=0) if len(content) >= LEAST_PACKED else None


_kept_pack = lru_cache(maxsize=MOST_PACKED)(_pack)


@cache
def _files() -> dict[str, str]:
    return client_files()


@cache
def _languages() -> tuple[str, ...]:
    """Those of the form's own sentences, English first, where no other one is wanted."""
    names = [name for name in _files() if name.startswith("catalogue/") and name != "catalogue/speech.js"]
    return tuple(sorted((name[len("catalogue/") : -len(".js")] for name in names), key=lambda own: (own != "en", own)))


@cache
def _scripts() -> dict[str, Script]:
    """The script of each page: of the form one for each language of its own sentences."""
    texts = _files()
    forms = {language: page_script(texts, "form.js", language) for language in _languages()}
    return {"verify": page_script(texts, "verify.js"), **forms}


@cache
def served_files() -> dict[str, str]:
    """All that is served below `/client`, by its path there."""
    texts = dict(_files())
    texts[ELEMENT] = join_modules(texts, "element.js")
    texts |= {script.name: script.text for script in _scripts().values()}
    # They are pages once they are filled in.
    for name in ("form.html", "verify.html", "host.html"):
        del texts[name]
    return texts | {"integrity.json": json.dumps(hashes_of(texts), indent=1) + "\n"}


def _lasting_names() -> set[str]:
    return {script.name for script in _scripts().values()}


@lru_cache(maxsize=MOST_PACKED)
def _form(language: str, invitations: str) -> tuple[bytes, str]:
    """The page of a form in a language, and the policy that lets in what stands in it."""
    texts = _files()
    own = _primary(language) if _primary(language) in _languages() else "en"
    say = {key: html.escape(_sentence(texts[f"catalogue/{own}.js"], key)) for key in ("page_title", "fetching")}
    style = texts["style.css"]
    text = Template(texts["form.html"]).substitute(
        own=own,
        language=html.escape(language),
        invitations=invitations,
        title=say["page_title"],
        fetching=say["fetching"],
        style=style,
        early=EARLY,
        script=_scripts()[own].name,
    )
    return text.encode(), POLICY.format(script=f" {_source(EARLY)}", style=f" {_source(style)}")


def _sentence(catalogue: str, key: str) -> str:
    """One of the form's own sentences, read from its file."""
    found = re.search(rf'^  {key}: ("[^"\n]*"),$', catalogue, re.MULTILINE)
    if found is None:
        raise ValueError(f"a catalogue must have a line {key}")
    return str(json.loads(found[1]))


def _source(text: str) -> str:
    """A text within a page, as its policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def client_files() -> dict[str, str]:
    """Each file of the browser client, by its path: what stands in its folder, and what is made of files elsewhere."""
    texts = dict(_texts(files("sordino.service") / "client"))
    # Read as a file, for a collector draws no figures.
    outline = files("sordino.show.html.figures") / "outline.json"
    texts["outline.json"] = outline.read_text(encoding="utf-8")
    # For an element on a page whose styles are others.
    texts["style.js"] = f"export default {json.dumps(texts['style.css'])};\n"
    return texts


def hashes_of(texts: Mapping[str, str]) -> dict[str, str]:
    """The hash of each file as a browser checks it: Subresource Integrity, by SHA-384."""
    found = {name: hashlib.sha384(text.encode()).digest() for name, text in sorted(texts.items())}
    return {name: f"sha384-{base64.b64encode(digest).decode()}" for name, digest in found.items()}


def page_script(texts: Mapping[str, str], entry: str, language: str | None = None) -> Script:
    """The modules of a page's entry in one, with the sentences of a language where the page has those of one alone."""
    stem = entry.removesuffix(".js")
    if language is not None:
        stem, sentences = f"{stem}-{language}", f'"./catalogue/{language}.js"'
        known = f'import sentences from {sentences};\nimport {{ CATALOGUES }} from "./catalogue/speech.js";\n'
        texts = {**texts, entry: f"{known}CATALOGUES.{language} = sentences;\n{texts[entry]}"}
    text = join_modules(texts, entry)
    return Script(f"{FOLDER}/{stem}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.js", text)


def join_modules(texts: Mapping[str, str], entry: str) -> str:
    """A module and all that it imports in one text."""
    parts: dict[str, str] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"modules must not import each other in a circle; found {' '.join((*above, name))}")
        if name in parts:
            return
        for _, _, source in _FROM.findall(texts[name]):
            add(_path_of(name, source), (*above, name))
        parts[name] = _wrap_module(name, texts[name], is_entry=name == entry)

    add(entry, ())
    return "".join(parts.values())


def _wrap_module(name: str, text: str, *, is_entry: bool) -> str:
    """A module as a constant that holds its exports; an entry as it stands, for it alone may `await`."""
    exports: dict[str, str] = {}

    def link(match: re.Match[str]) -> str:
        kind, names, source = match.groups()
        held = _variable(_path_of(name, source))
        if kind == "export":
            exports.update({one: f"{held}.{one}" for one in _names(names)})
            return ""
        return f"const {_pattern(names)} = {held};\n"

    body = _LATER.sub(lambda match: f'import("../{_path_of(name, match[1])}")', _FROM.sub(link, _COMMENT.sub("", text)))
    if is_entry:
        return f"// {name}\n{body}"
    exports |= {one: one for one in _NAMED.findall(body)}
    body = _NAMED.sub("", body)
    for names in re.findall(r"^export \{([^}]*)\};\n", body, re.MULTILINE):
        exports |= {one: one for one in _names(names)}
    body = re.sub(r"^export \{[^}]*\};\n", "", body, flags=re.MULTILINE)
    if "\nexport default " in f"\n{body}":
        body = re.sub(r"^export default ", "const standard = ", body, flags=re.MULTILINE)
        exports["default"] = "standard"
    held = ", ".join(one if one == value else f"{one}: {value}" for one, value in exports.items())
    return f"// {name}\nconst {_variable(name)} = (() => {{\n{body}return {{ {held} }};\n}})();\n"


def _names(names: str) -> list[str]:
    return [one.strip() for one in names.strip("{}").split(",") if one.strip()]


def _pattern(names: str) -> str:
    """What an import names, as what is taken out of a module's exports."""
    if not names.startswith("{"):
        return f"{{ default: {names} }}"
    return names.replace(" as ", ": ")


def _path_of(name: str, source: str) -> str:
    """The module that another one names by a path from its own folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), source))


def _variable(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _texts(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    for part in folder.iterdir():
        if part.is_dir():
            yield from _texts(part, f"{above}{part.name}/")
        else:
            yield f"{above}{part.name}", part.read_text(encoding="utf-8")
