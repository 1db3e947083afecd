"""Which of the roles that the settings name somebody had in a server, when they last wrote to the bot there."""

import json
from collections.abc import Collection

from bot.core.messages import PersonId
from bot.store.connection import Connection


def save_server_roles(db: Connection, channel: str, group_chat: str, person: PersonId, roles: Collection[str]) -> None:
    whose = {"channel": channel, "group_chat": group_chat, "person": person}
    if roles:
        db.upsert("server_roles", **whose, roles=sorted(roles))
    else:
        sql = "DELETE FROM server_roles WHERE channel = ? AND group_chat = ? AND person = ?"
        db.execute(sql, tuple(whose.values()))


def find_server_roles(db: Connection, channel: str, group_chat: str, person: PersonId) -> frozenset[str]:
    sql = "SELECT roles FROM server_roles WHERE channel = ? AND group_chat = ? AND person = ?"
    row = db.fetch_row(sql, channel, group_chat, person)
    return frozenset(json.loads(row["roles"])) if row else frozenset()
