"""Which text says it of a request that the model's server declined: by category, to people and to the turn that
delegated.

The categories are those of the API's `stop_details`. Its own explanation is shown to nobody: it may change at any time,
is in English, and speaks of policies (docs/decisions/0015).
"""

from bot.texts import reasons


def declined(category: str) -> str:
    """Why a turn could not be finished, for its person."""
    return reasons.DECLINED(subject=taken_for(category))


def declined_task(category: str) -> str:
    """Why a delegation could not be finished, for the turn that began it."""
    if category:
        return reasons.TASK_DECLINED_WITH_CATEGORY(subject=taken_for(category), category=category)
    return reasons.TASK_DECLINED(subject=taken_for(category))


def taken_for(category: str) -> str:
    return reasons.TAKEN_FOR.get(category, reasons.TAKEN_FOR_SOMETHING)
