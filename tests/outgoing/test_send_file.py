"""The tool `send_file`, from the model's call to the chat."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.channel import MessagePart
from bot.core.messages import OutboundKind
from bot.core.rights import Right
from bot.tools import texts
from bot.tools.send_file import MAX_BYTES_PER_CALL
from tests.outgoing.conftest import RunSender
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import delegates, reply, uses
from tests.support.outgoing import sha256
from tests.support.sample_media import png

UPDATE, REPLY = OutboundKind.UPDATE, OutboundKind.REPLY


def sends(*paths: Any, **more: Any) -> Any:
    path = paths[0] if len(paths) == 1 else list(paths)
    return reply(uses("send_file", path=path, **more))


def told(bench: Bench) -> str:
    return bench.model.heard("lead")[0]


def content_of(part: MessagePart) -> list[bytes]:
    found = []
    for each in part.files:
        with each.open() as file:
            found.append(file.read())
    return found


async def refusal(bench: Bench, run: RunSender, *paths: Any, **more: Any) -> str:
    """Let the lead call the tool, and return what it is told."""
    bench.model.says("lead", sends(*paths, **more), "sorry")
    async with run():
        bench.chat.hears("send it")
        await bench.chat.said(REPLY)
    return told(bench)


async def test_the_chat_gets_the_file_and_the_model_is_told(bench: Bench, run: RunSender) -> None:
    bench.model.says("lead", sends("report.txt", caption="The report"), "There it is.")
    async with run():
        bench.chat.hears("the report, please")
        part = await bench.chat.part(UPDATE)
        assert (part.text, content_of(part)) == ("The report", [b"All is well."])
        assert not part.message.may_ring
        assert await bench.chat.said(REPLY) == "There it is."
    assert f"report.txt (12 bytes, text/plain, sha256 {sha256(b'All is well.')})" in told(bench)


async def test_several_files_are_one_message(bench: Bench, run: RunSender) -> None:
    bench.model.says("lead", sends("report.txt", "figures.csv"), "Both.")
    async with run():
        bench.chat.hears("all")
        part = await bench.chat.part(UPDATE)
    assert [each.file.name for each in part.files] == ["report.txt", "figures.csv"]


async def test_a_role_sends_under_its_name(bench: Bench, run: RunSender) -> None:
    bench.model.says("lead", delegates("writer"), "Done.")
    bench.model.says("writer", sends("report.txt", caption="[Lead]: here"), "sent")
    async with run():
        bench.chat.hears("write")
        part = await bench.chat.part(UPDATE)
    assert (part.message.role, part.text, len(part.files)) == ("writer", "[Writer]: (Lead): here", 1)


async def test_files_of_a_role_count_as_its_updates(bench: Bench, run: RunSender) -> None:
    bench.model.says("lead", delegates("writer"), "Done.")
    bench.model.says("writer", sends("report.txt"), sends("figures.csv"), "sent")
    async with run(swarm__max_updates=1):
        bench.chat.hears("write")
        await bench.chat.said(REPLY)
    assert "at most 1 times" in bench.model.heard("writer")[0]


async def test_an_error_names_no_other_file(bench: Bench, run: RunSender, desk: Path) -> None:
    """Somebody else may have chosen its name, and the tool does not read words of others."""
    (desk / "plan.md").write_text("plan")
    assert await refusal(bench, run, "plna.md") == texts.NO_SUCH_PATH(path="plna.md")


async def test_the_file_is_sent_as_it_was_when_it_was_planned(bench: Bench, run: RunSender, desk: Path) -> None:
    bench.model.says("lead", sends("report.txt"), "There.")
    async with run():
        bench.chat.hears("go")
        part = await bench.chat.part(UPDATE)
    with (desk / "report.txt").open("r+") as file:
        file.write("Not so good.")
    assert content_of(part) == [b"All is well."]


async def test_a_picture_is_measured(bench: Bench, run: RunSender, desk: Path) -> None:
    (desk / "chart.dat").write_bytes(png(80, 60))
    (desk / "no.png").write_bytes(b"no picture")
    bench.model.says("lead", sends("chart.dat", "no.png"), "There.")
    async with run():
        bench.chat.hears("go")
        part = await bench.chat.part(UPDATE)
    kinds = [(each.file.media_type, each.file.width, each.file.height) for each in part.files]
    assert kinds == [("image/png", 80, 60), ("application/octet-stream", 0, 0)]


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["nothing.txt"], "there is no nothing.txt"),
        (["../secret.txt"], "outside the workspace"),
        (["/etc/hostname"], "outside the workspace"),
        (["link"], "outside the workspace"),
        (["empty.txt"], "is empty"),
        (["."], "this is a folder"),
        (["pipe"], "a pipe, a socket or a device"),
        ([".ssh/id_ed25519"], "keys or passwords"),
        (["alias"], "keys or passwords"),
        (["report.txt", "report.txt"], "names a file twice"),
        (["report.txt", "nothing.txt"], "there is no nothing.txt"),
        ([f"{number}.txt" for number in range(11)], "at most 10 files"),
        ([7], "must name a file"),
        ([""], "must name a file"),
    ],
)
async def test_what_cannot_be_sent_is_refused_in_words(
    bench: Bench, run: RunSender, desk: Path, paths: list[Any], said: str
) -> None:
    (desk / "empty.txt").touch()
    (desk.parent / "secret.txt").write_text("secret")
    (desk / "link").symlink_to("../secret.txt")
    (desk / ".ssh").mkdir()
    (desk / ".ssh" / "id_ed25519").write_text("key")
    (desk / ".netrc").write_text("key")
    (desk / "alias").symlink_to(".netrc")
    os.mkfifo(desk / "pipe")
    assert said in await refusal(bench, run, *paths)
    assert not list((bench.data / "outgoing").glob("*"))


async def test_an_argument_that_does_not_exist_is_named(bench: Bench, run: RunSender) -> None:
    assert "there is no argument 'to'" in await refusal(bench, run, "report.txt", to="Bob")
    assert "'caption' must be a string" in await refusal(bench, run, "report.txt", caption=3)


async def test_a_file_too_large_for_the_chat_is_refused_before(bench: Bench, run: RunSender) -> None:
    bench.chat.most_bytes = 11
    assert "has 12 bytes, and this chat takes 11 at most" in await refusal(bench, run, "report.txt")


async def test_without_the_right_to_read_files_none_is_sent(bench: Bench, run: RunSender) -> None:
    bench.model.says("lead", sends("report.txt"), "sorry")
    access = {"fake": replace(ACCESS["fake"], others_rights=frozenset({Right.TALK}))}
    async with run(access=access):
        bench.chat.hears("send it")
        await bench.chat.said(REPLY)
    assert "Ann" in told(bench)
    assert not list((bench.data / "outgoing").glob("*"))


async def test_a_file_is_no_answer(bench: Bench, run: RunSender) -> None:
    """A lead that has sent a file and then finds no words is asked for some, and the file stays."""
    bench.model.says("lead", sends("report.txt", caption="The report"), reply(), "That is all.")
    async with run():
        bench.chat.hears("go")
        await bench.chat.part(UPDATE)
        assert await bench.chat.said(REPLY) == "That is all."
    assert bench.chat.deleted.empty()


async def test_a_call_copies_no_more_than_a_disk_can_bear(bench: Bench, run: RunSender, desk: Path) -> None:
    with (desk / "huge.bin").open("wb") as file:
        file.truncate(MAX_BYTES_PER_CALL)
    said = await refusal(bench, run, "report.txt", "huge.bin")
    assert said == texts.FILES_TO_SEND_TOO_LARGE(most=MAX_BYTES_PER_CALL)
    assert not list((bench.data / "outgoing").iterdir())
