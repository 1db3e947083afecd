"""How each check of the audit is broken, and mended by hand where `--fix` does not mend it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.core.group_chats import ChatMode
from bot.core.mcp_tools import ListedTool
from bot.core.messages import Address, PersonId, Sender
from bot.core.prices import Micros
from bot.core.rights import EVERY_RIGHT, Right
from bot.schedules.rules import ScheduleRule
from bot.store import group_chats, group_starts, guests, mcp_tools, schedules
from bot.store.group_starts import GroupDecision
from bot.store.schedules import Schedule
from tests.ops.audit.audited_place import KEY, MOUNTS, ORDINARY_USER, TOKEN, AuditedPlace, backup_archive
from tests.ops.audit.tenant_files import loosened, with_drop_in

NOW = datetime(2026, 11, 28, tzinfo=UTC)
Undo = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Break:
    """Something to break. `break_it` returns how to mend it by hand, or None if `--fix` mends it."""

    id: str
    words: str
    break_it: Callable[[AuditedPlace], Undo | None]
    is_mended_by_fix: bool = False
    also: frozenset[str] = frozenset()  # the ids of other checks that find the same

    def __str__(self) -> str:
        return f"{self.id} {self.words}"


def opened(name: str, mode: int) -> Callable[[AuditedPlace], None]:
    """Give a path of the place a mode. --fix mends it."""

    def break_it(place: AuditedPlace) -> None:
        (place.folder / name).chmod(mode)

    return break_it


def with_mode(name: str, mode: int, content: str | bytes = "x") -> Callable[[AuditedPlace], None]:
    """Write a file with a mode. --fix mends it."""

    def break_it(place: AuditedPlace) -> None:
        place.write(name, content, mode)

    return break_it


def with_own_tool(file_mode: int, folder_mode: int) -> Callable[[AuditedPlace], None]:
    """Write a tool of the operator's own, with these modes. --fix mends them."""

    def break_it(place: AuditedPlace) -> None:
        path = place.write("tools/dice.py", "TOOLS = []", file_mode)
        path.parent.chmod(folder_mode)
        place.configure(tools_dir="tools")

    return break_it


def by_fix(id: str, words: str, break_it: Callable[[AuditedPlace], Undo | None], *also: str) -> Break:
    return Break(id, words, break_it, is_mended_by_fix=True, also=frozenset(also))


def by_settings(id: str, words: str, *also: str, **values: Any) -> Break:
    """Return a break by settings, which is mended by those of before."""

    def break_it(place: AuditedPlace) -> Undo:
        before = dict(place.values)

        def undo() -> None:
            place.values = before
            place.configure()

        place.configure(**values)
        return undo

    return Break(id, words, break_it, also=frozenset(also))


def by_hand(id: str, words: str, break_it: Callable[[AuditedPlace], Undo], *also: str) -> Break:
    return Break(id, words, break_it, also=frozenset(also))


def telegram(**values: Any) -> dict[str, Any]:
    return {"telegram": {"enabled": True, "owner": 7, **values}}


def by_file(id: str, words: str, name: str, content: str | bytes = "x", *also: str, mode: int = 0o600) -> Break:
    """Return a break by a file that lies there. It is mended when the operator deletes it."""

    def break_it(place: AuditedPlace) -> Undo:
        path = place.write(name, content, mode)
        return path.unlink

    return Break(id, words, break_it, also=frozenset(also))


def without_bubblewrap(**sections: Any) -> Callable[[AuditedPlace], Undo]:
    def break_it(place: AuditedPlace) -> Undo:
        path = os.environ["PATH"]
        os.environ["PATH"] = str(place.folder)
        place.configure(**sections)

        def undo() -> None:
            os.environ["PATH"] = path

        return undo

    return break_it


def secret_in_config(mode: int) -> Callable[[AuditedPlace], Undo]:
    def break_it(place: AuditedPlace) -> Undo:
        place.configure(model={"api_key": KEY})
        (place.folder / "config.json").chmod(mode)
        return lambda: place.configure(model={})

    return break_it


def loose_parent(place: AuditedPlace) -> Undo:
    place.folder.chmod(0o777)
    return lambda: place.folder.chmod(0o755)


def loose_program(place: AuditedPlace) -> None:
    (place.program / "bot/tenants/templates/compose.yaml").chmod(0o666)


def root(place: AuditedPlace) -> Undo:
    place.user = 0

    def undo() -> None:
        place.user = ORDINARY_USER

    return undo


