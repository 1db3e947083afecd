"""The settings of clients: programs that have roles work for them."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from bot.core import setting_types as types
from bot.core.access import Access
from bot.core.clients import CLIENT_CHANNEL_NAME, LOCAL_CLIENT
from bot.core.messages import PersonId
from bot.core.prices import MILLION, Micros
from bot.core.rights import Right, Rights
from bot.core.settings_section import Section
from bot.core.texts import setting_values as texts

CLIENT_NAME_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]|_(?!_)){0,29}(?<!_)")
MIN_TOKEN_CHARACTERS = 32
DEFAULT_CLIENT_RIGHTS: Rights = frozenset({Right.TALK, Right.WEB, Right.DELEGATE})


class ApiScope(StrEnum):
    """What a client's token opens of the HTTP API."""

    SESSIONS = "sessions"  # what everybody has said, and what every role has done
    USAGE = "usage"
    HEALTH = "health"
    DELEGATE = "delegate"  # to begin delegations of its own, to see them and to cancel them


class ClientSettings(Section):
    rights: types.RightsSetting = DEFAULT_CLIENT_RIGHTS
    day_usd: types.Dollars = 1.0
    trust_tasks: bool = True
    scopes: tuple[ApiScope, ...] = ()
    token: Annotated[types.Secret, Field(min_length=MIN_TOKEN_CHARACTERS)] | None = None

    @property
    def day_micros(self) -> Micros:
        return Micros(max(1, round(self.day_usd * MILLION)))


def validate_client_names(clients: Mapping[str, ClientSettings]) -> Mapping[str, ClientSettings]:
    for name in clients:
        if not CLIENT_NAME_PATTERN.fullmatch(name):
            raise ValueError(texts.NOT_A_CLIENT_NAME)
    return clients


ClientsByName = Annotated[dict[str, ClientSettings], AfterValidator(validate_client_names)]


def access_of_clients(clients: Mapping[str, ClientSettings]) -> dict[str, Access]:
    """Return who may have roles work for them, by channel. The local client is the owner, as everybody is who may open
    the data folder, unless the settings give it rights of its own."""
    rights = {name: client.rights for name, client in clients.items()}
    owner = None if LOCAL_CLIENT in clients else PersonId(LOCAL_CLIENT)
    return {CLIENT_CHANNEL_NAME: Access(owner_id=owner, rights_by_id=rights)}
