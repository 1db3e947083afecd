"""What `retinue doctor --audit` says: what each check demands, what is wrong, and how to fix it."""

from bot.core.texts import Plural, Text

# What each check demands, by its id: the table in docs/security.md is held to these

TITLES: dict[str, Text] = {
    "A01": Text("nobody else can change the config file"),
    "A02": Text("nobody else can read a config file with a secret in it"),
    "A03": Text("secrets stand in files of their own, not in the config file"),
    "A04": Text("nobody else can read or change the secret files"),
    "A05": Text("nobody else can read or change a .env file beside the config"),
    "A06": Text("nobody else can open the data folder"),
    "A07": Text("nobody else can read or change the database and the logs"),
    "A08": Text("nobody else can write in a workspace"),
    "A09": Text("nobody else can change roles, groups, languages and skills"),
    "A10": Text("nobody else can replace one of these folders by another"),
    "A11": Text("nobody else can change the program and the tools of your own"),
    "A12": Text("the bot does not run as root"),
    "A13": Text("no workspace is a home folder or a system folder"),
    "A14": Text("no workspace holds the config, data, secrets, roles, groups, languages or the program"),
    "A15": Text("no workspace holds a file that looks like a secret"),
    "A16": Text("no workspace lies in another one"),
    "A17": Text("no link leads out of a workspace"),
    "A18": Text("no git repository in a workspace runs commands of its own"),
    "A19": Text("no back-up lies in a workspace"),
    "A20": Text("addresses of other machines are encrypted"),
    "A21": Text("the proxy's password does not cross the network in clear"),
    "A22": Text("the metrics are open to this machine alone"),
    "A23": Text("nobody else can change the certificates that the bot trusts"),
    "A24": Text("no role and nobody else can change the program of voice notes"),
    "A25": Text("no schedule watches a page without encryption"),
    "A26": Text("no channel is open to everybody"),
    "A27": Text("every channel has an owner"),
    "A28": Text("people that the settings do not name have a guest's rights at most"),
    "A29": Text("nobody but an owner may use the web and read files"),
    "A30": Text("nobody but an owner may use the shell"),
    "A31": Text("no guest was given more rights in a chat"),
    "A32": Text("the bot does not answer everything in a group chat that is open to everybody"),
    "A33": Text("no other bot beside this one has its token"),
    "A34": Text("the limits on money are not far above the defaults"),
    "A35": Text("every model has a price, so that the limits hold"),
    "A36": Text("others cannot use up the whole day's money"),
    "A37": Text("no role or group of yours names tools of the web and tools that read what is private"),
    "A38": Text("roles and groups name only tools that exist"),
    "A39": Text("no role, group or language has characters that nobody sees"),
    "A40": Text("replaced data of a restore is not kept for long"),
    "A41": Text("nobody else can read a back-up"),
    "A42": Text("no copy of the config file keeps a secret"),
    "A43": Text("no log holds a secret of the settings"),
    "A44": Text("the data folder is on a disk of this machine"),
    "A45": Text("data, config and secrets are in no folder that is shared"),
    "A46": Text("a tenant's Compose file is as strict as the template"),
    "A47": Text("a tenant's systemd units are as strict as the template"),
    "A48": Text("a tenant's Kubernetes manifests are as strict as the template"),
    "A49": Text("the shell and MCP servers are off, or have their sandbox"),
    "A50": Text("commands and MCP servers are shown no folder with settings or secrets"),
    "A51": Text("every MCP server that is a program runs in the sandbox"),
    "A52": Text("no role and nobody else can change the program of an MCP server"),
    "A53": Text("no MCP server hides characters in what it says of its tools"),
    "A54": Text("calls that rest on words of others wait for a person"),
    "A55": Text("the MCP server is open to this machine alone"),
    "A56": Text("no trusted program has the shell, or the web and files"),
    "A57": Text("the hosts that programs may reach are named narrowly"),
    "A58": Text("the page in a browser is open to this machine alone"),
}
FINDING = Text("{id} {text}")
MORE = Plural("{count} more of the same", "{count} more of the same")
AS_ABOVE = Text("do the same as above")
NOT_CHECKED = Text("{path}: {reason}")
MEND_RIGHTS = Text("run the audit as a user who can read this")

# Names of paths

WORKSPACE = Text("workspace")
WORKSPACE_OF_GROUP = Text("workspace of the group {group}")
CONFIG_FILE = Text("config file")
CONFIG_FILE_WITH_SECRET = Text("config file with a secret")
SECRETS_FOLDER = Text("folder of secrets")
SECRET_FILE = Text("secret file")
ENVIRONMENT_FILE = Text(".env file")
DATA_FOLDER = Text("data folder")
DATA_FILE = Text("file of the data folder")
OWN_TOOL = Text("tool of your own")
OPERATOR_FILE = Text("role, group, language or skill")
FOLDER_OF = Text("folder {key}")
PROGRAM = Text("program")
CERTIFICATES = Text("certificates")
VOICE_PROGRAM = Text("program of voice notes")
BACKUP = Text("back-up")
ROLE = Text("role {name}")
GROUP = Text("group {name}")

