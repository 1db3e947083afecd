"""A folder for skills."""

from pathlib import Path

import pytest

from tests.support.skill_folder import SkillFolder


@pytest.fixture
def folder(tmp_path: Path) -> SkillFolder:
    return SkillFolder(tmp_path / "skills")
