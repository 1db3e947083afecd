"""`add-tenant` as an operator types it, with the platforms' and the model's stand-ins at the other end."""

import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.core.program_names import PROJECT_FOLDER
from bot.ops.checks import texts as check_texts
from bot.tenants import making_texts
from bot.tenants.commands import texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.shell import TENANTS, Said, Shell
from tests.support.wording import says
from tests.tenants.papers import COOK, PNG, TELEGRAM

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root"),
    pytest.mark.timeout(60),
]
IMAGE = "sha256:" + "1" * 64
NOBODY = "http://127.0.0.1:9"
MOUNTED = texts.WOULD_BE_MOUNTED(image="disk.img", size="1G", folder="disk", folders="groups, workspace, data")


@dataclass
class Operator:
    """Somebody with a folder of tenants, prepared settings, and platforms that answer."""

    folder: Path
    shell: Shell
    claude: ClaudeStandIn
    telegram: TelegramStandIn

    @property
    def root(self) -> Path:
        return self.folder / "srv"

    def prepared(self, **settings: Any) -> Path:
        path = self.folder / "acme.json"
        telegram = {"enabled": True, "owner": 7, "base_url": self.telegram.base_url}
        values = {"model": {"base_url": self.claude.base_url}, "channels": {"telegram": telegram}}
        path.write_text(json.dumps({**values, **settings}))
        return path

    def secrets(self, **secrets: str) -> Path:
        folder = self.folder / "given"
        folder.mkdir(exist_ok=True)
        usual = {"channels__telegram__token": self.telegram.token, "model__api_key": self.claude.api_key}
        for name, value in {**usual, **secrets}.items():
            (folder / name).write_text(value)
        return folder

    async def add(self, name: str, *words: str, stdin: str = "", image: str = IMAGE) -> Said:
        named = ("--image", image) if image else ()
        said = await self.shell.retinue("add-tenant", name, "--root", str(self.root), *named, *words, stdin=stdin)
        for secret in (self.telegram.token, self.claude.api_key):
            assert secret not in said.out + said.err
        return said

    async def add_prepared(self, name: str = "acme", *words: str) -> Said:
        return await self.add(name, "--config", str(self.prepared()), "--secrets", str(self.secrets()), *words)

    def found(self, name: str = "acme") -> dict[str, str]:
        folder = self.root / name
        paths = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.exists() else []
        return {str(path.relative_to(folder)): path.read_text() for path in paths}


def parts_that_are(state: str, out: str) -> list[str]:
    """What the findings of that state are about."""
    return sorted(line.split()[1] for line in out.splitlines() if line.startswith(f"{state} "))


@pytest.fixture
async def operator(tmp_path: Path) -> AsyncIterator[Operator]:
    async with ClaudeStandIn() as claude, TelegramStandIn() as telegram:
        shell = Shell(tmp_path, program=TENANTS)
        yield Operator(tmp_path, shell, claude, telegram)


async def test_from_a_prepared_config_and_a_folder_of_secrets(operator: Operator) -> None:
    said = await operator.add_prepared("acme", "--budget", "2.5", "--time-zone", "Europe/Berlin")
    assert said.status == 0, said.err
    files = operator.found()
    assert set(files) == {
        *("compose.yaml", "config.json", "tenant.json"),
        *("secrets/channels__telegram__token", "secrets/model__api_key"),
    }
    config = json.loads(files["config.json"])
    assert config["swarm"] == {"enabled": True, "max_depth": 1, "max_concurrent": 3, "roles": {}}
    assert (config["limits"], config["time_zone"]) == ({"day_usd": 2.5}, "Europe/Berlin")
    assert "telegram: @" in said.out
    assert check_texts.MODEL_THERE(model="claude-sonnet-5-5") in said.out
    assert "up --detach" in said.out.split(texts.NEXT)[1]


async def test_secrets_come_through_stdin(operator: Operator) -> None:
    secrets = {"channels__telegram__token": operator.telegram.token, "model__api_key": operator.claude.api_key}
    said = await operator.add(
        *("acme", "--config", str(operator.prepared()), "--secrets", "-"), stdin=json.dumps(secrets)
    )
    assert said.status == 0, said.err
    assert operator.found()["secrets/model__api_key"] == operator.claude.api_key + "\n"


