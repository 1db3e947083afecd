"""What is said of a request that the model's server declined: by category, to people and to the turn that delegated.

The categories are those of the API's `stop_details`. Its own explanation is shown to nobody: it may change at any time,
is in English, and speaks of policies (docs/decisions/0015).
"""

TAKEN_FOR = {
    "cyber": "something that could harm computers or networks",
    "bio": "help with dangerous biology",
    "frontier_llm": "help with building a competing AI model",
    "reasoning_extraction": "asking it to write out its inner reasoning",
    "general_harms": "something that could do harm",
}
UNNAMED = "something that it must not help with"
OTHERS_TOO = "harmless requests are sometimes caught too"


def declined(category: str) -> str:
    """Why a turn could not be finished, for its person."""
    helps = "saying it in other words, leaving that part out, or /new may help"
    return f"my language model took it for {taken_for(category)} and stopped ({OTHERS_TOO}; {helps})"


def declined_task(category: str) -> str:
    """Why a delegation could not be finished, for the turn that began it."""
    named = f"category {category}; " if category else ""
    helps = "other words, or the task without that part, may help"
    return f"the model took the task for {taken_for(category)} and stopped ({named}{OTHERS_TOO}; {helps})"


def taken_for(category: str) -> str:
    return TAKEN_FOR.get(category, UNNAMED)
