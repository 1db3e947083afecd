"""Back-ups: one file with everything that a bot has. It is written while the bot runs, and restored while none runs.

The file is a tar archive in gzip. It holds, in this order:

    manifest.json     the format, the version that made it, the time, and how much the database holds
    config.json       the config without its secrets
    bot.db            the database at one moment
    secrets/          only on request
    outgoing/         copies of the files that are on their way to a chat
    roles/ groups/ workspace/    the folders as they are
    contents.json     how much the archive holds, and what was left out; without this entry, the archive was cut off
"""

from typing import Final

from bot.core.outgoing_files import OUTGOING_FOLDER_NAME

MANIFEST_FILE: Final = "manifest.json"
CONFIG_FILE: Final = "config.json"
DATABASE_FILE: Final = "bot.db"
CONTENTS_FILE: Final = "contents.json"
SECRETS_FOLDER: Final = "secrets"
ROLES_FOLDER: Final = "roles"
GROUPS_FOLDER: Final = "groups"
LANGUAGES_FOLDER: Final = "languages"
SKILLS_FOLDER: Final = "skills"
TOOLS_FOLDER: Final = "tools"
WORKSPACE_FOLDER: Final = "workspace"
OUTGOING_FOLDER: Final = OUTGOING_FOLDER_NAME
ARCHIVE_FILES: Final = (MANIFEST_FILE, CONFIG_FILE, DATABASE_FILE, CONTENTS_FILE)
OPERATOR_FOLDERS: Final = (ROLES_FOLDER, GROUPS_FOLDER, LANGUAGES_FOLDER, SKILLS_FOLDER, TOOLS_FOLDER)
ARCHIVE_FOLDERS: Final = (SECRETS_FOLDER, *OPERATOR_FOLDERS, WORKSPACE_FOLDER, OUTGOING_FOLDER)