async def test_the_commands_environment_is_no_source_of_secrets(operator: Operator) -> None:
    operator.shell.settings["ANTHROPIC_API_KEY"] = operator.claude.api_key
    operator.shell.settings["RETINUE_MODEL__API_KEY"] = operator.claude.api_key
    operator.shell.settings["TELEGRAM_BOT_TOKEN"] = operator.telegram.token
    said = await operator.add("acme", "--config", str(operator.prepared()))
    assert (said.status, operator.found()) == (2, {})
    assert "channels__telegram__token" in said.err


@pytest.mark.fast
async def test_it_asks_for_all_that_is_needed(operator: Operator) -> None:
    roles = operator.folder / "roles"
    roles.mkdir()
    (roles / "cook.md").write_text("---\ndescription: Cooks.\n---\nYou cook.")
    answers = [
        *(operator.claude.api_key, "y", operator.telegram.token, "n", "7", "n"),
        *("eight", "8, 9", "a lot", "1.50", "Mars", "Europe/Berlin", "nowhere", str(roles)),
    ]
    base = operator.folder / "base.json"
    addresses = {
        "model": {"base_url": operator.claude.base_url},
        "channels": {"telegram": {"base_url": operator.telegram.base_url}},
    }
    base.write_text(json.dumps(addresses))
    said = await operator.add("acme", "--config", str(base), "--ask", stdin="\n".join([*answers, ""]))
    assert said.status == 0, said.err + said.out
    files = operator.found()
    config = json.loads(files["config.json"])
    assert config["channels"]["telegram"]["owner"] == 7
    assert config["channels"]["telegram"]["allow_from"] == [8, 9]
    assert (config["limits"], config["time_zone"]) == ({"day_usd": 1.5}, "Europe/Berlin")
    assert "You cook." in files["roles/cook.md"]
    assert files["secrets/channels__telegram__token"] == operator.telegram.token + "\n"


async def test_answers_that_end_too_soon_leave_nothing(operator: Operator) -> None:
    said = await operator.add("acme", stdin="\n")
    assert (said.status, operator.found()) == (2, {})
    assert "nothing was written" in said.err


async def test_a_token_that_is_refused_stops_it_unless_it_is_wanted_anyway(operator: Operator) -> None:
    operator.secrets(channels__telegram__token=TELEGRAM)
    words = ("--config", str(operator.prepared()), "--secrets", str(operator.folder / "given"))
    said = await operator.add("acme", *words)
    assert (said.status, operator.found()) == (1, {})
    assert parts_that_are("wrong", said.out) == ["telegram:"]
    assert texts.CHECK_FAILED in said.out
    assert (await operator.add("acme", *words, "--anyway")).status == 0


async def test_an_unreachable_service_is_a_warning_and_stops_nothing(operator: Operator) -> None:
    values = json.loads(operator.prepared().read_text())
    values["channels"]["telegram"]["base_url"] = f"{NOBODY}/bot"
    values["model"]["base_url"] = NOBODY
    path = operator.prepared(**values)
    said = await operator.add("acme", "--config", str(path), "--secrets", str(operator.secrets()))
    assert said.status == 0, said.err
    assert parts_that_are("warning", said.out) == ["model:", "telegram:"]