# Who may read and change what

CAN_CHANGE = Text("{what}: {who} can change {path}")
CAN_READ = Text("{what}: {who} can open {path}")
EVERYBODY = Text("everybody on this machine")
ITS_GROUP = Text("the Unix group {group}")
OF_ANOTHER_USER = Text("its owner, the user {user},")
CHANGE_MODE = Text("chmod {mode:o} {path}")
LOOK_AT_LINK = Text("it is a link, or has several names: chmod {mode:o} {path} if nobody else has put it there")
CHANGE_OWNER = Text("chown {user} {path}, unless that user should")
SECRET_IN_CONFIG = Text("config file: a key, a token or a proxy's password stands in {path}")
MOVE_TO_SECRET_FILE = Text("move it into a file in secrets/, as docs/configuration.md says; retinue setup does it too")
PARENT_OPEN = Text("others can write in {folder}, so they can replace {path}")
CLOSE_PARENT = Text("chmod go-w {folder}, or move the files elsewhere")
RUNS_AS_ROOT = Text(
    "the bot's data belongs to root, so the bot runs as root, and a fault in it opens the whole machine"
)
USE_OWN_USER = Text("run it as a user of its own: chown the config, data and workspace to that user")

# Workspaces

WORKSPACE_IS_SYSTEM = Text("{name}: {folder} is, holds or lies in a home folder or a folder of the system")
OWN_FOLDER = Text("give the workspace a separate folder")
HOLDS_GUARDED = Text("{name}: it holds {path} ({what}), which decides what the bot does")
SECRET_IN_WORKSPACE = Text("{name}: {path} looks like a secret, and roles can read it")
MOVE_OUTSIDE = Text("move the secret to a folder outside the workspace")
WORKSPACES_OVERLAP = Text("{name} ({folder}) and {other} ({place}) share files, so there is no wall between them")
SEPARATE_WORKSPACES = Text("give each a folder that is in no other workspace")
LINK_OUTSIDE = Text("{name}: the link {path} leads out of it; roles cannot follow it, but other programs do")
COPY_INSTEAD_OF_LINK = Text("remove the link, or put a copy there")
GIT_RUNS_COMMANDS = Text(
    "{name}: {path} runs commands when somebody uses git there, and roles can change what they run"
)
NO_GIT_COMMANDS = Text("take it out, or use git there only from a clone elsewhere")
BACKUP_IN_WORKSPACE = Text("{name}: {path} is a back-up with everybody's conversations, and roles can read it")
MOVE_OUTSIDE_BACKUP = Text("move the back-up outside the workspace")

# Addresses

UNENCRYPTED = Text("{key} begins with {scheme}:// and leads to another machine ({host}): keys and messages can be read")
ENCRYPT = Text("set {key} to an address that begins with {scheme}://, or use a server on this machine")
PROXY_PASSWORD = Text("network.proxy begins with http://, so its password goes to {host} in clear")
ENCRYPT_PROXY = Text("use a proxy with https://, one on this machine, or one without a password")
METRICS_PUBLIC = Text(
    "metrics.host is {host}, so other machines can read the metrics on port {port} without a password"
)
MCP_PUBLIC = Text("mcp.listen: other machines can reach {address}, and tokens of clients cross the network in clear")
MCP_LOCAL = Text("set mcp.listen to 127.0.0.1, and let a proxy with TLS connect to it (docs/mcp-server.md)")
PAGE_PUBLIC = Text("web_page.host: other machines can reach {host}:{port}, and logins cross the network in clear")
PAGE_LOCAL = Text("set web_page.host to 127.0.0.1, and use a tunnel or a proxy with TLS (docs/web-page.md)")
METRICS_LOCAL = Text("set metrics.host to 127.0.0.1, or use metrics.socket")
VOICE_IN_WORKSPACE = Text("voice.command: {path} lies in a workspace ({name}), so a role can change what runs")
MOVE_VOICE = Text("move it outside the workspace")
PAGE_UNENCRYPTED = Text(
    "schedule {number} watches a page of {host} without encryption, so others can change what it sees"
)
MAKE_SCHEDULE_AGAIN = Text("have its person make it again with an address that begins with https://")

# MCP servers

MCP_OUTSIDE = Text("MCP server {server}: its program can read and change all that the bot can, keys included")
MCP_INSIDE = Text("take sandbox: false out, if a sandbox can start here")
MCP_PROGRAM = Text("program of the MCP server {server}")
MCP_IN_WORKSPACE = Text("MCP server {server}: {path} lies in a workspace ({name}), so a role can change what runs")
MCP_HIDDEN = Plural(
    "{tool}: its description has hidden {count} character, which was taken out; it says: {text}",
    "{tool}: its description has hidden {count} characters, which were taken out; it says: {text}",
)
MCP_LOOK = Text("look at the server, and take it out if it is not to be trusted: {command}")

# People

