"""Mistakes in our words, each with path, rule and the nearest right name; of private tables nothing that is in them."""

from collections.abc import Iterator, Mapping, Sequence

from sordino.document.schema.nearest import nearest
from sordino.document.schema.unfit import NOTHING, DataName, Mistake
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown

STEPS: Mapping[tuple[str, str], str] = {
    ("must be given", "version"): "write version = 1",
    ("must be given", "attribute"): "write [attribute.NAME], and below it categories, a grid or a number",
    ("must be given", "ask"): 'write [[ask]], and below it histogram = "NAME", for instance',
    ("must be given", "record"): "write [record], and below it a value of each attribute",
    # One question alone is still one of a list.
    ("must be a list", "ask"): "write [[ask]] in double brackets",
}
"""What to do about a rule at a path that does not say it."""


def mistake_errors(mistakes: Sequence[Mistake], *, private: bool = False) -> list[SordinoError]:
    """All mistakes: first the unknown settings.

    Args:
        mistakes: in the order of the tables.
        private: whether they are of a person's file: no message holds a value or a name of theirs.
    """
    unknown = [mistake for mistake in mistakes if mistake.known]
    rest = [mistake for mistake in mistakes if not mistake.known]
    errors = [error for mistake in (*unknown, *rest) for error in _errors(mistake, private=private)]
    # Without names and values several can be one sentence, which is said once.
    return list({str(error): error for error in errors}.values()) if private else errors


def _errors(mistake: Mistake, *, private: bool) -> Iterator[SordinoError]:
    """A mistake, or several where a check of our own has found several."""
    *_, last = mistake.path or ("",)
    steps = mistake.path[:-1] if private and mistake.known else mistake.path
    path = ".".join(str(step) for step in steps if not (private and isinstance(step, DataName)))
    if isinstance(mistake.rule, SordinoError):
        for error in mistake.rule.errors if isinstance(mistake.rule, SordinoErrors) else [mistake.rule]:
            where = "" if error.rule.startswith(f"{path} ") or not path else f"{path}: "
            yield SordinoError(where + error.rule, found="" if private else error.found, step=error.step)
        return
    place = path or "the file"
    if mistake.known:
        step = f"known here are {', '.join(mistake.known)}"
        if private:
            yield SordinoError(f"{place} must have known settings only", found="an unknown one", step=step)
        else:
            yield SordinoError(f"{place} must be a known setting{nearest([str(last)], mistake.known)}", step=step)
        return
    found = "" if private or mistake.found is NOTHING else shown(mistake.found)
    yield SordinoError(f"{place} {mistake.rule}", found=found, step=STEPS.get((mistake.rule, path), ""))
