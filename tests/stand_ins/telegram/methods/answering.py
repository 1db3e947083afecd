"""answerCallbackQuery: each tap must be answered once, and soon."""

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.errors import bad
from tests.stand_ins.telegram.world import World

ANSWERABLE_SECONDS = 15.0  # Telegram publishes no number; people measured about 15 s
MOST_CHARACTERS = 200


def answer_callback_query(world: World, arguments: Arguments) -> bool:
    tap = world.taps.get(arguments.text("callback_query_id"))
    if tap is None or tap.answer is not None or world.now() - tap.at > ANSWERABLE_SECONDS:
        raise bad("query is too old and response timeout expired or query ID is invalid")
    text = arguments.text("text")
    if len(text) > MOST_CHARACTERS:
        raise bad("MESSAGE_TOO_LONG")
    tap.answer, tap.heard = dict(arguments.given), text
    return True


ANSWERING = {"answerCallbackQuery": answer_callback_query}
