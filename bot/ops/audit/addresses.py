"""What leaves this machine, or can be reached from others: addresses, certificates, and the program of voice notes."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from bot.config import exposure
from bot.core.mcp_settings import listening_place
from bot.ops.audit import texts
from bot.ops.audit.file_rights import find_open_paths
from bot.ops.audit.ownership import WRITE
from bot.ops.audit.subject import AuditedBot, Fault
from bot.store import schedules
from bot.store.schedules import Schedule

PAGE_CONDITION = "page_changed"


def find_unencrypted_addresses(bot: AuditedBot) -> Iterator[Fault]:
    for key, url in exposure.find_unencrypted_addresses(bot.config):
        parts = urlsplit(url)
        text = texts.UNENCRYPTED(key=key, scheme=parts.scheme, host=parts.hostname)
        yield Fault(text=text, remedy=texts.ENCRYPT(key=key, scheme=f"{parts.scheme}s"))


def find_proxy_password_in_clear(bot: AuditedBot) -> Iterator[Fault]:
    proxy = bot.config.network.proxy
    if proxy and exposure.proxy_password(bot.config):
        parts = urlsplit(proxy.get_secret_value())
        if parts.scheme == "http" and not exposure.is_this_machine(parts.hostname or ""):
            yield Fault(text=texts.PROXY_PASSWORD(host=parts.hostname), remedy=texts.ENCRYPT_PROXY)


def find_public_metrics(bot: AuditedBot) -> Iterator[Fault]:
    metrics = bot.config.metrics
    if metrics.port is not None and not exposure.is_this_machine(metrics.host):
        yield Fault(text=texts.METRICS_PUBLIC(host=metrics.host, port=metrics.port), remedy=texts.METRICS_LOCAL)


def find_public_mcp_server(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault if clients could connect from other machines: their tokens would cross the network in clear."""
    listen = bot.config.mcp.listen
    has_tokens = any(client.token for client in bot.config.clients.values())
    if has_tokens and not exposure.is_this_machine(listening_place(listen)[0]):
        yield Fault(text=texts.MCP_PUBLIC(address=listen), remedy=texts.MCP_LOCAL)


def find_public_page(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault if browsers could open the page from other machines: logins would cross the network in clear."""
    page = bot.config.web_page
    if not exposure.is_this_machine(page.host):
        yield Fault(text=texts.PAGE_PUBLIC(host=page.host, port=page.port), remedy=texts.PAGE_LOCAL)


def find_changeable_certificates(bot: AuditedBot) -> Iterator[Fault]:
    if file := bot.config.network.ca_file:
        yield from find_open_paths(bot, texts.CERTIFICATES, [file], WRITE)


def find_changeable_voice_program(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each file of the command of voice notes that a role or another user could change."""
    if not bot.config.voice.command:
        return
    program, *rest = bot.config.voice.command
    found = shutil.which(program)
    paths = [Path(each) for each in ([found] if found else []) + rest if Path(each).is_file()]
    for path in paths:
        for name, folder in bot.workspaces.items():
            if path.resolve().is_relative_to(folder.resolve()):
                yield Fault(text=texts.VOICE_IN_WORKSPACE(path=path, name=name), remedy=texts.MOVE_VOICE)
    for fault in find_open_paths(bot, texts.VOICE_PROGRAM, paths, WRITE):
        if fault.apply_fix:  # a program of this machine may belong to anybody
            yield Fault(text=fault.text, remedy=fault.remedy)


def find_unencrypted_pages(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each schedule that watches a page without encryption: anybody on the way could begin a run."""
    nothing: list[Schedule] = []
    for schedule in bot.read_rows(schedules.list_all_schedules, nothing):
        condition = schedule.condition or {}
        page = str(condition.get("what", ""))
        if condition.get("kind") == PAGE_CONDITION and urlsplit(page).scheme.lower() == "http":
            text = texts.PAGE_UNENCRYPTED(number=schedule.number, host=urlsplit(page).hostname)
            yield Fault(text=text, remedy=texts.MAKE_SCHEDULE_AGAIN)
