"""The browser client as a package for npm: its modules as a collector serves them, types, one bundle, and hashes.

make npm: writes dist/sordino-client-VERSION.tgz, the same bytes from the same sources. Needs node and npm;
TypeScript and esbuild come by npm/package-lock.json, which has the hash of each.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from sordino.service.client_pages import client_files, hashes_of

ROOT = Path(__file__).parents[1]
PARTS = ROOT / "npm"
BUNDLE = "bundle/sordino-form.js"
TYPED = ("index", "element")
"""Modules that the package exports, whose types `npm/` states."""

SAME = """import * as element from "./element.js";
import * as index from "./index.js";
import * as statedElement from "./stated/element.js";
import * as stated from "./stated/index.js";
const exported: typeof stated & typeof statedElement = { ...index, ...element };
const named: Record<keyof typeof index | keyof typeof element, unknown> = exported;
void named;
"""
"""Compiles where the modules are what is stated of them, by the types that TypeScript finds in them."""

OF_PAGES = frozenset({"host.html", "form.html", "form.js", "verify.html", "verify.js", "published.js"})
"""What makes a collector's own pages."""


def main(folder: Path) -> Path:
    """Write the package into a folder; its path."""
    if missing := [name for name in ("node", "npm") if shutil.which(name) is None]:
        raise SystemExit(f"the package for npm needs {' and '.join(missing)}: install Debian's nodejs and npm")
    tools, whole = ROOT / "build" / "npm-tools", ROOT / "build" / "npm"
    shutil.rmtree(whole, ignore_errors=True)
    tools.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PARTS / name, tools)
    _run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", at=tools)
    write_modules(whole)
    bin_folder = tools / "node_modules" / ".bin"
    write_types(whole, ROOT / "build" / "npm-types", bin_folder / "tsc")
    _run(
        bin_folder / "esbuild", "element.js", "--bundle", "--minify", "--format=esm", "--target=es2022",
        "--legal-comments=none", f"--outfile={BUNDLE}", at=whole,
    )  # fmt: skip
    write_words(whole)
    folder.mkdir(parents=True, exist_ok=True)
    found = json.loads(_run("npm", "pack", "--json", "--pack-destination", folder.resolve(), at=whole))
    return folder / str(found[0]["filename"])


def write_modules(folder: Path) -> None:
    """The client's files, without those of a collector's own pages."""
    for name, text in client_files().items():
        if name not in OF_PAGES:
            _write(folder / name, text)


def write_types(whole: Path, scratch: Path, compiler: Path) -> None:
    """The types that are stated of the package, once they agree with those that are found in its modules."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copy(PARTS / "tsconfig.json", whole)
    _run(compiler, "--project", "tsconfig.json", "--outDir", scratch, at=whole)
    (whole / "tsconfig.json").unlink()
    for name in TYPED:
        text = (PARTS / f"{name}.d.ts").read_text(encoding="utf-8")
        _write(whole / f"{name}.d.ts", text)
        _write(scratch / "stated" / f"{name}.d.ts", text)
    _write(scratch / "same.ts", SAME)
    # A function that takes more than is stated is none of another type.
    words = "--noEmit --strict --strictFunctionTypes false --target es2022 --module esnext --moduleResolution bundler"
    _run(compiler, *words.split(), "--lib", "es2023,dom,dom.iterable", "--types", "", "same.ts", at=scratch)


def write_words(folder: Path) -> None:
    """What the package says of itself, once all its files stand: its version, and the hash of each file."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".js", ".json", ".css"))
    hashes = hashes_of({path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files})
    _write(folder / "integrity.json", json.dumps(hashes, indent=1) + "\n")
    package = json.loads((PARTS / "package.json").read_text(encoding="utf-8"))
    del package["devDependencies"]
    package["version"] = _version()
    _write(folder / "package.json", json.dumps(package, indent=2) + "\n")
    readme = (PARTS / "README.md").read_text(encoding="utf-8")
    _write(folder / "README.md", readme.replace("$INTEGRITY", hashes[BUNDLE]))
    shutil.copy(ROOT / "LICENSE", folder)


def _version() -> str:
    """Of the package, as npm writes it."""
    text: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if not re.fullmatch(r"\d+\.\d+\.\d+", text):
        raise SystemExit(f"npm must know the version as three numbers; found {text}")
    return text


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run(*words: str | Path, at: Path) -> str:
    """What a program prints that ends well."""
    done = subprocess.run([*map(str, words)], cwd=at, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words[:2]))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist"))
