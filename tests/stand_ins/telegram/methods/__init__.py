"""The methods of the Bot API, by their names in lower case. The platform ignores case."""

from collections.abc import Callable
from typing import Any

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.methods.account import ACCOUNT
from tests.stand_ins.telegram.methods.answering import ANSWERING
from tests.stand_ins.telegram.methods.changing import CHANGING
from tests.stand_ins.telegram.methods.looking import LOOKING
from tests.stand_ins.telegram.methods.sending import SENDING
from tests.stand_ins.telegram.methods.uploading import UPLOADING
from tests.stand_ins.telegram.world import World

Method = Callable[[World, Arguments], Any]

METHODS: dict[str, Method] = {
    name.lower(): method
    for methods in (ACCOUNT, ANSWERING, CHANGING, LOOKING, SENDING, UPLOADING)
    for name, method in methods.items()
}
# Against the limits
COUNTED = frozenset(
    {"sendmessage", "sendphoto", "senddocument", "sendmediagroup", "editmessagetext", "editmessagereplymarkup"}
)