OPEN_TO_EVERYBODY = Text("{channel}: everybody there may talk with the bot, at your cost")
LIST_PEOPLE = Text("list the people in channels.{channel}.allow_from, unless everybody should")
NO_OWNER = Text("{channel}: there is no owner, so nobody decides there about strangers, groups and risky calls")
SET_OWNER = Text("set channels.{channel}.owner to your numeric id, or run {command}")
OTHERS_HAVE_MORE = Text("{channel}: people who are not named have more than talk and web: {rights}")
NAME_PEOPLE = Text('give these rights to ids of people in channels.{channel}.people, and take them from "*"')
WEB_AND_FILES = Text("{channel}: {id} is no owner and may use the web and read files, so a page can ask for a file")
TAKE_ONE_RIGHT = Text("take one of both from channels.{channel}.people.{id}, unless you trust them as yourself")
HAS_SHELL = Text("{channel}: {id} is no owner and may use the shell")
TAKE_SHELL = Text("take shell from channels.{channel}.people.{id}, unless you trust them as yourself")
CLIENT_HAS_MUCH = Text("clients.{client} may {rights}, and what it asks for is done, also if a page has fooled it")
LIMIT_CLIENT = Text("set clients.{client}.trust_tasks to false, or take the shell, and the web or files, from it")
GUEST_HAS_MORE = Text("{channel}: {id} was given in a chat: {rights}")
CHANGE_GUEST = Text("the owner changes it in private with the bot: /people {channel} {id}")
ALWAYS_ANSWERS = Text("{chat} “{title}”: everybody there may talk, and the bot answers every message")
ANSWER_IF_MENTIONED = Text("write /mode mentioned there")
TOKEN_OF_OTHER_BOT = Text("the bot in {folder} has the same token, so both take each other's messages")
OWN_TOKENS = Text("make a bot account for each")

# Money

LIMIT_HIGH = Text("{key} is ${dollars:g}: a mistake or an attack may cost that much")
LOWER_LIMIT = Text("set {key} to ${usual:g} or less, unless you need more")
SET_PRICES = Text("set model.prices for it, as docs/configuration.md says")
DAY_OF_OTHERS = Text("one person may use all of the day's money, and nothing is kept for the owner")
SET_SHARES = Text("set limits.person_day_percent below 100, or limits.owner_reserve_percent above 0")

# Roles and groups

WEB_AND_PRIVATE = Text("{name} names {web} and {private}: a page can tell it to send out what it reads")
SPLIT_ROLE = Text("make two roles of {name}: one with the web, one that reads")
ROLES_UNREADABLE = Text("the roles cannot be read: {fault}")
MEND_ROLE = Text("fix that error: until then, the bot does not start")
NO_SUCH_TOOLS = Text("{name} names tools that do not exist: {tools}; it would get a later tool of that name")
TAKE_OUT = Text("remove them from its list of tools")
HIDDEN_CHARACTER = Text("{path}: line {line} has a character that nobody sees and a model reads ({code})")
TAKE_OUT_CHARACTERS = Text("read the line in an editor that shows such characters, and remove them")

# What lies around

REPLACED_DATA = Text("{path} has the conversations and files that a restore replaced {days} days ago")
DELETE_IT = Text("delete that folder if nobody misses anything")
COPY_WITH_SECRET = Text("{path} is a copy of the config file with a secret in it")
DELETE_COPY = Text("delete that copy")
SECRET_IN_LOG = Text("{path} holds a secret of the settings")
REPLACE_SECRET = Text("get a new key or token where it is from, and delete the log")
DATA_ON_NETWORK = Text("data folder: {folder} is on a network ({kind}), where locks fail and others may read it")
LOCAL_DISK = Text("set data_dir to a folder on a disk of this machine")
IN_SHARED_FOLDER = Text("{path} lies in {folder}, which is copied to other machines or offered to others")
OTHER_PLACE = Text("move it to a folder that is not shared")

# The shell

GATE_IS_OPEN = Text("approvals.enabled is false: a page that the model reads can have it send and delete things")
CLOSE_GATE = Text("take it out of the config")
NO_SANDBOX = Text("shell.enabled is true, but there is no sandbox, so no role has the shell: {reason}")
MCP_NO_SANDBOX = Text("MCP server {server} is off, because there is no sandbox: {reason}")
MEND_MCP_SANDBOX = Text("fix that, or remove the server")
MEND_SANDBOX = Text("fix that, or set shell.enabled to false")
SHELL_SHOWS = Text("{key}: {path} is shown to programs, and {shown} is in it")
WIDE_HOST = Text("{key}: {host} stands for hosts of many owners, and anybody may have one of them")
EVERY_HOST = Text("mcp.servers.{server}.hosts: it reaches every host, and every group and role may use it")
LIMIT_EVERY_HOST = Text("set mcp.servers.{server}.groups or roles to those that need it, or name the hosts")
NAME_FEWER_HOSTS = Text("name the hosts that are needed, each with its whole name")
SHELL_SHOWS_SYSTEM = Text("{key}: {path} is shown to programs, and holds what is private on this machine")
SHOW_LESS = Text("name only the folder that these programs need")

# How a tenant runs

LESS_STRICT = Text("{path}: {what} is less strict than the template")
WRITE_AGAIN = Text("undo that change; upgrade-tenant writes the files again")
