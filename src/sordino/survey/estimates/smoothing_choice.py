"""What is expected of smoothed shares, in words: used, refused though asked for, or offered."""

from sordino.estimation.neighbours.choice import Choice, SmoothingRefusal

OWN = "The estimates and their intervals are of the reports alone; smoothed shares have no intervals."


def choice_in_words(choice: Choice | SmoothingRefusal, method: str, *, asked: bool = True) -> str:
    """A sentence or three.

    Args:
        choice: what is expected, or why nothing is.
        method: by which the shares were fitted.
        asked: whether smoothed shares were asked for.

    Example:
        >>> choice_in_words(Choice(0.1, 0.2, 0.5), "simplex", asked=False).split(":")[0]
        'Offered, not used'
    """
    if isinstance(choice, SmoothingRefusal):
        return (
            f"Not smoothed, though asked for: with this plan's mechanism {choice.why}, so nobody can say whether"
            f" smoothing would be an improvement. {method} stands in its place."
        )
    distances = f"{choice.smoothed:.3f} from the truth (total variation), the nearest distribution {choice.nearest:.3f}"
    if not asked:
        return (
            f"Offered, not used: --method smoothed. By what the reports tell, shares smoothed by their neighbours are"
            f" expected to be {distances}."
        )
    if method == "smoothed":
        return (
            f"Smoothed: each share is fitted by what its neighbours have, and by what shares are like. By what the"
            f" reports tell, these are expected to be {distances}. {OWN}"
        )
    return (
        f"Not smoothed, though asked for: the reports allow shares for which it would not be clearly better; the"
        f" distance to the truth may be {choice.worst:.2f} times that of {method}, which stands in its place."
    )
