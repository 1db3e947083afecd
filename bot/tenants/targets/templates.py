"""The files of `templates/`, which an operator can read, and the values that a tenant's own take in them."""

from collections.abc import Mapping
from pathlib import Path
from string import Template

from bot.core.errors import ConfigError
from bot.tenants.targets import texts

TEMPLATES_FOLDER = Path(__file__).parents[1] / "templates"


def render_template(name: str, values: Mapping[str, object]) -> str:
    """That file with each `$name` in it replaced; a value of several lines keeps the indentation of its place."""
    path = TEMPLATES_FOLDER / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(texts.TEMPLATE_UNREADABLE(path=path, error=error.strerror)) from None
    return "".join(_fill_line(line, values) for line in text.splitlines(keepends=True))


def _fill_line(line: str, values: Mapping[str, object]) -> str:
    """A line that is nothing but a value of no lines vanishes."""
    indentation = line[: len(line) - len(line.lstrip())]
    lines = {name: str(value).replace("\n", "\n" + indentation) for name, value in values.items()}
    filled = Template(line).substitute(lines)
    return filled if filled.strip() or not line.strip() else ""
