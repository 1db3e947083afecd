"""Back-ups: one file with everything that a bot has. It is written while the bot runs, and restored while none runs.

The file is a tar archive in gzip. It holds, in this order:

    manifest.json     the format, the version that made it, the time, and how much the database holds
    config.json       the config without its secrets
    bot.db            the database at one moment
    secrets/          only on request
    roles/ groups/ workspace/    the folders as they are
    contents.json     how much the archive holds, and what was left out; without this entry, the archive was cut off
"""

from typing import Final

MANIFEST: Final = "manifest.json"
CONFIG: Final = "config.json"
DATABASE: Final = "bot.db"
CONTENTS: Final = "contents.json"
SECRETS: Final = "secrets"
ROLES: Final = "roles"
GROUPS: Final = "groups"
WORKSPACE: Final = "workspace"
FOLDERS: Final = (SECRETS, ROLES, GROUPS, WORKSPACE)
