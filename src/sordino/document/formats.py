"""The kinds of documents that Sordino writes, and their versions."""

from sordino.document.sealed import Sealed

PLAN = Sealed("sordino plan", 4, "a plan", "make one with `sordino.plan`")
"""Draws have the codes `meeting` since version 4; none before was released."""

AGGREGATE = Sealed("sordino aggregate", 1, "an aggregate", "make one with `sordino.aggregate`")
INVITATIONS = Sealed("sordino invitations", 1, "a list of invitations", "make one with `sordino invite`")
REPORT = Sealed("sordino report", 1, "a report", "make one with `sordino.report`")
STATEMENT = Sealed("sordino dependence", 1, "a statement about dependence", "make one with `sordino.dependence`")
TRANSCRIPT = Sealed("sordino transcript", 1, "a transcript", "make one with `sordino ledger export`")
TERMS = Sealed("sordino ledger", 1, "a ledger's terms", "make a ledger with `sordino ledger new`")
QUERY = Sealed("sordino query", 1, "a query", "ask the collector for it")
