"""What is asked only because of earlier answers, in plain words: what all others send, and what that reveals."""

from collections.abc import Iterator, Mapping

from sordino.domain.attribute import Attribute


def condition_sentences(attributes: Mapping[str, Attribute]) -> Iterator[str]:
    """Of each attribute that is not asked of all when it is, what others answer, and what never leaves."""
    conditional = {name: own for name, own in attributes.items() if own.only_if}
    for name, attribute in conditional.items():
        when = " and ".join(f"{other!r} is {' or '.join(map(repr, labels))}" for other, labels in attribute.only_if)
        unasked = repr(attribute.not_asked) if attribute.not_asked is not None else "that the number is missing"
        yield (
            f"{name!r} is asked only if {when}. Everybody else answers {unasked}, through the same channel: whether"
            " somebody was asked is protected as the answer is."
        )
        if attribute.not_asked is None:
            yield (
                f"Who is not asked for {name!r}, and who is asked and gives no number, both count as missing: results"
                " describe those who have the number."
            )
    if deciding := dict.fromkeys(other for own in conditional.values() for other, _ in own.only_if):
        names = ", ".join(map(repr, deciding))
        yield (
            f"The device needs the answer to {names} to know what is asked. Unless it is asked about by itself, that"
            " answer is in no report: a report reveals no more of it than of the answers that depend on it."
        )
