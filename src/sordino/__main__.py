"""`python -m sordino`: the command, of whichever Python has it."""

from sordino.cli.start import main

main()
