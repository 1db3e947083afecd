"""The tool that sends files of the workspace to the chat.

Each file is checked and copied when the call is planned. Its message is a row, written in the transaction of the reply
that calls the tool. So a file is sent once, even after a crash, and as it was at that moment."""

import mimetypes
import os
from asyncio import to_thread
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from bot.core.acts import Critical, Effect, Part
from bot.core.channel import Channel
from bot.core.errors import ToolError
from bot.core.exits import current_exit_rules
from bot.core.group import GetCurrentGroups, no_groups
from bot.core.outgoing_files import MAX_FILES_PER_MESSAGE, OutgoingFile
from bot.core.reply_plan import SEND_FILE_TOOL_NAME, SendFiles
from bot.core.rights import Right
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable
from bot.core.turn import CallKind
from bot.documents.file_types import BYTES_READ_TO_RECOGNISE, GIF, UNKNOWN, recognise
from bot.tools import Arguments, Tool, ToolContext, texts
from bot.tools.image_sides import find_image_sides, is_animated_gif
from bot.tools.outgoing_folder import OutgoingFolder
from bot.tools.parameters import closed_object_schema, reject_unknown_arguments, string_schema
from bot.tools.path_errors import explain_path_errors
from bot.tools.protected_names import reject_credential_path
from bot.tools.workspace import Workspace
from bot.tools.workspace_scope import FolderScopedTools

PATH_ARGUMENT, CAPTION_ARGUMENT = "path", "caption"
PATH_DESCRIPTION = "a file, as report.pdf, or up to ten that are shown together"
CAPTION_DESCRIPTION = "a line shown with it"
MAX_FILE_NAME_CHARACTERS = 120
MAX_BYTES_PER_CALL = 2 * 2**30  # the largest single file that a platform takes
SHOWN_TYPES = ("image/", "video/", "audio/")
MAX_SHARE_OF_DISK = 0.5  # of the free disk, for one copy

DESCRIPTION = (
    "Send files of the workspace to the chat, as they are now. Use it when the person wants a file, or a result is "
    "better as one than as a long message. Write at most one line about it, and do not repeat what is in it."
)


def send_file_tool(
    workspace: Path, outgoing: OutgoingFolder, channels: Sequence[Channel] = (), groups: GetCurrentGroups = no_groups
) -> Tool:
    """Return the tool."""
    sender = FileSender(FolderScopedTools(lambda folder: (), workspace, groups), outgoing, channels)
    one, several = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    path: dict[str, Any] = {"anyOf": [one, several], "description": PATH_DESCRIPTION}
    properties = {PATH_ARGUMENT: path, CAPTION_ARGUMENT: string_schema(CAPTION_DESCRIPTION)}
    return Tool(
        name=SEND_FILE_TOOL_NAME,
        description=DESCRIPTION,
        input_schema=closed_object_schema(properties, PATH_ARGUMENT),
        kind=CallKind.ROW,
        effects=frozenset({Effect.READS_PRIVATE}),
        critical_arguments={PATH_ARGUMENT: Critical(Part.WHICH)},
        needed_right=Right.READ_FILES,
        plan_rows=sender.plan_files,
    )


class FileHoldsSecret(ToolError):
    """A file is not sent, because the secrets of these settings are in it."""

    def __init__(self, said: str, settings: frozenset[str]) -> None:
        super().__init__(said)
        self.settings = settings


class FileSender:
    def __init__(self, folders: FolderScopedTools, outgoing: OutgoingFolder, channels: Sequence[Channel]) -> None:
        self.folders = folders
        self.outgoing = outgoing
        self.channels = {channel.name: channel for channel in channels}

    async def plan_files(self, context: ToolContext, arguments: Arguments) -> SendFiles:
        reject_unknown_arguments(arguments, SEND_FILE_TOOL_NAME, (PATH_ARGUMENT, CAPTION_ARGUMENT))
        paths, caption = read_paths(arguments.get(PATH_ARGUMENT)), arguments.get(CAPTION_ARGUMENT) or ""
        if not isinstance(caption, str):
            kind = texts.ARGUMENT_KINDS["string"]
            said = texts.ARGUMENT_OF_WRONG_KIND(argument=CAPTION_ARGUMENT, kind=kind, description=CAPTION_DESCRIPTION)
            raise ToolError(said)
        if not is_encodable(caption):
            raise ToolError(texts.TEXT_WITH_HALF_A_CHARACTER)
        address, copied = context.turn.address, list[OutgoingFile]()
        channel = self.channels.get(address.channel)
        most = channel.max_upload_bytes(address) if channel else None
        workspace = Workspace(self.folders.find_or_make_turn_folder(context.turn))
        try:
            for path in paths:
                left = MAX_BYTES_PER_CALL - sum(file.size for file in copied)
                copied.append(await to_thread(copy_file, workspace, path, self.outgoing, most, left))
        except ToolError as error:
            if isinstance(error, FileHoldsSecret):
                current_exit_rules().on_secrets_kept_back(texts.FILE_OF_TURN(turn=context.turn.id), error.settings)
            for file in copied:  # all are sent, or none
                (self.outgoing.path / file.copy_name).unlink(missing_ok=True)
            raise
        return SendFiles(files=tuple(copied), caption=caption.strip())


