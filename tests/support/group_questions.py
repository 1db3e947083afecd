"""What the owner is asked about a Telegram group that the bot was added to."""

from bot.core.texts import people_groups
from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.support.telegram_bot import sees

EVERYBODY, ONLY_ME, LEAVE = (
    people_groups.EVERYBODY_OPTION(),
    people_groups.OWNER_ONLY_OPTION(),
    people_groups.LEAVE_OPTION(),
)


def question(team: Room) -> str:
    asked = people_groups.WHO_MAY_TALK(person="Ben", title="Team", channel="telegram", chat=team.id)
    return f"{asked}\n\n1. {EVERYBODY}\n2. {ONLY_ME}\n3. {LEAVE}"


async def is_asked(server: TelegramStandIn, owner: Room, team: Room) -> None:
    await sees(server, owner, lambda there: any(text.startswith(question(team)[:40]) for text in there))
