"""Which text says it of a request that the model's server declined: by category, to people and to the turn that
delegated.

The categories are those of the API's `stop_details`. Its own explanation is shown to nobody: it may change at any time,
is in English, and speaks of policies (docs/decisions/0015).
"""

from bot.core.texts import reasons


def refusal_text(category: str) -> str:
    """Why a turn could not be finished, for its person."""
    return reasons.DECLINED(subject=category_text(category))


def task_refusal_text(category: str) -> str:
    """Why a delegation could not be finished, for the turn that began it."""
    if category:
        return reasons.TASK_DECLINED_WITH_CATEGORY(subject=category_text(category), category=category)
    return reasons.TASK_DECLINED(subject=category_text(category))


def category_text(category: str) -> str:
    return reasons.TAKEN_FOR.get(category, reasons.TAKEN_FOR_SOMETHING)
