"""Of what has ended the tasks of the bot, the error that the operator is to read."""

from bot.core.errors import BotError


def first_bot_error(group: BaseExceptionGroup[BaseException]) -> BotError | None:
    """The first that was raised on purpose, however deep it lies; None if it is all bugs."""
    for error in group.exceptions:
        if isinstance(error, BotError):
            return error
        if isinstance(error, BaseExceptionGroup) and (found := first_bot_error(error)):
            return found
    return None
