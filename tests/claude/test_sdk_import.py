"""The SDK is imported without what nobody here uses, and whole if a new release of it needs more of itself."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.models.claude import operator_texts as texts
from bot.models.claude.sdk_import import UNUSED_PARTS, import_sdk_without_unused_parts

MAX_MODULES = 800  # of the SDK; whole it has 2,900
LOOK = """
import json, sys
from bot.models.claude.sdk_import import import_sdk_without_unused_parts
import_sdk_without_unused_parts()
import bot.models.claude.sdk_client
print(json.dumps([name for name in sys.modules if name.split(".")[0] == "anthropic"]))
"""
USED_LATER = """
from bot.models.claude.sdk_import import import_sdk_without_unused_parts
import_sdk_without_unused_parts()
import anthropic
from anthropic.types import beta
assert beta.BetaMessage.model_fields, "an empty class"
assert anthropic.AsyncAnthropic(api_key="key").messages.stream
assert anthropic.AsyncAnthropicAWS(api_key="key", aws_region="us-east-1", workspace_id="one").messages.stream
"""


ERRORS_ARE_REAL = """
from bot.models.claude.sdk_import import import_sdk_without_unused_parts
import_sdk_without_unused_parts()
import anthropic, httpx2
from anthropic._error_classes import ERROR_CLASSES
answer = httpx2.Response(403, request=httpx2.Request("POST", "http://server"))
assert len(ERROR_CLASSES) > 20
for error in ERROR_CLASSES.values():
    assert isinstance(error("no", response=answer, body={}), anthropic.APIStatusError)
"""


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


@pytest.mark.fast
def test_a_process_has_only_the_parts_of_the_sdk_that_are_used() -> None:
    found = json.loads(run_python(LOOK))
    assert "anthropic._client" in found
    assert [name for name in found for part in UNUSED_PARTS if f"{name}.".startswith(f"{part}.")] == []
    assert len(found) < MAX_MODULES


def test_each_error_of_the_sdk_can_be_raised() -> None:
    run_python(ERRORS_ARE_REAL)


def test_a_left_out_part_that_is_imported_later_is_the_real_one() -> None:
    run_python(USED_LATER)


def test_a_left_out_class_that_is_used_later_is_the_real_one(packages: Path) -> None:
    write_sdk(packages, "invented_sdk_d", "def size(): return Large.SIZE\ndef make(): return Large()")
    import_sdk_without_unused_parts("invented_sdk_d", [], ["invented_sdk_d.unused"])
    sdk = sys.modules["invented_sdk_d"]
    assert "invented_sdk_d.unused" not in sys.modules
    assert sdk.size() == 7
    assert type(sdk.make()) is sys.modules["invented_sdk_d.unused"].Large


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Path]:
    """A folder on the path of imports."""
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))
    for name in [name for name in sys.modules if name.split(".")[0].startswith("invented_sdk")]:
        del sys.modules[name]


def write_sdk(folder: Path, name: str, use: str) -> None:
    """Write a package with a part `unused`. `use` is what the package does with it."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(f"from .unused import Large\n{use}\n")
    (folder / name / "unused.py").write_text("class Large:\n    SIZE = 7\n")


def test_a_part_that_is_only_named_is_left_out(packages: Path) -> None:
    write_sdk(packages, "invented_sdk_a", "Either = Large | int\nclass Other(Large): ...")
    import_sdk_without_unused_parts("invented_sdk_a", [], ["invented_sdk_a.unused"])
    assert "invented_sdk_a" in sys.modules
    assert "invented_sdk_a.unused" not in sys.modules
    assert not hasattr(sys.modules["invented_sdk_a"], "unused")


def test_an_sdk_that_needs_all_of_itself_is_imported_whole(packages: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_sdk(packages, "invented_sdk_b", "SIZE = Large.SIZE")
    with caplog.at_level(logging.WARNING):
        import_sdk_without_unused_parts("invented_sdk_b", [], ["invented_sdk_b.unused"])
    assert sys.modules["invented_sdk_b"].SIZE == 7
    assert sys.modules["invented_sdk_b.unused"].Large is sys.modules["invented_sdk_b"].Large
    [logged] = caplog.messages
    assert logged.startswith(str(texts.SDK_NEEDS_ALL).partition("%s")[0])


def test_an_sdk_that_is_imported_already_stays_as_it_is(packages: Path) -> None:
    write_sdk(packages, "invented_sdk_c", "")
    __import__("invented_sdk_c")
    before = sys.modules["invented_sdk_c"]
    import_sdk_without_unused_parts("invented_sdk_c", [], ["invented_sdk_c.unused"])
    assert sys.modules["invented_sdk_c"] is before
