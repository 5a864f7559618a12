"""The rows of a result for other libraries: whatever reads the Arrow C stream interface takes the result as it is.

What needs pandas or polars names the extra that brings them where they are missing.
"""

from abc import ABC, abstractmethod
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sordino.extras import naming_extra

# A device reads certificates without any of them.
if TYPE_CHECKING:
    import pyarrow as pa

TEXT, NUMBER, COUNT, TRUTH = "string", "double", "uint64", "bool"
"""Types of columns, as Arrow names them."""


class ArrowRows(ABC):
    """A result with rows."""

    @abstractmethod
    def to_arrow(self) -> "pa.Table":
        """All rows as a pyarrow table."""

    def to_pandas(self) -> Any:
        """The rows of `to_arrow()` as a pandas DataFrame.

        Raises:
            UnavailableError: pandas or pyarrow is not installed.
        """
        _library("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The rows of `to_arrow()` as a polars DataFrame.

        Raises:
            UnavailableError: polars or pyarrow is not installed.
        """
        return _library("polars").from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows of `to_arrow()`, for polars, pandas, DuckDB and others: `polars.DataFrame(found)`.

        Args:
            requested_schema: types that the columns are cast to, as a capsule.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def rows_table(types: dict[str, str], columns: dict[str, Any]) -> "pa.Table":
    """Columns as a table.

    Args:
        types: of the columns by name, in the table's order.
        columns: sequences or arrays by name; what is missing in one is None, or NaN in an array of floats.

    Raises:
        UnavailableError: pyarrow is not installed.
    """
    with naming_extra():
        import pyarrow as pa
    fields = [(name, pa.type_for_alias(type_)) for name, type_ in types.items()]
    arrays = [pa.array(columns[name], type_, from_pandas=True) for name, type_ in fields]
    return pa.table(arrays, schema=pa.schema(fields))


def _library(name: str) -> ModuleType:
    with naming_extra("frames"):
        return import_module(name)
