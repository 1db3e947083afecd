"""Nothing is sent home: these are all addresses that the program knows by itself. docs/privacy.md names them too."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
CONTACTED = {"api.anthropic.com", "api.telegram.org", "discord.com", "api.search.brave.com", "api.tavily.com"}
NAMED_IN_WORDS = {  # addresses that people read, and that nothing contacts: by the file that has them
    ("bot/cli/setup_wizard/texts.py", "platform.claude.com"),
    ("bot/core/texts/setting_values.py", "host"),
    ("bot/core/texts/setting_values.py", "name"),
    ("channels/telegram/platform.py", "t.me"),
}
RESERVED = {"example.org", "example.com"}  # for examples: nobody can own them
HOST = re.compile(r"(?:https?|wss?)://([A-Za-z0-9_.-]*[A-Za-z0-9])")


def hosts_in_code() -> set[tuple[str, str]]:
    paths = [path for room in ("bot", "channels", "roles") for path in (REPOSITORY / room).rglob("*.*")]
    texts = {path: path.read_text() for path in paths if path.suffix in (".py", ".md", ".toml", ".json")}
    found = {(str(path.relative_to(REPOSITORY)), host) for path, text in texts.items() for host in HOST.findall(text)}
    return {(path, host) for path, host in found if host not in RESERVED}


def test_the_program_knows_no_address_but_those_of_its_services() -> None:
    assert {host for _, host in hosts_in_code() - NAMED_IN_WORDS} == CONTACTED
    assert hosts_in_code() >= NAMED_IN_WORDS


def test_the_page_on_privacy_names_every_address() -> None:
    page = (REPOSITORY / "docs" / "privacy.md").read_text()
    table = re.findall(r"^\| `([a-z.]+)`", page, re.MULTILINE)
    assert set(table) == CONTACTED
