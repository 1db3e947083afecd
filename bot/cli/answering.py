"""Who answers in the chat: Claude, or a server like it; without a key for one, the demo."""

import logging
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bot.cli import texts
from bot.cli.accesses import owners_at
from bot.cli.options import DEMO
from bot.config import Config, Loaded
from bot.demo.workspace import PAGES
from bot.errors import ConfigError
from bot.fallback import with_fallback
from bot.group import GroupsNow, no_groups
from bot.groupfiles import Found, read
from bot.groupfiles.watch import Watch
from bot.limits import Settings
from bot.messages import RoleName
from bot.model import Model
from bot.network import Network
from bot.role import Role, RolesNow
from bot.rolefiles.watch import RoleWatch
from bot.texts import operators
from bot.tools import Tool
from bot.wiring import (
    engine_settings,
    fallback_of,
    is_anthropic,
    models_of,
    network_of,
    roles_for,
    tools_for,
    uncapped,
)

log = logging.getLogger(__name__)

COPIES = "pages"  # of what the demo reads, below its data folder
KEY_BYTES = 32
QUICK_PACE = 3.0  # of the demo, where nobody watches it write
STOP_SECONDS = 3.0  # somebody sits before it: what is not done by then goes on at the next start


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """All that `app.run` needs besides the channel."""

    model: Callable[[], AbstractAsyncContextManager[Model]]
    roles: Mapping[RoleName, Role] | RolesNow
    tools: Sequence[Tool]
    settings: Settings
    data: Path
    title: str
    workspace: Path
    models: frozenset[str] = frozenset()  # all that somebody is played by, as far as is known
    groups: AbstractContextManager[GroupsNow] = field(
        default_factory=lambda: nullcontext(no_groups)
    )  # a script has none


def answering(loaded: Loaded, *, is_watched: bool) -> Answering:
    return claude(loaded) if has_model(loaded) else demo(loaded, QUICK_PACE if not is_watched else 1.0)


def data_of(loaded: Loaded) -> Path:
    """The data folder of whoever answers in the chat."""
    return loaded.config.data_dir if has_model(loaded) else of_demo(loaded.config).data_dir


def has_model(loaded: Loaded) -> bool:
    return bool(loaded.config.model.api_key or loaded.config.model.base_url)


def claude(loaded: Loaded) -> Answering:
    config, model = loaded.config, loaded.config.model
    roles = RoleWatch(config.swarm.roles_dir, partial(roles_for, loaded))
    watch = watched_groups(loaded, roles.now)
    network = network_of(config)
    network.trust()  # what is wrong with the file is told now, and not at the first message
    models = models_of(config, {**roles.now(), **{group.agent.name: group.agent for group in watch.now()}})

    def connected() -> AbstractAsyncContextManager[Model]:
        own, other = client(config, models, network), fallback_of(config)
        return with_fallback(own, client(other, [other.model.lead], network)) if other else own

    settings = replace(engine_settings(config), stop_seconds=STOP_SECONDS)
    if line := uncapped({*models, *filter(None, [model.fallback.model])}, settings):
        log.warning("%s", line)
    return Answering(
        model=connected,
        roles=roles.now,
        tools=tools_for(config, watch.now),
        settings=settings,
        data=config.data_dir,
        title=model.lead,
        workspace=config.workspace,
        models=models,
        groups=both(roles, watch),
    )


def client(config: Config, models: Collection[str], network: Network) -> AbstractAsyncContextManager[Model]:
    from bot.claude import Claude  # here, since nothing else needs anthropic
    from bot.claude.faults import Patience

    model, secret = config.model, user_key(config.data_dir)
    key = model.api_key.get_secret_value() if model.api_key else None
    patience, own = Patience(read_seconds=model.read_timeout_seconds), is_anthropic(config)
    return Claude(key, model.base_url, secret, models=models, is_anthropic=own, patience=patience, network=network)


@contextmanager
def both(roles: RoleWatch, groups: Watch) -> Iterator[GroupsNow]:
    """What changes in the files of both is taken up while this is entered."""
    with roles, groups:
        yield groups.now


def watched_groups(loaded: Loaded, roles: RolesNow) -> Watch:
    """The groups, and what changes in their files from now on."""

    def reading() -> Found:
        return read(loaded, roles().keys(), owners_at(loaded.config), may_make=True)

    return Watch(loaded.config.swarm.groups_dir, reading)


def demo(loaded: Loaded, pace: float, *, is_public: bool = False) -> Answering:
    """It works in Retinue's own folder, which it may only read; and it remembers in a folder of its own, so that a
    script's words never stand in a conversation with Claude. Where others than the operator write, it works in copies
    of that folder's pages, since config and secrets may lie beside them."""
    from bot.demo import LEAD_MODEL, ROLES_MODEL, Demo

    config = of_demo(loaded.config)
    if is_public:
        config = config.model_copy(update={"workspace": copied_pages(config.workspace, config.data_dir / COPIES)})
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
        title=texts.DEMO_TITLE,
        workspace=config.workspace,
    )


def of_demo(config: Config) -> Config:
    """A script looks nothing up on the web, so it is not shown the tools."""
    return config.model_copy(update={"workspace": PAGES, "data_dir": config.data_dir / DEMO, "web": False})


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
        raise ConfigError(texts.CANNOT_COPY_PAGES(folder=folder, reason=error)) from None
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
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error.strerror)) from None


def write_key(path: Path) -> bytes:
    """Beside it and then in its place, so that a kill leaves a whole key or none."""
    key, draft = secrets.token_bytes(KEY_BYTES), path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return key