def workspace_at(path: str) -> Callable[[AuditedPlace], Undo]:
    """Move the workspace; `{at}` is the folder above that of the bot, which is a home folder."""

    def break_it(place: AuditedPlace) -> Undo:
        place.configure(workspace=path.format(at=place.folder.parent))
        return lambda: place.configure(workspace="workspace")

    return break_it


def group_with_workspace_at(path: str) -> Callable[[AuditedPlace], Undo]:
    """Link the workspace of the group elsewhere."""

    def break_it(place: AuditedPlace) -> Undo:
        workspace = place.folder / "groups/home/workspace"
        workspace.rmdir()
        workspace.symlink_to(path.format(bot=place.folder, program=place.program))

        def undo() -> None:
            workspace.unlink()
            workspace.mkdir(mode=0o700)

        return undo

    return break_it


def link_outside(place: AuditedPlace) -> Undo:
    link = place.workspace / "notes/passwords"
    link.parent.mkdir(mode=0o700)
    link.symlink_to("/etc/passwd")
    return link.unlink


def git_hook(place: AuditedPlace) -> Undo:
    return place.write("workspace/project/.git/hooks/pre-commit", "#!/bin/sh\n", 0o700).unlink


def loose_certificates(place: AuditedPlace) -> None:
    place.write("ca.pem", "x", 0o666)
    place.configure(network={"ca_file": "ca.pem"})


def voice_program(name: str, mode: int) -> Callable[[AuditedPlace], Undo]:
    def break_it(place: AuditedPlace) -> Undo:
        path = place.write(name, "#!/bin/sh\n", mode)
        place.configure(voice={"command": [str(path), "{file}"]})
        return lambda: place.configure(voice={})

    return break_it


def server_program(name: str, mode: int) -> Callable[[AuditedPlace], Undo]:
    def break_it(place: AuditedPlace) -> Undo:
        path = place.write(name, "#!/bin/sh\n", mode)
        place.configure(mcp={"servers": {"mail": {"command": "sh", "args": [str(path)]}}})
        return lambda: place.configure(mcp={})

    return break_it


def server_with_hidden_words(place: AuditedPlace) -> Undo:
    tool = ListedTool(server="mail", name="find", description="Finds.", input_schema={}, hash="1", hidden_characters=9)
    with place.rows() as db:
        mcp_tools.save_listed_tool(db, tool, NOW, is_accepted=True)
    place.configure(mcp={"servers": {"mail": {"url": "https://mail.example/mcp"}}})
    return lambda: place.configure(mcp={})


def schedule_of_open_page(place: AuditedPlace) -> Undo:
    schedule = Schedule(
        key="t1/1/0",
        address=Address(channel="telegram", chat="7"),
        group_chat=None,
        person=PersonId("7"),
        name="Ann",
        zone="",
        rule=ScheduleRule(once=NOW),
        is_reminder=False,
        text="look",
        is_silent=False,
        condition={"kind": "page_changed", "what": "http://news.example/today"},
        run_micros=Micros(1),
        day_micros=Micros(1),
        made_at=NOW,
        changed_at=NOW,
    )
    with place.rows() as db:
        number = schedules.add_schedule(db, schedule)

    def undo() -> None:
        with place.rows() as db:
            schedules.delete_schedule_for_good(db, number)

    return undo


def guest_with_files(place: AuditedPlace) -> Undo:
    with place.rows() as db:
        guests.add_guest(db, "telegram", Sender(id=PersonId("99"), name="Sam"), "Ann", NOW)
        guests.save_granted_rights(db, "telegram", "99", EVERY_RIGHT, "Ann", NOW)

    def undo() -> None:
        with place.rows() as db:
            guests.save_granted_rights(db, "telegram", "99", frozenset({Right.TALK}), "Ann", NOW)

    return undo


def open_chat_in_mode_always(place: AuditedPlace) -> Undo:
    chat = Address(channel="telegram", chat="-1001234")
    with place.rows() as db:
        group_starts.add_group_start(db, "telegram", "-1001234", chat, "Team", NOW)
        group_starts.save_group_decision(db, "telegram", "-1001234", GroupDecision.EVERYBODY, NOW)
        group_chats.save_chat_mode(db, chat, ChatMode.ALWAYS, NOW)

    def undo() -> None:
        with place.rows() as db:
            group_chats.save_chat_mode(db, chat, ChatMode.MENTIONED, NOW)

    return undo


def other_bot_with_token(place: AuditedPlace) -> Undo:
    other = place.folder.with_name("other")
    (other / "secrets").mkdir(parents=True)
    (other / "config.json").write_text("{}")
    (other / "secrets/channels__telegram__token").write_text(TOKEN)
    return (other / "secrets/channels__telegram__token").unlink


