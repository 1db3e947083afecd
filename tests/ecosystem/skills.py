"""Try published skills: load them, find them in the prompt, have them read, and run scripts of some in the shell."""

import asyncio
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.assembly import make_shell
from bot.config import Config
from bot.config.skills import load_skills
from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.core.skill import Skill
from bot.tools.skills import skill_tools
from tests.ecosystem.clones import extract
from tests.ecosystem.listed import ListedFile, Script
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.patience import PATIENCE

MAX_COMPARED_CHARACTERS = 500


@dataclass(slots=True, kw_only=True)
class SkillTrial:
    skill: ListedFile
    fault: str = ""  # empty if it was loaded, shown and read


@dataclass(slots=True, kw_only=True)
class ScriptTrial:
    script: Script
    printed: str

    @property
    def is_run(self) -> bool:
        return bool(re.search(self.script.says, self.printed))


async def try_skills(
    listed: Sequence[ListedFile], scripts: Sequence[Script], clones: Path
) -> tuple[list[SkillTrial], list[ScriptTrial]]:
    with TemporaryDirectory(dir="/var/tmp") as place:
        bench = Bench(Path(place) / "data")
        bench.data.mkdir()
        config = Config.model_validate(
            {
                "skills_dir": Path(place) / "skills",
                "workspace": Path(place) / "desk",
                "data_dir": bench.data,
                "shell": {"enabled": True},
            }
        )
        config.workspace.mkdir()
        for each in listed:
            shutil.move(extract(each, clones, Path(place) / "clones"), config.skills_dir / each.name)
        loaded = load_skills(config)
        by_folder = {skill.folder.name: skill for skill in loaded.skills}
        used = await use_skills(bench, config, loaded.skills, [each for each in scripts if each.skill in by_folder])
        trials = [
            SkillTrial(skill=each, fault=fault_of_skill(by_folder.get(each.name), used, loaded.faults, each.name))
            for each in listed
        ]
        return trials, [ScriptTrial(script=each, printed=used.printed.get(each.command, "")) for each in scripts]


@dataclass(slots=True, kw_only=True)
class Used:
    prompt: str  # what the model reads of all skills
    read: dict[str, str]  # what the model reads of a skill, by name
    printed: dict[str, str]  # by command


async def use_skills(bench: Bench, config: Config, skills: Sequence[Skill], scripts: Sequence[Script]) -> Used:
    """Have the lead read each skill, and run the scripts, each in a chat of its own. The owner agrees to each."""
    bench.roles[LEAD_ROLE_NAME] = role("lead", "use_skill", "shell")
    folders = {skill.folder.name: skill.folder for skill in skills}
    bench.model.says("lead", *(reply(uses("use_skill", skill=skill.name)) for skill in skills), "done")
    for each in scripts:
        bench.model.says("lead", reply(uses("shell", command=f"cd {folders[each.skill]} && {each.command}")), "done")
    async with bench.run(tools=[*skill_tools(skills), *make_shell(config, skills)(config.workspace)]):
        for chat in ("skills", *(each.command for each in scripts)):
            bench.chat.hears("do it", by="Owner", chat=chat)
            await answer_until_reply(bench, chat)
    [told] = [tool["description"] for tool in bench.model.seen[0].prefix.tools if tool["name"] == "use_skill"]
    results = [str(result) for (result,) in bench.select("result", "calls", order="rowid")]
    return Used(
        prompt=told,
        read=dict(zip((skill.name for skill in skills), results, strict=False)),
        printed=dict(zip((each.command for each in scripts), results[len(skills) :], strict=False)),
    )


async def answer_until_reply(bench: Bench, chat: str) -> None:
    """Say yes to each call that is asked about, until the turn is over."""
    async with asyncio.timeout(PATIENCE):
        while (part := await bench.chat.sent.get()).message.kind is not OutboundKind.REPLY:
            if part.message.kind is OutboundKind.APPROVAL:
                bench.chat.taps(part.message.id, part.message.options[0], by="Owner", chat=chat)


def fault_of_skill(skill: Skill | None, used: Used, faults: Sequence[str], folder: str) -> str:
    if skill is None:
        return next((fault for fault in faults if f"/{folder}/" in fault), "it was not loaded")
    if f"- {skill.name}" not in used.prompt:
        return "the prompt does not show it"
    beginning = "".join(skill.body.split())[:MAX_COMPARED_CHARACTERS]
    return "" if beginning in "".join(used.read.get(skill.name, "").split()) else "its body was not read"
