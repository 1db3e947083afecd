"""Have both conversations of docs/teamwork.md, and write them into the page: python -m tests.teamwork."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.models.claude.sdk_import import import_sdk_without_unused_parts
from tests.teamwork.on_discord import talk_on_discord
from tests.teamwork.on_telegram import talk_on_telegram
from tests.teamwork.page import PAGE, draw_pictures, picture_path, replace_conversations


async def main() -> None:
    texts = {}
    for talk in (talk_on_telegram, talk_on_discord):
        with TemporaryDirectory() as folder:
            stage = await talk(Path(folder))
        texts[stage.chat.name] = stage.transcript.text
        for name, picture in draw_pictures(stage).items():
            picture_path(name).parent.mkdir(exist_ok=True)
            picture_path(name).write_text(picture)
    PAGE.write_text(replace_conversations(PAGE.read_text(), texts))


if __name__ == "__main__":
    import_sdk_without_unused_parts()  # as bots do
    asyncio.run(main())
