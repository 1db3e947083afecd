"""Find the error for the operator in an exception group that ended the bot's tasks."""

from bot.core.errors import BotError


def first_bot_error(group: BaseExceptionGroup[BaseException]) -> BotError | None:
    """Return the first BotError in the group, at any depth. Return None if all its errors are bugs."""
    for error in group.exceptions:
        if isinstance(error, BotError):
            return error
        if isinstance(error, BaseExceptionGroup) and (found := first_bot_error(error)):
            return found
    return None
