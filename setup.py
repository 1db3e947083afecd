"""What pyproject.toml cannot say: the demo reads pages of the project, so a wheel carries them inside its package."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
PAGES = ("README.md", "CHANGELOG.md", "LICENSE", "config.json.example", "docs", "roles")
PLACE = Path("bot", "models", "demo", "pages_of_the_project")


class BuildWithPages(build_py):
    """An editable installation reads them where they are."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        place = Path(self.build_lib, PLACE)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name in PAGES:
            page = ROOT / name
            if page.is_dir():
                shutil.copytree(page, place / name, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
            else:
                shutil.copy(page, place)


setup(cmdclass={"build_py": BuildWithPages})
