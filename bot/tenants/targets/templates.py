"""Fill the templates of `templates/`, which an operator can read, with a tenant's values."""

from collections.abc import Mapping
from pathlib import Path
from string import Template

from bot.core.errors import ConfigError
from bot.tenants.targets import texts

TEMPLATES_FOLDER = Path(__file__).parents[1] / "templates"


def render_template(name: str, values: Mapping[str, object]) -> str:
    """Return the template with each `$name` replaced. A value of several lines keeps the indentation of its place.

    A line that holds only an empty value is left out. Raise ConfigError if the template cannot be read.
    """
    path = TEMPLATES_FOLDER / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(texts.TEMPLATE_UNREADABLE(path=path, error=error.strerror)) from None
    lines = []
    for line in text.splitlines(keepends=True):
        indentation = line[: len(line) - len(line.lstrip())]
        indented = {key: str(value).replace("\n", "\n" + indentation) for key, value in values.items()}
        filled = Template(line).substitute(indented)
        if filled.strip() or not line.strip():
            lines.append(filled)
    return "".join(lines)
