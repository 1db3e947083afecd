"""What operators are told of a setting's value, after its key: what is wrong, and what may stand there."""

from bot.core.texts import Text

NOT_PEOPLE = Text('must be a list of ids (whole numbers), or "*" for everybody')
NOT_RIGHTS = Text('must be "all", or a list of {rights}')
NOT_PEOPLE_OR_OTHERS = Text('must name ids (whole numbers, as in "123"), or "*" for all others who may talk')
NOT_A_WEB_ADDRESS = Text("must begin with http:// or https:// and name a host")
PASSWORD_IN_ADDRESS = Text("must not hold a name or password: keys and tokens have settings of their own")
NOT_A_SOCKET_ADDRESS = Text("must begin with ws:// or wss:// and name a host")
