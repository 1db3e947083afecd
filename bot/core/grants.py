"""What one yes of a person may allow for a whole conversation: a tool, together with the one value that it may use."""

from bot.core.acts import SENDING_EFFECTS, Act, ActKind, Effect, Part
from bot.core.request_reading.values import fold

TARGET_PARTS = frozenset({Part.WHO, Part.WHERE, Part.WHICH})  # what one yes can allow for a whole conversation
UNGRANTABLE_ACTS = frozenset({ActKind.PAY, ActKind.DELETE, ActKind.SHARE})  # each needs a yes of its own
UNGRANTABLE_EFFECTS = frozenset({Effect.SPENDS, Effect.DESTROYS})
ANY_COMMAND = "*"  # what a yes to a command may allow for a conversation: any further one that reaches the same hosts
WEB_GRANT = ("web", "server")  # the model's server may search and fetch again, in this conversation


def targets_of(act: Act) -> list[str]:
    """Return the values that decide who, where or what an act reaches."""
    return [value for critical, value in act.values if critical.part in TARGET_PARTS]


def grantable_target(act: Act) -> str | None:
    """Return the one value for which a person may allow this tool in the whole conversation; None if there is none."""
    if act.kinds == {ActKind.RUN}:
        if act.hosts:
            return f"{ANY_COMMAND} {act.hosts}"
        return None if act.effects & SENDING_EFFECTS else ANY_COMMAND
    targets = set(targets_of(act))
    if act.kinds & UNGRANTABLE_ACTS or act.effects & UNGRANTABLE_EFFECTS:
        return None
    if len(targets) != 1 or act.is_of_server or not (act.kinds or act.is_query):
        return None
    return targets.pop()


def grant_of(act: Act, value: str) -> tuple[str, str]:
    return act.tool, fold(value)
