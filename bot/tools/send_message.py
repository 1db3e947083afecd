"""The tool that sends a text to another chat of the same person. The message is a row, written in the transaction of
the reply that calls the tool, so it is sent once, even after a crash."""

from typing import Annotated

from bot.core.acts import ActKind, Critical, Effect, Part
from bot.core.errors import ToolError
from bot.core.group import GetCurrentGroups, no_groups
from bot.core.limits import GetCurrentTerms
from bot.core.reply_plan import SEND_MESSAGE_TOOL_NAME, SendMessage
from bot.core.turn import CallKind
from bot.journal.other_chats import OtherChat, list_other_chats
from bot.store.connection import ReadTransactionRunner, fail_on_row_read
from bot.tools import Arguments, Tool, ToolContext, texts
from bot.tools.parameters import Parameters

MAX_MESSAGE_CHARACTERS = 20_000


def send_message(
    context: ToolContext,
    chat: Annotated[str, "a group's name, or an address; a wrong one gets you the list"],
    text: Annotated[str, "what is read there"],
) -> None: ...


SEND_MESSAGE = Parameters.from_function(send_message)


def send_message_tools(
    terms: GetCurrentTerms, read: ReadTransactionRunner = fail_on_row_read, groups: GetCurrentGroups = no_groups
) -> list[Tool]:
    """Return the tool, if the operator lets agents send texts to other chats."""
    if not terms().settings.send_to_other_chats:
        return []

    async def plan(context: ToolContext, arguments: Arguments) -> SendMessage:
        given = SEND_MESSAGE.validate_and_drop_nulls(arguments)
        text = given["text"].strip()
        if not text or len(text) > MAX_MESSAGE_CHARACTERS:
            raise ToolError(texts.MESSAGE_OF_WRONG_LENGTH(most=MAX_MESSAGE_CHARACTERS))
        chats = await read(list_other_chats, context.turn, groups(), terms())
        return SendMessage(address=find_chat(chats, given["chat"]).address, text=text)

    tool = Tool(
        name=SEND_MESSAGE_TOOL_NAME,
        description=(
            "Send a text to another chat in which the person talks with you, because they asked for it. In this chat "
            "you simply answer."
        ),
        input_schema=SEND_MESSAGE.json_schema,
        kind=CallKind.ROW,
        effects=frozenset({Effect.SENDS_OUT}),
        acts=frozenset({ActKind.SEND}),
        critical_arguments={"chat": Critical(Part.WHO)},
        uncritical_arguments=frozenset({"text"}),
        plan_rows=plan,
    )
    return [tool]


def find_chat(chats: list[OtherChat], named: str) -> OtherChat:
    """Return the chat of that address, or the only one of the group of that name. Raise ToolError if there is none, or
    if the group has several: the error lists them all."""
    key = named.strip().casefold()
    found = [each for each in chats if key and key in (each.address.as_typed.casefold(), each.group.casefold())]
    if len(found) == 1:
        return found[0]
    if not chats:
        raise ToolError(texts.NO_OTHER_CHATS)
    listed = [
        texts.CHAT_OF_GROUP(chat=each.address.as_typed, group=each.group) if each.group else each.address.as_typed
        for each in chats
    ]
    raise ToolError(texts.NOT_A_CHAT_TO_SEND_TO(chats=", ".join(listed)))
