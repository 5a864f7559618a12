"""Conformance suites, for what is Sordino's own and for anybody's: a mechanism, and a kind of question."""

from sordino.testing.kind_check import check_kind
from sordino.testing.mechanism_check import check_mechanism

__all__ = ["check_kind", "check_mechanism"]
