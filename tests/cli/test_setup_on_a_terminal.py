"""`retinue setup` on a terminal: what is secret is never shown there."""

import asyncio
import os
import pty
import subprocess
from pathlib import Path

import pytest

from bot.cli.setup_wizard import texts
from channels.telegram import operator_texts as telegram_texts
from tests.cli.test_setup import files
from tests.stand_ins.claude import ClaudeStandIn
from tests.support.shell import RETINUE, Shell

pytestmark = pytest.mark.timeout(60)  # each run imports three large libraries


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Where nobody is reached."""
    nobody = "http://127.0.0.1:9"
    urls = {"MODEL__BASE_URL": nobody, "CHANNELS__TELEGRAM__BASE_URL": f"{nobody}/bot"}
    return Shell(
        tmp_path,
        {
            "RETINUE_CONFIG": str(tmp_path / "config.json"),
            "RETINUE_CHANNELS__DISCORD__BASE_URL": f"{nobody}/api/v10",
            **{f"RETINUE_{name}": url for name, url in urls.items()},
        },
    )


def test_on_a_terminal_a_secret_is_not_shown_while_it_is_typed(shell: Shell) -> None:
    assert b"sk-ant-typed" not in keys_typed(shell, "sk-ant-typed")
    assert files(shell.folder)["secrets/model__api_key"] == "sk-ant-typed\n"


async def test_a_key_that_is_pasted_after_a_wrong_one_is_not_shown(shell: Shell) -> None:
    async with ClaudeStandIn() as server:
        shell.settings["RETINUE_MODEL__BASE_URL"] = server.base_url
        shown = await asyncio.to_thread(keys_typed, shell, "sk-ant-wrong", server.api_key)
    assert shown.count(texts.API_KEY.encode()) == 2, "the first was refused"
    assert b"sk-ant-wrong" not in shown
    assert server.api_key.encode() not in shown
    assert files(shell.folder)["secrets/model__api_key"] == f"{server.api_key}\n"


def keys_typed(shell: Shell, *keys: str) -> bytes:
    """What the terminal shows while one key after the other is typed, and all else is left out."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*RETINUE, "setup"],
        cwd=shell.folder,
        env={**shell.environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        for key in keys:
            shown += until(ours, texts.API_KEY)
            os.write(ours, f"{key}\n".encode())
        shown += until(ours, texts.ANSWER_ON(platform="Telegram"))
        os.write(ours, b"n\nn\ny\n")
        shown += until(ours, texts.NEXT.strip())
    os.close(ours)
    assert process.returncode == 0
    return shown


@pytest.mark.fast
def test_input_typed_during_the_check_of_a_token_is_not_shown(shell: Shell) -> None:
    """All of BotFather's lines at once, and one more while the first is being checked."""
    token = "7654321:" + "AbC-_123" * 4
    shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = "http://127.0.0.1:9/bot"
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*RETINUE, "setup"],
        cwd=shell.folder,
        env={**shell.environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        until(ours, texts.API_KEY)
        os.write(ours, b"\n")
        until(ours, texts.ANSWER_ON(platform="Telegram"))
        os.write(ours, b"y\n")
        shown = until(ours, telegram_texts.TOKEN_OR_MESSAGE)
        os.write(ours, f"Done! Congratulations.\nUse this token:\n{token}\nKeep it secure.\n".encode())
        shown += until(ours, texts.CHECKING)
        os.write(ours, b"typed-too-early\n")
        shown += until(ours, texts.OWNERS_ID)
        os.write(ours, b"7\n")
        shown += until(ours, texts.ANSWER_ON(platform="Discord"))
        os.write(ours, b"n\n")
        shown += until(ours, texts.WRITE_THIS)
        os.write(ours, b"y\n")
        shown += until(ours, texts.NEXT.strip())
    os.close(ours)
    assert process.returncode == 0
    for hidden in (b"AbC-_123", b"Congratulations", b"typed-too-early"):
        assert hidden not in shown
    assert files(shell.folder)["secrets/channels__telegram__token"] == f"{token}\n"


def until(terminal: int, words: str) -> bytes:
    shown = b""
    while words.encode() not in shown:
        shown += os.read(terminal, 4096)
    return shown
