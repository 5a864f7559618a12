"""Conformance suites, for what is Sordino's own and for anybody's: a mechanism, a question, a view, a program."""

from sordino.testing.kind_check import check_kind
from sordino.testing.mechanism_check import check_mechanism
from sordino.testing.sampled_loss import SampledLoss, largest_sampled_loss
from sordino.testing.view_check import check_view

__all__ = ["SampledLoss", "check_kind", "check_mechanism", "check_view", "largest_sampled_loss"]
