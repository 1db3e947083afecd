"""Audit the shell: whether it has its sandbox, and what commands see and reach there."""

from collections.abc import Iterator
from pathlib import Path

from bot.core.named_hosts import EVERY_HOST, NamedHost, parse_named_hosts
from bot.core.sandbox import sandbox_fault
from bot.ops.audit import texts
from bot.ops.audit.subject import AuditedBot, Fault

PRIVATE_FOLDERS = ("/", "/boot", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/var")

# Domains below which each name may have another owner, as far as programs are likely to need them: those of countries,
# and those of services where anybody gets a name. A name for one's own uploads is a way out for what was read.
SECOND_LEVEL_OF_COUNTRIES = frozenset({"ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org"})
DOMAINS_OF_MANY = frozenset(
    (
        *("amazonaws.com", "cloudfront.net", "azurewebsites.net", "windows.net", "azureedge.net", "appspot.com"),
        *("run.app", "web.app", "firebaseapp.com", "googleusercontent.com", "storage.googleapis.com", "github.io"),
        *("githubusercontent.com", "gitlab.io", "netlify.app", "vercel.app", "pages.dev", "workers.dev", "r2.dev"),
        *("fly.dev", "herokuapp.com", "onrender.com", "ngrok.io", "ngrok-free.app", "trycloudflare.com"),
        *("blogspot.com", "wordpress.com", "nip.io", "sslip.io"),
    )
)


def find_missing_sandbox(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for all that is off because no sandbox can start here."""
    servers = [name for name, server in bot.config.mcp.servers.items() if server.is_program and server.sandbox]
    if not (bot.config.shell.enabled or servers) or not (reason := sandbox_fault()):
        return
    if bot.config.shell.enabled:
        yield Fault(text=texts.NO_SANDBOX(reason=reason), remedy=texts.MEND_SANDBOX)
    for name in servers:
        yield Fault(text=texts.MCP_NO_SANDBOX(server=name, reason=reason), remedy=texts.MEND_MCP_SANDBOX)


def find_shown_secrets(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each path that shows commands or MCP servers what is private."""
    config, file = bot.config, bot.loaded.path
    private = [config.data_dir, config.secrets_dir, config.swarm.roles_dir, config.swarm.groups_dir, file]
    paths = [("shell.programs", path) for path in config.shell.programs]
    for name, server in config.mcp.servers.items():
        paths += [(f"mcp.servers.{name}.folder", server.folder)] if server.folder else []
        paths += [(f"mcp.servers.{name}.read_only", path) for path in server.read_only]
    for key, path in paths:
        shown = next((each for each in filter(None, private) if is_beneath(each, path)), None)
        if shown:
            yield Fault(text=texts.SHELL_SHOWS(key=key, path=path, shown=shown), remedy=texts.SHOW_LESS)
        elif str(path.resolve()) in (*PRIVATE_FOLDERS, str(Path.home())):
            yield Fault(text=texts.SHELL_SHOWS_SYSTEM(key=key, path=path), remedy=texts.SHOW_LESS)


def find_wide_hosts(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each wildcard that stands for hosts of many owners, and for each server that reaches every host
    and is kept to no groups and no roles. A browser needs every host; kept apart, it has nothing to carry out."""
    named = {"shell.hosts": bot.config.shell.hosts}
    named |= {f"mcp.servers.{name}.hosts": server.hosts for name, server in bot.config.mcp.servers.items()}
    for key, hosts in named.items():
        for host in filter(is_of_many_owners, parse_named_hosts(hosts)):
            yield Fault(text=texts.WIDE_HOST(key=key, host=host), remedy=texts.NAME_FEWER_HOSTS)
    for name, server in bot.config.mcp.servers.items():
        if EVERY_HOST in server.hosts and server.groups is None and server.roles is None:
            yield Fault(text=texts.EVERY_HOST(server=name), remedy=texts.LIMIT_EVERY_HOST(server=name))


def is_of_many_owners(host: NamedHost) -> bool:
    above, _, top = host.name.rpartition(".")
    is_country = len(top) == 2 and above in SECOND_LEVEL_OF_COUNTRIES
    is_of_service = any(each == host.name or each.endswith(f".{host.name}") for each in DOMAINS_OF_MANY)
    return host.is_wildcard and (is_country or is_of_service)


def is_beneath(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