@pytest.mark.fast
async def test_a_dry_run_shows_everything_and_writes_nothing(operator: Operator) -> None:
    before = sorted(operator.folder.rglob("*"))
    operator.prepared(), operator.secrets()
    roles = operator.folder / "roles"
    roles.mkdir()
    (roles / "cook.md").write_text(COOK)
    (roles / "cook.png").write_bytes(PNG)
    said = await operator.add_prepared("acme", "--dry-run", "--roles", str(roles))
    assert said.status == 0, said.err
    assert not operator.root.exists()
    for shown in (
        "600 50000:50000 secrets/model__api_key",
        "700 50000:50000 data/",
        "--- compose.yaml",
        "read_only: true",
        "picture: cook.png",
        f"--- roles/cook.png\n{texts.PICTURE_NOT_SHOWN(size=len(PNG))}",
    ):
        assert shown in said.out
    assert "--- secrets" not in said.out
    assert len(sorted(operator.folder.rglob("*"))) > len(before)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--disk", "1G"], [MOUNTED, "enable --now", "up --detach"]),
        (
            ["--target", "systemd"],
            [f"ExecStart={PROJECT_FOLDER}/.venv/bin/retinue run", "enable --now retinue@acme.service"],
        ),
        (["--target", "kubernetes", "--image", "example.org/it:1"], ['image: "example.org/it:1"', "kubectl apply -k"]),
    ],
)
async def test_a_dry_run_shows_what_each_target_would_have(
    operator: Operator, words: list[str], shown: list[str]
) -> None:
    given = ("--config", str(operator.prepared()), "--secrets", str(operator.secrets()))
    said = await operator.add("acme", *given, *words, "--dry-run", image="")
    assert said.status == 0, said.err
    assert not operator.root.exists()
    assert [text for text in shown if text not in said.out] == []
    assert says(said.out, texts.IMAGE_WOULD_BE_BUILT) == ("--disk" in words)


@pytest.mark.fast
async def test_run_again_it_changes_nothing(operator: Operator) -> None:
    await operator.add_prepared()
    before = operator.found()
    (operator.root / "acme/data/bot.db").write_text("rows")
    said = await operator.add("acme")
    assert said.status == 0, said.err
    assert texts.UNCHANGED(name="acme", folder=operator.root / "acme") in said.out
    assert operator.found() == before | {"data/bot.db": "rows"}


async def test_a_dry_run_for_a_tenant_that_is_there_writes_nothing_either(operator: Operator) -> None:
    await operator.add_prepared()
    there = {"name": "acme", "folder": operator.root / "acme"}
    (operator.root / "acme/compose.yaml").write_text("mine\n")
    before = operator.found()
    said = await operator.add("acme", "--dry-run")
    assert (said.status, operator.found()) == (0, before)
    assert texts.WOULD_BE_REWRITTEN(**there, paths="compose.yaml") in said.out
    assert "read_only: true" in said.out
    assert texts.BROUGHT_UP_TO_DATE(**there, paths="compose.yaml") in (await operator.add("acme")).out
    assert texts.UNCHANGED(**there) in (await operator.add("acme", "--dry-run")).out


async def test_options_for_an_existing_tenant_are_reported_as_ignored(operator: Operator) -> None:
    await operator.add_prepared()
    said = await operator.add_prepared("acme", "--budget", "99")
    assert said.status == 0
    assert texts.OPTIONS_LEFT_ALONE in said.out
    assert json.loads(operator.found()["config.json"]).get("limits") is None


async def test_a_bot_is_one_tenants_alone(operator: Operator) -> None:
    await operator.add_prepared("acme")
    said = await operator.add_prepared("zeta")
    assert (said.status, operator.found("zeta")) == (2, {})
    assert says(said.err, making_texts.BOT_OF_ANOTHER_TENANT, name="acme")
    assert said.out == "", "nobody is asked, and no image is built, for what is refused"


async def test_groups_of_its_own_are_taken_along_and_one_in_fault_is_refused(operator: Operator) -> None:
    team = operator.folder / "groups" / "team"
    (team / "workspace").mkdir(parents=True)
    (team / "workspace" / "a.md").write_text("of the team")
    words = ("--groups", str(operator.folder / "groups"))
    (team / "instructions.md").write_text("---\naddress: telegram:5\nfoo: x\n---\nYou are.")
    said = await operator.add_prepared("acme", *words)
    assert (said.status, operator.found()) == (2, {})
    assert "acme/groups/team/instructions.md: foo " in said.err
    (team / "instructions.md").write_text("---\naddress: telegram:-5\n---\nYou are.")
    said = await operator.add_prepared("acme", *words, "--dry-run")
    assert said.status == 0, said.err
    assert "groups/team/workspace/a.md" in said.out
    assert "of the team" not in said.out
    said = await operator.add_prepared("acme", *words)
    assert said.status == 0, said.err
    assert operator.found()["groups/team/workspace/a.md"] == "of the team"
