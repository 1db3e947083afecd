"""What these tests need: the machine's Chromium, and Playwright and axe in an environment of their own.

`.ci/run` installs both. By hand: `apt-get install chromium`, and

    python3 -m venv ~/.cache/retinue-tests/browser
    ~/.cache/retinue-tests/browser/bin/pip install -r tests/browser/browser.lock
"""

import importlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "retinue-tests" / "browser"
LIBRARIES = FOLDER / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
AXE = LIBRARIES / "axe_playwright_python" / "axe.min.js"
BROWSER = "chromium"


def find_browser() -> str | None:
    """Return the path of the browser; None if it is not installed."""
    return shutil.which(BROWSER)


def lacking() -> str:
    """Return why no browser can be driven here; empty if one can."""
    if find_browser() is None:
        return f"{BROWSER} is not installed"
    if not AXE.exists() or not (LIBRARIES / "playwright").exists():
        return f"{FOLDER} lacks Playwright and axe for this Python; .ci/run installs them"
    return ""


def import_playwright() -> Any:
    """Return the module `playwright.async_api`. The project's own packages stay the first of their name."""
    if str(LIBRARIES) not in sys.path:
        sys.path.append(str(LIBRARIES))
    return importlib.import_module("playwright.async_api")
