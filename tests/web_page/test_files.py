"""Pictures and files of conversations, over the socket: what is shown, what is only downloaded, and what is refused."""

import re
from collections.abc import AsyncIterator, Callable
from html import unescape
from pathlib import Path

import pytest
import pytest_asyncio

from bot.core.messages import OutboundKind
from bot.core.outgoing_files import OUTGOING_FOLDER_NAME
from bot.core.role import LEAD_ROLE_NAME
from bot.web_page import texts
from bot.web_page.file_answers import PIECE_BYTES
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.sample_media import HEIC, pdf, png
from tests.support.sent_files import sends
from tests.web_page.conftest import Visitor, serve_page

pytestmark = pytest.mark.asyncio(loop_scope="module")

DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PAGE = b"<!doctype html><script>alert(1)</script>"
PICTURE = png(4, 4, padding=3 * PIECE_BYTES)  # of several pieces
CHART = png(6, 6)
VOICE = b"OggS" + bytes(200)
RECEIVED = {
    "photo.png": PICTURE,
    "from a phone.heic": HEIC,
    "drawing.svg": DRAWING,
    "page.html": PAGE,
    "plan.pdf": pdf(),
    "voice.ogg": VOICE,
    "fake.png": PAGE,
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """One bot for all tests here: it examines what comes in processes of their own."""
    return Bench(tmp_path_factory.mktemp("files"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(bench: Bench) -> AsyncIterator[Visitor]:
    """Yield a visitor of a bot to which Ann has sent files, and which has sent her one."""
    desk = bench.data / "workspace"
    desk.mkdir(parents=True)
    (desk / "chart.png").write_bytes(CHART)
    options = engine_options(workspace=desk, writable_workspace=desk)
    bench.roles[LEAD_ROLE_NAME] = role("lead", "send_file", delegates_to=None)
    bench.model.says("lead", reply(uses("send_file", path="chart.png")), "There.")
    async with bench.run(**options):
        bench.chat.hears("look at this", files=[sends(bench, name, content) for name, content in RECEIVED.items()])
        await bench.chat.said(OutboundKind.REPLY)
    async with serve_page(bench) as visitor:
        yield visitor


@pytest.fixture
def talked(served: Visitor) -> Visitor:
    served.log_in()
    return served


async def conversation(visitor: Visitor) -> str:
    found = re.search(r'href="(/conversations/[^"]+)"', await visitor.text("/"))
    assert found
    return await visitor.text(found[1])


async def address(visitor: Visitor, name: str) -> str:
    """Return the address under which a conversation links a file."""
    link = re.search(rf'<a href="(/files/[^"]+)">(?:<img[^>]*>)?{name}</a>', await conversation(visitor))
    assert link, name
    return unescape(link[1])


async def test_pictures_are_shown_and_other_files_are_linked_with_their_size(talked: Visitor) -> None:
    page = await conversation(talked)
    for name in (*RECEIVED, "chart.png"):
        assert await address(talked, name)
    assert len(re.findall("<img", page)) == 3  # the photo, the phone's, and the chart; not what only has such a name
    assert texts.FILE_SIZE(kilobytes=round(len(PICTURE) / 1000)) in page
    assert len(re.findall(r"<audio [^>]*controls", page)) == 1


@pytest.mark.parametrize(("name", "kind"), [("photo.png", "image/png"), ("voice.ogg", "audio/ogg")])
async def test_pictures_and_sounds_have_the_type_of_their_content(talked: Visitor, name: str, kind: str) -> None:
    answer = await talked.get(await address(talked, name))
    assert (answer.content, answer.headers["content-type"]) == (RECEIVED[name], kind)
    assert answer.headers["content-disposition"].startswith("inline; ")


@pytest.mark.parametrize("name", ["drawing.svg", "page.html", "fake.png", "plan.pdf", "from a phone.heic"])
async def test_everything_else_is_only_downloaded(talked: Visitor, name: str) -> None:
    answer = await talked.get(await address(talked, name))
    assert (answer.content, answer.headers["content-type"]) == (RECEIVED[name], "application/octet-stream")
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


async def test_a_phones_picture_is_shown_as_the_model_saw_it(talked: Visitor) -> None:
    picture = re.search(r'<img src="(/files/seen[^"]+)"[^>]*>from a phone', await conversation(talked))
    assert picture
    assert (await talked.get(unescape(picture[1]))).headers["content-type"].startswith("image/")


async def test_a_file_that_the_bot_sent_is_shown_after_its_copy_is_gone(talked: Visitor, bench: Bench) -> None:
    for copy in (bench.data / OUTGOING_FOLDER_NAME).iterdir():
        copy.unlink()
    assert (await talked.get(await address(talked, "chart.png"))).content == CHART


async def test_a_transcript_shows_what_the_model_saw(talked: Visitor, bench: Bench) -> None:
    [(root,)] = bench.rows("SELECT id FROM turns WHERE depth = 0")
    seen = re.findall(r'<img src="(/files/seen[^"]+)"', await talked.text(f"/turns/{root}"))
    assert len(seen) == 2  # and the PDF is linked
    assert (await talked.get(unescape(seen[0]))).content == PICTURE


def kept_path(bench: Bench, name: str) -> Path:
    [path] = (bench.data / "workspace" / "inbox").glob(f"{name}-????????.*")
    return path


def change_content(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def replace_by_link(path: Path) -> None:
    secret = path.parents[1] / "config.json"
    secret.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(secret)


@pytest.mark.parametrize(("name", "change"), [("page.html", change_content), ("drawing.svg", replace_by_link)])
async def test_only_what_came_is_ever_returned(
    talked: Visitor, bench: Bench, name: str, change: Callable[[Path], None]
) -> None:
    link, path = await address(talked, name), kept_path(bench, name.partition(".")[0])
    content = path.read_bytes()
    change(path)
    assert (await talked.get(link)).status_code == 404
    path.unlink()
    path.write_bytes(content)


async def test_a_file_that_is_gone_says_so(talked: Visitor, bench: Bench) -> None:
    link, path = await address(talked, "plan.pdf"), kept_path(bench, "plan")
    content = path.read_bytes()
    path.unlink()
    page = await conversation(talked)
    assert texts.FILE_GONE() in page
    assert not re.search('href="[^"]*">plan.pdf', page)
    assert (await talked.get(link)).status_code == 404
    path.write_bytes(content)


async def test_a_browser_that_has_a_file_is_sent_none_of_it(talked: Visitor) -> None:
    link = await address(talked, "photo.png")
    tag = (await talked.get(link)).headers["etag"]
    again = await talked.get(link, **{"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/files/received?key=../../config.json",
        "/files/sent?key=/etc/passwd",
        "/files/sent?key=t1/2/0&number=-1",
        "/files/seen?key=nothing",
        "/files/elsewhere?key=a",
        "/files/received?key=a&number=x",
    ],
)
async def test_what_no_row_names_is_not_there(talked: Visitor, path: str) -> None:
    assert (await talked.get(path)).status_code == 404


async def test_files_need_a_login(talked: Visitor) -> None:
    link = await address(talked, "photo.png")
    talked.forget_login()
    assert (await talked.get(link)).status_code == 303
