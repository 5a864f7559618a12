"""What a plan with a series says of each period, and of what changed over all of them."""
