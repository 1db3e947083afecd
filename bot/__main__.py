"""`python -m bot` is the `retinue` command."""

from bot.cli import main

main()
