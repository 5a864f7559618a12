"""All of a release but its upload: all that is built, twice, checked, with a bill of materials, in dist/.

make release-check

Built from the last commit, and dated as it is: whoever builds it again gets the same bytes. What is checked: the
version stands the same everywhere; nothing is uncommitted; two builds, and a wheel from the sdist, have the same bytes;
the sdist holds all that is committed; the index's own rules; the lock file fits pyproject.toml. Beside the sdist and
the wheel stand the browser client as a package for npm, and the golden vectors for clients in other languages.
"""

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LOCK = ROOT / "locks" / "server.txt"
BIN = Path(sys.executable).parent
BESIDE = {"make_npm.py": ROOT / ".venv" / "bin" / "python", "make_vectors.py": BIN / "python"}
"""Scripts that write one file more, and what runs them."""


def main() -> None:
    """Check all, and leave what would be uploaded in dist/."""
    version = _require_one_version()
    _require_committed()
    _require_lock_fits()
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with TemporaryDirectory() as folder:
        first, second = (_build(Path(folder) / name) for name in ("first", "second"))
        _require_same(first, second)
        _require_whole_sdist(next(path for path in first if path.name.endswith(".tar.gz")))
        for path in first:
            shutil.copy(path, DIST)
    _run(BIN / "twine", "check", "--strict", *(str(path) for path in DIST.iterdir()))
    for name, python in BESIDE.items():
        with TemporaryDirectory() as folder:
            first, second = (_made(name, python, Path(folder) / each) for each in ("first", "second"))
            _require_same(first, second)
            shutil.copy(first[0], DIST)
    _write_bill(DIST / f"sordino-{version}.cdx.json")
    sums = "".join(f"{_sha256(path)}  {path.name}\n" for path in sorted(DIST.iterdir()))
    (DIST / "SHA256SUMS").write_text(sums, encoding="ascii")
    print(sums, end="")
    uploads = f"dist/*.whl, dist/sordino-{version}.tar.gz and dist/*.tgz"
    print(f"Sordino {version} is ready: sign dist/SHA256SUMS, tag the commit, and upload {uploads}.")


def _require_one_version() -> str:
    """The version of pyproject.toml, which the change log and the citation name too."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for name, pattern in {
        "CHANGELOG.md": rf"^## {re.escape(version)}\b",
        "CITATION.cff": rf"^version: {version}$",
    }.items():
        if not re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE):
            raise SystemExit(f"{name} must name version {version} of pyproject.toml")
    return version


def _require_committed() -> None:
    if found := _run("git", "status", "--porcelain"):
        raise SystemExit(f"all must be committed; found\n{found}")


def _require_lock_fits() -> None:
    """A resolver that starts from the lock file finds nothing to change."""
    with TemporaryDirectory() as folder:
        again = Path(folder) / LOCK.name
        shutil.copy(LOCK, again)
        write_lock(again)
        if again.read_bytes() != LOCK.read_bytes():
            raise SystemExit(f"{LOCK.relative_to(ROOT)} must fit pyproject.toml: make locks")


def write_lock(path: Path) -> None:
    """The versions and hashes of all that a collector's container installs; those that the file holds stay."""
    options = ["--extra", "server", "--generate-hashes", "--universal", "--python-version", "3.11", "--no-header"]
    _run(BIN / "uv", "pip", "compile", "pyproject.toml", *options, "--quiet", "--output-file", str(path))


def _build(folder: Path) -> list[Path]:
    """The sdist and the wheel that is made of it, from the last commit and dated as it is."""
    source, made = folder / "source", folder / "made"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(source, filter="data")
    epoch = _run("git", "log", "-1", "--format=%ct").strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    _run(sys.executable, "-m", "build", "--quiet", "--sdist", "--outdir", str(made), str(source), env=environment)
    (sdist,) = made.glob("*.tar.gz")
    _date_all(sdist, int(epoch))
    _run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(made),
        str(sdist),
        env=environment,
    )
    return sorted(made.iterdir())


def _made(script: str, python: Path, folder: Path) -> list[Path]:
    """What a script writes into a folder."""
    _run(python, ROOT / "scripts" / script, str(folder))
    return sorted(folder.iterdir())


def _date_all(sdist: Path, epoch: int) -> None:
    """Write an archive again with one date and no owners: setuptools takes those of the machine."""
    content = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda each: each.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with sdist.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=epoch) as packed:
        packed.write(content.getvalue())


def _require_same(first: list[Path], second: list[Path]) -> None:
    for one, other in zip(first, second, strict=True):
        if one.name != other.name or _sha256(one) != _sha256(other):
            raise SystemExit(f"two builds must give the same bytes; found others of {one.name}")


def _require_whole_sdist(sdist: Path) -> None:
    """What is committed stands in it, so that its tests run: `.ci`, which runs them on a server, too."""
    with tarfile.open(sdist) as tar:
        held = {name.partition("/")[2] for name in tar.getnames()}
    if missing := sorted(set(_run("git", "ls-files").splitlines()) - held):
        raise SystemExit(
            f"the sdist must hold all that is committed; found none of {', '.join(missing[:5])}: see MANIFEST.in"
        )


def _write_bill(path: Path) -> None:
    """What a collector's container holds, by its lock file, in CycloneDX."""
    options = ["--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON", "-o", str(path)]
    _run(BIN / "cyclonedx-py", "requirements", *options, str(LOCK))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(*words: str | Path, env: dict[str, str] | None = None) -> str:
    """What a program prints that ends well."""
    done = subprocess.run([*map(str, words)], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words[:3]))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    write_lock(LOCK) if "--write-lock" in sys.argv else main()
