"""Who answers in the chat: Claude, or a server like it; without a key for one, the demo."""

import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import bot
from bot.cli.accesses import owners_at
from bot.cli.options import DEMO
from bot.config import Config, Loaded
from bot.errors import ConfigError
from bot.group import GroupsNow, no_groups
from bot.groupfiles import read
from bot.groupfiles.watch import Watch
from bot.limits import Settings
from bot.messages import RoleName
from bot.model import Model
from bot.role import Role
from bot.tools import Tool
from bot.wiring import engine_settings, models_of, roles_for, tools_for

REPOSITORY = Path(bot.__file__).parent.parent
ANNOUNCEMENT = "No API key, so a script answers: the demo. To add one: export ANTHROPIC_API_KEY=sk-ant-…"
PAGES = "pages"  # that the demo reads, below its data folder
KEY_BYTES = 32
QUICK_PACE = 3.0  # of the demo, where nobody watches it write
STOP_SECONDS = 3.0  # somebody sits before it: what is not done by then goes on at the next start


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """All that `app.run` needs besides the channel."""

    model: Callable[[], AbstractAsyncContextManager[Model]]
    roles: Mapping[RoleName, Role]
    tools: Sequence[Tool]
    settings: Settings
    data: Path
    title: str
    announcement: str = ""
    models: frozenset[str] = frozenset()  # all that somebody is played by, as far as is known
    groups: AbstractContextManager[GroupsNow] = field(
        default_factory=lambda: nullcontext(no_groups)
    )  # a script has none


def answering(loaded: Loaded, *, is_watched: bool) -> Answering:
    model = loaded.config.model
    return claude(loaded) if model.api_key or model.base_url else demo(loaded, QUICK_PACE if not is_watched else 1.0)


def claude(loaded: Loaded) -> Answering:
    config, model = loaded.config, loaded.config.model
    roles = roles_for(loaded)
    watch = watched_groups(loaded, roles)
    models = models_of(config, {**roles, **{group.agent.name: group.agent for group in watch.now()}})

    def connected() -> AbstractAsyncContextManager[Model]:
        from bot.claude import Claude  # here, since nothing else needs anthropic

        key = model.api_key.get_secret_value() if model.api_key else None
        return Claude(key, model.base_url, user_key(config.data_dir), models=models)

    return Answering(
        model=connected,
        roles=roles,
        tools=tools_for(config, watch.now),
        settings=replace(engine_settings(config), stop_seconds=STOP_SECONDS),
        data=config.data_dir,
        title=model.lead,
        models=models,
        groups=watch,
    )


def watched_groups(loaded: Loaded, roles: Mapping[RoleName, Role]) -> Watch:
    """The groups, and what changes in their files from now on."""
    reading = partial(read, loaded, roles.keys(), owners_at(loaded.config), may_make=True)
    return Watch(loaded.config.swarm.groups_dir, reading)


def demo(loaded: Loaded, pace: float, *, is_public: bool = False) -> Answering:
    """It works in Retinue's own folder, which it may only read; and it remembers in a folder of its own, so that a
    script's words never stand in a conversation with Claude. Where others than the operator write, it works in copies
    of that folder's pages, since config and secrets may lie beside them."""
    from bot.demo import LEAD_MODEL, ROLES_MODEL, Demo

    config = of_demo(loaded.config)
    if is_public:
        config = config.model_copy(update={"workspace": copied_pages(config.workspace, config.data_dir / PAGES)})
    settings = engine_settings(config)
    return Answering(
        model=lambda: nullcontext(Demo(pace)),
        roles={name: replace(role, model="") for name, role in roles_for(loaded).items()},
        tools=tools_for(config, may_write=False),
        settings=replace(
            settings,
            lead_model=LEAD_MODEL,
            roles_model=ROLES_MODEL,
            is_demo=True,
            workspace=None,
            stop_seconds=STOP_SECONDS,
        ),
        data=config.data_dir,
        title="demo: a script answers",
        announcement=ANNOUNCEMENT,
    )


def of_demo(config: Config) -> Config:
    """A script looks nothing up on the web, so it is not shown the tools."""
    return config.model_copy(update={"workspace": REPOSITORY, "data_dir": config.data_dir / DEMO, "web": False})


def copied_pages(source: Path, folder: Path) -> Path:
    """A folder with copies of the pages that anybody may read, made anew; raises ConfigError."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for page in source.glob("*.md"):
            shutil.copy(page, folder)
        for name in ("docs", "roles"):
            shutil.copytree(source / name, folder / name)
    except OSError as error:
        raise ConfigError(f"data_dir: cannot copy the demo's pages to {folder}: {error}") from None
    return folder


def user_key(data: Path) -> bytes:
    """The secret of this installation: made once, and anew if the file is no whole key; raises ConfigError."""
    path = data / "user_key"
    try:
        key = path.read_bytes() if path.exists() else b""
        if len(key) >= KEY_BYTES:
            return key
        return write_key(path)
    except OSError as error:
        raise ConfigError(f"data_dir: cannot use {path}: {error.strerror}") from None


def write_key(path: Path) -> bytes:
    """Beside it and then in its place, so that a kill leaves a whole key or none."""
    key, draft = secrets.token_bytes(KEY_BYTES), path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return key
