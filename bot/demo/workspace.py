"""The folder that the demo reads: a checkout of the project, or the pages that an installed package has of it."""

from pathlib import Path

from bot.program import HERE, IS_CHECKOUT

INSTALLED = Path(__file__).with_name("pages_of_the_project")  # setup.py puts them there
PAGES = HERE if IS_CHECKOUT else INSTALLED
