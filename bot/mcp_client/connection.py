"""The connection to one MCP server. One task owns it: it connects, lists the tools, and connects again with back-off.

Only that task enters and leaves the SDK's client, as the SDK demands. Calls run in the tasks of their turns, so many at
once as the settings say. Each waits for a bounded time, and fails with a clear text if the connection is away or ends.
The SDK is imported here, when the first connection is made: it takes a second.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.call_progress import ReportProgress, ignore_progress
from bot.core.errors import ToolError
from bot.core.host_proxy import HostProxy
from bot.core.mcp_settings import McpServerSettings, filled_secrets
from bot.core.named_hosts import parse_named_hosts
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.texts import escape_unprintable
from bot.mcp_client import texts
from bot.mcp_client.faults import ServerFault
from bot.mcp_client.listing import OfferedTool
from bot.mcp_client.results import ResultPart, find_trusted_values, read_result
from bot.mcp_client.sandboxing import NO_SANDBOX, Sandbox
from bot.mcp_client.stdio_transport import ANSWER_TOO_LARGE_CODE, program_transport
from bot.tools import CallResult

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client
    from mcp.client._transport import TransportStreams

log = logging.getLogger(__name__)

MAX_PAGES, MAX_OFFERED_TOOLS = 50, 2_000  # of a server's list; of these, `listing` takes far fewer
MAX_FAULT_CHARACTERS = 300
PASSED_ON_VARIABLES = ("PATH", "LANG", "TZ")  # of the environment, for programs; a sandbox sets its own


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTimings:
    """How long things take, in seconds."""

    connect: float = 30.0  # to start a program, to greet it and to list its tools
    first_retry: float = 1.0
    longest_retry: float = 300.0
    steady: float = 60.0  # after so long a connection counts as good, and back-off begins again
    relist: float = 600.0  # between two lists of the same connection, if the server does not announce changes
    shortest_relist: float = 10.0  # a server may announce changes without end
    wait_for_connection: float = 5.0  # of a call that comes while the connection is made


DEFAULT_TIMINGS = ConnectionTimings()
OnListing = Callable[[list[OfferedTool]], Awaitable[None]]
OnFault = Callable[[str], Awaitable[None]]  # called with "" when the server can be used again


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlace:
    """What a connection needs besides its settings."""

    folder: Path  # where a program works
    network: NetworkAccess = DEFAULT_NETWORK_ACCESS
    sandbox: Sandbox = NO_SANDBOX
    proxy: HostProxy = field(default_factory=HostProxy)  # for the hosts that a sandboxed program may reach


class ServerConnection:
    def __init__(
        self,
        name: str,
        settings: McpServerSettings,
        place: ServerPlace,
        on_listing: OnListing,
        on_fault: OnFault,
        timings: ConnectionTimings = DEFAULT_TIMINGS,
    ) -> None:
        self.name = name
        self.settings = settings
        self.place = place
        self.on_listing = on_listing
        self.on_fault = on_fault
        self.timings = timings
        self.fault: str = texts.NOT_CONNECTED_YET
        self._client: Client | None = None
        self._changed = asyncio.Condition()
        self._failed_attempts = 0
        self._is_ending = False
        self._transport_fault: Callable[[], str] = lambda: ""  # what the transport knows of a failure
        self._was_connected = False  # in this attempt
        self._wake = asyncio.Event()  # set: the connection has ended, is wanted, or the list has changed
        self._lost_because = ""
        self._is_list_old = False
        self._slots = asyncio.Semaphore(settings.calls_at_once)

    # The owner task

    async def run(self) -> None:
        """Keep the connection until cancelled. The SDK may lose a cancellation while a connection breaks, so the task
        that keeps it also looks whether it is to end."""
        keeping = asyncio.create_task(self.keep_connection())
        try:
            await asyncio.shield(keeping)
        finally:
            self._is_ending = True
            keeping.cancel()
            await asyncio.wait([keeping])

    async def keep_connection(self) -> None:
        pause = self.timings.first_retry
        now = asyncio.get_running_loop().time
        while not self._is_ending:
            began_at, self._was_connected = now(), False
            fault = await self.connect_until_lost()
            if self._is_ending:
                return
            if now() - began_at >= self.timings.steady:
                pause = self.timings.first_retry
            self._wake.clear()
            self._failed_attempts += not self._was_connected
            await self.note_fault(fault)
            await asyncio.sleep(self.timings.first_retry)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause - self.timings.first_retry):
                    await self._wake.wait()  # somebody wants to call a tool
            pause = min(2 * pause, self.timings.longest_retry)

    async def connect_until_lost(self) -> str:
        """Return why the connection could not be made, or why it has ended."""
        self._lost_because = ""
        try:
            await self.hold_connection()
        except ServerFault as fault:
            return str(fault)
        except TimeoutError:
            return self._lost_because or texts.CONNECT_TOO_SLOW(seconds=self.timings.connect)
        except Exception as error:  # the SDK raises many kinds, in groups, for what a server does
            log.debug("connection", exc_info=error)
            return self._lost_because or self._transport_fault() or describe_error(error)
        finally:
            self._client = None
        return self._lost_because or texts.CONNECTION_ENDED

    async def hold_connection(self) -> None:
        """Connect, list the tools, and stay until the connection ends."""
        import mcp

        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs what servers send; faults are told here
        self._wake.clear()
        async with asyncio.timeout(self.timings.connect) as limit:
            async with (
                self.open_transport() as transport,
                mcp.Client(transport, message_handler=self.take_notification, cache=None) as client,
            ):
                self._is_list_old = False  # not later: what the server tells meanwhile counts
                await self.on_listing(await list_offered_tools(client))
                limit.reschedule(None)
                shortest = self.timings.shortest_relist
                self._client, self._was_connected = client, True
                await self.note_fault("")
                while not self._lost_because:
                    await self.wait_until_list_is_old(shortest)
                    if self._lost_because:
                        return
                    # A list that changes all the time is read, and its owner asked, less and less often
                    shortest = min(shortest * (2 if self._is_list_old else 1), self.timings.relist)
                    self._is_list_old = False
                    async with asyncio.timeout(self.timings.connect):
                        await self.on_listing(await list_offered_tools(client))

    async def wait_until_list_is_old(self, shortest: float) -> None:
        """Wait until the list of tools is to be read again, at least `shortest` seconds, or the connection is lost."""
        now = asyncio.get_running_loop().time
        began_at = now()
        while not self._lost_because:
            left = (shortest if self._is_list_old else self.timings.relist) - (now() - began_at)
            if left <= 0:
                return
            self._wake.clear()
            try:
                async with asyncio.timeout(left):
                    await self._wake.wait()
            except TimeoutError:
                return

    async def take_notification(self, message: object) -> None:
        import mcp_types

        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._is_list_old = True
            self._wake.set()

    def lose(self, reason: str) -> None:
        """Let the owner task leave the connection, and make a new one."""
        self._lost_because = self._lost_because or reason
        self._wake.set()

    async def note_fault(self, fault: str) -> None:
        async with self._changed:
            is_new, self.fault = fault != self.fault, fault
            self._changed.notify_all()
        if is_new:
            await self.on_fault(fault)

    # Transports

    @asynccontextmanager
    async def open_transport(self) -> AsyncIterator[AbstractAsyncContextManager[TransportStreams]]:
        """Yield the transport, not entered. Raise ServerFault if the settings do not allow one here."""
        if self.settings.is_program:
            # The first look starts a sandbox, which takes a moment.
            fault = await asyncio.to_thread(self.place.sandbox.find_fault) if self.settings.sandbox else None
            if fault:
                raise ServerFault(texts.NO_SANDBOX(fault=fault))
            async with self.open_exit() as listener:
                yield self.make_program_transport(listener)
            return
        from bot.mcp_client.http_transport import GuardedTransport, address_transport, make_client

        settings = self.settings
        assert settings.url
        guarded = GuardedTransport(
            settings.url,
            self.place.network,
            may_be_private=settings.allow_private_address,
            most_bytes=settings.max_message_bytes,
        )
        self._transport_fault = lambda: guarded.fault
        async with make_client(self.secrets("headers", settings.headers), guarded) as client:
            yield address_transport(settings.url, client, settings.max_message_bytes)

    @asynccontextmanager
    async def open_exit(self) -> AsyncIterator[int | None]:
        """Yield the descriptor on which the program's sandbox gets the proxy for its hosts; None if it names none."""
        if not self.settings.hosts:
            yield None
            return
        owner, setting = texts.SERVER_NAME(server=self.name), f"mcp.servers.{self.name}.hosts"
        async with self.place.proxy.open_exit(owner, parse_named_hosts(self.settings.hosts), setting) as found:
            yield found.descriptor

    def make_program_transport(self, listener: int | None) -> AbstractAsyncContextManager[TransportStreams]:
        settings, folder = self.settings, self.settings.folder or self.place.folder
        assert settings.command
        env = {name: os.environ[name] for name in PASSED_ON_VARIABLES if name in os.environ}
        env |= {"HOME": str(folder), **settings.public_env, **self.secrets("env", settings.env)}
        command = [settings.command, *settings.args]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ServerFault(texts.PROGRAM_NOT_STARTED(command=command[0], reason=error.strerror)) from None
        if settings.sandbox:
            if fault := self.place.sandbox.find_fault():
                raise ServerFault(texts.NO_SANDBOX(fault=fault))
            command = [
                *self.place.sandbox.wrap(
                    command,
                    folder=folder,
                    read_only=settings.read_only,
                    network=settings.network,
                    listener=listener,
                )
            ]
        return program_transport(
            command,
            folder=folder,
            env=env,
            most_bytes=settings.max_message_bytes,
            on_fault=self.lose,
            inherited=[listener] if listener else [],
        )

    def secrets(self, key: str, given: Mapping[str, Any]) -> dict[str, str]:
        try:
            return filled_secrets(given)
        except ValueError as missing:
            raise ServerFault(texts.NO_VALUE(key=f"mcp.servers.{self.name}.{key}.{missing}")) from None

    # Calls

    async def call(
        self, tool: str, arguments: dict[str, Any], report_progress: ReportProgress = ignore_progress
    ) -> CallResult:
        """Call a tool. Return its result for the model. Raise ToolError if it fails, in any way."""
        seconds = self.settings.call_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._slots.acquire()
        except TimeoutError:
            raise ToolError(texts.CALLS_ALL_BUSY(seconds=seconds)) from None
        try:
            return await self.call_in_slot(tool, arguments, report_progress)
        finally:
            self._slots.release()

    async def call_in_slot(self, tool: str, arguments: dict[str, Any], report_progress: ReportProgress) -> CallResult:
        import mcp_types
        from mcp import MCPError

        async def take_progress(progress: float, total: float | None, message: str | None) -> None:
            report_progress(message or "/".join(f"{each:g}" for each in (progress, total) if each is not None))

        client = await self.wait_for_client()
        params = mcp_types.CallToolRequestParams(name=tool, arguments=arguments)
        seconds = self.settings.call_seconds
        try:
            async with asyncio.timeout(seconds):
                # Not `call_tool`: it checks results by the server's own schema, whose patterns may take any time.
                result = await client.session.send_request(
                    mcp_types.CallToolRequest(params=params),
                    mcp_types.CallToolResult,
                    progress_callback=take_progress,
                )
        except TimeoutError:
            raise ToolError(texts.CALL_TOO_SLOW(seconds=seconds)) from None
        except MCPError as error:
            if error.code in (mcp_types.CONNECTION_CLOSED, mcp_types.INTERNAL_ERROR, mcp_types.INVALID_REQUEST):
                reason = self._transport_fault() or clean_reason(error.message)
                if not self.settings.is_program:  # a server at an address may have forgotten the session
                    self.lose(reason)
                if error.code == mcp_types.CONNECTION_CLOSED:
                    raise ToolError(texts.CALL_CUT_OFF(fault=self._lost_because or reason)) from None
            if error.code == ANSWER_TOO_LARGE_CODE:
                raise ToolError(texts.RESULT_TOO_LARGE(reason=error.message)) from None
            raise ToolError(texts.CALL_REFUSED(reason=clean_reason(error.message))) from None
        except ValueError:  # pydantic's too
            raise ToolError(texts.NOT_A_RESULT) from None
        parts = [result_part(each) for each in result.content]
        content = await read_result(parts, result.structured_content, tool, is_error=bool(result.is_error))
        trusted = self.settings.tools[tool].trusted_parts if tool in self.settings.tools else {}
        return CallResult(content, find_trusted_values(result.structured_content, trusted))

    async def wait_for_client(self) -> Client:
        """Return the client. If there is none, let the owner task try again, and wait a little for that. Raise
        ToolError if it does not succeed."""
        seen = self._failed_attempts
        if self.usable_client is None:
            self._wake.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.timings.wait_for_connection), self._changed:
                await self._changed.wait_for(lambda: self.usable_client or self._failed_attempts > seen)
        if client := self.usable_client:
            return client
        raise ToolError(texts.SERVER_AWAY(fault=self._lost_because or self.fault))

    @property
    def usable_client(self) -> Client | None:
        return None if self._lost_because else self._client


