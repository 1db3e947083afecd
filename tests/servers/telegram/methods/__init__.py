"""The methods of the Bot API, by their names in lower case, as the platform finds them."""

from collections.abc import Callable
from typing import Any

from tests.servers.telegram.arguments import Arguments
from tests.servers.telegram.methods.account import ACCOUNT
from tests.servers.telegram.methods.answering import ANSWERING
from tests.servers.telegram.methods.changing import CHANGING
from tests.servers.telegram.methods.looking import LOOKING
from tests.servers.telegram.methods.sending import SENDING
from tests.servers.telegram.world import World

Method = Callable[[World, Arguments], Any]

METHODS: dict[str, Method] = {
    name.lower(): method
    for methods in (ACCOUNT, ANSWERING, CHANGING, LOOKING, SENDING)
    for name, method in methods.items()
}
COUNTED = frozenset({"sendmessage", "editmessagetext", "editmessagereplymarkup"})  # against the limits
