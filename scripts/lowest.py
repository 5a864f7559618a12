"""Print the oldest versions of the libraries that pyproject.toml allows, as constraints for pip.

make test-lowest
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest() -> dict[str, str]:
    """The lower bound of each library."""
    dependencies = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    found = {}
    for dependency in dependencies:
        bound = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+),<[0-9.]+", dependency)
        if bound is None:
            raise SystemExit(f"a dependency must read name>=lowest,<next; found {dependency}")
        found[bound[1]] = bound[2]
    return found


if __name__ == "__main__":
    for name, version in lowest().items():
        print(f"{name}=={version}")
