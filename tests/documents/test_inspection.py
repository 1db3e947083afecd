"""What a file is taken for: by its content, whatever it is called."""

from pathlib import Path

import pytest

from bot.documents.file_types import FileKind
from bot.documents.inspection import MAX_FIRST_LINES, InspectedFile, inspect_file
from bot.documents.people_texts import REFUSALS
from tests.support.sample_media import gif, jpeg, pdf, png, webp


async def inspect(folder: Path, content: bytes, name: str = "file") -> InspectedFile:
    path = folder / "kept"
    path.write_bytes(content)
    return await inspect_file(path, name=name)


def ftyp(brand: bytes) -> bytes:
    return b"\0\0\0\x18ftyp" + brand + b"\0" * 20


@pytest.mark.parametrize(
    ("content", "kind", "media_type"),
    [
        (png(), FileKind.IMAGE, "image/png"),
        (jpeg(), FileKind.IMAGE, "image/jpeg"),
        (gif(), FileKind.IMAGE, "image/gif"),
        (webp(), FileKind.IMAGE, "image/webp"),
        (pdf(), FileKind.PDF, "application/pdf"),
        (b"Dear Ann,\n", FileKind.TEXT, "text/plain"),
        (b"", FileKind.TEXT, "text/plain"),
        (b"MZ is how this text begins", FileKind.TEXT, "text/plain"),
        (b"BM, too", FileKind.TEXT, "text/plain"),
        (b"OggS\0\2", FileKind.AUDIO, "audio/ogg"),
        (b"ID3\4\0\0", FileKind.AUDIO, "audio/mpeg"),
        (ftyp(b"M4A "), FileKind.AUDIO, "audio/mp4"),
        (b"RIFF\0\0\0\0WAVEfmt ", FileKind.AUDIO, "audio/wav"),
        (ftyp(b"isom"), FileKind.VIDEO, "video/mp4"),
        (b"\x1a\x45\xdf\xa3\x01\0", FileKind.VIDEO, "video/webm"),
        (b"7z\xbc\xaf\x27\x1c\0", FileKind.ARCHIVE, "application/x-7z-compressed"),
        (b"MZ\x90\0\3\0\0\0", FileKind.UNKNOWN, "application/x-executable"),
        (b"\0\1\2", FileKind.UNKNOWN, "application/octet-stream"),
    ],
)
async def test_a_type_follows_from_the_content(tmp_path: Path, content: bytes, kind: FileKind, media_type: str) -> None:
    found = await inspect(tmp_path, content, "report.pdf")
    assert (found.kind, found.media_type) == (kind, media_type)


async def test_a_program_that_is_named_as_a_pdf_is_refused(tmp_path: Path) -> None:
    found = await inspect(tmp_path, b"MZ\x90\0" + b"\0" * 96, "bill.pdf")
    assert found.refusal == REFUSALS["unknown"](name="bill.pdf", bytes=100)
    assert found.media is None


async def test_sound_is_named_with_its_type_and_size(tmp_path: Path) -> None:
    found = await inspect(tmp_path, b"OggS\0\2", "a.ogg")
    assert found.refusal == REFUSALS["audio"](name="a.ogg", kind="audio/ogg", bytes=6)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
async def test_a_text_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    found = await inspect(tmp_path, "Grüße aus Köln, für 5 €.\nBis bald\n".encode(encoding))
    assert (found.kind, found.first_lines) == (FileKind.TEXT, "Grüße aus Köln, für 5 €.\nBis bald\n")


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r"])
async def test_a_text_in_an_old_cyrillic_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    words = "Привет! Мы встречаемся в восемь часов перед музеем, Anna.\n"
    assert (await inspect(tmp_path, words.encode(encoding))).first_lines == words


async def test_of_a_long_text_the_first_whole_lines_are_shown(tmp_path: Path) -> None:
    lines = [f"line {number}\n" for number in range(100_000)]
    assert (await inspect(tmp_path, "".join(lines).encode())).first_lines == "".join(lines[:MAX_FIRST_LINES])


async def test_a_character_that_the_sample_cuts_is_left_out(tmp_path: Path) -> None:
    found = await inspect(tmp_path, b"a" + "ü".encode() * 2**16)
    assert (found.kind, found.first_lines[:3]) == (FileKind.TEXT, "aüü")


async def test_a_pdf_is_given_to_the_model_as_it_is(tmp_path: Path) -> None:
    found = await inspect(tmp_path, pdf(3), "bill.pdf")
    assert found.media
    assert (found.media.name, found.media.pages, found.media.data) == ("bill.pdf", 3, pdf(3))


async def test_a_file_that_is_gone_raises_its_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await inspect_file(tmp_path / "gone", name="gone")


@pytest.mark.parametrize("text", ["Grüße\n", "\ufeffDear Ann\n", "日本語\n"])
async def test_a_short_text_in_any_language_is_whole(tmp_path: Path, text: str) -> None:
    found = await inspect(tmp_path, text.encode())
    assert (found.first_lines.strip("\ufeff"), found.has_more) == (text.strip("\ufeff"), False)


@pytest.mark.parametrize("lines", [MAX_FIRST_LINES + 1, 100_000])
async def test_of_a_longer_text_there_is_more(tmp_path: Path, lines: int) -> None:
    assert (await inspect(tmp_path, b"a line\n" * lines)).has_more
