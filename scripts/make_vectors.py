"""The golden vectors as an archive, for clients in other languages: all that a writer of one needs beside a compiler.

make vectors: writes dist/sordino-vectors-VERSION.tar.gz, the same bytes from the same files. In it: the vectors and
what is in each, the page of the format, the JSON Schemas, and SHA256SUMS.
"""

import gzip
import hashlib
import io
import sys
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(folder: Path) -> Path:
    """Write the archive into a folder; its path."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    name = f"sordino-vectors-{version}"
    found = contents()
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in sorted(found.items()))
    found["SHA256SUMS"] = sums.encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tar.gz"
    # No date, no owner and no name in it is this machine's.
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for each, content in sorted(found.items()):
            member = tarfile.TarInfo(f"{name}/{each}")
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return path


def contents() -> dict[str, bytes]:
    """Each file by its path in the archive; text ends its lines alike everywhere."""
    vectors, docs = ROOT / "tests" / "vectors", ROOT / "docs"
    found = {path.name: path for path in vectors.iterdir() if path.suffix in (".json", ".md")}
    found |= {f"schemas/{path.name}": path for path in (docs / "schemas").glob("*.json")}
    found |= {"plan-format.md": docs / "plan-format.md", "LICENSE": ROOT / "LICENSE"}
    return {name: path.read_text(encoding="utf-8").encode() for name, path in found.items()}


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist"))
