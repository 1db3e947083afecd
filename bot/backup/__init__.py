"""Back-ups of all that one bot has: one file to write beside it while it runs, and to restore where none runs.

The file is a tar archive in gzip. In it, in this order:

    manifest.json     what it is, who made it and when, and what the database holds
    config.json       without the secrets that stood in it
    bot.db            copied as of one moment
    secrets/          only if that was asked for
    roles/ groups/ workspace/    as they lie
    contents.json     how much there is, and what was left out: an archive without it was cut off
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
