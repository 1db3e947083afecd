"""What is wrong with the value of a setting: the words that follow the setting's key or name."""

from bot.core.texts import Text

MUST_BE_BOOLEAN = Text("must be true or false")
MUST_BE_OBJECT = Text("must be a JSON object")
MUST_BE_NUMBER = Text("must be a number")
MUST_BE_WHOLE = Text("must be a whole number")
MUST_BE_SMALLER = Text("must be a smaller number")
MUST_BE_TEXT = Text("must be text")
MUST_BE_LIST = Text("must be a list")
MUST_NOT_BE_EMPTY = Text("must not be empty; leave the key out instead")
BYTES_NOT_UTF8 = Text("contains bytes that are not UTF-8 text; write the value again")
NULL_CHARACTER = Text("must not contain a null character")
NO_SUCH_HOME = Text("begins with ~, but the home folder that ~ stands for does not exist")
NO_TIME_ZONE = Text('is not a time zone; write, for example, "Europe/Berlin"')
NOT_SEARCH_LANGUAGES = Text("names languages whose word stems are not known ({names}); known are: {known}")
NOT_PEOPLE = Text('must be a list of people\'s ids (whole numbers), or "*" for everybody')
NOT_RIGHTS = Text('must be "all", or a list with any of these rights: {rights}')
NOT_PEOPLE_OR_OTHERS = Text(
    'must name people by ids (whole numbers, for example "123"), or "*" for everybody else who may talk to the bot'
)
ROLES_ALIKE = Text("contains two roles whose names differ only in case")
PORT_AND_SOCKET = Text("must name either a port or a socket, not both")
SERVER_AND_COMMAND = Text("must name either a base_url or a command, not both")
NO_PLACE_FOR_FILE = Text('needs "{placeholder}" in its command after the program: the path of the recording goes there')
NOT_A_WEB_ADDRESS = Text("must begin with http:// or https:// and name a host")
PASSWORD_IN_ADDRESS = Text("must not contain a name or password: keys and tokens have settings of their own")
NOT_A_SOCKET_ADDRESS = Text("must begin with ws:// or wss:// and name a host")
NOT_A_PROXY = Text("must look like http://host:port, or http://name:password@host:port")
NOT_A_DOMAIN = Text('must name domains, such as "example.org", and {name} is none: no scheme, no path, no star')
NOT_A_NAMED_HOST = Text(
    'must name hosts, such as "example.org", "*.example.org" or "example.org:8080", and {name} is none'
)
HOSTS_WITHOUT_SANDBOX = Text("names hosts, which only a program in the sandbox and without `network` has a proxy for")
ALLOWED_AND_BLOCKED = Text("must have either allowed_domains or blocked_domains, not both")
NOT_A_SERVER_NAME = Text(
    "must name each server with small letters, digits, - and single _, at most 30, and without _ at the end"
)
NOT_A_CLIENT_NAME = Text(
    "must name each client with small letters, digits, - and single _, at most 30, and without _ at the end"
)
NOT_A_LISTENING_ADDRESS = Text("must be an address and a port, such as 127.0.0.1:8790")
NOT_A_PATTERN = Text("must be a regular expression")
CRITICAL_AND_NOT = Text("declares an argument critical and uncritical")
PROGRAM_OR_ADDRESS = Text("must have either a command or a url")
NOT_OF_THIS_SERVER = Text("has settings that mean nothing for it: {keys}")
