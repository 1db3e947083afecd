"""The folder that the demo reads: a checkout of the project, or the project's pages in an installed package."""

from pathlib import Path

from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER

INSTALLED_PAGES = Path(__file__).with_name("pages_of_the_project")  # setup.py puts them there
PAGES_FOLDER = PROJECT_FOLDER if IS_CHECKOUT else INSTALLED_PAGES
