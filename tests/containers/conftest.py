"""One engine and one image for all tests of containers."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import SHOWN
from tests.containers import needs
from tests.containers.engine import Engine, Store, running


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Skips, with the reason, where no container can run."""
    if lacking := needs.lacking():
        pytest.skip(f"no containers here: {lacking}")
    try:
        needs.base(), needs.compose()
    except needs.NotFetched as missing:
        pytest.skip(f"no containers here: {missing}")
    store = Store(tmp_path_factory.mktemp("engine"))
    store.write()
    yield store
    shutil.rmtree(store.folder)


@pytest.fixture(scope="session")
def image(store: Store) -> str:
    return store.image()


@pytest.fixture(scope="session")
def engine(store: Store, image: str) -> Iterator[Engine]:
    with running(store) as engine:
        yield engine


@pytest.fixture
def table(record_property: Callable[[str, object], None]) -> Iterator[list[str]]:
    """Lines to be shown when all tests are done."""
    lines: list[str] = []
    yield lines
    record_property(SHOWN, lines)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(500))  # the first waits for the image
