"""The base of every section of the config."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section of the config. It is immutable and rejects unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
