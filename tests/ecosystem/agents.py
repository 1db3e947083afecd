"""Try published agents of Claude Code: lay their files among the role files, unchanged, and delegate once to each."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.assembly import make_tools_and_workspace_folder
from bot.config import Config
from bot.config.roles import describe_ignored_parts, known_tools, load_roles
from bot.config.roles.file import RoleFile, read_role_file
from bot.core.errors import ConfigError
from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME, Role
from tests.ecosystem.clones import extract
from tests.ecosystem.listed import ListedFile
from tests.support.bench import Bench
from tests.support.fakes import delegates, own_text

REPORT = "the report of"


@dataclass(slots=True, kw_only=True)
class AgentTrial:
    agent: ListedFile
    fault: str = ""  # empty if it was loaded and has worked
    ignored: str = ""  # what of its file counts for nothing here
    tools: Sequence[str] = ()  # that its model was offered


async def try_agents(listed: Sequence[ListedFile], clones: Path) -> list[AgentTrial]:
    with TemporaryDirectory(dir="/var/tmp") as place:
        config = Config.model_validate(
            {"swarm": {"roles_dir": Path(place) / "roles"}, "workspace": Path(place) / "desk", "data_dir": place}
        )
        config.swarm.roles_dir.mkdir()
        trials, files = [AgentTrial(agent=each) for each in listed], dict[str, RoleFile]()
        for trial in trials:
            path = lay_agent(trial.agent, clones, Path(place))
            try:
                files[str(trial.agent)] = read_role_file(path, known_tools(config))
            except ConfigError as error:
                trial.fault = " ".join(error.lines)
                path.unlink()
        roles = load_roles(config, "config.json")
        for line in describe_ignored_parts(config):
            for trial in trials:
                if file_name(trial.agent) in line:
                    trial.ignored = line.partition(".md: ")[2]
        bench = Bench(Path(place) / "bench")
        bench.data.mkdir()
        bench.roles = dict(roles)
        async with bench.run(tools=make_tools_and_workspace_folder(config)):
            for trial in trials:
                if file := files.get(str(trial.agent)):
                    role = next(each for each in roles.values() if each.name == file.name)
                    await delegate_to(bench, role, trial)
        return trials


async def delegate_to(bench: Bench, role: Role, trial: AgentTrial) -> None:
    lead, mine = (own_text(bench.roles[name].prompt).partition("\n")[0] for name in (LEAD_ROLE_NAME, role.name))
    report = f"{REPORT} {role.name}"
    bench.model.says(lead, delegates(role.name), "done")
    bench.model.says(mine, report)
    bench.chat.hears("do it", by="Owner")
    await bench.chat.said(OutboundKind.REPLY)
    [(result,)] = bench.rows("SELECT result FROM calls WHERE name = 'delegate' ORDER BY rowid DESC LIMIT 1")
    trial.fault = "" if report in str(result) else f"it has not reported: {result}"
    trial.tools = sorted(tool["name"] for tool in bench.model.asked(mine)[-1].prefix.tools)


def lay_agent(agent: ListedFile, clones: Path, place: Path) -> Path:
    """Return the path of the file among the role files. Files of two repositories may have the same name."""
    return Path(shutil.copy(extract(agent, clones, place / "clones"), place / "roles" / file_name(agent)))


def file_name(agent: ListedFile) -> str:
    return f"{agent.owner}-{agent.name}"
