"""The release for a tenant: the one named on the command line, or this checkout."""

from dataclasses import dataclass, field
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import release
from bot.tenants.commands import texts
from bot.tenants.commands.deployments import echo_escaped
from bot.tenants.tenant import Tenant


@dataclass(slots=True)
class ReleaseChoice:
    image: str | None
    folder: Path | None
    releases_by_target: dict[str, str] = field(default_factory=dict)  # cached, so that an image is built only once

    def check_for_target(self, tenant: Tenant) -> None:
        """Raise ConfigError if the tenant's target cannot run the named release."""
        if tenant.target == "systemd":
            if self.folder and not (self.folder / ".venv/bin/retinue").exists():
                raise ConfigError(texts.RELEASE_NOT_INSTALLED(folder=self.folder))
        elif self.folder:
            raise ConfigError(texts.RUNS_AN_IMAGE(name=tenant.name))
        release.check_release(tenant.target, self.image)

    def resolve_for(self, tenant: Tenant) -> str:
        if tenant.target == "systemd" and self.folder:
            return str(self.folder.resolve())
        if tenant.target not in self.releases_by_target:
            self.releases_by_target[tenant.target] = release.release_for(tenant.target, self.image, echo_escaped)
        return self.releases_by_target[tenant.target]

    @property
    def is_named(self) -> bool:
        return self.image is not None or self.folder is not None