def old_replaced_data(place: AuditedPlace) -> Undo:
    stamp = f"{datetime.now(UTC) - timedelta(days=9):%Y%m%d-%H%M%S}"
    folder = place.data / f"before-restore-{stamp}"
    folder.mkdir(mode=0o700)
    return folder.rmdir


def data_on_network(place: AuditedPlace) -> Undo:
    line = f"40 22 0:50 / {place.data} rw - nfs4 nas:/data rw\n"
    place.mounts.write_text(MOUNTS + line)
    return lambda: place.mounts.write_text(MOUNTS)


def data_in_dropbox(place: AuditedPlace) -> Undo:
    for name in ("Dropbox", "Dropbox/data"):
        (place.folder / name).mkdir(mode=0o700)
    place.configure(data_dir="Dropbox/data")
    return lambda: place.configure(data_dir="data")


ROLE = "---\ndescription: Cooks.\n{keys}\n---\nYou cook.{more}\n"
OTHER_WEB = "tools: [web_fetch, read_file]"
FOREIGN = "tools: Read, TodoWrite"

BREAKS = [
    by_fix("A01", "config file", opened("config.json", 0o666)),
    by_fix("A02", "config file with a key", secret_in_config(0o644), "A03"),
    by_hand("A03", "key", secret_in_config(0o600)),
    by_fix("A04", "folder", opened("secrets", 0o777)),
    by_fix("A04", "file", opened("secrets/model__api_key", 0o602)),
    by_fix("A05", ".env", with_mode(".env", 0o644)),
    by_fix("A06", "data", opened("data", 0o755)),
    by_fix("A07", "database", with_mode("data/bot.db", 0o644)),
    by_fix("A07", "log", with_mode("data/retinue.log", 0o604)),
    by_fix("A08", "workspace", opened("workspace", 0o777)),
    by_fix("A08", "workspace of a group", opened("groups/home/workspace", 0o702)),
    by_fix("A09", "role", with_mode("roles/cook.md", 0o606, ROLE.format(keys="", more=""))),
    by_fix("A09", "group", opened("groups/home/instructions.md", 0o666)),
    by_fix("A09", "folder of languages", opened("languages", 0o777)),
    by_fix("A09", "words for acts", with_mode("languages/acts/fr.toml", 0o606)),
    by_fix("A09", "skill", with_mode("skills/a/SKILL.md", 0o666)),
    by_hand("A10", "folder above", loose_parent),
    by_fix("A11", "program", loose_program),
    by_fix("A11", "file of an own tool", with_own_tool(0o666, 0o700)),
    by_fix("A11", "folder of own tools", with_own_tool(0o600, 0o777)),
    by_hand("A12", "root", root),
    by_hand("A13", "home folder", workspace_at("{at}/home")),
    by_hand("A13", "folder of the system", workspace_at("/usr/share/nobody-has-this")),
    by_hand("A14", "languages", group_with_workspace_at("{bot}/languages")),
    by_hand("A14", "program", group_with_workspace_at("{program}")),
    by_hand("A14", "all", group_with_workspace_at("{bot}"), "A15", "A16"),
    by_file("A15", "key file", "workspace/keys/id_ed25519"),
    by_hand("A16", "workspace in workspace", group_with_workspace_at("{bot}/workspace")),
    by_hand("A17", "link", link_outside),
    by_hand("A18", "hook", git_hook),
    by_file("A18", "config", "workspace/.git/config", '[core]\n\tfsmonitor = "touch PWNED; false"\n'),
    by_file("A19", "back-up", "workspace/old.tar.gz", backup_archive()),
    by_settings("A20", "model", model={"base_url": "http://gateway.lan:4000", "base_url_is_anthropic": True}),
    by_settings("A21", "proxy", "A03", network={"proxy": "http://ann:password@proxy.lan:3128"}),
    by_settings("A22", "metrics", metrics={"host": "0.0.0.0", "port": 9464}),
    by_fix("A23", "certificates", loose_certificates),
    by_hand("A24", "in the workspace", voice_program("workspace/hear", 0o700)),
    by_hand("A24", "open to all", voice_program("tools/hear", 0o777)),
    by_hand("A25", "page", schedule_of_open_page),
    by_settings("A26", "everybody", channels=telegram(allow_from="*")),
    by_settings("A27", "no owner", channels=telegram(owner=None, allow_from=[8])),
    by_settings("A28", "others", channels=telegram(people={"*": ["talk", "web", "memory"]})),
    by_settings("A29", "web and files", channels=telegram(people={"8": ["talk", "web", "read files"]})),
    by_settings("A30", "shell", channels=telegram(people={"8": ["talk", "shell"]})),
    by_hand("A31", "guest", guest_with_files),
    by_hand("A32", "always", open_chat_in_mode_always),
    by_hand("A33", "other bot", other_bot_with_token),
    by_settings("A34", "day", limits={"day_usd": 5000}),
    by_settings("A35", "model", model={"lead": "qwen"}),
    by_settings(
        "A36",
        "whole day",
        channels=telegram(allow_from=[8]),
        limits={"person_day_percent": 100, "owner_reserve_percent": 0},
    ),
    by_file("A37", "role", "roles/cook.md", ROLE.format(keys=OTHER_WEB, more="")),
    by_settings("A37", "preset", swarm={"roles": {"writer": {"tools": ["web_search", "memory_search"]}}}),
    by_file("A37", "group", "groups/home/instructions.md", f"---\naddress: telegram:5\n{OTHER_WEB}\n---\nYou."),
    by_file("A38", "unknown tool", "roles/cook.md", ROLE.format(keys=FOREIGN, more="")),
    by_file("A38", "unreadable", "roles/cook.md", ROLE.format(keys="tools: [read_flie]", more="")),
    by_file("A39", "tag characters", "roles/cook.md", ROLE.format(keys="", more="\U000e0053\U000e0045")),
    by_file("A39", "override", "roles/cook.md", ROLE.format(keys="", more="a\u202eb")),
    by_settings("A39", "preset", swarm={"roles": {"cook": {"system_prompt": "You\u200b cook."}}}),
    by_hand("A40", "restore", old_replaced_data),
    by_fix("A41", "back-up", with_mode("backups/old.tar.gz", 0o644, backup_archive())),
    by_file("A42", "copy", "config.json.bak", KEY),
    by_file("A43", "log", "data/retinue.log.1", f"telegram says {TOKEN}\n"),
    by_hand("A44", "network", data_on_network),
    by_hand("A45", "Dropbox", data_in_dropbox),
    by_hand("A46", "root file system", loosened("compose", "compose.yaml", "read_only: true #", "read_only: false #")),
    by_hand("A47", "unit", loosened("systemd", "systemd/retinue@.service", "ProtectHome=yes", "ProtectHome=no")),
    by_hand("A47", "second drop-in", with_drop_in("[Service]\nNoNewPrivileges=no\n")),
    by_hand("A49", "no bubblewrap", without_bubblewrap(shell={"enabled": True})),
    by_hand("A49", "server", without_bubblewrap(mcp={"servers": {"notes": {"command": "/bin/cat"}}})),
    by_settings("A50", "folder of the system", shell={"programs": ["/etc"]}),
    by_settings("A50", "its own folder", shell={"programs": ["."]}),
    by_settings("A50", "server's folder", mcp={"servers": {"notes": {"command": "/bin/cat", "folder": "."}}}),
    by_settings("A50", "shown to a server", mcp={"servers": {"notes": {"command": "/bin/cat", "read_only": ["/etc"]}}}),
    by_settings("A51", "sandbox", mcp={"servers": {"mail": {"command": "cat", "sandbox": False}}}),
    by_hand("A52", "workspace", server_program("workspace/server", 0o700)),
    by_hand("A52", "open to all", server_program("tools/server", 0o777)),
    by_hand("A53", "tool", server_with_hidden_words),
    by_settings("A54", "open", approvals={"enabled": False}),
    by_settings("A56", "shell", clients={"editor": {"rights": ["talk", "delegate", "shell"]}}),
    by_settings("A56", "web and files", clients={"editor": {"rights": ["talk", "web", "read files"]}}),
    by_settings("A55", "beyond", "A03", mcp={"listen": "0.0.0.0:8790"}, clients={"editor": {"token": "e" * 32}}),
    by_settings("A57", "wildcard of a country", shell={"hosts": ["example.org", "*.co.uk"]}),
    by_settings("A57", "wildcard of a service", mcp={"servers": {"a": {"command": "cat", "hosts": ["*.github.io"]}}}),
    by_settings("A58", "every address", web_page={"host": "0.0.0.0"}),
    by_settings("A58", "of the network", web_page={"host": "192.168.1.20"}),
    by_settings("A57", "every host", mcp={"servers": {"a": {"command": "cat", "hosts": ["*"]}}}),
    by_hand("A48", "token", loosened("kubernetes", "bot.yaml", "AccountToken: false", "AccountToken: true")),
]
