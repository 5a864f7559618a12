"""Conformance suites, for what is Sordino's own and for anybody's: a mechanism, a kind of question, a view."""

from sordino.testing.kind_check import check_kind
from sordino.testing.mechanism_check import check_mechanism
from sordino.testing.view_check import check_view

__all__ = ["check_kind", "check_mechanism", "check_view"]
