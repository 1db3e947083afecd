"""Deployments, one for each tenant: their folders, and the code that makes, runs and maintains them.

This package knows the bot's settings and nothing else of the bot. It asks a tenant's bot by running that bot's own
command.
"""

from collections.abc import Callable

TellOperator = Callable[[str], None]  # called with each line for the operator
