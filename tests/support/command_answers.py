"""How each command is answered in a private chat of the owner where nothing has happened yet: how the answer begins,
and how it ends if the beginning differs."""

from bot.core.texts import (
    people,
    people_access,
    people_accounts,
    people_groups,
    people_help,
    people_models,
    people_schedules,
)

ANSWERS: dict[str, str] = {
    "/start": people.GREETING(),
    "/help": people_help.HELP["start"](),
    "/new": people.NEW_CONVERSATION(),
    "/stop": people.NOTHING_TO_STOP(),
    "/status": people.NOTHING_AT_WORK(),
    "/agents": people.NOTHING_AT_WORK(),
    "/log": people.LOG_USAGE(),
    "/tell": people.TELL_USAGE(),
    "/retry": people.RETRY_USAGE(),
    "/roles": "Analyst",
    "/quiet": people.NOW_QUIET(),
    "/verbose": people.NOW_VERBOSE(),
    "/usage": people.CHAT_TODAY.english.partition("{")[0],
    "/budget": people.LEFT_TODAY.english.partition("{")[0],
    "/model": people_models.CURRENT_MODEL.english.partition("{")[0],
    "/effort": people_models.CURRENT_MODEL.english.partition("{")[0],
    "/mode": people_groups.MODE_IN_PRIVATE(),
    "/whereami": people_groups.CHAT_ID.english.partition("{")[0],
    "/memory": people_accounts.NOTHING_REMEMBERED(),
    "/schedules": people_schedules.NO_SCHEDULES(),
    "/language": people_accounts.LANGUAGE_IS.english.partition("{")[0],
    "/timezone": people_schedules.TIME_ZONE_IS_OPERATORS.english.partition("{")[0],
    "/link": people_accounts.LINK_CODE.english.partition("{")[0],
    "/unlink": people_accounts.NOT_LINKED(),
    "/privacy": people_accounts.PRIVACY.english.partition("{")[0],
    "/forget": people_accounts.FORGET_USAGE(),
    "/people": "",  # a list that differs between platforms, and then how to change it
    "/pair": people_access.PAIR_USAGE(),
    "/groups": people.NO_GROUPS(),
}
ENDINGS: dict[str, str] = {"/people": people_access.PEOPLE_USAGE()}


def answers(text: str, command: str) -> bool:
    """Return True if a text is the answer to a command."""
    return text.startswith(ANSWERS[command]) and text.endswith(ENDINGS.get(command, ""))