async def list_offered_tools(client: Client) -> list[OfferedTool]:
    """Return what the server lists, page by page. Raise ServerFault if its list does not end."""
    import mcp_types

    found: list[OfferedTool] = []
    cursor = None
    for _ in range(MAX_PAGES):
        params = mcp_types.PaginatedRequestParams(cursor=cursor)
        page = await client.session.send_request(mcp_types.ListToolsRequest(params=params), mcp_types.ListToolsResult)
        found += [OfferedTool(each.name, each.description or "", each.input_schema) for each in page.tools]
        cursor = page.next_cursor
        if not cursor or len(found) > MAX_OFFERED_TOOLS:
            return found
    raise ServerFault(texts.LISTS_TOO_MANY_PAGES)


def result_part(content: mcp_types.ContentBlock) -> ResultPart:
    import mcp_types

    match content:
        case mcp_types.TextContent():
            return ResultPart(kind="text", text=content.text)
        case mcp_types.ImageContent() | mcp_types.AudioContent():
            return ResultPart(kind=content.type, data=content.data)
        case mcp_types.ResourceLink():
            return ResultPart(kind="link", name=content.name, text=str(content.uri))
        case mcp_types.EmbeddedResource(resource=mcp_types.TextResourceContents(text=text)):
            return ResultPart(kind="text", text=text)
        case mcp_types.EmbeddedResource(resource=mcp_types.BlobResourceContents(blob=blob)):
            return ResultPart(kind="resource", data=blob)
    raise AssertionError(f"{content.type} is a kind of content of a later version")


def describe_error(error: BaseException) -> str:
    """Return the first error of a group in words. What a server says in it is cut."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError | ServerFault):
        return clean_reason(str(error))
    return texts.SPEAKS_WRONGLY(reason=clean_reason(str(error) or type(error).__name__))


def clean_reason(text: str) -> str:
    return escape_unprintable(text.partition("\n")[0], MAX_FAULT_CHARACTERS)
