"""Names that no tool may write, because programs run such files with the rights of the person who starts them. They are
refused in every folder of the workspace, in upper or lower case, and behind links."""

import unicodedata
from itertools import product

from bot.core.errors import ToolError
from bot.core.texts import escape_unprintable
from bot.tools import texts

MAX_QUOTED_CHARACTERS = 100  # characters of a refused name

VERSION_CONTROL_FILES = ".git .gitconfig .gitmodules .githooks git~1 .hg .hgrc .svn .jj .bzr .husky .lfsconfig"
SHELL_FILES = (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout"
    " .kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .xsessionrc .inputrc .pam_environment"
    " .screenrc .tmux.conf profile.ps1 microsoft.powershell_profile.ps1 .config .local"
)
CREDENTIAL_FILES = (
    ".ssh .gnupg .aws .kube .docker .netrc .pgpass .my.cnf .rhosts .shosts .forward .git-credentials .password-store"
)
ENVIRONMENT_MANAGER_FILES = ".envrc .direnv .mise.toml mise.toml .mise .tool-versions .autoenv .autoenv.zsh"
PROGRAM_STARTUP_FILES = (
    ".npmrc .yarnrc .yarnrc.yml .pypirc .pythonrc .pythonrc.py .pythonstartup .pdbrc .irbrc .rprofile .gdbinit"
    " .lldbinit .psqlrc .sqliterc .curlrc .wgetrc .ripgreprc sitecustomize.py usercustomize.py"
)
EDITOR_FILES = (
    ".vscode .vscode-server .idea .fleet .zed .nova .devcontainer .devcontainer.json .vim .vimrc .gvimrc .exrc .nvimrc"
    " .nvim.lua .emacs .emacs.d .dir-locals.el .dir-locals-2.el"
)
CODING_AGENT_FILES = (
    "claude.md claude.local.md agents.md agents.override.md agent.md gemini.md qwen.md warp.md .claude .claude.json"
    " .mcp.json mcp.json .cursor .cursorrules .windsurf .windsurfrules .clinerules .roo .roorules .roomodes .kilocode"
    " .aider.conf.yml .continue .codex .gemini .qwen .junie .kiro .augment .opencode opencode.json opencode.jsonc"
    " .crush crush.json .goosehints .amazonq .trae .factory .agents .openhands .copilot copilot-instructions.md"
)
CI_AND_HOOK_FILES = (
    ".gitlab-ci.yml .circleci .travis.yml .drone.yml .woodpecker .woodpecker.yml .woodpecker.yaml .buildkite"
    " jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .pre-commit-config.yaml .pre-commit-config.yml"
    " lefthook.yml .lefthook.yml"
)
USER_CONFIG_FILE_LISTS = (
    *(VERSION_CONTROL_FILES, SHELL_FILES, CREDENTIAL_FILES),
    *(ENVIRONMENT_MANAGER_FILES, PROGRAM_STARTUP_FILES),
)
PROTECTED_NAMES = frozenset(
    " ".join((*USER_CONFIG_FILE_LISTS, EDITOR_FILES, CODING_AGENT_FILES, CI_AND_HOOK_FILES)).split()
)
CREDENTIAL_NAMES = frozenset((*CREDENTIAL_FILES.split(), ".env"))  # no tool sends these either
PROTECTED_ONLY_AS_FILES = frozenset({"head"})  # git takes a folder with this file, and a few others, for a repository
PROTECTED_NAME_ENDINGS = (".code-workspace", ".sublime-project", ".pth")
FORGE_FOLDERS = (".github", ".gitea", ".forgejo")  # people's files may be written there, but no files that are run
FOLDERS_RUN_BY_FORGES = ("workflows", "actions", "instructions", "prompts", "agents", "chatmodes", "hooks", "skills")
PROTECTED_SUBFOLDERS = frozenset({*product(FORGE_FOLDERS, FOLDERS_RUN_BY_FORGES), ("library", "launchagents")})


def reject_protected_name(above: str, name: str) -> None:
    """Raise ToolError if a file or folder of this name, in a folder named `above`, must not be written."""
    if is_protected_name(above, name):
        raise ToolError(protected_name_text(name))


def is_protected_name(above: str, name: str) -> bool:
    plain = normalise_file_name(name)
    if plain in PROTECTED_NAMES or plain.endswith(PROTECTED_NAME_ENDINGS):
        return True
    return (normalise_file_name(above), plain) in PROTECTED_SUBFOLDERS


def reject_protected_file(name: str) -> None:
    """Raise ToolError if a file of this name must not be written in any folder."""
    reject_protected_name("", name)
    if normalise_file_name(name) in PROTECTED_ONLY_AS_FILES:
        raise ToolError(protected_name_text(name))


def is_protected_entry(above: str, name: str, *, is_folder: bool) -> bool:
    """Return True if a file or folder of this name, in a folder named `above`, must not be written."""
    if is_protected_name(above, name):
        return True
    return not is_folder and normalise_file_name(name) in PROTECTED_ONLY_AS_FILES


def reject_credential_path(path: str) -> None:
    """Raise ToolError if a part of a path is the name of a file or folder with keys or passwords."""
    for name in path.split("/"):
        if normalise_file_name(name) in CREDENTIAL_NAMES:
            raise ToolError(texts.CREDENTIAL_NAME(name=escape_unprintable(name, MAX_QUOTED_CHARACTERS)))


def normalise_file_name(name: str) -> str:
    """Return the name as the most lenient file system reads it: no case, invisible signs, streams or final dots."""
    letters = (letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf")
    return "".join(letters).casefold().partition(":")[0].rstrip(". ")


def protected_name_text(name: str) -> str:
    return texts.PROTECTED_NAME(name=escape_unprintable(name, MAX_QUOTED_CHARACTERS))
