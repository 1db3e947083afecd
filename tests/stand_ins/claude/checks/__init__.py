"""Everything that the service refuses, and what it should refuse: one module for each part of a request."""

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.checks import (
    caching,
    choice,
    compaction,
    envelope,
    fallbacks,
    fields,
    media,
    messages,
    thinking,
    tools,
    web,
)
from tests.stand_ins.claude.checks.harsh import Harsh
from tests.stand_ins.claude.models import ModelCard


def check(asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> None:
    """Check what a request shows by itself. Raise the first refusal. `history` checks the rest."""
    fields.check(asked)
    envelope.check(asked, card, harsh)
    messages.check(asked, card, harsh)
    tools.check(asked, harsh)
    web.check(asked, harsh)
    media.check(asked)
    choice.check(asked, card)
    thinking.check(asked, card)
    caching.check(asked)
    compaction.check(asked)
    fallbacks.check(asked, card, harsh)
