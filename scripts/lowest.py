"""Print the oldest versions of the libraries that pyproject.toml allows, as constraints for pip.

make test-lowest
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"

REQUIREMENT = re.compile(r"([A-Za-z0-9_-]+)(?:\[[a-z]+\])?>=([0-9.]+),<[0-9.]+(; .+)?")
"""Its name, its lower bound, and where it is needed if not everywhere; constraints know nothing of its own extras."""


def lowest() -> dict[str, str]:
    """The lower bound of each library, of the extras' too, with the marker that says where it is needed."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    found = {}
    for requirement in [*project["dependencies"], *(each for extra in extras for each in extra)]:
        if requirement.startswith("sordino["):
            continue
        bound = REQUIREMENT.fullmatch(requirement)
        if bound is None:
            raise SystemExit(f"a requirement must read name>=lowest,<next; found {requirement}")
        found[bound[1]] = bound[2] + (bound[3] or "")
    return found


if __name__ == "__main__":
    for name, version in lowest().items():
        print(f"{name}=={version}")
