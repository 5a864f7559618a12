"""The package for npm: hashes that are its files', types that a strict program compiles with, a bundle that answers.

It is built as a release is, with TypeScript and esbuild from npm's registry: make npm.
"""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from commands import PATIENCE
from planted import ROOT
from served import Collecting
from sordino import Plan, Survey
from waits import joined

pytestmark = [pytest.mark.live, pytest.mark.long]

VECTOR = ROOT / "tests" / "vectors" / "randomized.json"

PROGRAM = """
import { FreshWords, Outbox, Speech, estimates, open, pack, readTally, sentences, type Found } from "@sordino/client";
import "@sordino/client/element";
const form = document.querySelector("sordino-form")!;
form.plan = "https://collector.example/plans/sha256:0";
form.addEventListener("sordino-sent", ({ detail }) => detail.plan.length);
document.addEventListener("sordino-taken-back", ({ detail }) => detail.plan.length);

const found: Found = await open("text", "sha256:0");
const lines: string[] = sentences(found, new Speech("de", found.plan.words));
const { code, cell } = found.questions.draw({ x: "b" }, new FreshWords());
const outbox = new Outbox(found.plan.hash, "https://collector.example/plans/sha256:0");
const { codeBytes, cellBytes } = found.questions;
const drawn: boolean = await outbox.reserve(() => pack(code, codeBytes, cell, cellBytes));
const { done, state, problem } = await outbox.send();
const back: "acknowledged" | "withdrawn" | undefined = (await outbox.takeBack()).state;
const told = estimates(found.questions, readTally("{}"));
for (const { rows = [] } of told) for (const { estimate } of rows) estimate.toFixed(2);
"""

WRONG = [
    "form.plan = 1;",
    'form.addEventListener("sordino-sent", ({ detail }) => detail.answer);',
    "const label: number = found.plan.attributes.x!.labels![0]!;",
    "found.questions.draw({ x: true }, new FreshWords());",
    'const n: number = await new Outbox("a", "b").reserve(() => "");',
    "new Outbox(1);",
    "pack(1, 2);",
    "open(null!).x;",
]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package as npm installs it, in a folder of a program that uses it."""
    folder = tmp_path_factory.mktemp("program")
    made = run([sys.executable, ROOT / "scripts" / "make_npm.py", folder], ROOT).stdout.strip()
    scope = folder / "node_modules" / "@sordino"
    scope.mkdir(parents=True)
    with tarfile.open(made) as tar:
        tar.extractall(scope, filter="data")
    (scope / "package").rename(scope / "client")
    return scope / "client"


def run(words, folder, *, holds=True):
    found = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert (found.returncode == 0) == holds, found.stdout + found.stderr
    return found


def integrity(path):
    return f"sha384-{base64.b64encode(hashlib.sha384(path.read_bytes()).digest()).decode()}"


def test_each_file_has_the_hash_of_the_table(package):
    hashes = json.loads((package / "integrity.json").read_text(encoding="utf-8"))
    files = {path for path in package.rglob("*") if path.suffix in (".js", ".css", ".json")}
    files -= {package / "integrity.json", package / "package.json"}
    assert {path.relative_to(package).as_posix(): integrity(path) for path in files} == hashes
    assert f'integrity="{hashes["bundle/sordino-form.js"]}"' in (package / "README.md").read_text(encoding="utf-8")


def test_what_it_exports_is_there_and_each_module_has_types(package):
    exports = json.loads((package / "package.json").read_text(encoding="utf-8"))["exports"]
    for places in exports.values():
        for place in [places] if isinstance(places, str) else places.values():
            assert (package / place).is_file(), place
    for name in ("index", "element"):
        types = (package / f"{name}.d.ts").read_text(encoding="utf-8")
        assert not re.search(r"\bany\b", types)


def test_a_strict_program_compiles_with_its_types_and_a_wrong_one_does_not(package):
    folder = package.parents[2]
    compiler = [ROOT / "build" / "npm-tools" / "node_modules" / ".bin" / "tsc", "--noEmit", "--strict", "--types", ""]
    compiler += ["--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable", "program.mts"]
    program = folder / "program.mts"
    program.write_text(PROGRAM, encoding="utf-8")
    run(compiler, folder)
    for line in WRONG:
        program.write_text(PROGRAM + line, encoding="utf-8")
        assert f"program.mts({PROGRAM.count(chr(10)) + 1}" in run(compiler, folder, holds=False).stdout, line


def test_node_answers_a_vector_with_it(package):
    folder = package.parents[2]
    program = folder / "program.mjs"
    program.write_text(
        'import { readFileSync } from "node:fs";\n'
        'import { open } from "@sordino/client";\n'
        'const { plan, reports } = JSON.parse(readFileSync(process.argv[2], "utf8"));\n'
        "const { questions } = await open(plan);\n"
        "const [{ record, words, code }] = reports;\n"
        "const given = { next: () => BigInt(`0x${words.shift()}`) };\n"
        "console.log(questions.draw(record, given).code === BigInt(code), words.length);\n",
        encoding="utf-8",
    )
    assert run(["node", program, VECTOR], folder).stdout == "true 0\n"


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, of which no browser keeps any."""

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *given):
        pass


@contextmanager
def serving(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            joined(thread)


def test_the_bundle_answers_on_any_page_and_no_other_file_does(package, chromium, tmp_path):
    (line,) = re.findall(r'<script type="module".*', (package / "README.md").read_text(encoding="utf-8"))
    shutil.copy(package / "bundle" / "sordino-form.js", tmp_path)
    survey = {
        "version": 1,
        "epsilon": "2",
        "attribute": {"a": {"categories": ["yes", "no"]}},
        "ask": [{"histogram": "a"}],
    }
    collector = Collecting(tmp_path, Plan.of(Survey.read(survey), 100))
    context = chromium.new_context()
    try:
        (tmp_path / "index.html").write_text(
            f'<!DOCTYPE html>{line}<sordino-form plan="{collector.address}"></sordino-form>', encoding="utf-8"
        )
        page = context.new_page()
        with serving(tmp_path) as home:
            page.goto(home)
            page.get_by_label("yes").check()
            page.get_by_role("button", name="Send my report").click()
            page.get_by_role("status").filter(has_text="is counted once").wait_for()
            assert collector.count == 1
            with (tmp_path / "sordino-form.js").open("a", encoding="utf-8") as file:
                file.write("\n")
            with page.expect_console_message(lambda said: "integrity" in said.text):
                page.reload()
            assert page.evaluate("customElements.get('sordino-form') === undefined")
    finally:
        context.close()
        collector.stop()
