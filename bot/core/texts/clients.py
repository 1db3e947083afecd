"""What clients read: programs that have roles work for them, and their models."""

from bot.core.texts import Text

MAY_NOT_DELEGATE = Text("the client {client!r} may have no roles work for it; the operator decides that in `clients`")
NO_SUCH_ROLE = Text("there is no role {role!r}; the roles are: {roles}")
NO_TASK = Text("`task` must say what is to be done")
TOO_LONG = Text("`{name}` has {length:,} characters; at most {most:,} are taken")
TOO_MANY_AT_WORK = Text("{most} delegations of yours are at work, and no more may be; wait for one, or cancel one")
NO_SUCH_DELEGATION = Text("you have no delegation {id!r}")
OTHER_VERSION = Text("the bot that runs is of version {running}, and this is {own}: restart the older one")
BOT_AWAY = Text("the bot is away; what was begun goes on when it runs again")
UNKNOWN_REQUEST = Text("there is no request {name!r}")
NOT_A_REQUEST = Text("not a valid request: {fault}")
