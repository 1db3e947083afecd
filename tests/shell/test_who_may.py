"""Who has the tool `shell`: roles that list it, for people with the right, where a sandbox can start."""

import logging
from pathlib import Path

import pytest

from bot.assembly import make_tools_and_workspace_folder
from bot.config import Config
from bot.core.messages import OutboundKind
from bot.core.rights import EVERY_RIGHT, Right
from bot.core.sandbox import sandbox_fault
from bot.core.settings import ShellSettings
from bot.core.texts import logs, operators
from bot.tools.shell import shell_tools
from tests.shell.test_sandbox import needs_sandbox
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import delegates, played, reply, role, uses


def names(config: Config, *, may_write: bool = True) -> set[str]:
    return {tool.name for tool in make_tools_and_workspace_folder(config, may_write=may_write)}


@needs_sandbox
def test_the_tool_exists_only_if_the_operator_wants_it(tmp_path: Path) -> None:
    wanted = Config.model_validate({"workspace": tmp_path, "shell": {"enabled": True}})
    assert "shell" in names(wanted)
    assert "shell" not in names(wanted, may_write=False)
    assert "shell" not in names(Config(workspace=tmp_path))


def test_without_a_sandbox_there_is_no_tool_and_the_log_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with caplog.at_level(logging.WARNING):
        assert "shell" not in names(Config.model_validate({"workspace": tmp_path, "shell": {"enabled": True}}))
    missing = operators.SANDBOX_WITHOUT_PROGRAM(program="bwrap", package="bubblewrap")
    assert caplog.messages == [logs.NO_SHELL(reason=missing)]


@needs_sandbox
async def test_the_tool_is_gone_once_the_sandbox_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec /usr/bin/env PATH=/usr/bin:/bin "$@"\n'
    (tmp_path / "bwrap").write_text(script)
    (tmp_path / "bwrap").chmod(0o755)  # runs the command without any sandbox
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert sandbox_fault() == operators.SANDBOX_REFUSED(reason=operators.SANDBOX_IS_NONE)
    assert "shell" not in names(Config.model_validate({"workspace": tmp_path, "shell": {"enabled": True}}))


async def test_only_a_role_that_lists_the_shell_has_it(bench: Bench, tmp_path: Path) -> None:
    bench.roles |= {"lead": role("lead", delegates_to=None), "plain": role("plain")}
    bench.roles["coder"] = role("coder", "shell")
    bench.model.says("lead", reply(uses("shell", command="true")), delegates("coder", "plain"), "done")
    bench.model.says("coder", "no need")
    bench.model.says("plain", "no need")
    async with bench.run(tools=shell_tools(ShellSettings(), [])(tmp_path)):
        bench.chat.hears("go", by="Owner")
        assert await bench.chat.said(OutboundKind.REPLY) == "done"
    has = {played(each): "shell" in {tool["name"] for tool in each.prefix.tools} for each in bench.model.seen}
    assert has == {"lead": False, "coder": True, "plain": False}
    assert "exit status" not in str(bench.model.heard("lead", 1))


async def test_nobody_without_the_right_has_it_anywhere(bench: Bench, tmp_path: Path) -> None:
    bench.roles |= {"lead": role("lead", delegates_to=None), "coder": role("coder", "shell")}
    bench.model.says("lead", delegates("coder"), "done")
    bench.model.says("coder", "no shell")
    access = {"fake": ACCESS["fake"].__class__(owner_id=None, allowed_ids=frozenset({"Ann"}), others_rights=RIGHTS)}
    async with bench.run(tools=shell_tools(ShellSettings(), [])(tmp_path), access=access):
        bench.chat.hears("go", by="Ann")
        assert await bench.chat.said(OutboundKind.REPLY) == "done"
    assert all("shell" not in {tool["name"] for tool in each.prefix.tools} for each in bench.model.seen)


RIGHTS = EVERY_RIGHT - {Right.SHELL}
