"""What options and arguments of several commands are."""

from pathlib import Path

import click

FILE = click.Path(path_type=Path)
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
engine_option = click.option(
    "--engine",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    help="The engine that reads the tables, DuckDB by default.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite files that an earlier run of this command made.")
"""For what can be made again."""