def read_paths(given: object) -> Sequence[str]:
    """Return the paths of a call. Raise ToolError if they are not one text or a few different ones."""
    paths = [given] if isinstance(given, str) else given
    if not isinstance(paths, list) or not all(isinstance(each, str) and each.strip() for each in paths) or not paths:
        raise ToolError(texts.NO_FILES_TO_SEND(description=PATH_DESCRIPTION))
    if len(paths) > MAX_FILES_PER_MESSAGE:
        raise ToolError(texts.TOO_MANY_FILES_TO_SEND(most=MAX_FILES_PER_MESSAGE))
    if len(set(paths)) < len(paths):
        raise ToolError(texts.FILE_TO_SEND_TWICE)
    return paths


def copy_file(
    workspace: Workspace, path: str, outgoing: OutgoingFolder, most: int | None, left: int = MAX_BYTES_PER_CALL
) -> OutgoingFile:
    """Copy a file of the workspace, and return what it is. Raise ToolError if it cannot be sent: the chat takes at most
    `most` bytes, and the call may copy at most `left` more."""
    shown = escape_unprintable(path, MAX_NAME_CHARACTERS)
    reject_credential_path(path)
    with explain_path_errors(workspace, path, may_name_others=False):
        relative = workspace.relative_path(path)
        with workspace.open_file_location(relative) as location:
            reject_credential_path(location.name)  # a link may lead there
            with open(location.open_for_reading(), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if not size:
                    raise ToolError(texts.FILE_TO_SEND_IS_EMPTY(path=shown))
                if most is not None and size > most:
                    raise ToolError(texts.FILE_TO_SEND_TOO_LARGE(path=shown, size=size, most=most))
                if size > left:
                    raise ToolError(texts.FILES_TO_SEND_TOO_LARGE(most=MAX_BYTES_PER_CALL))
                if size > outgoing.free_bytes() * MAX_SHARE_OF_DISK:
                    raise ToolError(texts.NO_ROOM_FOR_FILE_TO_SEND(path=shown, size=size))
                copy = outgoing.copy_in(file, current_exit_rules().secrets)
    if copy and copy.secrets:
        raise FileHoldsSecret(texts.FILE_TO_SEND_HOLDS_SECRET(path=shown), copy.secrets)
    if copy is None or copy.size != size:  # it was emptied meanwhile
        raise ToolError(texts.FILE_TO_SEND_IS_CHANGING(path=shown))
    name = clean_file_name(PurePath(path).name)
    found = OutgoingFile(
        name=name,
        size=copy.size,
        sha256=copy.sha256,
        media_type=UNKNOWN.media_type,
        copy_name=copy.name,
        source=str(workspace.root / relative),
    )
    return judge_file(found, outgoing.path / copy.name)


def judge_file(file: OutgoingFile, path: Path) -> OutgoingFile:
    """Return a file with its media type by its first bytes, and with what platforms must know to show it. Only the type
    of a file without a known beginning follows from its name, and that is never one that platforms show."""
    with path.open("rb") as opened:
        if type_ := recognise(opened.read(BYTES_READ_TO_RECOGNISE)):
            width, height = find_image_sides(opened, type_)
            is_animated = type_ is GIF and is_animated_gif(opened)
            return replace(file, media_type=type_.media_type, width=width, height=height, is_animated=is_animated)
    guess = mimetypes.guess_type(file.name)[0] or UNKNOWN.media_type
    return file if guess.startswith(SHOWN_TYPES) else replace(file, media_type=guess)


def clean_file_name(name: str) -> str:
    """Return the name as people see it: without what cannot be shown, not too long, with its ending."""
    clean = "".join(sign if sign.isprintable() else " " for sign in name).strip() or "file"
    if len(clean) <= MAX_FILE_NAME_CHARACTERS:
        return clean
    ending = PurePath(clean).suffix[:20]
    return clean[: MAX_FILE_NAME_CHARACTERS - len(ending)] + ending


def is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
