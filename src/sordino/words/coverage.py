"""Of whom intervals are, in words."""

POPULATION = (
    "Intervals describe a population from which these people were drawn at random.",
    "For a census they are wider than needed; for quota samples and volunteers they leave out how these differ.",
)
"""What noise adds and what a random draw of people adds are both in every standard error."""
