"""The channel of clients: nothing is shown there, and who listens hears what is said."""

from bot.core.channel import MessagePart
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from bot.engine.client_channel import MAX_PROGRESS_CHARACTERS, MAX_PROGRESS_WAITING, ClientChannel

HERE, ELSEWHERE = (Address(channel="client", chat="editor", thread=each) for each in ("1", "2"))


def part(address: Address, text: str, kind: OutboundKind = OutboundKind.UPDATE) -> MessagePart:
    message = OutboundMessage(id=OutboundId(text), address=address, kind=kind, text=text)
    return MessagePart(message=message, text=text, number=0, nonce="", is_last=True, may_be_shown_already=False)


async def test_who_listens_hears_what_is_said_there_and_of_a_report_only_that_it_came() -> None:
    channel = ClientChannel()
    with channel.listen(HERE) as heard, channel.listen(HERE) as also:
        await channel.send(part(ELSEWHERE, "not for us"))
        await channel.send(part(HERE, "x" * 1_000))
        await channel.send(part(HERE, "the report", OutboundKind.REPLY))
        await channel.edit(await channel.send(part(HERE, "board", OutboundKind.BOARD)), part(HERE, "board 2"))
        said = ["x" * MAX_PROGRESS_CHARACTERS, "", "board", "board 2"]
        for queue in (heard, also):
            assert [queue.get_nowait() for _ in range(queue.qsize())] == said
    await channel.send(part(HERE, "nobody listens"))
    assert heard.empty()


def test_what_nobody_reads_is_not_kept_for_ever() -> None:
    channel = ClientChannel()
    with channel.listen(HERE) as heard:
        for number in range(MAX_PROGRESS_WAITING + 1):
            channel.tell_listeners(HERE, str(number))
    assert heard.qsize() == MAX_PROGRESS_WAITING
