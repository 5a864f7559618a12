"""What is expected of smoothed shares, in words: used, refused though asked for, or offered."""

from sordino.estimation.neighbours.choice import Choice, SmoothingRefusal

OWN = "The estimates and their intervals use the reports alone; smoothed shares have no intervals."


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
            f"Not smoothed, although requested: with this plan's mechanism {choice.why}, so it is unknown whether"
            f" smoothing would be an improvement. {method} is used instead."
        )
    distances = f"{choice.smoothed:.3f} from the truth (total variation), the nearest distribution {choice.nearest:.3f}"
    if not asked:
        return (
            f"Offered, not used: the method smoothed. Judging by the reports, shares smoothed by their neighbours are"
            f" expected to be {distances}."
        )
    if method == "smoothed":
        return (
            f"Smoothed: each share is fitted with the help of its neighbours and of the spread of all shares. Judging"
            f" by the reports, these shares are expected to be {distances}. {OWN}"
        )
    return (
        f"Not smoothed, although requested: the reports allow shares for which smoothing would not be clearly better;"
        f" its distance to the truth may be {choice.worst:.2f} times that of {method}, which is used instead."
    )
