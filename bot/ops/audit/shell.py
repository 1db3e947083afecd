"""Audit the shell: whether it has its sandbox, and what commands see there."""

from collections.abc import Iterator
from pathlib import Path

from bot.core.sandbox import sandbox_fault
from bot.ops.audit import texts
from bot.ops.audit.subject import AuditedBot, Fault

PRIVATE_FOLDERS = ("/", "/boot", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/var")


def find_missing_sandbox(bot: AuditedBot) -> Iterator[Fault]:
    if bot.config.shell.enabled and (reason := sandbox_fault()):
        yield Fault(text=texts.NO_SANDBOX(reason=reason), remedy=texts.MEND_SANDBOX)


def find_shown_secrets(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each path of `shell.programs` that shows commands what is private."""
    config, file = bot.config, bot.loaded.path
    private = [config.data_dir, config.secrets_dir, config.swarm.roles_dir, config.swarm.groups_dir, file]
    for path in config.shell.programs:
        shown = next((each for each in filter(None, private) if is_beneath(each, path)), None)
        if shown:
            yield Fault(text=texts.SHELL_SHOWS(path=path, shown=shown), remedy=texts.SHOW_LESS)
        elif str(path.resolve()) in (*PRIVATE_FOLDERS, str(Path.home())):
            yield Fault(text=texts.SHELL_SHOWS_SYSTEM(path=path), remedy=texts.SHOW_LESS)


def is_beneath(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
