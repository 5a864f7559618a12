"""Of whom intervals are, in words."""

POPULATION = (
    "Intervals describe a population from which these people were drawn at random.",
    "For a census they are wider than needed; for quota samples and volunteers they leave out how these differ.",
)
"""What noise adds and what a random draw of people adds are both in every standard error."""

FINITE = (
    "Standard errors and intervals of shares and cells describe the people who reported: they hold the noise alone.",
    "All others describe a population from which these were drawn at random: of them they are wider than needed.",
)
"""Sentences with `--finite`."""
