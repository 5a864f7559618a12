"""The page about ledgers is complete: every setting of its files has its line."""

from pathlib import Path

from in_one import in_one
from sordino.once.ledger.ledger_query import ModelTable, QueryTable, RangedModelTable
from sordino.once.ledger.ledger_terms import BoundsTable, RangeTable, RecordValuesTable, TermsTable

PAGE = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")


@in_one("table", [TermsTable, RecordValuesTable, RangeTable, BoundsTable, QueryTable, ModelTable, RangedModelTable])
def test_every_setting_has_its_line(table):
    for name in table.settings_table():
        assert f"`{name}`" in PAGE or f"[{name}" in PAGE, name
