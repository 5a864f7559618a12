"""Extras: what each role installs beside the base, and the one sentence that says which extra is missing.

`pip install sordino` brings what a device needs: to read a plan, to report, answer, certify, explain, and to keep a
ledger. All else is an extra of `pyproject.toml`, whose libraries are loaded by what uses them alone.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sordino.errors import UnavailableError

PLAN = frozenset({"rich", "scipy"})
TABLES = PLAN | {"duckdb", "pyarrow"}
PAGES = TABLES | {"jinja2", "markupsafe", "matplotlib"}

LIBRARIES: Mapping[str, frozenset[str]] = {
    "plan": PLAN,
    "tables": TABLES,
    "pages": PAGES,
    "server": PAGES | {"fastapi", "httptools", "prometheus_client", "psycopg", "starlette", "uvicorn", "uvloop"},
    "import": frozenset({"openpyxl"}),
    "frames": TABLES | {"pandas", "polars"},
    "spss": TABLES | {"pandas", "pyreadstat"},
    "spark": TABLES | {"pandas", "pyspark"},
}
"""The modules that each extra brings, smaller extras first."""


def missing_extra(error: ImportError, wanted: str = "") -> UnavailableError | None:
    """What to install where a library of an extra is missing; None where something else could not be loaded.

    Args:
        error: of the import.
        wanted: the extra of the command that is run, which is named where it brings the library too.

    Example:
        >>> str(missing_extra(ModuleNotFoundError("No module named 'scipy'", name="scipy"), "tables"))
        "this needs the extra 'tables'; found no scipy: pip install 'sordino[tables]'."
    """
    library = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError):
        return None
    bringing = [extra for extra, libraries in LIBRARIES.items() if library in libraries]
    if not bringing:
        return None
    extra = wanted if wanted in bringing else bringing[0]
    step = f"pip install 'sordino[{extra}]'"
    return UnavailableError(f"this needs the extra '{extra}'", found=f"no {library}", step=step)


@contextmanager
def naming_extra(wanted: str = "") -> Iterator[None]:
    """A block that imports libraries, of which one that is missing is an error with the extra that brings it.

    Args:
        wanted: the extra to name where it brings the library.

    Raises:
        UnavailableError: a library of an extra is missing.
    """
    try:
        yield
    except ImportError as error:
        if missing := missing_extra(error, wanted):
            raise missing from None
        raise
