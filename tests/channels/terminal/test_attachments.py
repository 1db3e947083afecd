"""Files that somebody sends from a terminal."""

import os
from pathlib import Path

import pytest

from bot.core.errors import FetchError
from bot.core.messages import InboundMessage
from bot.store.chat_reader import ChatReader
from channels.terminal.attach_protocol import INBOUND_MESSAGES_ADAPTER
from channels.terminal.attachments import describe_file, path_of_reference, split_attached_files
from channels.terminal.channel import Terminal
from channels.terminal.conversation import LOCAL_ADDRESS, TerminalConversation


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "the report.pdf"
    path.write_bytes(bytes(range(256)) * 1_000)
    return path


def conversation(folder: Path, **fields: object) -> TerminalConversation:
    reader = ChatReader(folder / "bot.db", LOCAL_ADDRESS)
    return TerminalConversation(reader, "Ann", **{"is_continuing": True, "is_typed": True, **fields})  # type: ignore[arg-type]  # the test's own


def own_message(talk: TerminalConversation, text: str) -> InboundMessage:
    return talk.make_messages_for_text(text)[-1]


@pytest.mark.parametrize(
    ("typed", "words", "names"),
    [
        ("/attach a.pdf what is it?", "what is it?", ["a.pdf"]),
        ("/attach 'my notes.txt' sum\nit up", "sum\nit up", ["my notes.txt"]),
        ('/attach "it\'s.txt"', "", ["it's.txt"]),
        (r"/attach my\ notes.txt", "", ["my notes.txt"]),
        ("/attach a.png /attach b.png which?", "which?", ["a.png", "b.png"]),
        ("/attach", "/attach", []),
        ("/attachments of what?", "/attachments of what?", []),
        ("/status", "/status", []),
        ("a.pdf", "a.pdf", []),
        ("what is /attach a.pdf?", "what is /attach a.pdf?", []),
        ("x" * 5_000, "x" * 5_000, []),
        ("\0", "\0", []),
    ],
)
def test_a_typed_text_is_split_into_words_and_files(typed: str, words: str, names: list[str]) -> None:
    said, files = split_attached_files(typed)
    assert (said, [file.name for file in files]) == (words, names)


@pytest.mark.parametrize("form", ["'{}'", '"{}"', "{}\n"])
def test_the_path_of_a_file_alone_sends_it(report: Path, form: str) -> None:
    typed = form.format(report if form[0] in "'\"" else str(report).replace(" ", "\\ "))
    said, files = split_attached_files(typed)
    assert (said, [file.name for file in files]) == ("", [report.name])


def test_the_path_of_what_is_no_file_stays_a_text(tmp_path: Path) -> None:
    for typed in (str(tmp_path), str(tmp_path / "nothing"), "/status"):
        assert split_attached_files(typed) == (typed, [])


def test_a_file_comes_with_its_message(report: Path, tmp_path: Path) -> None:
    talk = conversation(tmp_path)
    said = own_message(talk, f"/attach '{report}' look")
    assert (said.text, [(file.name, file.size_bytes) for file in said.files]) == ("look", [(report.name, 256_000)])
    assert (talk.is_command(f"/attach {report} look"), talk.is_command("/status")) == (False, True)
    again = INBOUND_MESSAGES_ADAPTER.validate_json(INBOUND_MESSAGES_ADAPTER.dump_json([said]))
    assert again == [said]


def test_a_text_that_nobody_types_sends_no_file(report: Path, tmp_path: Path) -> None:
    talk = conversation(tmp_path, is_typed=False)
    for typed in (f"/attach '{report}' look", str(report)):
        assert (own_message(talk, typed).text, own_message(talk, typed).files) == (typed, ())


def test_files_that_were_given_come_with_the_first_message_alone(report: Path, tmp_path: Path) -> None:
    talk = conversation(tmp_path, is_typed=False, files_to_send=(describe_file(report),))
    assert [len(own_message(talk, text).files) for text in ("one", "two")] == [1, 0]


async def test_the_terminal_reads_the_file(report: Path) -> None:
    async with Terminal().open_file(describe_file(report)) as pieces:
        sizes = [len(piece) async for piece in pieces]
    assert sum(sizes) == 256_000
    assert max(sizes) <= 65_536


async def test_what_is_no_file_or_not_there_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "nothing", "."):
        with pytest.raises(FetchError) as raised:
            async with Terminal().open_file(describe_file(tmp_path / name)):
                pass
        assert raised.value.seconds is None


def test_a_name_that_is_no_text_is_kept() -> None:
    path = Path(os.fsdecode(b"/tmp/caf\xe9.txt"))
    file = describe_file(path)
    assert (file.name, path_of_reference(file.reference)) == ("caf?.txt", path)
    file.reference.encode()
